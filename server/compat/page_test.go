package compat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// pageScenarios are what the page is tried with.
const pageScenarios = `name: weather
description: Waits in its middle.
when: { user: { contains: weather }, model: gpt-4o* }
stream:
  - role: assistant
  - content: "It is "
  - after: 120ms
    content: "sunny in "
  - heartbeat: 2
  - hold: middle
  - content: "Paris."
  - after: 150ms
    tool_call: { name: get_weather, arguments: { city: Paris } }
  - after: 30ms
    finish: tool_calls
---
name: flaky
when: { user: flaky }
replies:
  - times: 1
    error: { status: 429 }
  - message: Fine now.
---
name: cut
when: { user: cut }
stream:
  - role: assistant
  - content: "One two "
  - after: 60ms
    content: "three"
end: cut
---
name: hostile
description: <img src=x onerror="complaints.push(2)">
when: { user: { contains: onerror } }
envelope: { extra: { "<img src=x onerror=complaints.push(3)>": "<!--<script>" } }
wire: { headers: { X-Evil: "<img src=x onerror=complaints.push(4)>" } }
message: "</script><img src=x onerror=complaints.push(5)>"
---
name: limited
when: { user: limited }
limits: { rpm: 3 }
message: Counted.
---
name: hello
message: Hello there, how are you today?
`

const hostile = `</script><img src=x onerror="complaints.push(1)">&lt;b&gt;`

// chat asks the fake for a chat, and reads the answer as far as it comes.
func chat(t *testing.T, base, model, text string, header ...string) {
	t.Helper()
	ask, _ := json.Marshal(map[string]any{"model": model, "stream": true, "messages": []any{map[string]string{"role": "user", "content": text}}})
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, base+"/v1/chat/completions", strings.NewReader(string(ask)))
	if err != nil {
		t.Error(err)
		return
	}
	if header != nil {
		req.URL.RawQuery = "q=" + strings.ReplaceAll(hostile, " ", "+") // as no browser would write it
	}
	for _, line := range header {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return
	}
	_, _ = io.Copy(io.Discard, resp.Body) // some answers break off
	resp.Body.Close()
}

