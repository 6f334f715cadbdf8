package fakeopenai

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// judgedEndings are how the first answer ends; the next ones are whole.
var judgedEndings = map[string]string{
	"whole":  "message: Once upon a time",
	"cut":    "message: Once upon a time\n    end: cut",
	"reset":  "message: Once upon a time\n    end: reset",
	"close":  "message: Once upon a time\n    end: close",
	"stall":  "message: Once upon a time\n    end: { stall: { for: 20ms } }",
	"linger": "message: Once upon a time\n    end: { linger: { for: 20ms } }",
	"error":  "stream: [{ role: assistant }, { content: Once upon }, { error: { code: server_error } }]",
	"damage": "message: Once upon a time\n    damage: [{ drop: finish }, { drop: done }]",
	"429":    "error: { status: 429, retry_after: 2s }",
	"500":    "error: 500",
	"400":    "error: 400",
}

// judgedClient is a client that asks over an API.
type judgedClient struct {
	t         *testing.T
	fake      *Server
	responses bool
	whole     bool        // whole says that it asks for answers in one piece.
	header    http.Header // header is that of all requests.
	until     string      // until is what it reads up to; "" is all.
	attempts  int
}

// got is what came of a request.
type got struct {
	status int
	text   string
	done   bool // done says that the answer was whole.
	pause  time.Duration
}

// messages are the messages of a conversation, of the user and the assistant in turn.
func (c *judgedClient) body(messages []string) string {
	list := []map[string]string{}
	for i, text := range messages {
		list = append(list, map[string]string{"role": []string{"user", "assistant"}[i%2], "content": text})
	}
	text, _ := json.Marshal(map[string]any{"model": "gpt-4o", "stream": !c.whole, map[bool]string{false: "messages", true: "input"}[c.responses]: list})
	return string(text)
}

// ask asks and reads the answer, as a careful client does.
func (c *judgedClient) ask(messages ...string) (g got) {
	req, _ := http.NewRequest(http.MethodPost, c.fake.BaseURL+map[bool]string{false: "/chat/completions", true: "/responses"}[c.responses], strings.NewReader(c.body(messages)))
	req.Header = c.header.Clone()
	req.GetBody = nil
	c.attempts++
	resp, err := c.fake.Client().Do(req)
	if err != nil {
		return got{}
	}
	defer resp.Body.Close()
	g.status = resp.StatusCode
	g.pause, _ = time.ParseDuration(resp.Header.Get("Retry-After") + "s")
	if g.status >= 400 {
		_, _ = io.Copy(io.Discard, resp.Body)
		return g
	}
	if c.whole {
		body, err := io.ReadAll(resp.Body)
		g.done, g.text = err == nil && json.Valid(body), "Once upon a time"
		return g
	}
	for lines := bufio.NewReader(resp.Body); ; {
		line, err := lines.ReadString('\n')
		var event struct {
			Delta   json.RawMessage
			Choices []struct{ Delta struct{ Content string } }
		}
		data := strings.TrimPrefix(strings.TrimSpace(line), "data: ")
		if json.Unmarshal([]byte(data), &event) == nil {
			var delta string
			if json.Unmarshal(event.Delta, &delta) == nil && strings.Contains(line, "output_text.delta") {
				g.text += delta
			}
			for _, choice := range event.Choices {
				g.text += choice.Delta.Content
			}
		}
		g.done = g.done || strings.Contains(line, `"finish_reason":"stop"`) || strings.Contains(line, `"type":"response.completed"`)
		if err != nil || c.until != "" && strings.Contains(line, c.until) {
			return g
		}
	}
}

// again asks until the answer is whole, as often as it may, and waits as it is asked to.
func (c *judgedClient) again(most int, messages ...string) (g got) {
	for range most {
		if g = c.ask(messages...); g.done || g.status >= 400 && g.status < 429 {
			return g
		}
		time.Sleep(max(g.pause, 10*time.Millisecond))
	}
	return g
}

// exit is 0 for a whole answer, and otherwise 1.
func exit(g got) int { return map[bool]int{true: 0, false: 1}[g.done] }

