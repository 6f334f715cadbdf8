package sse

import (
	"math/rand/v2"
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

func str(s string) *string { return &s }

func TestFieldsAreWrittenAsTheStandardReadsThem(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name    string
		framing Framing
		event   Event
		want    string
	}{
		{"data", Framing{}, Event{Data: []byte("x")}, "data: x\n\n"},
		{"each line of data has its field", Framing{}, Event{Data: []byte("a\nb\n")}, "data: a\ndata: b\ndata:\n\n"},
		{"empty data", Framing{}, Event{Data: []byte{}}, "data:\n\n"},
		{"no data", Framing{}, Event{Event: str("ping")}, "event: ping\n\n"},
		{"all fields", Framing{}, Event{Event: str("e"), ID: str("7"), Retry: str("3000"), Data: []byte("x")}, "event: e\nid: 7\nretry: 3000\ndata: x\n\n"},
		{"a comment of two lines", Framing{}, Event{Comment: str("a\nb")}, ": a\n: b\n\n"},
		{"an empty comment", Framing{}, Event{Comment: str("")}, ":\n\n"},
		{"an event's name stays one line", Framing{}, Event{Event: str("a\ndata: b\r\nc\rd\x00"), Data: []byte("x")}, "event: a data: b c d\ufffd\ndata: x\n\n"},
		{"an id stays one line", Framing{}, Event{ID: str("a\n\nb"), Retry: str("1\r2")}, "id: a  b\nretry: 1 2\n\n"},
		{"data of any line ends", Framing{}, Event{Data: []byte("a\rb\r\nc\nd")}, "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"a comment of any line ends", Framing{}, Event{Comment: str("a\rdata: b")}, ": a\n: data: b\n\n"},
		{"no space", Framing{NoSpace: true}, Event{ID: str("7"), Data: []byte("x")}, "id:7\ndata:x\n\n"},
		{"CRLF", Framing{Newline: CRLF}, Event{Data: []byte("a\nb")}, "data: a\r\ndata: b\r\n\r\n"},
		{"CR", Framing{Newline: CR}, Event{Data: []byte("x")}, "data: x\r\r"},
	}
	for _, tt := range tests {
		if got := string(tt.framing.Append(nil, &tt.event)); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestMixedUsesEveryLineEnd(t *testing.T) {
	t.Parallel()
	f := Framing{Newline: Mixed, Rand: rand.New(rand.NewPCG(1, 2))}
	var out []byte
	for range 100 {
		out = f.Append(out, &Event{Data: []byte("x")})
	}
	rest := strings.ReplaceAll(string(out), CRLF, "")
	if !strings.Contains(string(out), CRLF) || !strings.Contains(rest, CR) || !strings.Contains(rest, LF) {
		t.Errorf("a line end is missing in %q", out)
	}
	if lines := strings.Count(rest, CR) + strings.Count(rest, LF) + strings.Count(string(out), CRLF); lines != 200 {
		t.Errorf("%d lines in %q, want 200: a CR and the LF after it are one line end", lines, out)
	}
}
