package session

import (
	"bytes"
	"maps"
	"net/http"
	"slices"
)

// splitter finds the events in an event stream that comes in pieces of any size, with line ends
// of any kind. The zero splitter is ready to use.
type splitter struct {
	line    []byte // line is the current line so far.
	data    []byte // data is the data of the current event so far, its lines joined by line feeds.
	hasData bool
	wasCR   bool // wasCR says that the last line ended with CR, so that a LF that follows belongs to its end.
}

// split takes the next bytes. It calls event for each event with data, and comment for each
// comment line. The callee may keep the data.
func (s *splitter) split(p []byte, event func(data []byte) error, comment func() error) error {
	for len(p) > 0 {
		if s.wasCR {
			s.wasCR = false
			if p[0] == '\n' {
				p = p[1:]
				continue
			}
		}
		end := bytes.IndexAny(p, "\r\n")
		if end < 0 {
			s.line = append(s.line, p...)
			return nil
		}
		s.line, s.wasCR = append(s.line, p[:end]...), p[end] == '\r'
		p = p[end+1:]
		err := s.endLine(event, comment)
		s.line = s.line[:0]
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *splitter) endLine(event func([]byte) error, comment func() error) error {
	line := bytes.TrimPrefix(s.line, []byte("\ufeff"))
	if len(line) == 0 {
		data, had := s.data, s.hasData
		s.data, s.hasData = nil, false
		if !had {
			return nil
		}
		return event(data)
	}
	if line[0] == ':' {
		return comment()
	}
	field, value, _ := bytes.Cut(line, []byte(":"))
	if string(field) != "data" {
		return nil // messages have no event names, ids and retry times
	}
	if s.hasData {
		s.data = append(s.data, '\n')
	}
	s.data, s.hasData = append(s.data, bytes.TrimPrefix(value, []byte(" "))...), true
	return nil
}

func sortedNames(header http.Header) []string { return slices.Sorted(maps.Keys(header)) }
