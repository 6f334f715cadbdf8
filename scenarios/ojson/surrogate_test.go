package ojson_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

func TestTheSpellingOfLoneSurrogatesIsKept(t *testing.T) {
	t.Parallel()
	for quoted, want := range map[string]string{
		`"a"`:                    `"a"`,
		`"\ud83d"`:               `"\ud83d"`,
		`"x\uDE00y"`:             `"x\ude00y"`,
		`"\ud83d\ude00"`:         `"😀"`,
		`"\ud83d\ud83d\ude00"`:   `"\ud83d😀"`,
		`"\u00e9\n\/\\\"\u0000"`: `"é\n/\\\"\u0000"`,
		`"\ud83dé"`:              `"\ud83dé"`,
	} {
		text, err := ojson.Unquote(quoted)
		if err != nil {
			t.Errorf("%s: %v", quoted, err)
		}
		if got := string(ojson.AppendString(nil, text)); got != want {
			t.Errorf("%s: got %s, want %s", quoted, got, want)
		}
	}
	for _, bad := range []string{"", `"`, `a`, `"a`, `"\x"`, `"\u12"`, `"a" "b"`, "1", "\"\n\""} {
		if text, err := ojson.Unquote(bad); err == nil {
			t.Errorf("%s is taken for a JSON string: %q", bad, text)
		}
	}
}

func TestEscapesForHTMLAreThoseOfGo(t *testing.T) {
	t.Parallel()
	got := string(ojson.Style{HTML: true}.Append(nil, ojson.String("<b>é & \u2028")))
	if want := `"\u003cb\u003eé \u0026 \u2028"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
