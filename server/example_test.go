package server_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing/fstest"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// A server is an http.Handler, for programs that are not tests and for tests in other
// frameworks.
func ExampleNew() {
	files := fstest.MapFS{"greeting.yaml": {Data: []byte(`
name: greeting
envelope: { id: chatcmpl-1, created: 1700000000, layout: minimal }
message: { content: Hello there. }
`)}}
	set, err := yamlfile.Load(files, "*.yaml")
	if err != nil {
		log.Fatal(err)
	}
	fake, err := server.New(server.Config{Scenarios: set})
	if err != nil {
		log.Fatal(err)
	}
	defer fake.Close()
	listening := httptest.NewServer(fake)
	defer listening.Close()

	resp, err := http.Post(listening.URL+"/v1/chat/completions", "application/json", strings.NewReader(
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Hi!"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	defer resp.Body.Close()
	stream, err := io.ReadAll(resp.Body)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s", stream)
	// Output:
	// data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}
	//
	// data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{"content":"Hello"},"finish_reason":null}]}
	//
	// data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{"content":" there"},"finish_reason":null}]}
	//
	// data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{"content":"."},"finish_reason":null}]}
	//
	// data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"gpt-4o-2024-08-06","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}
	//
	// data: [DONE]
}

// The journal says how much of an answer each client really received.
func ExampleServer_Journal() {
	steps := []scenarios.Step{
		step.Role("assistant"),
		step.Content("Once upon"),
		step.Hold("mid-answer"),
		step.Content(" a time"),
		step.Finish("stop"),
	}
	set, err := scenarios.NewSet(&scenarios.Scenario{Name: "story", Replies: []scenarios.Reply{{Stream: &steps}}})
	if err != nil {
		log.Fatal(err)
	}
	fake, err := server.New(server.Config{Scenarios: set})
	if err != nil {
		log.Fatal(err)
	}
	listening := httptest.NewServer(fake)
	ctx, leave := context.WithCancel(context.Background())
	go readStory(ctx, listening.URL)

	if err := fake.Await(context.Background(), "mid-answer"); err != nil {
		log.Fatal(err)
	}
	leave()
	if err := fake.WaitIdle(context.Background()); err != nil {
		log.Fatal(err)
	}
	fake.Close()
	listening.Close()

	for _, r := range fake.Journal() {
		fmt.Println(r.Scenario, r.Status, r.Delivery.Frames, "of", r.Delivery.Planned, r.Delivery.Ended)
	}
	// Output: story 200 2 of 5 client_left
}

func readStory(ctx context.Context, url string) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(
		`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"Tell me a story"}]}`))
	if err != nil {
		log.Fatal(err)
	}
	if resp, err := http.DefaultClient.Do(req); err == nil {
		_, _ = io.Copy(io.Discard, resp.Body) // ends when ctx is cancelled
		resp.Body.Close()
	}
}
