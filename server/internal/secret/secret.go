// Package secret finds API keys, cookies, ids of organisations and other secrets, and masks them
// for readers who may see the rest of a request. Equal secrets have equal masks, and different
// secrets different ones.
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

// shownFrom is the length in characters from which on a mask shows the last tail characters
// of a secret. Enough characters stay hidden then.
const shownFrom, tail = 20, 4

// Mask returns the mask of a secret, such as sk-…a1b2 (sha256:3f9c0d12): its prefix if that
// is a known one, its last four characters if it is long, and the beginning of its hash. An
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

// kind matches the prefixes of the real service's keys and ids.
var kind = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(sk|org|proj)[-_]`) })

// Header returns a copy of the header with its secrets masked. Slices of other values are
// shared with h.
func Header(h http.Header) http.Header {
	if h == nil {
		return nil
	}
	masked := make(http.Header, len(h))
	for name, values := range h {
		if scenarios.IsSecretHeader(name) {
			values = slices.Clone(values)
			for i, value := range values {
				values[i] = maskCredentials(name, value)
			}
		}
		masked[name] = values
	}
	return masked
}

// maskCredentials masks the value of a header field. The scheme of an Authorization stays,
// so that the mask of a bearer token equals that of the API key, and so do the names of
// protocols, such as openai-insecure-api-key, before their first dot.
func maskCredentials(name, value string) string {
	if name == "Sec-Websocket-Protocol" {
		protocols := strings.Split(value, ",")
		for i, text := range protocols {
			if before, key, ok := strings.Cut(text, "."); ok {
				protocols[i] = before + "." + Mask(strings.TrimSpace(key))
			}
		}
		return strings.Join(protocols, ",")
	}
	scheme, credentials, ok := strings.Cut(value, " ")
	if ok && slices.Contains(schemes, strings.ToLower(scheme)) {
		return scheme + " " + Mask(strings.TrimSpace(credentials))
	}
	return Mask(value)
}

var schemes = []string{"basic", "bearer", "digest", "negotiate"}

// Path returns a path with masks in place of its secrets: those of a known form, and in the query
// the values of parameters for secrets.
func Path(path string) string {
	before, query, asks := strings.Cut(path, "?")
	before = maskForms(before)
	if !asks {
		return before
	}
	return before + Query("?"+query, Mask)
}

// maskForms masks the secrets of a known form in a path without a query.
func maskForms(path string) string {
	if !hasLongPart(path) {
		return path
	}
	plain, err := url.PathUnescape(path)
	if err != nil {
		plain = path
	}
	found := merged(forms(plain))
	if len(found) == 0 {
		return path
	}
	return replace(plain, found, func(_, text string) string { return Mask(text) })
}

// hasLongPart reports whether a part of a path, between slashes, is long enough for a key. The
// paths of most requests have none, and it takes far longer to look for secrets.
func hasLongPart(path string) bool {
	const shortest = len("org-") + 8
	for part := range strings.SplitSeq(path, "/") {
		if len(part) >= shortest {
			return true
		}
	}
	return false
}

// Query returns a path in whose query the values of parameters for secrets are replaced.
func Query(path string, replaced func(value string) string) string {
	at := strings.IndexByte(path, '?')
	if at < 0 {
		return path
	}
	return path[:at] + parameter().ReplaceAllStringFunc(path[at:], func(text string) string {
		before, value, _ := strings.Cut(text, "=")
		name, err := url.QueryUnescape(before[1:])
		if err != nil || value == "" || !isParameter(name) {
			return text
		}
		if plain, err := url.QueryUnescape(value); err == nil {
			value = plain
		}
		return before + "=" + replaced(value)
	})
}

// parameter matches one parameter of a query, with the separator before it.
var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[?&;][^=&;]*=[^&;]*`) })

// isParameter reports whether a query parameter of this name holds a secret.
func isParameter(name string) bool {
	return slices.Contains(parameters, strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(name)))
}

// parameters are the names of query parameters that hold secrets, in lower case and without
// hyphens and underscores.
var parameters = []string{
	"accesstoken", "apikey", "authorization", "clientsecret", "key", "password", "secret", "sig", "signature", "subscriptionkey", "token",
	"xamzcredential", "xamzsecuritytoken", "xamzsignature", "xgoogcredential", "xgoogsignature",
}
