package child

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/setting"
)

// azureVersion is the version of the API that clients of Azure ask for.
const azureVersion = "2024-10-21"

// A preset is the variables by which some clients find their server.
type preset struct {
	sets func(url, key string) []string
	// unsets are variables that such clients must not have: they contradict those
	// that are set, or win over them.
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
				"OPENAI_API_KEY=" + key, // in place of a real one
			}
		},
		unsets: []string{"OPENAI_BASE_URL", "OPENAI_API_BASE", "AZURE_OPENAI_AD_TOKEN", "AZURE_AD_TOKEN"},
	},
}

// Presets are the names of presets for [Environment]. The first is for the clients
// of OpenAI.
var Presets = []string{"openai", "azure"}

// Environment is the environment with the variables that lead the clients of a
// preset to the server.
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
	return append(env, setting.Variable("url")+"="+url)
}

// withoutProxy is the list of hosts to reach without a proxy, with our own
// added: not every client leaves the proxy out for the loopback address.
func withoutProxy(environ []string, name string) string {
	list := "127.0.0.1"
	for _, entry := range environ {
		if value, ok := strings.CutPrefix(entry, name+"="); ok && value != "" {
			list = value + ",127.0.0.1"
		}
	}
	return list
}
