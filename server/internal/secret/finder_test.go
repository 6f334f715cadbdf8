package secret

import (
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

// Secrets are found even if nothing stands around them, and none is found in prose.
func TestSpans(t *testing.T) {
	t.Parallel()
	var f Finder
	f.Know("cookie", "chocolate-chip")
	f.Know("cookie", "short")
	for text, want := range map[string]string{
		`a chocolate-chip cookie`:                      "chocolate-chip",
		`chocolate-chipchocolate-chip`:                 "chocolate-chip|chocolate-chip",
		`{"api_key": "abcdef123"}`:                     "abcdef123",
		`{"api_key": "chocolate-chip-abc"}`:            "chocolate-chip-abc",
		`{\"clientSecret\":\"abcdef123\"}`:             "abcdef123",
		`OPENAI_API_KEY=abcdef123 go test`:             "abcdef123",
		`https://x.example/?a=1&sig=abcdef123&b=2`:     "abcdef123",
		`x-api-key: abcdef123`:                         "abcdef123",
		`Authorization: Basic am9lOmh1bnRlcjI=`:        "am9lOmh1bnRlcjI=",
		`a short text`:                                 "",
		`Basic understanding of passwords is required`: "",
		`{"max_tokens": 1000, "token": " Hello"}`:      "",
		`{"password": {"type": "string"}}`:             "",
		`Send the secret: it is behind the key`:        "",
	} {
		got := ""
		for _, s := range f.Spans(text, nil) {
			if got != "" {
				got += "|"
			}
			got += text[s.From:s.To]
		}
		if got != want {
			t.Errorf("%s: found %q, want %q", text, got, want)
		}
	}
	if got := f.Spans("a chocolate-chip cookie", nil); len(got) != 1 || got[0].Kind != "cookie" {
		t.Errorf("the secret that was told is found as %+v", got)
	}
}

func TestMembersWhoseValuesAreSecrets(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"client_secret": true, "X-Vault-Token": true, "apiKey": true, "max_tokens": false, "secretary": false} {
		if IsName(name) != want {
			t.Errorf("%s: got %t", name, !want)
		}
	}
}
