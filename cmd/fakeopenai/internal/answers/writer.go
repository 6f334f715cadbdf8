package answers

import (
	"fmt"
	"io"
	"net/http"
)

// bodyWriter is an [http.ResponseWriter] that writes the body to out without buffering.
type bodyWriter struct {
	out     io.Writer
	head    io.Writer // head gets the status and the headers; nil to leave them out.
	painter *painter  // painter is out if the body is coloured, else nil.
	header  http.Header
	begun   bool
	last    byte  // last is the last byte of the body so far.
	err     error // err is the first failure of out.
}

func newBodyWriter(show Show) *bodyWriter {
	w := &bodyWriter{out: show.Out, head: show.Head, header: http.Header{}}
	if show.Colour {
		w.painter = &painter{out: show.Out}
		w.out = w.painter
	}
	return w
}

func (w *bodyWriter) Header() http.Header { return w.header }

func (w *bodyWriter) WriteHeader(status int) {
	if w.begun {
		return
	}
	w.begun = true
	if w.painter != nil && status >= http.StatusBadRequest {
		w.painter.all = colourError
	}
	if w.head != nil {
		writeHead(w.head, status, w.header)
	}
}

// writeHead writes a status and headers in the form of HTTP/1.1.
func writeHead(to io.Writer, status int, header http.Header) {
	fmt.Fprintf(to, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	_ = header.Write(to) // an error of stderr cannot be reported anywhere
	fmt.Fprint(to, "\r\n")
}

func (w *bodyWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	n, err := w.out.Write(p)
	if len(p) > 0 {
		w.last = p[len(p)-1]
	}
	if w.err == nil {
		w.err = err
	}
	return n, err
}

// Flush implements [http.Flusher]. Only the head may still be unwritten.
func (w *bodyWriter) Flush() { w.WriteHeader(http.StatusOK) }

// close writes the beginning of a line that the painter holds, and returns the first
// error of out.
func (w *bodyWriter) close() error {
	if w.painter != nil && w.err == nil {
		w.err = w.painter.close()
	}
	return w.err
}
