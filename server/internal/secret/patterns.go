package secret

import (
	"encoding/base64"
	"regexp"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// pattern is a regular expression for a kind of secret. The secret is the last group that
// matches or, without a group, the whole match.
type pattern struct {
	kind string
	expr *regexp.Regexp
	// needs are texts, in lower case and separated by spaces; each match has one of them.
	// To look for them takes far less time than the expression.
	needs string
	is    func(text string) bool // is, if not nil, decides whether a match is a secret.
}

// find adds the secrets in a text; lower is the text in lower case.
func (f *pattern) find(to []Span, text, lower string) []Span {
	if !hasOne(lower, f.needs) {
		return to
	}
	for _, m := range f.expr.FindAllStringSubmatchIndex(text, -1) {
		for m[len(m)-2] < 0 {
			m = m[:len(m)-2]
		}
		from, end := m[len(m)-2], m[len(m)-1]
		if f.is == nil || f.is(text[from:end]) {
			to = append(to, Span{from, end, f.kind})
		}
	}
	return to
}

// hasOne reports whether a text has one of the parts, which spaces separate.
func hasOne(text, parts string) bool {
	for part := range strings.FieldsSeq(parts) {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// start is where a token begins: where a word does, or after a line end that JSON inside a
// text escapes.
const start = `(?:\b|\\[bfnrt])`

// letter is a character in an e-mail address, as itself or as JSON escapes it.
const letter = `(?:[\pL\pM\pN_%-]|\\+u[0-9A-Fa-f]{4})`

// patterns are the forms of well-known secrets.
var patterns = sync.OnceValue(func() []pattern {
	return []pattern{
		{kind: "email", needs: "@ %40 u0040", expr: regexp.MustCompile(`(?:\\[bfnrt])?((?:` + letter + `|[.+])(?:` + letter + `|[.+'])*(?:@|%40|\\+u0040)` +
			letter + `+(?:\.` + letter + `+)*\.\pL[\pL\pM\pN-]*[\pL\pN])`)},
		{kind: "key", needs: "sk- pk- rk- sess-", expr: regexp.MustCompile(start + `((?:sk|pk|rk|sess)-[A-Za-z0-9_-]{16,})`)},
		{kind: "key", needs: "gh glpat- xox akia asia aiza ya29. gsk_ hf_ xai- npm_ _live_ _test_ sg. hooks.", expr: regexp.MustCompile(start +
			`(gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abprs]-[A-Za-z0-9-]{10,}|A[KS]IA[0-9A-Z]{16}|` +
			`AIza[\w-]{30,}|ya29\.[\w-]{20,}|gsk_\w{20,}|hf_\w{20,}|xai-\w{20,}|npm_\w{30,}|[sprw]k_(?:live|test)_\w{10,}|SG\.[\w-]{16,}\.[\w-]{16,}|` +
			`hooks\.slack\.com/services/[A-Za-z0-9/]{16,})`)},
		{kind: "key", needs: "xapp- whsec_ gocspx- tvly- pcsk_ r8_ pplx- :aa", expr: regexp.MustCompile(`(?:bot|` + start +
			`)((?:xapp|GOCSPX|tvly|pplx)-[\w-]{10,}|whsec_[\w+/=-]{16,}|(?:pcsk|r8)_\w{16,}|\d{6,12}:AA[\w-]{30,})`)}, // The last one is for bots of Telegram.
		{kind: "key", needs: "nvapi- csk- lsv2_ dop_v1_ shpat_ shpca_ shppa_ shpss_ pypi- lin_api_ ntn_ secret_ figd_ pmak- hvs. hvb. dp. sbp_ " +
			"atatt3 atbb fw_ sq0 sntrys_ sntryu_ nrak- age-secret- e2b_ key- pscale_", expr: regexp.MustCompile(start +
			`((?:nvapi|csk|pypi|PMAK|NRAK|sq0(?:atp|csp)|AGE-SECRET)-[\w-]{16,}|(?:lsv2_(?:pt|sk)|dop_v1|shp(?:at|ca|pa|ss)|lin_api|ntn|figd|sbp|fw|sntr(?:ys|yu)|e2b|` +
			`pscale_(?:tkn|pw|oauth))_[\w.=-]{16,}|secret_[A-Za-z0-9]{32,}|hv[sb]\.[\w-]{20,}|dp\.[a-z]{2,5}\.[\w-]{20,}|AT(?:ATT3|BB)[\w=-]{16,}|key-[0-9a-f]{32})`)},
		// Databricks, Twilio, Airtable and Discord.
		{kind: "key", needs: "dapi sk pat .", expr: regexp.MustCompile(start + `(dapi[0-9a-f]{32}|SK[0-9a-f]{32}|pat\w{14}\.[0-9a-f]{32,}|[MNO][\w-]{23,27}\.[\w-]{6}\.[\w-]{27,})`)},
		{kind: "key", needs: "-----begin", expr: regexp.MustCompile(`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(?:-----END [A-Z ]*PRIVATE KEY-----)?`)},
		{kind: "key", needs: "bearer", expr: regexp.MustCompile(`(?i)\bbearer +[A-Za-z0-9._~+/=-]{8,}`)},
		{kind: "password", needs: "basic", expr: regexp.MustCompile(`(?i)\bbasic +([A-Za-z0-9+/]{8,}={0,2})`), is: isUserAndPassword},
		{kind: "token", needs: ".eyj", expr: regexp.MustCompile(start + `(eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]+)`)},
		{kind: "organization", needs: "org-", expr: regexp.MustCompile(start + `(org-[A-Za-z0-9]{8,})`)},
		{kind: "project", needs: "proj_", expr: regexp.MustCompile(start + `(proj_[A-Za-z0-9]{8,})`)},
		{kind: "user", needs: "user-", expr: regexp.MustCompile(start + `(user-[A-Za-z0-9]{16,})`)},
		{kind: "password", needs: "://", expr: regexp.MustCompile(`://([^/?#\s:@"\\]*:[^/?#\s"\\]+)@`)},
		{kind: "key", needs: "://", expr: regexp.MustCompile(`://([\w.~%-]{16,})@`)},
		// A line of YAML. Its value can be a word that is no secret elsewhere.
		{kind: "password", needs: stems, expr: regexp.MustCompile(`(?im)(?:^|\\[nr])[ \t:>-]*[\w.-]*` + names + `:[ \t]+([^\s"'\\]*\w[^\s"'\\]*)[ \t]*(?:[\r\\]|$)`)},
	}
})

// names matches names whose value is a secret, in the spellings of JSON members,
// environment variables, URL parameters and prose. Each has one of the stems.
const (
	names = `(?:(?:access|refresh|id|session|auth|security|bearer)[-_ ]?token|api[-_ ]?key|(?:account|access|shared|secret|private|signing|subscription)[-_ ]?key|` +
		`client[-_]?secret|secret|pass(?:word|wd|phrase)|authorization|credentials?)`
	stems = "token key secret pass authorization credential sig"
)

// named are the notations in which such a name precedes its value.
var named = sync.OnceValue(func() []pattern {
	return []pattern{
		// Quoted values, even in JSON inside a JSON string, where quotes are escaped.
		{kind: "key", needs: stems, is: isNoJSON, expr: regexp.MustCompile(`(?i)` + names + `\\*["']?\s*[:=]>?\s*` +
			`(?:"((?:[^"\\\n]|\\.)+)|'((?:[^'\\\n]|\\.)+)|\\"((?:[^"\\]|\\{3}["\\]|\\\\[^"\\])+)|\\{3}"((?:[^"\\]|\\{7}["\\]|\\{4}[^"\\])+)|\\{2,}"([^"\\]+)|\\+'([^'\\]+))`)},
		{kind: "key", needs: stems, expr: regexp.MustCompile(`(?i)` + names + `\\*["']\s*:\s*(\d{4,})`)},
		// Parameters of URLs and forms, connection strings and variables.
		{kind: "key", needs: stems, expr: regexp.MustCompile(`(?i)(?:` + names + `|signature|[?&;](?:key|token|sig))=((?:[^\s"'&;,<>\\=]|=+[^\s"'&;,<>\\=]|['\\][\w])+=*)`)},
		// Fields of headers.
		{kind: "key", needs: "key token", expr: regexp.MustCompile(`(?i)\b(?:[\w-]*api-?key|[\w-]+-token)\s*:\s+([^\s"',\\]{8,})`)},
		// YAML and prose.
		{kind: "key", needs: stems, is: isNoWord, expr: regexp.MustCompile(`(?i)` + names + `[*_\x60]*(?:[ \t]*[:=][*_]*[ \t]+|\s+is:?\s+)((?:[^\s"'\\]|['\\][\w])+)`)},
		// Fields of multipart forms.
		{kind: "key", needs: `name="`, expr: regexp.MustCompile(`(?i)name="[^"\r\n]*` + names + `"(?:\r?\n[^\r\n]+)*\r?\n\r?\n([^\r\n]+)`)},
	}
})

// anyName matches a text with a name for a secret, isName such a name alone.
var (
	anyName = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?i)` + names + `|-token|(?:signature|sig|key|token)=`)
	})
	isName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(?:` + names + `|-token)$`) })
)

