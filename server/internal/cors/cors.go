// Package cors lets web pages use an API of another origin, by the rules of the
// WHATWG Fetch standard.
package cors

import "net/http"

// The values of fields that all answers have. Nobody changes them.
var anyOrigin, exposed = []string{"*"}, []string{"X-Request-ID"}

// Allow lets web pages of any origin ask a handler, but for what is not for them.
func Allow(next http.HandlerFunc, notFor func(*http.Request) bool) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if notFor(r) || !allow(w, r) {
			next(w, r)
		}
	}
}

// allow allows an answer to be read by other origins. True says that it was all that the
// request asked for.
func allow(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = anyOrigin, exposed
	if r.Method != http.MethodOptions {
		return false
	}
	preflight(h, r)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// preflight allows what the page asks for. A wildcard would not do for the
// headers: browsers do not count Authorization in.
func preflight(h http.Header, r *http.Request) {
	h.Del("Access-Control-Expose-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Max-Age", "86400")
	h.Add("Vary", "Access-Control-Request-Headers")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
}
