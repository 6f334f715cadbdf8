package fakeopenai_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"testing"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// exampleTB takes the place of t, which an example does not have.
type exampleTB struct {
	testing.TB // nil: only the methods below are called
	cleanups   []func()
}

func newExampleTB() *exampleTB { return new(exampleTB) }

func (t *exampleTB) Helper()                           {}
func (t *exampleTB) Name() string                      { return "TestWeather" }
func (t *exampleTB) Logf(string, ...any)               {}
func (t *exampleTB) Failed() bool                      { return false }
func (t *exampleTB) Skipped() bool                     { return false }
func (t *exampleTB) Output() io.Writer                 { return io.Discard }
func (t *exampleTB) Cleanup(f func())                  { t.cleanups = append(t.cleanups, f) }
func (t *exampleTB) Errorf(format string, args ...any) { fmt.Printf(format+"\n", args...) }
func (t *exampleTB) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

func (t *exampleTB) Setenv(key, value string) {
	old, had := os.LookupEnv(key)
	os.Setenv(key, value)
	t.Cleanup(func() {
		os.Setenv(key, old)
		if !had {
			os.Unsetenv(key)
		}
	})
}

// end runs the cleanups, as the testing package does at the end of a test.
func (t *exampleTB) end() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}

// answer is the program under test of the examples. It sends a question to a model, and
// returns the text of the streamed answer, or the error.
func answer(fake *fakeopenai.Server, question string) string {
	return answerOf(fake, "gpt-4o", question)
}

func answerOf(fake *fakeopenai.Server, model, question string) string {
	text, err := stream(context.Background(), fake, model, question)
	if err != nil {
		return err.Error()
	}
	return text
}

func ask(client *http.Client, baseURL, key, question string) string {
	text, err := streamFrom(context.Background(), client, baseURL, key, "gpt-4o", question)
	if err != nil {
		return err.Error()
	}
	return text
}

func stream(ctx context.Context, fake *fakeopenai.Server, model, question string) (string, error) {
	return streamFrom(ctx, fake.Client(), fake.BaseURL, fake.APIKey, model, question)
}

// streamFrom is an OpenAI client in a few lines. Real tests use the client of their program.
func streamFrom(ctx context.Context, client *http.Client, baseURL, key, model, question string) (string, error) {
	body := fmt.Sprintf(`{"model":%q,"stream":true,"messages":[{"role":"user","content":%q}]}`, model, question)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, baseURL+"/chat/completions", strings.NewReader(body))
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
		return "", fmt.Errorf("%s", resp.Status)
	}
	return readText(resp.Body)
}

// readText joins the text of a stream.
func readText(r io.Reader) (string, error) {
	var text strings.Builder
	for lines := bufio.NewScanner(r); ; {
		if !lines.Scan() {
			return text.String(), lines.Err()
		}
		data, isData := strings.CutPrefix(lines.Text(), "data: ")
		if !isData || data == "[DONE]" {
			continue
		}
		var chunk struct {
			Choices []struct{ Delta struct{ Content string } }
		}
		if err := json.Unmarshal([]byte(data), &chunk); err != nil {
			return text.String(), err
		}
		for _, choice := range chunk.Choices {
			text.WriteString(choice.Delta.Content)
		}
	}
}
