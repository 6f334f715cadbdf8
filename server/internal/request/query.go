package request

import (
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// inQuery are the body members that a query can hold, in the order of the body. The
// value of a text is the text itself, others are JSON.
var inQuery = []struct {
	name string
	text bool
}{
	{"model", true}, {"messages", false}, {"prompt", true}, {"stream", false}, {"stream_options", false},
	{"n", false}, {"tools", false}, {"user", true},
}

// FromQuery makes a body from a query, for clients that can only GET, such as a
// browser's EventSource. The answer streams unless the query says otherwise. The error
// is an [*Error].
func FromQuery(query string) ([]byte, error) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return nil, Bad("", "", "The query of the request cannot be read: %v.", err)
	}
	if err := checkNames(values); err != nil {
		return nil, err
	}
	body := ojson.Object(ojson.M("stream", ojson.Bool(true)))
	for _, m := range inQuery {
		given, ok := values[m.name]
		switch {
		case !ok:
			continue
		case len(given) > 1:
			return nil, Bad(m.name, "", "The query of the request has '%s' %d times.", m.name, len(given))
		case m.text:
			body.Set(m.name, ojson.String(given[0]))
			continue
		}
		value, err := parseJSON([]byte(given[0]))
		if err != nil {
			return nil, Bad(m.name, "", "The value of '%s' in the query of the request %v.", m.name, err)
		}
		body.Set(m.name, value)
	}
	return []byte(body.String()), nil
}

// checkNames reports an unknown parameter. Azure's api-version is allowed, because its
// clients send it with every request.
func checkNames(values url.Values) error {
	var known []string
	for _, m := range inQuery {
		known = append(known, m.name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if name == "api-version" || slices.Contains(known, name) {
			continue
		}
		return Bad(name, "unknown_parameter", "Unknown parameter: '%s' in the query of the request. It can have %s.", name, strings.Join(known, ", "))
	}
	return nil
}
