package recording_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
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

// A web page of another origin, and one that reaches the recorder through a name of its own, are refused and
// not recorded. Pages of this machine, and programs, are passed on.
func TestNoWebPageIsRecorded(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	session := passingOn(endpoint(t, func(http.ResponseWriter, *http.Request) { asked.Add(1) }), func(*recording.Exchange) {})
	proxy := httptest.NewServer(session)
	t.Cleanup(proxy.Close)
	own := strings.TrimPrefix(proxy.URL, "http://")
	for _, tt := range []struct {
		host, origin, site string
		want               int
	}{
		{own, "", "", 200},
		{"localhost:1", "", "", 200},
		{"[::1]", "http://app.localhost:3000", "same-site", 200},
		{own, "https://127.0.0.1:3000", "cross-site", 200},
		{own, "https://evil.example", "cross-site", 403},
		{own, "https://evil.example", "", 403},
		{own, "null", "cross-site", 403},
		{own, "", "cross-site", 403},
		{"evil.example:1", "", "", 403},
		{"127.0.0.1.evil.example", "http://127.0.0.1.evil.example", "same-origin", 403},
	} {
		for _, method := range []string{http.MethodPost, http.MethodGet} {
			before := asked.Load()
			req, err := http.NewRequestWithContext(t.Context(), method, proxy.URL+"/v1/chat/completions", strings.NewReader("{}"))
			if err != nil {
				t.Fatal(err)
			}
			req.Host = tt.host
			for name, value := range map[string]string{"Origin": tt.origin, "Sec-Fetch-Site": tt.site} {
				if value != "" {
					req.Header.Set(name, value)
				}
			}
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			resp.Body.Close()
			if resp.StatusCode != tt.want || (asked.Load() > before) != (tt.want == http.StatusOK) {
				t.Errorf("%s %+v: status %d, passed on %t", method, tt, resp.StatusCode, asked.Load() > before)
			}
		}
	}
}
