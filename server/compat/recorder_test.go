package compat

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/server"
)

// openai-go reads through a recorder the same as from the endpoint, and the same from the recording.
func TestAClientReadsThroughARecorder(t *testing.T) { // not parallel: it sets the environment
	for _, scenario := range []string{"sound-text", "sound-reasoning", "sound-logprobs", "resp-text-then-calls", "resp-half-a-call", "resp-content-filter",
		"resp-lost-delta", "resp-split-inside-characters", "resp-cut-between-events", "nested-error", "keepalive", "resp-bad-request"} {
		t.Run(scenario, func(t *testing.T) {
			upstream := fakeopenai.NewServer(t, fakeopenai.File("specimens/defects.yaml"), fakeopenai.File("specimens/responses.yaml"), fakeopenai.AllowUnused(),
				fakeopenai.WithConfig(func(config *server.Config) { config.Default = scenario })) // so that the client names none
			recordedIsPlayed(t, upstream.URL, eventsAt)
		})
	}
}

// eventsAt are the types and texts of the events that openai-go reads from a server, and an error.
func eventsAt(t *testing.T, url string) []string {
	t.Helper()
	client := openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("sk-test"), option.WithMaxRetries(0))
	stream := client.Responses.NewStreaming(t.Context(), responseParams(t, members{"model": []byte(`"gpt-4o"`), "input": []byte(`"What is the weather in Oslo?"`)}))
	defer stream.Close()
	var events []string
	for stream.Next() {
		e := stream.Current()
		events = append(events, e.Type+" "+e.Delta+e.Text+e.Arguments+e.Item.CallID+string(e.Response.Status)+e.Response.OutputText())
	}
	if err := stream.Err(); err != nil {
		events = append(events, describe(err))
	}
	return events
}

// openai-go embeds, moderates, uploads a file, fetches it and its bytes, and chats: from the endpoint, through a
// recorder, and from the recording.
func TestAnApplicationPlaysFromItsRecording(t *testing.T) { // not parallel: it sets the environment
	const up = `name: upload
when: { path: /v1/files, method: POST }
wire: { body: { id: file-abc, object: file, bytes: 9, created_at: 1750000000, filename: a.txt, purpose: assistants, status: processed } }
---
name: file
when: { path: "/v1/files/{id}", method: GET }
wire: { body: { id: "{{ .match.id }}", object: file, filename: a.txt } }
---
name: content
when: { path: "/v1/files/{id}/content", method: GET }
wire: { body: !!binary AAECA/8A/4iIiA==, content_type: application/octet-stream }
---
name: hi
message: Hello
`
	upstream := fakeopenai.NewServer(t, fakeopenai.YAML(up), fakeopenai.AllowUnused())
	recordedIsPlayed(t, upstream.URL, func(t *testing.T, url string) []string { return applicationAt(t, url+"/v1") })
}

// applicationAt is what an application reads from a server.
func applicationAt(t *testing.T, url string) (read []string) {
	t.Helper()
	client := openai.NewClient(option.WithBaseURL(url), option.WithAPIKey("sk-test"), option.WithMaxRetries(0))
	add := func(what any, err error) {
		if err != nil {
			t.Error(err)
		}
		read = append(read, fmt.Sprint(what))
	}
	made, err := client.Embeddings.New(t.Context(), openai.EmbeddingNewParams{
		Model: openai.EmbeddingModelTextEmbedding3Small, Input: openai.EmbeddingNewParamsInputUnion{OfArrayOfStrings: []string{"a", "b"}},
	})
	if add(err, err); err == nil {
		add(made.Data[1].Embedding, nil)
	}
	found, err := client.Moderations.New(t.Context(), openai.ModerationNewParams{Input: openai.ModerationNewParamsInputUnion{OfStringArray: []string{"hug it"}}})
	if add(err, err); err == nil {
		add(found.Results[0].CategoryScores.Violence, nil)
	}
	file, err := client.Files.New(t.Context(), openai.FileNewParams{File: openai.File(strings.NewReader("It rains."), "a.txt", "text/plain"), Purpose: openai.FilePurposeAssistants})
	if add(err, err); err != nil {
		return read
	}
	got, err := client.Files.Get(t.Context(), file.ID)
	if add(err, err); err == nil {
		add(got.ID+got.Filename, nil)
	}
	content, err := client.Files.Content(t.Context(), file.ID)
	if add(err, err); err == nil {
		data, err := io.ReadAll(content.Body)
		content.Body.Close()
		add(bytes.Clone(data), err)
	}
	chat, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{Model: "gpt-4o", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hi")}})
	if add(err, err); err == nil {
		add(chat.Choices[0].Message.Content, nil)
	}
	return read
}

// recordedIsPlayed checks that a client comes to the same at an upstream, at a proxy that records it, and at
// a server that plays the recording.
func recordedIsPlayed(t *testing.T, upstream string, ask func(t *testing.T, url string) []string) {
	t.Helper()
	want, dir := ask(t, upstream), t.TempDir()
	for _, mode := range []string{"record", "replay"} {
		t.Run(mode, func(t *testing.T) {
			t.Setenv("FAKEOPENAI_RECORD", mode)
			t.Setenv("OPENAI_API_KEY", "sk-test")
			if got := ask(t, fakeopenai.Record(t, upstream, dir).URL); !slices.Equal(got, want) {
				t.Errorf("got  %q\nwant %q", got, want)
			}
		})
	}
}
