package recording_test

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

func chunkOf(delta string) string {
	return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
}

// secretFields are fields for secrets, and parameters of the query. Each secret has the form of a
// word that means nothing elsewhere.
func secretFields() (asked, answered http.Header, query string, secrets []string) {
	asked = http.Header{
		"Authorization": {"Bearer bearer-letters-alone"}, "Cookie": {`a=first-of-cookies; b="second-of-cookies"`}, "Openai-Project": {"project-by-name"}, "Api-Key": {"azure-letters-alone"},
		"Sec-Websocket-Protocol": {"realtime, openai-insecure-api-key.protocol-letters-alone"}, "Proxy-Authorization": {"Basic YmFzaWMtdXNlcjpiYXNpY1Bhc3M5OQ=="},
	}
	answered = http.Header{
		"Content-Type": {"text/event-stream"}, "Set-Cookie": {"sid=session-letters-alone; Path=/"}, "Openai-Organization": {"organization-by-name"},
		"x-VENDOR-api-key": {"vendor-letters-alone"}, "X-Amz-Security-Token": {"amazon-letters-alone"}, "X-Customer-Secret": {"customer-letters-alone"},
	}
	return asked, answered, "?api-key=query-letters-alone&sig=sig%2Bnature-letters", []string{
		"bearer-letters-alone", "first-of-cookies", "second-of-cookies", "project-by-name", "azure-letters-alone", "protocol-letters-alone", "basicPass99", "session-letters-alone", "organization-by-name",
		"vendor-letters-alone", "amazon-letters-alone", "customer-letters-alone", "query-letters-alone", "sig+nature-letters",
	}
}

// What was in a field or parameter for secrets is replaced wherever else it is, even where nothing else
// says that it is a secret. The summary counts all kinds.
func TestSecretsOfFieldsAreReplacedEverywhere(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	asked, answered, query, secrets := secretFields()
	all := strings.Join(secrets, " ")
	half := len(all) / 2
	x := &recording.Exchange{
		Method: "POST", Path: "/openai/deployments/deployment@path.example/chat/completions" + query, Status: 200, Header: asked, AnswerHeader: answered,
		Body:   fmt.Appendf(nil, `{"stream":true,"messages":[{"role":"system","content":"user-abcdefghijklmnop1234"},{"role":"user","content":%q}]}`, all),
		Pieces: []recording.Piece{{Data: []byte(chunkOf(fmt.Sprintf(`{"content":%q}`, all[:half])) + chunkOf(fmt.Sprintf(`{"content":%q}`, all[half:])) + "id: event@ids.example\n" + chunkOf(`{"content":"CUSTOM-1 "}`) + "data: [DONE]\n\n")}},
	}
	again := *x
	r := recording.Redactor{Patterns: []*regexp.Regexp{regexp.MustCompile(`CUSTOM-\d+`)}}
	r.Redact(x)
	for _, how := range []recording.Matching{recording.MatchTurn, recording.MatchLast, recording.MatchExact} {
		files, notes := collect(t, []*recording.Exchange{x}, how)
		if len(notes) > 0 || len(files) != 1 {
			t.Fatalf("%s: %d files, %v", how, len(files), notes)
		}
		text := files[0].Name + "\n" + string(files[0].Data)
		for _, secret := range append(secrets, "deployment@path", "event@ids", "CUSTOM-1", "YmFzaW") {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %s is in the file:\n%s", how, secret, text)
			}
		}
		path, _, _ := strings.Cut(again.Path, "?")
		if got := exchangeWith(t, fakeOf(t, files), "", path, string(again.Body)); got.Status != again.Status {
			t.Errorf("%s: the request with its secrets gets %d: %s", how, got.Status, bodyOf(got))
		}
	}
	var kinds []string
	for _, s := range r.Summary() {
		kinds = append(kinds, s.Kind)
	}
	if want := []string{"cookie", "email", "key", "organization", "pattern", "project", "user"}; !slices.Equal(kinds, want) {
		t.Errorf("the summary has %v, want %v", kinds, want)
	}
}

