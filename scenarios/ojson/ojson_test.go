package ojson

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

func parse(t *testing.T, text string) Value {
	t.Helper()
	v, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%s): %v", text, err)
	}
	return v
}

func path(t *testing.T, s string) Path {
	t.Helper()
	p, err := ParsePath(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestParseKeepsOrderAndSpelling(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`{"z":1.0,"a":-9999.0,"m":1e5}`,
		`{"a":null,"b":[],"c":{}}`,
		`[true,false,null,"",0]`,
		`"é\u003c\n"`,
	} {
		got := parse(t, text).String()
		want := strings.ReplaceAll(text, `\u003c`, "<")
		if got != want {
			t.Errorf("Parse(%s) is written as %s, want %s", text, got, want)
		}
	}
}

func TestParseRefusesWhatIsNoJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"a"}`, "[1,]", "1 2", "nul", strings.Repeat("[", 2000)} {
		if v, err := Parse([]byte(text)); err == nil {
			t.Errorf("Parse(%.20q) = %s, want an error", text, v)
		}
	}
}

func TestStyles(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"a":[1,"é😀"],"b":{},"c":[]}`)
	tests := []struct {
		name  string
		style Style
		want  string
	}{
		{"compact", Style{}, `{"a":[1,"é😀"],"b":{},"c":[]}`},
		{"spaces", Style{Spaces: true}, `{"a": [1, "é😀"], "b": {}, "c": []}`},
		{"ASCII", Style{ASCII: true}, `{"a":[1,"\u00e9\ud83d\ude00"],"b":{},"c":[]}`},
		{"indented", Style{Indent: "  "}, "{\n  \"a\": [\n    1,\n    \"é😀\"\n  ],\n  \"b\": {},\n  \"c\": []\n}"},
	}
	for _, tt := range tests {
		if got := string(tt.style.Append(nil, v)); got != tt.want {
			t.Errorf("%s: got %s, want %s", tt.name, got, tt.want)
		}
	}
}

func TestStringsEscapeOnlyWhatJSONAsksFor(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"<a&b>/":         `"<a&b>/"`,
		"\u2028\u2029":   "\"\u2028\u2029\"",
		"\"\\\b\f\n\r\t": `"\"\\\b\f\n\r\t"`,
		"\x00\x1f\x7f":   "\"\\u0000\\u001f\x7f\"",
		"\xff":           "\"\xff\"",
	}
	for text, want := range tests {
		if got := string(AppendString(nil, text)); got != want {
			t.Errorf("%q is written as %s, want %s", text, got, want)
		}
	}
}

func TestAbsentMembersAreNotThereAndNullOnesAre(t *testing.T) {
	t.Parallel()
	v := Object(M("absent", Value{}), M("null", Null()))
	if got := v.String(); got != `{"null":null}` {
		t.Errorf("got %s", got)
	}
	v.Set("null", Value{})
	if got := v.String(); got != `{}` {
		t.Errorf("setting the absent value left %s", got)
	}
}

// A value that was put somewhere does not change when a place inside of it changes.
func TestPutCopiesTheValue(t *testing.T) {
	t.Parallel()
	given, v := Object(M("a", Int(1))), Object()
	v.Put(Path{{Name: "x"}}, given)
	v.Put(Path{{Name: "x"}, {Name: "a"}}, Int(2))
	if v.String() != `{"x":{"a":2}}` || given.String() != `{"a":1}` {
		t.Errorf("%s has the value, and what was given is %s", v, given)
	}
}

func TestPathsFindPutAndRemove(t *testing.T) {
	t.Parallel()
	const text = `{"a":[{"b":1},{"b":2}],"x.y":3}`
	tests := []struct {
		path, found, put, removed string
	}{
		{"a[1].b", "2", `{"a":[{"b":1},{"b":9}],"x.y":3}`, `{"a":[{"b":1},{}],"x.y":3}`},
		{"a[-2].b", "1", `{"a":[{"b":9},{"b":2}],"x.y":3}`, `{"a":[{},{"b":2}],"x.y":3}`},
		{"a[0]", `{"b":1}`, `{"a":[9,{"b":2}],"x.y":3}`, `{"a":[{"b":2}],"x.y":3}`},
		{`["x.y"]`, "3", `{"a":[{"b":1},{"b":2}],"x.y":9}`, `{"a":[{"b":1},{"b":2}]}`},
		{"new.member", "", `{"a":[{"b":1},{"b":2}],"x.y":3,"new":{"member":9}}`, text},
		{"a[7]", "", text, text},
		{"a.b", "", text, text},
	}
	for _, tt := range tests {
		p := path(t, tt.path)
		v := parse(t, text)
		if got := v.Find(p).String(); got != tt.found {
			t.Errorf("Find(%s) = %s, want %s", p, got, tt.found)
		}
		put, removed := v.Clone(), v.Clone()
		if ok := put.Put(p, Int(9)); put.String() != tt.put || ok != (tt.put != text) {
			t.Errorf("Put(%s) = %t and %s, want %s", p, ok, put, tt.put)
		}
		if ok := removed.Remove(p); removed.String() != tt.removed || ok != (tt.removed != text) {
			t.Errorf("Remove(%s) = %t and %s, want %s", p, ok, removed, tt.removed)
		}
		if v.String() != text {
			t.Errorf("editing a clone at %s changed the original to %s", p, v)
		}
	}
}

func TestParsePathRefusesWhatIsNoPath(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"", ".", "a.", "a..b", "a[", "a[x]", `a["b]`, "[1]b"} {
		if p, err := ParsePath(s); err == nil {
			t.Errorf("ParsePath(%q) = %v, want an error", s, p)
		}
	}
}

