package compat

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// workScenarios are what the page is worked with.
const workScenarios = `name: base
when: { user: base }
stream: [{ role: assistant }, { content: rain }, { content: ing }, { finish: stop }]
---
name: extra
when: { user: extra }
stream: [{ role: assistant }, { heartbeat: 1 }, { content: rain }, { content: ing }, { finish: stop }]
---
name: other
when: { user: other }
envelope: { model: gpt-4o-mini }
stream: [{ role: assistant }, { content: rain }, { content: ing }, { finish: stop }]
---
name: cut
when: { user: cut }
stream: [{ role: assistant }, { content: One }, { content: two }, { content: three }, { finish: stop }]
end: { cut: { after: 2 } }
---
name: held
when: { user: held }
stream: [{ role: assistant }, { hold: gate }, { after: 1h, content: late }, { finish: stop }]
---
name: reacts
when: { user: reacts }
stream: [{ role: assistant }, { until: { request: base } }, { content: went on }, { finish: stop }]
---
name: file
when: { path: "/v1/files/{id}" }
wire: { body: { id: file-2 } }
`

// startWork starts a server and a browser that shows its page, while requests come.
func startWork(t *testing.T) (*browser, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "work.yaml")
	if err := os.WriteFile(file, []byte(workScenarios), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, build(t), file)
	b := startBrowser(t)
	b.size(1280, 800)
	b.prefer("prefers-color-scheme", "light")
	b.open(url + "/_fake/")
	b.until("$('state').textContent === 'live'")
	return b, url
}

// sendBody sends a request with a body of any kind.
func sendBody(t *testing.T, method, url, body string, header ...string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
}

const eventTextsShown = "[...document.querySelectorAll('#stream .event')].map(e => e.innerText.replace(/\\s+/g, ' ').trim())"