// retried are what is found of a client that never asks again.
func retried(kind journal.Kind) map[string]journal.Kind {
	found := map[string]journal.Kind{"429": journal.KindRetry, "500": journal.KindRetry}
	for _, ending := range []string{"cut", "reset", "close", "stall", "error", "damage"} {
		if kind != "" {
			found[ending] = kind
		}
	}
	return found
}

// behaviours are what clients do, and what is found of it under which ending. Those of which nothing is found do right.
var behaviours = map[string]struct {
	acts  func(*judgedClient) int
	found map[string]journal.Kind
}{
	"reads all, and reports what is not whole": {func(c *judgedClient) int { return exit(c.ask("Hi")) }, retried("")},
	"asks again": {func(c *judgedClient) int { return exit(c.again(3, "Hi")) }, nil},
	"counts its attempts": {func(c *judgedClient) int {
		g := c.ask("Hi")
		if !g.done && g.status != 400 {
			time.Sleep(max(g.pause, time.Second))
			c.header.Set("X-Stainless-Retry-Count", "1")
			g = c.ask("Hi")
		}
		return exit(g)
	}, nil},
	"has a key of its own for a question": {func(c *judgedClient) int {
		c.header.Set("Idempotency-Key", "k")
		return exit(c.again(3, "Hi"))
	}, nil},
	"asks again over another connection": {func(c *judgedClient) int {
		g := c.ask("Hi")
		c.fake.Client().CloseIdleConnections()
		time.Sleep(max(g.pause, time.Second))
		if !g.done && g.status != 400 {
			g = c.ask("Hi")
		}
		return exit(g)
	}, nil},
	"asks again much later": {func(c *judgedClient) int {
		g := c.ask("Hi")
		if !g.done && g.status != 400 {
			time.Sleep(time.Hour)
			g = c.ask("Hi")
		}
		return exit(g)
	}, nil},
	"stops at the finish": {func(c *judgedClient) int {
		c.until = map[bool]string{false: `"finish_reason":"stop"`, true: `"type":"response.completed"`}[c.responses]
		return exit(c.again(3, "Hi"))
	}, nil},
	"stops at the end mark": {func(c *judgedClient) int {
		c.until = map[bool]string{false: `[DONE]`, true: `"type":"response.completed"`}[c.responses]
		return exit(c.again(3, "Hi"))
	}, nil},
	"asks the next question after a whole answer": {func(c *judgedClient) int {
		g := c.again(3, "Hi")
		if g.done {
			g = c.again(3, "Hi", g.text, "and?")
		}
		return exit(g)
	}, nil},
	"asks the same question twice, for two whole answers": {func(c *judgedClient) int {
		if g := c.again(3, "Hi"); !g.done {
			return 1
		}
		return exit(c.ask("Hi"))
	}, nil},
	"asks another question instead": {func(c *judgedClient) int {
		g := c.ask("Hi")
		switch {
		case g.done || g.status == 400:
		case g.status == 200:
			g = c.ask("Hello")
		default:
			time.Sleep(max(g.pause, time.Second))
			g = c.again(3, "Hi")
		}
		return exit(g)
	}, nil},
	"asks another model instead": {func(c *judgedClient) int {
		g := c.ask("Hi")
		if !g.done && g.status == 200 {
			c.whole = !c.whole
			g = c.ask("Hi")
		} else if !g.done {
			g = c.again(3, "Hi")
		}
		return exit(g)
	}, map[string]journal.Kind{"400": journal.KindRetry, "429": journal.KindRetry}}, // it asks again at once
	"gives up after a few attempts": {func(c *judgedClient) int {
		c.again(2, "Hi")
		return 1
	}, nil},
	"says so and goes on with the next of a list": {func(c *judgedClient) int {
		c.again(3, "Hi")
		return exit(c.again(3, "Next"))
	}, nil},
	"is stopped by its user, who goes on from what there was": {func(c *judgedClient) int {
		c.until = "Once"
		if g := c.ask("Hi"); g.status == 200 && g.text != "" {
			c.until = ""
			return exit(c.again(3, "Hi", g.text, "and?"))
		}
		return exit(c.again(2, "Hi"))
	}, map[string]journal.Kind{"400": journal.KindRetry, "429": journal.KindRetry}},
	"takes what there is":            {func(c *judgedClient) int { c.ask("Hi"); return 0 }, retried(journal.KindAccepted)},
	"takes what there is, and waits": {func(c *judgedClient) int { c.ask("Hi"); time.Sleep(time.Hour); return 0 }, retried(journal.KindAccepted)},
	"goes on from what there is": {func(c *judgedClient) int {
		g := c.ask("Hi")
		if g.status == 200 {
			c.ask("Hi", g.text, "and?")
		}
		return 1
	}, retried(journal.KindAccepted)},
	"goes on from what there is without blanks": {func(c *judgedClient) int {
		g := c.ask("Hi")
		if g.status == 200 {
			c.ask("Hi", strings.TrimSpace(g.text), "and?")
		}
		return 0
	}, retried(journal.KindAccepted)},
	"asks again at once": {func(c *judgedClient) int {
		if g := c.ask("Hi"); !g.done {
			return exit(c.ask("Hi"))
		}
		return 0
	}, map[string]journal.Kind{"400": journal.KindRetry, "429": journal.KindRetry}},
	"asks again too soon": {func(c *judgedClient) int {
		if g := c.ask("Hi"); !g.done {
			time.Sleep(time.Second)
			return exit(c.ask("Hi"))
		}
		return 0
	}, map[string]journal.Kind{"400": journal.KindRetry, "429": journal.KindRetry}},
	"asks once more for what it has": {func(c *judgedClient) int {
		c.header.Set("Idempotency-Key", "k")
		c.again(3, "Hi")
		time.Sleep(time.Minute)
		return exit(c.ask("Hi"))
	}, everywhere(journal.KindRetry)},
	"counts on after a whole answer": {func(c *judgedClient) int {
		c.again(3, "Hi")
		time.Sleep(time.Minute)
		c.header.Set("X-Stainless-Retry-Count", fmt.Sprint(c.attempts))
		return exit(c.ask("Hi"))
	}, everywhere(journal.KindRetry)},
}

