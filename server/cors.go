package server

import "net/http"

// Values of header fields that are the same in all answers. They are shared: never change
// them.
var anyOrigin, exposedFields = []string{"*"}, []string{"X-Request-ID"}

// allowOrigin sets the header fields that let web pages of any origin read the answer, by the
// rules of the WHATWG Fetch standard. It answers a preflight request itself, and returns true.
func allowOrigin(w http.ResponseWriter, r *http.Request) bool {
	h := w.Header()
	h["Access-Control-Allow-Origin"], h["Access-Control-Expose-Headers"] = anyOrigin, exposedFields
	if r.Method != http.MethodOptions {
		return false
	}
	preflight(h, r)
	w.WriteHeader(http.StatusNoContent)
	return true
}

// preflight allows the methods of the API and the header fields that the page asks for. In
// place of these a wildcard would not do: for browsers it does not include Authorization.
func preflight(h http.Header, r *http.Request) {
	h.Del("Access-Control-Expose-Headers")
	h.Set("Access-Control-Allow-Methods", "GET, POST, DELETE, OPTIONS")
	h.Set("Access-Control-Max-Age", "86400")
	h.Add("Vary", "Access-Control-Request-Headers")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
}
