package sweep

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
)

// Truncations are the variants in which an answer, given by the bytes of the whole answer,
// ends too early: after each event with a regular end of the HTTP body, and inside each
// event with a broken connection. [Truncate] leaves out those that a client cannot notice. A
// compressed answer has none.
func Truncations(whole []byte) []Variant {
	var list []Variant
	for n := range eventsBegun(beforeEnd(whole)) {
		list = append(list,
			Variant{
				Name:  fmt.Sprintf("close-after-%d", n),
				About: fmt.Sprintf("an orderly end after %d events", n),
				YAML:  fmt.Sprintf("end: { close: { after: %d } }", n),
			},
			Variant{
				Name:  fmt.Sprintf("cut-after-%d", n),
				About: fmt.Sprintf("the connection breaks inside event %d", n+1),
				YAML:  fmt.Sprintf("end: { cut: { after: %d } }", n),
			})
	}
	return list
}

// TruncationsInBytes are the variants in which the body of an answer ends after stride
// bytes, after two times stride and so on, with a regular end of the HTTP body. A stride
// below 1 counts as 1.
func TruncationsInBytes(whole []byte, stride int) []Variant {
	stride = max(1, stride)
	var list []Variant
	for n := stride; n <= len(beforeEnd(whole)); n += stride {
		list = append(list, Variant{
			Name:  fmt.Sprintf("end-at-byte-%d", n),
			About: fmt.Sprintf("an orderly end after %d bytes", n),
			YAML:  fmt.Sprintf("end: { cut: { byte: %d, final_chunk: true } }", n),
		})
	}
	return list
}

var blankLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:\r\n|\r|\n){2}`) })

// beforeEnd are the bytes of an answer before its last one. A compressed answer has none.
func beforeEnd(whole []byte) []byte {
	if len(whole) == 0 || bytes.HasPrefix(whole, []byte("\x1f\x8b")) { // gzip
		return nil
	}
	return whole[:len(whole)-1]
}

// eventsBegun counts the events of which the beginning of an answer has at least
// one byte.
func eventsBegun(answer []byte) int {
	ends := blankLine().FindAllIndex(answer, -1)
	if n := len(ends); len(answer) == 0 || n > 0 && ends[n-1][1] == len(answer) {
		return n
	}
	return len(ends) + 1
}