// The page compares two answers and their requests, says where an answer was cut, and what an open one waits for.
func TestThePageComparesAndWaits(t *testing.T) {
	t.Parallel()
	b, url := startWork(t)
	b.until("$('nothing').innerText.includes('7 scenarios can answer') && $('nothing').innerText.includes('export OPENAI_BASE_URL=" + url + "/v1')")
	for _, user := range []string{"base", "extra", "other", "base", "cut"} {
		chat(t, url, "gpt-4o", user)
	}
	b.until(rowsHave(5))
	compare := func(id, with int, note string) []string {
		run[any](b, fmt.Sprintf("select(%d).then(() => { $('compare').value = '#%d'; $('compare').dispatchEvent(new Event('change')) })", id, with))
		b.until(fmt.Sprintf("$('comparison').innerText.startsWith('#%d and #%d') && $('comparison').innerText.includes(%q)", id, with, note))
		return run[[]string](b, eventTextsShown)
	}
	b.step("an event that one answer has alone", func(t *testing.T) {
		got := strings.Join(compare(2, 1, "The requests differ in messages[0].content"), "\n")
		if strings.Count(got, "not in #1") != 1 || strings.Contains(got, "≠") || !strings.Contains(got, "heartbeat not in #1") {
			t.Errorf("the events are marked so:\n%s", got)
		}
		if got := strings.Join(compare(1, 2, "vanished"), "\n"); strings.Count(got, "only in #2") != 1 {
			t.Errorf("the other way round the events are marked so:\n%s", got)
		}
	})
	b.step("another model in each chunk", func(t *testing.T) {
		got := strings.Join(compare(3, 1, `model is "gpt-4o-mini", was "gpt-4o-2024-08-06"`), "\n")
		if strings.Count(got, `≠ model: "gpt-4o-2024-08-06"`) != 4 {
			t.Errorf("the events are marked so:\n%s", got)
		}
		run[any](b, "open('Request')")
		b.until("$('part').innerText.includes('messages[0].content') && $('part').innerText.includes('\"other\"')")
		run[any](b, "open('Stream')")
	})
	b.step("no difference", func(t *testing.T) {
		if got := strings.Join(compare(4, 1, "The answers are the same but for ids, times and cuts of texts. The requests are the same."), "\n"); strings.ContainsAny(got, "≠#") {
			t.Errorf("the events are marked so:\n%s", got)
		}
	})
	b.step("where it was cut", func(t *testing.T) {
		run[any](b, "select(5)")
		b.until("/cut after 1\\d\\d of [23]\\d\\d bytes of event 3/.test(document.querySelector('#stream').innerText) && $('head').innerText.includes('events 3 of 6')")
	})
	b.step("what an open answer waits for", func(t *testing.T) {
		var waiting sync.WaitGroup
		defer waiting.Wait()
		cmd := exec.CommandContext(t.Context(), "curl", "-sN", url+"/v1/chat/completions", "-d", `{"model": "gpt-4o", "stream": true, "messages": [{"role": "user", "content": "held"}]}`)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		waiting.Go(func() { _ = cmd.Wait() })
		b.until(rowsHave(6))
		run[any](b, "select(6)")
		b.until("/^waits at hold gate for .*; nothing was sent for /.test(document.querySelector('.waits').textContent) && document.querySelector('.lane i.present')")
		until := "model(shown.line, shown.entry).until"
		before := run[float64](b, until)
		b.again("/timeline")
		if after := run[float64](b, until); after <= before {
			t.Errorf("the axis ended at %v and ends at %v", before, after)
		}
		run[any](b, "document.querySelector('#stream .event button').click()")
		b.until("/^event 2 \\(content\\) is due in 3[56]\\d\\d\\.\\d\\d s; nothing was sent for /.test(document.querySelector('.waits').textContent)")
		_ = cmd.Process.Kill()
		b.until("document.querySelector('.waits').textContent === ''")
	})
	b.step("an answer that waits for another request", func(t *testing.T) {
		var waiting sync.WaitGroup
		waiting.Go(func() { chat(t, url, "gpt-4o", "reacts") })
		b.until(rowsHave(7))
		run[any](b, "select(7)")
		b.until("/^waits at hold base, until .*base.*, for /.test(document.querySelector('.waits').textContent)")
		chat(t, url, "gpt-4o", "base")
		waiting.Wait()
		b.until("document.querySelector('.waits').textContent === '' && " + eventsHave("went on"))
	})
	b.step("WebSocket connections", func(t *testing.T) {
		for _, messages := range [][]string{
			{"/v1/responses", `{"type":"response.create","model":"gpt-4o","stream_id":"fork","input":"base"}`},
			{
				"/v1/realtime?model=gpt-realtime", `{"type":"conversation.item.create","item":{"type":"message","role":"user","content":[{"type":"input_text","text":"base"}]}}`,
				`{"type":"response.create","response":{"output_modalities":["text"]}}`,
			},
		} {
			conn, _, err := websocket.Dial(t.Context(), url+messages[0], &websocket.DialOptions{HTTPHeader: http.Header{"Authorization": {"Bearer sk-page"}}})
			if err != nil {
				t.Fatal(err)
			}
			defer conn.CloseNow()
			for _, message := range messages[1:] {
				if err := conn.Write(t.Context(), websocket.MessageText, []byte(message)); err != nil {
					t.Fatal(err)
				}
			}
		}
		listed := func(path, turn string) string {
			return fmt.Sprintf("[...document.querySelectorAll('#list .request')].some(r => r.innerText.includes(%q) && /%s/.test(r.innerText))", path, turn)
		}
		b.until(listed("/v1/responses", `WebSocket \d, turn 1, lane fork`) + " && " + listed("/v1/realtime", `WebSocket \d, turn 1`))
		run[any](b, "select(Number([...document.querySelectorAll('#list .request')].find(r => r.innerText.includes('lane fork')).innerText.match(/#(\\d+)/)[1]))")
		b.until("/turn 1 of connection \\d lane fork/.test($('head').innerText.replace(/\\s+/g, ' '))")
	})
	b.wantNoComplaints()
}

