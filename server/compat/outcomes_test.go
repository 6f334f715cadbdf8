package compat

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// notByOpenAIGo are specimens of which openai-go, which is right in what is expected, tells less than there is.
var notByOpenAIGo = map[string]string{
	"function-call":        "its accumulator has no function_call",
	"legacy-function-call": "its accumulator has no function_call",
	"kitchen-sink":         "its accumulator has no function_call",
	"half-a-custom-call":   "its accumulator has no calls of custom tools",
}

// The reader with which the check judges expectations, and openai-go, which shares no code with it, come to
// the same of each specimen of which CLIENTS.md does not say that openai-go comes to something else.
func TestTheReaderOfTheCheckAgreesWithOpenAIGo(t *testing.T) {
	t.Parallel()
	buildAdapters(t)
	specimens := readSpecimens(t)
	known := readCells(t, specimens)[0]
	var names []string
	for _, s := range specimens {
		if known[s.name] == "" && notByOpenAIGo[s.name] == "" && today(clients[0], s, "") {
			names = append(names, s.name)
		}
	}
	set := setOf(t, specimenFiles())
	compared := 0
	for name, came := range comeTo(t, clients[0], names) {
		s := set.Lookup(name)
		on := server.SurfaceOf(s)
		body, err := ojson.Parse([]byte(on.Example))
		if err != nil {
			t.Fatal(err)
		}
		body.Set("model", ojson.String("fake:"+name))
		if on.Tool != nil {
			body.Set("tools", ojson.Array(on.Tool("get_weather")))
		}
		read, err := server.Outcomes(set, on.Name, http.Header{"Accept-Encoding": {"gzip"}}, body.Append(nil), 1)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compared++
		among := read.Careful
		if s.ExpectedError() == scenarios.AnyError { // it is left to the client
			among = append(among, read.Others...)
		}
		if !slices.ContainsFunc(among, func(o scenarios.Outcome) bool { return asPrinted(o).Is(asPrinted(*came)) }) {
			t.Errorf("%s: openai-go comes to %s, and the reader to %s", name, text(came), text(read))
		}
	}
	t.Logf("%d of %d outcomes were compared", compared, len(names))
	if compared < len(names)*9/10 {
		t.Error("few outcomes were compared")
	}
}

// drawn matches the ids of calls that are drawn for each request.
var drawn = regexp.MustCompile(`^call_\w{24}$`)

// asPrinted is what adapters print of an outcome, without ids that are drawn.
func asPrinted(o scenarios.Outcome) *scenarios.Outcome {
	o.Choices, o.Calls = nil, slices.Clone(o.Calls)
	for i := range o.Calls {
		o.Calls[i].ID = drawn.ReplaceAllString(o.Calls[i].ID, "")
	}
	return &o
}

func setOf(t testing.TB, files []string) *scenarios.Set {
	t.Helper()
	var sources []yamlfile.Source
	for _, file := range files {
		src, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, yamlfile.Source{Name: file, Data: src})
	}
	set, problems := server.CheckFiles(sources...)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	return set
}

// comeTo asks a client for specimens. It returns what the client came to, of those for which it did in time.
func comeTo(t *testing.T, c client, names []string) map[string]*scenarios.Outcome {
	t.Helper()
	args := append([]string{"conform", "--format", "json", "--parallel", "8", "--only", strings.Join(names, ",")}, specimenFiles()...)
	out, err := exec.CommandContext(t.Context(), built+"/plain/fakeopenai", append(append(args, "--"), c.args()...)...).Output()
	var report struct {
		Results []struct {
			Specimen string `json:"case"`
			Outcome  *scenarios.Outcome
		}
	}
	if json.Unmarshal(out, &report) != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	came := map[string]*scenarios.Outcome{}
	for _, r := range report.Results {
		if r.Outcome != nil {
			came[r.Specimen] = r.Outcome
		}
	}
	return came
}