// Secrets in forms that a gateway repeats in an error are replaced.
func TestSecretsOfFormsAreReplaced(t *testing.T) {
	t.Parallel()
	form := "--x\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\nform-letters-alone\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\"owner@filename.example\"\r\n\r\n-----BEGIN PRIVATE KEY-----\nMIIEpAIBAAKCAQEAodd\n-----END PRIVATE KEY-----"
	x := &recording.Exchange{
		Method: "POST", Path: "/v1/chat/completions", Status: 400, AnswerHeader: http.Header{"Content-Type": {"application/json"}},
		Body:   []byte(`{"model":"gpt-4o","messages":[{"role":"user","content":"Hi"}]}`),
		Pieces: []recording.Piece{{Data: fmt.Appendf(nil, `{"error":{"message":%q,"type":"invalid_request_error","param":null,"code":null}}`, form)}},
	}
	new(recording.Redactor).Redact(x)
	for _, secret := range []string{"form-letters-alone", "owner@", "MIIE"} {
		if strings.Contains(bodyOf(x), secret) {
			t.Errorf("%s is in %s", secret, bodyOf(x))
		}
	}
}

// What is a secret behind its name is one where no name stands before it, too.
func TestASecretWithANameIsReplacedElsewhere(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"model":"gpt-4o","messages":[{"role":"user","content":"My password is wombat-x88."}]}`,
		`{"model":"gpt-4o","password":"wombat-x88.","messages":[{"role":"user","content":"Hi"}]}`,
	} {
		x := chat(body, "Your wombat-x88. is weak.")
		new(recording.Redactor).Redact(x)
		if got := bodyOf(x); strings.Contains(got, "wombat") {
			t.Errorf("the answer to %s is %s", body, got)
		}
	}
}

// What is redacted stays so when it is recorded again, as from a server that plays recordings. Different
// secrets have different placeholders, and a byte order mark stays.
func TestRedactingAgainChangesNothing(t *testing.T) {
	t.Parallel()
	x := chat(`{"model":"gpt-4o","password":"wombat-x88","messages":[{"role":"user","content":"joe@mail.example jim@mail.example joe@mail.example"}]}`, "Hi")
	x.Header = http.Header{"Authorization": {"Bearer bearer-letters-alone"}}
	x.Pieces[0].Data = append([]byte("\ufeff"), x.Pieces[0].Data...)
	new(recording.Redactor).Redact(x)
	asked, field := string(x.Body), x.Header.Get("Authorization")
	new(recording.Redactor).Redact(x)
	if string(x.Body) != asked || x.Header.Get("Authorization") != field {
		t.Errorf("%s and %s become %s and %s", asked, field, x.Body, x.Header)
	}
	list := regexp.MustCompile("redacted-email-[0-9a-f]+").FindAllString(asked, -1)
	if len(list) != 3 || list[0] != list[2] || list[0] == list[1] {
		t.Errorf("the placeholders are %q", list)
	}
	if !strings.HasPrefix(bodyOf(x), "\ufeffdata: ") {
		t.Errorf("the answer is %q", bodyOf(x))
	}
}

// A secret at the end of a text takes nothing from the next one, which is another message or is embedded
// by itself.
func TestASecretEndsWithItsText(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"model":"m","input":["mail joe@mail.example","rain"]}`,
		`{"model":"m","messages":[{"role":"system","content":"key sk-proj-abcdefghijklmnop1234567890"},{"role":"user","content":"rain"}]}`,
	} {
		x := &recording.Exchange{Method: "POST", Path: "/v1/embeddings", Body: []byte(body)}
		new(recording.Redactor).Redact(x)
		if got := string(x.Body); !strings.Contains(got, `"rain"`) || !strings.Contains(got, "redacted-") {
			t.Errorf("%s becomes %s", body, got)
		}
	}
}

