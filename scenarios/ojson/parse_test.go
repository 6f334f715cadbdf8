package ojson

import (
	"encoding/json"
	"fmt"
	"reflect"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// texts are JSON texts, and texts that are almost JSON.
var texts = []string{
	`{"a":[1.0,"\u00e9",null,true]}`, `"\ud83d\ude00"`, " [ -1.5e+3 , [ ] ,\t{ \"a\\\"\" : \"\xff\" , \"b\":{}}, false ]\n",
	``, ` `, `{`, `[`, `"`, `"\`, `"\u`, `"\u12`, `"\u12g4"`, `"\x"`, `"a`, "\"\n\"", "\"\x7f\"", "\"\x00\"", "\x00", "1\x00", "[1\x00]",
	`0`, `-0`, `-`, `00`, `01`, `-01`, `1.`, `.1`, `1.5`, `1e`, `1e+`, `1E-0`, `1e5.`, `+1`, `0x1`, `1_0`, `NaN`, `Infinity`,
	`true`, `tru`, `truer`, `True`, `fals`, `false`, `null`, `nulll`, `nul`,
	`[]`, `[1]`, `[1,]`, `[,1]`, `[,]`, `[1 2]`, `[1;2]`, `[1`, `]`, `[}`, `[[[[]]],[]]`,
	`{}`, `{"a":1}`, `{"a":1,}`, `{,}`, `{"a"}`, `{"a":}`, `{"a" 1}`, `{a:1}`, `{1:1}`, `{"a":1 "b":2}`, `{"a":1`, `}`, `{]`, `{"a":1,"a":2}`,
	`1 2`, `1,`, `{}{}`, "\ufeff1", "\v1", "\u00a01", `"\uD83D"`, `"\ude00\ud83d"`, `"\ud83d\ud83d\ude00"`, `"\ud83dA"`, `"\ud83d\u0041"`,
	`"\/\b\f\n\r\t\"\\"`, `"\u0000"`, "\"\xed\xa0\xbd\"", "\"\xf0\x9f\x98\"", "\"\xe2\x82\\n\"", "\"a\xffb\\n\xfe\xfe\"", "{\"\xff\":1}", "\"\ufffd\"",
	strings.Repeat("[", 1001) + strings.Repeat("]", 1001), strings.Repeat("[", 1002) + strings.Repeat("]", 1002),
	strings.Repeat(`{"a":`, 1000) + "1" + strings.Repeat("}", 1000), strings.Repeat(`{"a":`, 1001) + "1" + strings.Repeat("}", 1001),
}

// FuzzParse compares Parse with encoding/json: both accept the same texts and read the same
// values. A value that is written is read as the same value.
func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, clean, err := ParseText(data)
		slow, slowErr := parseSlowly(data)
		if fmt.Sprint(err) != fmt.Sprint(slowErr) {
			t.Fatalf("%q: the error is %v, and slowly %v", data, err, slowErr)
		}
		deep := err != nil && strings.Contains(err.Error(), "nested deeper")
		if taken := err == nil; taken != json.Valid(data) && !deep {
			t.Fatalf("%q is taken: %t (%v)", data, taken, err)
		}
		if err != nil {
			return
		}
		if !reflect.DeepEqual(v, slow) {
			t.Fatalf("%q is read as %s, and slowly as %s", data, v, slow)
		}
		if want := isClean(data); clean != want {
			t.Fatalf("%q is clean: %t, want %t", data, clean, want)
		}
		written := v.Append(nil)
		if again, err := Parse(written); err != nil || !reflect.DeepEqual(v, again) {
			t.Fatalf("%q was written as %q and read as %s (%v)", data, written, again, err)
		}
		var a, b any
		if json.Unmarshal(data, &a) == nil {
			if err := json.Unmarshal(written, &b); err != nil || !reflect.DeepEqual(a, b) {
				t.Fatalf("%q means %v, but %q means %v (%v)", data, a, written, b, err)
			}
		}
	})
}

