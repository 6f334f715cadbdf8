package server_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// A client that waits for the pieces of a split gets each piece from a read of its own, so
// they are also separate TCP segments; the golden transcripts of the wire show only that they
// are separate chunks. If the machine is busy, the client may wake late and get two pieces at
// once, so it may try again. Without pauses between the pieces it would have to wake forty
// times within microseconds.
func TestAWaitingReaderSeesThePiecesApart(t *testing.T) {
	t.Parallel()
	const attempts = 20
	tests := map[string]struct {
		yaml string
		want []string
	}{
		"byte by byte": {
			"name: split\nstream: [{ raw: abcdefghijklmnopqrstuvwxyz0123456789 }]\nwire: { split: { by: byte, gap: 5ms }, done: 0 }\n",
			strings.Split("abcdefghijklmnopqrstuvwxyz0123456789", ""),
		},
		"inside a character": {
			"name: split\nstream: [{ raw: \"a🎉b\" }]\nwire: { split: { by: inside_rune, gap: 5ms }, done: 0 }\n",
			[]string{"a\xf0", "\x9f", "\x8e", "\x89b"},
		},
		"between CR and LF": {
			"name: split\nstream: [{ raw: \"data: a\\r\\n\\r\\ndata: b\\r\\n\\r\\n\" }]\nwire: { split: { by: crlf, gap: 5ms }, done: 0 }\n",
			[]string{"data: a\r", "\n\r", "\ndata: b\r", "\n\r", "\n"},
		},
		"across events": {
			"name: split\nstream: [{ event: { data: a } }, { event: { data: b } }, { event: { data: c } }]\nwire: { split: { size: 12, gap: 5ms }, done: 0 }\n",
			[]string{"data: a\n\ndat", "a: b\n\ndata: ", "c\n\n"},
		},
		"not across a pause": {
			"name: split\nstream: [{ event: { data: a } }, { event: { data: b }, after: 20ms }, { event: { data: c } }]\nwire: { split: { size: 12, gap: 5ms }, done: 0 }\n",
			[]string{"data: a\n\n", "data: b\n\ndat", "a: c\n\n"},
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tt.yaml, server.Config{})
			var got []string
			for range attempts {
				if got = r.reads(); equalReads(got, tt.want) {
					return
				}
			}
			t.Errorf("the last of %d attempts read %q, want %q", attempts, got, tt.want)
		})
	}
}

// reads returns what each read of an answer's body returned, up to its final chunk.
func (r *running) reads() []string {
	r.t.Helper()
	conn := r.rawDial()
	defer conn.Close()
	conn.send(http.MethodPost, "/v1/chat/completions", ask, "Connection: close")
	var list []string
	head := true
	buf := make([]byte, 64<<10)
	for {
		n, err := conn.Read(buf)
		part := string(buf[:n])
		if head {
			_, after, found := strings.Cut(part, "\r\n\r\n")
			if !found {
				continue
			}
			part, head = after, false
		}
		if part != "" {
			list = append(list, part)
		}
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// equalReads reports whether each piece came from a read of its own, as one chunk. The final
// chunk may come with the last piece.
func equalReads(reads, pieces []string) bool {
	var want bytes.Buffer
	for i, piece := range pieces {
		want.Reset()
		want.WriteString(string("0123456789abcdef"[len(piece)]) + "\r\n" + piece + "\r\n")
		last := i == len(pieces)-1
		if i >= len(reads) || reads[i] != want.String() && !(last && reads[i] == want.String()+"0\r\n\r\n") {
			return false
		}
	}
	return true
}
