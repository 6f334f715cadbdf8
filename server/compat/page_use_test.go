package compat

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
)

// mouse moves the mouse to the middle of an element, and with click presses and releases its button there.
func (b *browser) mouse(element string, click bool) {
	b.t.Helper()
	at := run[[]float64](b, fmt.Sprintf("(r => [r.x + r.width / 2, r.y + r.height / 2])((%s).getBoundingClientRect())", element))
	events := []string{"mouseMoved"}
	if click {
		events = append(events, "mousePressed", "mouseReleased")
	}
	for _, kind := range events {
		b.call("Input.dispatchMouseEvent", map[string]any{"type": kind, "x": at[0], "y": at[1], "button": "left", "clickCount": 1}, nil)
	}
}

// again waits until the page has asked an endpoint twice more, and so has shown what it said.
func (b *browser) again(endpoint string) {
	b.t.Helper()
	const asked = "performance.getEntriesByType('resource').filter(e => e.name.endsWith(%q)).length"
	run[any](b, "performance.clearResourceTimings()")
	b.until(fmt.Sprintf(asked+" > 2", endpoint))
}

// What is shown stays under the hand: rows and buttons are the same nodes, the bytes are those of the event that was
// selected, and a request is shown for as long as its reader wants.
func TestThePageStaysUnderTheHand(t *testing.T) {
	t.Parallel()
	binary, file, whole := build(t), writeScenarios(t), t
	server := startServer(t, binary, file, "--journal", "30", "--transcripts")
	url := server.url
	b := startBrowser(t)
	b.size(1280, 800)
	b.open(url + "/_fake/")
	var waiting sync.WaitGroup
	for range 2 {
		waiting.Go(func() { chat(t, url, "gpt-4o-mini", "the weather in Paris") })
	}
	b.until(rowsHave(2) + " && document.querySelector('#holds button') && " + eventsHave("hold middle, waiting"))

	b.step("a button keeps the focus, and a text its selection", func(t *testing.T) {
		run[any](b, "window.kept = [document.querySelector('#holds button'), document.querySelector('#list .request'), document.querySelector('#stream .event button')]")
		b.mouse("document.querySelectorAll('#stream .event')[2]", true)
		b.until("document.querySelector('.hex')?.textContent.includes('64 61 74 61')")
		run[any](b, "getSelection().selectAllChildren(document.querySelector('.hex')); kept[0].focus()")
		selected := run[int](b, "String(getSelection()).length")
		b.again("/holds")
		b.again("/timeline")
		if !run[bool](b, "kept.every(e => e.isConnected) && document.activeElement === kept[0]") {
			t.Error("buttons or rows are other nodes, or the focus is lost")
		}
		if n := run[int](b, "String(getSelection()).length"); n != selected || n < 40 {
			t.Errorf("of %d selected characters %d are left", selected, n)
		}
	})
	b.step("the pointer shows no other bytes", func(t *testing.T) {
		before := run[string](b, "document.querySelector('.bytes').innerText")
		for i := 3; i < 6; i++ {
			b.mouse(fmt.Sprintf("document.querySelectorAll('#stream .event')[%d]", i), false)
		}
		if after := run[string](b, "document.querySelector('.bytes').innerText"); after != before || !strings.Contains(before, "content") {
			t.Errorf("the bytes were\n%s\nand are\n%s", before, after)
		}
	})
	b.step("other parts of an open request stay, too", func(t *testing.T) {
		run[any](b, "open('Request'); window.kept = $('body'); getSelection().selectAllChildren(kept)")
		b.again("/timeline")
		if !run[bool](b, "kept.isConnected && String(getSelection()).includes('Paris')") {
			t.Error("the body is another node, or its text is not selected any more")
		}
		run[any](b, "open('Stream')")
	})
	b.step("a button is pressed by the keyboard", func(t *testing.T) {
		run[any](b, "document.querySelector('#holds button').focus()")
		b.again("/holds")
		b.press("Enter")
		waiting.Wait()
		b.until("$('holds').hidden")
	})
	b.step("the list stands still", func(t *testing.T) {
		for range 20 {
			chat(t, url, "gpt-4o", "limited")
		}
		b.until("rows.items.length === 22")
		run[any](b, "$('list').scrollTop = 100")
		first := run[int](b, "rows.items[0].id")
		for range 3 {
			chat(t, url, "gpt-4o", "hello")
		}
		b.until("$('newer').textContent === '3 new' && !$('newer').hidden")
		if at, top := run[int](b, "rows.items[0].id"), run[int](b, "$('list').scrollTop"); at != first || top != 100 {
			t.Errorf("the list begins with #%d at %d, not with #%d at 100", at, top, first)
		}
		run[any](b, "$('newer').click()")
		b.until("rows.items[0].id === 25 && $('newer').hidden")
		run[any](b, "$('pause').click()")
		chat(t, url, "gpt-4o", "hello")
		b.until("$('newer').textContent === '1 new' && rows.items[0].id === 25")
		run[any](b, "$('pause').click(); $('clear').click()")
		b.until("rows.items.length === 0 && $('count').textContent.startsWith('0 of 26')")
		chat(t, url, "gpt-4o", "hello")
		b.until("rows.items.length === 1")
		run[any](b, "$('clear').click()")
		b.until("rows.items.length === 27")
	})
	b.step("what is shown stays when it is forgotten", func(t *testing.T) {
		run[any](b, "select(1)")
		b.until(eventsHave("tool_calls"))
		for range 5 {
			chat(t, url, "gpt-4o", "hello")
		}
		b.until("$('gone').innerText.includes('Request 1 is forgotten: the journal keeps 30 requests (--journal)')")
		b.until("$('head').innerText.includes('#1 POST') && location.hash === '#1' && " + eventsHave("tool_calls") + " && $('count').innerText.includes('2 forgotten')")
		run[any](b, "select(9999)")
		b.until("$('nothing').innerText === 'The journal has no request 9999.' && location.hash === '#9999'")
		run[any](b, "history.back()")
		b.until("$('nothing').innerText.startsWith('Request 1 is forgotten')")
	})
	b.step("and when the server ends", func(t *testing.T) {
		run[any](b, "select(30)")
		b.until("$('head').innerText.includes('#30 POST')")
		_ = server.cmd.Process.Signal(os.Interrupt)
		_ = server.cmd.Wait()
		b.until("!$('state').classList.contains('live')")
		startServer(whole, binary, file, "--addr", strings.TrimPrefix(url, "http://"))
		b.until("$('gone').innerText.includes('The server was started anew at') && $('head').innerText.includes('#30 POST') && rows.items.length === 0")
		chat(t, url, "gpt-4o", "hello")
		b.until("rows.items.length === 1 && $('head').innerText.includes('#30 POST')")
	})
	b.step("a view's key is not typed into it", func(t *testing.T) {
		before := run[string](b, "$('yaml').value")
		run[any](b, "$('list').focus()")
		b.press("4")
		if after := run[string](b, "$('yaml').value"); after != before {
			t.Errorf("the YAML begins with %q", after[:10])
		}
		run[any](b, "$('yaml').value = 'name: a\\nwhen: {user: hi\\n  stream: ['; $('try-button').click()")
		b.until("$('problems').innerText.includes('line ')")
		if text := run[string](b, "$('problems').innerText"); strings.Contains(text, "undefined") {
			t.Errorf("the problems are %q", text)
		}
	})
	b.wantNoComplaints()
}
