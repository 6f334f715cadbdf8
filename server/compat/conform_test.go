package compat

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	update = flag.Bool("update", false, "ask each client for all specimens, and write clients.json and CLIENTS.md")
	only   = flag.String("only", "", "with -update, the `pattern` of the specimens to ask for; what is known of others stays")
	whom   = flag.String("client", "", "with -update, the `pattern` of the clients to ask; what is known of others stays")
	all    = flag.Bool("all", false, "ask each client for all specimens, and behind each balancer, not for a part of them")
)

// client is a client with an adapter. Its version is that of a module in go.mod, or of a package in
// node/package.json.
type client struct {
	name, module string
	adapter      string // adapter is the command, from this folder; of "go NAME" it is the program adapters/go.
	newer        string // newer is the column of the newest version, if this is an old one that people still run.
}

var clients = []client{
	{name: "openai-go", module: "github.com/openai/openai-go/v3", adapter: "go openai-go"},
	{name: "openai-go unstreamed", module: "github.com/openai/openai-go/v3", adapter: "go openai-go-unstreamed"},
	{name: "go-openai", module: "github.com/sashabaranov/go-openai", adapter: "go go-openai"},
	{name: "azopenai", module: "github.com/Azure/azure-sdk-for-go/sdk/ai/azopenai", adapter: "go azopenai"},
	{name: "langchaingo", module: "github.com/tmc/langchaingo", adapter: "go langchaingo"},
	{name: "genkit", module: "github.com/firebase/genkit/go", adapter: "go genkit"},
	{name: "any-llm-go", module: "github.com/mozilla-ai/any-llm-go", adapter: "go any-llm-go"},
	{name: "openai stream()", module: "openai", adapter: "node node/adapter.mjs"},
	{name: "openai for await", module: "openai", adapter: "node node/adapters.mjs openai"},
	{name: "openai 4 for await", module: "openai4", adapter: "node node/adapters.mjs openai-4", newer: "openai for await"},
	{name: "ai", module: "@ai-sdk/openai", adapter: "node node/adapters.mjs ai"},
	{name: "ai compatible", module: "@ai-sdk/openai-compatible", adapter: "node node/adapters.mjs ai-compatible"},
	{name: "langchain", module: "@langchain/openai", adapter: "node node/adapters.mjs langchain"},
	{name: "agents", module: "@openai/agents", adapter: "node node/adapters.mjs agents"},
	{name: "huggingface", module: "@huggingface/inference", adapter: "node node/adapters.mjs huggingface"},
	{name: "xsai", module: "@xsai/stream-text", adapter: "node node/adapters.mjs xsai"},
}

// atATime is how many clients are asked at a time.
const atATime = 3

// conformity is a line of conform --format json.
type conformity struct {
	Specimen        string `json:"case"`
	Verdict, Detail string
}

// parts is how many days it takes until each cell has been asked for.
const parts = 16

// today reports whether a cell is asked for today. Those that are not ok are asked for every other day,
// but for those of dialects and those that take until a time limit.
func today(c client, s specimen, known string) bool {
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(c.name + " " + s.name))
	switch {
	case *update:
		return regexp.MustCompile(*only).MatchString(s.name) && regexp.MustCompile(*whom).MatchString(c.name)
	case *all, hash.Sum32()%parts == day()%parts:
		return true
	}
	return hash.Sum32()%2 == day()%2 && known != "" && known != "hang" && known != "skipped" && !strings.Contains(s.file, "/dialects/")
}

// day is the number of the day, by which tests choose what they leave to other days.
func day() uint32 { return uint32(time.Now().Unix() / (24 * 60 * 60)) }

// Each client comes to what clients.json says, and CLIENTS.md shows it.
func TestClientsMakeOfTheSpecimensWhatThePageSays(t *testing.T) {
	t.Parallel()
	requireNode(t)
	buildAdapters(t)
	specimens := readSpecimens(t)
	known := readCells(t, specimens)
	cells := make([]map[string]string, len(clients))
	var asking sync.WaitGroup
	free := make(chan struct{}, atATime)
	for i, c := range clients {
		asking.Go(func() {
			free <- struct{}{}
			cells[i] = askAll(t, c, specimens, known[i])
			<-free
		})
	}
	asking.Wait()
	if t.Failed() {
		return
	}
	if *update {
		for i := range clients {
			maps.Copy(known[i], cells[i])
		}
		writeFile(t, "clients.json", cellsFile(specimens, known))
		writeFile(t, "CLIENTS.md", clientsPage(t, specimens, known))
		return
	}
	asked, slow := 0, 0
	for i, c := range clients {
		for name, came := range cells[i] {
			asked++
			switch {
			case agrees(came, known[i][name]):
			case timeOut.MatchString(came):
				slow++
				t.Logf("%s was too slow on this machine: %s", c.name, c.command(specimens, name))
			default:
				t.Errorf("%s came to %q, not %q (with -update the test writes it anew):\n%s", c.name, came, known[i][name], c.command(specimens, name))
			}
		}
	}
	t.Logf("%d of %d cells were asked for", asked, len(clients)*len(specimens))
	if asked < len(clients) || slow > asked/10 {
		t.Errorf("%d cells were asked for, and %d were too slow; want some for each client, and few too slow", asked, slow)
	}
}

