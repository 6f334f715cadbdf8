package server_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

const keyA, keyB = "Authorization: Bearer a", "Authorization: Bearer b"

// put sends scenarios for the API key a, and returns the body of the answer.
func (r *running) put(method, yaml string, status int) string {
	r.t.Helper()
	resp := r.do(method, "/_fake/scenarios?api_key=a", yaml)
	wantStatus(r.t, resp, status)
	return text(r.t, resp)
}

// says checks that the answer to a request with this header has all these texts.
func (r *running) says(header string, want ...string) {
	r.t.Helper()
	wantContains(r.t, text(r.t, r.chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, header)), want...)
}

func TestScenariosOverHTTPAreForOneKey(t *testing.T) {
	t.Parallel()
	r := start(t, "name: hello\nmessage: From the files.\n", server.Config{})
	list := r.put(http.MethodPut, "name: mine\nwhen: { user: { contains: Hi } }\nmessage: From the test.\n", http.StatusOK)
	wantContains(t, list, `"mine"`, `"hello"`, `"scenarios.yaml:1"`)
	r.says(keyA, "From the test.")
	r.says(keyB, "From the files.")
	wantContains(t, text(t, r.do(http.MethodGet, "/v1/models", "", keyA)), `"fake:mine"`, `"fake:hello"`)
	if models := text(t, r.do(http.MethodGet, "/v1/models", "", keyB)); strings.Contains(models, "fake:mine") {
		t.Error("another key sees the model")
	}
	if all := r.get("/_fake/scenarios", http.StatusOK); strings.Contains(all, `"mine"`) {
		t.Error("the server's own scenarios have that of a key")
	}
	wantStatus(t, r.do(http.MethodPost, "/_fake/reset?api_key=b", ""), http.StatusNoContent)
	r.says(keyA, "From the test.")
	wantStatus(t, r.do(http.MethodPost, "/_fake/reset?api_key=a", ""), http.StatusNoContent)
	r.says(keyA, "From the files.")
}

// Scenarios that were put need no condition to come before those of the files, whichever of
// these is the default.
func TestScenariosOverHTTPComeBeforeThoseOfTheFiles(t *testing.T) {
	t.Parallel()
	const files = "name: weather\nwhen: { user: { contains: Hi } }\nmessage: From the files.\n---\nname: rest\nmessage: The rest.\n"
	for _, standard := range []string{"", "rest", server.NoDefault} {
		r := start(t, files, server.Config{Default: standard})
		wantStatus(t, r.do(http.MethodPut, "/_fake/scenarios", "name: everybody\nmessage: For all keys.\n"), http.StatusOK)
		r.says(keyA, "For all keys.")
		r.put(http.MethodPut, "name: mine\nmessage: From the test.\n", http.StatusOK)
		r.says(keyA, "From the test.")
		r.says(keyB, "For all keys.")
		r.put(http.MethodPut, "name: mine\nwhen: { user: { contains: Ho } }\nmessage: From the test.\n", http.StatusOK)
		r.says(keyA, "For all keys.")
	}
}

