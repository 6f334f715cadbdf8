package recording

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/binary"
	"io"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/server/internal/secret"
)

// isBytes reports whether a body is no text, such as that of a file.
func isBytes(body []byte) bool { return bytes.IndexByte(body, 0) >= 0 && !utf8.Valid(body) }

// know adds a secret that is searched for everywhere, as it is, in capitals and in UTF-16.
func (r *Redactor) know(kind, text string) {
	if len(text) < secret.Shortest {
		return
	}
	for _, form := range []string{text, strings.ToUpper(text), string(inUTF16(text, binary.LittleEndian)), string(inUTF16(text, binary.BigEndian))} {
		r.finder.Know(kind, form)
	}
}

// bytes are bytes without the secrets that are known, which have placeholders of the same length: another length
// would break a file, and what looks like a secret by its form is chance there. A text in gzip or in UTF-16 is
// redacted as any other.
func (r *Redactor) bytes(body []byte) []byte {
	if plain := unzipped(body); plain != nil {
		redacted := r.bytes(plain)
		if bytes.Equal(redacted, plain) {
			return body
		}
		var zipped bytes.Buffer
		w := gzip.NewWriter(&zipped)
		_, _ = w.Write(redacted)
		w.Close() // A Buffer takes all.
		return zipped.Bytes()
	}
	if !isBytes(body) {
		return []byte(r.text(string(body)))
	}
	for mark, order := range map[string]byteOrder{"\xff\xfe": binary.LittleEndian, "\xfe\xff": binary.BigEndian} {
		if rest, ok := bytes.CutPrefix(body, []byte(mark)); ok && len(rest)%2 == 0 {
			return append([]byte(mark), inUTF16(r.text(fromUTF16(rest, order)), order)...)
		}
	}
	r.asBytes++
	redacted := bytes.Clone(body)
	for _, s := range r.finder.Known(string(body)) {
		placeholder := r.placeholder(s.Kind, string(body[s.From:s.To]))
		copy(redacted[s.From:s.To], placeholder+strings.Repeat("-", max(0, s.To-s.From-len(placeholder))))
	}
	return redacted
}

// binary is a text in base64 without the secrets in its bytes; any other text is returned as it is.
func (r *Redactor) binary(text string) string {
	at, plain := secret.Binary(text)
	redacted := r.bytes(plain)
	if bytes.Equal(redacted, plain) {
		return text
	}
	encoding := base64.StdEncoding
	if len(text[at:])%4 != 0 {
		encoding = base64.RawStdEncoding
	}
	return text[:at] + encoding.EncodeToString(redacted)
}

// unzipped is what a file in gzip holds; nil if it is none, or if it holds more than an answer can have.
func unzipped(file []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	plain, err := io.ReadAll(io.LimitReader(r, DefaultLimit+1))
	if err != nil || len(plain) > DefaultLimit {
		return nil
	}
	return plain
}

// byteOrder is how the two bytes of a unit of UTF-16 follow each other.
type byteOrder interface {
	binary.ByteOrder
	binary.AppendByteOrder
}

func inUTF16(text string, order byteOrder) (encoded []byte) {
	for _, unit := range utf16.Encode([]rune(text)) {
		encoded = order.AppendUint16(encoded, unit)
	}
	return encoded
}

func fromUTF16(encoded []byte, order byteOrder) string {
	var units []uint16
	for ; len(encoded) > 0; encoded = encoded[2:] {
		units = append(units, order.Uint16(encoded))
	}
	return string(utf16.Decode(units))
}
