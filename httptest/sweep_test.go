package fakeopenai_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

const story = `
name: story
envelope: { layout: minimal }
message: { content: 'Grüße aus 北京, 😀!', by: { size: 4 } }
`

const storyText = "Grüße aus 北京, 😀!"

// open requests the story, and returns the body of the answer.
func open(t *testing.T, fake *fakeopenai.Server) io.ReadCloser {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fake.BaseURL+"/chat/completions",
		strings.NewReader(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"A story!"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := fake.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp.Body
}

// chunk is the part of a chunk that both clients read.
type chunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason *string `json:"finish_reason"`
	} `json:"choices"`
}

// naive reads a stream as many programs do: with a Scanner, everything after "data: ", without
// checking how the stream ended.
func naive(body io.Reader) (string, error) {
	var text strings.Builder
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok || data == "[DONE]" {
			continue
		}
		var c chunk
		if json.Unmarshal([]byte(data), &c) == nil && len(c.Choices) > 0 {
			text.WriteString(c.Choices[0].Delta.Content)
		}
	}
	return text.String(), nil
}

// careful reads a stream as the standard says, and fails if the stream has no finish_reason.
func careful(body io.Reader) (string, error) {
	all, err := io.ReadAll(body)
	if err != nil {
		return "", err
	}
	all = bytes.TrimPrefix(all, []byte("\ufeff"))
	all = regexp.MustCompile(`\r\n|\r`).ReplaceAll(all, []byte("\n"))
	text, finished := "", false
	events := strings.Split(string(all), "\n\n")
	for _, event := range events[:len(events)-1] {
		var data []string
		for line := range strings.SplitSeq(event, "\n") {
			if value, ok := strings.CutPrefix(line, "data:"); ok {
				data = append(data, strings.TrimPrefix(value, " "))
			}
		}
		if len(data) == 0 || data[0] == "[DONE]" {
			continue
		}
		var c chunk
		if err := json.Unmarshal([]byte(strings.Join(data, "\n")), &c); err != nil {
			return "", err
		}
		text += c.Choices[0].Delta.Content
		finished = finished || c.Choices[0].FinishReason != nil
	}
	if !finished {
		return "", errors.New("the answer is not whole")
	}
	return text, nil
}

// sweepWith runs a client with the story under every variant and truncation.
func sweepWith(t *testing.T, read func(io.Reader) (string, error), opts ...fakeopenai.SweepOption) {
	ask := func(t *testing.T, fake *fakeopenai.Server) error {
		_, err := read(open(t, fake))
		return err
	}
	var onDemand []string
	for _, v := range sweep.Variants() {
		if v.OnDemand {
			onDemand = append(onDemand, v.Name)
		}
	}
	opts = append(opts, fakeopenai.Also(onDemand...), fakeopenai.Truncated(ask))
	fakeopenai.Sweep(t, fakeopenai.YAML(story), func(t *testing.T, fake *fakeopenai.Server) {
		if got, err := read(open(t, fake)); got != storyText || err != nil {
			t.Errorf("read %q, %v; want %q", got, err, storyText)
		}
	}, opts...)
}

func TestSweepPassesACarefulClient(t *testing.T) {
	t.Parallel()
	sweepWith(t, careful)
}

// sweepChild is the variable that is set when this test binary runs itself for a test that must fail.
const sweepChild = "FAKEOPENAI_TEST_SWEEP"

func TestSweepOfTheNaiveClient(t *testing.T) {
	if os.Getenv(sweepChild) == "" {
		return // only TestSweepCatchesANaiveClient runs this test
	}
	sweepWith(t, naive)
}

// inChild runs one test of this binary in a process of its own, where it may fail, and
// returns its output.
func inChild(t *testing.T, test string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^"+test+"$", "-test.v")
	cmd.Env = append(os.Environ(), sweepChild+"=1")
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); !failed {
		t.Fatalf("%s: %v, want it to fail\n%s", test, err, out)
	}
	return string(out)
}

func TestSweepCatchesANaiveClient(t *testing.T) {
	t.Parallel()
	out := inChild(t, "TestSweepOfTheNaiveClient")
	got := map[string]bool{} // whether each variant passed
	for _, m := range regexp.MustCompile(`(?m)^ +--- (PASS|FAIL|SKIP): TestSweepOfTheNaiveClient/(\S+)`).FindAllStringSubmatch(out, -1) {
		got[m[2]] = m[1] != "FAIL"
	}
	caught := []string{"no-space", "long-lines", "multiline", "json-pretty", "cr", "mixed"}
	for _, v := range sweep.Variants() {
		passed, ran := got[v.Name]
		if want := !slices.Contains(caught, v.Name); !ran || passed != want {
			t.Errorf("%s: ran %t, passed %t, want %t", v.Name, ran, passed, want)
		}
	}
	truncated := 0
	for name, passed := range maps.All(got) {
		if !strings.HasPrefix(name, "truncated") {
			continue
		}
		truncated++
		if passed {
			t.Errorf("%s passed, although nobody looks whether an answer is whole", name)
		}
	}
	if truncated < 12 {
		t.Errorf("%d truncations ran, want more", truncated)
	}
	for _, line := range []string{
		"fakeopenai: no-space: no space after a field's colon; as a scenario of its own:\n",
		"{name: story-no-space, envelope: {layout: minimal}, wire: {space: false}, message: {",
		"{name: story-cut-after-3, envelope: {layout: minimal}, end: {cut: {after: 3}}, message: {",
		"no error, although the answer was not whole: an orderly end after 2 events",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("the log does not have %q", line)
		}
	}
	if t.Failed() {
		t.Log(out)
	}
}

