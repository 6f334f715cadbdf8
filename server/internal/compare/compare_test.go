package compare

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// stream returns a plan of a stream with the events in the text.
func stream(text string) journal.Plan {
	p := journal.Plan{Status: 200, Header: http.Header{"Content-Type": {"text/event-stream"}}}
	for _, part := range strings.SplitAfter(text, "\n\n") {
		if part != "" {
			p.Frames = append(p.Frames, journal.PlannedFrame{Bytes: []byte(part)})
		}
	}
	return p
}

// chunks returns the text of events, one chunk for each of the choices.
func chunks(choices ...string) string {
	var text strings.Builder
	for i, c := range choices {
		fmt.Fprintf(&text, "data: {\"id\":\"c-%d\",\"created\":%d,\"choices\":[{\"index\":0,%s}]}\n\n", i*len(choices), 1700000000+len(choices), c)
	}
	return text.String() + "data: [DONE]\n\n"
}

// turns returns the text of a stream in which the choices speak by turns.
func turns(choices ...int) string {
	var text strings.Builder
	for _, c := range choices {
		fmt.Fprintf(&text, "data: {\"choices\":[{\"index\":%d,\"delta\":{\"content\":\"a\"}}]}\n\n", c)
	}
	return text.String() + "data: [DONE]\n\n"
}

func TestCompare(t *testing.T) {
	t.Parallel()
	hi := chunks(`"delta":{"content":"Hi"}`, `"delta":{"content":" there"}`, `"delta":{},"finish_reason":"stop"`)
	for name, c := range map[string]struct {
		a, b string
		want []string
	}{
		"other texts, cut otherwise": {hi, chunks(`"delta":{"content":"Bye"}`, `"delta":{},"finish_reason":"stop"`), nil},
		"a member appears in some": {
			hi, chunks(`"delta":{"content":"Hi","annotations":[{"a":1}]}`, `"delta":{"content":" there"}`, `"delta":{},"finish_reason":"stop"`),
			[]string{"content: choices[0].delta.annotations|appeared in 1 of 2"},
		},
		"a member vanishes everywhere": {
			hi, strings.NewReplacer(`"index":0,`, ``).Replace(hi),
			[]string{"content, finish: choices[0].index|vanished, was in each"},
		},
		"a member becomes rare": {
			hi, strings.Replace(hi, `"index":0,`, ``, 1),
			[]string{"content: choices[0].index|is in 1 of 2, was in each"},
		},
		"the type of a member": {
			hi, strings.ReplaceAll(hi, `"created":1700000003`, `"created":"now"`),
			[]string{"content, finish: created|is a string, was a number"},
		},
		"the order of members": {
			hi, chunks(`"delta":{"content":"Hi"}`, `"delta":{"content":" there"}`, `"finish_reason":"stop","delta":{}`),
			[]string{"finish: choices[0]|has the order finish_reason, delta, was delta, finish_reason"},
		},
		"a name of the protocol": {
			hi, strings.ReplaceAll(hi, `"stop"`, `"length"`),
			[]string{`finish: choices[0].finish_reason|is "length", was "stop"`},
		},
		"an empty list lacks nothing": {
			chunks(`"delta":{"content":"a","list":[]}`), chunks(`"delta":{"content":"a","list":[{"b":1}]}`), nil,
		},
		"the order of events": {
			hi, chunks(`"delta":{"role":"assistant"}`, `"delta":{"content":"Hi"}`, `"delta":{},"finish_reason":"stop"`),
			[]string{"role|appeared after the start"},
		},
		"choices by turns in another order": {
			turns(0, 1, 0, 1, 0, 1), turns(1, 0, 0, 0, 1, 1), []string{"choices|come by turns in another order; each by itself is the same"},
		},
		"a choice more, in another order": {
			turns(0, 1, 0, 1), turns(2, 1, 0, 0, 1), []string{"content of choice 2|appeared after content of choice 1"},
		},
		"no end": {
			hi, strings.TrimSuffix(hi, "data: [DONE]\n\n"),
			[]string{"[DONE]|vanished after finish"},
		},
		"events with names": {
			"event: response.created\ndata: {\"type\":\"response.created\"}\n\n", "data: {\"type\":\"response.created\"}\n\n",
			[]string{"event lines|is in no event, was in all events"},
		},
		"lines": {
			hi, "\ufeff: hi\r\n\r\n" + strings.ReplaceAll(strings.ReplaceAll(hi, "\n", "\r\n"), "data: ", "data:"),
			[]string{
				"ends of lines|is CR LF, was LF", "byte order mark|is there, was not there",
				"space after the colon|is not there, was there", "comments|is in some events, was in no event",
			},
		},
		"a stream without events": {
			"", "data: [DONE]\n\n", []string{
				"[DONE]|appeared after the start", "ends of lines|is LF, was not there", "blank line at the end|is there, was not there",
				"space after the colon|is there, was not there",
			},
		},
		"the style of JSON": {
			hi, strings.NewReplacer(`,"`, `, "`, `":`, `": `).Replace(hi),
			[]string{"JSON|is spaced, was compact"},
		},
	} {
		check(t, name, Plans(stream(c.a), stream(c.b), false), c.want)
	}
}

