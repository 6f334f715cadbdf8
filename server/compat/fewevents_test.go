package compat

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3/responses"
)

// readFewEvents reads a stream of Responses as command-line agents do: without an SDK, from
// the data lines alone. It looks only at response.output_item.done and at the last event,
// after which it stops reading. After a 429 or a 5xx it retries as often as q.Retries says.
func readFewEvents(t *testing.T, url string, q inquiry) reading {
	t.Helper()
	var got reading
	for got.Requests <= q.Retries {
		got.Requests++
		res := postResponses(t, url, q)
		defer res.Body.Close()
		if res.StatusCode == http.StatusOK {
			takeFewEvents(t, res.Body, &got)
			return got
		}
		got.Error = refusalOf(t, res)
		if res.StatusCode < 500 && res.StatusCode != http.StatusTooManyRequests {
			return got
		}
	}
	return got
}

func postResponses(t *testing.T, url string, q inquiry) *http.Response {
	t.Helper()
	body := members{}
	laidOver(t, askedResponses, members{"stream": []byte("true")}, &body)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/v1/responses", strings.NewReader(text(body)))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+q.Key)
	req.Header.Set(scenarioHeader, q.Scenario)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func refusalOf(t *testing.T, res *http.Response) string {
	t.Helper()
	src, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	var body struct{ Error struct{ Message string } }
	fromJSON(t, src, &body)
	return fmt.Sprint(res.StatusCode, " ", body.Error.Message)
}

// takeFewEvents reads the items and their text from response.output_item.done, and the rest
// from the last event.
func takeFewEvents(t *testing.T, body io.Reader, got *reading) {
	t.Helper()
	got.Error = "the stream ended too early"
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data:")
		if !ok {
			continue
		}
		var event responses.ResponseStreamEventUnion
		fromJSON(t, []byte(data), &event)
		switch event.Type {
		case "response.output_item.done":
			takeItem(got, &event.Item)
			for _, part := range event.Item.Content {
				got.Text += part.Text
			}
		case "response.completed", "response.incomplete":
			event.Response.Output = nil
			takeResponse(got, &event.Response)
			got.Error = ""
			return
		}
	}
}
