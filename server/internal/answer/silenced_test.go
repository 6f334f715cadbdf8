package answer

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// A scenario that may break every rule of the protocol can still hold a reply that
// cannot be built. Check reports it, so that no request finds it.
func TestRepliesThatMayBreakAllRulesAreBuiltAtLoad(t *testing.T) {
	t.Parallel()
	const call = "name: x\nstream: [{ tool_call: { name: f, arguments: '{\"a\":1}' }, pieces: ['{\"a\"', '%s'] }, { finish: tool_calls }]\n"
	for _, tt := range []struct{ rest, want string }{
		{`:2}`, "pieces spell"},
		{`:1}`, ""}, // the role is missing, which the quirk allows
	} {
		parsed, problems := yamlfile.Parse("x.yaml", []byte(strings.Replace(call, "%s", tt.rest, 1)))
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		parsed[0].Quirks = []scenarios.Quirk{{Rule: scenarios.AnyQuirk}}
		set, err := scenarios.NewSet(parsed...)
		if err != nil {
			t.Fatal(err)
		}
		found := Check(set)
		if tt.want == "" && len(found) > 0 || tt.want != "" && (len(found) != 1 || !strings.Contains(found[0].Message, tt.want)) {
			t.Errorf("%s: found %v, want %q", tt.rest, found, tt.want)
		}
	}
}
