package child

import (
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/setting"
)

func TestChildEnvironmentLeadsClientsToTheServer(t *testing.T) {
	t.Parallel()
	environ := []string{"HOME=/home/me", "OPENAI_API_KEY=sk-real", "NO_PROXY=example.com"}
	env := setting.Environment(Environment(environ, "http://127.0.0.1:7", "sk-fake"))
	want := map[string]string{
		"HOME":            "/home/me",
		"OPENAI_BASE_URL": "http://127.0.0.1:7/v1",
		"OPENAI_API_BASE": "http://127.0.0.1:7/v1",
		"OPENAI_API_KEY":  "sk-fake",
		"FAKEOPENAI_URL":  "http://127.0.0.1:7",
		"NO_PROXY":        "example.com,127.0.0.1",
		"no_proxy":        "127.0.0.1",
	}
	for name, value := range want {
		if env[name] != value {
			t.Errorf("%s is %q, want %q", name, env[name], value)
		}
	}
	if !slices.Equal(environ, []string{"HOME=/home/me", "OPENAI_API_KEY=sk-real", "NO_PROXY=example.com"}) {
		t.Errorf("the environment that was given is changed: %q", environ)
	}
}
