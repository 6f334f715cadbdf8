package ojson

import (
	"bytes"
	"encoding/json"
	"reflect"
	"runtime"
	"strings"
	"testing"
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
// values, in the same order. A value that is written is read as the same value.
func FuzzParse(f *testing.F) {
	for _, text := range texts {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Parse(data)
		deep := err != nil && strings.Contains(err.Error(), "nested deeper")
		if taken := err == nil; taken != json.Valid(data) && !deep {
			t.Fatalf("%q is taken: %t (%v)", data, taken, err)
		}
		if err != nil {
			return
		}
		written := v.Append(nil)
		if again, err := Parse(written); err != nil || !reflect.DeepEqual(v, again) {
			t.Fatalf("%q was written as %q and read as %s (%v)", data, written, again, err)
		}
		a, b := json.NewDecoder(bytes.NewReader(data)), json.NewDecoder(bytes.NewReader(written))
		a.UseNumber()
		b.UseNumber()
		for {
			x, errX := a.Token()
			y, errY := b.Token()
			if x != y || errX != errY {
				t.Fatalf("%q has the token %v (%v), where %q has %v (%v)", data, x, errX, written, y, errY)
			}
			if errX != nil {
				return
			}
		}
	})
}

func TestTheErrorSaysWhereTheTextIsNoJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		``:                  "at byte 0: unexpected EOF",
		`{"a":`:             "at byte 5: unexpected EOF",
		` nul`:              "at byte 1: unexpected EOF",
		`not`:               "at byte 0: invalid character 'o' in literal null (expecting 'u')",
		`{"a":1,}`:          "at byte 7: invalid character '}' looking for beginning of object key string",
		`[1 2]`:             "at byte 3: invalid character '2' after array element",
		`{} {}`:             "at byte 2: text after the JSON value",
		texts[len(texts)-3]: "at byte 1001: nested deeper than 1000",
		texts[len(texts)-1]: "at byte 5001: nested deeper than 1000",
	} {
		if _, err := Parse([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.20q: the error is %v, want %s", text, err, want)
		}
	}
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
