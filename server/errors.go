package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// apiError is an error as this server answers with it: an error of the API, and
// what the header and the journal say about it.
type apiError struct {
	*apierror.Error
	header     http.Header
	problem    string // problem is what the journal says; if it is empty, the message is.
	unmatched  bool   // unmatched says that nothing here answers such a request.
	fault      bool   // fault says that the scenario or the server failed.
	badHistory bool   // badHistory says that the history which the request tells cannot be.
}

// reason is what the journal notes.
func (e *apiError) reason() string {
	if e.problem != "" {
		return e.problem
	}
	return e.Message
}

func unknownURL(r *http.Request) *apiError {
	if e := unplayed(r); e != nil {
		return e
	}
	path := r.URL.Path
	e := &apiError{unmatched: true, problem: fmt.Sprintf("no such URL: %s %s", r.Method, path)}
	switch {
	case isAzure(r):
		e.Error = apierror.AzureURL()
	case strings.HasPrefix(path, "/v1/") || path == "/v1":
		e.Error = apierror.InvalidURL(r.Method, path)
	default:
		e.Error = apierror.UnknownURL(r.Method, path)
	}
	if base := baseURL(r); base != "" {
		hint := "The base URL of this fake is " + base + "."
		e.Message = strings.TrimSuffix(e.Message, ".") + ". " + hint
		e.problem += ". " + hint
	}
	return e
}

func wrongMethod(allowed []string) *apiError {
	return &apiError{Error: apierror.WrongMethod(allowed), header: http.Header{"Allow": {strings.Join(allowed, ", ")}}}
}

func bodyTooLarge(limit int64) *apiError {
	e := refusal(http.StatusRequestEntityTooLarge, apierror.CodeBodyTooLarge,
		"The body of the request is larger than the "+strconv.FormatInt(limit, 10)+" bytes that this server accepts; start it with --max-body SIZE (in Go Config.MaxBody) to send more.")
	e.header = http.Header{"Connection": {"close"}}
	return e
}

func bodyTooSlow(limit time.Duration) *apiError {
	e := refusal(http.StatusRequestTimeout, apierror.CodeBodyTooSlow,
		"The body of the request was not complete after the "+limit.String()+" that this server waits for it; start it with --body-timeout DURATION (in Go Config.BodyTimeout) to let it wait longer.")
	e.header = http.Header{"Connection": {"close"}, "X-Should-Retry": {"false"}}
	return e
}

// refusal is an error of the request that api.openai.com does not know.
func refusal(status int, code, message string) *apiError {
	return &apiError{Error: apierror.Refusal(status, code, message)}
}

// failure is the answer where the server, or the scenario, fails at a request
// that could have been answered.
func failure(reason string) *apiError {
	e := ownFault(http.StatusInternalServerError, apierror.CodeInternal, reason)
	e.fault = true
	return e
}

// ownFault is an error of the server or of a scenario, not of the request. It
// asks clients not to try again, because the same would happen again.
func ownFault(status int, code, message string) *apiError {
	return &apiError{Error: apierror.Fault(status, code, message), header: http.Header{"X-Should-Retry": {"false"}}}
}
