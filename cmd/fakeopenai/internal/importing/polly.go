package importing

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// isPolly reports whether a HAR file is a recording of Polly.js.
func isPolly(file ojson.Value) bool {
	log := file.Get("log")
	return !log.Get("_recordingName").IsAbsent() || log.Get("creator").Get("name").Text() == "Polly.JS"
}

// readPolly reads a recording of Polly.js: a HAR file in which binary bodies are lists
// of pieces.
func readPolly(data []byte, a *adding) {
	readArchive(data, a, pollyBytes)
}

// pollyBytes decodes a body: a text, base64 or, if it was compressed or binary, a JSON
// array of pieces in base64 or hexadecimal digits.
func pollyBytes(c *harContent, h http.Header) ([]byte, error) {
	var pieces []string
	packed := c.Binary || c.Encoding == "base64" || h.Get("Content-Encoding") != ""
	if !packed || json.Unmarshal([]byte(c.Text), &pieces) != nil {
		return c.bytes(h)
	}
	decode := hex.DecodeString
	if c.Encoding == "base64" {
		decode = unbase64
	}
	var body []byte
	for _, p := range pieces {
		piece, err := decode(strings.TrimSpace(p))
		if err != nil {
			return nil, errors.New("its pieces are neither base64 nor hexadecimal digits")
		}
		body = append(body, piece...)
	}
	return body, nil
}
