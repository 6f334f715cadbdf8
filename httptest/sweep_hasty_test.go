package fakeopenai_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// hasty is a client with a defect: it discards its buffer after each read that has a whole
// event, so that the beginning of the next event is lost.
func hasty(body io.Reader) (string, error) {
	var text strings.Builder
	var buffer []byte
	read := make([]byte, 64<<10)
	for {
		n, err := body.Read(read)
		buffer = append(buffer, read[:n]...)
		if events := bytes.Split(buffer, []byte("\n\n")); len(events) > 1 {
			for _, event := range events[:len(events)-1] {
				var c chunk
				data, _ := bytes.CutPrefix(event, []byte("data: "))
				if json.Unmarshal(data, &c) == nil && len(c.Choices) > 0 {
					text.WriteString(c.Choices[0].Delta.Content)
				}
			}
			buffer = nil
		}
		if errors.Is(err, io.EOF) {
			return text.String(), nil
		}
		if err != nil {
			return "", err
		}
	}
}

// TestWritesAcrossEventsCatchAHastyClient checks that, at any pace, a sweep has variants in which
// one write has the end of one event and the beginning of the next.
func TestWritesAcrossEventsCatchAHastyClient(t *testing.T) {
	t.Parallel()
	caught := map[string]bool{
		"as-written": false, "apart": false, "together": false, "in-threes": false, "split-bytes": false, "split-runes": false, "split-fields": false,
		"split-across": true, "split-twice": true, "split-random-1": true, "split-random-2": true, "split-random-3": true,
	}
	for pace, story := range map[string]string{"at once": story, "paced": story + "pace: { every: 10ms }\n"} {
		for _, v := range sweep.Variants() {
			want, named := caught[v.Name]
			if !named {
				continue
			}
			synctest.Test(t, func(t *testing.T) { // in a bubble a reader gets each write by itself
				fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.YAML(v.Scenario("story")+"\n---\n"+story))
				got, err := hasty(open(t, fake))
				if err != nil {
					t.Fatal(err)
				}
				if lost := got != storyText; lost != want {
					t.Errorf("%s, %s: read %q; lost text %t, want %t", pace, v.Name, got, lost, want)
				}
			})
		}
	}
}
