package serving

import (
	"strings"
	"testing"
	"time"
)

// A line that an adapter printed too much would be taken for the reply to the next question.
func TestALineThatNobodyAskedForIsNoReply(t *testing.T) {
	t.Parallel()
	a := &adapter{lines: make(chan []byte, 1)}
	a.lines <- []byte("{}\n")
	if _, err := a.ask(t.Context(), Question{}, time.Minute); err == nil || !strings.Contains(err.Error(), "before it was asked") {
		t.Errorf("the error is %v", err)
	}
}
