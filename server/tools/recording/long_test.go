package recording_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// A request of any length is recorded as a file that can be read, with a short condition. Requests that differ
// at the beginning, in the middle or at the end alone still get their own answers.
func TestConditionsOnLongRequestsAreShort(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	filler := strings.Repeat("lorem ipsum ", 12<<10)
	text := func(text string) [2]string {
		return [2]string{"/v1/chat/completions", fmt.Sprintf(`{"model":"gpt-4o","messages":[{"role":"user","content":%q}]}`, text)}
	}
	image := func(at string) [2]string {
		return [2]string{"/v1/chat/completions", fmt.Sprintf(`{"model":"gpt-4o","messages":[{"role":"user","content":[{"type":"text","text":"What is it?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,%sAA%s%s"}}]}]}`,
			strings.Repeat("AAAA", 1<<20), at, strings.Repeat("BBBB", 4<<10))}
	}
	inputs := func(n int, end string) [2]string {
		return [2]string{"/v1/embeddings", `{"model":"text-embedding-3-small","input":[` + strings.Repeat(`"`+filler[:300]+`", `, n) + `"` + end + `"]}`}
	}
	for name, requests := range map[string][][2]string{
		"texts":  {text("1" + filler + filler), text(filler + "2" + filler), text(filler + "3" + filler), text(filler + filler + "4"), text("the same " + filler), text(filler + filler)},
		"images": {image("x/"), image("y/")},
		"lists":  {inputs(500, "a"), inputs(500, "b"), inputs(501, "a")},
	} {
		for _, how := range []recording.Matching{recording.MatchTurn, recording.MatchLast, recording.MatchExact} {
			t.Run(name+" "+string(how), func(t *testing.T) {
				t.Parallel()
				var all []*recording.Exchange
				for i, r := range requests {
					all = append(all, answered(r[0], r[1], fmt.Sprintf(`{"n":%d}`, i)))
				}
				files, notes := collect(t, all, how)
				if len(files) != len(all) || len(notes) > 0 {
					t.Fatalf("%d files of %d, %v", len(files), len(all), notes)
				}
				for _, f := range files {
					if len(f.Data) > 4<<10 {
						t.Errorf("%s has %d bytes", f.Name, len(f.Data))
					}
				}
				fake := fakeOf(t, files)
				for i, x := range all {
					if got, want := bodyOf(exchangeWith(t, fake, "", x.Path, string(x.Body))), fmt.Sprintf(`{"n":%d}`, i); got != want {
						t.Errorf("request %d is answered with %.200s", i, got)
					}
				}
			})
		}
	}
}

// answered is a request and its answer in one piece.
func answered(path, body, answer string) *recording.Exchange {
	return &recording.Exchange{
		Method: "POST", Path: path, Header: map[string][]string{"Content-Type": {"application/json"}}, Body: []byte(body),
		Status: 200, AnswerHeader: map[string][]string{"Content-Type": {"application/json"}}, Pieces: []recording.Piece{{Data: []byte(answer)}},
	}
}

// An answer of up to 16 MiB is recorded, in a file beside its scenario if it is long. What KeepBody got is kept
// nowhere else. Scenarios of other answers to the same request keep their files.
func TestLongAnswersAreRecorded(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	var floats strings.Builder
	for n := range 5 << 20 / 12 {
		fmt.Fprintf(&floats, ",-0.0%08d", n)
	}
	const body = `{"model":"text-embedding-3-small","input":"Hi"}`
	vectors := `{"object":"list","data":[{"object":"embedding","index":0,"embedding":[0.5` + floats.String() + `]}],"model":"text-embedding-3-small","usage":{"prompt_tokens":1,"total_tokens":1}}`
	var written []recording.File
	c := &recording.Collection{KeepBody: func(name string, data []byte) error {
		written = append(written, recording.File{Name: name, Data: data})
		return nil
	}}
	answers := []string{vectors, `{"object":"list","data":[]}`, strings.Replace(vectors, "0.5", "0.6", 1), strings.Repeat("a", 16<<20+1)}
	for i, answer := range answers {
		x := answered("/v1/embeddings", body, answer)
		new(recording.Redactor).Redact(x)
		if err := c.Add(x); errors.Is(err, recording.ErrTooLong) != (i == 3) || err != nil && i < 3 {
			t.Fatal(err)
		}
	}
	files, notes := c.Files(), c.Check()
	if len(files) != 1 || len(files[0].Data) > 1<<10 || files[0].Answers != 3 || len(notes) > 0 || len(written) != 2 {
		t.Fatalf("%d files with %d bodies, %v: %.2000s", len(files), len(written), notes, files[0].Data)
	}
	fake := fakeOf(t, append(written, files...))
	for i, want := range answers[:3] {
		if got := bodyOf(exchangeWith(t, fake, "", "/v1/embeddings", body)); got != want {
			t.Errorf("answer %d has %d bytes, want %d: %.200s", i, len(got), len(want), got)
		}
	}
}
