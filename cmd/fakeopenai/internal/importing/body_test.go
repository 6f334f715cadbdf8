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