// A request is copied as a command that asks the same, or it is said why it cannot be.
func TestThePageCopiesRequests(t *testing.T) {
	t.Parallel()
	b, url := startWork(t)
	const number = `{"model": "gpt-4o", "seed": 12345678901234567890, "messages": [{"role": "user", "content": "base"}]}`
	sendBody(t, "POST", url+"/v1/chat/completions", number, "Authorization: Bearer sk-very-secret-key", "OpenAI-Organization: org-secret-one")
	sendBody(t, "HEAD", url+"/v1/files/file-2", "")
	sendBody(t, "POST", url+"/v1/files/file-2", "\x00\xff\x7fELF", "Content-Type: application/octet-stream")
	sendBody(t, "POST", url+"/v1/nowhere/at-all", "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb\r\n--b--\r\n", "Content-Type: multipart/form-data; boundary=b")
	b.until(rowsHave(4))
	copied := func(id int, pieces ...string) string {
		b.t.Helper()
		run[any](b, fmt.Sprintf("select(%d).then(() => { $('curl').click() })", id))
		b.until(fmt.Sprintf("shown?.entry.id === %d && $('said-of-copy').innerText !== ''", id))
		command := run[string](b, "$('curl').dataset.copied ?? ''") + "\n" + run[string](b, "$('said-of-copy').innerText")
		for _, piece := range pieces {
			if !strings.Contains(command, piece) {
				b.t.Errorf("the command of #%d lacks %q:\n%s", id, piece, command)
			}
		}
		return run[string](b, "$('curl').dataset.copied ?? ''")
	}
	same := func(command string, of, as int) {
		b.t.Helper()
		cmd := exec.CommandContext(b.t.Context(), "sh", "-c", command+" -s -o /dev/null")
		cmd.Env = append(os.Environ(), "OPENAI_API_KEY=k", "OPENAI_ORG_ID=o")
		if out, err := cmd.CombinedOutput(); err != nil {
			b.t.Errorf("%s\n%v %s", command, err, out)
		}
		bodies := [2]string{}
		for i, id := range []int{of, as} {
			bodies[i] = get(b.t, fmt.Sprintf("%s/_fake/requests/%d/body", url, id))
		}
		if bodies[0] != bodies[1] {
			b.t.Errorf("the body was %q and is %q", bodies[0], bodies[1])
		}
	}
	same(copied(1, "12345678901234567890", `-H "Openai-Organization: $OPENAI_ORG_ID"`, "set OPENAI_API_KEY, OPENAI_ORG_ID"), 1, 5)
	run[any](b, "open('Request')")
	b.until("$('body').innerText.includes('\"seed\": 12345678901234567890')")
	same(copied(2, "curl --head"), 2, 6)
	same(copied(3, "base64 -d | curl -N", "--data-binary @-"), 3, 7)
	b.step("sent again", func(*testing.T) {
		run[any](b, "select(3).then(() => { $('again').click() })")
		b.until(rowsHave(8) + " && $('said-of-copy').innerText === 'Sent again.'")
		if body := get(b.t, url+"/_fake/requests/8/body"); body != "\x00\xff\x7fELF" {
			b.t.Errorf("the body is %q", body)
		}
		run[any](b, "select(1)")
	})
	b.step("a body that was not read", func(*testing.T) {
		if body := get(b.t, url+"/_fake/requests/4/body"); body == "" {
			run[any](b, "select(4).then(() => { $('curl').click() })")
			b.until("$('said-of-copy').innerText.includes('did not read the body')")
		}
	})
	b.step("as HAR and as scenarios", func(t *testing.T) {
		text := run[string](b, "har().then(JSON.stringify)")
		var archive struct {
			Log struct {
				Entries []struct {
					Request struct {
						Method   string
						PostData struct{ Text string }
					}
					Events []struct{ Kind string } `json:"_events"`
				}
			}
		}
		if err := json.Unmarshal([]byte(text), &archive); err != nil || len(archive.Log.Entries) != 8 {
			t.Fatalf("%v: %s", err, text)
		}
		if e := archive.Log.Entries[0]; e.Request.PostData.Text != number || len(e.Events) == 0 {
			t.Errorf("the first entry is %+v", e)
		}
		chat(t, url, "gpt-4o", "base")
		set := get(t, url+"/_fake/requests/1/scenario") + "---\n" + get(t, url+"/_fake/requests/9/scenario")
		resp, err := http.Post(url+"/_fake/scenarios", "application/yaml", strings.NewReader(set))
		if err != nil {
			t.Fatal(err)
		}
		said, _ := io.ReadAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode != http.StatusOK || !strings.Contains(set, "name: base-1\n") || !strings.Contains(set, "  surface: chat\n") {
			t.Errorf("the copies come to %s\n%s", said, set)
		}
	})
	b.wantNoComplaints()
}

