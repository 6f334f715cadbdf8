package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

// A realtime session that has been set to text and waits takes less than mostIdle bytes: 1,000 of them, without
// compression, on one core.
func TestIdleRealtimeSessionsTakeLittleMemory(t *testing.T) {
	const sessions, mostIdle = 1000, 60 << 10
	dir := t.TempDir()
	if err := build(dir + "/fakeopenai"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(dir+"/hello.yaml", []byte("name: hello\nmessage: Hello there.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := start(serverCore, dir+"/fakeopenai", "serve", "--addr", "127.0.0.1:0", dir+"/hello.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer p.stop()
	open(t, p, 50) // what is made once, and what a session leaves behind
	before := p.resident()
	open(t, p, sessions)
	each := (p.resident() - before) / sessions
	t.Logf("an idle session takes %.1f KiB", float64(each)/1024)
	if each >= mostIdle {
		t.Errorf("an idle session takes %d bytes, want less than %d", each, mostIdle)
	}
}

// open opens realtime sessions with a server, which stay open until the end of the test.
func open(t *testing.T, p *process, n int) {
	t.Helper()
	for range n {
		c, err := openRealtime(strings.TrimPrefix(p.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
	}
}

// openRealtime opens a realtime session and sets it to text.
func openRealtime(address string) (net.Conn, error) {
	c, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		return nil, err
	}
	const update = `{"type":"session.update","session":{"type":"realtime","output_modalities":["text"]}}`
	frame := append([]byte{0x81, 0x80 | byte(len(update)), 0, 0, 0, 0}, update...) // a text with a mask that changes nothing
	_, err = fmt.Fprintf(c, "GET /v1/realtime?model=gpt-realtime HTTP/1.1\r\nHost: %s\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nAuthorization: Bearer sk-a\r\n\r\n%s", address, frame)
	if err != nil {
		return nil, err
	}
	var got []byte
	for buffer := make([]byte, 4096); bytes.Count(got, []byte(`"include":null}}`)) < 2; { // session.created and session.updated
		n, err := c.Read(buffer)
		if got = append(got, buffer[:n]...); err != nil {
			return nil, errors.Join(err, fmt.Errorf("after %q", got))
		}
	}
	return c, nil
}
