package fakeopenai_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing/fstest"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
)

// In a test, pass its t to NewServer. Examples have none.
func ExampleNewServer() {
	t := newExampleTB()
	defer t.end()

	fake := fakeopenai.NewServer(t, fakeopenai.Fixture("plain-text"))

	fmt.Println(answer(fake, "Hi!"))
	fmt.Println(fake.Requests()[0].Messages[0].Text)
	// Output:
	// Hello! How can I help you today?
	// Hi!
}

// The first run sends its request to the endpoint, which is another server here. The second
// run answers it from the recording.
func ExampleRecord() {
	endpoint := newExampleTB()
	api := fakeopenai.NewServer(endpoint, fakeopenai.Fixture("plain-text"))
	dir, err := os.MkdirTemp("", "recordings-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	test := func(mode string) {
		t := newExampleTB()
		defer t.end()
		t.Setenv("FAKEOPENAI_RECORD", mode)
		recorded := fakeopenai.Record(t, api.URL, dir)
		fmt.Println(recorded.Mode, ask(recorded.Client(), recorded.BaseURL, recorded.APIKey, "Hi!"))
	}

	test("1")
	endpoint.end()
	test("")
	// Output:
	// record Hello! How can I help you today?
	// replay Hello! How can I help you today?
}

func ExampleYAML() {
	t := newExampleTB()
	defer t.end()

	fake := fakeopenai.NewServer(t, fakeopenai.YAML(`
		name: weather
		when: { user: { matches: 'weather in (?P<city>\w+)' } }
		message: { content: 'It is 18 °C in {{ .match.city }}.' }
	`))

	fmt.Println(answer(fake, "What is the weather in Paris?"))
	// Output: It is 18 °C in Paris.
}

func ExampleFile() {
	t := newExampleTB()
	defer t.end()

	fake := fakeopenai.NewServer(t, fakeopenai.File("testdata/rate_limited_once.yaml"))

	fmt.Println(answer(fake, "Hi!"))
	fmt.Println(answer(fake, "Hi!"))
	// Output:
	// 429 Too Many Requests
	// ok
}

func ExampleFS() {
	t := newExampleTB()
	defer t.end()
	files := fstest.MapFS{ // tests usually have an embed.FS or os.DirFS
		"replies/yes.yaml": {Data: []byte("name: yes-sayer\nmessage: { content: 'Yes.' }\n")},
	}

	fake := fakeopenai.NewServer(t, fakeopenai.FS(files, "replies/*.yaml"))

	fmt.Println(answer(fake, "Is it?"))
	// Output: Yes.
}

func ExampleFixture() {
	t := newExampleTB()
	defer t.end()

	fake := fakeopenai.NewServer(t, fakeopenai.Fixture("flaky"))

	for range 3 {
		fmt.Println(answer(fake, "Hi!"))
	}
	// Output:
	// 503 Service Unavailable
	// 429 Too Many Requests
	// Third time lucky.
}

func ExampleScenario() {
	t := newExampleTB()
	defer t.end()
	steps := []scenarios.Step{
		step.Role("assistant"),
		step.Content("Yes."),
		step.Finish("stop"),
	}

	fake := fakeopenai.NewServer(t, fakeopenai.Scenario(scenarios.Scenario{
		Name:    "yes-sayer",
		When:    scenarios.When{Model: []string{"gpt-5*"}},
		Replies: []scenarios.Reply{{Stream: &steps, Times: 1}},
	}))

	fmt.Println(answerOf(fake, "gpt-5-mini", "Is it?"))
	// Output: Yes.
}

// Each Script answers one request, with exactly the steps that it lists.
func ExampleScript() {
	t := newExampleTB()
	defer t.end()

	fake := fakeopenai.NewServer(t,
		fakeopenai.Script(
			step.Role("assistant"),
			step.Content("Par"),
			step.Heartbeat(),
			step.Content("is."),
			step.Finish("stop"),
		),
		fakeopenai.Script(step.Content("Rome.")),
	)

	fmt.Println(answer(fake, "Capital of France?"))
	fmt.Println(answer(fake, "And of Italy?"))
	// Output:
	// Paris.
	// Rome.
}

// The test presses a stop button in the middle of an answer, without a sleep.
func ExampleServer_Await() {
	t := newExampleTB()
	defer t.end()
	fake := fakeopenai.NewServer(t, fakeopenai.Script(
		step.Content("Once upon"),
		step.Hold("mid-answer"),
		step.Content(" a time"),
	))
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() {
		_, err := stream(ctx, fake, "gpt-4o", "Tell me a story")
		done <- err
	}()

	fake.Await("mid-answer") // the first words are on the wire
	stop()

	fmt.Println(errors.Is(<-done, context.Canceled))
	fmt.Println(fake.AwaitEnd(0).Delivery.Ended)
	// Output:
	// true
	// client_left
}

func ExampleServer_Release() {
	t := newExampleTB()
	defer t.end()
	fake := fakeopenai.NewServer(t, fakeopenai.Script(
		step.Content("Once upon"),
		step.Hold("mid-answer"),
		step.Content(" a time"),
	))
	done := make(chan string)
	go func() { done <- answer(fake, "Tell me a story") }()

	fake.Await("mid-answer")
	fmt.Println("the stream waits")
	fake.Release("mid-answer")

	fmt.Println(<-done)
	// Output:
	// the stream waits
	// Once upon a time
}

func ExampleServer_Setenv() {
	t := newExampleTB()
	defer t.end()
	fake := fakeopenai.NewServer(t, fakeopenai.Fixture("plain-text"))

	fake.Setenv() // programs that read the environment now find the server

	fmt.Println(os.Getenv("OPENAI_BASE_URL") == fake.BaseURL)
	fmt.Println(os.Getenv("OPENAI_API_KEY") == fake.APIKey)
	// Output:
	// true
	// true
}

// A test can compare the exact bytes that the server sent.
func ExampleServer_Transcript() {
	t := newExampleTB()
	defer t.end()
	fake := fakeopenai.NewServer(t, fakeopenai.Script(
		step.Comment("keep-alive"),
		step.Raw("data: {\"half\":\n\n"),
	))
	_, _ = stream(context.Background(), fake, "gpt-4o", "Hi!")

	fmt.Printf("%s", fake.Transcript(0))
	// Output:
	// : keep-alive
	//
	// data: {"half":
	//
	// data: [DONE]
}

// A server in memory has no socket, and only its own client reaches it. Inside synctest.Test
// the stream takes no real time.
func ExampleInMemory() {
	t := newExampleTB()
	defer t.end()

	fake := fakeopenai.NewServer(t, fakeopenai.InMemory(), fakeopenai.Fixture("plain-text"))

	fmt.Println(fake.BaseURL)
	fmt.Println(answer(fake, "Hi!"))
	// Output:
	// http://use-fake-client.invalid/v1
	// Hello! How can I help you today?
}
