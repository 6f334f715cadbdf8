package importing

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// A reader gives what was flushed before there is more, and in the end everything.
func TestCodingsReadWhatWasFlushed(t *testing.T) {
	t.Parallel()
	type packer interface {
		io.WriteCloser
		Flush() error
	}
	for name, pack := range map[string]func(io.Writer) packer{
		"br": func(w io.Writer) packer { return brotli.NewWriter(w) },
		"zstd": func(w io.Writer) packer {
			e, err := zstd.NewWriter(w)
			if err != nil {
				t.Fatal(err)
			}
			return e
		},
	} {
		const first, rest = "data: {\"a\":1}\n\n", "data: [DONE]\n\n"
		var packed bytes.Buffer
		to := pack(&packed)
		_, _ = io.WriteString(to, first)
		_ = to.Flush()
		flushed := packed.Len()
		_, _ = io.WriteString(to, rest)
		_ = to.Close()

		stream, more := io.Pipe()
		go func() { _, _ = more.Write(packed.Bytes()[:flushed]) }()
		r, err := Codings.Reader("identity, "+strings.ToUpper(name)+" ", stream)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]byte, len(first))
		if _, err := io.ReadFull(r, got); err != nil || string(got) != first {
			t.Errorf("%s: first there is %q, %v", name, got, err)
		}
		go func() {
			_, _ = more.Write(packed.Bytes()[flushed:])
			more.Close()
		}()
		if got, err := io.ReadAll(r); err != nil || string(got) != rest {
			t.Errorf("%s: then there is %q, %v", name, got, err)
		}
	}
}

// The path of an API is found behind the prefix of a gateway. What only ends like one is a path of its own.
func TestPathsOfAnAPI(t *testing.T) {
	t.Parallel()
	for url, want := range map[string]string{
		"https://api.openai.com/v1/completions":                                       "/v1/completions",
		"https://api.openai.com/v1/prompts/pmpt_1/completions":                        "/v1/prompts/pmpt_1/completions",
		"https://api.openai.com/v1/evals/1/responses?limit=2":                         "/v1/evals/1/responses?limit=2",
		"https://openrouter.ai/api/v1/chat/completions":                               "/v1/chat/completions",
		"https://api.deepseek.com/chat/completions":                                   "/v1/chat/completions",
		"https://generativelanguage.googleapis.com/v1beta/openai/embeddings":          "/v1/embeddings",
		"https://gateway.example/v1/account/gateway/openai/responses":                 "/v1/responses",
		"https://aiplatform.example/v1/projects/p/endpoints/openapi/chat/completions": "/v1/chat/completions",
		"https://x.openai.azure.com/openai/v1/responses":                              "/v1/responses",
		"https://x.openai.azure.com/openai/deployments/d/completions?api-version=1":   "/openai/deployments/d/completions?api-version=1",
		"https://gateway.example/team/v1/moderations":                                 "/v1/moderations",
		"https://gateway.example/v1/threads/thread_1/runs":                            "/v1/threads/thread_1/runs",
	} {
		if got, err := pathOf("POST", url); err != nil || got != want {
			t.Errorf("%s: got %s, %v, want %s", url, got, err, want)
		}
	}
}
