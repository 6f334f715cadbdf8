package importing

import (
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/fakeopenai/fakeopenai/server/recording/coding"
)

// Codings are the decoders for brotli and zstd, to be used beside [coding.Standard].
var Codings = coding.Codings{
	"br": func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	"zstd": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) // 1 decodes synchronously, as bytes arrive
	},
}
