// Package requestid makes the ids of requests, which answers have in a header, so that
// clients can tell which request they mean.
package requestid

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// ID is the id of a request before it is formatted. The zero ID stands for none.
type ID [16]byte

// Request is what an id is drawn from, beside the server's seed.
type Request struct {
	Method, Path string // Path includes the query.
	APIKey       string
	Body         [sha256.Size]byte // Body is the hash of the body.
	Attempt      int               // Attempt counts how often the same request was made, including this time.
}

// Draw draws the id of a request. The same request at the same attempt has the same id.
func Draw(seed int64, r *Request) ID {
	text := make([]byte, 0, 256)
	text = append(strconv.AppendInt(text, seed, 10), ' ')
	text = append(append(text, r.Method...), ' ')
	text = append(append(text, r.Path...), ' ')
	text = append(strconv.AppendQuote(text, r.APIKey), ' ')
	text = append(strconv.AppendInt(text, int64(r.Attempt), 10), ' ')
	sum := sha256.Sum256(append(text, r.Body[:]...))
	return ID(sum[:len(ID{})])
}

// OpenAI formats the id as OpenAI does.
func (id ID) OpenAI() string {
	const prefix = "req_"
	return string(hex.AppendEncode(append(make([]byte, 0, len(prefix)+2*len(id)), prefix...), id[:]))
}

// Azure formats the id as Azure does: as a UUID.
func (id ID) Azure() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		binary.BigEndian.Uint32(id[:]), binary.BigEndian.Uint16(id[4:]), binary.BigEndian.Uint16(id[6:])&0xfff,
		binary.BigEndian.Uint16(id[8:])&0xfff, id[10:])
}
