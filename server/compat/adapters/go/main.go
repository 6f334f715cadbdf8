// The adapters of clients in Go for fakeopenai conform; the argument is the name of the client.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// question is a line of conform.
type question struct {
	Surface string
	BaseURL string `json:"base_url"`
	APIKey  string `json:"api_key"`
	Request json.RawMessage
}

// outcome is what a client came to. All but Error and Skip is of the first choice.
type outcome struct {
	Text    string `json:"text,omitempty"`
	Refusal string `json:"refusal,omitempty"`
	Calls   []call `json:"calls,omitempty"`
	Finish  string `json:"finish,omitempty"`
	Usage   *usage `json:"usage,omitempty"`
	Error   string `json:"error,omitempty"`
	Skip    string `json:"skip,omitempty"`
}

type call struct {
	ID        string `json:"id"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type usage struct {
	Prompt     int64 `json:"prompt_tokens"`
	Completion int64 `json:"completion_tokens"`
	Total      int64 `json:"total_tokens"`
}

// asks are the ways to ask with a client, by the names of the APIs.
type asks map[string]func(question) (outcome, error)

var clients = map[string]asks{
	"openai-go":            {"chat": streamOpenAIGo, "responses": streamResponses, "completions": streamLegacyOpenAIGo},
	"openai-go-unstreamed": {"chat": askOpenAIGo, "responses": askResponses, "completions": askLegacyOpenAIGo},
	"go-openai":            {"chat": streamGoOpenAI, "completions": streamLegacyGoOpenAI},
	"azopenai":             {"chat": streamAzopenai},
	"langchaingo":          {"chat": askLangchaingo},
	"genkit":               {"chat": askGenkit},
	"any-llm-go":           {"chat": streamAnyLLM},
}

func main() {
	name := strings.Join(os.Args[1:], " ")
	client := clients[name]
	if client == nil {
		fmt.Fprintf(os.Stderr, "there is no client %q; there are %s\n", name, strings.Join(slices.Sorted(maps.Keys(clients)), ", "))
		os.Exit(2)
	}
	questions := bufio.NewScanner(os.Stdin)
	questions.Buffer(nil, 1<<20)
	for questions.Scan() {
		if err := json.NewEncoder(os.Stdout).Encode(client.answer(questions.Bytes())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func (client asks) answer(line []byte) outcome {
	var q question
	if err := json.Unmarshal(line, &q); err != nil {
		return outcome{Error: "the question is no JSON: " + err.Error()}
	}
	ask := client[q.Surface]
	if ask == nil {
		return outcome{Skip: "the client does not speak " + q.Surface}
	}
	came, err := ask(q)
	if err != nil {
		return outcome{Error: err.Error()}
	}
	return came
}

// request reads the request of the question as the type that a client has for it.
func request[T any](q question) (params T, err error) {
	err = json.Unmarshal(q.Request, &params)
	return params, err
}

// ended is the finish in the words of chat completions of a response with a status.
func ended(status, reason string, calls []call) string {
	switch {
	case status == "incomplete" && reason == "max_output_tokens":
		return "length"
	case status == "incomplete":
		return reason
	case status == "completed" && len(calls) > 0:
		return "tool_calls"
	case status == "completed":
		return "stop"
	}
	return ""
}
