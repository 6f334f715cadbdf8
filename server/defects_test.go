package server_test

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// stream is the response to one request, as it came over the wire.
type stream struct {
	contentType string
	body        string
	cut         bool // cut says that the body broke off.
	frames      []wireFrame
}

// wireFrame is one frame of a body; blank lines separate frames. Its json is Absent if its
// data is not JSON.
type wireFrame struct {
	event string
	named bool // named says that the frame has an event: line.
	data  []string
	json  ojson.Value
}

func (f *wireFrame) is(name string) bool { return f.json.Get("type").Text() == "response."+name }

// named returns the frames of the event with this name.
func (s *stream) named(name string) (list []wireFrame) {
	for _, f := range s.frames {
		if f.is(name) {
			list = append(list, f)
		}
	}
	return list
}

// at returns the index of the first frame of an event, or -1 if there is none.
func (s *stream) at(name string) int {
	return slices.IndexFunc(s.frames, func(f wireFrame) bool { return f.is(name) })
}

// all reports whether the stream has frames of the event and all of them pass. The name ""
// means all frames.
func (s *stream) all(name string, passes func(*wireFrame) bool) bool {
	n := 0
	for i := range s.frames {
		if f := &s.frames[i]; name == "" || f.is(name) {
			if n++; !passes(f) {
				return false
			}
		}
	}
	return n > 0
}

// value returns the value at a path in the first frame of an event.
func (s *stream) value(name, path string) ojson.Value {
	list := s.named(name)
	if len(list) == 0 {
		return ojson.Value{}
	}
	p, err := ojson.ParsePath(path)
	if err != nil {
		panic(err)
	}
	return list[0].json.Find(p)
}

// lacks checks that a stream has none of these events.
func lacks(names ...string) func(*stream) bool {
	return func(s *stream) bool {
		return len(s.frames) > 2 && !slices.ContainsFunc(names, func(name string) bool { return s.at(name) >= 0 })
	}
}

// without checks that a stream has frames, and that no frame has the member.
func without(member string) func(*stream) bool {
	return func(s *stream) bool {
		return s.all("", func(f *wireFrame) bool { return f.json.Kind() == ojson.ObjectKind && f.json.Get(member).IsAbsent() })
	}
}

// valued checks that the value at a path of an event is this JSON.
func valued(name, path, json string) func(*stream) bool {
	return func(s *stream) bool { return s.value(name, path).String() == json }
}

// contains checks that the body has this text.
func contains(text string) func(*stream) bool {
	return func(s *stream) bool { return strings.Contains(s.body, text) }
}

// numbers returns the sequence numbers of the events, in order.
func (s *stream) numbers() (list []int64) {
	for _, f := range s.frames {
		n, _ := f.json.Get("sequence_number").Int()
		list = append(list, n)
	}
	return list
}

// onlyID checks that the response in an event has no member but its id.
func onlyID(name string) func(*stream) bool {
	return func(s *stream) bool {
		r := s.value(name, "response")
		return len(r.Members()) == 1 && strings.HasPrefix(r.Get("id").Text(), "resp_")
	}
}

// deltaAfter checks that a text delta follows directly after an event.
func deltaAfter(after string) func(*stream) bool {
	return func(s *stream) bool {
		at := s.at(after)
		return at >= 0 && at+1 < len(s.frames) && s.frames[at+1].is("output_text.delta")
	}
}

// missing checks that an event is there and has nothing at a path.
func missing(name, path string) func(*stream) bool {
	return func(s *stream) bool { return s.at(name) >= 0 && s.value(name, path).IsAbsent() }
}

// indexes returns the output_index of each output_item.added event.
func (s *stream) indexes() string {
	var list []string
	for _, f := range s.named("output_item.added") {
		list = append(list, f.json.Get("output_index").String())
	}
	return strings.Join(list, " ")
}

