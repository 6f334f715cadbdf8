package yamlfile

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func limitsSection() *table.Section {
	const most = 1_000_000_000
	return &table.Section{
		Name:  "limits",
		About: "How much each API key can have, in a window that slides.",
		Check: table.Check(checkLimits),
		Lone:  []string{"rpm"},
		Misplaced: map[string]string{
			"rps": "write rpm: $, window: 1s", "requests_per_second": "write rpm: $, window: 1s", "tps": "write tpm: $, window: 1s", "tokens_per_second": "write tpm: $, window: 1s",
			"rpd": "write rpm: $, window: 24h", "requests_per_day": "write rpm: $, window: 24h", "tpd": "write tpm: $, window: 24h",
		},
		Fields: []table.Field{
			table.Key("rpm", "How many requests are answered in a window.", table.IntCodec("a number of requests", 1, most)),
			table.Key("tpm", "How many tokens are spent in a window: those of the prompts and of the answers.", table.IntCodec("a number of tokens", 1, most)),
			table.Key("concurrent", "How many answers are open at the same time.", table.IntCodec("a number of answers", 1, most)),
			table.Key("window", "How long the minute of rpm and tpm is. Default: 1m."),
		},
	}
}

// checkLimits reports limits without effect.
func checkLimits(d *table.Decoder, m table.Members, l *scenarios.Limits) bool {
	window := m.Key("window")
	switch {
	case window != nil && m.Complete && l.Window == 0:
		d.Report(window, "write window: 1s, or leave it out for a minute", "the window must be longer than 0s")
	case window != nil && m.Key("rpm") == nil && m.Key("tpm") == nil:
		d.Report(window, "write rpm or tpm beside it, such as { rpm: 3, window: 2s }", "window has no effect without rpm or tpm")
	case window == nil && m.Complete && l.IsZero():
		d.Report(m.Node, "write limits: { rpm: 3 }, or leave limits out", "the limits are empty")
	default:
		return true
	}
	return false
}