// isClean reports whether a JSON text is UTF-8 and has no half of a surrogate pair.
func isClean(data []byte) bool {
	for rest := string(data); rest != ""; {
		if !strings.HasPrefix(rest, `\`) {
			rest = rest[1:]
			continue
		}
		n := 2
		if rest[1] == 'u' {
			n = 6
			if high, _ := strconv.ParseInt(rest[2:6], 16, 32); high >= 0xd800 && high < 0xe000 {
				if n = 12; high >= 0xdc00 || !strings.HasPrefix(rest[6:], `\u`) {
					return false
				}
				if low, _ := strconv.ParseInt(rest[8:12], 16, 32); low < 0xdc00 || low >= 0xe000 {
					return false
				}
			}
		}
		rest = rest[n:]
	}
	return utf8.Valid(data)
}

func TestWhatIsReadTogetherIsChangedApart(t *testing.T) {
	t.Parallel()
	v := parse(t, `{"a":[1],"b":[2],"c":{"x":3},"d":{"y":4}}`)
	a, c := v.Get("a"), v.Get("c")
	a.Push(Int(9))
	c.Set("z", Int(9))
	if got, want := v.String(), `{"a":[1],"b":[2],"c":{"x":3},"d":{"y":4}}`; got != want {
		t.Errorf("after two copies were added to, the value is %s, want %s", got, want)
	}
	if got := a.String() + c.String(); got != `[1,9]{"x":3,"z":9}` {
		t.Errorf("the copies are %s", got)
	}
}

func TestDetachedValuesHoldNothingElse(t *testing.T) { // not parallel: it measures memory
	const large = 8 << 20
	v := parse(t, `{"small":{"a":["b"]},"large":"`+strings.Repeat("x", large)+`"}`)
	small := v.Get("small").Detached()
	if !Equal(small, v.Get("small")) {
		t.Errorf("it became %s", small)
	}
	before := heap()
	runtime.KeepAlive(v)
	if freed := before - heap(); freed < large {
		t.Errorf("%d bytes were freed, want more than %d", freed, large)
	}
	if got := small.String(); got != `{"a":["b"]}` {
		t.Errorf("got %s", got)
	}
}

// TestAllocationsOfParse checks that a text of any size is read in a few allocations, because
// the memory that reading needs besides the values is used again. The bound leaves room for the
// race detector, under which that memory is sometimes new.
func TestAllocationsOfParse(t *testing.T) { // not parallel: it counts those of the process
	for _, size := range []int{1 << 11, 100 << 10} {
		text := []byte(chat(size))
		count := func(read func() error) float64 {
			return testing.AllocsPerRun(50, func() {
				if err := read(); err != nil {
					t.Fatal(err)
				}
			})
		}
		ours := count(func() error { _, err := Parse(text); return err })
		theirs := count(func() error { var v any; return json.Unmarshal(text, &v) })
		t.Logf("%d bytes: %.0f allocations, encoding/json makes %.0f", len(text), ours, theirs)
		if ours > theirs/10 {
			t.Errorf("a request of %d bytes is read in %.0f allocations, and by encoding/json in %.0f", len(text), ours, theirs)
		}
	}
}

// chat returns a chat completions request of about size bytes.
func chat(size int) string {
	const user = `,{"role":"user","content":"What does the word \"protocol\" mean?\nIn two sentences, please: one for what it says, one for an example.\n"}` +
		`,{"role":"assistant","content":"It is what both sides agree on – which messages there are, and what comes after which.\n\nHTTP is one.","refusal":null}`
	const last = `],"temperature":0.7,"max_tokens":256,"tools":[{"type":"function","function":{"name":"weather","description":"The weather of a city","parameters":` +
		`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer","minimum":1}},"required":["city"],"additionalProperties":false}}}]}`
	text := `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"system","content":"You are helpful."}`
	return text + strings.Repeat(user, max(1, (size-len(text)-len(last))/len(user))) + last
}

// BenchmarkRequest parses requests, and compares the time with that of encoding/json.
func BenchmarkRequest(b *testing.B) {
	for _, size := range []int{1 << 11, 100 << 10} {
		text := []byte(chat(size))
		b.Run(fmt.Sprintf("%dKB", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Parse(text); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%dKB-encoding-json", size>>10), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				var v any
				if err := json.Unmarshal(text, &v); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
