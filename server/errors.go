package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// apiError is an error answer: an error of the API, and what the header and the journal say
// about it.
type apiError struct {
	*apierror.Error
	header     http.Header
	problem    string // problem is the text for the journal; if it is empty, the journal gets the message.
	unmatched  bool   // unmatched says that no scenario or URL of the server fits the request.
	fault      bool   // fault says that the scenario or the server failed.
	badHistory bool   // badHistory says that the messages of the request contradict each other.
}

// reason is the text for the journal.
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

// refusal is an error of this server that api.openai.com does not have.
func refusal(status int, code, message string) *apiError {
	return &apiError{Error: apierror.Refusal(status, code, message)}
}

// failure is the 500 for a request at which the server or the scenario failed.
func failure(reason string) *apiError {
	e := ownFault(http.StatusInternalServerError, apierror.CodeInternal, reason)
	e.fault = true
	return e
}

// ownFault is an error of the server or of a scenario, not of the request. Its header tells
// clients not to retry, because a retry would fail, too.
func ownFault(status int, code, message string) *apiError {
	return &apiError{Error: apierror.Fault(status, code, message), header: http.Header{"X-Should-Retry": {"false"}}}
}
