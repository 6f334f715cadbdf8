package server

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strconv"
)

// requestID is the id of a request, which answers have in a header so that clients can tell
// which request they mean, before it is formatted. The zero requestID stands for none.
type requestID [16]byte

// identity is what the id of a request is drawn from, beside the server's seed.
type identity struct {
	Method, Path string // Path includes the query.
	APIKey       string
	Body         [sha256.Size]byte // Body is the hash of the body.
	Attempt      int               // Attempt counts how often the same request was made, including this time.
}

// id draws the id of a request. The same request at the same attempt has the same id.
func (r *identity) id(seed int64) requestID {
	text := make([]byte, 0, 256)
	text = append(strconv.AppendInt(text, seed, 10), ' ')
	text = append(append(text, r.Method...), ' ')
	text = append(append(text, r.Path...), ' ')
	text = append(strconv.AppendQuote(text, r.APIKey), ' ')
	text = append(strconv.AppendInt(text, int64(r.Attempt), 10), ' ')
	sum := sha256.Sum256(append(text, r.Body[:]...))
	return requestID(sum[:len(requestID{})])
}

// openAI formats the id as OpenAI does.
func (id requestID) openAI() string {
	const prefix = "req_"
	return string(hex.AppendEncode(append(make([]byte, 0, len(prefix)+2*len(id)), prefix...), id[:]))
}

// azure formats the id as Azure does: as a UUID.
func (id requestID) azure() string {
	return fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x",
		binary.BigEndian.Uint32(id[:]), binary.BigEndian.Uint16(id[4:]), binary.BigEndian.Uint16(id[6:])&0xfff,
		binary.BigEndian.Uint16(id[8:])&0xfff, id[10:])
}
