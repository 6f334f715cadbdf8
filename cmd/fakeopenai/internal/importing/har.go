package importing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// harFile is a HAR 1.2 file. Its entries are parsed one by one, so that a broken one
// does not affect the others.
type harFile struct {
	Log struct {
		Entries []json.RawMessage `json:"entries"`
	} `json:"log"`
}

// harEntry is a call in a HAR file. Timings are in milliseconds; -1 is unknown.
type harEntry struct {
	Started string `json:"startedDateTime"`
	Request struct {
		Method   string     `json:"method"`
		URL      string     `json:"url"`
		Headers  []harField `json:"headers"`
		PostData harContent `json:"postData"`
	} `json:"request"`
	Response struct {
		Status  int        `json:"status"`
		Headers []harField `json:"headers"`
		Content harContent `json:"content"`
		Error   string     `json:"_error"`
	} `json:"response"`
	Timings map[string]json.RawMessage `json:"timings"`
	// Messages are the server-sent events that Chrome keeps of a stream.
	Messages []harMessage `json:"_eventSourceMessages"`
}

type harField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type harContent struct {
	MimeType string `json:"mimeType"`
	Size     *int64 `json:"size"` // Size is 0 for a body that is empty.
	Text     string `json:"text"`
	Encoding string `json:"encoding"`
}

// harMessage is a server-sent event. Its time is in seconds since 1970.
type harMessage struct {
	Time float64 `json:"time"`
	Name string  `json:"eventName"`
	ID   string  `json:"eventId"`
	Data string  `json:"data"`
}

func readHAR(data []byte, a *fileImport) {
	var file harFile
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), &file); err != nil {
		a.unread("", fmt.Errorf("it is no HAR file: %w", err))
		return
	}
	if len(file.Log.Entries) == 0 {
		a.unread("log.entries", errors.New("there is no entry"))
	}
	for i, text := range file.Log.Entries {
		var e harEntry
		var x *recording.Exchange
		err := plainJSON(json.Unmarshal(text, &e))
		if err == nil {
			x, err = e.exchange()
		}
		a.add(fmt.Sprintf("log.entries[%d]", i), x, err)
	}
}

// plainJSON rewords an error of the JSON library without the names of Go types.
func plainJSON(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		return fmt.Errorf("%s: it is a %s", wrong.Field, wrong.Value)
	}
	return err
}

func (e *harEntry) exchange() (*recording.Exchange, error) {
	header := harHeader(e.Request.Headers)
	if of := header.Get("Sec-Fetch-Dest"); of != "" && of != "empty" {
		return nil, fmt.Errorf("%s %s: %w", e.Request.Method, e.Request.URL, errPage)
	}
	if e.Response.Status == 0 {
		return nil, fmt.Errorf("the request got no answer (%s)", strings.TrimSpace("status 0 "+e.Response.Error))
	}
	c := call{
		method: e.Request.Method, url: e.Request.URL, header: header,
		status: e.Response.Status, answerHeader: harHeader(e.Response.Headers),
	}
	var err error
	if c.body, err = e.Request.PostData.bytes(); err != nil {
		return nil, fmt.Errorf("request.postData.text: %w", err)
	}
	if c.answerHeader.Get("Content-Type") == "" {
		c.answerHeader.Set("Content-Type", e.Response.Content.MimeType)
	}
	if c.answer, err = e.Response.Content.bytes(); err != nil {
		return nil, fmt.Errorf("response.content.text: %w", err)
	}
	c.headerAt = e.took("send") + e.took("wait")
	c.endedAt = c.headerAt + e.took("receive")
	if len(c.answer) == 0 && len(e.Messages) > 0 {
		c.answer = eventsOf(e.Messages)
	}
	x, err := c.exchange()
	if err == nil && len(x.Pieces[0].Data) == 0 && !e.isEmpty(x) {
		err = errors.New("response.content.text: the archive has no body; save it with content")
	}
	if err == nil && x.IsStream() {
		e.time(x)
	}
	return x, err
}

// isEmpty reports whether an answer without a body has none, and not only in the archive.
func (e *harEntry) isEmpty(x *recording.Exchange) bool {
	if x.Status == http.StatusNoContent || x.Status == http.StatusNotModified || x.Method == http.MethodHead || x.Method == http.MethodOptions {
		return true
	}
	size := e.Response.Content.Size
	return size != nil && *size == 0 && !x.IsStream()
}

func harHeader(fields []harField) http.Header {
	h := http.Header{}
	for _, f := range fields {
		h.Add(f.Name, f.Value)
	}
	return h
}

// bytes returns a body that is stored as text, in base64 or, as Polly.js does, as a list of pieces in base64.
func (c *harContent) bytes() ([]byte, error) {
	if c.Encoding != "base64" {
		return []byte(c.Text), nil
	}
	var pieces []string
	if json.Unmarshal([]byte(c.Text), &pieces) != nil {
		return unbase64(c.Text)
	}
	var body []byte
	for _, text := range pieces {
		piece, err := unbase64(text)
		if err != nil {
			return nil, err
		}
		body = append(body, piece...)
	}
	return body, nil
}

// longest is the largest time taken from a file, so that a broken one does not stall the
// client of the scenario.
const longest = 24 * time.Hour

// took returns the duration of a phase of the call; 0 if it is unknown.
func (e *harEntry) took(phase string) time.Duration {
	var ms float64
	if json.Unmarshal(e.Timings[phase], &ms) != nil || math.IsNaN(ms) || ms < 0 {
		return 0
	}
	return time.Duration(min(ms, float64(longest/time.Millisecond)) * float64(time.Millisecond))
}

// eventsOf writes the events that a browser has parsed as server-sent events.
func eventsOf(list []harMessage) []byte {
	var b bytes.Buffer
	for _, m := range list {
		name := m.Name
		if name == "message" { // the default of browsers
			name = ""
		}
		writeEvent(&b, name, m.ID, m.Data)
	}
	return b.Bytes()
}

// time splits the body into events with the times at which the browser saw them, if the
// browser kept all events.
func (e *harEntry) time(x *recording.Exchange) {
	began, err := time.Parse(time.RFC3339Nano, e.Started)
	body, seen, at := x.Pieces[0].Data, 0, x.HeaderAt
	mark := len(body) - len(bytes.TrimPrefix(body, []byte("\ufeff")))
	pieces := []recording.Piece{{At: at, Data: body[:mark]}}
	for _, b := range server.Blocks(body) {
		if _, ok := b.Data(); ok && b.Whole {
			if seen++; seen > len(e.Messages) {
				return
			}
			after := e.Messages[seen-1].Time - float64(began.UnixMicro())/1e6
			at = max(at, time.Duration(min(max(after, 0), longest.Seconds())*float64(time.Second)))
		}
		pieces = append(pieces, recording.Piece{At: at, Data: b.Raw})
	}
	if err == nil && seen == len(e.Messages) {
		x.Pieces = pieces
	}
}
