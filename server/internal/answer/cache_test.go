package answer

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

func loaded(t testing.TB, src string) *scenarios.Set {
	t.Helper()
	set, problems := yamlfile.Check(Check, yamlfile.Source{Name: "x.yaml", Data: []byte(src)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return set
}

// request is a chat request with this body. Header lists names and values alternately.
func request(t testing.TB, body string, header ...string) *scenarios.Request {
	t.Helper()
	h := map[string][]string{}
	for pair := range slices.Chunk(header, 2) {
		h[pair[0]] = append(h[pair[0]], pair[1])
	}
	req, err := chat.Surface{}.Read(h, []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// matched selects the reply of a set for a chat completions request. Header lists names
// and values alternately.
func matched(t *testing.T, set *scenarios.Set, body string, header ...string) *Asked {
	t.Helper()
	sel, none := set.Match(t.Context(), request(t, body, header...), nil, "", 1)
	if none != nil {
		t.Fatal(none.Reason)
	}
	return Ask(chat.Surface{}, sel, false)
}

// sent returns everything that a client gets of an answer.
func sent(t *testing.T, m *Maker, a *Asked) string {
	t.Helper()
	made, err := m.Make(a)
	if err != nil {
		t.Error(err)
		return ""
	}
	var out strings.Builder
	fmt.Fprintln(&out, made.Status, made.Header, string(made.Shutdown))
	for f := range made.Program.All() {
		out.Write(f.Append(nil, made.Values))
	}
	return out.String()
}

// plainRequest is the request that most clients send.
const plainRequest = `{"model":%q,"stream":true,"messages":[{"role":"user","content":"hi"}]}`

// longText is a text that is sent in more than quickAnswer events.
var longText = strings.Repeat("word ", quickAnswer+1)

// The programs of long answers are built before the first request, so that it does not wait for them; no
// others are, because most tests ask for few of their replies.
func TestOnlyLongAnswersAreBuiltBeforeTheFirstRequest(t *testing.T) {
	t.Parallel()
	set := loaded(t, `
name: static
message: one
---
name: long-message
message: "`+longText+`"
---
name: by-request
message: You said {{ .last_user }}.
---
name: long-stream
stream: [{ role: assistant }, { content: x, repeat: 51 }, { finish: stop }]
---
name: long-by-the-byte
message: "`+longText+`"
wire: { split: byte }
---
name: long-with-a-header
message: "`+longText+`"
wire: { headers: { X-User: '{{ .request.user | default "x" }}' } }
---
name: error
error: { status: 429 }
`)
	m := NewMaker()
	m.Warm(set, 1)
	if built := m.cache.misses; built != 4 {
		t.Errorf("%d programs are built before the first request, want one for each long answer", built)
	}
	for _, s := range set.Scenarios() {
		for n := range 2 {
			hits, built := m.cache.hits, m.cache.misses
			sent(t, m, matched(t, set, fmt.Sprintf(plainRequest, "fake:"+s.Name)))
			hits, built = m.cache.hits-hits, m.cache.misses-built
			want := n > 0 || strings.HasPrefix(s.Name, "long")
			if s.Replies[0].Error == nil && (hits == 1) != want || hits+built > 1 {
				t.Errorf("%s, request %d: %d hits, %d programs built", s.Name, n, hits, built)
			}
		}
	}
}

// Servers that play the same set share its programs: they are built once, for each seed.
func TestASetIsWarmedOnce(t *testing.T) {
	t.Parallel()
	set := loaded(t, "name: a\nmessage: "+longText+"\n---\nname: b\nmessage: "+longText+"\n")
	for range 3 {
		m := NewMaker()
		m.Warm(set, 1)
		sent(t, m, matched(t, set, fmt.Sprintf(plainRequest, "gpt-4o")))
		if n := m.cache.misses; n != 2 {
			t.Fatalf("%d programs were built for two replies", n)
		}
	}
	other := NewMaker()
	other.Warm(set, 2)
	if n := other.cache.misses; n != 2 {
		t.Errorf("%d programs were built for another seed, want 2", n)
	}
}

// Of a thousand replies, not all are built before the first request.
func TestWarmingIsBounded(t *testing.T) {
	t.Parallel()
	var src strings.Builder
	for i := range maxWarm + 50 {
		fmt.Fprintf(&src, "name: s%d\nmessage: %s\n---\n", i, longText)
	}
	m := NewMaker()
	m.Warm(loaded(t, strings.TrimSuffix(src.String(), "---\n")), 1)
	if n := m.cache.misses; n != maxWarm {
		t.Errorf("%d programs were built, want %d", n, maxWarm)
	}
}

func TestWarmingLooksAtTheDefaultModel(t *testing.T) {
	t.Parallel()
	set := loaded(t, "name: static\nmessage: "+longText+"\n")
	m := NewMaker()
	m.Warm(set, 1)
	sent(t, m, matched(t, set, fmt.Sprintf(plainRequest, "gpt-4o-mini")))
	sent(t, m, matched(t, set, fmt.Sprintf(plainRequest, "gpt-4o")))
	if hits, misses := m.cache.hits, m.cache.misses; hits != 2 || misses != 1 {
		t.Errorf("%d hits, %d misses; want both requests to find the program that was built before them", hits, misses)
	}
}

func TestAProgramIsBuiltOnceHoweverManyAskForIt(t *testing.T) {
	t.Parallel()
	a := matched(t, loaded(t, "name: x\nmessage: Hello\n"), fmt.Sprintf(plainRequest, "gpt-4o"))
	var c cache
	var clients sync.WaitGroup
	var got sync.Map
	start := make(chan struct{})
	for range 50 {
		clients.Go(func() {
			<-start
			p, err := c.get(a)
			got.Store(p, err == nil)
		})
	}
	close(start)
	clients.Wait()
	var programs []any
	got.Range(func(p, _ any) bool {
		programs = append(programs, p)
		return true
	})
	if len(programs) != 1 || c.misses != 1 || c.hits != 49 {
		t.Errorf("%d programs, %d misses, %d hits", len(programs), c.misses, c.hits)
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	a := matched(t, loaded(t, "name: x\nmessage: Hello\n"), fmt.Sprintf(plainRequest, "gpt-4o"))
	var c cache
	for n := range 2 * maxPrograms {
		a.Want.TopLogprobs = n
		if _, err := c.get(a); err != nil {
			t.Fatal(err)
		}
		if len(c.entries) > maxPrograms {
			t.Fatalf("%d programs are kept, want at most %d", len(c.entries), maxPrograms)
		}
	}
}

// TestTheCacheIsBoundedInBytes asks for one reply with many different wants, as a
// client does that keeps changing top_logprobs.
func TestTheCacheIsBoundedInBytes(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	a := matched(t, loaded(t, "name: x\nmessage: "+strings.Repeat("word ", 200)+"\n"), fmt.Sprintf(plainRequest, "gpt-4o"))
	m := NewMaker()
	p, err := m.cache.get(a)
	if err != nil {
		t.Fatal(err)
	}
	if least := int64(200 * len(`data: {"id":"","object":"chat.completion.chunk"}`)); p.size() < least {
		t.Fatalf("the program has %d bytes, want at least %d", p.size(), least)
	}
	m.cache.limit = 3*p.size() + p.size()/2
	for n := range 50 {
		other := *a
		other.Want.TopLogprobs = n + 1
		if _, err := m.cache.get(&other); err != nil {
			t.Fatal(err)
		}
		var sum int64
		for _, e := range m.cache.entries {
			sum += e.size
		}
		if sum != m.cache.bytes || sum > m.cache.limit || len(m.cache.entries) == 0 {
			t.Fatalf("%d programs have %d bytes, counted as %d, of %d", len(m.cache.entries), sum, m.cache.bytes, m.cache.limit)
		}
	}
	before := m.cache.misses
	for n := range 51 {
		other := *a
		other.Want.TopLogprobs = n
		again, err := m.cache.get(&other)
		if err != nil || len(again.shared.Frames) != len(p.shared.Frames) {
			t.Fatalf("a program that is asked for again: %v", err)
		}
	}
	if n := m.cache.misses - before; n < 51-3*2 {
		t.Errorf("%d programs of 51 were built again, although there is room for 3", n)
	}
}

// A program that is larger than the cache is still built once, not for each request.
func TestAProgramThatIsLargerThanTheCacheIsKept(t *testing.T) {
	t.Parallel()
	a := matched(t, loaded(t, "name: x\nmessage: Hello there\n"), fmt.Sprintf(plainRequest, "gpt-4o"))
	m := Maker{cache: &cache{limit: 1}}
	for range 3 {
		sent(t, &m, a)
	}
	if n := m.cache.misses; n != 1 {
		t.Errorf("it was built %d times", n)
	}
}

// What was asked is kept with a response for as long as that is. It must not keep a program in
// memory that the cache has dropped.
func TestWhatWasAskedKeepsNoProgram(t *testing.T) {
	t.Parallel()
	a := matched(t, loaded(t, "name: x\nmessage: Hello\n"), fmt.Sprintf(plainRequest, "gpt-4o"))
	m := NewMaker()
	if err := m.Sayable(a); err != nil || a.program == nil {
		t.Fatalf("no program is found (%v)", err)
	}
	if sent(t, m, a); a.program != nil {
		t.Error("the program is kept after the answer was made")
	}
}