// A number that a pattern matches is a secret as a text is.
func TestNumbersAreReplaced(t *testing.T) {
	t.Parallel()
	x := chat(`{"model":"gpt-4o","account":471100815,"messages":[{"role":"user","content":"Hi"}]}`, "Yes.")
	r := recording.Redactor{Patterns: []*regexp.Regexp{regexp.MustCompile("4711[0-9]+")}}
	r.Redact(x)
	if got := string(x.Body); strings.Contains(got, "4711") || !strings.Contains(got, `"account":"redacted-pattern-`) {
		t.Errorf("the request is %s", got)
	}
}

// The key that a request carried is in no file, whatever the bytes around it are. A file keeps its length.
func TestTheKeyOfARequestIsFoundInBytes(t *testing.T) {
	t.Parallel()
	const key = "QWxhZGRpbjpvcGVu.zesame"
	zipped := func(plain string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, plain)
		w.Close()
		return b.String()
	}
	unit := func(text string) string { return strings.Join(strings.Split(text, ""), "\x00") + "\x00" }
	image := "\x89PNG\x00\xff tEXt" + key + "\x00" + strings.Repeat("\x00\xff", 4000)
	for name, tt := range map[string]struct {
		answer  string
		files   int
		asIs    bool
		replace string // replace is what the file has in place of the key.
	}{
		"an image":       {image, 1, true, "redacted-key-"},
		"in capitals":    {strings.ReplaceAll(image, key, strings.ToUpper(key)), 1, true, "redacted-key-"},
		"UTF-16 inside":  {"\x89PNG\x00\xff" + unit(key), 1, true, "redacted-key-"},
		"UTF-16":         {"\xff\xfe" + unit("see "+key+" and sk-abcdefghijklmnop1234 now"), 0, false, unit("now")},
		"gzip":           {zipped("see " + key + " now"), 0, false, ""},
		"gzip of bytes":  {zipped(image), 1, false, ""},
		"JSON":           {`{"b64_json":"` + base64.StdEncoding.EncodeToString([]byte(image)) + `"}`, 1, true, ""},
		"without a key":  {strings.ReplaceAll(image, key, "no secret"), 1, true, "no secret"},
		"no text either": {"\xff\xfe\x00", 1, true, ""},
	} {
		x := answered("/v1/files", "{}", tt.answer)
		x.Header.Set("Authorization", "Bearer "+key)
		var r recording.Redactor
		r.Redact(x)
		got := bodyOf(x)
		plain := got
		if z, err := gzip.NewReader(strings.NewReader(got)); err == nil {
			text, _ := io.ReadAll(z)
			plain = string(text)
		}
		if _, inBase64, ok := strings.Cut(got, `":"`); ok {
			text, _ := base64.StdEncoding.DecodeString(strings.TrimSuffix(inBase64, `"}`))
			plain = string(text)
		}
		for _, secret := range []string{key, strings.ToUpper(key), unit(key), unit("sk-abc")} {
			if strings.Contains(plain, secret) {
				t.Errorf("%s: %q is in %.200q", name, secret, plain)
			}
		}
		if len(plain) == 0 || r.Files() != tt.files || tt.asIs && len(got) != len(tt.answer) || !strings.Contains(plain, tt.replace) {
			t.Errorf("%s: %d files, %d bytes of %d: %.200q", name, r.Files(), len(got), len(tt.answer), plain)
		}
	}
	x := answered("/v1/embeddings", `{"model":"m","input":["the key is `+key[:9]+`","`+key[9:]+` as said","my password","letters12 alone"]}`, "{}")
	x.Header.Set("Authorization", "Bearer "+key)
	new(recording.Redactor).Redact(x)
	if got := string(x.Body); strings.Contains(got, key[:9]) || strings.Contains(got, key[9:]) || !strings.Contains(got, "letters12 alone") {
		t.Errorf("a list has %s", got)
	}
}
