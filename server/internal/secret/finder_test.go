package secret

import (
	"encoding/base64"
	"regexp"
	"strings"
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
		`https://x.example/?signature=abcdef123`:       "abcdef123",
		`x-api-key: abcdef123`:                         "abcdef123",
		`x-a-token: abcdefghi`:                         "abcdefghi",
		`password: credentials: abcdef123`:             "abcdef123",
		"İſ API KEY=abcdef123":                         "abcdef123",
		`Authorization: Basic am9lOmh1bnRlcjI=`:        "am9lOmh1bnRlcjI=",
		`a short text`:                                 "",
		`in organization org-fakeopenai on requests`:   "",
		`in organization org-fakeopenai2 on requests`:  "org-fakeopenai2",
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

// A secret in base64 is of the kind that it is of as text, and a long text in base64 is searched as a short one.
func TestKindsOfEncodedSecrets(t *testing.T) {
	t.Parallel()
	custom := []*regexp.Regexp{regexp.MustCompile("CUSTOM-[0-9]+")}
	for text, want := range map[string]string{"write to joe@mail.example now": "email", "it says CUSTOM-4711 there": "pattern", "an organization: org-abcdefgh12": "organization"} {
		for _, padding := range []int{0, 5000} {
			encoded := base64.StdEncoding.EncodeToString([]byte(text + strings.Repeat(" word", padding)))
			got := new(Finder).Spans("see "+encoded, custom)
			if _, binary := Binary(encoded); binary != nil || len(got) != 1 || got[0].Kind != want || got[0].To != len("see "+encoded) {
				t.Errorf("%q before %d words is found as %+v", text, padding, got)
			}
		}
	}
	image := strings.Repeat("\x89PNG\x00", 1000)
	if at, binary := Binary("data:image/png;base64," + base64.StdEncoding.EncodeToString([]byte(image))); string(binary) != image || at != len("data:image/png;base64,") {
		t.Errorf("an image has %d bytes from %d on", len(binary), at)
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

// The longest of the secrets that are known is found at each place, however many begin alike.
func TestKnownSecretsAreFound(t *testing.T) {
	t.Parallel()
	known := []string{"sk-proj-abcd", "sk-proj-ab", "sk-proj-abc1", "sk-proj-abcdefgh", "sk-proj-b", "other-secret"}
	var f Finder
	for _, secret := range known {
		f.Know("key", secret)
		f.Know("key", secret)
	}
	for text, want := range map[string]string{
		"a sk-proj-abcdefghi z": "sk-proj-abcdefgh", "a sk-proj-abcdefg z": "sk-proj-abcd", "a sk-proj-abd z": "sk-proj-ab", "a sk-proj-b": "sk-proj-b",
		"sk-proj-a": "", "sk-proj-c": "", "sk-proj-": "", "other-secret": "other-secret",
	} {
		found := ""
		for _, s := range f.Known(text) {
			found += text[s.From:s.To]
		}
		if found != want {
			t.Errorf("in %q is %q, want %q", text, found, want)
		}
	}
}

// A secret is found though it is encoded several times, but a text that is encoded without end is not decoded
// without end.
func TestSecretsAreDecodedAFewTimes(t *testing.T) {
	t.Parallel()
	text := "sk-abcdefghijklmnopqr1"
	if found := new(Finder).Spans("a sk-abc&#100;efghijklmnopqr1 b", nil); len(found) != 1 || found[0].From != 2 {
		t.Errorf("with a letter as an entity, found is %+v", found)
	}
	for times := range deepest + 2 {
		var f Finder
		if found, want := len(f.Spans(text, nil)) > 0, times <= deepest; found != want {
			t.Errorf("encoded %d times: found is %t", times, found)
		}
		text = base64.StdEncoding.EncodeToString([]byte("a " + text))
	}
}

// Only what no key can be is taken for bytes.
func TestBinary(t *testing.T) {
	t.Parallel()
	image := base64.StdEncoding.EncodeToString(append([]byte("\x89PNG\r\n\x00"), make([]byte, 4096)...))
	words := base64.StdEncoding.EncodeToString([]byte(strings.Repeat("my key is in here ", 300)))
	for text, want := range map[string]bool{
		image: true, "data:image/png;base64," + image: true, image[:shortestBinary-4]: false, words: false, "data:text/plain;base64," + words: false,
		image + " sk-abcdefghijklmnopqr1": false, "see ;base64," + image: false,
	} {
		if _, got := Binary(text); (got != nil) != want {
			t.Errorf("%.30s… is binary: %t", text, got != nil)
		}
	}
}
