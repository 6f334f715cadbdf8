package serving

import (
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// Clients of Azure refuse a base URL beside their endpoint.
func TestChildEnvironmentLeadsClientsToTheServer(t *testing.T) {
	t.Parallel()
	environ := []string{
		"HOME=/home/me", "OPENAI_API_KEY=sk-real", "NO_PROXY=example.com", "OPENAI_BASE_URL=https://elsewhere",
		"OPENAI_API_BASE=https://elsewhere", "AZURE_OPENAI_AD_TOKEN=real",
	}
	given := slices.Clone(environ)
	for preset, want := range map[string]map[string]string{
		"openai": {
			"OPENAI_BASE_URL": "http://127.0.0.1:7/v1", "OPENAI_API_BASE": "http://127.0.0.1:7/v1", "OPENAI_API_KEY": "sk-fake",
			"NO_PROXY": "example.com,127.0.0.1", "no_proxy": "127.0.0.1",
		},
		"azure": {
			"AZURE_OPENAI_ENDPOINT": "http://127.0.0.1:7", "AZURE_OPENAI_API_KEY": "sk-fake", "OPENAI_API_KEY": "sk-fake",
			"OPENAI_API_VERSION": "2024-10-21", "OPENAI_BASE_URL": "", "OPENAI_API_BASE": "", "AZURE_OPENAI_AD_TOKEN": "",
		},
	} {
		env := console.Environment(Environment(environ, preset, "http://127.0.0.1:7", "sk-fake"))
		want["HOME"], want["FAKEOPENAI_URL"] = "/home/me", "http://127.0.0.1:7"
		for name, value := range want {
			if got, there := env[name]; got != value || there != (value != "") {
				t.Errorf("%s: %s is %q, want %q", preset, name, got, value)
			}
		}
	}
	if !slices.Equal(environ, given) {
		t.Errorf("the environment that was given is changed: %q", environ)
	}
}