// An unmatched request becomes a scenario that is tried on it and played; texts are found in bodies and answers; the
// address has what is shown.
func TestThePageFromARequestToAScenario(t *testing.T) {
	t.Parallel()
	b, url := startWork(t)
	chat(t, url, "gpt-4o", "base")
	chat(t, url, "gpt-4o", "who answers this?")
	b.until(rowsHave(2))
	b.step("a scenario for a request that none answered", func(t *testing.T) {
		run[any](b, "select(2).then(() => { $('to-try').click() })")
		b.until("$('problems').innerText.includes('No problems') && $('try-why').innerText.includes('✓ the last user message is \"who answers this?\"') && document.querySelector('#tried-events .event')")
		run[any](b, "$('play-button').click()")
		b.until("$('problems').innerText.includes('plays them now for all keys')")
		chat(t, url, "gpt-4o", "who answers this?")
		b.until("requests.get(3)?.scenario === 'answer-2'")
	})
	b.step("each reply, for a request", func(t *testing.T) {
		run[any](b, `setYAML("name: b\nwhen: { user: { matches: '(?P<word>\\w+)' } }\nreplies:\n- times: 1\n  error: { status: 429 }\n- message: 'You said {{ .match.word }}.'\n"); $('try-request').value = '1'; $('try-button').click()`)
		b.until("$('try-reply').options.length === 2 && $('tried').innerText.includes('429')")
		run[any](b, "$('try-reply').selectedIndex = 1; $('try-reply').onchange()")
		b.until("$('tried').innerText.includes('You said base.')")
		run[any](b, "setYAML('name: a\\nmesage: b\\n'); $('try-button').click()")
		b.until("$('problems').querySelector('button')")
		run[any](b, "$('problems').querySelector('button').click()")
		b.until("$('yaml').value.slice($('yaml').selectionStart, $('yaml').selectionEnd) === 'mesage: b'")
	})
	b.step("what was typed and what is shown survive a reload", func(t *testing.T) {
		run[any](b, "$('tab-try').click()")
		b.open(url + "/_fake/#try")
		run[any](b, "window.before = true; setTimeout(() => location.reload())") // later, since a reload can end the evaluation
		b.until("!window.before && document.readyState === 'complete' && typeof $ === 'function' && !$('try').hidden && $('yaml').value.startsWith('name: a')")
	})
	b.step("texts in bodies and answers", func(t *testing.T) {
		run[any](b, "$('tab-requests').click()")
		for filter, n := range map[string]int{"raining": 1, "WHO answers": 2, `"who answers this?" -status:404`: 1, "surface:chat": 3, "-surface:chat": 0, "nothing-has-this": 0} {
			run[any](b, fmt.Sprintf("$('search').value = %q; $('search').oninput()", filter))
			b.until(fmt.Sprintf("rows.items.length === %d && $('none').hidden === %t", n, n > 0))
		}
		run[any](b, "$('show-all').click()")
		b.until("rows.items.length === 3")
	})
	b.step("the address, and Back", func(t *testing.T) {
		run[any](b, "select(1)")
		b.until(eventsHave("finish stop"))
		run[any](b, "$('part-Why').click()")
		b.until("location.hash === '#1/why'")
		run[any](b, "$('tab-scenarios').click()")
		b.until("location.hash === '#scenarios' && $('scenarios').innerText.includes('extra')")
		run[any](b, "history.back()")
		b.until("location.hash === '#1/why' && !$('requests').hidden && $('part').innerText.includes('Why this scenario')")
		run[any](b, "history.back()")
		b.until("location.hash === '#1' && document.querySelector('#stream .event')")
		b.mouse("document.querySelectorAll('#stream .event')[3]", true)
		b.until("location.hash === '#1/stream/4'")
		run[any](b, "window.before = true; setTimeout(() => location.reload())") // later, since a reload can end the evaluation
		b.until("!window.before && document.readyState === 'complete' && typeof stream === 'object' && stream?.at === 3 && document.querySelector('.hex')")
	})
	b.step("every view follows", func(t *testing.T) {
		run[any](b, "$('tab-scenarios').click()")
		b.until("$('scenarios').innerText.includes('1 time')")
		chat(t, url, "gpt-4o", "other")
		b.until("[...$('scenarios').querySelectorAll('tr')].some(e => e.innerText.startsWith('other') && e.innerText.includes('1 time'))")
	})
	b.wantNoComplaints()
}

