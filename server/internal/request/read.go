package request

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// NotJSON is the real service's message for a body that is not JSON.
const NotJSON = "We could not parse the JSON body of your request. (HINT: This likely means you aren't using your HTTP library correctly. " +
	"The OpenAI API expects a JSON payload, but what was sent was not valid JSON. If you have trouble figuring out how to fix this, " +
	"please contact us through our help center at help.openai.com.)"

// Limits of numbers that decide about the size of an answer. They apply even where
// requests are not checked strictly.
const (
	MaxChoices     = 128
	MaxTopLogprobs = 20
)

// Parse reads the body of a request to a surface: what all surfaces share, then what read adds. It
// is lenient: only the members of the table that scenarios look at must have the right type; others
// may be missing, unknown or wrong. See [Table.Check] for the rest.
//
// Of members with the same name the last one counts, as with nearly all parsers.
// Attempt is 1: the server counts attempts later. The error wraps an [*Error]; it comes with a request that was not
// read, if the body is an object.
func Parse(surface string, header map[string][]string, body []byte, table *Table, read func(*scenarios.Request) *Error) (*scenarios.Request, error) {
	doc, err := ReadObject("request body", body)
	if err != nil {
		return nil, err
	}
	req := &scenarios.Request{
		Surface: surface, Header: header, Body: doc, RawBody: body, Model: doc.Get("model").Text(), User: doc.Get("user").Text(),
		N: 1, Attempt: 1, Turn: 1, IncludeObfuscation: true, APIKey: APIKey(header),
	}
	req.Stream, _ = doc.Get("stream").Bool()
	if wrong := table.CheckTypes(doc); wrong != nil {
		return req, wrong
	}
	if wrong := read(req); wrong != nil {
		return req, wrong
	}
	req.Scenario = ScenarioAskedFor(req)
	if err := readSeed(req); err != nil {
		return nil, err
	}
	return req, nil
}

// readSeed reads the seed that the request gives its answer.
func readSeed(req *scenarios.Request) error {
	values := req.HeaderValues("X-Fakeopenai-Seed")
	if len(values) == 0 {
		return nil
	}
	seed, err := strconv.ParseInt(values[0], 10, 64)
	if err != nil || seed == 0 || len(values) > 1 {
		return Bad("", apierror.CodeSeed, "The header X-Fakeopenai-Seed is %q; write one whole number other than 0, or leave it out.", strings.Join(values, ", "))
	}
	req.Seed = seed
	return nil
}

// ScenarioAskedFor is the name of the scenario that the request asks for, in a header
// or by the model fake:NAME; "" for none.
func ScenarioAskedFor(req *scenarios.Request) string {
	for _, name := range req.HeaderValues("X-Fakeopenai-Scenario") {
		if name != "" {
			return name
		}
	}
	if name, ok := strings.CutPrefix(req.Model, "fake:"); ok {
		return name
	}
	return ""
}

// APIKey is the API key of a request; "" for none. It is the bearer token or, without
// one, the first value of Azure's Api-Key. Everything that is kept by key (counters,
// holds, journal, calls), and everything that checks keys, uses this function.
func APIKey(header map[string][]string) string {
	if token := BearerToken(header); token != "" {
		return token
	}
	r := scenarios.Request{Header: header}
	if keys := r.HeaderValues("Api-Key"); len(keys) > 0 {
		return keys[0]
	}
	return KeyOfProtocols(r.HeaderValues("Sec-Websocket-Protocol"))
}

// KeyOfProtocols is the API key among the subprotocols that a browser offers for a WebSocket connection, because it can
// set no header fields; "" if there is none.
func KeyOfProtocols(offered []string) string {
	for _, list := range offered {
		for name := range strings.SplitSeq(list, ",") {
			if key, ok := strings.CutPrefix(strings.TrimSpace(name), "openai-insecure-api-key."); ok {
				return key
			}
		}
	}
	return ""
}

// BearerToken is the token of the first Authorization value with the scheme Bearer and
// a token; "" if there is none. Values of other schemes, such as a proxy's Basic, are
// skipped.
func BearerToken(header map[string][]string) string {
	r := scenarios.Request{Header: header}
	for _, value := range r.HeaderValues("Authorization") {
		scheme, token, _ := strings.Cut(value, " ")
		token = strings.TrimSpace(token)
		if strings.EqualFold(scheme, "Bearer") && token != "" {
			return token
		}
	}
	return ""
}

// readAhead limits how much memory is allocated because of a request's Content-Length
// alone.
const readAhead = 1 << 20

// ReadAll reads a body whose Content-Length is length, which may be wrong; -1 is
// unknown. The result has little unused capacity, because the journal keeps it.
func ReadAll(from io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		length = bytes.MinRead
	}
	body := make([]byte, 0, min(length, readAhead)+1) // one byte more, to see the end
	for {
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF) && cap(body)-len(body) > len(body)/8+bytes.MinRead:
			return bytes.Clone(body), nil
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
		if len(body) == cap(body) {
			body = slices.Grow(body, len(body))
		}
	}
}

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

// firstInvalid is the position of the first byte that is not valid UTF-8, or the length of the body.
func firstInvalid(body []byte) int {
	for i, r := range string(body) {
		if r == utf8.RuneError && !bytes.HasPrefix(body[i:], []byte(string(utf8.RuneError))) {
			return i
		}
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
