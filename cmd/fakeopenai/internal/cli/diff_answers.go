package cli

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/server"
)

// The kinds of differences.
const (
	kindHTTP    = "http"    // kindHTTP is a difference in the status or the headers.
	kindOrder   = "order"   // kindOrder is one in the sequence of the kinds of events.
	kindLayout  = "layout"  // kindLayout is one in the members of the events' JSON.
	kindValue   = "value"   // kindValue is one in values that are names of the protocol, such as a finish_reason.
	kindFraming = "framing" // kindFraming is one in how events are written as lines.
	kindEnding  = "ending"  // kindEnding is one in how the body ends.
	kindText    = "text"    // kindText is one in the content of the answer.
)

// comparePlans returns the differences of answer b from answer a.
func comparePlans(a, b server.Plan, o diffOptions) []difference {
	c := comparison{}
	c.http(a, b)
	one, other := readAnswer(a), readAnswer(b)
	c.order(one, other)
	c.layout(one, other)
	c.framing(one, other)
	c.changed(kindEnding, "end of the body", endName(a.End), endName(b.End))
	if o.text {
		c.texts(one, other)
	}
	return c.found
}

type comparison struct{ found []difference }

func (c *comparison) add(kind, where, format string, args ...any) {
	c.found = append(c.found, difference{Kind: kind, Where: where, What: fmt.Sprintf(format, args...)})
}

// addIn adds a difference in the JSON of a kind of events. If other kinds already have
// the same difference, it adds the kind to that one.
func (c *comparison) addIn(event, place, kind, what string) {
	at := slices.IndexFunc(c.found, func(d difference) bool { return d.Kind == kind && d.place == place && d.What == what })
	if at < 0 {
		c.found = append(c.found, difference{Kind: kind, Where: event + place, What: what, place: place})
		return
	}
	d := &c.found[at]
	d.Where = strings.TrimSuffix(d.Where, place) + ", " + event + place
}

// changed adds a difference if the two values differ, and shows both.
func (c *comparison) changed(kind, where, a, b string) {
	if a != b {
		c.add(kind, where, "is %s, was %s", b, a)
	}
}

func endName(end string) string {
	if end == "" {
		return "in order"
	}
	return end
}

func (c *comparison) http(a, b server.Plan) {
	c.changed(kindHTTP, "status", fmt.Sprint(a.Status), fmt.Sprint(b.Status))
	var names []string
	for _, header := range []http.Header{a.Header, b.Header} {
		for name := range header {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		was, is := strings.Join(a.Header.Values(name), ", "), strings.Join(b.Header.Values(name), ", ")
		switch {
		case was == is:
		case len(a.Header.Values(name)) == 0:
			c.add(kindHTTP, name, "appeared")
		case len(b.Header.Values(name)) == 0:
			c.add(kindHTTP, name, "vanished")
		case !isVolatile(name):
			c.changed(kindHTTP, name, fmt.Sprintf("%q", was), fmt.Sprintf("%q", is))
		}
	}
}

// isVolatile reports whether the value of a header field varies with each answer or
// account.
func isVolatile(name string) bool {
	lower := strings.ToLower(name)
	switch lower {
	case "date", "age", "set-cookie", "content-length", "etag", "cf-ray", "openai-organization", "openai-project",
		"openai-processing-ms", "server-timing", "x-envoy-upstream-service-time", "traceparent", "retry-after", "retry-after-ms":
		return true
	}
	return strings.HasPrefix(lower, "x-ratelimit-") || strings.HasSuffix(lower, "request-id") || strings.HasSuffix(lower, "trace-id")
}
