package main

import (
	"fmt"
	"html"
	"strings"
)

// chart is an SVG of bars: for each work that is neither paced nor without a bare target,
// the answers a second of each target as a multiple of bare's.
func (t *table) chart() string {
	const bar, gap, label, width = 16, 6, 250, 420
	var b strings.Builder
	y := 30
	for i := range t.Works {
		w := &t.Works[i]
		most := 0.0
		for j := range w.Results {
			most = max(most, w.Results[j].ratio(w.result(bare)).median)
		}
		if most == 0 || strings.HasPrefix(w.Work, "paced") {
			continue
		}
		fmt.Fprintf(&b, `<text x="10" y="%d" font-weight="bold">%s: answers a second, × bare</text>`+"\n", y, html.EscapeString(w.Work))
		y += bar
		for j := range w.Results {
			r := &w.Results[j]
			ratio := r.ratio(w.result(bare)).median
			colour := "#9aa5b1"
			if r.Target == "fakeopenai" {
				colour = "#1f77b4"
			}
			fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect x="%d" y="%d" width="%.0f" height="%d" fill="%s"/><text x="%.0f" y="%d">%.2f</text>`+"\n",
				label-10, y+bar-4, html.EscapeString(r.Target), label, y, ratio/most*width, bar, colour, label+8+ratio/most*width, y+bar-4, ratio)
			y += bar + gap
		}
		y += bar
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12"><rect width="100%%" height="100%%" fill="white"/>`+"\n%s</svg>\n",
		label+width+70, y, b.String())
}
