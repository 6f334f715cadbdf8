package render

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"text/template"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/invent"
)

// maxDrawn is the largest number of characters that hex and base62 draw.
const maxDrawn = 1 << 20

// templateFunctions are the functions of templates beside those of text/template.
var templateFunctions = []string{
	"fake", "hex", "base62", "json", "upper", "lower", "trim", "replace", "split", "join",
	"default", "int", "add", "header", "now", "http_date", "unix", "unix_ms", "sha256",
}

// builtinFunctions are those of text/template.
var builtinFunctions = []string{
	"and", "call", "eq", "ge", "gt", "html", "index", "js", "le", "len", "lt", "ne", "not", "or",
	"print", "printf", "println", "slice", "urlquery",
}

// functions returns the functions of templates. Random ones draw from the machine's
// source.
func (m *machine) functions() template.FuncMap {
	functions := template.FuncMap{
		"fake":      func(name string) (string, error) { return invent.New(m.rand()).Value(name) },
		"hex":       func(n int) (string, error) { return m.draw(invent.Hex, n) },
		"base62":    func(n int) (string, error) { return m.draw(invent.Base62, n) },
		"default":   orDefault,
		"add":       func(a, b int) int { return a + b },
		"header":    m.header,
		"now":       m.timeAs(time.RFC3339),
		"http_date": m.timeAs(http.TimeFormat),
		"unix":      func() int { return int(m.sel.Request.Time.Unix()) },
		"unix_ms":   func() int { return int(m.sel.Request.Time.UnixMilli()) },
	}
	functions[writeFunction], functions[reachFunction], functions[seekFunction] = m.written, reach, m.work.seek
	maps.Copy(functions, m.work.boundedFunctions())
	return functions
}

func (m *machine) draw(alphabet string, n int) (string, error) {
	if n < 0 || n > maxDrawn {
		return "", fmt.Errorf("cannot draw %d characters; the limit is %d", n, maxDrawn)
	}
	if err := m.work.spend(n); err != nil {
		return "", err
	}
	return invent.Text(m.rand(), alphabet, n), nil
}

// header is the first value of a request header field, whatever the case of its name;
// "" if there is none.
func (m *machine) header(name string) string {
	for field, values := range m.sel.Request.Header {
		if strings.EqualFold(field, name) && len(values) > 0 {
			return values[0]
		}
	}
	return ""
}

// timeAs gives the time of the request in this layout, or a time so much later.
func (m *machine) timeAs(layout string) func(later ...string) (string, error) {
	return func(later ...string) (string, error) {
		t := m.sel.Request.Time.UTC()
		for _, text := range later {
			d, err := time.ParseDuration(text)
			if err != nil {
				return "", fmt.Errorf("%q is no duration such as 30s or -1h", text)
			}
			t = t.Add(d)
		}
		return t.Format(layout), nil
	}
}

func sha256Text(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }

// orDefault returns value, or fallback if value is missing, "", 0 or false.
func orDefault(fallback, value any) any {
	switch value {
	case "", 0, 0.0, false:
		return fallback
	}
	if isMissing(value) {
		return fallback
	}
	return value
}
