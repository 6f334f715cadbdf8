package serving

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// azureVersion is the api-version that clients of Azure OpenAI send.
const azureVersion = "2024-10-21"

// A preset sets the environment variables in which some clients look for their server.
type preset struct {
	sets func(url, key string) []string
	// unsets are variables to remove: with these clients they contradict those that
	// are set, or win over them.
	unsets []string
}

// presets are the presets by name.
var presets = map[string]preset{
	"openai": {
		sets: func(url, key string) []string {
			return []string{
				"OPENAI_BASE_URL=" + url + "/v1",
				"OPENAI_API_BASE=" + url + "/v1", // some clients read it first
				"OPENAI_API_KEY=" + key,
			}
		},
	},
	"azure": {
		sets: func(url, key string) []string {
			return []string{
				"AZURE_OPENAI_ENDPOINT=" + url,
				"AZURE_OPENAI_API_KEY=" + key,
				"AZURE_OPENAI_KEY=" + key, // openai-java
				"OPENAI_API_VERSION=" + azureVersion,
				"AZURE_API_BASE=" + url, // litellm
				"AZURE_API_KEY=" + key,
				"AZURE_API_VERSION=" + azureVersion,
				"OPENAI_API_KEY=" + key, // replaces a real key in the environment
			}
		},
		unsets: []string{"OPENAI_BASE_URL", "OPENAI_API_BASE", "AZURE_OPENAI_AD_TOKEN", "AZURE_AD_TOKEN"},
	},
}

// Presets are the names of the presets of [Environment]. The first is the default.
var Presets = []string{"openai", "azure"}

// Environment returns environ with the variables of the named preset, which direct
// clients to the server at url.
func Environment(environ []string, name, url, key string) []string {
	chosen := presets[name]
	env := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		variable, _, _ := strings.Cut(entry, "=")
		return slices.Contains(chosen.unsets, variable)
	})
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		env = append(env, name+"="+withoutProxy(environ, name))
	}
	env = append(env, chosen.sets(url, key)...)
	return append(env, console.Variable("url")+"="+url)
}

// withoutProxy returns the value of NO_PROXY with the server's host added: not every
// client exempts loopback by itself.
func withoutProxy(environ []string, name string) string {
	list := "127.0.0.1"
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok && value != "" {
			list = value + ",127.0.0.1"
		}
	}
	return list
}
