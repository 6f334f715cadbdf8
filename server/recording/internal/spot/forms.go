package spot

import (
	"encoding/base64"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// form is a regular expression for a kind of secret. The secret is the group of the
// expression or, without a group, the whole match.
type form struct {
	kind string
	expr *regexp.Regexp
	is   func(text string) bool // is, if not nil, decides whether a match is a secret.
}

func (f *form) find(to []Span, text string) []Span {
	for _, m := range f.expr.FindAllStringSubmatchIndex(text, -1) {
		from, end := m[len(m)-2], m[len(m)-1]
		if f.is == nil || f.is(text[from:end]) {
			to = append(to, Span{from, end, f.kind})
		}
	}
	return to
}

// forms are the forms of well-known secrets.
var forms = sync.OnceValue(func() []form {
	return []form{
		{kind: "email", expr: regexp.MustCompile(`[A-Za-z0-9._%+-]+(?:@|%40)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}`)},
		{kind: "key", expr: regexp.MustCompile(`\b(?:sk|pk|rk|sess)-[A-Za-z0-9_-]{16,}`)},
		{kind: "key", expr: regexp.MustCompile(`\b(?:gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|` +
			`AIza[\w-]{30,}|ya29\.[\w-]{20,}|gsk_\w{20,}|hf_\w{20,}|xai-\w{20,}|npm_\w{30,}|[sprw]k_(?:live|test)_\w{10,}|SG\.[\w-]{16,}\.[\w-]{16,}|` +
			`hooks\.slack\.com/services/[A-Za-z0-9/]{16,})`)},
		{kind: "key", expr: regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`)},
		{kind: "key", expr: regexp.MustCompile(`(?i)\bbearer +[A-Za-z0-9._~+/=-]{8,}`)},
		{kind: "password", expr: regexp.MustCompile(`(?i)\bbasic +([A-Za-z0-9+/]{8,}={0,2})`), is: isUserAndPassword},
		{kind: "token", expr: regexp.MustCompile(`\beyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+`)},
		{kind: "organization", expr: regexp.MustCompile(`\borg-[A-Za-z0-9]{8,}`)},
		{kind: "project", expr: regexp.MustCompile(`\bproj_[A-Za-z0-9]{8,}`)},
		{kind: "user", expr: regexp.MustCompile(`\buser-[A-Za-z0-9]{16,}`)},
		{kind: "password", expr: regexp.MustCompile(`://[^/\s:@"\\]+:[^/\s:@"\\]+@`)},
		{kind: "key", expr: regexp.MustCompile(`://([\w.~%-]{16,})@`)},
	}
})

// names matches names whose value is a secret, in the spellings of JSON members,
// environment variables and URL parameters.
const names = `(?:(?:access|refresh|id|session|auth|security|bearer)[-_]?token|api[-_]?key|(?:account|access|shared|secret|private|signing|subscription)[-_]?key|` +
	`client[-_]?secret|secret|pass(?:word|wd|phrase)|authorization|credentials?)`

// named are the notations in which such a name precedes its value.
var named = sync.OnceValue(func() []form {
	return []form{
		// Members of JSON, even of JSON inside a JSON string, where quotes are escaped.
		{kind: "key", expr: regexp.MustCompile(`(?i)` + names + `\\*["']\s*:\s*\\*["']([^"'\\]{6,})`)},
		// Parameters of URLs and forms, connection strings and variables.
		{kind: "key", expr: regexp.MustCompile(`(?i)(?:` + names + `|signature|[?&;](?:key|token|sig))=([^\s"'&;,<>\\]{6,})`)},
		// Fields of headers.
		{kind: "key", expr: regexp.MustCompile(`(?i)\b(?:[\w-]*api-?key|[\w-]+-token)\s*:\s+([^\s"',\\]{8,})`)},
		// Fields of multipart forms.
		{kind: "key", expr: regexp.MustCompile(`(?i)name="[^"\r\n]*` + names + `"(?:\r?\n[^\r\n]+)*\r?\n\r?\n([^\r\n]+)`)},
	}
})

// Named returns the secrets in a text that follow such a name. They may overlap.
func Named(text string) []Span {
	var list []Span
	for _, f := range named() {
		list = f.find(list, text)
	}
	return list
}

// isUserAndPassword reports whether a text is a user and a password in base64.
func isUserAndPassword(text string) bool { return strings.Contains(Password(text), ":") }

// Password decodes the credentials of the scheme Basic: a user and a password, separated
// by a colon; "" if they are none.
func Password(credentials string) string {
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(credentials, "="))
	if err != nil {
		return ""
	}
	return string(plain)
}

// Header is the kind of secret in a header field; ok says that the field is for secrets.
func Header(name string) (kind string, ok bool) {
	name = strings.ToLower(name)
	switch {
	case name == "set-cookie" || name == "cookie":
		return "cookie", true
	case strings.HasSuffix(name, "-organization"):
		return "organization", true
	case strings.HasSuffix(name, "-project"):
		return "project", true
	case scenarios.IsSecretHeader(http.CanonicalHeaderKey(name)), secretField().MatchString(name):
		return "key", true
	}
	return "", false
}

// secretField matches the names, in lower case, of header fields for secrets.
var secretField = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`api-?key|secret|password|authorization|credential|signature|-(?:token|auth|key)$`)
})
