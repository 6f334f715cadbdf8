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

// read asks for a stream and wants a text of it.
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

// readChunk is what the readers know of a chunk.
type readChunk struct {
	Choices []struct {
		Delta struct {
			Content string `json:"content"`
		} `json:"delta"`
		FinishReason string `json:"finish_reason"`
	} `json:"choices"`
}

// naive reads lines with a Scanner and never asks why they ended.
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

// careful reads events as the standard says, but for CR alone, and wants to see
// the finish.
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
		text, data = text+c.Choices[0].Delta.Content, ""
		finished = finished || c.Choices[0].FinishReason != ""
	}
}
