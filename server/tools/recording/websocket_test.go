package recording_test

import (
	"bufio"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// framed is a WebSocket frame: a whole message of text, as a client or as a server sends it.
func framed(text string, byClient bool) string { return frameOf(0x81, text, byClient) }

func frameOf(first byte, text string, byClient bool) string {
	frame, mask := []byte{first}, byte(0)
	if byClient {
		mask = 0x80
	}
	switch n := len(text); {
	case n < 126:
		frame = append(frame, mask|byte(n))
	case n < 1<<16:
		frame = binary.BigEndian.AppendUint16(append(frame, mask|126), uint16(n))
	default:
		frame = binary.BigEndian.AppendUint64(append(frame, mask|127), uint64(n))
	}
	if !byClient {
		return string(append(frame, text...))
	}
	key := []byte{1, 2, 3, 4}
	frame = append(frame, key...)
	for i := range len(text) {
		frame = append(frame, text[i]^key[i%4])
	}
	return string(frame)
}

// The messages of a connection are recorded however their bytes come; what are no such messages, or
// are too long, is only passed on.
func TestMessagesAreRecordedHoweverTheirBytesCome(t *testing.T) {
	t.Parallel()
	ask := func(text string) string { return `{"type":"response.create","model":"gpt-4o","input":"` + text + `"}` }
	const begin = `{"type":"response.created","sequence_number":0,"response":{"id":"resp_1","object":"response","status":"in_progress","output":[]}}`
	const end = `{"type":"response.completed","sequence_number":1,"response":{"id":"resp_1","object":"response","status":"completed","output":[]}}`
	const failure = `{"type":"error","sequence_number":1,"code":"server_error","message":"oops","param":null}`
	const ok, passed = "/v1/responses", "/v1/responses: the connection changed to another protocol"
	long := strings.Repeat("x", 70_000)
	for name, c := range map[string]struct {
		asked, told string
		limit       int64
		endings     []string
		in          string // in is in the files.
	}{
		"a message":                      {framed(ask("Hi"), true), framed(begin, false) + framed(end, false), 0, []string{ok}, `equals: "Hi"`},
		"lengths of 16 and 64 bits":      {framed(ask(long), true), framed(strings.Replace(begin, "resp_1", strings.Repeat("r", 200), 1), false) + framed(end, false), 0, []string{ok}, long},
		"frames with a ping between":     {frameOf(1, ask("Hello")[:9], true) + frameOf(0x89, "ping", true) + frameOf(0x80, ask("Hello")[9:], true), framed(begin, false) + framed(end, false), 0, []string{ok}, "Hello"},
		"a lane":                         {framed(strings.Replace(ask("Hi"), "{", `{"stream_id":"a",`, 1), true), framed(strings.Replace(begin, "{", `{"stream_id":"a",`, 1), false) + framed(strings.Replace(end, "{", `{"stream_id":"a",`, 1), false), 0, []string{ok}, `"Hi"`},
		"an answer that breaks off":      {framed(ask("Hi"), true), framed(begin, false), 0, []string{ok}, "cut"},
		"an error in the middle":         {framed(ask("Hi"), true) + framed(ask("Ho"), true), framed(begin, false) + framed(failure, false) + framed(begin, false) + framed(end, false), 0, []string{ok, ok}, `"oops"`},
		"no answer":                      {framed(ask("Hi"), true), framed(`{"type":"response.created","stream_id":"b"}`, false), 0, nil, ""},
		"a message that asks for none":   {framed("{}", true) + framed(ask("Hi"), true), framed(`{"type":"error","status":400,"error":{"message":"no"}}`, false) + framed(begin, false) + framed(end, false), 0, []string{ok}, `"Hi"`},
		"an answer that is too long":     {framed(ask("Hi"), true), framed(begin, false) + framed(end, false), 200, []string{ok + ": its body or that"}, ""},
		"a frame that is too long":       {framed(ask(long), true), framed(begin, false), 200, []string{passed}, ""},
		"frames that are too long":       {frameOf(1, long, true) + frameOf(0x80, long, true), framed(begin, false), 100_000, []string{passed}, ""},
		"a client's frame without mask":  {framed(ask("Hi"), false), framed(begin, false), 0, []string{passed}, ""},
		"a server's frame with a mask":   {framed(ask("Hi"), true), framed(begin, true), 0, []string{passed}, ""},
		"a frame of an extension":        {frameOf(0xc1, ask("Hi"), true), framed(begin, false), 0, []string{passed}, ""},
		"bytes that are no frame at all": {"GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n\r\n", 0, []string{passed}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hold(t, func(w http.ResponseWriter, _ *http.Request) {
				conn, rw, err := http.NewResponseController(w).Hijack()
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				_, _ = io.WriteString(conn, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n")
				_, _ = io.CopyN(io.Discard, rw, int64(len(c.asked)))
				for i := 0; i < len(c.told); i += 1 + i/100 { // The first bytes come one by one.
					_, _ = io.WriteString(conn, c.told[i:min(len(c.told), i+1+i/100)])
				}
			})
			h.Limit = c.limit
			var dialer net.Dialer
			conn, err := dialer.DialContext(t.Context(), "tcp", strings.TrimPrefix(h.url, "http://"))
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			_, _ = io.WriteString(conn, "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n")
			read := bufio.NewReader(conn)
			for line := ""; line != "\r\n"; {
				if line, err = read.ReadString('\n'); err != nil {
					t.Fatal(err)
				}
			}
			for i := 0; i < len(c.asked); i += 1 + i/100 {
				_, _ = io.WriteString(conn, c.asked[i:min(len(c.asked), i+1+i/100)])
			}
			if got, _ := io.ReadAll(read); string(got) != c.told {
				t.Errorf("the client has\n%q, want\n%q", got, c.told)
			}
			conn.Close()
			h.wait(t)
			got := h.endings()
			for i := range got {
				if i >= len(c.endings) || !strings.HasPrefix(got[i], c.endings[i]) || c.endings[i] == ok && got[i] != ok {
					t.Errorf("Ended is called with %q, want %q", got, c.endings)
				}
			}
			if len(got) != len(c.endings) {
				t.Errorf("Ended is called with %q, want %q", got, c.endings)
			}
			text := ""
			for _, f := range h.List.Files() {
				text += string(f.Data)
			}
			if !strings.Contains(text, c.in) || c.in == "" && text != "" {
				t.Errorf("want %.100q in\n%s", c.in, text)
			}
		})
	}
}
