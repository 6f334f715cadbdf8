package compat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"testing"
)

// generated are the tests of openai-go that were generated from the API's description, of
// Responses and conversations, by package. They send a request to every endpoint with every
// member that it can have, and expect a response that the client can read.
var generated = map[string][]string{
	"responses": {
		"TestResponseNewWithOptionalParams", "TestResponseGetWithOptionalParams", "TestResponseDelete", "TestResponseCancel",
		"TestResponseCompactWithOptionalParams", "TestInputItemListWithOptionalParams", "TestInputTokenCountWithOptionalParams",
	},
	"conversations": {
		"TestConversationNewWithOptionalParams", "TestConversationGet", "TestConversationUpdate", "TestConversationDelete",
		"TestItemNewWithOptionalParams", "TestItemGetWithOptionalParams", "TestItemListWithOptionalParams", "TestItemDelete",
	},
}

// openai-go's generated tests pass, and none is skipped. They name ids of responses that
// were never made, so that the server runs with --any-id.
func TestGeneratedTestsOfOpenAIGo(t *testing.T) {
	t.Parallel()
	url := serve(t, build(t), "--any-id")
	for name, tests := range generated {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, log := runGenerated(t, url, name)
			for _, test := range tests {
				if outcome[test] != "pass" {
					t.Errorf("%s: %q\n%s", test, outcome[test], log[test])
				}
				delete(outcome, test)
			}
			for test := range outcome {
				t.Errorf("%s is not in the list of generated tests", test)
			}
		})
	}
}

// runGenerated runs the generated tests of a package, which are those that need a server.
// It returns the result of each test and what it printed.
func runGenerated(t *testing.T, url, name string) (outcome, log map[string]string) {
	t.Helper()
	const pattern = "^Test((Response|InputItem|InputToken|Conversation|Item)(New|Get|Update|List|Count|Compact|Delete|Cancel))(WithOptionalParams)?$"
	cmd := exec.CommandContext(t.Context(), "go", "test", "-json", "-count=1", "-run", pattern, "github.com/openai/openai-go/v3/"+name)
	cmd.Env = append(os.Environ(), "TEST_API_BASE_URL="+url+"/v1", "SKIP_MOCK_TESTS=false")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	outcome, log = map[string]string{}, map[string]string{}
	for lines := bufio.NewScanner(bytes.NewReader(out)); lines.Scan(); {
		var event struct{ Action, Test, Output string }
		if json.Unmarshal(lines.Bytes(), &event) != nil || event.Test == "" {
			continue
		}
		switch event.Action {
		case "pass", "fail", "skip":
			outcome[event.Test] = event.Action
		case "output":
			log[event.Test] += event.Output
		}
	}
	if len(outcome) == 0 {
		t.Fatalf("go test ran nothing: %v\n%s\n%s", err, &stderr, out)
	}
	return outcome, log
}
