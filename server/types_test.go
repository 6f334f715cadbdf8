package server_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The tables have the names that OpenAI's npm package has in its types. testdata/openai.json has those of the version that
// server/compat pins (see types.mjs there), and testdata/types.txt what may differ, with a reason each.
func TestTypesOfOpenAI(t *testing.T) {
	t.Parallel()
	var sdk map[string]map[string][]string
	src, err := os.ReadFile("testdata/openai.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(src, &sdk); err != nil {
		t.Fatal(err)
	}
	d := &differences{t: t, compared: map[string]bool{}}
	for _, on := range answer.All() {
		for name, table := range on.(interface{ Tables() map[string]any }).Tables() {
			list := on.Info().Name + " " + name
			theirs := d.of(sdk, list)
			if check, ok := table.(request.ValueCheck); ok {
				d.check(list, theirs, check)
				continue
			}
			for path, names := range table.(map[string][]string) {
				d.names(list, path, names, theirs[path])
			}
		}
	}
	d.models(d.of(sdk, "models")[""])
	d.paths(d.of(sdk, "paths")[""])
	for list := range sdk {
		if !d.compared[list] {
			t.Errorf("nothing is compared with the list %q of testdata/openai.json", list)
		}
	}
	d.report()
}

// differences are lines such as "chat request: tools[]<function> lacks async".
type differences struct {
	t        *testing.T
	compared map[string]bool // compared has the lists that the tables were compared with.
	lines    []string
}

func (d *differences) of(sdk map[string]map[string][]string, list string) map[string][]string {
	d.compared[list] = true
	if sdk[list] == nil {
		d.t.Errorf("testdata/openai.json has no list %q", list)
	}
	return sdk[list]
}

// names compares a list of the tables with that of the types.
func (d *differences) names(list, path string, ours, theirs []string) {
	for _, name := range theirs {
		if !slices.Contains(ours, name) {
			d.lines = append(d.lines, strings.Join(strings.Fields(list+": "+path+" lacks "+name), " "))
		}
	}
	for _, name := range ours {
		if !slices.Contains(theirs, name) {
			d.lines = append(d.lines, strings.Join(strings.Fields(list+": "+path+" has "+name), " "))
		}
	}
}

var (
	quoted = regexp.MustCompile(`'([^']*)'`)
	kinds  = regexp.MustCompile(`<[^>]*>`)
)

// check asks a check for the members of each object, the kinds of objects, and the values of texts. A check that takes
// anything at a place has no table there.
func (d *differences) check(list string, sdk map[string][]string, check request.ValueCheck) {
	for path, theirs := range sdk {
		place, isText := strings.CutSuffix(path, "=")
		place, isKind := strings.CutSuffix(place, "<>")
		leaf := ojson.Object()
		if isText {
			leaf = ojson.String("?")
		}
		at := strings.TrimPrefix(strings.ReplaceAll(kinds.ReplaceAllString(place, ""), "[]", "[0]"), ".")
		for _, role := range []string{"", "assistant", "user"} {
			members, wrong := request.Probe(check, valueAt(strings.Split(place, "."), leaf, role, isKind))
			if ours := members[at]; ours != nil && !isText && !isKind {
				d.names(list, path, ours, theirs)
				break
			}
			if values := valuesIn(wrong, at); values != nil && (isText || isKind) {
				d.names(list, path, values, theirs)
				break
			}
		}
	}
}

// valueAt is a value with nothing but a place in it, such as tools[]<function>.name, and the members that tell kinds apart.
// A message has a role.
func valueAt(place []string, v ojson.Value, role string, unknown bool) ojson.Value {
	last := len(place) - 1
	name, kind, isKind := strings.Cut(strings.TrimSuffix(place[last], ">"), "<")
	name, isList := strings.CutSuffix(name, "[]")
	if v.Kind() == ojson.ObjectKind && (isKind || unknown) {
		v = v.Clone()
		v.Set("type", ojson.String(kind))
		v.Set("role", ojson.String(kind))
		if kind == "message" && role != "" {
			v.Set("role", ojson.String(role))
		}
	}
	if isList {
		v = ojson.Array(v)
	}
	if name != "" {
		v = ojson.Object(ojson.M(name, v))
	}
	if last == 0 {
		return v
	}
	return valueAt(place[:last], v, role, false)
}

