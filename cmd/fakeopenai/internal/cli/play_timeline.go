package cli

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// timeline prints an answer as one line for each event: its time, the pause before it,
// and a description.
type timeline struct {
	out, head io.Writer
	speed     float64

	last    time.Duration // last is the time of the previous line.
	aborted bool          // aborted says that the answer ends with a broken connection.
	err     error         // err is the first failure of out.
}

// draw prints a plan. The pieces of one event share a line.
func (t *timeline) draw(p server.Plan) {
	if p.Status != 0 {
		if t.head != nil {
			writeHead(t.head, p.Status, p.Header)
		}
		t.line(p.Start, strings.TrimSpace(fmt.Sprintf("%d %s", p.Status, p.Header.Get("Content-Type"))))
	}
	for i := 0; i < len(p.Frames); {
		first, n := i, 1
		for ; p.Frames[i].More && i+1 < len(p.Frames); i++ {
			n++
		}
		t.event(p.Frames[first : first+n])
		i++
	}
	switch p.End {
	case "":
		t.line(p.EndAt, "end")
	case "linger":
		t.line(p.EndAt, "end linger")
	default:
		t.aborted = true
		t.line(p.EndAt, "end "+p.End)
	}
}

// event prints the line of one event, given its pieces, or of a hold.
func (t *timeline) event(pieces []server.PlannedFrame) {
	first, last := pieces[0], pieces[len(pieces)-1]
	if first.Hold != "" {
		t.line(first.At, "hold "+first.Hold)
		return
	}
	var whole []byte
	for _, piece := range pieces {
		whole = append(whole, piece.Bytes...)
	}
	text := describe(first.Kind, whole)
	if len(pieces) > 1 {
		text += fmt.Sprintf(" in %d pieces", len(pieces))
	}
	if last.At > first.At {
		text += " until " + seconds(t.scale(last.At))
	}
	t.line(first.At, text)
	t.last = max(t.last, t.scale(last.At))
}

func (t *timeline) line(at time.Duration, text string) {
	at = t.scale(at)
	pause := ""
	if at > t.last {
		pause = "+" + seconds(at-t.last)
	}
	t.last = at
	_, err := fmt.Fprintf(t.out, "%9s %9s  %s\n", seconds(at), pause, text)
	if t.err == nil {
		t.err = err
	}
}

