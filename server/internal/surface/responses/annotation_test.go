package responses_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

const citing = `name: a
message:
  content: See there.
  annotations:
    - { type: url_citation, end_index: 3, start_index: 0, title: T, url: "https://example.com" }
    - { type: container_file_citation, container_id: cntr_1, end_index: 3, file_id: cfile_1, filename: a.csv, start_index: 0 }
    - { type: file_path, file_id: file_1, index: 2 }
`

// annotation_index counts within a part, and the closing events of the part, the item and the
// response repeat the annotations.
func TestAnnotationsAreRepeatedWhereThePartIsDone(t *testing.T) {
	t.Parallel()
	body := play(t, citing, streamed)
	added := ojson.Array()
	places := map[string]ojson.Value{}
	for _, e := range events(t, body) {
		switch e.Get("type").Text() {
		case "response.output_text.annotation.added":
			if n, ok := e.Get("annotation_index").Int(); !ok || n != int64(len(added.Items())) {
				t.Errorf("annotation %d has the index %s", len(added.Items()), e.Get("annotation_index"))
			}
			added.Push(e.Get("annotation"))
		case "response.content_part.done":
			places["the part"] = e.Get("part")
		case "response.output_item.done":
			places["the item"] = e.Get("item").Get("content").Items()[0]
		case "response.completed":
			places["the answer"] = e.Get("response").Get("output").Items()[0].Get("content").Items()[0]
		}
	}
	if len(added.Items()) != 3 || len(places) != 3 {
		t.Fatalf("%d annotations were added, and %d places repeat them", len(added.Items()), len(places))
	}
	for what, part := range places {
		if got := part.Get("annotations"); !ojson.Equal(got, added) {
			t.Errorf("%s has %s, and %s were added", what, got, added)
		}
	}
}

// On chat completions the members of an annotation are in an object of their own.
func TestAnnotationsOnChatAreNested(t *testing.T) {
	t.Parallel()
	want := `"annotations":[{"type":"url_citation","url_citation":{"end_index":3,"start_index":0,"title":"T","url":"https://example.com"}},` +
		`{"type":"container_file_citation","container_id":"cntr_1"`
	if body := onChat(t, serve(t, citing)); !strings.Contains(body, want) {
		t.Errorf("no\n%s\nin\n%s", want, body)
	}
}
