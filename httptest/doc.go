// Package fakeopenai runs a fake OpenAI streaming server inside a Go test. The
// server sends exactly the chunks, bytes and pauses that a scenario prescribes. The
// test can then look at the requests, and at how far the client read each answer.
//
// A complete test:
//
//	func TestGreeting(t *testing.T) {
//		fake := fakeopenai.NewServer(t, fakeopenai.Fixture("plain-text"))
//		got, err := app.Ask(t.Context(), fake.BaseURL, fake.APIKey, "Hi!")
//		if err != nil || got != "Hello! How can I help you today?" {
//			t.Errorf("Ask = %q, %v", got, err)
//		}
//	}
//
// The folder is named httptest and the package fakeopenai, so the import needs a
// name:
//
//	import fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
//
// # What it plays
//
// Scenarios come from YAML ([YAML], [File], [FS]), from the bundled scenarios
// ([Fixture]) and from Go values ([Scenario]). [Script] takes the steps of one
// answer, so that a short stream stands right above the assertion about it:
//
//	fake := fakeopenai.NewServer(t, fakeopenai.Script(
//		step.Role("assistant"),
//		step.Content("Par"),
//		step.Heartbeat(),
//		step.Content("is."),
//		step.Finish("stop"),
//	))
//
// These options can be combined. For each request the server tries the scenarios
// with conditions first, in order, then the scripts, then the scenarios without
// conditions, in order. Without any of these options it plays all the bundled
// scenarios, as the command does.
//
// # What it checks
//
// A request that no scenario answers fails the test at once. The message names the
// nearest scenario and its conditions that failed; the client gets the same text in
// a 404. A reply that the API of the request cannot express, such as a tool call on
// /v1/completions, fails the test with a 400. [AllowUnmatched] permits both.
//
// The test fails at its end if a script was not played, if a reply was given less
// often than its times, or if a scenario of [YAML] or [Scenario], or one of its replies
// with a condition, was never used. [AllowUnused] permits that.
//
// A reply that cannot be made for its request, for example because its template needs
// a value that the request does not have, always fails the test; the client gets a 500.
//
// The test itself checks the rest: [Server.Requests] returns the requests,
// [Server.Transcript] the bytes that were sent, and [Server.AwaitEnd] also how the
// answer ended. When a test fails, its log lists the requests with the first and last
// lines of their answers; with go test -artifacts each request and the bytes of its
// answer are kept in the directory of [testing.TB.ArtifactDir].
//
// # Order without sleeping
//
// A stream stops at a hold step until the test calls [Server.Release]. [Server.Await]
// waits until a stream has reached the hold, so the test knows which part of the
// answer the client has been sent:
//
//	fake.Await("mid-answer") // the first words are on the wire
//	stop()                   // what the user's stop button does
//
// With [InMemory] a server works inside a bubble of testing/synctest, where a
// stream of half an hour takes a few milliseconds.
//
// # Sweeping
//
// [Sweep] runs a test as a subtest for each way of writing the same answer: with lines that
// end in CR LF, a byte at a time, compressed. The subtest that fails names the way
// that the client cannot read. With [Truncated] the answer also ends too early, once
// at each possible place, and the client must notice each time.
//
// # Recordings
//
// [Record] replays the recorded answers of a real endpoint. With the environment
// variable FAKEOPENAI_RECORD set to 1 it asks the endpoint and records them.
//
// # Outages
//
// [Server.Down] refuses connections until [Server.Up]. A scenario can break off a
// stream; with [WithHTTP2] that is an RST_STREAM instead of a closed connection.
//
// # Looking at a running test
//
// With the environment variable FAKEOPENAI_HOLD set to an address, such as
// 127.0.0.1:8080, NewServer serves at that address, prints it, and does not return.
// The answers of the test can then be requested with curl:
//
//	FAKEOPENAI_HOLD=127.0.0.1:8080 go test -run TestGreeting
package fakeopenai