func check(t *testing.T, name string, found []Difference, want []string) {
	t.Helper()
	var got []string
	for _, d := range found {
		got = append(got, d.Where+"|"+d.What)
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s: got\n%s\nnot\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCompareHeadsAndEndings(t *testing.T) {
	t.Parallel()
	a := journal.Plan{Status: 200, Header: http.Header{"Content-Type": {"application/json"}, "X-Old": {"1"}, "X-playRequest-Id": {"req_1"}, "V": {"1"}}}
	b := journal.Plan{Status: 429, Header: http.Header{"Content-Type": {"application/json"}, "X-New": {"1"}, "X-playRequest-Id": {"req_2"}, "V": {"2"}}, End: "reset"}
	check(t, "heads", Plans(a, b, false), []string{
		`V|is "2", was "1"`, "X-Old|vanished", "end of the body|is reset, was in order", "status|is 429, was 200", "X-New|appeared",
	})
}

func TestCompareTextsOnDemand(t *testing.T) {
	t.Parallel()
	a := stream(chunks(`"delta":{"content":"Hi"}`, `"delta":{"content":" you"}`))
	b := stream(chunks(`"delta":{"content":"Hi "}`, `"delta":{"content":"two"}`))
	check(t, "neither", Plans(a, b, false), nil)
	body := func(text string) journal.Plan {
		return journal.Plan{Status: 200, Frames: []journal.PlannedFrame{{Bytes: []byte(text)}}}
	}
	check(t, "no JSON", Plans(body("Hi"), body("Ho"), true), []string{`body|is "Ho", was "Hi"`})
	check(t, "JSON in its place", Plans(body("Hi"), body(`{"a":1}`), true), []string{"body|is an object, was no JSON", "JSON|is compact, was not there"})
	check(t, "a stream in place of a body", Plans(body(`{"a":1}`), stream("data: [DONE]\n\n"), false), []string{
		"Content-Type|appeared", "body|vanished after the start", "[DONE]|appeared after the start", "JSON|is not there, was compact",
	})
	check(t, "texts", Plans(a, b, true), []string{`content: choices[0].delta.content|is "Hi two", was "Hi you"`})
}

// A stream is one by its content type, in any case, and not by how that begins.
func TestStreamsAreToldByTheirContentType(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]bool{"Text/Event-Stream; charset=utf-8": true, "text/event-streams": false} {
		p := stream("data: x\n\n")
		p.Header.Set("Content-Type", contentType)
		if got := readAnswer(p).stream; got != want {
			t.Errorf("%s: %t, want %t", contentType, got, want)
		}
	}
}
