package compat

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// responseCase is a row of responses.json.
type responseCase struct {
	Fixture  string          `json:"fixture"`
	Title    string          `json:"title"`    // tells several cases of one fixture apart
	Request  members         `json:"request"`  // members in place of or beside the common ones
	Retries  int             `json:"retries"`  // how often a client may try again
	Streamed bool            `json:"streamed"` // the case is only for streams
	Answer   *responseAnswer `json:"answer"`
	Fault    *fault          `json:"fault"` // the failure, in place of Answer
	Unlike   map[string]struct {
		Why    string          `json:"why"`
		Answer *responseAnswer `json:"answer"`
	} `json:"unlike"`
}

// responseAnswer is what a client read: the status and its reason, a description of each
// item, the number of input and output tokens, and the text of the deltas.
type responseAnswer struct {
	Status string   `json:"status"`
	Items  []string `json:"items"`
	Usage  []int64  `json:"usage"`
	Text   string   `json:"text"`
}

func readResponses(t *testing.T) []responseCase {
	t.Helper()
	src, err := os.ReadFile("responses.json")
	if err != nil {
		t.Fatal(err)
	}
	var tab struct {
		Request members
		Cases   []responseCase
	}
	if err := json.Unmarshal(src, &tab); err != nil {
		t.Fatal(err)
	}
	for i := range tab.Cases {
		c := &tab.Cases[i]
		if c.Title == "" {
			c.Title = c.Fixture
		}
		body := maps.Clone(tab.Request)
		maps.Copy(body, c.Request)
		c.Request = body
	}
	return tab.Cases
}

// openai-go reads from each scenario of responses.yaml the answer in responses.json.
func TestResponses(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(*testing.T, *fakeopenai.Server, *responseCase) (responseAnswer, error){
		"openai-go": respondOpenAIGo, "openai-go stream": respondOpenAIGoStream,
	} {
		for _, c := range readResponses(t) {
			if c.Streamed && name == "openai-go" {
				continue
			}
			t.Run(name+"/"+c.Title, func(t *testing.T) {
				t.Parallel()
				fake := fakeopenai.NewServer(t, fakeopenai.File("responses.yaml"), fakeopenai.AllowUnused(), fakeopenai.AllowUnmatched(), fakeopenai.Instant())
				got, err := ask(t, fake, &c)
				checkResponse(t, &c, got, err)
			})
		}
	}
}

func checkResponse(t *testing.T, c *responseCase, got responseAnswer, err error) {
	t.Helper()
	if c.Fault == nil {
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, *c.Answer) {
			t.Errorf("got %+v, want %+v", got, *c.Answer)
		}
		return
	}
	if err == nil {
		t.Fatalf("no error, but %+v", got)
	}
	message := err.Error()
	failed, isAPI := errors.AsType[*openai.Error](err)
	if isAPI {
		message = failed.Message
	}
	if c.Fault.Status != 0 && (!isAPI || failed.StatusCode != c.Fault.Status) {
		t.Errorf("the error is %v, want one with status %d", err, c.Fault.Status)
	}
	if !strings.Contains(message, c.Fault.Message) || got.Text != c.Fault.Text {
		t.Errorf("got %q after %q, want %q after %q", err, got.Text, c.Fault.Message, c.Fault.Text)
	}
}

func newResponder(t *testing.T, fake *fakeopenai.Server, fixture string, retries int) openai.Client {
	t.Helper()
	return openai.NewClient(
		option.WithBaseURL(fake.BaseURL),
		option.WithAPIKey(fake.APIKey),
		option.WithHTTPClient(fake.Client()),
		option.WithHeader(scenarioHeader, fixture),
		option.WithMaxRetries(retries),
	)
}

func responseParams(t *testing.T, request members) responses.ResponseNewParams {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	var params responses.ResponseNewParams
	if err := json.Unmarshal(body, &params); err != nil {
		t.Fatal(err)
	}
	return params
}

func respondOpenAIGo(t *testing.T, fake *fakeopenai.Server, c *responseCase) (responseAnswer, error) {
	client := newResponder(t, fake, c.Fixture, c.Retries)
	res, err := client.Responses.New(t.Context(), responseParams(t, c.Request))
	if err != nil {
		return responseAnswer{}, err
	}
	a := answerOf(res)
	a.Text = res.OutputText()
	return a, nil
}

// respondOpenAIGoStream streams, and takes the answer from the last event.
func respondOpenAIGoStream(t *testing.T, fake *fakeopenai.Server, c *responseCase) (responseAnswer, error) {
	client := newResponder(t, fake, c.Fixture, c.Retries)
	stream := client.Responses.NewStreaming(t.Context(), responseParams(t, c.Request))
	defer stream.Close()
	a := responseAnswer{Items: []string{}}
	text := ""
	for n := int64(0); stream.Next(); n++ {
		e := stream.Current()
		if e.SequenceNumber != n {
			t.Errorf("%s has the number %d, want %d", e.Type, e.SequenceNumber, n)
		}
		switch e.Type {
		case "response.output_text.delta":
			text += e.Delta
		case "response.completed", "response.incomplete", "response.failed":
			a = answerOf(&e.Response)
		}
	}
	a.Text = text
	return a, stream.Err()
}

func answerOf(res *responses.Response) responseAnswer {
	a := responseAnswer{Status: strings.TrimSpace(string(res.Status) + " " + res.IncompleteDetails.Reason), Items: []string{}}
	if u := res.Usage; u.TotalTokens > 0 {
		a.Usage = []int64{u.InputTokens, u.OutputTokens}
	}
	for _, item := range res.Output {
		words := []string{item.Type}
		switch item.Type {
		case "function_call":
			call := item.AsFunctionCall()
			words = append(words, call.CallID, call.Name, call.Arguments)
		case "custom_tool_call":
			call := item.AsCustomToolCall()
			words = append(words, call.CallID, call.Name, call.Input)
		case "reasoning":
			for _, part := range item.Summary {
				words = append(words, part.Text)
			}
		}
		for _, part := range item.Content {
			if part.Type == "refusal" {
				words = append(words, part.Type, part.Refusal)
				continue
			}
			words = append(words, part.Text)
		}
		a.Items = append(a.Items, strings.Join(words, " "))
	}
	return a
}

func TestResponseTableGivesAReasonForEveryDifference(t *testing.T) {
	t.Parallel()
	for _, c := range readResponses(t) {
		for client, own := range c.Unlike {
			if own.Why == "" || !slices.Contains(nodeClients, client) {
				t.Errorf("%s: there is no client %q, or no reason why it differs", c.Title, client)
			}
		}
	}
}
