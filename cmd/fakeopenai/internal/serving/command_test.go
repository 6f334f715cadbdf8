package serving

import (
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

func TestChildEnvironmentLeadsClientsToTheServer(t *testing.T) {
	t.Parallel()
	environ := []string{"HOME=/home/me", "OPENAI_API_KEY=sk-real", "NO_PROXY=example.com"}
	env := console.Environment(Environment(environ, "openai", "http://127.0.0.1:7", "sk-fake"))
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

// Clients of Azure refuse a base URL beside their endpoint.
func TestChildEnvironmentForAzure(t *testing.T) {
	t.Parallel()
	environ := []string{"OPENAI_BASE_URL=https://elsewhere", "OPENAI_API_BASE=https://elsewhere", "AZURE_OPENAI_AD_TOKEN=real", "OPENAI_API_KEY=sk-real"}
	env := console.Environment(Environment(environ, "azure", "http://127.0.0.1:7", "sk-fake"))
	want := map[string]string{
		"AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:7",
		"AZURE_OPENAI_API_KEY":  "sk-fake",
		"OPENAI_API_KEY":        "sk-fake",
		"OPENAI_API_VERSION":    "2024-10-21",
		"FAKEOPENAI_URL":        "http://127.0.0.1:7",
	}
	for name, value := range want {
		if env[name] != value {
			t.Errorf("%s is %q, want %q", name, env[name], value)
		}
	}
	for _, name := range []string{"OPENAI_BASE_URL", "OPENAI_API_BASE", "AZURE_OPENAI_AD_TOKEN"} {
		if value, there := env[name]; there {
			t.Errorf("%s is %q", name, value)
		}
	}
}

func TestEveryPresetHasVariables(t *testing.T) {
	t.Parallel()
	if len(Presets) != len(presets) {
		t.Errorf("%d presets have names, of %d", len(Presets), len(presets))
	}
	for _, name := range Presets {
		if presets[name].sets == nil {
			t.Errorf("%s sets nothing", name)
		}
	}
}
