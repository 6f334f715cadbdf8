// Package secret finds API keys, cookies, ids of organisations and other secrets, and masks them
// for readers who may see the rest of a request. Equal secrets have equal masks, and different
// secrets different ones.
package secret

import (
	"crypto/sha256"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
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

// Query returns a path in whose query the values of parameters for secrets are replaced.
func Query(path string, replaced func(value string) string) string {
	at := strings.IndexByte(path, '?')
	if at < 0 {
		return path
	}
	return path[:at] + parameter().ReplaceAllStringFunc(path[at:], func(text string) string {
		name, value, _ := strings.Cut(text, "=")
		if value == "" || !isSecretParameter(name[1:]) {
			return text
		}
		return name + "=" + replaced(unescaped(value))
	})
}

// unescaped is a value of a query as its client meant it.
func unescaped(value string) string {
	if plain, err := url.QueryUnescape(value); err == nil {
		return plain
	}
	return value
}

// parameter matches one parameter of a query, with the separator before it.
var parameter = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[?&;][^=&;]*=[^&;]*`) })

// isSecretParameter reports whether a query parameter of this name, as in the URL, holds a secret.
func isSecretParameter(name string) bool {
	return slices.Contains(parameters, strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(unescaped(name))))
}

// parameters are the names of query parameters that hold secrets, in lower case and without
// hyphens and underscores.
var parameters = []string{
	"accesstoken", "apikey", "authorization", "clientsecret", "key", "password", "secret", "sig", "signature", "subscriptionkey", "token",
	"xamzcredential", "xamzsecuritytoken", "xamzsignature", "xgoogcredential", "xgoogsignature",
}
