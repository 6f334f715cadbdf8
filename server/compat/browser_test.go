package compat

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// browser is a headless Chromium that a test drives over its DevTools protocol.
type browser struct {
	t      *testing.T
	conn   *websocket.Conn
	called sync.Mutex // called lets one call at a time write and read.
	id     int
}

// startChromium starts a headless Chromium with a profile of its own, and returns what it logs. At the end of the
// test it is asked to end, so that its processes end before it, and write no more to the profile.
func startChromium(t *testing.T, args ...string) io.Reader {
	t.Helper()
	profile, err := os.MkdirTemp("", "chromium") //nolint:usetesting // it is removed when nothing writes to it any more
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(findChromium(t), append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", //nolint:noctx // it is interrupted
		"--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
		"--user-data-dir=" + profile, "--remote-debugging-port=0"}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+profile, "TMPDIR="+profile)
	log, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Signal(os.Interrupt)
		impatient := time.AfterFunc(browserPatience, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		impatient.Stop()
		for range 100 { // after a kill the other processes of the browser may still write
			if err = os.RemoveAll(profile); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Errorf("the profile of the browser is left: %v", err)
	})
	return log
}

// startBrowser starts a Chromium with one page, which is empty.
func startBrowser(t *testing.T, args ...string) *browser {
	t.Helper()
	log := startChromium(t, append(args, "about:blank")...)
	port := ""
	for lines := bufio.NewScanner(log); port == "" && lines.Scan(); {
		if _, at, ok := strings.Cut(lines.Text(), "ws://127.0.0.1:"); ok {
			port, _, _ = strings.Cut(at, "/")
		}
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	var targets []struct{ Type, WebSocketDebuggerUrl string }
	resp, err := http.Get("http://127.0.0.1:" + port + "/json")
	if err == nil {
		err = json.NewDecoder(resp.Body).Decode(&targets)
		resp.Body.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		if target.Type == "page" {
			conn, _, err := websocket.Dial(t.Context(), target.WebSocketDebuggerUrl, nil)
			if err != nil {
				t.Fatal(err)
			}
			conn.SetReadLimit(-1)
			t.Cleanup(func() { _ = conn.CloseNow() })
			b := &browser{t: t, conn: conn}
			b.call("Page.enable", nil, nil)
			b.call("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": watchScript}, nil)
			return b
		}
	}
	t.Fatal("the browser has no page")
	return nil
}

// watchScript collects in window.complaints what the page must never have: violations of its policy,
// and errors of its script.
const watchScript = `window.complaints = []
addEventListener('securitypolicyviolation', e => complaints.push('policy: ' + e.violatedDirective + ' ' + e.blockedURI))
addEventListener('error', e => complaints.push('error: ' + e.message))
addEventListener('unhandledrejection', e => complaints.push('rejection: ' + e.reason))`

// call calls a method of the DevTools protocol, and reads its result.
func (b *browser) call(method string, params, result any) {
	b.t.Helper()
	b.called.Lock()
	defer b.called.Unlock()
	ctx, cancel := context.WithTimeout(b.t.Context(), browserPatience)
	defer cancel()
	b.id++
	text, err := json.Marshal(map[string]any{"id": b.id, "method": method, "params": params})
	if err == nil {
		err = b.conn.Write(ctx, websocket.MessageText, text)
	}
	for err == nil {
		var answer struct {
			ID     int
			Result json.RawMessage
			Error  *struct{ Message string }
		}
		if _, text, err = b.conn.Read(ctx); err != nil {
			break
		}
		if err = json.Unmarshal(text, &answer); err != nil || answer.ID != b.id {
			continue
		}
		if answer.Error != nil {
			err = fmt.Errorf("%s", answer.Error.Message)
		} else if result != nil {
			err = json.Unmarshal(answer.Result, result)
		}
		break
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
}

// open opens a page and waits until it is loaded.
func (b *browser) open(url string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.call("Page.navigate", map[string]any{"url": url}, nil)
	b.until("document.readyState === 'complete' && location.href !== 'about:blank'")
}

// run runs JavaScript in the page, and returns the value of the last expression.
func run[T any](b *browser, script string) (value T) {
	b.t.Helper()
	var got struct {
		Result           struct{ Value T }
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &got)
	if got.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", script, got.ExceptionDetails.Exception.Description)
	}
	return got.Result.Value
}

// until waits until a JavaScript condition holds.
func (b *browser) until(condition string) {
	b.t.Helper()
	for deadline := time.Now().Add(browserPatience / 4); ; time.Sleep(20 * time.Millisecond) {
		if run[bool](b, "Boolean("+condition+")") {
			return
		}
		if time.Now().After(deadline) {
			b.t.Fatalf("this never holds: %s\nthe page says:\n%s", condition, run[string](b, "document.body.innerText"))
		}
	}
}

// eventually waits until something holds outside the page.
func (b *browser) eventually(holds func() bool) {
	b.t.Helper()
	for deadline := time.Now().Add(browserPatience / 4); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatal("this never holds")
		}
	}
}

// press presses a key.
func (b *browser) press(keys ...string) {
	b.t.Helper()
	for _, key := range keys {
		event := map[string]any{"type": "keyDown", "key": key}
		if len(key) == 1 {
			event["text"] = key
		}
		if code := map[string]int{"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38}[key]; code != 0 {
			event["windowsVirtualKeyCode"] = code
		}
		if key == "Enter" {
			event["text"] = "\r"
		}
		b.call("Input.dispatchKeyEvent", event, nil)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
	}
}

// size sets the size of the window.
func (b *browser) size(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": false}, nil)
}

// prefer sets what the user prefers, such as prefers-color-scheme: dark.
func (b *browser) prefer(feature, value string) {
	b.t.Helper()
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]string{{"name": feature, "value": value}}}, nil)
}

// picture returns the page as PNG.
func (b *browser) picture() []byte {
	b.t.Helper()
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	png, err := base64.StdEncoding.DecodeString(shot.Data)
	if err != nil {
		b.t.Fatal(err)
	}
	return png
}

// wantNoComplaints fails the test if the page broke its policy, or its script failed.
func (b *browser) wantNoComplaints() {
	b.t.Helper()
	if list := run[[]string](b, "complaints"); len(list) > 0 {
		b.t.Errorf("the page complains: %s", strings.Join(list, "\n"))
	}
}
