package fakeopenai

import (
	"fmt"
	"testing"
)

// Scenarios that a server of the process has read and checked are not read again for the next.
func TestTheNextServerPlaysWhatWasReadBefore(t *testing.T) { // not parallel: other tests read scenarios, too
	const src = "name: read-once\nmessage: Hello.\n"
	for name, opts := range map[string][]Option{"YAML": {YAML(src)}, "fixture": {Fixture("flaky")}, "bundled": nil} {
		_, first, err := newSettings(opts).load()
		if err != nil {
			t.Fatal(err)
		}
		_, second, err := newSettings(opts).load()
		if err != nil {
			t.Fatal(err)
		}
		if first != second {
			t.Errorf("%s: the set is made anew", name)
		}
	}
	_, other, err := newSettings([]Option{YAML(src), YAML("name: another\nmessage: Hello.\n")}).load()
	if err != nil {
		t.Fatal(err)
	}
	if n := len(other.Scenarios()); n != 2 {
		t.Errorf("with another file there are %d scenarios, want 2", n)
	}
}

// Mistakes in scenarios are reported to each test that uses them.
func TestMistakesAreToldAgain(t *testing.T) {
	t.Parallel()
	for range 2 {
		for _, src := range []string{"name: x\nmesage: Hello.\n", "name: x\nstream: [{ content: Hello. }]\n"} {
			if _, _, err := newSettings([]Option{YAML(src)}).load(); err == nil {
				t.Errorf("nothing is wrong with %q", src)
			}
		}
	}
}

// The cache of scenarios is bounded, also for texts of a line.
func TestWhatIsReusedIsBounded(t *testing.T) { // not parallel: other tests read scenarios, too
	for i := range 400 {
		src := fmt.Append(nil, "name: bounded", i)
		last, n := parse("bounded", src), len(parsedFiles.made)
		if n > 256 || parse("bounded", src) != last {
			t.Fatalf("%d texts are remembered, want at most 256 and the last among them", n)
		}
	}
}