// everywhere is the same finding under each ending.
func everywhere(kind journal.Kind) map[string]journal.Kind {
	found := map[string]journal.Kind{}
	for ending := range judgedEndings {
		found[ending] = kind
	}
	return found
}

// Whoever does right is not accused under any ending, and what is wrong is found.
func TestTheJudgeOnWhatClientsDo(t *testing.T) {
	t.Parallel()
	for name, b := range behaviours {
		for ending, first := range judgedEndings {
			for _, over := range []judgedClient{{}, {responses: true}, {whole: true}} {
				want := b.found[ending]
				if over.whole && (slices.Contains([]string{"damage", "error", "close"}, ending) || strings.Contains(name, "goes on")) {
					continue // of an answer in one piece there is nothing to go on from, and these have no effect
				}
				t.Run(fmt.Sprintf("%s, %s, responses %t, whole %t", name, ending, over.responses, over.whole), func(t *testing.T) {
					t.Parallel()
					synctest.Test(t, func(t *testing.T) {
						yaml := "name: tale\npace: { every: 10ms }\nreplies:\n  - times: 1\n    " + first + "\n  - message: Once upon a time\n"
						c := over
						c.t, c.header = t, http.Header{}
						c.fake = NewServer(t, YAML(yaml), InMemory(), AllowUnused())
						code := b.acts(&c)
						synctest.Wait()
						var kinds []journal.Kind
						for _, f := range journal.Judge(c.fake.core.Journal(), code == 0) {
							kinds = append(kinds, f.Kind)
							t.Log(f.Entry.ID, f.Entry.Problem)
						}
						if want == "" && len(kinds) > 0 || want != "" && !slices.Equal(kinds, []journal.Kind{want}) {
							t.Errorf("found %v, want %q; the calls are %v", kinds, want, c.fake.Calls())
						}
					})
				})
			}
		}
	}
}
