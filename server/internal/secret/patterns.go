package secret

import (
	"encoding/base64"
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

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
		to = f.add(to, text, 0, m)
	}
	return to
}

// add adds the secret in a match of the expression in a text from a position on.
func (f *pattern) add(to []Span, text string, at int, m []int) []Span {
	for m[len(m)-2] < 0 {
		m = m[:len(m)-2]
	}
	from, end := at+m[len(m)-2], at+m[len(m)-1]
	if f.is == nil || f.is(text[from:end]) {
		to = append(to, Span{from, end, f.kind})
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
		{kind: "organization", needs: "org-", expr: regexp.MustCompile(start + `(org-[A-Za-z0-9]{8,})`), is: func(id string) bool { return id != "org-fakeopenai" }}, // the server's own is no secret
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
	// nameEnds are the ends of names, and of -token.
	nameEnds = "token key secret word wd phrase authorization credential credentials"
)

// The kinds of names. A name can be of several.
const (
	asMember    = 1 << iota // asMember is one of the names above.
	asParameter             // asParameter is the name of a parameter or variable.
	asField                 // asField is the end of the name of a header field.
)

// anyName matches a name of any kind. Its first group is a member.
var anyName = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(` + names + `)|signature|[?&;](?:key|token|sig(?:nature)?)|[\w-]-token`)
})

// name is the place of a name in a text, and its kinds.
type name struct{ from, to, kinds int }

// longestName is how far a name reaches at most from the beginning of its stem, to both sides.
const longestName = 16

// namesIn are the names in a text, in their order; lower is the text in lower case. Expressions are tried
// around the stems alone: to try them everywhere takes a hundred times as long.
func namesIn(text, lower string) (list []name) {
	var begins []int
	for stem := range strings.FieldsSeq(stems) {
		for at := strings.Index(lower, stem); at >= 0; {
			begins = append(begins, at)
			next := strings.Index(lower[at+len(stem):], stem)
			if at += len(stem) + next; next < 0 {
				break
			}
		}
	}
	slices.Sort(begins)
	after := 0 // after is the end of the last name.
	for _, begin := range begins {
		start := max(after, begin-longestName)
		if start > begin {
			continue
		}
		for _, m := range anyName().FindAllStringSubmatchIndex(text[start:min(len(text), begin+longestName)], -1) {
			if start+m[0] <= begin && begin < start+m[1] {
				after = start + m[1]
				list = append(list, name{start + m[0], after, kindsOf(lower[start+m[0]:after], m[2] >= 0)})
			}
		}
	}
	return list
}

func kindsOf(lower string, isMember bool) (kinds int) {
	isField := strings.HasSuffix(lower, "-token")
	switch {
	case isMember:
		kinds = asMember | asParameter
		isField = isField || strings.HasSuffix(lower, "api-key") || strings.HasSuffix(lower, "apikey")
	case !isField:
		kinds = asParameter
	}
	if isField {
		kinds |= asField
	}
	return kinds
}

// notation is how a value follows names of some kinds: its expression begins where the name ends.
type notation struct {
	names int
	pattern
}

var named = sync.OnceValue(func() []notation {
	return []notation{
		// Quoted values, even in JSON inside a JSON string, where quotes are escaped.
		{asMember, pattern{kind: "key", is: isNoJSON, expr: regexp.MustCompile(`^\\*["']?\s*[:=]>?\s*` +
			`(?:"((?:[^"\\\n]|\\.)+)|'((?:[^'\\\n]|\\.)+)|\\"((?:[^"\\]|\\{3}["\\]|\\\\[^"\\])+)|\\{3}"((?:[^"\\]|\\{7}["\\]|\\{4}[^"\\])+)|\\{2,}"([^"\\]+)|\\+'([^'\\]+))`)}},
		{asMember, pattern{kind: "key", expr: regexp.MustCompile(`^\\*["']\s*:\s*(\d{4,})`)}},
		// Parameters of URLs and forms, connection strings and variables.
		{asParameter, pattern{kind: "key", expr: regexp.MustCompile(`^=((?:[^\s"'&;,<>\\=]|=+[^\s"'&;,<>\\=]|['\\][\w])+=*)`)}},
		// Fields of headers.
		{asField, pattern{kind: "key", expr: regexp.MustCompile(`^\s*:\s+([^\s"',\\]{8,})`)}},
		// YAML and prose.
		{asMember, pattern{kind: "key", is: isNoWord, expr: regexp.MustCompile(`^[*_\x60]*(?:[ \t]*[:=][*_]*[ \t]+|(?i:\s+is:?\s+))((?:[^\s"'\\]|['\\][\w])+)`)}},
	}
})

func (n *notation) find(to []Span, text string, names []name) []Span {
	after := 0 // after is the end of the last secret.
	for _, at := range names {
		if at.kinds&n.names == 0 || at.from < after {
			continue
		}
		if m := n.expr.FindStringSubmatchIndex(text[at.to:]); m != nil {
			before := len(to)
			if to = n.add(to, text, at.to, m); len(to) > before { // What is no secret can have a name in it.
				after = at.to + m[1]
			}
		}
	}
	return to
}

var inForm = sync.OnceValue(func() *pattern {
	return &pattern{kind: "key", needs: `name="`, expr: regexp.MustCompile(`(?i)name="[^"\r\n]*` + names + `"(?:\r?\n[^\r\n]+)*\r?\n\r?\n([^\r\n]+)`)}
})

// isName matches a text that ends with a name for a secret.
var isName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?i)(?:` + names + `|-token)$`) })

// IsName reports whether the value of a JSON member of this name is a secret.
func IsName(name string) bool {
	lower := lowered(name)
	for i := range len(lower) {
		if lower[i] >= utf8.RuneSelf { // Letters behind ASCII can stand for others in the expression.
			return isName().MatchString(name)
		}
	}
	for end := range strings.FieldsSeq(nameEnds) {
		if strings.HasSuffix(lower, end) { // To look for an end takes far less time than the expression.
			return isName().MatchString(name)
		}
	}
	return false
}

// Named returns the secrets in a text that follow such a name. They may overlap.
func Named(text string) (list []Span) {
	lower := lowered(text)
	names := namesIn(text, lower)
	if len(names) == 0 {
		return nil
	}
	for _, n := range named() {
		list = n.find(list, text, names)
	}
	return inForm().find(list, text, lower)
}

// lowered is a text with small ASCII letters, each in its place.
func lowered(text string) string {
	small := []byte(text)
	for i, c := range small {
		if 'A' <= c && c <= 'Z' {
			small[i] += 'a' - 'A'
		}
	}
	return string(small)
}

// isNoJSON reports whether a text is more than what stands between two strings of JSON.
func isNoJSON(text string) bool { return strings.Trim(text, "{}[],: \t\r\n\\") != "" }

// isNoWord reports whether what follows a name in a sentence is a secret, not a word.
func isNoWord(text string) bool {
	return len(text) >= 4 && strings.ContainsAny(text, "0123456789") || len(text) >= 16
}

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
