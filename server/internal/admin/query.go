package admin

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// The query parameters of the endpoints below /_fake/.
const (
	apiKeyParameter  = "api_key" // apiKeyParameter limits a call to what belongs to one API key.
	timeoutParameter = "timeout" // timeoutParameter is how long a call waits.
	countParameter   = "count"   // countParameter is the number of requests or calls to wait for.
	outcomeParameter = "outcome" // outcomeParameter is the outcome of the calls to wait for.
	forParameter     = "for"     // forParameter is how long a server is down.
	withParameter    = "with"    // withParameter is the number of a request to compare with.
	textParameter    = "text"    // textParameter is a text to look for.
	requestParameter = "request" // requestParameter is the number of the request for which scenarios are tried.
)

// The query parameters that select entries of the journal: see [journal.Filter].
const (
	pathParameter     = "path"
	statusParameter   = "status"
	scenarioParameter = "scenario"
	modelParameter    = "model"
	keyParameter      = "key"
	sinceParameter    = "since" // sinceParameter is a time, or how long ago it was.
)

func filterIn(r *http.Request) (journal.Filter, *apierror.Error) {
	q := r.URL.Query()
	f := journal.Filter{
		Path: q.Get(pathParameter), Scenario: q.Get(scenarioParameter), Model: q.Get(modelParameter), Key: q.Get(keyParameter),
		Status: strings.ReplaceAll(q.Get(statusParameter), "x", "?"),
	}
	if strings.Trim(f.Status, "0123456789?*") != "" {
		return f, badQuery("status is %q, it must be a status such as 429, or a class of them such as 5xx", q.Get(statusParameter))
	}
	text := q.Get(sinceParameter)
	if text == "" {
		return f, nil
	}
	ago, err := time.ParseDuration(text)
	if err == nil && ago >= 0 {
		f.Since = time.Now().Add(-ago)
	} else if f.Since, err = time.Parse(time.RFC3339, text); err != nil {
		return f, badQuery("since is %q, it must be a time such as 2030-01-31T12:00:00Z, with + written as %%2B, or how long ago that was, such as 30s", text)
	}
	return f, nil
}

// keyAskedFor returns the API key of the query; "" stands for all keys.
func keyAskedFor(r *http.Request) string { return r.URL.Query().Get(apiKeyParameter) }

// durationIn returns the duration that a parameter of the query has; without the parameter it is
// absent.
func durationIn(r *http.Request, parameter string, absent time.Duration) (time.Duration, error) {
	if text := r.URL.Query().Get(parameter); text != "" {
		return time.ParseDuration(text)
	}
	return absent, nil
}

// knowing wraps an endpoint so that it refuses unknown query parameters. Without the check,
// a misspelled api_key would let DELETE requests empty the journal of all keys.
func knowing(known []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if problem := wrongQuery(r, known); problem != "" {
			writeError(w, badQuery("%s", problem))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// wrongQuery says what is wrong with the query of a request; "" if nothing is.
func wrongQuery(r *http.Request, known []string) string {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fmt.Sprintf("The query %q cannot be read: %v", r.URL.RawQuery, err)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		switch {
		case !slices.Contains(known, name):
			return unknownParameter(r, name, known)
		case len(values) > 1:
			return fmt.Sprintf("The query has %s %d times; give it once.", name, len(values))
		case values[0] == "":
			return fmt.Sprintf("The query has %s without a value; leave it out or give it one.", name)
		}
	}
	return ""
}

func unknownParameter(r *http.Request, name string, known []string) string {
	takes := "none"
	if len(known) > 0 {
		takes = strings.Join(known, ", ")
	}
	hint := ""
	if near := diag.Nearest(name, known); near != "" {
		hint = fmt.Sprintf(" Did you mean %q?", near)
	}
	return fmt.Sprintf("There is no query parameter %q here.%s %s %s takes: %s.", name, hint, r.Method, r.URL.Path, takes)
}