// The page can be used in a low, a narrow and a dark window, without colours, and without keys of one letter.
func TestThePageForEverybody(t *testing.T) {
	t.Parallel()
	b, url := startWork(t)
	chat(t, url, "gpt-4o", "base")
	chat(t, url, "gpt-4o", "cut")
	b.until(rowsHave(2) + " && document.querySelector('#stream .event')")
	b.step("contrast of what carries meaning", func(t *testing.T) {
		for _, scheme := range []string{"light", "dark"} {
			b.prefer("prefers-color-scheme", scheme)
			wantReadable(t, b)
			for _, name := range []string{"edge", "pause", "accent", "warn", "bad", "good", "other"} {
				if got := run[float64](b, fmt.Sprintf(contrastToBack, name)); got < 3 {
					t.Errorf("%s: the colour %s has a contrast of %.2f to the background", scheme, name, got)
				}
			}
		}
		b.prefer("prefers-color-scheme", "light")
		if !run[bool](b, "getComputedStyle(document.querySelector('#list [aria-selected=true]')).boxShadow !== 'none'") {
			t.Error("the selected row is known by its colour alone")
		}
	})
	b.step("landmarks, headings and sizes", func(t *testing.T) {
		if n := run[int](b, "document.querySelectorAll('main[role], output, [aria-live=assertive]').length"); n != 0 {
			t.Errorf("%d elements take the landmark, or speak while a stream plays", n)
		}
		const small = "[...document.querySelectorAll('button, select, input:not([type=checkbox], [type=range]), label:has(input[type=checkbox])')].filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 24).map(e => e.outerHTML)"
		for _, view := range []string{"requests", "scenarios", "limits", "try", "endpoints"} {
			run[any](b, "view('"+view+"')")
			if got := run[[]string](b, small); len(got) > 0 {
				t.Errorf("in %s these are lower than 24 pixels: %q", view, got)
			}
		}
		run[any](b, "view('requests')")
	})
	b.step("at 200 % of 1280 × 800", func(t *testing.T) {
		b.size(640, 400)
		run[any](b, "$('list').focus()")
		b.press("Enter")
		b.until("document.querySelector('#stream').clientHeight >= 240 && document.querySelector('.bytes').clientHeight >= 200 && document.documentElement.scrollHeight > 600")
	})
	b.step("400 pixels", func(t *testing.T) {
		b.size(400, 800)
		for _, view := range []string{"requests", "scenarios", "limits", "try", "endpoints"} {
			run[any](b, "view('"+view+"')")
			b.until("document.querySelector('main').innerText !== ''")
			if over := run[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
				t.Errorf("%s is %d pixels wider than the window", view, over)
			}
		}
		b.until("$('endpoints').querySelector('td')")
		if wide := run[bool](b, "[...$('endpoints').querySelectorAll('td:first-child')].some(e => { const r = document.createRange(); r.selectNodeContents(e); return r.getClientRects().length > 1 })"); wide {
			t.Error("short words are broken")
		}
		if !run[bool](b, "$('tab-endpoints').getBoundingClientRect().right <= innerWidth && document.querySelector('h1').checkVisibility()") {
			t.Error("a tab or the heading is out of sight")
		}
		b.size(1280, 800)
		run[any](b, "view('requests')")
	})
	b.step("without colours", func(t *testing.T) {
		b.prefer("forced-colors", "active")
		run[any](b, "select(1)")
		b.until(eventsHave("finish stop"))
		if !run[bool](b, "(bar => bar.backgroundColor !== getComputedStyle(document.body).backgroundColor && bar.backgroundColor !== 'rgba(0, 0, 0, 0)')(getComputedStyle(document.querySelector('.lane i.sent')))") {
			t.Error("the bars have the colour of the background")
		}
		b.prefer("forced-colors", "none")
	})
	b.step("without keys of one letter", func(t *testing.T) {
		run[any](b, "$('keys').click(); $('list').focus()")
		b.press("2")
		if !run[bool](b, "$('scenarios').hidden") {
			t.Error("the key 2 opens a view")
		}
		run[any](b, "$('keys').click()")
		b.press("2")
		b.until("!$('scenarios').hidden")
	})
	b.wantNoComplaints()
}

