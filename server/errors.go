package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
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

// unknownURL is the 404 for a URL without an endpoint. For one that OpenAI has and this server does
// not play, OpenAI's text would make people look for typos. Unless strict, the text tells the base URL to a
// client whose path ends like that of an endpoint.
func unknownURL(r *http.Request, strict bool) *apiError {
	path, shown, ends := r.URL.Path, shownPath(r), []string{"/models"}
	var plays, others []string
	for _, on := range answer.All() {
		info := on.Info()
		ends = append(ends, info.Path)
		how := "POST "
		if info.OverWebSocket {
			how = "sessions at "
		}
		plays = append(plays, how+"/v1"+info.Path)
		if info.Unplayed != "" {
			others = append(others, info.Unplayed)
		}
	}
	if request.IsUnplayed(path, others...) {
		message := fmt.Sprintf("This fake does not play %s %s by itself, although OpenAI has it. It plays %s and GET /v1/models, and other paths as scenarios say.",
			r.Method, shown, strings.Join(plays, ", "))
		e := refusal(http.StatusNotFound, apierror.CodeNotPlayed, message+howToWrite(r))
		e.unmatched = true
		return e
	}
	e := &apiError{unmatched: true, problem: fmt.Sprintf("no such URL: %s %s", r.Method, shown)}
	switch {
	case request.IsAzure(r):
		e.Error = apierror.AzureURL()
	case strings.HasPrefix(path, "/v1/") || path == "/v1":
		e.Error = apierror.InvalidURL(r.Method, path)
	default:
		e.Error = apierror.UnknownURL(r.Method, path)
	}
	if base := request.BaseURL(r, ends); base != "" {
		hint := "The base URL of this fake is " + base + "."
		if !strict {
			e.Message = strings.TrimSuffix(e.Message, ".") + ". " + hint
		}
		e.problem += ". " + hint
	}
	return e
}

func shownPath(r *http.Request) string {
	return secret.Of(r.Header, r.URL.RequestURI(), request.APIKey(r.Header)).Path(r.URL.Path)
}

// howToWrite is the sentence with a scenario for the path of a request, which can be pasted; "" if it would show a secret.
func howToWrite(r *http.Request) string {
	if shownPath(r) != r.URL.Path {
		return ""
	}
	path := r.URL.EscapedPath()
	name := strings.FieldsFunc(strings.ToLower(r.Method)+path, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) })
	return fmt.Sprintf(" A scenario for it is { name: %s, when: { path: '%s', method: %s }, wire: { body: { id: example } } }",
		strings.Join(name, "-"), strings.ReplaceAll(scenarios.PathPattern(path), "'", "''"), r.Method)
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
