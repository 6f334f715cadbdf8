package recording_test

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// New recordings have other names than the scenarios that exist, and do not answer requests that
// these answered.
func TestRecordingsBesideOthers(t *testing.T) {
	t.Parallel()
	old := yamlfile.Source{Name: "x/hi.yaml", Data: []byte("name: old\nwhen: {user: {equals: Hi}, body: {temperature: {equals: 0.5}}}\nmessage: old answer\n")}
	set, problems := server.CheckFiles(old)
	if err := problems.Err(); err != nil {
		t.Fatal(err)
	}
	upstream := serve(t, newFakeAt(t, server.Instant, yamlfile.Source{Name: "up.yaml", Data: []byte("name: up\nmessage: new answer\n")}))
	session := &recording.Session{
		Mode: recording.ModeMissing, Upstream: upstream, Fake: newFakeAt(t, server.Instant, old),
		Redactor: new(recording.Redactor), List: new(recording.Collection),
		Ended: func(_ *recording.Exchange, err error) {
			if err != nil {
				t.Error(err)
			}
		},
	}
	session.Beside(set, []yamlfile.Source{old})
	proxy := httptest.NewServer(session)
	t.Cleanup(proxy.Close)
	asked := []struct{ body, want string }{
		{`{"model":"gpt-4o","temperature":0.5,"messages":[{"role":"user","content":"Hi"}]}`, "old answer"},
		{`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, "new answer"},
	}
	for _, a := range asked {
		if _, got, err := post(t, proxy.URL+requests[0].path, "", a.body); err != nil || !strings.Contains(string(got), a.want) {
			t.Errorf("%s is answered with %s, %v, want %q", a.body, got, err, a.want)
		}
	}
	if err := session.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, notes := session.List.Files(), session.List.Check()
	if len(files) != 1 || files[0].Name != "hi-666613.yaml" || len(notes) > 0 {
		t.Fatalf("got %v, %v", files, notes)
	}
	if c := session.Counts(); c.Requests != 1 || c.Open != 0 || c.Bytes == 0 {
		t.Errorf("counts: %+v", c)
	}
	both := newFakeAt(t, server.Instant, yamlfile.Source{Name: files[0].Name, Data: files[0].Data}, old)
	for _, a := range asked {
		if got := bodyOf(exchangeWith(t, both, "", requests[0].path, a.body)); !strings.Contains(got, a.want) {
			t.Errorf("with both, %s is answered with %s, want %q", a.body, got, a.want)
		}
	}
}
