package server_test

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Each scenario of compat/specimens/defects.yaml has its defect in the bytes: testdata/defects.golden shows
// in which lines its stream differs from that of the scenario that it extends.
func TestEachDefectOfResponsesIsInTheBytes(t *testing.T) {
	t.Parallel()
	src, err := os.ReadFile("compat/specimens/defects.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list, problems := yamlfile.Parse("compat/specimens/defects.yaml", src)
	set, more := scenarios.Build(nil, list...)
	if err := append(problems, more...).Err(); err != nil {
		t.Fatal(err)
	}
	r := start(t, "", server.Config{Scenarios: set, Seed: 1, Created: 1790000000, Speed: server.Instant})
	var golden strings.Builder
	streams := map[string][]string{"": nil} // streams has the lines of each stream, by the name of its scenario.
	for i, s := range list {
		base := s.Extends
		if sound := strings.HasPrefix(s.Name, "sound-"); base == "" && !sound {
			base = list[0].Name
		}
		streams[s.Name] = r.streamOf(s.Name)
		defect := difference(streams[base], streams[s.Name])
		if defect == "" {
			t.Errorf("scenario %d, %s, is sent as %s is", i, s.Name, base)
		}
		fmt.Fprintf(&golden, "# %s: %s\n%s\n", s.Name, s.Description, defect)
	}
	testflag.Golden(t, "testdata/defects.golden", golden.String())
}

// perScenario are the parts of a stream that depend on the name of its scenario.
var perScenario = regexp.MustCompile(`[0-9a-f]{40,}|call_\w{24}|"obfuscation":"[^"]*",`)

// streamOf requests a scenario. It returns the content type, the members and lines of the body,
// and the error with which the body breaks off, if it does. An id is shown as a number.
func (r *running) streamOf(name string) []string {
	r.t.Helper()
	resp := r.respond(fmt.Sprintf(`{"model":"fake:%s","stream":true,"input":"Hello"}`, name))
	wantStatus(r.t, resp, 200)
	body, err := io.ReadAll(resp.Body)
	ids := map[string]string{}
	shown := perScenario.ReplaceAllStringFunc(string(body), func(s string) string {
		if strings.HasPrefix(s, `"obf`) {
			return ""
		}
		if ids[s] == "" {
			ids[s] = fmt.Sprint("id", len(ids)+1)
		}
		return ids[s]
	})
	all := resp.Header.Get("Content-Type") + "\n" + strings.ReplaceAll(visible(shown), ",", ",\n")
	if err != nil {
		all += "[" + err.Error() + "]\n"
	}
	return strings.SplitAfter(all, "\n")
}

// difference returns the lines that must be taken from a list and be added to make it the other,
// each with its number there.
func difference(from, to []string) string {
	common := make([][]int, len(from)+1) // common[i][j] is how many lines from[i:] and to[j:] can have in common.
	common[len(from)] = make([]int, len(to)+1)
	for i := len(from) - 1; i >= 0; i-- {
		common[i] = make([]int, len(to)+1)
		for j := len(to) - 1; j >= 0; j-- {
			if common[i][j] = max(common[i+1][j], common[i][j+1]); from[i] == to[j] {
				common[i][j] = common[i+1][j+1] + 1
			}
		}
	}
	var b strings.Builder
	for i, j := 0, 0; i < len(from) || j < len(to); {
		switch {
		case i < len(from) && j < len(to) && from[i] == to[j]:
			i, j = i+1, j+1
		case j == len(to) || i < len(from) && common[i+1][j] >= common[i][j+1]:
			fmt.Fprintf(&b, "%d - %s", i, from[i])
			i++
		default:
			fmt.Fprintf(&b, "%d + %s", j, to[j])
			j++
		}
	}
	return b.String()
}