func TestOtherNotationsOfPathsAreRefused(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"$.messages[0].role":    "messages[0].role",
		"$['messages'][0].role": "messages[0].role",
		"/messages/0/role":      "messages[0].role",
		"messages/0/role":       "messages[0].role",
		"messages.0.role":       "messages[0].role",
		"messages.-1.role":      "messages[-1].role",
		"metadata['a.b']":       `metadata["a.b"]`,
		"logit_bias.50256":      `logit_bias["50256"]`,
		"$":                     "",
		"messages[*].role":      "",
		`logit_bias["50256"].0`: `logit_bias["50256"][0]`,
	} {
		p, err := ParsePath(s)
		bad, ok := errors.AsType[*PathError](err)
		if !ok {
			t.Errorf("ParsePath(%q) = %v, %v, want a PathError", s, p, err)
			continue
		}
		if bad.Instead != want {
			t.Errorf("ParsePath(%q) says to write %q, want %q", s, bad.Instead, want)
		}
	}
	for _, s := range []string{`logit_bias["50256"]`, `["$"].a`, `metadata["a/b"]`, "schema.$defs"} {
		if p, err := ParsePath(s); err != nil || p.String() != s {
			t.Errorf("ParsePath(%q) = %v, %v", s, p, err)
		}
	}
}

func TestSetAllIsSetForEach(t *testing.T) {
	t.Parallel()
	var many []Member
	for i := range 2 * fewMembers {
		many = append(many, M(fmt.Sprint("m", i), Int(int64(i))))
	}
	for name, more := range map[string][]Member{
		"none":          nil,
		"new and old":   {M("c", Int(3)), M("a", Int(4))},
		"twice":         {M("c", Int(3)), M("c", Null())},
		"absent":        {M("a", Value{}), M("c", Value{}), M("d", Int(1))},
		"many":          many,
		"many and some": append(many, M("b", Int(5)), M("m7", Int(6)), M("m8", Value{}), M("z", Int(7))),
	} {
		v := Object(M("a", Int(1)), M("b", Int(2)))
		shared, want := v, v.Clone()
		for _, m := range more {
			if !m.Value.IsAbsent() {
				want.Set(m.Name, m.Value)
			}
		}
		if v.SetAll(more); !Equal(v, want) {
			t.Errorf("%s: got %s, want %s", name, v, want)
		}
		if got := shared.String(); got != `{"a":1,"b":2}` {
			t.Errorf("%s: a copy of the object became %s", name, got)
		}
	}
}

func TestSetMissingReplacesNothing(t *testing.T) {
	t.Parallel()
	v := Object(M("a", Int(1)), M("b", Null()))
	v.SetMissing(nil)
	v.SetMissing([]Member{M("c", Int(3)), M("b", Int(4)), M("d", Int(5)), M("a", Int(6))})
	if got := v.String(); got != `{"a":1,"b":null,"c":3,"d":5}` {
		t.Errorf("got %s", got)
	}
}

// Set searches all members and makes a new list for each. The test is not parallel, because
// it counts allocations.
func TestSetAllMakesOneList(t *testing.T) {
	var many []Member
	for i := range 1000 {
		many = append(many, M(fmt.Sprint(i), Null()))
	}
	n := testing.AllocsPerRun(10, func() {
		v := Object()
		v.SetAll(many)
	})
	if n > 100 {
		t.Errorf("setting %d members makes %.0f allocations, want at most 100", len(many), n)
	}
}

func TestMembersInAnotherOrder(t *testing.T) {
	t.Parallel()
	v, err := Parse([]byte(`{"c":1,"a":2,"d":3,"b":4}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := v.Sorted().String(), `{"a":2,"b":4,"c":1,"d":3}`; got != want {
		t.Errorf("sorted it is %s, want %s", got, want)
	}
	if got, want := v.First("d", "x", "a").String(), `{"d":3,"a":2,"c":1,"b":4}`; got != want {
		t.Errorf("with d and a first it is %s, want %s", got, want)
	}
	if list := Array(v); v.String() != `{"c":1,"a":2,"d":3,"b":4}` || list.Sorted().First("a").String() != list.String() {
		t.Errorf("the object is now %s, and the list %s", v, list)
	}
}

// denseShapes are texts of one mebibyte with as many values as possible.
var denseShapes = map[string]string{
	"numbers":          dense("0,"),
	"empty arrays":     dense("[],"),
	"empty objects":    dense("{},"),
	"empty strings":    dense(`"",`),
	"nested arrays":    dense("[0],"),
	"nested objects":   dense(`{"":0},`),
	"strings":          dense(`"ab",`),
	"members":          `{` + strings.Repeat(`"":0,`, 1<<20/5) + `"":0}`,
	"a text of spaces": `["` + strings.Repeat(" ", 1<<20) + `"]`,
}

func dense(item string) string { return "[" + strings.Repeat(item, 1<<20/len(item)) + "0]" }

// heap returns how many bytes are in use.
func heap() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}

// Not parallel: the allocations of other tests would count.
func TestAValueTakesASmallMultipleOfItsText(t *testing.T) {
	testflag.Heavy(t)
	for name, text := range denseShapes {
		var before, after, end runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		v := parse(t, text)
		runtime.ReadMemStats(&after)
		runtime.GC()
		runtime.ReadMemStats(&end)
		held, allocated := int(end.HeapAlloc-before.HeapAlloc), int(after.TotalAlloc-before.TotalAlloc)
		if held > 32*len(text) || allocated > 128*len(text) {
			t.Errorf("%s: %d bytes are held for each byte of the text, %d were allocated", name, held/len(text), allocated/len(text))
		}
		// Under the race detector each short text has its own block of memory.
		if size := v.Size(); size > held+held/8+4096 || size < held/2-4096 {
			t.Errorf("%s: the size is said to be %d, but %d bytes are held", name, size, held)
		}
	}
}
