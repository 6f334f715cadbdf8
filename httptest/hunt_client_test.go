package fakeopenai_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// buggy is a client for chat completions with one bug, by its name in plantedBugs; "" has none.
// Each of the bugs is one that real clients had.
type buggy string

// reading is what the client makes of a stream.
type reading struct {
	Choices map[int]*readChoice
	Tokens  int
}

type readChoice struct {
	Text   string
	Calls  []*readCall
	Finish string

	open map[int]*readCall // open are the calls by their index.
}

type readCall struct{ ID, Name, Arguments string }

func (b buggy) ask(ctx context.Context, fake *fakeopenai.Server) (reading, error) {
	const body = `{"model":"gpt-4o","stream":true,"n":2,"messages":[{"role":"user","content":"Hi"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fake.BaseURL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		return reading{}, err
	}
	resp, err := fake.Client().Do(req)
	if err != nil {
		return reading{}, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return reading{}, errors.New(resp.Status)
	}
	r := &eventReader{buggy: b, reading: reading{Choices: map[int]*readChoice{}}}
	err = r.read(resp.Body)
	if err == nil {
		err = r.check()
	}
	return r.reading, err
}

// eventReader reads the events of one stream.
type eventReader struct {
	buggy
	reading
	data     []string // data are the data lines of the event that is being read.
	named    bool     // named says that the event has a name.
	stopped  bool     // stopped says that a bug has ended the reading.
	finished int      // finished counts the finish reasons.
}

var errDone = errors.New("done")

// read hands the lines of the stream to line.
func (r *eventReader) read(body io.Reader) error {
	var rest []byte
	buffer := make([]byte, 256<<10)
	for {
		n, end := body.Read(buffer)
		part := buffer[:n]
		if r.buggy == "loses a rune that is cut" {
			part = bytes.ToValidUTF8(part, []byte("?"))
		}
		rest = append(rest, part...)
		var err error
		if rest, err = r.lines(rest, end != nil); err == nil {
			err = end
		}
		switch {
		case errors.Is(err, errDone), errors.Is(err, io.EOF):
			return nil
		case errors.Is(err, io.ErrUnexpectedEOF) && r.buggy == "takes the end of the connection for success":
			return nil
		case err != nil:
			return err
		}
	}
}

// lines reads the whole lines at the start of the bytes, and returns the rest.
func (r *eventReader) lines(rest []byte, ended bool) ([]byte, error) {
	for {
		line, after, ok := r.next(rest, ended)
		if !ok && r.buggy == "takes one read for one event" && len(rest) > 0 {
			line, after, ok = string(rest), nil, true
		}
		if r.buggy == "stops at 64 KiB" && (len(line) >= 64<<10 || !ok && len(rest) >= 64<<10) {
			return nil, io.EOF // as a bufio.Scanner does, if nobody asks for its error
		}
		if !ok {
			return rest, nil
		}
		rest, line = after, strings.TrimPrefix(line, "\ufeff")
		if err := r.line(line); err != nil {
			return nil, err
		}
	}
}

// next is the first line of the bytes, if it is whole.
func (r *eventReader) next(rest []byte, ended bool) (line string, after []byte, ok bool) {
	ends := "\r\n"
	if r.buggy == "splits at LF LF alone" {
		ends = "\n"
	}
	i := bytes.IndexAny(rest, ends)
	if i < 0 || rest[i] == '\r' && i+1 == len(rest) && !ended {
		return "", rest, false
	}
	if bytes.HasPrefix(rest[i:], []byte("\r\n")) {
		return string(rest[:i]), rest[i+2:], true
	}
	return string(rest[:i]), rest[i+1:], true
}

func (r *eventReader) line(line string) error {
	field, value, _ := strings.Cut(line, ":")
	switch {
	case line == "":
		return r.event()
	case r.buggy == "needs a space after data:" && !strings.HasPrefix(value, " "):
		return nil
	case field == "data":
		r.data = append(r.data, strings.TrimPrefix(value, " "))
		if r.buggy == "takes a line for an event" {
			return r.event()
		}
	case field == "event":
		r.named = true
	case field == "" && r.buggy == "takes a comment for JSON":
		return fmt.Errorf("no JSON: %q", line)
	}
	return nil
}

// event reads the event whose lines were read.
func (r *eventReader) event() error {
	data, named := strings.Join(r.data, "\n"), r.named
	r.data, r.named = nil, false
	switch {
	case data == "", named && r.buggy == "drops events with a name":
		return nil
	case data == "[DONE]":
		return errDone
	case r.buggy == "reads half of a surrogate pair":
		data = surrogate.ReplaceAllString(data, "?")
	}
	var c struct {
		Error json.RawMessage
		Usage *struct {
			TotalTokens int `json:"total_tokens"`
		}
		Choices []choicePart
	}
	err := json.Unmarshal([]byte(data), &c)
	switch {
	case err != nil && r.buggy == "skips what is not JSON":
		return nil
	case err != nil:
		return err
	case c.Error != nil && r.buggy != "takes no notice of errors":
		return fmt.Errorf("the stream failed: %s", c.Error)
	case r.buggy == "takes choices[0] for granted" && len(c.Choices) == 0 && c.Error == nil:
		return errors.New("index out of range [0] with length 0")
	case c.Usage != nil:
		r.Tokens = c.Usage.TotalTokens
	}
	for i := range c.Choices {
		if err := r.chunk(&c.Choices[i]); err != nil {
			return err
		}
	}
	return nil
}

var surrogate = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// choicePart is a choice of a chunk.
type choicePart struct {
	Index int
	Delta struct {
		Role      *string
		Content   json.RawMessage
		ToolCalls []struct {
			Index    int
			ID       string
			Function struct{ Name, Arguments string }
		} `json:"tool_calls"`
	}
	FinishReason *string `json:"finish_reason"`
}

// chunk adds a choice of a chunk to the answer.
func (r *eventReader) chunk(part *choicePart) error {
	index := part.Index
	if r.buggy == "expects one choice after the other" {
		index = r.finished
	}
	c := r.Choices[index]
	if c == nil {
		c = &readChoice{open: map[int]*readCall{}}
		r.Choices[index] = c
	}
	ends := part.FinishReason != nil && *part.FinishReason != ""
	if ends {
		c.Finish = *part.FinishReason
		r.finished++
	}
	var text string
	if err := json.Unmarshal(part.Delta.Content, &text); err != nil && part.Delta.Content != nil {
		return err
	}
	switch {
	case r.buggy == "loses text beside the role" && part.Delta.Role != nil,
		r.buggy == "loses text beside the finish" && ends:
		text = ""
	case r.buggy == "takes an empty text for the end" && string(part.Delta.Content) == `""` && c.Text != "":
		r.stopped = true
	}
	if r.stopped {
		return nil
	}
	c.Text += text
	for _, piece := range part.Delta.ToolCalls {
		r.call(c, piece.Index, readCall{piece.ID, piece.Function.Name, piece.Function.Arguments})
	}
	return nil
}

// call adds a piece of a call.
func (r *eventReader) call(c *readChoice, index int, piece readCall) {
	to := c.open[index]
	if to == nil || r.buggy == "begins a call at each id" && piece.ID != "" {
		if r.buggy == "ends a call where the next begins" {
			for other := range c.open {
				c.open[other] = &readCall{}
			}
		}
		to = &readCall{ID: piece.ID, Name: piece.Name}
		c.open[index], c.Calls = to, append(c.Calls, to)
	}
	if r.buggy == "adds arguments to the last call" {
		to = c.Calls[len(c.Calls)-1]
	}
	to.Arguments += piece.Arguments
}

// check returns an error if the answer is not whole.
func (r *eventReader) check() error {
	if r.buggy == "takes the end of the connection for success" {
		return nil
	}
	for _, c := range r.Choices {
		if c.Finish == "" && !r.stopped {
			return errors.New("the answer has no finish_reason")
		}
	}
	if len(r.Choices) == 0 {
		return errors.New("there is no answer")
	}
	return nil
}

// plantedBugs are the bugs that a buggy client can have, with what a hunt is told to find them.
var plantedBugs = []struct {
	bug  buggy
	opts []fakeopenai.HuntOption
}{
	{bug: "stops at 64 KiB"},
	{bug: "takes one read for one event"},
	{bug: "loses a rune that is cut"},
	{bug: "splits at LF LF alone"},
	{bug: "needs a space after data:"},
	{bug: "takes a line for an event"},
	{bug: "takes a comment for JSON"},
	{bug: "drops events with a name"},
	{bug: "reads half of a surrogate pair"},
	{bug: "takes choices[0] for granted"},
	{bug: "loses text beside the role"},
	{bug: "loses text beside the finish"},
	{bug: "takes an empty text for the end"},
	{bug: "expects one choice after the other"},
	{bug: "ends a call where the next begins", opts: []fakeopenai.HuntOption{fakeopenai.HuntDialects("all")}},
	{bug: "adds arguments to the last call", opts: []fakeopenai.HuntOption{fakeopenai.HuntDialects("all")}},
	{bug: "begins a call at each id", opts: []fakeopenai.HuntOption{fakeopenai.HuntDialects("all")}},
	{bug: "takes the end of the connection for success", opts: []fakeopenai.HuntOption{fakeopenai.HuntFaults()}},
	{bug: "takes no notice of errors", opts: []fakeopenai.HuntOption{fakeopenai.HuntFaults()}},
	{bug: "skips what is not JSON", opts: []fakeopenai.HuntOption{fakeopenai.HuntFaults()}},
}
