package server_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// said is the beginning of each scenario of this test that has no beginning of its own.
const said = `
name: wire
envelope: { id: c, model: m, layout: minimal }
stream:
  - role: assistant
  - content: "Zoë 🎉"
  - finish: stop
`

// brief is the body of a request for a stream, without obfuscation.
const brief = `{"model":"gpt-4o","stream":true,"stream_options":{"include_obfuscation":false},"messages":[{"role":"user","content":"hi"}]}`

// whole is the body of a request for an answer that is not streamed.
const whole = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`

// message is a short message.
const message = "name: wire\nenvelope: { id: c, model: m, layout: minimal }\nmessage: Hi there\n"

// wireCase is one way to write an answer, with the request for it.
type wireCase struct {
	name   string
	yaml   string
	body   string   // default: brief
	header []string // of the request, as "Name: value"
}

// wireCases use every word of wire, damage and end.
var wireCases = []wireCase{
	{name: "plain", yaml: "name: plain\nmessage: Hi\n"},

	{name: "newline lf", yaml: said + "wire: { newline: lf }\n"},
	{name: "newline crlf", yaml: said + "wire: { newline: crlf }\n"},
	{name: "newline cr", yaml: said + "wire: { newline: cr }\n"},
	{name: "newline mixed", yaml: said + "seed: 4\nwire: { newline: mixed }\n"},
	{name: "bom", yaml: said + "wire: { bom: true }\n"},
	{name: "space false", yaml: said + "wire: { space: false }\n"},
	{name: "multiline_data", yaml: said + "wire: { multiline_data: true }\n"},
	{name: "comments_between", yaml: said + "wire: { comments_between: ping }\n"},
	{name: "event_name", yaml: said + "wire: { event_name: message }\n"},
	{name: "ids and retry", yaml: said + "wire: { ids: true, retry: 3000 }\n"},
	{name: "final_blank false", yaml: said + "wire: { final_blank: false }\n"},
	{name: "final_blank false with crlf", yaml: said + "wire: { final_blank: false, newline: crlf }\n"},
	{name: "done 0", yaml: said + "wire: { done: 0 }\n"},
	{name: "done 2", yaml: said + "wire: { done: 2 }\n"},

	{name: "split byte", yaml: said + "wire: { split: byte, done: 0 }\n"},
	{name: "split 40 bytes", yaml: said + "wire: { split: 40 }\n"},
	{name: "split rune", yaml: "name: wire\nstream: [{ raw: \"Zoë 🎉\" }]\nwire: { split: rune, done: 0 }\n"},
	{name: "split inside_rune", yaml: said + "wire: { split: inside_rune }\n"},
	{name: "split crlf", yaml: said + "wire: { split: crlf, newline: crlf }\n"},
	{name: "split field", yaml: said + "wire: { split: field, ids: true }\n"},
	{name: "split inside_chunk", yaml: said + "wire: { split: inside_chunk, done: 0 }\n"},
	{name: "split random", yaml: said + "seed: 7\nwire: { split: random, done: 0 }\n"},
	{name: "coalesce", yaml: said + "wire: { coalesce: 2 }\npace: { every: 1ms }\n"},
	{name: "paced", yaml: said + "pace: { every: 250ms }\n"}, // frames that are late are written with those before

	{name: "json_style compact", yaml: said + "wire: { json_style: compact }\n"},
	{name: "json_style spaced", yaml: said + "wire: { json_style: spaced }\n"},
	{name: "json_style ascii", yaml: said + "wire: { json_style: ascii }\n"},
	{name: "json_style pretty", yaml: said + "wire: { json_style: pretty }\n"},

	{name: "gzip flush", yaml: said + "wire: { gzip: flush }\npace: { every: 250ms }\n", header: []string{"Accept-Encoding: gzip"}},
	{name: "gzip buffer", yaml: said + "wire: { gzip: buffer }\npace: { every: 1ms }\n", header: []string{"Accept-Encoding: gzip"}},
	{name: "gzip truncate", yaml: said + "wire: { gzip: truncate }\n", header: []string{"Accept-Encoding: gzip"}},
	{name: "gzip that is not accepted", yaml: said + "wire: { gzip: flush }\n"},
	{name: "gzip that is ruled out", yaml: said + "wire: { gzip: flush }\n", header: []string{"Accept-Encoding: gzip;q=0, identity"}},
	{name: "gzip_forced", yaml: said + "wire: { gzip: flush, gzip_forced: true }\n"},
	{name: "gzip of an error", yaml: "name: wire\nerror: { status: 503, message: Later. }\nwire: { gzip: flush, gzip_forced: true }\n"},

	{name: "connection close", yaml: said + "wire: { connection: close }\n"},
	{name: "connection keep-alive", yaml: said + "wire: { connection: keep-alive }\n"},
	{name: "length close", yaml: said + "wire: { length: close }\n"},
	{name: "length close of an answer in one piece", yaml: message + "wire: { length: close }\n", body: whole},
	{name: "length chunked", yaml: said + "wire: { length: chunked }\n"},
	{name: "a content length that is too long", yaml: said + "wire: { headers: { Content-Length: 1000 } }\n"},
	{name: "header_delay", yaml: said + "wire: { header_delay: 1ms }\n"},
	{name: "drip", yaml: "name: wire\nstream: [{ raw: abcdefgh }]\nwire: { drip: 2000, done: 0 }\npace: { speed: 0.02 }\n"},

	{name: "content_type without charset", yaml: said + "wire: { content_type: text/event-stream }\n"},
	{name: "content_type with charset", yaml: said + "wire: { content_type: text/event-stream; charset=ISO-8859-1 }\n"},
	{name: "content_type none", yaml: said + "wire: { content_type: '' }\n"},
	{name: "status and headers", yaml: said + "wire: { status: 203, headers: { X-Accel-Buffering: 'no' } }\n"},
	{name: "HTML with 200", yaml: "name: wire\nwire: { body: \"<html><body>Sign in</body></html>\\n\" }\n"},
	{name: "JSON in place of SSE", yaml: message + "wire: { format: json }\n"},
	{name: "SSE in place of JSON", yaml: message + "wire: { format: sse }\n", body: whole},
	{name: "NDJSON", yaml: said + "wire: { format: ndjson }\n"},
	{name: "nothing with 200", yaml: "name: wire\nwire: { body: '', content_type: text/event-stream }\n"},

	{name: "damage drop", yaml: said + "damage: [{ drop: content }]\n"},
	{name: "damage duplicate", yaml: said + "damage: [{ duplicate: 2 }]\n"},
	{name: "damage swap", yaml: said + "damage: [{ swap: [1, -1] }]\n"},
	{name: "damage rename", yaml: said + "damage: [{ rename: { frames: content, from: delta.content, to: text } }]\n"},
	{name: "damage retype", yaml: said + "damage: [{ retype: { frames: content, at: delta.content, to: array } }]\n"},
	{name: "damage corrupt", yaml: said + "damage: [{ corrupt: { frames: content, bytes: 2 } }]\n"},
	{name: "damage by chance", yaml: said + "seed: 5\ndamage: [{ drop: all, chance: 0.5 }]\n"},
	{name: "damage to an answer in one piece", yaml: message + "damage: [{ retype: { at: 'choices[0].message.content', to: number } }]\n", body: whole},
	{name: "damage to an error", yaml: "name: wire\nerror: { status: 503, message: Later. }\ndamage: [{ rename: { frames: error, from: error.message, to: detail } }]\n"},
	{name: "damage with wire and end", yaml: said + "damage: [{ drop: 1 }, { duplicate: finish }]\nwire: { newline: crlf, done: 2 }\nend: { cut: { after: -1, inside: false } }\n"},
	{name: "extends", yaml: strings.Replace(said, "name: wire", "name: base", 1) + "damage: [{ drop: finish }]\n---\nname: wire\nextends: base\nwhen: { stream: true }\ndamage: [{ drop: done }]\nwire: { newline: crlf }\nend: { cut: { after: 1, inside: false } }\n"},

	{name: "end close", yaml: said + "end: close\n"},
	{name: "end close of a message", yaml: message + "end: close\n"},
	{name: "end close after", yaml: said + "end: { close: { after: 1 } }\n"},
	{name: "end cut", yaml: said + "end: cut\n"},
	{name: "end cut after", yaml: said + "end: { cut: { after: 1 } }\n"},
	{name: "end cut between events", yaml: said + "end: { cut: { after: 1, inside: false } }\n"},
	{name: "end cut at a byte", yaml: said + "end: { cut: { byte: 30 } }\n"},
	{name: "end close at a byte", yaml: said + "end: { close: { byte: 30 } }\n"},
	{name: "end cut where the close is the end", yaml: said + "wire: { length: close }\nend: { cut: { byte: 30 } }\n"},
	{name: "end cut of an answer in one piece", yaml: message + "end: { cut: { byte: 30 } }\n", body: whole},
	{name: "end cut before an answer in one piece", yaml: message + "end: { cut: { after: 0, inside: false } }\n", body: whole},
	{name: "end reset", yaml: said + "end: { reset: { after: 1 } }\n"},
	{name: "end stall", yaml: said + "end: { stall: { after: 1, for: 1ms } }\n"},
	{name: "end linger", yaml: said + "end: { linger: 1ms }\n"},
	{name: "end linger after the finish", yaml: said + "end: { linger: { for: 1ms, after: -1 } }\n"},
	{name: "end refuse", yaml: "name: wire\nmessage: x\nend: refuse\n"},
	{name: "end refuse with a reset", yaml: "name: wire\nmessage: x\nend: { refuse: { reset: true } }\n"},
	{name: "end by chance that does not come", yaml: said + "seed: 1\nend: { cut: { chance: 0.000001 } }\n"},
}

func TestEveryWordOfTheWireIsExact(t *testing.T) {
	t.Parallel()
	for _, tt := range wireCases {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := tt.body
			if body == "" {
				body = brief
			}
			r := start(t, tt.yaml, server.Config{Created: 1790000000})
			conn := r.rawDial()
			conn.send(http.MethodPost, "/v1/chat/completions", body, tt.header...)
			raw, end := conn.answer()
			testflag.Golden(t, goldenFile(tt.name), rawTranscript(t, raw, tt.name != "plain")+end+"\n")
		})
	}
}

func TestEveryWordOfTheWireHasATranscript(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/wire/*.golden")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, tt := range wireCases {
		known[goldenFile(tt.name)] = true
	}
	for _, f := range files {
		if !known[f] {
			t.Errorf("%s is the transcript of no case", f)
		}
	}
}

func goldenFile(name string) string {
	return filepath.Join("testdata", "wire", strings.ReplaceAll(name, " ", "_")+".golden")
}

var (
	changing = regexp.MustCompile(`(?m)^(Date|X-Request-Id|Openai-Processing-Ms): .*\r$`)
	ordinary = regexp.MustCompile(`(?m)^(Date|Openai-[-\w]+|X-Ratelimit-[-\w]+|X-Request-Id|X-Content-Type-Options|Access-Control-[-\w]+|Vary): .*\r\n`)
)

// rawTranscript returns an answer as the golden files show it: each line feed ends a line, and
// invisible bytes are escaped. It leaves out the header fields that every answer has.
func rawTranscript(t *testing.T, raw string, short bool) string {
	t.Helper()
	head, body, _ := strings.Cut(raw, "\r\n\r\n")
	head = changing.ReplaceAllString(head+"\r\n", "$1: …\r")
	if short {
		head = ordinary.ReplaceAllString(head, "")
	}
	if raw == "" {
		return ""
	}
	if strings.Contains(head, "Content-Encoding: gzip") {
		if strings.Contains(head, "Content-Length: ") { // the body is complete
			body = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
		}
		body = inflated(t, body)
	}
	return visible(head+"\r\n") + visible(body)
}

func visible(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		quoted := strconv.Quote(line)
		b.WriteString(strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) + "\n")
	}
	return b.String()
}

// inflated shows a compressed body chunk by chunk: what a client can decompress after each
// chunk, and whether the stream is complete at the end. The golden files do not depend on how
// well the body is compressed.
func inflated(t *testing.T, chunked string) string {
	t.Helper()
	var b strings.Builder
	var compressed bytes.Buffer
	shown := 0
	in := bufio.NewReader(strings.NewReader(chunked))
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			t.Fatalf("the chunks end with %v", err)
		}
		n, err := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			break
		}
		if _, err := io.CopyN(&compressed, in, n); err != nil {
			t.Fatal(err)
		}
		_, _ = in.Discard(2)
		text, state := inflate(compressed.Bytes())
		b.WriteString("[chunk: " + text[shown:] + state + "]\n")
		shown = len(text)
	}
	return b.String()
}

func inflate(compressed []byte) (text, state string) {
	zip, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return "", err.Error()
	}
	plain, err := io.ReadAll(zip)
	if err != nil {
		return string(plain), err.Error()
	}
	return string(plain), "complete"
}

func TestAStatusWithoutABodyIsACompleteAnswer(t *testing.T) {
	t.Parallel()
	for _, body := range []string{brief, whole} {
		r := start(t, message+"wire: { status: 204 }\n", server.Config{})
		resp := r.chat(body)
		wantStatus(t, resp, http.StatusNoContent)
		if got := text(t, resp); got != "" {
			t.Errorf("the body is %q", got)
		}
		if d := r.ended().Delivery; d.Ended != journal.EndedComplete {
			t.Errorf("the answer ended as %s", d.Ended)
		}
	}
}