// IsName reports whether the value of a JSON member of this name is a secret.
func IsName(name string) bool { return isName().MatchString(name) }

// Named returns the secrets in a text that follow such a name. They may overlap.
func Named(text string) []Span {
	lower := strings.ToLower(text)
	if !hasOne(lower, stems) || !anyName().MatchString(text) {
		return nil
	}
	var list []Span
	for _, f := range named() {
		list = f.find(list, text, lower)
	}
	return list
}

// isNoJSON reports whether a text is more than what stands between two strings of JSON.
func isNoJSON(text string) bool { return strings.Trim(text, "{}[],: \t\r\n\\") != "" }

// isNoWord reports whether what follows a name in a sentence is a secret, not a word.
func isNoWord(text string) bool {
	return len(text) >= 4 && strings.ContainsAny(text, "0123456789") || len(text) >= 16
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

// KindOfHeader is the kind of secret in a header field; ok says that the field is for secrets.
func KindOfHeader(name string) (kind string, ok bool) {
	ok, name = scenarios.IsSecretHeader(name), strings.ToLower(name)
	switch {
	case name == "set-cookie" || name == "cookie":
		return "cookie", true
	case strings.HasSuffix(name, "-organization"):
		return "organization", true
	case strings.HasSuffix(name, "-project"):
		return "project", true
	}
	return "key", ok
}
