package cli

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// showOnPage lets a server keep what its page shows, and write answers as scenarios. Name is the name of
// the page's file.
func showOnPage(config *server.Config, name string) {
	config.AsScenario = asScenario
	config.KeepTranscripts = config.KeepTranscripts || name != ""
}

// writePage writes the file of --page. An empty name means no page.
func writePage(name string, fake *server.Server) error {
	if name == "" {
		return nil
	}
	var page bytes.Buffer
	err := fake.WritePage(&page)
	if err == nil {
		_, err = writeAtomically("--page", name, page.Bytes())
	}
	return err
}

// asScenario writes the answer of an entry with a trace as the scenario that record would write of it.
func asScenario(e journal.Entry) ([]byte, error) {
	x := exchangeOf(&e)
	new(recording.Redactor).Redact(x)
	c := new(recording.Collection)
	if err := c.Add(x); err != nil {
		return nil, err
	}
	files := c.Files()
	switch {
	case len(files) == 0:
		return nil, errors.New("it is no whole answer to a request")
	case files[0].Answers == 0:
		return nil, errors.New("its body is too long to be copied, and needs a file of its own: use fakeopenai record")
	}
	text := makeDistinct(files[0].Data, &e)
	if hold := leftAt(&e); hold != "" {
		text = fmt.Appendf(bytes.Replace(text, []byte("stream: []\n"), []byte("stream:\n"), 1), "  - hold: %q # The client left here, and nothing after it was sent.\n", hold)
	}
	return text, nil
}

// leftAt returns the hold at which the answer waited when its client left, or "".
func leftAt(e *journal.Entry) string {
	_, waits := e.Trace.Sent()
	if e.Delivery.Ended != journal.EndedByClient || len(waits) > 0 && waits[len(waits)-1].Released > 0 {
		return ""
	}
	sent := 0
	for _, f := range e.Trace.Plan.Frames {
		switch {
		case sent == e.Delivery.Frames:
			return f.Hold
		case f.Hold == "" && !f.More:
			sent++
		}
	}
	return ""
}

// makeDistinct puts the number of a request into the name of its scenario, and adds the API as a condition, so that the
// scenarios of several requests can be loaded together and each answers its own request.
func makeDistinct(text []byte, e *journal.Entry) []byte {
	name := regexp.MustCompile(`(?m)^name: [\w.-]+$`).Find(text)
	text = bytes.Replace(text, name, fmt.Appendf(nil, "%s-%d", name, e.ID), 1)
	if on := "\n  surface: "; e.Surface != "" && !bytes.Contains(text, []byte(on)) {
		text = bytes.Replace(text, []byte("\nwhen:\n"), []byte("\nwhen:"+on+e.Surface+"\n"), 1)
	}
	return text
}

// exchangeOf is the request of an entry, and the bytes that were sent, as a recording proxy sees them. An
// answer whose writes are not known came when it was due.
func exchangeOf(e *journal.Entry) *recording.Exchange {
	plan := &e.Trace.Plan
	x := &recording.Exchange{
		Method: e.Method, Path: e.Path, Header: e.Header, Body: e.Body,
		Status: e.Status, AnswerHeader: plan.Header, HeaderAt: plan.Start, Ending: endingOf(e, plan.End),
	}
	var body []byte
	sent := 0 // sent counts the frames that were sent, where the writes are not known
	for _, f := range plan.Frames {
		body = append(body, f.Bytes...)
		if e.Trace.MadeAgain && f.Hold == "" && sent < e.Delivery.Frames {
			x.Pieces = append(x.Pieces, recording.Piece{At: f.At, Data: f.Bytes})
			if !f.More {
				sent++
			}
		}
	}
	writes, _ := e.Trace.Sent()
	for _, w := range writes {
		n := min(w.Bytes, len(body))
		x.Pieces = append(x.Pieces, recording.Piece{At: w.Ended, Data: body[:n]})
		body = body[n:]
	}
	return x
}

func endingOf(e *journal.Entry, end string) recording.Ending {
	switch {
	case e.Delivery.Ended == journal.EndedByClient:
		return recording.EndedByClient
	case e.Delivery.Ended == journal.EndedByShutdown:
		return recording.EndedCut
	}
	return map[string]recording.Ending{"cut": recording.EndedCut, "stall": recording.EndedCut, "reset": recording.EndedReset, "refuse_reset": recording.EndedReset}[end]
}
