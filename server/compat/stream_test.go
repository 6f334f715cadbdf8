package compat

import (
	"context"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/ai/azopenai"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	goopenai "github.com/sashabaranov/go-openai"
)

// prompt is a request for a stream, with limits for the client that sends it.
type prompt struct {
	to       target
	scenario string        // "" names none
	retries  int           // how often the client may try again, if it can
	patience time.Duration // the client's own time limit, whatever it limits; 0 is none
	each     func()        // called after each chunk, unless it is nil
}

// told is what a client had read when it stopped reading the stream.
type told struct {
	text, finish string
	err          error
}

// streamer sends a prompt with one of the clients.
type streamer func(context.Context, prompt) told

// streamers are three Go clients that were written independently: each has its own reader
// of events, and its own retries and time limits.
var streamers = map[string]streamer{
	"openai-go": streamOpenAIGo,
	"go-openai": streamGoOpenAI,
	"azopenai":  streamAzopenai,
}

const question = "Tell me a story."

// streamOpenAIGo uses the official client, with its accumulator.
func streamOpenAIGo(ctx context.Context, p prompt) told {
	opts := []option.RequestOption{
		option.WithBaseURL(p.to.baseURL), option.WithAPIKey(p.to.key),
		option.WithHTTPClient(p.httpClient()), option.WithMaxRetries(p.retries),
	}
	if p.patience > 0 {
		opts = append(opts, option.WithRequestTimeout(p.patience))
	}
	client := openai.NewClient(opts...)
	stream := client.Chat.Completions.NewStreaming(ctx, openai.ChatCompletionNewParams{
		Model:    "gpt-4o",
		Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(question)},
	})
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	var got told
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			got.err = errRefusedChunk
			break
		}
		p.took()
	}
	if len(acc.Choices) > 0 {
		got.text, got.finish = acc.Choices[0].Message.Content, acc.Choices[0].FinishReason
	}
	got.err = errors.Join(got.err, stream.Err())
	return got
}

// streamGoOpenAI uses go-openai, which is not from OpenAI.
func streamGoOpenAI(ctx context.Context, p prompt) told {
	config := goopenai.DefaultConfig(p.to.key)
	config.BaseURL = p.to.baseURL
	client := p.httpClient()
	client.Timeout = p.patience // go-openai has no time limit of its own
	config.HTTPClient = client
	stream, err := goopenai.NewClientWithConfig(config).CreateChatCompletionStream(ctx, goopenai.ChatCompletionRequest{
		Model:    "gpt-4o",
		Messages: []goopenai.ChatCompletionMessage{{Role: "user", Content: question}},
	})
	if err != nil {
		return told{err: err}
	}
	defer stream.Close()
	var got told
	for {
		chunk, err := stream.Recv()
		if err != nil {
			got.err = ignoreEOF(err)
			return got
		}
		for _, c := range chunk.Choices {
			got.add(c.Delta.Content, string(c.FinishReason))
		}
		p.took()
	}
}

// streamAzopenai uses Azure's client, which can also use servers that are not Azure's.
func streamAzopenai(ctx context.Context, p prompt) told {
	var options azopenai.ClientOptions
	options.InsecureAllowCredentialWithHTTP = true
	options.Transport = p.httpClient()
	options.Retry = policy.RetryOptions{MaxRetries: int32(p.retries), TryTimeout: p.patience}
	if p.retries == 0 {
		options.Retry.MaxRetries = -1 // 0 would be three
	}
	client, err := azopenai.NewClientForOpenAI(p.to.baseURL, azcore.NewKeyCredential(p.to.key), &options)
	if err != nil {
		return told{err: err}
	}
	model := "gpt-4o"
	res, err := client.GetChatCompletionsStream(ctx, azopenai.ChatCompletionsStreamOptions{
		DeploymentName: &model,
		Messages: []azopenai.ChatRequestMessageClassification{
			&azopenai.ChatRequestUserMessage{Content: azopenai.NewChatRequestUserMessageContent(question)},
		},
	}, nil)
	if err != nil {
		return told{err: err}
	}
	return readAzopenai(p, res.ChatCompletionsStream)
}

func readAzopenai(p prompt, stream *azopenai.EventReader[azopenai.ChatCompletions]) told {
	defer stream.Close()
	var got told
	for {
		chunk, err := stream.Read()
		if err != nil {
			got.err = ignoreEOF(err)
			return got
		}
		for _, c := range chunk.Choices {
			var text, finish string
			if c.Delta != nil && c.Delta.Content != nil {
				text = *c.Delta.Content
			}
			if c.FinishReason != nil {
				finish = string(*c.FinishReason)
			}
			got.add(text, finish)
		}
		p.took()
	}
}

func (t *told) add(text, finish string) {
	t.text += text
	if finish != "" {
		t.finish = finish
	}
}

// ignoreEOF is nil for io.EOF, which two of the clients return after [DONE].
func ignoreEOF(err error) error {
	if err == io.EOF {
		return nil
	}
	return err
}

func (p prompt) took() {
	if p.each != nil {
		p.each()
	}
}

// httpClient makes an http.Client whose requests ask for the scenario by name.
func (p prompt) httpClient() *http.Client {
	if p.scenario == "" {
		return &http.Client{Transport: p.to.client.Transport}
	}
	return &http.Client{Transport: named{p.to.client.Transport, p.scenario}}
}