func (t *timeline) scale(d time.Duration) time.Duration {
	if t.speed == server.Instant {
		return 0
	}
	return time.Duration(float64(d) / t.speed)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.3fs", d.Seconds()) }

func describe(kind string, bytes []byte) string {
	data, comment := read(bytes)
	v, err := ojson.Parse([]byte(data))
	switch {
	case kind == "comment":
		return "comment " + quote(comment)
	case kind == "raw" || kind == "event":
		return kind + " " + quote(strings.TrimRight(string(bytes), "\r\n"))
	case kind == "done":
		return data
	case err != nil && kind == "completion":
		return "body " + quote(strings.TrimSpace(string(bytes)))
	case err != nil && !endsWhole(bytes):
		return kind + " torn " + quote(string(bytes))
	case err != nil:
		return kind + " no JSON " + quote(data)
	case v.Get("object").Text() == "response":
		list := []string{kind}
		for _, item := range v.Get("output").Items() {
			list = append(list, outputItem(item)...)
		}
		return words(list...)
	case v.Get("type").Text() == "error" || strings.HasPrefix(v.Get("type").Text(), "response."):
		return words(append([]string{kind}, responseEvent(v)...)...)
	}
	if e := v.Get("error"); e.Kind() == ojson.ObjectKind {
		return words("error", e.Get("code").Text(), quote(e.Get("message").Text()))
	}
	said := server.Hear(v)
	if i := slices.IndexFunc(said, func(s server.Said) bool { return s.Kind == kind }); i >= 0 && kind == "usage" {
		return kind + " " + said[i].Text
	}
	if said = firstChoice(said); said != nil {
		return describeChoice(kind, said)
	}
	return kind + " " + quote(data)
}

// firstChoice returns what is said for the first choice of a chunk: nearly all chunks have
// only one. It is nil for a chunk without choices.
func firstChoice(said []server.Said) []server.Said {
	for i := range said {
		if said[i].Kind == "usage" || said[i].Choice != said[0].Choice {
			said = said[:i]
			break
		}
	}
	if len(said) == 0 {
		return nil
	}
	return said
}

func describeChoice(kind string, said []server.Said) string {
	name, text := kind, ""
	if said[0].Choice > 0 {
		name = fmt.Sprintf("%s[%d]", kind, said[0].Choice)
	}
	for _, s := range said {
		switch {
		case s.Kind == kind && (kind == "role" || kind == "finish"):
			return name + " " + s.Text
		case s.Kind == server.SaidCall || s.Kind == server.SaidArguments:
			return words(name, strconv.Itoa(s.Call), s.Name, quote(s.Text))
		case s.Name != "": // the function_call that preceded tools
			return words(name, s.Name, quote(s.Text))
		case s.Kind != "role" && s.Kind != "finish":
			text = cmp.Or(text, s.Text)
		}
	}
	if text != "" {
		return name + " " + quote(text)
	}
	return name
}

// responseEvent returns what an event of the Responses API says beside its kind.
func responseEvent(v ojson.Value) []string {
	item, part, response := v.Get("item"), v.Get("part"), v.Get("response")
	switch {
	case response.Kind() == ojson.ObjectKind:
		return responseState(response)
	case item.Kind() == ojson.ObjectKind:
		return []string{item.Get("type").Text(), item.Get("name").Text()}
	case part.Kind() == ojson.ObjectKind:
		return []string{part.Get("type").Text()}
	case v.Get("type").Text() == "error":
		return []string{v.Get("code").Text(), quote(v.Get("message").Text())}
	}
	for _, name := range []string{"delta", "text", "refusal", "arguments", "input", "code"} {
		if text := v.Get(name).Text(); text != "" {
			return []string{quote(text)}
		}
	}
	return nil
}

// responseState returns the status of a response, and what led to it; nothing while the
// response is in progress.
func responseState(v ojson.Value) []string {
	if v.Get("status").Text() == "in_progress" {
		return nil
	}
	list := []string{v.Get("status").Text(), v.Get("incomplete_details").Get("reason").Text()}
	if e := v.Get("error"); e.Kind() == ojson.ObjectKind {
		list = append(list, e.Get("code").Text(), quote(e.Get("message").Text()))
	}
	if usage := v.Get("usage"); usage.Kind() == ojson.ObjectKind {
		list = append(list, fmt.Sprintf("%s + %s tokens", usage.Get("input_tokens"), usage.Get("output_tokens")))
	}
	return list
}

// outputItem returns the texts of a message, or the type, name and arguments of a call.
func outputItem(v ojson.Value) []string {
	if v.Get("type").Text() != "message" {
		list := []string{v.Get("type").Text(), v.Get("name").Text()}
		if arguments := v.Get("arguments").Text(); arguments != "" {
			list = append(list, quote(arguments))
		}
		return list
	}
	var list []string
	for _, part := range v.Get("content").Items() {
		list = append(list, quote(cmp.Or(part.Get("text").Text(), part.Get("refusal").Text())))
	}
	return list
}

func words(list ...string) string {
	return strings.Join(slices.DeleteFunc(list, func(word string) bool { return word == "" }), " ")
}

// read returns the data and the comments of an event. A text without data lines is all
// data.
func read(text []byte) (data, comment string) {
	var all, comments []string
	for _, b := range server.Blocks(text) {
		if data, ok := b.Data(); ok {
			all = append(all, data)
		}
		if comment, ok := b.Comment(); ok {
			comments = append(comments, comment)
		}
	}
	if all == nil {
		all = []string{strings.TrimSpace(string(text))}
	}
	return strings.Join(all, "\n"), strings.Join(comments, "\n")
}

// endsWhole reports whether the last event of a text has its end.
func endsWhole(text []byte) bool {
	blocks := server.Blocks(text)
	return len(blocks) > 0 && blocks[len(blocks)-1].Whole
}

const shownRunes = 60

func quote(text string) string {
	if utf8.RuneCountInString(text) <= shownRunes {
		return strconv.Quote(text)
	}
	return strconv.Quote(string([]rune(text)[:shownRunes])) + "…"
}
