package yamlfile

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// wireOfEvents are the keys of wire that only a stream of events has a use for.
var wireOfEvents = []string{
	"newline", "bom", "space", "coalesce", "multiline_data", "comments_between", "event_name", "ids", "unknown_id", "retry",
	"final_blank", "final_newline", "done", "after_done", "format",
}

// refuseUnused reports the keys of a reply, or of a scenario with an answer of its own, that
// have no effect: keys about chunks and events beside an error or beside wire.body.
func refuseUnused(d *table.Decoder, m table.Members) (ok bool) {
	wire := node.Members(valueOf(m.Node, "wire"))
	body := slices.ContainsFunc(wire, func(p node.Pair) bool { return p.Name == "body" })
	switch {
	case m.Key("error") != nil:
		ok = d.Refuse(m, "pace", "leave it out: an error is sent at once; wire: { header_delay: 2s } delays it")
		ok = d.Refuse(m, "envelope", "leave it out: an error has no envelope; extra, set and omit in error change the error object") && ok
		return refuseEach(d, wire, besideError) && ok
	case body:
		ok = d.Refuse(m, "pace", "leave it out: the body is sent at once; wire: { header_delay: 2s } delays it, wire: { drip: 100 } slows it down")
		ok = d.Refuse(m, "envelope", "leave it out: the body of wire is sent as it is") && ok
		return refuseEach(d, wire, besideBody) && ok
	}
	return true
}

// besideError returns why a key of wire has no effect beside an error; "" if it has one.
func besideError(p node.Pair) string {
	switch {
	case p.Name == "status":
		return "write the status in the error: error: { status: " + p.Value.Value + " }"
	case p.Name == "body":
		return "write the body in the error: error: { body: … }"
	case p.Name == "on_shutdown" || slices.Contains(wireOfEvents, p.Name):
		return "leave it out: it is about the events of a stream, and an error has none"
	}
	return ""
}

// besideBody returns why a key of wire has no effect beside body; "" if it has one.
func besideBody(p node.Pair) string {
	if p.Name == "json_style" || slices.Contains(wireOfEvents, p.Name) {
		return "leave it out: the body is sent as it is"
	}
	return ""
}

// refuseEach reports the keys for which reason is not "".
func refuseEach(d *table.Decoder, pairs []node.Pair, reason func(node.Pair) string) (ok bool) {
	ok = true
	for _, p := range pairs {
		if why := reason(p); why != "" {
			d.Report(p.Key, why, "%s has no meaning here", p.Name)
			ok = false
		}
	}
	return ok
}

// headerSaidTwice reports a header field under headers that another key of the same mapping
// sets, too: retry_after sets Retry-After.
func headerSaidTwice(d *table.Decoder, m table.Members, key, field string) (ok bool) {
	if m.Key(key) == nil {
		return true
	}
	for _, p := range node.Members(valueOf(m.Node, "headers")) {
		if strings.EqualFold(p.Name, field) {
			d.Report(p.Key, "leave one of them out", "%s and the header %s exclude each other", key, p.Name)
			return false
		}
	}
	return true
}

// headersSpelledTwice reports header fields whose names differ only in case. They are the same
// field in HTTP.
func headersSpelledTwice(d *table.Decoder, n *yaml.Node) (ok bool) {
	pairs := node.Members(n)
	for i, p := range pairs {
		for _, earlier := range pairs[:i] {
			if strings.EqualFold(p.Name, earlier.Name) {
				d.Report(p.Key, "to send it several times, write a list of texts there", "the header %s is already set at line %d", p.Name, earlier.Key.Line)
				return false
			}
		}
	}
	return true
}
