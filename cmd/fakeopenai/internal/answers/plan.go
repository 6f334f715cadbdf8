package answers

import (
	"context"
	"errors"
	"log/slog"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Plan returns what a server would answer to the request, and when, without playing it.
// A refused request is an error with [console.ExitProblems].
func Plan(ctx context.Context, config server.Config, r Request) (server.Plan, error) {
	problem := "the request is refused"
	config.Logger = slog.New(slog.DiscardHandler)
	config.Observe = func(e journal.Entry) { problem = e.Problem }
	fake, err := server.New(config)
	if err != nil {
		return server.Plan{}, err
	}
	defer fake.Close()
	answer, err := plan(ctx, fake, r)
	if err == nil && answer.Frames == nil && answer.Header == nil && answer.End == "" {
		err = console.Problem(errors.New(problem))
	}
	return answer, err
}
