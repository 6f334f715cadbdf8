// Package requestid makes the ids that answers bear in their header, so that a client
// can say which request it means.
package requestid

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// ID is the id of a request before it is written out. The zero ID is none.
type ID [16]byte

// Request is what an id is drawn from, beside the seed of the server.
type Request struct {
	Method, Path string // Path includes the query.
	APIKey       string
	Body         [sha256.Size]byte // Body is the hash of the body.
	Attempt      int               // Attempt says how often the same was asked, this time included.
}

// Draw draws the id of a request: the same request, made as often before, has the same
// id.
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

// OpenAI is the id as OpenAI writes it.
func (id ID) OpenAI() string {
	const prefix = "req_"
	return string(hex.AppendEncode(append(make([]byte, 0, len(prefix)+2*len(id)), prefix...), id[:]))
}

// Azure is the id as Azure writes it: a UUID.
func (id ID) Azure() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		binary.BigEndian.Uint32(id[:]), binary.BigEndian.Uint16(id[4:]), binary.BigEndian.Uint16(id[6:])&0xfff,
		binary.BigEndian.Uint16(id[8:])&0xfff, id[10:])
}
