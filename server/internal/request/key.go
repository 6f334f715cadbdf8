package request

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// APIKey is the API key of a request; "" for none. It is the bearer token or, without
// one, the first value of Azure's Api-Key. Everything that is kept by key (counters,
// holds, journal, calls), and everything that checks keys, uses this function.
func APIKey(header map[string][]string) string {
	token, r := BearerToken(header), scenarios.Request{Header: header}
	if keys := r.HeaderValues("Api-Key"); token == "" && len(keys) > 0 {
		return keys[0]
	}
	return token
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
