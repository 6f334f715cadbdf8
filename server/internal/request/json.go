package request

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// ReadObject parses the JSON object that a client has sent, within the bounds of parseJSON.
// What names it, if it is no object. The error wraps an [*Error].
func ReadObject(what string, body []byte) (ojson.Value, error) {
	v, err := readValue(body)
	if err == nil && v.Kind() != ojson.ObjectKind {
		err = Bad("", "invalid_type", "Invalid type for %s: expected an object, but got %s instead.", what, v.TypeInWords())
	}
	return v, err
}

// readValue is ReadObject for any JSON.
func readValue(body []byte) (ojson.Value, error) {
	v, err := parseJSON(body)
	switch {
	case errors.Is(err, errTooManyValues):
		return v, Bad("", "", "The body %v.", err)
	case err != nil:
		return v, fmt.Errorf("the body %w: %w", err, Bad("", "", NotJSON))
	}
	return v, nil
}

// Parsing is a semaphore for large texts, with one slot per processor: parsing more of
// them at a time would be no faster, and each takes up to 50 times its length in memory
// meanwhile. All servers of the process share it.
var Parsing = make(chan struct{}, runtime.GOMAXPROCS(0))

// large is the number of bytes above which a text needs a slot of Parsing.
const large = 64 << 10

// parseJSON parses a text that a client has sent as JSON in UTF-8. No other function does
// so, because it holds the bounds: a text with more than MaxValues is refused, and a large
// one waits for a slot. Of members with the same name the last one counts.
//
// Go's decoder replaces invalid UTF-8 by U+FFFD; here it is an error, as with the real
// service, because the client is broken.
func parseJSON(text []byte) (ojson.Value, error) {
	if len(text) >= MaxValues {
		if n := valuesIn(text); n > MaxValues {
			return ojson.Value{}, fmt.Errorf("holds about %d JSON values, those inside others counted, too; %w", n, errTooManyValues)
		}
	}
	if len(text) > large {
		Parsing <- struct{}{}
		defer func() { <-Parsing }()
	}
	v, err := ojson.Parse(text)
	if err != nil {
		return ojson.Value{}, fmt.Errorf("is not JSON: %w", err)
	}
	if !utf8.Valid(text) {
		return ojson.Value{}, fmt.Errorf("is not UTF-8 at byte %d", firstInvalid(text))
	}
	if at := loneSurrogate(text); at >= 0 {
		return ojson.Value{}, fmt.Errorf(`has half of a surrogate pair, %s, at byte %d`, text[at:at+escapeLength], at)
	}
	v.KeepLast()
	return v, nil
}

// MaxValues is how many JSON values a request's body can hold, nested ones included.
// Each takes at least 32 bytes of memory, of which its text may need only one. The
// longest token prompts that the real service accepts have as many values.
const MaxValues = 1_000_000

var errTooManyValues = fmt.Errorf("this server reads at most %d: send fewer, or longer texts", MaxValues)

// valuesIn estimates how many values a JSON text holds: each starts the text, an array
// or an object, or follows a comma. Strings are skipped only where the result matters.
func valuesIn(text []byte) int {
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

// firstInvalid is the position of the first byte that is not valid UTF-8, or the length
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

// loneSurrogate is the position of the first \u escape that is half of a surrogate pair
// without the other half; -1 if there is none.
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
			i += 2 // skip an escaped backslash
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

// escapedRune is the rune of the \u escape at the start of a text; -1 if there is none.
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
