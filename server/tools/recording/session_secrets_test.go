package recording_test

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// What a session records, and what it tells of it, has no secret of the request and of the answer,
// also where the answer repeats one that only a header field has.
func TestASessionRecordsNoSecrets(t *testing.T) {
	t.Parallel()
	const key, mail, cookie, parameter = "zq7wvb5xxkpj1mmtr", "joe.doe@qzsecretcorp.org", "k00kie-v4lue", "p4rameter-v4lue"
	h := hold(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Set-Cookie", "session="+cookie+"; Path=/")
		_, _ = io.WriteString(w, strings.Replace(answerInOnePiece, "Yes.", key+" "+cookie+" "+parameter, 1))
	})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+"/v1/chat/completions?api_key="+parameter, strings.NewReader(`{"model":"gpt-4o","messages":[{"role":"user","content":"`+mail+`"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	if got := bodyAndClose(t, resp); !strings.Contains(got, key) {
		t.Errorf("the client gets %s", got)
	}
	h.let()
	h.wait(t)
	files, all := h.List.Files(), strings.Join(h.endings(), "\n")
	for _, f := range files {
		all += "\n" + f.Name + "\n" + string(f.Data)
	}
	if len(files) != 1 || !strings.Contains(all, "redacted-") {
		t.Errorf("recorded is %s", all)
	}
	for _, secret := range []string{key, mail, cookie, parameter} {
		if part := partIn(all, secret); part != "" {
			t.Errorf("%q of %q is in\n%s", part, secret, all)
		}
	}
}

func bodyAndClose(t *testing.T, resp *http.Response) string {
	t.Helper()
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Error(err)
	}
	return string(body)
}