// defects has, for each scenario of compat/defects.yaml, a function that finds its defect in the bytes.
var defects = map[string]func(*stream) bool{
	"no-event-lines":      func(s *stream) bool { return s.all("", func(f *wireFrame) bool { return !f.named }) },
	"no-type":             without("type"),
	"wrong-event-name":    func(s *stream) bool { return s.all("", func(f *wireFrame) bool { return f.event == "message" }) },
	"event-error-on-data": func(s *stream) bool { return s.all("", func(f *wireFrame) bool { return f.event == "error" }) },
	"done-after-end":      func(s *stream) bool { return strings.HasSuffix(s.body, "data: [DONE]\n\n") },
	"comments-ids-retry": func(s *stream) bool {
		return contains(": ping\n")(s) && contains("id: 1\n")(s) && contains("retry: 3000\n")(s)
	},
	"crlf": func(s *stream) bool { return strings.Count(s.body, "\r\n") == strings.Count(s.body, "\n") },
	"cr":   func(s *stream) bool { return contains("\r\r")(s) && !contains("\n")(s) },
	"json-over-several-lines": func(s *stream) bool {
		return s.all("", func(f *wireFrame) bool { return len(f.data) > 1 })
	},
	"no-final-blank-line": func(s *stream) bool { return strings.HasSuffix(s.body, "}\n") && !strings.HasSuffix(s.body, "\n\n") },
	"byte-order-mark":     func(s *stream) bool { return strings.HasPrefix(s.body, "\ufeff") },
	"content-type-json":   func(s *stream) bool { return s.contentType == "application/json" },
	"malformed-json": func(s *stream) bool {
		return slices.ContainsFunc(s.frames, func(f wireFrame) bool { return f.json.IsAbsent() && len(f.data) == 1 && f.data[0] == `{"type":` })
	},
	"error-null": func(s *stream) bool {
		return s.all("", func(f *wireFrame) bool { return f.json.Get("error").IsNull() })
	},
	"chat-chunks": func(s *stream) bool {
		return s.all("", func(f *wireFrame) bool { return f.json.Get("object").Text() == "chat.completion.chunk" })
	},
	"no-created":            lacks("created"),
	"no-in-progress":        lacks("in_progress"),
	"no-item-added-message": lacks("output_item.added"),
	"no-item-added-call":    lacks("output_item.added"),
	"no-part-added":         lacks("content_part.added"),
	"no-text-deltas":        lacks("output_text.delta"),
	"no-argument-deltas":    lacks("function_call_arguments.delta", "output_text.done"),
	"no-text-done":          lacks("output_text.done", "content_part.done"),
	"no-arguments-done": func(s *stream) bool {
		return lacks("function_call_arguments.done")(s) && s.at("function_call_arguments.delta") > 0
	},
	"no-item-done-message": lacks("output_item.done"),
	"no-item-done-call":    lacks("output_item.done"),
	"no-summary-part-added": func(s *stream) bool {
		return lacks("reasoning_summary_part.added")(s) && s.at("reasoning_summary_text.delta") > 0
	},
	"no-reasoning-part-added": func(s *stream) bool { return s.at("reasoning_text.delta") == 3 },
	"unknown-event":           func(s *stream) bool { return s.at("vendor.news") == 2 },
	"keepalive": func(s *stream) bool {
		return contains("event: keepalive\ndata: {\"type\":\"keepalive\",\"sequence_number\":5}")(s)
	},
	"unknown-item":                  valued("completed", "response.output[0].type", `"mystery"`),
	"apply-patch-diff":              func(s *stream) bool { return s.at("apply_patch_call_operation_diff.delta") == 3 },
	"flat-error":                    contains("event: error\ndata: {\"type\":\"error\",\"code\":\"server_error\""),
	"flat-error-without-event-line": contains("\n\ndata: {\"type\":\"error\",\"code\":\"server_error\""),
	"nested-error": func(s *stream) bool {
		return contains(`"error":{"type":"server_error"`)(s) && s.at("failed") == len(s.frames)-1
	},
	"failed-alone":         func(s *stream) bool { return !contains("event: error")(s) && s.at("failed") == len(s.frames)-1 },
	"incomplete":           valued("incomplete", "response.incomplete_details.reason", `"max_output_tokens"`),
	"completed-but-failed": valued("completed", "response.status", `"failed"`),
	"no-terminal-event":    func(s *stream) bool { return !s.cut && s.frames[len(s.frames)-1].is("output_item.done") },
	"cut-in-the-body":      func(s *stream) bool { return s.cut },
	"empty-stream":         func(s *stream) bool { return s.body == "" && !s.cut },
	"terminal-event-twice": func(s *stream) bool { return len(s.named("completed")) == 2 },
	"event-after-end":      deltaAfter("completed"),
	"no-sequence-number":   without("sequence_number"),
	"numbers-from-one":     func(s *stream) bool { return s.numbers()[0] == 1 && slices.IsSorted(s.numbers()) },
	"numbers-backwards":    func(s *stream) bool { n := s.numbers(); slices.Reverse(n); return slices.IsSorted(n) && n[0] < n[1] },
	"no-output-index":      without("output_index"),
	"no-content-index":     without("content_index"),
	"no-item-id":           without("item_id"),
	"other-item-id":        valued("output_text.delta", "item_id", `"msg_other"`),
	"done-item-other-id":   valued("output_item.done", "item.id", `"msg_other"`),
	"delta-at-wrong-index": valued("output_text.delta", "output_index", "7"),
	"output-index-gap":     func(s *stream) bool { return s.indexes() == "0 2" },
	"two-items-one-id": func(s *stream) bool {
		added := s.named("output_item.added")
		return len(added) == 2 && ojson.Equal(added[0].json.Get("item").Get("id"), added[1].json.Get("item").Get("id"))
	},
	"added-item-has-content":   valued("output_item.added", "item.content[0].text", `"Hi"`),
	"delta-after-item-done":    deltaAfter("output_item.done"),
	"call-done-without-status": missing("output_item.done", "item.status"),
	"call-without-item-id":     missing("output_item.done", "item.id"),
	"created-only-id":          onlyID("created"),
	"completed-only-id":        onlyID("completed"),
	"empty-output":             valued("completed", "response.output", "[]"),
	"usage-null":               valued("completed", "response.usage", "null"),
	"usage-without-details":    missing("completed", "response.usage.input_tokens_details"),
	"response-id-changes": func(s *stream) bool {
		return !ojson.Equal(s.value("created", "response.id"), s.value("completed", "response.id"))
	},
	"no-logprobs": missing("output_text.delta", "logprobs"),
	"logprobs-without-bytes": func(s *stream) bool {
		return missing("output_text.delta", "logprobs[0].bytes")(s) && !s.value("output_text.delta", "logprobs[0].token").IsAbsent()
	},
	"calls-interleaved": func(s *stream) bool {
		list := s.named("function_call_arguments.delta")
		return len(list) == 4 && list[0].json.Get("output_index").Text() == "0" && list[1].json.Get("output_index").Text() == "1" && list[2].json.Get("output_index").Text() == "0"
	},
	"minimal": func(s *stream) bool {
		return len(s.frames) == 3 && s.frames[0].is("created") && s.frames[1].is("output_item.done") && s.frames[2].is("completed")
	},
}

