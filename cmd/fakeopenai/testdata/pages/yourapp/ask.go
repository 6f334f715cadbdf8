// Package yourapp stands in for the program whose tests the pages show.
package yourapp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Ask is the text of the streamed answer to a prompt.
func Ask(ctx context.Context, baseURL, key, prompt string) (string, error) {
	return AskThrough(ctx, http.DefaultClient, baseURL, key, prompt)
}

// AskThrough is Ask by way of a client.
func AskThrough(ctx context.Context, client *http.Client, baseURL, key, prompt string) (string, error) {
	body, err := json.Marshal(map[string]any{
		"model": "gpt-4o", "stream": true,
		"messages": []map[string]string{{"role": "user", "content": prompt}},
	})
	if err != nil {
		return "", err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, baseURL+"/chat/completions", strings.NewReader(string(body)))
	if err != nil {
		return "", err
	}
	req.Header.Set("Authorization", "Bearer "+key)
	resp, err := client.Do(req)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return "", refusal{resp.Status, resp.Header.Get("Retry-After")}
	}
	return read(resp.Body)
}

// AskPatiently is AskThrough with retries: as long as errors have a Retry-After header.
func AskPatiently(ctx context.Context, client *http.Client, baseURL, key, prompt string) (string, error) {
	for {
		text, err := AskThrough(ctx, client, baseURL, key, prompt)
		var r refusal
		if !errors.As(err, &r) {
			return text, err
		}
		pause, wrong := strconv.Atoi(r.retryAfter)
		if wrong != nil {
			return text, err
		}
		time.Sleep(time.Duration(pause) * time.Second)
	}
}

// A refusal is an answer with an error status.
type refusal struct{ status, retryAfter string }

func (r refusal) Error() string { return r.status }

// read takes the text out of a stream, event by event.
func read(body io.Reader) (string, error) {
	text, data, lines := "", "", bufio.NewReader(body)
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return text, errors.Join(errors.New("the stream ended early"), err)
		}
		line = strings.TrimRight(line, "\r\n")
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			data += value + "\n"
		}
		switch {
		case line != "" || data == "":
			continue
		case strings.TrimSpace(data) == "[DONE]":
			return text, nil
		}
		var chunk struct {
			Error   json.RawMessage
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return text, err
		}
		if chunk.Error != nil {
			return text, fmt.Errorf("the stream failed: %s", chunk.Error)
		}
		for _, c := range chunk.Choices {
			text += c.Delta.Content
		}
		data = ""
	}
}