// valuesIn are the values that a check names which takes none other at a place.
func valuesIn(wrong []*request.Error, at string) (values []string) {
	for _, err := range wrong {
		if _, list, ok := strings.Cut(err.Message, "Supported values are: "); ok && slices.Contains([]string{at, at + ".type", at + ".role"}, err.Param) {
			for _, m := range quoted.FindAllStringSubmatch(list, -1) {
				values = append(values, m[1])
			}
			return values
		}
	}
	return nil
}

// models compares the models: every name is one of OpenAI's for us, and those that we list are in the types.
func (d *differences) models(theirs []string) {
	var ours []string
	for _, name := range theirs {
		if surface.IsKnownModel(name) {
			ours = append(ours, name)
		}
	}
	for _, m := range surface.ListedModels() {
		ours = append(ours, m.ID)
	}
	d.names("models", "", ours, theirs)
}

// paths asks for every path of the package: each is played, or is known as one of OpenAI's. What we play, and know, is in the package.
func (d *differences) paths(theirs []string) {
	r := start(d.t, hello, server.Config{})
	var ours []string
	for _, endpoint := range theirs {
		method, path, _ := strings.Cut(endpoint, " ")
		resp := r.do(method, "/v1"+strings.ReplaceAll(path, "{}", "x_1"), "{}")
		if answer := text(d.t, resp); !strings.Contains(answer, "Invalid URL") && resp.StatusCode != http.StatusMethodNotAllowed {
			ours = append(ours, endpoint)
		}
	}
	var list struct {
		Endpoints []struct{ Method, Path string }
	}
	if err := json.Unmarshal([]byte(r.ask(http.MethodGet, "/_fake/", "", http.StatusOK)), &list); err != nil {
		d.t.Fatal(err)
	}
	for _, e := range list.Endpoints {
		if path, ok := strings.CutPrefix(e.Path, "/v1"); ok {
			ours = append(ours, e.Method+" "+regexp.MustCompile(`\{[^}]*\}`).ReplaceAllString(path, "{}"))
		}
	}
	d.names("paths", "", ours, theirs)
	for _, path := range request.Unplayed {
		if !slices.ContainsFunc(theirs, func(e string) bool { return strings.Contains(e+"/", " /"+path+"/") }) {
			d.lines = append(d.lines, "paths: has "+path)
		}
	}
}

// report reports the differences that testdata/types.txt does not except, and the exceptions that except nothing.
func (d *differences) report() {
	src, err := os.ReadFile("testdata/types.txt")
	if err != nil {
		d.t.Fatal(err)
	}
	excepted := map[string]bool{}
	for line := range strings.Lines(string(src)) {
		except, reason, ok := strings.Cut(strings.TrimSpace(line), " # ")
		if except == "" || strings.HasPrefix(except, "#") {
			continue
		}
		pattern := regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(strings.TrimSpace(except)), `\*`, ".*") + "$")
		hits := 0
		for _, line := range d.lines {
			if pattern.MatchString(line) {
				hits, excepted[line] = hits+1, true
			}
		}
		if hits == 0 || !ok || reason == "" {
			d.t.Errorf("testdata/types.txt: %q excepts %d differences, for the reason %q: take it out, or give a reason", except, hits, reason)
		}
	}
	lines := map[string]bool{}
	for _, line := range d.lines {
		if !excepted[line] {
			lines[line] = true
		}
	}
	for _, line := range slices.Sorted(maps.Keys(lines)) {
		d.t.Error(line)
	}
}