func TestScenariosOverHTTPReplaceExtendAndAdd(t *testing.T) {
	t.Parallel()
	r := start(t, "name: hello\nmessage: From the files.\nwire: { headers: { X-Base: yes } }\n", server.Config{})
	r.put(http.MethodPut, "name: hello\nmessage: Replaced.\n---\nname: other\nmessage: Other.\n", http.StatusOK)
	r.says(keyA, "Replaced.")
	// The scenario that is extended may be one of the server's, or one sent before.
	r.put(http.MethodPost, "name: more\nextends: other\nwhen: { user: { contains: Hi } }\n", http.StatusOK)
	r.says(keyA, "Other.")
	wantContains(t, r.put(http.MethodPut, "name: more\nextends: hello\nwhen: { user: { contains: Hi } }\n", http.StatusOK), `"more"`)
	resp := r.chat(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`, keyA)
	wantContains(t, text(t, resp), "From the files.")
	if resp.Header.Get("X-Base") == "" {
		t.Error("the manner of the scenario that is extended is not taken over")
	}
	if list := r.get("/_fake/scenarios?api_key=a", http.StatusOK); strings.Contains(list, `"other"`) {
		t.Errorf("PUT kept what was there before: %s", list)
	}
	r.put(http.MethodDelete, "", http.StatusNoContent)
	if list := r.get("/_fake/scenarios?api_key=a", http.StatusOK); strings.Contains(list, `"more"`) {
		t.Errorf("DELETE left %s", list)
	}
}

// A key with scenarios of its own is not answered by a scenario that was not chosen for it.
func TestTheFallbackIsForKeysWithoutScenarios(t *testing.T) {
	t.Parallel()
	const mine = "name: mine\nwhen: { user: { contains: Ho } }\nmessage: From the test.\n"
	const ask = `{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`
	r := start(t, hello+"---\nname: other\nmessage: Other.\n", server.Config{Fallback: "other"})
	r.says(keyA, "Other.")
	r.put(http.MethodPut, mine, http.StatusOK)
	wantContains(t, text(t, r.chat(ask, keyA)), "which does not contain")
	wantStatus(t, r.do(http.MethodGet, "/v1/models/gpt-4o", "", keyA), http.StatusOK)
	wantContains(t, text(t, r.chat(strings.Replace(ask, "gpt-4o", "fake:other", 1), keyA)), "Other.")
	r.says(keyB, "Other.")
	wantStatus(t, r.do(http.MethodPut, "/_fake/scenarios", mine), http.StatusOK)
	wantStatus(t, r.chat(ask, keyB), http.StatusNotFound)
	wantStatus(t, r.do(http.MethodPost, "/_fake/reset", ""), http.StatusNoContent)
	r.says(keyB, "Other.")

	r = start(t, hello+"---\nname: other\nmessage: Other.\n", server.Config{Fallback: "hello", Default: "other"})
	r.put(http.MethodPut, mine, http.StatusOK)
	r.says(keyA, "Other.")
}

// The files of a form keep their names, with folders, so that messages say where a mistake is.
func TestScenariosOverHTTPInAForm(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{MaxBody: 1000})
	send := func(status int, files ...string) string {
		var body strings.Builder
		for i := 0; i < len(files); i += 2 {
			fmt.Fprintf(&body, "--x\r\nContent-Disposition: form-data; name=\"file\"%s\r\n\r\n%s\r\n", files[i], files[i+1])
		}
		resp := r.do(http.MethodPut, "/_fake/scenarios?api_key=a", body.String()+"--x--\r\n", "Content-Type: multipart/form-data; boundary=x")
		wantStatus(t, resp, status)
		return text(t, resp)
	}
	const one = "name: one\nextends: two\n"
	wantContains(t, send(http.StatusOK, `; filename="tests/für one.yaml"`, one, `; filename="tests/two.yaml"`, "\nname: two\nmessage: Two.\n"),
		`"source": "tests/für one.yaml:1"`, `"source": "tests/two.yaml:2"`)
	r.says(keyA, "Two.")
	for _, c := range []struct {
		status int
		want   string
		files  []string
	}{
		{http.StatusUnprocessableEntity, `"file": "b.yaml",
      "line": 2`, []string{`; filename="a.yaml"`, hello, `; filename="b.yaml"`, "name: b\nmesage: Hi\n"}},
		{http.StatusUnprocessableEntity, `"file": "scenarios.yaml"`, []string{"", "mesage: Hi\n"}},
		{http.StatusBadRequest, "the form has no file", nil},
		{http.StatusRequestEntityTooLarge, "--max-body", []string{"", strings.Repeat("#", 1000)}},
	} {
		wantContains(t, send(c.status, c.files...), c.want)
		r.says(keyA, "Two.")
	}
	const form = "Content-Type: multipart/form-data"
	wantContains(t, r.ask(http.MethodPut, "/_fake/scenarios?api_key=a", "--x", http.StatusBadRequest, form), "cannot be read")
	r.ask(http.MethodPut, "/_fake/scenarios?api_key=a", "--x\r\n\r\n"+hello, http.StatusBadRequest, form+"; boundary=x") // breaks off
	r.says(keyA, "Two.")
}

func TestBrokenScenariosOverHTTPChangeNothing(t *testing.T) {
	t.Parallel()
	r := start(t, "name: hello\nmessage: From the files.\n", server.Config{MaxBody: 1000})
	r.put(http.MethodPut, "name: mine\nmessage: Kept.\n", http.StatusOK)
	for yaml, problem := range map[string]string{
		"name: mine\nmesage: Hi\n":      `"line": 2`,
		"":                              "no scenario",
		"name: mine\nextends: nobody\n": "nobody",
		"name: mine\nmessage: '{{ .request.usr'\n":              `"fake_scenarios"`,
		"name: mine\nstream: [{ content: Hi }]\n":               "missing-finish",
		"name: mine\nmessage: a\n---\nname: mine\nmessage: b\n": "two scenarios",
	} {
		for _, method := range []string{http.MethodPut, http.MethodPost} {
			wantContains(t, r.put(method, yaml, http.StatusUnprocessableEntity), problem, `"diagnostics"`, `"scenarios.yaml"`)
		}
	}
	r.put(http.MethodPut, "name: mine\nmessage: "+strings.Repeat("x", 1000), http.StatusRequestEntityTooLarge)
	r.says(keyA, "Kept.")
}

// When a test sends its scenarios again, their counters start at zero.
func TestScenariosOverHTTPAreCountedAnew(t *testing.T) {
	t.Parallel()
	r := start(t, "name: hello\nmessage: From the files.\n", server.Config{})
	const once = "name: mine\nwhen: { user: { contains: Hi } }\nreplies: [{ times: 1, message: Once. }]\n"
	for range 2 {
		r.put(http.MethodPut, once, http.StatusOK)
		r.says(keyA, "Once.")
		r.says(keyA, "From the files.")
	}
}

func TestScenariosOverHTTPOutliveAReload(t *testing.T) {
	t.Parallel()
	files := "name: hello\nmessage: Before.\n"
	r := start(t, files, server.Config{Reload: func() (*scenarios.Set, error) {
		return parse(t, "name: hello\nmessage: After.\n"), nil
	}})
	r.put(http.MethodPut, "name: mine\nwhen: { model: fake-1 }\nmessage: Mine.\n", http.StatusOK)
	r.says(keyA, "Before.")
	wantStatus(t, r.do(http.MethodPost, "/_fake/reload", ""), http.StatusOK)
	r.says(keyA, "After.")
	wantContains(t, text(t, r.chat(`{"model":"fake-1","messages":[]}`, keyA)), "Mine.")
	wantStatus(t, r.do(http.MethodPost, "/_fake/reset", ""), http.StatusNoContent)
	wantContains(t, text(t, r.chat(`{"model":"fake-1","messages":[]}`, keyA)), "After.")
}

func TestScenariosForAllKeys(t *testing.T) {
	t.Parallel()
	r := start(t, "name: hello\nmessage: From the files.\n", server.Config{})
	wantStatus(t, r.do(http.MethodPut, "/_fake/scenarios", "name: hello\nmessage: For all.\n---\nname: held\nstream: [{ role: assistant }, { hold: late }, { finish: stop }]\n"), http.StatusOK)
	r.put(http.MethodPut, "name: mine\nwhen: { model: fake-1 }\nmessage: Mine.\n", http.StatusOK)
	r.says(keyA, "For all.")
	r.says(keyB, "For all.")
	wantContains(t, text(t, r.chat(`{"model":"fake-1","messages":[]}`, keyA)), "Mine.")
	wantStatus(t, r.do(http.MethodPost, "/_fake/holds/late/release", ""), http.StatusOK)
	wantStatus(t, r.do(http.MethodDelete, "/_fake/scenarios", ""), http.StatusNoContent)
	wantStatus(t, r.do(http.MethodPost, "/_fake/holds/late/release", ""), http.StatusNotFound)
	wantContains(t, text(t, r.chat(`{"model":"fake-1","messages":[]}`, keyA)), "Mine.")
	r.says(keyB, "From the files.")
}

// The scenarios of a key are kept until its reset, so all of them together are bounded in bytes.
func TestTheScenariosOfKeysAreBoundedInBytes(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	s := local(t, "name: hello\nmessage: Hi\n", server.Config{})
	large := func(name string) (files []yamlfile.Source) {
		for i := range 5 {
			text := fmt.Sprint("name: ", name, i, "\nmessage: Hi\ndescription: ", strings.Repeat("x", 3<<20), "\n")
			files = append(files, yamlfile.Source{Name: "x.yaml", Data: []byte(text)})
		}
		return files
	}
	// As many as there is room for; scenarios that are sent again replace themselves.
	for _, key := range []string{"a", "a", "b", "c", "d"} {
		if err := errors.Join(s.PutScenarios(key, large("mine")...), s.AddScenarios(key, large("mine")...)); err != nil {
			t.Fatalf("key %s: %v", key, err)
		}
	}
	for want, refused := range map[string]error{
		"all together can take 67108864; POST /_fake/reset?api_key=KEY frees": s.PutScenarios("f", large("mine")...),
		"of this API key take 31": s.AddScenarios("a", large("more")...),
	} {
		if refused == nil || !strings.Contains(refused.Error(), want) {
			t.Errorf("any number of bytes can be put: %v, want %q", refused, want)
		}
	}
	s.ResetKey("b")
	if err := s.PutScenarios("f", large("mine")...); err != nil {
		t.Errorf("there is no room after the reset of a key: %v", err)
	}
	s.Reset()
	if err := s.PutScenarios("", large("mine")...); err != nil {
		t.Errorf("there is no room after a reset: %v", err)
	}
	if err := s.PutScenarios(""); err != nil {
		t.Errorf("scenarios cannot be taken away: %v", err)
	}
}

func TestKeysWithScenariosAreBounded(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	s := local(t, "name: hello\nmessage: Hi\n", server.Config{})
	file := yamlfile.Source{Name: "x.yaml", Data: []byte("name: mine\nmessage: Mine.\n")}
	for i := range 1000 {
		if err := s.PutScenarios(fmt.Sprint(i), file); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.PutScenarios("one more", file); err == nil {
		t.Error("any number of keys can have scenarios")
	}
	if err := s.PutScenarios("7", file); err != nil {
		t.Errorf("a key that has scenarios gets no others: %v", err)
	}
	s.ResetKey("7")
	if err := s.PutScenarios("one more", file); err != nil {
		t.Errorf("there is no room after a reset: %v", err)
	}
}

// While one reads long scenarios, others can put more.
func TestNoLockIsHeldWhileFilesAreRead(t *testing.T) {
	t.Parallel()
	s, err := server.New(server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	long := yamlfile.Source{Name: "long.yaml", Data: []byte("name: long\nstream:\n- role: assistant\n- content: { repeat: ab, bytes: 10000 }\n  repeat: 100\n- finish: stop\n")}
	read := make(chan error, 1)
	go func() { read <- s.AddScenarios("a", long) }()
	for n := 0; ; n++ {
		if err := errors.Join(s.AddScenarios("b", yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nmessage: Hi\n")}), s.PutFaults("b", faultFile("faults: [{ error: 500 }]"))); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-read:
			if err != nil || n < 10 {
				t.Errorf("meanwhile others put %d times; read: %v", n, err)
			}
			return
		default:
		}
	}
}
