// Package secret masks what must not be read by who may read the rest: keys,
// cookies and the ids of organisations. There is one form for all of them, in
// which equal secrets stay equal and different ones differ.
package secret

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// shownFrom is the length from which on the last characters of a secret are shown:
// so many are left that nobody guesses.
const shownFrom, tail = 20, 4

// Mask is the mask of a secret, such as sk-…a1b2 (sha256:3f9c0d12): what kind it
// is, its last four characters if it is long, and the beginning of its hash. An
// empty text stays empty.
func Mask(text string) string {
	if text == "" {
		return ""
	}
	mask := kind().FindString(text) + "…"
	if runes := []rune(text); len(runes) >= shownFrom {
		mask += string(runes[len(runes)-tail:])
	}
	sum := sha256.Sum256([]byte(text))
	return mask + " (sha256:" + hex.EncodeToString(sum[:4]) + ")"
}

// kind is how the real service's keys and ids begin.
var kind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(sk|org|proj)[-_]`) })

// Header is the header with its secrets masked. What is not masked is shared.
func Header(h http.Header) http.Header {
	if h == nil {
		return nil
	}
	masked := make(http.Header, len(h))
	for name, values := range h {
		if scenarios.IsSecretHeader(name) {
			values = slices.Clone(values)
			for i, value := range values {
				values[i] = maskCredentials(value)
			}
		}
		masked[name] = values
	}
	return masked
}

// maskCredentials masks the value of a field; the scheme of an Authorization
// stays, so that the mask of a bearer token is that of the API key.
func maskCredentials(value string) string {
	scheme, credentials, ok := strings.Cut(value, " ")
	if ok && slices.Contains(schemes, strings.ToLower(scheme)) {
		return scheme + " " + Mask(strings.TrimSpace(credentials))
	}
	return Mask(value)
}

var schemes = []string{"basic", "bearer", "digest", "negotiate"}

// Path is a path with its query, in which the values of parameters for keys are
// masked.
func Path(path string) string {
	at := strings.IndexByte(path, '?')
	if at < 0 {
		return path
	}
	return path[:at] + parameter().ReplaceAllStringFunc(path[at:], func(text string) string {
		before, value, _ := strings.Cut(text, "=")
		name, err := url.QueryUnescape(before[1:])
		if err != nil || !IsParameter(name) {
			return text
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		return before + "=" + Mask(value)
	})
}

// parameter is one parameter of a query, with what separates it from the one
// before.
var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[?&;][^=&;]*=[^&;]*`) })

// IsParameter reports whether a parameter of a query of this name holds a secret.
func IsParameter(name string) bool {
	return slices.Contains(parameters, strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name)))
}

// parameters are the names of those that hold secrets, in lower case and without
// hyphens and underscores.
var parameters = []string{
	"accesstoken", "apikey", "authorization", "clientsecret", "key", "password", "secret", "sig", "signature", "subscriptionkey", "token",
}
