package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// read asks for a stream and fails unless its content is the wanted text.
func read(want string, reader func(io.Reader) (string, error)) error {
	response, err := chat(os.Getenv("OPENAI_BASE_URL"), "gpt-4o")
	if err != nil {
		return err
	}
	defer response.Body.Close()
	got, err := reader(response.Body)
	if err == nil && !strings.HasPrefix(want, got) || got == "" {
		err = fmt.Errorf("got %q, want %q", got, want)
	}
	return err
}

// readChunk has the members of a chunk that the readers use.
type readChunk struct {
	Error   json.RawMessage
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// naive reads lines with a bufio.Scanner and ignores its error.
func naive(body io.Reader) (string, error) {
	text := ""
	lines := bufio.NewScanner(body)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		var c readChunk
		if ok && data != "[DONE]" && json.Unmarshal([]byte(data), &c) == nil {
			text += c.Choices[0].Delta.Content
		}
	}
	return text, nil
}

// careful reads events by the standard, except lines that end in CR alone, and fails
// without a finish_reason.
func careful(body io.Reader) (string, error) {
	text, data, finished := "", "", false
	for lines := bufio.NewReader(body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return text, fmt.Errorf("the answer is not whole: %w", err)
		}
		line = strings.TrimRight(line, "\r\n")
		if value, ok := strings.CutPrefix(line, "data:"); ok {
			data += strings.TrimPrefix(value, " ") + "\n"
		}
		if line != "" || data == "" {
			continue
		}
		if data == "[DONE]\n" && finished {
			return text, nil
		}
		var c readChunk
		if err := json.Unmarshal([]byte(data), &c); err != nil {
			return text, errors.Join(errors.New("an event is no JSON"), err)
		}
		if c.Error != nil {
			return text, fmt.Errorf("the answer failed: %s", c.Error)
		}
		data = ""
		for _, choice := range c.Choices {
			text += choice.Delta.Content
			finished = finished || choice.FinishReason != ""
		}
	}
}
