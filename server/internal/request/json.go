package request

import (
	"bytes"
	"fmt"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// parseJSON reads a body as JSON in UTF-8. Go's decoder puts U+FFFD for what is
// no text; here that is an error, because a client that sends it is broken, and
// the real service refuses it.
func parseJSON(body []byte) (ojson.Value, error) {
	doc, clean, err := ojson.ParseText(body)
	switch {
	case err != nil:
		return ojson.Value{}, fmt.Errorf("the body is not JSON: %w", err)
	case clean:
		return doc, nil
	case !utf8.Valid(body):
		return ojson.Value{}, fmt.Errorf("the body is not UTF-8 at byte %d", firstInvalid(body))
	}
	at := loneSurrogate(body)
	return ojson.Value{}, fmt.Errorf(`the body has half of a surrogate pair, %s, at byte %d`, body[at:at+escapeLength], at)
}

// MaxValues is how many JSON values the body of a request can hold, those inside others
// counted, too. Each takes 32 bytes of memory and more, where its text may be one; the
// longest prompts of tokens that a real service takes have as many values.
const MaxValues = 1_000_000

// valuesIn is about how many values a JSON text holds: each begins the text, an array
// or an object, or stands behind a comma. Texts are looked into only where they matter.
func valuesIn(text []byte) int {
	if len(text) < MaxValues {
		return 0
	}
	if bytes.Count(text, []byte(","))+bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) < MaxValues {
		return 0
	}
	n, inString := 1, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			inString = !inString
		case inString && c == '\\':
			i++
		case !inString && (c == ',' || c == '[' || c == '{'):
			n++
		}
	}
	return n
}

// firstInvalid is the position of the first byte that is not UTF-8, or the length
// of the body.
func firstInvalid(body []byte) int {
	for i := 0; i < len(body); {
		r, size := utf8.DecodeRune(body[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(body)
}

// escapeLength is the length of an escape such as \u00e9.
const escapeLength = 6

// loneSurrogate is the position of the first escape in a JSON text that is half of
// a surrogate pair without the other half; -1 if there is none.
func loneSurrogate(text []byte) int {
	for i := 0; i < len(text); {
		next := bytes.IndexByte(text[i:], '\\')
		if next < 0 {
			return -1
		}
		i += next
		first := escapedRune(text[i:])
		switch {
		case first < 0:
			i += 2 // the character after the backslash may be one, too
		case !utf16.IsSurrogate(first):
			i += escapeLength
		case utf16.DecodeRune(first, escapedRune(text[i+escapeLength:])) == utf8.RuneError:
			return i
		default:
			i += 2 * escapeLength
		}
	}
	return -1
}

// escapedRune is the rune of the escape with which a text begins, or -1.
func escapedRune(text []byte) rune {
	if len(text) < escapeLength || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(text[2:escapeLength]), 16, 32)
	if err != nil {
		return -1
	}
	return rune(n)
}
