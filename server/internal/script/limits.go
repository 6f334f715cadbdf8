package script

import (
	"fmt"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// The limits of one answer, and of the pieces of one text. All of its events and texts are in memory while it is made: a
// hundred thousand events take some hundred megabytes.
const (
	maxEvents = 100_000
	// maxTexts is the length in bytes of all texts together: of one that is as long as a text can be, and others.
	maxTexts = scenarios.MaxText + 1<<20
)

// largerPieces says how an answer can have fewer events.
const largerPieces = "cut its texts into larger pieces, as with by: { size: 1000 }, or repeat less often"

// tooManyEvents is the error for an answer with more events than the limit.
func tooManyEvents(events, mend string) error {
	return fmt.Errorf("the answer has %s events, and at most %d are played: %s", events, maxEvents, mend)
}

// moreEvents stands for a number of events that is not known.
var moreEvents = "more than " + strconv.Itoa(maxEvents)

// fits reports whether the answer can have so many more events. If not, it adds a problem.
func (b *Builder) fits(more int) bool {
	total := b.events + more
	switch {
	case total <= maxEvents:
		return true
	case more > maxEvents: // no text is cut into more pieces, so that their number is not known
		b.tooMany(diag.Pos{}, moreEvents, largerPieces)
	case b.repeated.fewer(total+b.others) > 0:
		b.tooMany(b.repeated.pos, strconv.Itoa(total), fmt.Sprintf("write repeat: %d", b.repeated.fewer(total+b.others)))
	default:
		b.tooMany(diag.Pos{}, strconv.Itoa(total), largerPieces)
	}
	return false
}

// repetition is a step that is sent several times, each with so many events.
type repetition struct {
	pos         diag.Pos
	times, each int
}

// fewer is how many times the step can be sent in an answer that has so many events with it; below 1
// if other steps have too many.
func (r *repetition) fewer(total int) int {
	if r.each == 0 {
		return 0
	}
	return r.times - (total-maxEvents+r.each-1)/r.each
}

// fitsRepeated reports whether the answer can have a step, which has just been added, so many
// times, with other steps after it. If not, it adds a problem.
func (b *Builder) fitsRepeated(times, eventsEach, otherSteps int) bool {
	total := b.events + (times-1)*eventsEach
	if times < 2 || total <= maxEvents {
		if times*eventsEach > b.repeated.times*b.repeated.each {
			b.repeated = repetition{b.stepPos, times, eventsEach}
		}
		return true
	}
	most := 1 + (maxEvents-b.events-otherSteps)/eventsEach
	b.tooMany(diag.Pos{}, strconv.Itoa(total), fmt.Sprintf("write repeat: %d", max(1, most)))
	return false
}

func (b *Builder) tooMany(at diag.Pos, events, mend string) {
	if !b.full {
		b.fail(at, tooManyEvents(events, mend))
		b.full = true
	}
}

// Events returns how many events the script sends. A series counts as one.
func (s *Script) Events() int { return s.events }

// IsCutOff reports whether the script lacks what is beyond a limit of the answer. One of its
// problems says so.
func (b *Builder) IsCutOff() bool { return b.full }

// grow counts the bytes of a text and says when all texts together are too long.
func (b *Builder) grow(n int) error {
	err := grow(&b.size, n)
	b.full = b.full || err != nil
	return err
}

func grow(size *int, n int) error {
	if *size += n; *size > maxTexts {
		return fmt.Errorf("the texts of the answer have more than %d bytes together, and no more are played: write shorter ones, or repeat them less often", maxTexts)
	}
	return nil
}
