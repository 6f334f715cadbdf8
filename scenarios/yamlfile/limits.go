package yamlfile

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

func limitsSection() *section[scenarios.Limits] {
	const most = 1_000_000_000
	s := &section[scenarios.Limits]{
		name:     "limits",
		about:    "How much each API key can have, in a window that slides.",
		position: func(l *scenarios.Limits) *diag.Pos { return &l.Pos },
		check:    checkLimits,
		lone:     []string{"rpm"},
	}
	s.fields = []field[scenarios.Limits]{
		key("rpm", "How many requests are answered in a window.",
			intCodec("a number of requests", 1, most), func(l *scenarios.Limits) *int { return &l.RPM }),
		key("tpm", "How many tokens are spent in a window: those of the prompts and of the answers.",
			intCodec("a number of tokens", 1, most), func(l *scenarios.Limits) *int { return &l.TPM }),
		key("concurrent", "How many answers are open at the same time.",
			intCodec("a number of answers", 1, most), func(l *scenarios.Limits) *int { return &l.Concurrent }),
		key("window", "How long the minute of rpm and tpm is. Default: 1m.",
			durationCodec(), func(l *scenarios.Limits) *time.Duration { return &l.Window }),
	}
	return s
}

// checkLimits reports limits that limit nothing.
func checkLimits(d *decoder, m members, l *scenarios.Limits) bool {
	window := m.key("window")
	switch {
	case window != nil && m.complete && l.Window == 0:
		d.Report(window, "write window: 1s, or leave it out for a minute", "in a window of no length nothing can be counted")
	case window != nil && m.key("rpm") == nil && m.key("tpm") == nil:
		d.Report(window, "write rpm or tpm beside it, such as { rpm: 3, window: 2s }", "nothing is counted in the window")
	case window == nil && m.complete && l.IsZero():
		d.Report(m.node, "write limits: { rpm: 3 }, or leave limits out", "the limits limit nothing")
	default:
		return true
	}
	return false
}
