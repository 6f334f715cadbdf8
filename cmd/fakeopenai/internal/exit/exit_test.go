package exit

import (
	"errors"
	"fmt"
	"testing"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	cause := errors.New("cause")
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing went wrong", nil, OK},
		{"nothing is to be said", With(OK), OK},
		{"a code alone", With(7), 7},
		{"a problem", Problem(cause), Problems},
		{"a problem that another error wraps", fmt.Errorf("more: %w", Problem(cause)), Problems},
		{"a misuse", Misuse("no %w", cause), Usage},
		{"an error of the command-line library", cause, Usage},
	} {
		if got := CodeOf(tt.err); got != tt.want {
			t.Errorf("%s: the code is %d, want %d", tt.name, got, tt.want)
		}
	}
	for _, err := range []error{Problem(cause), Misuse("no %w", cause)} {
		if !errors.Is(err, cause) {
			t.Errorf("%v does not lead to its cause", err)
		}
	}
}
