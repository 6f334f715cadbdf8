package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/openai/openai-go/v3/responses"
)

// readFewEvents reads a stream of Responses as command-line agents do: without an SDK, from the data
// lines alone. It looks only at response.output_item.done and at the last event, after which it stops.
func readFewEvents(q question) (came outcome, err error) {
	req, err := http.NewRequest(http.MethodPost, q.BaseURL+"/responses", bytes.NewReader(q.Request)) //nolint:noctx // conform ends the adapter
	if err != nil {
		return came, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+q.APIKey)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return came, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return came, fmt.Errorf("status %d", res.StatusCode)
	}
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 2<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		var event responses.ResponseStreamEventUnion
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return came, err
		}
		switch event.Type {
		case "response.output_item.done":
			came.addItem(&event.Item)
		case "response.completed", "response.incomplete":
			came.Finish = ended(string(event.Response.Status), event.Response.IncompleteDetails.Reason, came.Calls)
			return came, nil
		case "response.failed":
			return came, errors.New(event.Response.Error.Message)
		}
	}
	return came, errors.Join(lines.Err(), errors.New("the stream ended too early"))
}