func writeScenarios(t *testing.T) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "page.yaml")
	if err := os.WriteFile(file, []byte(pageScenarios), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// rowsHave is the condition that the list shows so many requests, and no others.
func rowsHave(n int) string {
	return fmt.Sprintf("document.querySelectorAll('#list .request').length === %d", n)
}

// eventsHave is the condition that the waterfall shows an event with this text.
func eventsHave(text string) string {
	return fmt.Sprintf("[...document.querySelectorAll('#stream .event')].some(e => e.textContent.includes(%q))", text)
}

// The page lists requests as they come, shows the stream of one over time, and releases what waits.
// With -update the picture of the documentation is made again.
func TestThePageShowsWhatHappened(t *testing.T) {
	t.Parallel()
	url := serve(t, build(t), writeScenarios(t))
	chat(t, url, "gpt-4o", "hello before the page is open")
	b := startBrowser(t)
	b.size(1280, 800)
	b.prefer("prefers-color-scheme", "light")
	b.open(url + "/_fake/")
	b.until(rowsHave(1))
	b.until("document.querySelector('.note') && " + eventsHave("Hello")) // planned again, because nobody looked
	for _, user := range []string{"flaky", "flaky", "cut", "limited"} {
		chat(t, url, "gpt-4o", user)
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { chat(t, url, "gpt-4o-mini", "the weather in Paris") })
	b.until(rowsHave(6))
	b.until("document.querySelector('#holds button')")

	b.step("a stream that waits", func(t *testing.T) {
		run[any](b, "$('list').focus()")
		b.press("Home")
		b.until(eventsHave("hold middle, waiting"))
		if text := run[string](b, "document.querySelector('.said').textContent.trim()"); text != "It is sunny in" {
			t.Errorf("the text so far is %q", text)
		}
		for value, moves := range map[string]bool{"reduce": false, "no-preference": true} {
			b.prefer("prefers-reduced-motion", value)
			b.until(fmt.Sprintf("(document.getAnimations().length > 0) === %t", moves))
		}
		b.prefer("prefers-color-scheme", "light")
		wantReadable(t, b)
		wantNames(t, b, "listbox Requests", "listbox Events of the stream", "slider Time", "tab Stream", "tab Requests", "searchbox Filter by text",
			"combobox Filter by scenario", "checkbox failed only", "button Release middle", "button Copy as curl", "tablist Views", "region Text so far")
		run[any](b, "document.querySelector('#holds button').click()")
		b.until("document.querySelector('.said').innerText.includes('get_weather({\"city\":\"Paris\"})')")
		b.until("$('holds').hidden")
		waiting.Wait()
	})
	b.step("bytes beside what they say", func(t *testing.T) {
		run[any](b, "$('list').focus()")
		b.press("Enter", "j", "j", "j")
		got := run[string](b, "document.querySelector('.bytes').innerText")
		if !strings.Contains(got, "64 61 74 61 3a") || !strings.Contains(got, `"content": "sunny in "`) || !strings.Contains(got, "write 2 of") {
			t.Errorf("the fourth event is shown as %q", got)
		}
		picture(t, b)
		b.prefer("prefers-color-scheme", "dark")
		wantReadable(t, b)
		b.prefer("prefers-color-scheme", "light")
		b.press("Escape")
		if id := run[string](b, "document.activeElement.id"); id != "list" {
			t.Errorf("after Escape the focus is at %q", id)
		}
	})
	b.step("the text as it grows", func(t *testing.T) {
		run[any](b, `{
			const { rows, until } = model(shown.line, shown.entry), at = rows.filter(r => r.kind === 'content').map(r => r.time)
			const slider = document.querySelector('input[type=range]')
			slider.value = 1000 * (at[0] + at[1]) / 2 / until
			slider.dispatchEvent(new Event('input'))
		}`)
		if text := run[string](b, "document.querySelector('.said').textContent.trim()"); text != "It is" {
			t.Errorf("between the first two pieces the text is %q", text)
		}
		run[any](b, "$('list').focus()")
		b.press("p")
		b.until("document.querySelector('.said').innerText.includes('get_weather') && document.querySelector('.pace button').textContent.includes('Play')")
	})
	b.step("a retry beside its first try", func(t *testing.T) {
		run[any](b, "select(3).then(() => { $('compare').value = '2'; $('compare').dispatchEvent(new Event('change')) })")
		b.until("document.querySelector('.said .other')?.textContent.startsWith('#2') && document.querySelector('.lane i.second')")
		b.until(eventsHave("200 ≠ 429"))
	})
	b.step("how it ended", func(t *testing.T) {
		run[any](b, "select(4)")
		b.until(eventsHave("cut, as authored") + " && [...document.querySelectorAll('.event .bad')].map(e => e.textContent).join() === 'content,end'") // the last event is torn
		b.until("[...document.querySelectorAll('#list .bad')].some(e => e.textContent === 'cut, as authored')")
	})
	b.step("why", func(t *testing.T) {
		run[any](b, "select(6).then(() => open('Why'))")
		b.until(`document.querySelector('.trial').innerText.includes('✓ model fits "gpt-4o*": it is "gpt-4o-mini"')`)
		b.until(`$('part').innerText.includes('✗ the last user message is "flaky"')`)
		run[any](b, "select(3)")
		b.until("$('part').innerText.includes('flaky, reply 1 — reply 1: it was given 1 of 1 times')")
		run[any](b, "select(6)")
		wantReadable(t, b)
	})
	b.step("copied", func(t *testing.T) {
		for button, want := range map[string]string{"curl": "--data-raw", "as-scenario": "get_weather"} {
			run[any](b, "$('"+button+"').click()")
			b.until("$('" + button + "').dataset.copied?.includes('" + want + "')")
		}
		if out, err := exec.CommandContext(t.Context(), "sh", "-c", strings.Replace(run[string](b, "$('curl').dataset.copied"), "gpt-4o-mini", "o3", 1)).Output(); err != nil || !strings.Contains(string(out), "Hello") {
			t.Errorf("the copied command gives %q, %v", out, err)
		}
		b.until(rowsHave(7))
	})
	b.step("filters", func(t *testing.T) {
		b.press("/")
		b.press("f", "l", "a", "k", "y")
		b.until(rowsHave(2))
		for filter, n := range map[string]int{"method:post http/1.1": 7, "post": 7, "HEAD": 0, "status:429": 1, "-status:429 flaky": 1, "#4": 1, "path:/v1/files": 0, "model:mini": 1} {
			run[any](b, fmt.Sprintf("$('search').value = %q; showList()", filter))
			if got := run[int](b, "rows.items.length"); got != n {
				t.Errorf("%q finds %d requests, want %d", filter, got, n)
			}
		}
		b.until("$('head').innerText.includes('protocol HTTP/1.1')")
		b.press("Escape")
		b.until(rowsHave(7))
		run[any](b, "$('list').focus()")
		b.press("f")
		b.until(rowsHave(2)) // the 429 and the cut
		run[any](b, "$('by-scenario').value = 'cut'; $('by-scenario').onchange()")
		b.until(rowsHave(1))
		b.press("f")
		run[any](b, "$('by-scenario').value = ''; $('by-scenario').onchange()")
	})
	b.step("other views", func(t *testing.T) {
		run[any](b, "$('list').focus()")
		b.press("2")
		b.until("$('scenarios').innerText.includes('given 1 of 1') && $('scenarios').innerText.includes('not yet') && $('scenarios').innerText.includes('2 times')")
		wantReadable(t, b)
		b.press("3")
		b.until("$('limits').innerText.includes('1 of 3, 2 left')")
		b.press("4")
		run[any](b, "$('yaml').value = 'name: a\\nstream:\\n- role: assistant\\n- content: tried\\n'; $('try-button').click()")
		b.until("$('problems').innerText.includes('missing-finish') && document.querySelector('#tried-events .event')")
		wantReadable(t, b)
		run[any](b, "$('tab-endpoints').click()")
		b.until("$('endpoints').querySelector('a[href=\"/_fake/holds\"]')")
		run[any](b, "$('tab-requests').click()")
	})
	b.step("hostile texts", func(t *testing.T) {
		chat(t, url, hostile, hostile, "X-Evil: "+hostile, "User-Agent: "+hostile, "Authorization: Bearer "+hostile)
		b.until(rowsHave(8))
		wantTexts(t, b, 8)
	})
	b.step("a narrow window", func(t *testing.T) {
		b.size(400, 800)
		b.until("getComputedStyle($('detail')).display === 'none'")
		run[any](b, "$('list').focus()")
		b.press("Enter")
		b.until("getComputedStyle($('side')).display === 'none' && document.querySelector('#stream .event')")
		if over := run[int](b, "document.documentElement.scrollWidth - innerWidth"); over > 0 {
			t.Errorf("the page is %d pixels wider than the window", over)
		}
		b.press("Escape")
		b.until("getComputedStyle($('detail')).display === 'none'")
	})
	b.wantNoComplaints()
}

// The page shows how far a client has read that left: one has read all that was sent, and one next to nothing.
func TestThePageShowsHowFarTheClientRead(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "slow.yaml")
	steps := strings.Repeat("- content: { repeat: word, bytes: 20000 }\n", 15) // more than a machine takes for a program that does not read
	scenario := func(name, steps string) string {
		return fmt.Sprintf("name: %s\nwhen: { user: %[1]s }\npace: { every: 1ms }\nstream:\n- role: assistant\n%s- hold: %[1]s\n- finish: stop\n", name, steps)
	}
	if err := os.WriteFile(file, []byte(scenario("slow", steps)+"---\n"+scenario("quick", "- content: word\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, build(t), file)
	b := startBrowser(t)
	b.size(1280, 800)
	b.open(url + "/_fake/")
	b.until("$('state').textContent === 'live'")
	ask := func(user string) *net.TCPConn {
		t.Helper()
		conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		slow := conn.(*net.TCPConn)
		t.Cleanup(func() { _ = slow.Close() })
		_ = slow.SetReadBuffer(1 << 10)
		body := fmt.Sprintf(`{"model": "gpt-4o", "stream": true, "messages": [{"role": "user", "content": %q}]}`, user)
		if _, err := fmt.Fprintf(slow, "POST /v1/chat/completions HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			t.Fatal(err)
		}
		return slow
	}
	quick := ask("quick")
	lines := bufio.NewScanner(quick)
	for lines.Scan() && !strings.Contains(lines.Text(), `"word"`) {
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	slow := ask("slow")
	b.until(rowsHave(2) + " && $('holds').children.length === 2")
	_ = quick.CloseWrite()
	_ = slow.Close()
	b.until("document.querySelectorAll('#list .request .bad').length === 4") // the status and the end of both

	states := "model(shown.line, shown.entry).rows.filter(r => r.bytes).map(r => r.state)"
	const titles = "[...document.querySelectorAll('#stream .event')].map(e => e.title)"
	run[any](b, "select(1)")
	b.until(eventsHave("client left fin"))
	if got := run[[]string](b, states); !slices.Equal(got, []string{"sent", "sent", "not sent", "not sent"}) {
		t.Errorf("of the client that has read all, the events are %q", got)
	}
	run[any](b, "select(2)")
	b.until(eventsHave("client left rst") + " && document.querySelector('.lane i.unread') && document.querySelector('.facts').innerText.includes('not read')")
	got := run[[]string](b, states)
	if len(got) != 18 || got[0] != "sent" || got[15] != "sent, not read" || got[16] != "not sent" {
		t.Errorf("of the client that has not read, the events are %q", got)
	}
	run[any](b, "$('stream').scrollTop = 0")
	b.until(eventsHave("header 200"))
	if all := strings.Join(run[[]string](b, titles), "\n"); runtime.GOOS == "linux" && (!strings.Contains(all, " in 1 packet") || !strings.Contains(all, " bytes, and no packet left meanwhile: they left later")) {
		t.Errorf("the page says of the writes:\n%s", all)
	}
	b.wantNoComplaints()
}

// wantTexts fails the test if the page makes elements of the texts of a request that is hostile in all its
// parts, with an answer that is, too.
func wantTexts(t *testing.T, b *browser, request int) {
	t.Helper()
	run[any](b, fmt.Sprintf("select(%d).then(() => open('Stream'))", request))
	b.until(eventsHave("script"))
	for _, show := range []string{"open('Why')", "open('Request')", "open('Answer')", "view('limits')", "view('scenarios')", "view('requests')", "open('Stream')"} {
		run[any](b, show)
		b.until("document.querySelector('main:not([hidden])').innerText !== ''")
		if n := run[int](b, "document.images.length + document.scripts.length + document.querySelectorAll('iframe, object, embed, link:not([rel=icon]), base').length"); n != 2 {
			t.Errorf("after %s the page has %d images, scripts and the like, want its own two scripts", show, n)
		}
	}
}

// step runs a part of the test, in which the browser's failures are those of that part.
func (b *browser) step(name string, run func(t *testing.T)) {
	whole := b.t
	defer func() { b.t = whole }()
	whole.Run(name, func(t *testing.T) {
		b.t = t
		run(t)
	})
}

// picture writes the picture of the documentation, with -update.
func picture(t *testing.T, b *browser) {
	t.Helper()
	if *update {
		var small bytes.Buffer
		shown, err := png.Decode(bytes.NewReader(b.picture()))
		if err == nil {
			err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, inFewColours(shown))
		}
		if err == nil {
			err = os.WriteFile("../page.png", small.Bytes(), 0o644) //nolint:gosec // pictures are for all to read
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// inFewColours returns a picture in its 256 most frequent colours, which is small as a file.
func inFewColours(shown image.Image) image.Image {
	often, at := map[color.Color]int{}, shown.Bounds()
	for y := range at.Dy() {
		for x := range at.Dx() {
			often[shown.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(often), func(a, b color.Color) int { return often[b] - often[a] })
	few := image.NewPaletted(at, colours[:min(256, len(colours))])
	draw.Draw(few, at, shown, at.Min, draw.Src)
	return few
}

func TestThePageAsksForTheTokenInChromium(t *testing.T) {
	t.Parallel()
	url := serve(t, build(t), writeScenarios(t), "--admin-token", "open sesame")
	chat(t, url, "gpt-4o", "hello")
	b := startBrowser(t)
	b.open(url + "/_fake/")
	b.until("$('ask-token').open")
	for _, token := range []string{"wrong", "open sesame"} {
		run[any](b, "$('token').focus()")
		b.call("Input.insertText", map[string]any{"text": token}, nil)
		b.press("Enter")
		if token == "wrong" {
			b.until("$('token-note').textContent.includes('wrong')")
		}
	}
	b.until(rowsHave(1))
	b.wantNoComplaints()
}

// With an API key in its query the page shows and changes what belongs to that key alone.
func TestThePageOfAKeyInChromium(t *testing.T) {
	t.Parallel()
	url := serve(t, build(t), "shards.yaml")
	for _, key := range []string{"sk-one", "sk-other"} {
		_, end := caller{url: url, key: key}.stream(t, "held", "Once upon")
		defer end.Close()
	}
	b := startBrowser(t)
	b.open(url + "/_fake/?api_key=sk-one")
	b.until("document.querySelector('#holds button')")
	run[any](b, "document.querySelector('#holds button').click()")
	b.until(rowsHave(1) + " && !document.querySelector('#holds button')")
	if _, holds := (caller{url: url, key: "sk-other"}).ask(http.MethodGet, "/_fake/holds", ""); strings.Count(holds, `"request":`) != 1 {
		t.Errorf("after the release for one key, the streams of the other wait so: %s", holds)
	}
	b.press("2")
	b.until("$('scenarios').innerText.includes('counted')")
	b.wantNoComplaints()
}

// A page that was written to a file opens without a server.
func TestAPageInAFileInChromium(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "run.html")
	const script = `for text in flaky flaky cut "<img src=x onerror=complaints.push(6)>" hello; do curl -s -o /dev/null "$OPENAI_BASE_URL/chat/completions?q=<img/src=x>" \
		-H "X-Evil: $text" -H "Authorization: Bearer sk-very-secret-key" -d '{"model": "</script><img src=x onerror=complaints.push(7)><!--<script>", "stream": true, "messages": [{"role": "user", "content": "'"$text"'"}]}'; done; exit 3`
	out, err := exec.CommandContext(t.Context(), build(t), "exec", "--page", file, writeScenarios(t), "--", "sh", "-c", script).CombinedOutput()
	if code := 3; err == nil || !strings.Contains(err.Error(), fmt.Sprint(code)) {
		t.Fatalf("exec: %v\n%s", err, out)
	}
	if text, err := os.ReadFile(file); err != nil || strings.Contains(string(text), "very-secret") {
		t.Errorf("the file has a secret, or cannot be read: %v", err)
	}
	b := startBrowser(t)
	b.open("file://" + file)
	b.until(rowsHave(5))
	year := time.Now().UTC().Format("2006-")
	b.until("$('about').innerText.includes('Written " + year + "') && $('about').innerText.includes(' --page ') && document.title.includes('" + year + "')")
	b.press("4", "5")
	b.until("!$('requests').hidden") // these views are not in a file
	for filter, n := range map[string]int{"fine now": 1, "hello": 1, "one two": 1, "surface:chat": 5} {
		run[any](b, fmt.Sprintf("$('search').value = %q; $('search').oninput()", filter))
		b.until(fmt.Sprintf("rows.items.length === %d", n))
	}
	run[any](b, "$('show-all').click(); select(2).then(() => { $('curl').click() })")
	b.until("/http:..127.0.0.1:[0-9]+.v1/.test($('curl').dataset.copied) && $('said-of-copy').innerText.includes('OPENAI_API_KEY')")
	run[any](b, "select(3)")
	b.until("document.querySelector('.said').innerText.includes('One two') && document.querySelector('.lane i.sent')")
	run[any](b, "open('Why')")
	b.until("$('part').innerText.includes('✓ the last user message is')")
	wantTexts(t, b, 4)
	b.press("2")
	b.until("$('scenarios').innerText.includes('given 1 of 1')")
	b.wantNoComplaints()
}

// Ten thousand requests of a hundred chunks are a list of which few rows are in the document.
func TestThePageWithTenThousandRequests(t *testing.T) {
	t.Parallel()
	const requests = 10_000
	file := filepath.Join(t.TempDir(), "many.yaml")
	steps := strings.Repeat("- content: word\n", 98)
	if err := os.WriteFile(file, []byte("name: many\nstream:\n- role: assistant\n"+steps+"- finish: stop\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := serve(t, build(t), file, "--journal", fmt.Sprint(requests), "--log-level", "error")
	var asking sync.WaitGroup
	for range 4 {
		asking.Go(func() {
			for range requests / 4 {
				chat(t, url, "gpt-4o", "many")
			}
		})
	}
	asking.Wait()
	b := startBrowser(t)
	b.size(1280, 800)
	b.open(url + "/_fake/")
	b.until(fmt.Sprintf("rows.items.length === %d && document.querySelectorAll('#stream .event').length > 5", requests))
	t.Logf("the page with %d requests was there after %.0f ms", requests, run[float64](b, "performance.now()"))
	longest := run[float64](b, `new Promise(done => {
		let last = performance.now(), longest = 0, n = 0
		const step = now => {
			longest = Math.max(longest, now - last)
			last = now
			$('list').scrollTop += 4000
			if (++n < 60) requestAnimationFrame(step); else done(longest)
		}
		requestAnimationFrame(step)
	})`)
	t.Logf("while it scrolled, the longest frame took %.0f ms", longest)
	if n := run[int](b, "document.querySelectorAll('*').length"); n > 1500 {
		t.Errorf("the document has %d elements", n)
	}
	b.wantNoComplaints()
}

// wantReadable fails the test if a text in sight has less contrast than WCAG 2 asks for at level AA.
func wantReadable(t *testing.T, b *browser) {
	t.Helper()
	for _, text := range run[[]string](b, `(() => {
		const channels = color => color.match(/[\d.]+/g).map(Number)
		const light = ([r, g, b]) => [r, g, b].map(c => (c /= 255) <= .04045 ? c / 12.92 : ((c + .055) / 1.055) ** 2.4).reduce((sum, c, i) => sum + c * [.2126, .7152, .0722][i], 0)
		const behind = e => { for (; e; e = e.parentElement) { const c = channels(getComputedStyle(e).backgroundColor); if (c[3] !== 0) return c } return [255, 255, 255] }
		const bad = []
		const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
		while (walk.nextNode()) {
			const e = walk.currentNode.parentElement, text = walk.currentNode.textContent.trim()
			if (!text || !e.checkVisibility() || ['SCRIPT', 'STYLE', 'OPTION'].includes(e.tagName) || e.matches('.open-dot')) continue
			const [a, b] = [light(channels(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x)
			const contrast = (a + .05) / (b + .05)
			if (contrast < 4.5) bad.push(contrast.toFixed(2) + ' ' + e.className + ' ' + text)
		}
		return bad
	})()`) {
		t.Errorf("too little contrast: %s", text)
	}
}

// wantNames fails the test if the accessibility tree lacks one of the elements, each written as its role
// and name, or has one that can be used and has no name.
func wantNames(t *testing.T, b *browser, want ...string) {
	t.Helper()
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name struct{ Value any }
		}
	}
	b.call("Accessibility.getFullAXTree", nil, &tree)
	var got []string
	for _, n := range tree.Nodes {
		role, name := fmt.Sprint(n.Role.Value), fmt.Sprint(n.Name.Value)
		got = append(got, role+" "+name)
		used := slices.Contains([]string{"button", "tab", "slider", "checkbox", "combobox", "searchbox", "textbox", "listbox", "tablist", "option", "tabpanel", "link"}, role)
		if used && !n.Ignored && (n.Name.Value == nil || strings.TrimSpace(name) == "") {
			t.Errorf("a %s has no name", role)
		}
	}
	for _, element := range want {
		if !slices.Contains(got, element) {
			t.Errorf("there is no %s among\n%s", element, strings.Join(got, "\n"))
		}
	}
}
