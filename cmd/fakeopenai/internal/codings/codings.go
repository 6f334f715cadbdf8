// Package codings undoes the content codings that Go's own library does not know.
package codings

import (
	"io"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/fakeopenai/fakeopenai/server/recording/coding"
)

// All are brotli and zstd, beside those of [coding.Standard].
var All = coding.Codings{
	"br": func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	"zstd": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) // in step with what it reads
	},
}
