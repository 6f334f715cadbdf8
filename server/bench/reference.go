package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"sync/atomic"
	"time"
)

// The kinds of references: net/http handlers that do nothing but write.
const (
	// bare writes fixed bytes, with three header fields and a flush after each event.
	bare = "bare"
	// barePlus does the same with the bytes and the header fields of fakeopenai's answer.
	barePlus = "bare+"
	// patchedPlus writes the bytes of barePlus in as few writes as possible, and puts a
	// new id and creation time into each answer.
	patchedPlus = "patched+"
)

var references = []string{bare, barePlus, patchedPlus}

// recording is an answer of fakeopenai that the references repeat.
type recording struct {
	Header http.Header
	Body   []byte
	Gap    time.Duration // Gap is the pause between events; 0 is none.
	Stream bool
}

// serveReference serves a reference of a kind, with the recording in a file, until the
// process is killed. It first prints "listening on URL".
func serveReference(kind, file string) error {
	src, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var r recording
	if err := json.Unmarshal(src, &r); err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", l.Addr())
	s := http.Server{Handler: r.handler(kind), ReadHeaderTimeout: 30 * time.Second}
	return s.Serve(l)
}

func (r *recording) handler(kind string) http.Handler {
	switch {
	case !r.Stream:
		return r.whole(kind)
	case kind == patchedPlus && r.Gap == 0:
		return r.patched()
	case kind == bare:
		return r.events(plainHeader("text/event-stream"), plainEvents(bytes.Count(r.Body, []byte("\n\n"))))
	}
	return r.events(r.Header, bytes.SplitAfter(r.Body, []byte("\n\n")))
}

func plainHeader(contentType string) http.Header {
	return http.Header{"Content-Type": {contentType}, "Cache-Control": {"no-cache"}, "Connection": {"keep-alive"}}
}

// plainEvents are n events as a fake of a few lines sends them, [DONE] included.
func plainEvents(n int) [][]byte {
	var list [][]byte
	for i := range n - 1 {
		list = append(list, fmt.Appendf(nil, `data: {"id":"chatcmpl-bench","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,"delta":{"content":" word%d"},"finish_reason":null}]}`+"\n\n", i%100))
	}
	return append(list, []byte("data: [DONE]\n\n"))
}

// events is a handler that writes these events, with a flush after each and r.Gap between them.
func (r *recording) events(header http.Header, events [][]byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		setHeader(w, header)
		start := time.Now()
		for i, e := range events {
			if r.Gap > 0 && i > 0 && i < len(events)-1 { // [DONE] comes with the last chunk
				time.Sleep(time.Until(start.Add(time.Duration(i) * r.Gap)))
			}
			if _, err := w.Write(e); err != nil {
				return
			}
			w.(http.Flusher).Flush()
		}
	})
}

// setHeader copies the header fields that net/http does not write by itself.
func setHeader(w http.ResponseWriter, header http.Header) {
	h := w.Header()
	for name, values := range header {
		switch name {
		case "Date", "Content-Length", "Transfer-Encoding":
		default:
			h[name] = values
		}
	}
}

// whole is a handler for requests that do not stream: it writes the recorded body at once.
func (r *recording) whole(kind string) http.Handler {
	header, body := r.Header, r.Body
	if kind == bare {
		header = plainHeader("application/json")
	}
	length := []string{strconv.Itoa(len(body))}
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		setHeader(w, header)
		w.Header()["Content-Length"] = length
		_, _ = w.Write(body) // fails only if the client has left
	})
}

// patched is the handler of patchedPlus. It replaces the recorded id and creation time in
// each event, and writes the events in blocks.
func (r *recording) patched() http.Handler {
	const block = 64 << 10
	id, created := memberOf(r.Body, `"id":"`), memberOf(r.Body, `"created":`)
	var parts [][]byte // parts are the bytes before each id and each creation time, by turns.
	rest := r.Body
	for len(id) > 0 && len(created) > 0 {
		at := bytes.Index(rest, id)
		if at < 0 {
			break
		}
		parts, rest = append(parts, rest[:at]), rest[at+len(id):]
		if at = bytes.Index(rest, created); at < 0 {
			break
		}
		parts, rest = append(parts, rest[:at]), rest[at+len(created):]
	}
	var number atomic.Int64
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		_, _ = io.Copy(io.Discard, req.Body)
		setHeader(w, r.Header)
		own := [2][]byte{fmt.Appendf(nil, "%0*d", len(id), number.Add(1)), strconv.AppendInt(nil, time.Now().Unix(), 10)}
		buf := make([]byte, 0, min(len(r.Body), block)+1024)
		for i, p := range parts {
			buf = append(append(buf, p...), own[i%2]...)
			if len(buf) >= block {
				if _, err := w.Write(buf); err != nil {
					return
				}
				buf = buf[:0]
			}
		}
		_, _ = w.Write(append(buf, rest...)) // fails only if the client has left
	})
}

// memberOf is the JSON value in body that follows the text before.
func memberOf(body []byte, before string) []byte {
	_, rest, ok := bytes.Cut(body, []byte(before))
	end := bytes.IndexAny(rest, `",}`)
	if !ok || end < 0 {
		return nil
	}
	return rest[:end]
}
