package fakeopenai

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// RecordOption sets how [Record] records or replays.
type RecordOption func(*recordSettings)

type recordSettings struct {
	timeout time.Duration
	list    recording.Collection
	redact  recording.Redactor
	serving []Option
}

// check finds options that make no sense.
func (o *recordSettings) check() error {
	known := []recording.Matching{"", recording.MatchTurn, recording.MatchLast, recording.MatchExact}
	if !slices.Contains(known, o.list.Matching) {
		return fmt.Errorf("Matching(%q): write one of %q", o.list.Matching, known[1:])
	}
	if slices.Contains(o.redact.Patterns, nil) {
		return errors.New("Redact: a pattern is nil; give a regular expression")
	}
	return nil
}

// Matching sets which requests a recorded scenario matches later. The default is
// [recording.MatchTurn].
func Matching(how recording.Matching) RecordOption {
	return func(o *recordSettings) { o.list.Matching = how }
}

// Redact adds patterns of secrets. Matching text is replaced before it is written, as
// are keys, cookies, ids of organisations and projects, and e-mail addresses.
func Redact(patterns ...*regexp.Regexp) RecordOption {
	return func(o *recordSettings) { o.redact.Patterns = append(o.redact.Patterns, patterns...) }
}

// UpstreamTimeout sets how long the endpoint may be silent, before the header of an
// answer and between two pieces of its body. Then the answer is ended; a stream is
// recorded as one that stalls. 0 is [recording.DefaultTimeout]; negative is no limit.
func UpstreamTimeout(d time.Duration) RecordOption {
	return func(o *recordSettings) { o.timeout = d }
}

// Serving sets options of the server that the code under test talks to, such as
// [Instant], [InMemory] and [WithLogger]. Options that change how scenarios are played
// apply to replayed answers, not to those that are passed on. Options with scenarios
// fail the test: the scenarios are those in the directory.
func Serving(opts ...Option) RecordOption {
	return func(o *recordSettings) { o.serving = append(o.serving, opts...) }
}