const defectsFile = "compat/defects.yaml"

// Each scenario with a defect has it in the bytes of a plain connection, and the scenario
// that it extends does not.
func TestEachDefectOfResponsesIsInTheBytes(t *testing.T) {
	t.Parallel()
	address, bases := serveDefects(t)
	for name, base := range bases {
		if strings.HasPrefix(name, "sound-") {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			has := defects[name]
			if has == nil {
				t.Fatal("nothing looks for this defect")
			}
			got := playRaw(t, address, name)
			if !has(got) {
				t.Errorf("the defect is not in\n%s", got.body)
			}
			if sound := playRaw(t, address, base); has(sound) {
				t.Errorf("the defect is in %s, too:\n%s", base, sound.body)
			}
		})
	}
	for name := range defects {
		if bases[name] == "" {
			t.Errorf("no scenario has the defect %s", name)
		}
	}
}

// serveDefects plays the scenarios. It returns the server's address and, for each scenario,
// the one that it extends, or a sound text if it extends none.
func serveDefects(t *testing.T) (address string, bases map[string]string) {
	t.Helper()
	src, err := os.ReadFile(defectsFile)
	if err != nil {
		t.Fatal(err)
	}
	list, problems := yamlfile.Parse(defectsFile, src)
	bases = map[string]string{}
	for _, s := range list {
		bases[s.Name] = cmp.Or(s.Extends, "sound-text")
	}
	set, more := scenarios.Build(list...)
	if err := append(problems, more...).Err(); err != nil {
		t.Fatal(err)
	}
	if problems := server.Check(set); len(problems) > 0 {
		t.Fatal(problems)
	}
	fake, err := server.New(server.Config{Scenarios: set, Seed: 1, Created: 1790000000, Speed: server.Instant})
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	served := &http.Server{Handler: fake}
	go served.Serve(listener)
	t.Cleanup(func() { fake.Close(); served.Close() })
	return listener.Addr().String(), bases
}

// playRaw requests a scenario over a new connection.
func playRaw(t *testing.T, address, name string) *stream {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	body := fmt.Sprintf(`{"model":"fake:%s","stream":true,"input":"Hello"}`, name)
	fmt.Fprintf(conn, "POST /v1/responses HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer sk\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		t.Fatalf("%s: status %d: %s", name, res.StatusCode, got)
	}
	s := &stream{contentType: res.Header.Get("Content-Type"), body: string(got), cut: err != nil}
	s.frames = framesOf(s.body)
	return s
}

// framesOf splits a body into its frames.
func framesOf(body string) (list []wireFrame) {
	body = strings.TrimPrefix(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(body), "\ufeff")
	for block := range strings.SplitSeq(strings.TrimSpace(body), "\n\n") {
		var f wireFrame
		for line := range strings.SplitSeq(block, "\n") {
			if value, ok := strings.CutPrefix(line, "event: "); ok {
				f.event, f.named = value, true
			}
			if value, ok := strings.CutPrefix(line, "data: "); ok {
				f.data = append(f.data, value)
			}
		}
		if f.data == nil {
			continue // a comment
		}
		if v, err := ojson.Parse([]byte(strings.Join(f.data, "\n"))); err == nil {
			f.json = v
		}
		list = append(list, f)
	}
	return list
}
