package request

import (
	"strings"
	"testing"
)

func TestTheBodyOfAnyRequest(t *testing.T) {
	t.Parallel()
	multipart := strings.ReplaceAll("--x\nContent-Disposition: form-data; name=\"purpose\"\n\nbatch\n"+
		"--x\nContent-Disposition: form-data; name=\"include[]\"\n\na\n--x\nContent-Disposition: form-data; name=\"tag\"\n\n1\n"+
		"--x\nContent-Disposition: form-data; name=\"tag\"\n\n2\n"+
		"--x\nContent-Disposition: form-data; name=\"file\"; filename=\"a.txt\"\nContent-Type: text/plain\n\nhello\n--x--\n", "\n", "\r\n")
	for _, test := range []struct{ kind, body, want, raw string }{
		{
			"multipart/form-data; boundary=x", multipart,
			`{"purpose":"batch","include":["a"],"tag":["1","2"],"file":{"filename":"a.txt","content_type":"text/plain","bytes":5,"sha256":"2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"}}`,
			"",
		},
		{"application/x-www-form-urlencoded", "a=1&b=x+y&c%5B%5D=%C3%BC", `{"a":"1","b":"x y","c":["ü"]}`, "a=1&b=x+y&c%5B%5D=%C3%BC"},
		{"application/json; charset=utf-8", `{"model":"m","stream":true}`, `{"model":"m","stream":true}`, `{"model":"m","stream":true}`},
		{"application/vnd.api+json", `{"a":1}`, `{"a":1}`, `{"a":1}`},
		{"application/json", "", "", ""},
		{"audio/wav", "\xff\x00", "", "\xff\x00"},
		{"", "anything", "", "anything"},
		{"", ` {"a":1}`, `{"a":1}`, ` {"a":1}`},
		{"application/x-www-form-urlencoded", `{"a":1}`, `{"a":1}`, `{"a":1}`},
		{"application/x-www-form-urlencoded", `[{"a":1}]`, `[{"a":1}]`, `[{"a":1}]`},
		{"application/x-www-form-urlencoded", `[a]=1`, `{"[a]":"1"}`, `[a]=1`},
		{"application/x-www-form-urlencoded", `{a}=1`, `{"{a}":"1"}`, `{a}=1`},
		{"application/json", `[{"a":1}]`, `[{"a":1}]`, `[{"a":1}]`},
		{"application/json", `"a"`, `"a"`, `"a"`},
	} {
		header := map[string][]string{"Content-Type": {test.kind}}
		req, err := ParseAny("other", header, []byte(test.body))
		if err != nil {
			t.Errorf("%s: %v", test.kind, err)
			continue
		}
		if test.raw == "" {
			test.raw = test.want
		}
		if got := req.Body.String(); got != test.want || string(req.RawBody) != test.raw {
			t.Errorf("%s: the body is %s, and what is kept of it %q", test.kind, got, req.RawBody)
		}
	}
	for kind, body := range map[string]string{
		"multipart/form-data":                     "--x--",
		"multipart/form-data; boundary=x":         "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\ncut off",
		"application/x-www-form-urlencoded":       "a=%zz",
		"application/json":                        "[1",
		"application/x-www-form-urlencoded; many": strings.Repeat("a=1&", maxFields+1),
	} {
		if req, err := ParseAny("other", map[string][]string{"Content-Type": {kind}}, []byte(body)); err == nil {
			t.Errorf("%s is read as %s", kind, req.Body)
		}
	}
}

func TestAFormNamesTheModelAndAsksForAStream(t *testing.T) {
	t.Parallel()
	req, err := ParseAny("other", map[string][]string{"Content-Type": {"application/x-www-form-urlencoded"}}, []byte("model=whisper-1&stream=true"))
	if err != nil || req.Model != "whisper-1" || !req.Stream {
		t.Errorf("%+v, %v", req, err)
	}
}