// timeOut matches what a client comes to that is too slow, on a busy machine or by itself.
var timeOut = regexp.MustCompile("(?i)^hang|time.?out|timed out")

// askAll asks a client for the specimens of today. What came out otherwise than is known is asked for
// once more, alone: where the machine is busy, a client can be too slow.
func askAll(t *testing.T, c client, specimens []specimen, known map[string]string) map[string]string {
	var names, again []string
	for _, s := range specimens {
		if today(c, s, known[s.name]) {
			names = append(names, s.name)
		}
	}
	cells := conform(t, c, specimenFiles(), names, "2") // more would start more processes of Node than two cores can run
	if cells == nil {
		return nil
	}
	for _, name := range names {
		if !agrees(cells[name], known[name]) {
			again = append(again, name)
		}
	}
	for name, came := range conform(t, c, specimenFiles(), again, "1") {
		cells[name] = came
	}
	return cells
}

// agrees reports whether a client came to what is known. The words of an error may be others.
func agrees(came, known string) bool {
	verdict, _, _ := strings.Cut(came, ": ")
	of, _, _ := strings.Cut(known, ": ")
	return came == known || verdict == "error" && of == "error"
}

// conform asks a client for specimens in files, with some adapters at a time. It returns what the client came to
// where that is not ok, and "" where it is.
func conform(t *testing.T, c client, files, names []string, parallel string) map[string]string {
	if len(names) == 0 {
		return nil
	}
	args := append([]string{"conform", "--format", "json", "--parallel", parallel, "--only", strings.Join(names, ",")}, files...)
	cmd := exec.CommandContext(t.Context(), built+"/plain/fakeopenai", append(append(args, "--"), c.args()...)...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Errorf("%s: %v\n%s", c.name, err, &stderr)
		return nil
	}
	var report struct{ Results []conformity }
	if err := json.Unmarshal(out, &report); err != nil {
		t.Error(err)
	}
	cells := map[string]string{}
	for _, r := range report.Results {
		cells[r.Specimen] = inShort(r)
	}
	return cells
}

// inShort is the verdict, and for what a client came to the detail.
func inShort(r conformity) string {
	switch r.Verdict {
	case "ok":
		return ""
	case "wrong", "call":
		return r.Verdict + ": " + briefly(r.Detail)
	case "error":
		return r.Verdict + ": " + briefly(strings.TrimPrefix(r.Detail, "it ends in an error: "))
	}
	return r.Verdict
}

// args are the adapter and its arguments.
func (c client) args() []string {
	args := strings.Fields(c.adapter)
	if args[0] == "go" {
		args[0] = adaptersPath("go")
	}
	return args
}

// The page of conform shows adapters, or leads to them. They are as it shows them, and they work.
func TestThePageOfConformShowsTheAdapters(t *testing.T) {
	t.Parallel()
	requireNode(t)
	buildAdapters(t)
	page, err := os.ReadFile("../../cmd/conform.md")
	if err != nil {
		t.Fatal(err)
	}
	for file, adapter := range map[string][]string{
		"adapters/openai-go/main.go": {adaptersPath("openai-go")},
		"node/adapter.mjs":           {"node", "node/adapter.mjs"},
		"adapters/sse.py":            {"python3", "adapters/sse.py"},
	} {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(page, source) && !bytes.Contains(page, []byte("../server/compat/"+file)) {
			t.Errorf("cmd/conform.md neither shows %s nor leads to it", file)
		}
		args := append([]string{"conform", "--only", "plain-text,parallel-tools-interleaved,refusal-deltas,cut-mid-json", "--"}, adapter...)
		if out, err := exec.CommandContext(t.Context(), built+"/plain/fakeopenai", args...).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", file, err, out)
		}
	}
}

// command is the command that shows a cell.
func (c client) command(specimens []specimen, name string) string {
	file := specimens[slices.IndexFunc(specimens, func(s specimen) bool { return s.name == name })].file
	return "fakeopenai conform --only " + name + " " + file + " -- " + strings.Join(c.args(), " ")
}
