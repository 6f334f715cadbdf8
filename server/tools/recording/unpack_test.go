package recording_test

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// packer compresses.
type packer interface {
	io.WriteCloser
	Flush() error
}

// packers compress with the codings of the standard library. Deflate is the form without zlib's header.
var packers = map[string]func(io.Writer) packer{
	"gzip":    func(w io.Writer) packer { return gzip.NewWriter(w) },
	"deflate": func(w io.Writer) packer { return zlib.NewWriter(w) },
	"Deflate": func(w io.Writer) packer {
		raw, _ := flate.NewWriter(w, flate.BestSpeed)
		return raw
	},
}

func TestABodyHasAFewCodingsAtMost(t *testing.T) {
	t.Parallel()
	for times, refused := range map[int]bool{8: false, 9: true, 100_000: true} {
		_, err := recording.Codings(nil).Reader(strings.Repeat("deflate,", times-1)+"deflate", strings.NewReader("x"))
		if refused != (err != nil && strings.Contains(err.Error(), "encoded more than 8 times")) {
			t.Errorf("%d codings: %v", times, err)
		}
	}
}

// If an upstream sends a coding although the request accepts none, the client gets the same bytes,
// and the recording has the decoded text.
func TestAnswersInACoding(t *testing.T) {
	t.Parallel()
	const first, rest = `data: {"id":"chatcmpl-1","choices":[]}` + "\n\n", "data: [DONE]\n\n"
	for name, pack := range packers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var whole bytes.Buffer
			asked := make(chan string, 1)
			goOn := make(chan struct{})
			base, kept := upstreamOf(t, func(w http.ResponseWriter, r *http.Request) {
				asked <- r.Header.Get("Accept-Encoding")
				w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
				w.Header().Set("Content-Encoding", strings.ToLower(name))
				to := pack(io.MultiWriter(w, &whole))
				_, _ = io.WriteString(to, first)
				_ = to.Flush()
				_ = http.NewResponseController(w).Flush()
				<-goOn
				_, _ = io.WriteString(to, rest)
				_ = to.Close()
			})
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/chat/completions", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			req.Header.Set("Accept-Encoding", "br, zstd, gzip, deflate")
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			close(goOn)
			got, err := io.ReadAll(resp.Body)
			if err != nil || !bytes.Equal(got, whole.Bytes()) || resp.Header.Get("Content-Encoding") != strings.ToLower(name) {
				t.Errorf("the client has %q, %v", got, err)
			}
			if accept := testflag.Receive(t, asked); accept != "identity" {
				t.Errorf("the upstream is asked for %q", accept)
			}
			x := testflag.Receive(t, kept)
			if x.Packed != nil || bodyOf(x) != first+rest || x.AnswerHeader.Get("Content-Encoding") != "" {
				t.Errorf("kept is %q in %d pieces, %v", bodyOf(x), len(x.Pieces), x.Packed)
			}
		})
	}
}

// An answer in an unknown coding, or in another coding than its header says, is not recorded.
func TestAnswersInACodingThatIsNotRead(t *testing.T) {
	t.Parallel()
	for encoding, want := range map[string]string{"br": `it is encoded as "br", which is not read`, "gzip": `it is marked as encoded as "gzip", and is not`} {
		base, kept := upstreamOf(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", encoding)
			_, _ = io.WriteString(w, "This is none of them.")
		})
		_, _, _ = post(t, base+"/v1/chat/completions", "", "{}") // the client cannot decode this body either
		if err := new(recording.Collection).Add(testflag.Receive(t, kept)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: the error is %v", encoding, err)
		}
	}
}

// A body that is small in its coding and huge when decoded is too long to record.
func TestABodyThatUnpacksToTooMuch(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	var small bytes.Buffer
	to := gzip.NewWriter(&small)
	_, _ = to.Write(make([]byte, recording.DefaultLimit+1))
	_ = to.Close()
	base, kept := upstreamOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(small.Bytes())
	})
	if _, _, err := post(t, base+"/v1/chat/completions", "", "{}"); err != nil {
		t.Fatal(err)
	}
	if x := testflag.Receive(t, kept); !x.TooLong || len(x.Pieces) > 0 {
		t.Errorf("%d pieces are kept, too long: %t", len(x.Pieces), x.TooLong)
	}
}

// What came of a body in a coding that broke off is recorded.
func TestABodyInACodingThatBreaksOff(t *testing.T) {
	t.Parallel()
	const text = "data: {\"id\":\"chatcmpl-1\",\"choices\":[]}\n\n"
	base, kept := upstreamOf(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		w.Header().Set("Content-Encoding", "gzip")
		to := gzip.NewWriter(w)
		_, _ = io.WriteString(to, text)
		_ = to.Flush() // It is not closed.
	})
	_, _, _ = post(t, base+"/v1/chat/completions", "", "{}")
	if x := testflag.Receive(t, kept); x.Packed != nil || bodyOf(x) != text {
		t.Errorf("kept is %q, %v", bodyOf(x), x.Packed)
	}
}
