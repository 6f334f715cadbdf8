package compat

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/ai/azopenai"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"
	goopenai "github.com/sashabaranov/go-openai"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

const scenarioHeader = "X-Fakeopenai-Scenario"

// target is the server to which a client sends its requests.
type target struct {
	baseURL, key string
	client       *http.Client
}

func targetOf(fake *fakeopenai.Server) target {
	return target{fake.BaseURL, fake.APIKey, fake.Client()}
}

// start starts a server that plays one bundled scenario.
func start(t *testing.T, fixture string, opts ...fakeopenai.Option) target {
	t.Helper()
	return targetOf(fakeopenai.NewServer(t, append(opts, fakeopenai.Fixture(fixture), fakeopenai.AllowUnused())...))
}

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
	calls        string // calls are those of openai-go alone, in JSON.
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
		for _, t := range acc.Choices[0].Message.ToolCalls {
			got.calls += text([]string{t.ID, t.Function.Name, t.Function.Arguments})
		}
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
	return streamAzure(ctx, p, azopenai.NewClientForOpenAI, p.to.baseURL)
}

// streamAPIKey uses Azure's client as for Azure: its requests have other paths, and the header Api-Key.
func streamAPIKey(ctx context.Context, p prompt) told {
	return streamAzure(ctx, p, azopenai.NewClientWithKeyCredential, strings.TrimSuffix(p.to.baseURL, "/v1"))
}

type newAzopenai func(string, *azcore.KeyCredential, *azopenai.ClientOptions) (*azopenai.Client, error)

func streamAzure(ctx context.Context, p prompt, newClient newAzopenai, url string) told {
	var options azopenai.ClientOptions
	options.InsecureAllowCredentialWithHTTP = true
	options.Transport = p.httpClient()
	options.Retry = policy.RetryOptions{MaxRetries: int32(p.retries), TryTimeout: p.patience}
	if p.retries == 0 {
		options.Retry.MaxRetries = -1 // 0 would be three
	}
	client, err := newClient(url, azcore.NewKeyCredential(p.to.key), &options)
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

// named asks for a scenario by its name.
type named struct {
	base     http.RoundTripper
	scenario string
}

func (n named) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(scenarioHeader, n.scenario)
	if n.base == nil {
		return http.DefaultTransport.RoundTrip(r)
	}
	return n.base.RoundTrip(r)
}

// String is the outcome in one line: the text, a slash, and the finish or the error.
func (t told) String() string {
	text := t.text
	if len(text) > 100 {
		text = fmt.Sprintf("%d bytes", len(text))
	}
	if text == "" {
		text = "nothing"
	}
	switch {
	case t.err != nil:
		return text + " / error: " + describe(t.err)
	case t.finish == "":
		return text + " / no finish"
	}
	return text + " / " + t.finish
}

// describe names an error with a word common to all clients, or else with its own text.
func describe(err error) string {
	var network interface{ Timeout() bool }
	for _, known := range []struct {
		is   bool
		name string
	}{
		{errors.Is(err, context.Canceled), "cancelled"},
		{errors.Is(err, context.DeadlineExceeded), "time out"},
		{errors.As(err, &network) && network.Timeout(), "time out"},
		{errors.Is(err, syscall.ECONNRESET), "reset"},
		{errors.Is(err, syscall.ECONNREFUSED), "refused"},
		{errors.Is(err, io.ErrUnexpectedEOF), "broken off"},
		{errors.Is(err, io.EOF), "broken off"},
		{errors.Is(err, bufio.ErrTooLong), "too long"},
		{isJSON(err), "bad JSON"},
	} {
		if known.is {
			return known.name
		}
	}
	return describeAPI(err)
}

func isJSON(err error) bool {
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	return errors.As(err, &syntax) || errors.As(err, &kind) || strings.Contains(err.Error(), "unexpected end of JSON input") ||
		strings.HasPrefix(err.Error(), "unmarshalling type")
}

// describeAPI describes an error of the API: its HTTP status, or that it came in the stream.
func describeAPI(err error) string {
	var official *openai.Error
	var inStream *ssestream.StreamError
	var community *goopenai.APIError
	var request *goopenai.RequestError
	var azure *azcore.ResponseError
	switch {
	case errors.As(err, &official):
		return fmt.Sprint("status ", official.StatusCode)
	case errors.As(err, &inStream):
		return "error in the stream"
	case errors.As(err, &community) && community.HTTPStatusCode != 0:
		return fmt.Sprint("status ", community.HTTPStatusCode)
	case errors.As(err, &community):
		return "error in the stream"
	case errors.As(err, &request):
		return fmt.Sprint("status ", request.HTTPStatusCode)
	case errors.As(err, &azure):
		return fmt.Sprint("status ", azure.StatusCode)
	}
	return err.Error()
}

// elapsed is the duration of f; inside a bubble of testing/synctest, in virtual time.
func elapsed(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}

// errRefusedChunk is reported when the accumulator of openai-go rejects a chunk.
var errRefusedChunk = errors.New("the accumulator refused a chunk")

type members = map[string]json.RawMessage

func text(v any) string {
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err.Error()
	}
	return strings.TrimSuffix(out.String(), "\n")
}

func fromJSON(t *testing.T, src []byte, to any) {
	t.Helper()
	if err := json.Unmarshal(src, to); err != nil {
		t.Fatalf("%v in %s", err, src)
	}
}
