package websocket

import (
	"io"
	"unicode/utf8"
)

// message is an answer's message that is being written. A long one is sent in parts.
type message struct {
	begin []byte         // begin is what is not sent yet: of a long message its last byte.
	rest  io.WriteCloser // rest takes the parts of a long message; nil for others.
	// isObject says that a long message begins as a JSON object.
	isObject bool
}

// add adds bytes to the message of a turn.
func (m *message) add(t *Turn, p []byte) (err error) {
	switch {
	case len(p) == 0:
		return nil
	case m.rest == nil && (len(m.begin)+len(p) <= longEvent || t.Send != nil):
		m.begin = append(m.begin, p...)
		return nil
	case m.rest == nil:
		first := m.begin
		if len(first) == 0 {
			first = p
		}
		m.isObject = first[0] == '{'
		if m.rest, err = t.session.Conn.BeginMessage(t.session.Ctx, isText(first)); err != nil {
			return err
		}
	}
	last := len(p) - 1
	for _, part := range [][]byte{m.begin, p[:last]} {
		if len(part) == 0 {
			continue
		}
		if _, err := m.rest.Write(part); err != nil {
			return err
		}
	}
	m.begin = []byte{p[last]}
	return nil
}

// end sends what is left of the message, with the stream id of its turn.
func (m *message) end(t *Turn) error {
	whole := *m
	*m = message{}
	if whole.rest == nil {
		return t.send(whole.begin)
	}
	last := whole.begin
	if whole.isObject && t.StreamID != "" && string(last) == "}" {
		last = []byte(`,"stream_id":"` + t.StreamID + `"}`)
	}
	if _, err := whole.rest.Write(last); err != nil {
		return err
	}
	return whole.rest.Close()
}

// isText reports whether a message that begins so is UTF-8 so far. The bytes may end inside a character.
func isText(p []byte) bool {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				p = p[:len(p)-n]
			}
			break
		}
	}
	return utf8.Valid(p)
}
