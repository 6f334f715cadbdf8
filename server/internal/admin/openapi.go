package admin

import (
	_ "embed"
	"net/http"
)

// openAPI describes the endpoints in OpenAPI 3.1. Endpoints that a server leaves out are in
// it, too. OpenAI itself describes those of its API.
//
//go:embed openapi.json
var openAPI []byte

func describe(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(openAPI)
}
