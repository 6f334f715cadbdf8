package server_test

import (
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// doors are the ways on which clients send JSON. Each sends an object with a further member, and
// returns the answer.
var doors = map[string]func(s *sideServer, member string) string{
	"chat":          posting("/v1/chat/completions", `"model":"gpt-4o","messages":[]`),
	"completions":   posting("/v1/completions", `"model":"gpt-4o","prompt":"hi"`),
	"responses":     posting("/v1/responses", `"model":"gpt-4o","input":"hi"`),
	"input tokens":  posting("/v1/responses/input_tokens", `"model":"gpt-4o","input":"hi"`),
	"conversations": posting("/v1/conversations", `"metadata":{}`),
	"items":         posting("/v1/conversations/none/items", `"items":[]`),
	"cancel":        posting("/v1/responses/none/cancel", `"reason":"none"`),
	"query": func(s *sideServer, member string) string {
		w := httptest.NewRecorder()
		query := url.Values{"messages": {"[{" + member + "}]"}}
		s.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/v1/chat/completions?"+query.Encode(), nil))
		return w.Body.String()
	},
	"message": func(s *sideServer, member string) string {
		return fmt.Sprint(s.converse("message", `{"type":"none",`+member+`}`))
	},
}

func posting(path, members string) func(*sideServer, string) string {
	return func(s *sideServer, member string) string {
		return fmt.Sprint(s.ask(path, path, "{"+members+","+member+"}"))
	}
}

// Large bodies are parsed a few at a time, however they come.
func TestLargeBodiesAreParsedAFewAtATime(t *testing.T) { // not parallel: it replaces the slots of the process
	synctest.Test(t, func(t *testing.T) {
		slots := request.Parsing
		defer func() { request.Parsing = slots }()
		request.Parsing = make(chan struct{}, 1)
		request.Parsing <- struct{}{} // the only slot is taken
		s := newSideServer(t, parse(t, hello))
		defer s.Close()
		var answered sync.Map
		var group sync.WaitGroup
		for name, send := range doors {
			group.Go(func() { answered.Store(name, send(s, `"user":"`+strings.Repeat("0", 64<<10)+`"`)) })
		}
		synctest.Wait()
		answered.Range(func(name, answer any) bool {
			t.Errorf("%s: a large body was parsed without a slot; the answer is %s", name, answer)
			return true
		})
		<-request.Parsing
		group.Wait()
	})
}

// A body has a bounded number of values, however it comes.
func TestBodiesAreBoundedInValuesHoweverTheyCome(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	s := newSideServer(t, parse(t, hello))
	defer s.Close()
	many := `"user":[` + strings.Repeat("0,", request.MaxValues) + "0]"
	for name, send := range doors {
		if answer := send(s, many); !strings.Contains(answer, "this server reads at most 1000000") {
			t.Errorf("%s: more values than a body can have are answered with %.1000s", name, answer)
		}
	}
}

// parsers are the calls of a parser of JSON in the server, by file: the door for what clients send,
// those for what the server or an author wrote, and one that only checks a text.
var parsers = map[string]string{
	"internal/request/read.go":               "v, err := ojson.Parse(text)",
	"steer.go":                               "body, err := ojson.Parse(t.Body); body, _ := ojson.Parse(t.Body) // it was answered", // the body of a turn is one that the server has made of a message
	"models.go":                              "list, _ := ojson.Parse(body) // what is no list has no data",                         // the body that a scenario gives
	"internal/websocket/turn.go":             "v, err := ojson.Parse(body)",
	"internal/compare/answer.go":             "v, _ := ojson.Parse(b.bytes) // absent if it is no JSON; v, err := ojson.Parse([]byte(data))",
	"internal/answer/expect.go":              "body, err := ojson.Parse([]byte(strings.Replace(on.Info().Example, \"Hello\", prompt, 1)))",
	"internal/answer/outcome.go":             "if v, err := ojson.Parse(body); err == nil {; v, err := ojson.Parse(line)",
	"internal/surface/reading.go":            "v, _ := ojson.Parse([]byte(call[1]))",
	"internal/surface/realtime/response.go":  "v, err := ojson.Parse(event); body, _ := ojson.Parse(r.Body) // it was made as an object",
	"internal/answer/record.go":              "v, err := ojson.Parse(text)",
	"internal/compile/damage.go":             "v, err := ojson.Parse(json)",
	"internal/lint/wire.go":                  "v, err := ojson.Parse([]byte(data))",
	"internal/lint/said.go":                  "v, err := ojson.Parse([]byte(c.arguments.String()))",
	"internal/script/call.go":                "v, errA := ojson.Parse([]byte(a)); w, errB := ojson.Parse([]byte(b))",
	"internal/secret/secret.go":              "v, err := ojson.Parse([]byte(`\"` + escapes().ReplaceAllString(run, `\\u`) + `\"`))",
	"internal/surface/responses/itemtype.go": "v, err := ojson.Parse([]byte(text))",
	"internal/request/check.go":              `if err := json.Unmarshal([]byte(text), new(json.RawMessage)); err != nil && text != "" {`,
}

// What clients send is parsed by one function, which holds the bounds.
func TestWhatClientsSendIsParsedByOneFunction(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	call := regexp.MustCompile(`.*\b(ojson\.Parse|json\.Unmarshal|json\.NewDecoder)\(.*`)
	err := fs.WalkDir(os.DirFS("."), ".", func(path string, _ fs.DirEntry, err error) error {
		if path == "tools" || path == "bench" || path == "compat" {
			return fs.SkipDir // others than the server
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		var calls []string
		for _, line := range call.FindAllString(string(text), -1) {
			calls = append(calls, strings.TrimSpace(line))
		}
		if got := strings.Join(calls, "; "); got != parsers[path] {
			t.Errorf("%s parses JSON: %q, want %q; what a client sends is for request.ReadObject", path, got, parsers[path])
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
