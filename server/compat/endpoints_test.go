package compat

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
)

// endpointsClient is openai-go, asking a server that plays a file of the bundled endpoints.
func endpointsClient(t *testing.T, play player, file string) openai.Client {
	t.Helper()
	return play(t, read(t, "../../fixtures/endpoints/"+file+".yaml")).openAIGo()
}

// want compares what a client read, in the form of fmt.Sprint.
func want(t *testing.T, err error, got any, want string) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if text := fmt.Sprint(got); text != want {
		t.Errorf("got %s, want %s", text, want)
	}
}

func bytesOf(t *testing.T, resp *http.Response, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(body)
}

// each is what f makes of each event of a stream.
func readAll[E any](t *testing.T, stream *ssestream.Stream[E], f func(E) any) (list []any) {
	t.Helper()
	for stream.Next() {
		list = append(list, f(stream.Current()))
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	return list
}

func speech(t *testing.T, play player) {
	client := endpointsClient(t, play, "speech")
	ask := openai.AudioSpeechNewParams{Model: "gpt-4o-mini-tts", Input: "Hello", Voice: openai.AudioSpeechNewParamsVoiceUnion{OfString: openai.String("alloy")}}
	resp, err := client.Audio.Speech.New(t.Context(), ask)
	mp3 := bytesOf(t, resp, err)
	want(t, nil, []any{resp.Header.Get("Content-Type"), mp3[:2] == "\xff\xfb"}, "[audio/mpeg true]")
	ask.StreamFormat = openai.AudioSpeechNewParamsStreamFormatSSE
	resp, err = client.Audio.Speech.New(t.Context(), ask)
	events := bytesOf(t, resp, err)
	want(t, nil, []any{strings.Count(events, `"speech.audio.delta"`), strings.Count(events, `"speech.audio.done"`)}, "[2 1]")
}

func transcriptions(t *testing.T, play player) {
	client := endpointsClient(t, play, "transcriptions")
	ask := func() openai.AudioTranscriptionNewParams { // a file can be read once
		return openai.AudioTranscriptionNewParams{Model: "whisper-1", File: openai.File(strings.NewReader("ID3"), "a.mp3", "audio/mpeg")}
	}
	read, err := client.Audio.Transcriptions.New(t.Context(), ask())
	want(t, err, read.Text, "Hello there.")
	verbose := ask()
	verbose.ResponseFormat = openai.AudioResponseFormatVerboseJSON
	read, err = client.Audio.Transcriptions.New(t.Context(), verbose)
	want(t, err, []any{read.Duration, read.Words[1].Word, read.Segments[0].End}, "[1.2 there 1.2]")
	for format, begins := range map[openai.AudioResponseFormat]string{"text": "Hello", "srt": "1\n00:00:00,000", "vtt": "WEBVTT\n\n"} {
		plain, text := ask(), ""
		plain.ResponseFormat = format
		_, err = client.Audio.Transcriptions.New(t.Context(), plain, option.WithResponseBodyInto(&text))
		want(t, err, strings.HasPrefix(text, begins), "true")
	}
	said := readAll(t, client.Audio.Transcriptions.NewStreaming(t.Context(), ask()), func(e openai.TranscriptionStreamEventUnion) any {
		return e.Type + " " + e.Delta + e.Text
	})
	want(t, nil, said, "[transcript.text.delta Hello transcript.text.delta  there. transcript.text.done Hello there.]")
	into, err := client.Audio.Translations.New(t.Context(), openai.AudioTranslationNewParams{Model: "whisper-1", File: ask().File}) //nolint:staticcheck // It is there as long as the service has it.
	want(t, err, into.Text, "Good morning.")
}

func images(t *testing.T, play player) {
	client := endpointsClient(t, play, "images")
	ask := openai.ImageGenerateParams{Model: "gpt-image-1", Prompt: "a red dot"}
	made, err := client.Images.Generate(t.Context(), ask)
	want(t, err, []any{made.Data[0].B64JSON[:7], made.Usage.TotalTokens}, "[iVBORw0 30]")
	ask.PartialImages = openai.Int(2)
	images := readAll(t, client.Images.GenerateStreaming(t.Context(), ask), func(e openai.ImageGenStreamEventUnion) any {
		return []any{e.Type, e.PartialImageIndex}
	})
	want(t, nil, images, "[[image_generation.partial_image 0] [image_generation.partial_image 1] [image_generation.completed 0]]")
	picture := func(name string) io.Reader { return openai.File(strings.NewReader("PNG"), name, "image/png") }
	edited, err := client.Images.Edit(t.Context(), openai.ImageEditParams{
		Prompt: "redder", Image: openai.ImageEditParamsImageUnion{OfFileArray: []io.Reader{picture("a.png"), picture("b.png")}},
	})
	want(t, err, edited.Data[0].B64JSON == made.Data[0].B64JSON, "true")
	edits := readAll(t, client.Images.EditStreaming(t.Context(), openai.ImageEditParams{
		Prompt: "redder", Image: openai.ImageEditParamsImageUnion{OfFile: picture("a.png")},
	}), func(e openai.ImageEditStreamEventUnion) any { return e.Type })
	want(t, nil, edits, "[image_edit.completed]") // without partial_images there are none
}

func files(t *testing.T, play player) {
	client := endpointsClient(t, play, "files")
	made, err := client.Files.New(t.Context(), openai.FileNewParams{
		Purpose: openai.FilePurposeBatch, File: openai.File(bytes.NewReader([]byte("{\"n\": 1}\n")), "notes.jsonl", "application/jsonl"),
	})
	want(t, err, []any{made.Filename, made.Bytes, made.Purpose}, "[notes.jsonl 9 batch]")
	same, err := client.Files.Get(t.Context(), made.ID)
	want(t, err, same.ID, made.ID)
	list, err := client.Files.List(t.Context(), openai.FileListParams{})
	want(t, err, []any{len(list.Data), list.Data[0].ID, list.HasMore}, "[1 file-1 false]")
	resp, err := client.Files.Content(t.Context(), made.ID)
	want(t, nil, bytesOf(t, resp, err), "{\"n\": 123}\n")
	deleted, err := client.Files.Delete(t.Context(), made.ID)
	want(t, err, []any{deleted.ID, deleted.Deleted}, fmt.Sprint([]any{made.ID, true}))
}

func vectorStores(t *testing.T, play player) {
	client := endpointsClient(t, play, "vector-stores")
	store, err := client.VectorStores.New(t.Context(), openai.VectorStoreNewParams{Name: openai.String("notes")})
	want(t, err, store.Name, "notes")
	file, err := client.VectorStores.Files.NewAndPoll(t.Context(), store.ID, openai.VectorStoreFileNewParams{FileID: "file-go"}, 1)
	want(t, err, []any{file.ID, file.Status}, "[file-go completed]")
	found, err := client.VectorStores.Search(t.Context(), store.ID, openai.VectorStoreSearchParams{Query: openai.VectorStoreSearchParamsQueryUnion{OfString: openai.String("password?")}})
	want(t, err, []any{found.Data[0].Score, found.Data[0].Content[0].Text}, "[0.93 A password is reset by mail.]")
}

func batches(t *testing.T, play player) {
	client := endpointsClient(t, play, "batches")
	made, err := client.Batches.New(t.Context(), openai.BatchNewParams{
		InputFileID: "file-1", Endpoint: openai.BatchNewParamsEndpointV1ChatCompletions, CompletionWindow: openai.BatchNewParamsCompletionWindow24h,
	})
	want(t, err, made.Status, "validating")
	for _, status := range []string{"in_progress ", "completed file-2", "completed file-2"} {
		batch, err := client.Batches.Get(t.Context(), made.ID)
		want(t, err, string(batch.Status)+" "+batch.OutputFileID, status)
	}
	list, err := client.Batches.List(t.Context(), openai.BatchListParams{Limit: openai.Int(3)})
	want(t, err, list.Data[0].ID, made.ID)
	cancelled, err := client.Batches.Cancel(t.Context(), made.ID)
	want(t, err, cancelled.Status, "cancelling")
}

// storedChatCompletions makes three completions, of which one is streamed, and lists them by pages.
func storedChatCompletions(t *testing.T, play player) {
	client := play(t, "name: a\nmessage: Hello there.\n").openAIGo()
	completions := &client.Chat.Completions
	ask := openai.ChatCompletionNewParams{Model: "gpt-4o", Store: openai.Bool(true), Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")}}
	first, err := completions.New(t.Context(), ask)
	want(t, err, first.Choices[0].Message.Content, "Hello there.")
	streamed := readAll(t, completions.NewStreaming(t.Context(), ask), func(c openai.ChatCompletionChunk) any { return c.ID })
	ask.Metadata = map[string]string{"topic": "greeting"}
	made, err := completions.New(t.Context(), ask)
	want(t, err, made.ID != first.ID, "true")
	var ids []any
	pages := completions.ListAutoPaging(t.Context(), openai.ChatCompletionListParams{Limit: openai.Int(2)})
	for pages.Next() {
		ids = append(ids, pages.Current().ID)
	}
	want(t, pages.Err(), ids, fmt.Sprint([]any{made.ID, streamed[0], first.ID}))
	list, err := completions.List(t.Context(), openai.ChatCompletionListParams{Metadata: ask.Metadata, Model: openai.String("gpt-4o")})
	want(t, err, []any{len(list.Data), list.Data[0].ID, list.HasMore}, fmt.Sprint([]any{1, made.ID, false}))
	same, err := completions.Get(t.Context(), made.ID)
	want(t, err, same.Choices[0].Message.Content, made.Choices[0].Message.Content)
	updated, err := completions.Update(t.Context(), made.ID, openai.ChatCompletionUpdateParams{Metadata: map[string]string{"topic": "other"}})
	want(t, err, updated.Metadata["topic"], "other")
	messages, err := completions.Messages.List(t.Context(), made.ID, openai.ChatCompletionMessageListParams{})
	want(t, err, messages.Data[0].Content, "Hello")
	deleted, err := completions.Delete(t.Context(), made.ID)
	want(t, err, deleted.Deleted, "true")
	_, err = completions.Get(t.Context(), made.ID)
	if unknown, ok := errors.AsType[*openai.Error](err); !ok || unknown.StatusCode != http.StatusNotFound || unknown.Code != "not_found" {
		t.Errorf("a deleted one is answered with %v", err)
	}
}
