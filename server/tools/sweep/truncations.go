package sweep

import (
	"bytes"
	"fmt"
	"regexp"
	"sync"
)

// Truncations are the variants in which an answer, given by the bytes of the whole answer,
// ends too early: after each event with a regular end of the HTTP body, and inside each
// event with a broken connection. All end before the last finish reason, so that a client
// can notice each. A compressed answer has none.
func Truncations(whole []byte) []Variant {
	var list []Variant
	for n := range eventsBegun(whole[:lengthBeforeEnd(whole)]) {
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
	for n := stride; n <= lengthBeforeEnd(whole); n += stride {
		list = append(list, Variant{
			Name:  fmt.Sprintf("end-at-byte-%d", n),
			About: fmt.Sprintf("an orderly end after %d bytes", n),
			YAML:  fmt.Sprintf("end: { cut: { byte: %d, final_chunk: true } }", n),
		})
	}
	return list
}

// lacksEnd reports whether a part of an answer lacks the end of the whole answer: one of
// its finish reasons or, if it has none, its [DONE] or last byte.
func lacksEnd(part, whole []byte) bool {
	if n := len(finishReasons(whole)); n > 0 {
		return len(finishReasons(part)) < n
	}
	return len(part) <= lengthBeforeEnd(whole)
}

// finishReasonPattern does not match inside of a JSON string, where quotes are escaped.
var (
	finishReasonPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"finish_reason": ?"`) })
	blankLine           = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?:\r\n|\r|\n){2}`) })
)

func finishReasons(answer []byte) [][]int { return finishReasonPattern().FindAllIndex(answer, -1) }

// lengthBeforeEnd is how many bytes of an answer come before its last finish
// reason or, without one, before [DONE] or the last byte.
func lengthBeforeEnd(answer []byte) int {
	if bytes.HasPrefix(answer, []byte("\x1f\x8b")) { // gzip
		return 0
	}
	if places := finishReasons(answer); len(places) > 0 {
		return places[len(places)-1][0]
	}
	if done := bytes.LastIndex(answer, []byte("[DONE]")); done >= 0 {
		return done
	}
	return max(0, len(answer)-1)
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
