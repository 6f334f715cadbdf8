package fakeopenai

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/server/recording"
)

// RecordOption says how [Record] records, or serves.
type RecordOption func(*recordSettings)

type recordSettings struct {
	matching recording.Matching
	writing  recording.Writing
	patterns []*regexp.Regexp
	serving  []Option
	timeout  time.Duration
}

// check finds options that cannot be meant.
func (o *recordSettings) check() error {
	known := []recording.Matching{"", recording.MatchTurn, recording.MatchLast, recording.MatchExact}
	if !slices.Contains(known, o.matching) {
		return fmt.Errorf("Matching(%q): write one of %q", o.matching, known[1:])
	}
	if slices.Contains(o.patterns, nil) {
		return errors.New("Redact: a pattern is nil; give a regular expression")
	}
	return nil
}

// Matching says how narrow the conditions of recordings are. The default is
// [recording.MatchTurn].
func Matching(how recording.Matching) RecordOption {
	return func(o *recordSettings) { o.matching = how }
}

// Writing says how answers are written where there is a choice, such as
// [recording.Writing.AsMessage].
func Writing(how recording.Writing) RecordOption {
	return func(o *recordSettings) { o.writing = how }
}

// Redact adds patterns of secrets that must not be written, beside keys, cookies,
// ids of organisations and projects, and e-mail addresses.
func Redact(patterns ...*regexp.Regexp) RecordOption {
	return func(o *recordSettings) { o.patterns = append(o.patterns, patterns...) }
}

// UpstreamTimeout is how long the endpoint may be silent, before its header and between
// two pieces of a body, before an answer ends; a stream is then recorded as one that
// stalls. The default is [recording.DefaultTimeout]; a negative one is without limit.
func UpstreamTimeout(d time.Duration) RecordOption {
	return func(o *recordSettings) { o.timeout = d }
}

// Serving are options of the server that the code under test talks to, such as
// [Instant], [InMemory] and [WithLogger]. Those that say how a scenario is played hold
// for recordings, not for what is passed on. Options that bring scenarios fail the
// test: they are those of the directory.
func Serving(opts ...Option) RecordOption {
	return func(o *recordSettings) { o.serving = append(o.serving, opts...) }
}
