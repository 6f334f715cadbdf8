package compat

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	goopenai "github.com/sashabaranov/go-openai"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// completionClients are the Go clients that ask for a legacy completion.
var completionClients = map[string]goClient{
	"openai-go":        {false, completeOpenAIGo, faultFromOpenAIGo},
	"openai-go stream": {true, completeOpenAIGoStream, faultFromOpenAIGo},
	"go-openai":        {false, completeGoOpenAI, faultFromGoOpenAI},
	"go-openai stream": {true, completeGoOpenAIStream, faultFromGoOpenAI},
}

// Every client reads from each scenario of completions.yaml the answer in
// completions.json.
func TestCompletions(t *testing.T) {
	t.Parallel()
	tab := readTableFrom(t, "completions.json")
	for name, client := range completionClients {
		for _, c := range tab.Cases {
			if c.Streamed && !client.streams {
				continue
			}
			t.Run(name+"/"+c.Title, func(t *testing.T) {
				t.Parallel()
				fake := fakeopenai.NewServer(t, fakeopenai.File("completions.yaml"), fakeopenai.AllowUnused(), fakeopenai.AllowUnmatched(), fakeopenai.Instant())
				checkClient(t, target{fake.BaseURL, fake.APIKey, fake.Client()}, name, client, c)
			})
		}
	}
}

func TestCompletionTableGivesAReasonForEveryDifference(t *testing.T) {
	t.Parallel()
	for _, c := range readTableFrom(t, "completions.json").Cases {
		for client, own := range c.Unlike {
			if own.Why == "" {
				t.Errorf("%s: no reason is given why %s differs", c.Title, client)
			}
			if _, ok := completionClients[client]; !ok && !slices.Contains(nodeClients, client) {
				t.Errorf("%s: there is no client %q", c.Title, client)
			}
		}
	}
}

func completeOpenAIGo(t *testing.T, to target, c testCase) (answer, error) {
	client, params := newCompletionOpenAIGo(t, to, c, "")
	res, err := client.Completions.New(t.Context(), params)
	if err != nil {
		return answer{}, err
	}
	var a answer
	a.addCompletionOpenAIGo(res)
	return a, nil
}

// completeOpenAIGoStream joins the chunks by index, because openai-go has no
// accumulator for legacy completions.
func completeOpenAIGoStream(t *testing.T, to target, c testCase) (answer, error) {
	client, params := newCompletionOpenAIGo(t, to, c, `{"stream_options":{"include_usage":true}}`)
	stream := client.Completions.NewStreaming(t.Context(), params)
	defer stream.Close()
	var a answer
	for stream.Next() {
		chunk := stream.Current()
		a.addCompletionOpenAIGo(&chunk)
	}
	return a, stream.Err()
}

func newCompletionOpenAIGo(t *testing.T, to target, c testCase, more string) (openai.Client, openai.CompletionNewParams) {
	t.Helper()
	client := openai.NewClient(
		option.WithBaseURL(to.baseURL),
		option.WithAPIKey(to.key),
		option.WithHTTPClient(to.client),
		option.WithHeader(scenarioHeader, c.Fixture),
		option.WithMaxRetries(c.Retries),
	)
	var params openai.CompletionNewParams
	if err := json.Unmarshal(c.body(t, more), &params); err != nil {
		t.Fatal(err)
	}
	return client, params
}

func (a *answer) addCompletionOpenAIGo(res *openai.Completion) {
	a.ID, a.Model = res.ID, res.Model
	if u := res.Usage; u.TotalTokens > 0 {
		a.Usage = &usage{u.PromptTokens, u.CompletionTokens, u.TotalTokens}
	}
	for _, c := range res.Choices {
		a.addCompletion(int(c.Index), c.Text, string(c.FinishReason), c.Logprobs.Tokens, c.Logprobs.TextOffset)
	}
}

// addCompletion adds a chunk of the choice with this index.
func (a *answer) addCompletion(index int, text, finish string, tokens []string, offsets []int64) {
	for len(a.Choices) <= index {
		a.Choices = append(a.Choices, choice{})
	}
	c := &a.Choices[index]
	c.Content += text
	if finish != "" {
		c.Finish = finish
	}
	c.Tokens, c.Offsets = append(c.Tokens, tokens...), append(c.Offsets, offsets...)
}

func completeGoOpenAI(t *testing.T, to target, c testCase) (answer, error) {
	client, req := newCompletionGoOpenAI(t, to, c, "")
	res, err := client.CreateCompletion(t.Context(), req)
	if err != nil {
		return answer{}, err
	}
	var a answer
	a.addCompletionGoOpenAI(res)
	return a, nil
}

func completeGoOpenAIStream(t *testing.T, to target, c testCase) (answer, error) {
	client, req := newCompletionGoOpenAI(t, to, c, `{"stream_options":{"include_usage":true}}`)
	stream, err := client.CreateCompletionStream(t.Context(), req)
	if err != nil {
		return answer{}, err
	}
	defer stream.Close()
	var a answer
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		a.addCompletionGoOpenAI(chunk)
	}
}

func newCompletionGoOpenAI(t *testing.T, to target, c testCase, more string) (*goopenai.Client, goopenai.CompletionRequest) {
	t.Helper()
	config := goopenai.DefaultConfig(to.key)
	config.BaseURL = to.baseURL
	config.HTTPClient = &http.Client{Transport: named{to.client.Transport, c.Fixture}}
	var req goopenai.CompletionRequest
	if err := json.Unmarshal(c.body(t, more), &req); err != nil {
		t.Fatal(err)
	}
	return goopenai.NewClientWithConfig(config), req
}

func (a *answer) addCompletionGoOpenAI(res goopenai.CompletionResponse) {
	a.ID, a.Model = res.ID, res.Model
	if res.Usage != nil {
		a.Usage = usageFromGoOpenAI(res.Usage)
	}
	for _, c := range res.Choices {
		var offsets []int64
		for _, at := range c.LogProbs.TextOffset {
			offsets = append(offsets, int64(at))
		}
		a.addCompletion(c.Index, c.Text, c.FinishReason, c.LogProbs.Tokens, offsets)
	}
}
