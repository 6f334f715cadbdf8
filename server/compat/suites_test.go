package compat

import (
	"context"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// suite is a test of a client in Go. It passes with one server, and with replicas behind a balancer.
type suite func(t *testing.T, play player)

// player lets a server play the scenarios of a YAML text, and says where a client asks for them.
type player func(t *testing.T, yaml string) target

// at is the player of a suite that asks a server, or a balancer, with an API key of its own.
func at(url, key string) player {
	return func(t *testing.T, yaml string) target {
		t.Helper()
		status, answer := caller{url: url, key: key}.ask(http.MethodPut, "/_fake/scenarios", yaml)
		if status != http.StatusOK {
			t.Fatalf("the scenarios are answered with %d %s", status, answer)
		}
		return target{url + "/v1", key, manyConnections}
	}
}

// suites are all tests of clients in Go that need neither virtual time nor a connection to the server itself.
func suites() map[string]suite {
	list := map[string]suite{
		"speech": speech, "transcriptions": transcriptions, "images": images, "files": files, "vector stores": vectorStores,
		"batches": batches, "stored chat completions": storedChatCompletions, "embeddings and moderations": embeddingsAndModerations,
		"held for azopenai with Api-Key": held(streamAPIKey), "left by azopenai with Api-Key": left(streamAPIKey),
		"two calls resumed": resumed("calls-two-tools"), "reasoning resumed": resumed("reasons"),
	}
	for name, loop := range loops {
		list["agent "+name] = agent(loop)
	}
	for name, stream := range streamers {
		list["held for "+name], list["left by "+name] = held(stream), left(stream)
	}
	for fixture, want := range refusals {
		list["refused as "+fixture] = refusedWith(fixture, want)
	}
	for _, c := range answers {
		list["answer of "+c.fixture] = c.suite
	}
	for _, c := range completions {
		list["completion of "+c.title] = c.suite
	}
	return list
}

func TestClientsInGo(t *testing.T) {
	t.Parallel()
	url := serve(t, build(t), "--admin-token", adminToken, "shards.yaml")
	for name, run := range suites() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, at(url, "sk-"+strings.ReplaceAll(name, " ", "-")))
		})
	}
}

// A hundred API keys run the suites behind a balancer, all at the same time: each key one of them, or with
// -all each key all. Each key is known to one replica alone.
func TestClientsInGoBehindABalancer(t *testing.T) {
	eachBalancer(t, func(t *testing.T, _ []*process, urls []string, front string) {
		list := suites()
		names := slices.Sorted(maps.Keys(list))
		each(keys(), func(i int, key string) {
			for n, name := range names {
				if *all || i%len(names) == n {
					t.Run(name+" as "+key, func(t *testing.T) { list[name](t, at(front, key)) })
				}
			}
			if places := placesOf(urls, key); len(places) != 1 {
				t.Errorf("%s is known to the replicas %v, want one", key, places)
			}
		})
	})
}

// held is a suite in which the client reads the first words while the server holds the others.
func held(stream streamer) suite {
	return func(t *testing.T, play player) {
		to, chunks := play(t, heldInTheMiddle), 0
		got := stream(t.Context(), prompt{to: to, each: func() {
			if chunks++; chunks == 2 { // a role and the first words
				to.fake(t, http.MethodPost, "holds/middle/release", "")
			}
		}})
		if got.String() != "Once upon a time / stop" {
			t.Errorf("got %s", got)
		}
	}
}

// left is a suite in which the client leaves after the first words, which the server sees.
func left(stream streamer) suite {
	return func(t *testing.T, play player) {
		to, chunks := play(t, heldInTheMiddle), 0
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		got := stream(ctx, prompt{to: to, each: func() {
			if chunks++; chunks == 2 {
				cancel()
			}
		}})
		if got.String() != "Once upon / error: cancelled" {
			t.Errorf("got %s", got)
		}
		to.fake(t, http.MethodGet, "requests/wait", "")
		to.fake(t, http.MethodGet, "requests", `"ended": "client_left"`)
	}
}

// fake asks an endpoint below /_fake/ with the API key of the target. The answer must have the text want.
func (to target) fake(t *testing.T, method, path, want string) {
	t.Helper()
	status, answer := caller{url: strings.TrimSuffix(to.baseURL, "/v1"), key: to.key}.ask(method, "/_fake/"+path, "")
	if status != http.StatusOK || !strings.Contains(answer, want) {
		t.Errorf("%s is answered with %d %s", path, status, answer)
	}
}

// openAIGo is the official client, which does not try again.
func (to target) openAIGo(more ...option.RequestOption) openai.Client {
	return openai.NewClient(append([]option.RequestOption{
		option.WithBaseURL(to.baseURL), option.WithAPIKey(to.key), option.WithHTTPClient(to.client), option.WithMaxRetries(0),
	}, more...)...)
}

func read(t *testing.T, file string) string {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(src)
}