// TestSweepReproducesItself checks that the scenario that a sweep prints plays the same variant.
func TestSweepReproducesItself(t *testing.T) {
	t.Parallel()
	swept := map[string][]byte{}
	story, ids := strings.Replace(story, "layout:", "id: x, layout:", 1), fakeopenai.WithCreated(1)
	fakeopenai.Sweep(t, fakeopenai.YAML(story), func(t *testing.T, fake *fakeopenai.Server) {
		io.Copy(io.Discard, open(t, fake))
		swept[strings.TrimPrefix(t.Name(), "TestSweepReproducesItself/")] = fake.Transcript(0)
	}, ids)
	if len(swept) < 20 {
		t.Fatalf("%d variants", len(swept))
	}
	for _, v := range sweep.Variants() {
		if v.OnDemand {
			continue
		}
		synctest.Test(t, func(t *testing.T) { // in a bubble pauses take no real time
			fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), ids, fakeopenai.YAML(v.Scenario("story")+"\n---\n"+story))
			io.Copy(io.Discard, open(t, fake))
			if got := fake.Transcript(0); !bytes.Equal(got, swept[v.Name]) {
				t.Errorf("%s sends\n%s\nbut the sweep sent\n%s", v.Scenario("story"), got, swept[v.Name])
			}
		})
	}
}

func TestSweepTruncatesEachReply(t *testing.T) {
	t.Parallel()
	var seen []string
	fakeopenai.Sweep(t, fakeopenai.YAML(`
name: agent
replies:
  - when: { turn: 1 }
    message: One
  - message: Two
`), func(*testing.T, *fakeopenai.Server) {}, fakeopenai.AllowUnused(), fakeopenai.Truncated(func(t *testing.T, fake *fakeopenai.Server) error {
		for turn := 1; turn <= 2; turn++ {
			history := strings.Repeat(`{"role":"assistant","content":"x"},`, turn-1)
			resp, err := fake.Client().Post(fake.BaseURL+"/chat/completions", "application/json",
				strings.NewReader(`{"model":"gpt-4o","stream":true,"messages":[`+history+`{"role":"user","content":"x"}]}`))
			if err != nil {
				return err
			}
			defer resp.Body.Close()
			if _, err := careful(resp.Body); err != nil {
				seen = append(seen, fmt.Sprintf("%s in turn %d", t.Name(), turn))
				return err
			}
		}
		return nil
	}))
	var want []string
	for reply := 1; reply <= 2; reply++ {
		for n := range 3 { // the role, the text and the finish
			for _, how := range []string{"close", "cut"} {
				want = append(want, fmt.Sprintf("%s/truncated/agent-%d-%s-after-%d in turn %d", t.Name(), reply, how, n, reply))
			}
		}
	}
	if !slices.Equal(seen, want) {
		t.Errorf("the client saw errors in\n%v\nwant\n%v", seen, want)
	}
}

func TestSweepRunsInParallelIfItsBodyDoes(t *testing.T) {
	t.Parallel()
	fakeopenai.Sweep(t, fakeopenai.YAML(story), func(t *testing.T, fake *fakeopenai.Server) {
		t.Parallel()
		if got, err := careful(open(t, fake)); got != storyText || err != nil {
			t.Errorf("read %q, %v; want %q", got, err, storyText)
		}
	}, fakeopenai.Truncated(func(t *testing.T, fake *fakeopenai.Server) error {
		_, err := careful(open(t, fake))
		return err
	}))
}

func TestSweepSplitsOnSocketsToo(t *testing.T) {
	t.Parallel()
	fakeopenai.Sweep(t, fakeopenai.YAML("name: x\nenvelope: { layout: minimal }\nmessage: ''\n"), func(t *testing.T, fake *fakeopenai.Server) {
		if !strings.HasPrefix(fake.URL, "http://127.0.0.1:") {
			t.Errorf("the server is at %s", fake.URL)
		}
		if _, err := careful(open(t, fake)); err != nil {
			t.Error(err)
		}
	}, fakeopenai.OnSockets(), fakeopenai.Without("split-bytes", "crlf-bytes"))
}

func TestSweepRefusals(t *testing.T) {
	if os.Getenv(sweepChild) == "" {
		return // only TestSweepSaysWhatIsWrong runs this test
	}
	body := func(*testing.T, *fakeopenai.Server) {}
	none := func(*testing.T, *fakeopenai.Server) error { return nil }
	for name, opt := range map[string]fakeopenai.SweepOption{
		"unknown":  fakeopenai.Without("crfl"),
		"unasked":  fakeopenai.Truncated(none),
		"failing":  fakeopenai.Truncated(func(*testing.T, *fakeopenai.Server) error { return errors.New("boom") }),
		"scenario": fakeopenai.YAML("nonsense: 1"),
	} {
		t.Run(name, func(t *testing.T) { fakeopenai.Sweep(t, fakeopenai.Fixture("plain-text"), body, opt) })
	}
}

func TestSweepSaysWhatIsWrong(t *testing.T) {
	t.Parallel()
	out := inChild(t, "TestSweepRefusals")
	for _, want := range []string{
		`there is no variant "crfl" (did you mean "crlf"?); there are: as-written, apart,`,
		"no answer has a place where it can end too early",
		"the whole answer gave an error already: boom",
		"the scenarios cannot be played",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("the output does not have %q:\n%s", want, out)
		}
	}
}
