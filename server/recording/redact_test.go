package recording_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server/recording"
)

// planted are secrets of many forms. Each is in one place of an exchange.
func planted() []string {
	return []string{
		"sk-proj-Hq83hfkq0dkGh3kd", "sk-ant-REDACTME0123456789", "cookie-value-91823", "session-81723981", "org-REDACTMEabcdef123",
		"proj_REDACTMEabcdef123", "azure-key-0123456789", "query-key-0123456789", "sig%2Bnature-0123", "joe.doe@example.org",
		"mary+tag@mail.example.co.uk", "ghp_abcdefghijklmnopqrstuvwxyz0123", "AKIAABCDEFGHIJKLMNOP", "hunter2hunter2@db",
		"eyJhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.c2lnbmF0dXJl", "xoxb-123456789012-abcdef", "user-abcdefghijklmnop1234", "CUSTOM-4711-SECRET",
		"tool@arguments.example", "streamed@pieces.example", "response@output.example", "escaped@json.example", "multipart@form.example",
		"header@answer.example", "error@message.example", "system@prompt.example",
		// From 26 on: odd places.
		"YmFzaWMtdXNlcjpiYXNpY1Bhc3M5OQ==", "basicPass99", "vendor-case-key-01", "security-token-02", "location-token-03",
		"comment-key-31337", "event@ids.example", "nested-tool-key-04", "split-password-77", "amz-signature-05", "tokenasuserinfo06",
		"MIIEpAIBAAKCAQEAodd", "form-field-key-07", "owner@filename.example", "deployment@path.example", "member@name.example",
		"account-key-08abcdef", "customer-secret-09", "sk_live_0123456789abc",
	}
}

