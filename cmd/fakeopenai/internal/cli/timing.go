package cli

import (
	"io"
	"slices"
	"time"

	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
)

// The flag --timing of serve and exec has a form as its value, and that of diff a duration.
// They share a variable, in which each ignores what is meant for the other.

// defineTimingForm adds --timing for serve and exec. Without it the form is "".
func defineTimingForm(flags *pflag.FlagSet, form *string) {
	console.DefineShared(flags, form, "timing", "", "print what was sent, and when, at the end: percentiles of times to first token, gaps, lateness and whole answers, in this `form`: text or json (default: not at all)",
		console.Choice(serving.TimingForms...), isTolerance)
	console.Offer(flags, "timing", serving.TimingForms...)
}

func isTolerance(text string) bool {
	_, err := console.Duration(text)
	return err == nil
}

// defineTimingTolerance adds --timing for diff. Without it the tolerance is 0, and no times
// are compared.
func defineTimingTolerance(flags *pflag.FlagSet, tolerance *time.Duration) {
	console.DefineShared(flags, tolerance, "timing", "", "compare when events are sent; `time` is by how much that may differ",
		func(text string) (time.Duration, error) {
			d, err := console.Duration(text)
			return max(d, 1), err
		},
		func(text string) bool { return slices.Contains(serving.TimingForms, text) })
}

// printTimings prints the times of what was measured in the form of --timing.
func printTimings(w io.Writer, measured *serving.Metrics, form string) error {
	if form == "" {
		return nil
	}
	return measured.PrintTimings(w, form)
}