// contrastToBack computes the contrast of a colour of the page's style to its background.
const contrastToBack = `(() => {
	const value = name => { const e = document.createElement('i'); e.style.color = 'var(--' + name + ')'; document.body.append(e); const c = getComputedStyle(e).color; e.remove(); return c.match(/[\d.]+/g).map(Number) }
	const light = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0)
	const [a, b] = [light(value('%s')), light(value('back'))].sort((x, y) => y - x)
	return (a + .05) / (b + .05)
})()`

// get returns the body at a URL.
func get(t *testing.T, url string) string {
	t.Helper()
	resp, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Hide hides the page, or shows it again, as the browser does with its tabs.
func (b *browser) hide(isHidden bool) {
	run[any](b, fmt.Sprintf("Object.defineProperty(document, 'hidden', { value: %t, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))", isHidden))
}

// A hidden page asks for nothing, and shows what came meanwhile when it is shown. Of the hidden pages of a server one keeps
// its connection.
func TestAHiddenPageAsksForNothing(t *testing.T) {
	t.Parallel()
	b, url := startWork(t)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	go func() {
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(`{"model": "gpt-4o", "stream": true, "messages": [{"role": "user", "content": "held"}]}`))
		if resp, err := http.DefaultClient.Do(req); err == nil {
			_, _ = io.Copy(io.Discard, resp.Body)
			resp.Body.Close()
		}
	}()
	b.until(rowsHave(1) + " && !$('holds').hidden && shown?.entry.delivery.ended === 'open'")
	// The page has asked for what it shows when the last answer has come; asked counts what it asks for from then on.
	run[any](b, "window.asked = []; window.running = 0; const send = fetch; window.fetch = (to, ...how) => { asked.push(to); running++; return send(to, ...how).finally(() => running--) }")
	b.hide(true)
	b.until("running === 0")
	run[any](b, "asked = []")
	chat(t, url, "gpt-4o", "base")
	b.until("requests.size === 2 && requests.get(2).ended !== 'open'")
	run[any](b, "Promise.all([load(), showHolds()])") // as their timers do
	if asked, listed := run[[]string](b, "asked"), run[int](b, "rows.items.length"); len(asked) > 0 || listed != 1 {
		t.Errorf("the hidden page asked for %q and lists %d requests", asked, listed)
	}
	b.hide(false)
	b.until(rowsHave(2) + " && asked.some(to => to.endsWith('/holds')) && asked.some(to => to.endsWith('/requests/1'))")

	b.step("one that another hidden page stands in for", func(t *testing.T) {
		run[any](b, "new Promise(got => navigator.locks.request('fakeopenai /_fake/', () => new Promise(done => { window.giveUp = done; got() })))")
		b.hide(true)
		b.until("$('state').textContent.startsWith('hidden; ')")
		chat(t, url, "gpt-4o", "base")
		if n := run[int](b, "requests.size"); n != 2 {
			t.Errorf("it has %d requests, although it has let its connection go", n)
		}
		run[any](b, "giveUp()")
		b.until("$('state').textContent === 'live' && requests.size === 3 && document.hidden && rows.items.length === 2")
		b.hide(false)
		b.until(rowsHave(3))
	})
	b.step("one that is shown while another one stands in", func(*testing.T) {
		run[any](b, "new Promise(got => navigator.locks.request('fakeopenai /_fake/', () => new Promise(got)))")
		b.hide(true)
		b.until("$('state').textContent.startsWith('hidden; ')")
		b.hide(false)
		b.until("$('state').textContent === 'live'")
		chat(t, url, "gpt-4o", "base")
		b.until(rowsHave(4))
	})
	b.wantNoComplaints()
}