// inOddPlaces returns exchanges with secrets in places where few people look for them.
func inOddPlaces() []*recording.Exchange {
	s := planted()
	streamed := ": api_key=" + s[31] + "\n\n" + "id: " + s[32] + "\n" + chunkOf(`{"role":"assistant","content":""}`) +
		chunkOf(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"login","arguments":"{\"password\": \"split-pass"}}]}`) +
		chunkOf(`{"tool_calls":[{"index":0,"function":{"arguments":"word-77\"}"}}]}`) +
		chunkOf(`{"content":"https://u.example/a.png?X-Amz-Expires=1&X-Amz-Signature=`+s[35]+` https://`+s[36]+`@git.example/x"}`) + "data: [DONE]\n\n"
	arguments := fmt.Sprintf("%q", fmt.Sprintf(`{"config":%q}`, `{"api_key":"`+s[33]+`"}`)) // JSON in JSON in JSON
	return []*recording.Exchange{
		{
			Method: "POST", Path: "/openai/deployments/" + s[40] + "/chat/completions", Status: 200,
			AnswerHeader: http.Header{"Content-Type": {"text/event-stream"}, "x-VENDOR-api-key": {s[28]}, "X-Amz-Security-Token": {s[29]}, "Location": {"https://x.example/?token=" + s[30]}},
			Header:       http.Header{"Authorization": {"Basic " + s[26]}},
			Body: []byte(`{"stream":true,"messages":[{"role":"user","content":"Log in with ` + s[27] + `, as in Authorization: Basic ` + s[26] + `"},` +
				`{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"login","arguments":` + arguments + `}}]},` +
				`{"role":"tool","tool_call_id":"c1","content":"-----BEGIN RSA PRIVATE KEY-----\n` + s[37] + `\n-----END RSA PRIVATE KEY-----"}]}`),
			Pieces: []recording.Piece{{Data: []byte(streamed)}},
		},
		{
			Method: "POST", Path: "/v1/chat/completions", Status: 400, AnswerHeader: http.Header{"Content-Type": {"application/json"}, "X-Customer-Secret": {s[43]}},
			Body: []byte(`{"model":"gpt-4o","metadata":{"` + s[41] + `":"x"},"messages":[{"role":"user","content":"AccountName=a;AccountKey=` + s[42] + `;"}]}`),
			// The gateway repeats a form that the client sent.
			Pieces: []recording.Piece{{Data: fmt.Appendf(nil, `{"error":{"message":%q,"type":"invalid_request_error","param":null,"code":null}}`,
				"--x\r\nContent-Disposition: form-data; name=\"api_key\"\r\n\r\n"+s[38]+"\r\n--x\r\nContent-Disposition: form-data; name=\"file\"; filename=\""+s[39]+"\"\r\n\r\n"+s[44])}},
		},
	}
}

// exchangesWithSecrets returns exchanges with a secret in each place where one can be.
func exchangesWithSecrets() []*recording.Exchange {
	s := planted()
	streamed := strings.Join([]string{
		chunkOf(`{"content":"Write to stream"}`), chunkOf(`{"content":"ed@pie"}`), chunkOf(`{"content":"ces.example now. CUSTOM-47"}`), chunkOf(`{"content":"11-SECRET"}`),
		chunkOf(`{"tool_calls":[{"index":0,"id":"c1","type":"function","function":{"name":"f","arguments":"{\"to\":\"tool@argu"}}]}`),
		chunkOf(`{"tool_calls":[{"index":0,"function":{"arguments":"ments.example\"}"}}]}`),
		chunkOf(`{"content":" ` + s[0] + ` ` + s[14] + `"}`), chunkOf(`{"content":" escaped\u0040json.example"}`), "data: [DONE]\n\n",
	}, "")
	sse := http.Header{"Content-Type": {"text/event-stream"}, "Set-Cookie": {"sid=" + s[3] + "; Path=/"}, "Openai-Organization": {s[4]}, "X-Contact": {s[23]}}
	return []*recording.Exchange{
		{
			Method: "POST", Path: "/v1/chat/completions?api-key=" + s[7] + "&sig=" + s[8], Status: 200, AnswerHeader: sse,
			Header: http.Header{"Authorization": {"Bearer " + s[0]}, "Cookie": {"a=" + s[2]}, "Openai-Project": {s[5]}, "Api-Key": {s[6]}},
			Body: fmt.Appendf(nil, `{"model":"gpt-4o","stream":true,"user":%q,"messages":[{"role":"system","content":"Ask %s with %s."},{"role":"user","content":"I am %s, my keys are %s %s %s %s and %s, with CUSTOM-4711-SECRET and postgres://joe:%s/x and escaped\u0040json.example."}]}`,
				s[16], s[25], s[7], s[9], s[0], s[1], s[11], s[12], s[15], s[13]),
			Pieces: []recording.Piece{{Data: []byte(streamed)}},
		},
		{
			Method: "POST", Path: "/v1/chat/completions", Status: 401, AnswerHeader: http.Header{"Content-Type": {"application/json"}},
			Body:   []byte(`{"model":"gpt-4o","messages":[{"role":"user","content":"` + s[10] + `"}]}`),
			Pieces: []recording.Piece{{Data: fmt.Appendf(nil, `{"error":{"message":"Incorrect API key provided: %s of %s","type":"invalid_request_error","param":null,"code":"invalid_api_key"}}`, s[1], s[24])}},
		},
		{
			Method: "POST", Path: "/v1/responses", Status: 200, AnswerHeader: http.Header{"Content-Type": {"application/json"}},
			Body:   []byte(`{"model":"gpt-4o","input":[{"role":"user","content":[{"type":"input_text","text":"` + s[22] + `"}]}]}`),
			Pieces: []recording.Piece{{Data: []byte(`{"id":"resp_1","output":[{"type":"message","content":[{"type":"output_text","text":"` + s[20] + ` response@output.example"}]}]}`)}},
		},
	}
}

func chunkOf(delta string) string {
	return `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1,"model":"gpt-4o","choices":[{"index":0,"delta":` + delta + `,"finish_reason":null}]}` + "\n\n"
}

// Recorded files have no secret of any place of an exchange, and still answer the requests with the
// secrets.
func TestSecretsReachNoFile(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	r := recording.Redactor{Patterns: []*regexp.Regexp{regexp.MustCompile(`CUSTOM-\d+-SECRET`)}}
	list, asked := append(exchangesWithSecrets(), inOddPlaces()...), append(exchangesWithSecrets(), inOddPlaces()...)
	if n := len(planted()); n < 40 {
		t.Fatalf("only %d secrets are planted", n)
	}
	for _, x := range list {
		r.Redact(x)
	}
	for _, how := range []recording.Matching{recording.MatchTurn, recording.MatchLast, recording.MatchExact} {
		files, notes := collect(t, list, how)
		if len(notes) > 0 || len(files) != len(list) {
			t.Fatalf("%s: %d files, %v", how, len(files), notes)
		}
		var all strings.Builder
		for _, f := range files {
			all.WriteString(f.Name + "\n")
			all.Write(f.Data)
		}
		text := strings.ReplaceAll(all.String(), `\u0040`, "@")
		for _, secret := range planted() {
			if strings.Contains(text, secret) {
				t.Errorf("%s: %s is in the files", how, secret)
			}
		}
		for _, part := range []string{"ed@pie", "ces.example", "11-SECRET", "tool@argu", "ments.example", "hunter2", "split-pass", "word-77"} {
			if strings.Contains(text, part) {
				t.Errorf("%s: %q, a part of a secret, is in the files", how, part)
			}
		}
		if !strings.Contains(text, "redacted-email-") || !strings.Contains(text, "Write to redacted-email-") {
			t.Errorf("%s: there are no placeholders:\n%s", how, text)
		}
		fake := fakeOf(t, files)
		for _, x := range asked {
			if again := exchangeWith(t, fake, "", strings.Split(x.Path, "?")[0], string(x.Body)); again.Status != x.Status {
				t.Errorf("%s: the request with its secrets gets %d: %s", how, again.Status, bodyOf(again))
			}
		}
	}
	var kinds []string
	for _, s := range r.Summary() {
		kinds = append(kinds, s.Kind)
	}
	if want := []string{"cookie", "email", "key", "organization", "password", "pattern", "project", "token", "user"}; !slices.Equal(kinds, want) {
		t.Errorf("the summary has %v, want %v", kinds, want)
	}
}
