package console

import (
	"errors"
	"fmt"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing went wrong", nil, ExitOK},
		{"nothing is to be said", ExitWith(ExitOK), ExitOK},
		{"a code alone", ExitWith(7), 7},
		{"a problem", Problem(cause), ExitProblems},
		{"a problem that another error wraps", fmt.Errorf("more: %w", Problem(cause)), ExitProblems},
		{"a misuse", Misuse("no %w", cause), ExitUsage},
		{"an error of the command-line library", cause, ExitUsage},
	} {
		if got := ExitCode(tt.err); got != tt.want {
			t.Errorf("%s: the code is %d, want %d", tt.name, got, tt.want)
		}
	}
	for _, err := range []error{Problem(cause), Misuse("no %w", cause)} {
		if !errors.Is(err, cause) {
			t.Errorf("%v does not lead to its cause", err)
		}
	}
}
