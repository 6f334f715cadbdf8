package main

import (
	"fmt"
	"html"
	"strings"
)

// legend says what the targets in the chart are. Other servers can be beside them.
var legend = []struct{ target, about string }{
	{bare, "a handler of net/http that writes and flushes each chunk"},
	{barePlus, "the same, with the bytes and header fields of fakeopenai's answer"},
	{patchedPlus, "the bytes of bare+ in as few writes as possible: the best that net/http can do"},
	{"fakeopenai", "the server"},
}

func colourOf(target string) string {
	if target == "fakeopenai" {
		return "#1f77b4"
	}
	return "#9aa5b1"
}

// chart is an SVG of bars with a legend: for each work that is neither paced nor without a
// bare target, the answers a second of each target as a multiple of bare's. All bars have one
// scale.
func (t *table) chart() string {
	const bar, gap, label, width = 16, 6, 110, 560
	var b strings.Builder
	y := 30
	fmt.Fprintf(&b, `<text x="10" y="%d" font-weight="bold">Answers a second, as a multiple of bare: longer is better. All bars have one scale.</text>`+"\n", y)
	for _, l := range legend {
		y += bar + gap
		fmt.Fprintf(&b, `<rect x="10" y="%d" width="%d" height="%d" fill="%s"/><text x="%d" y="%d">%s: %s</text>`+"\n",
			y-bar+4, bar, bar, colourOf(l.target), 10+bar+gap, y, l.target, html.EscapeString(l.about))
	}
	most := 0.0
	for i := range t.Works {
		most = max(most, t.Works[i].mostOfBare())
	}
	for i := range t.Works {
		if w := &t.Works[i]; w.mostOfBare() > 0 {
			y += 2 * bar
			fmt.Fprintf(&b, `<text x="10" y="%d" font-weight="bold">%s</text>`+"\n", y, html.EscapeString(w.Work))
			for j := range w.Results {
				r := &w.Results[j]
				y += bar + gap
				ratio := r.ratio(w.result(bare)).median
				long := ratio / most * width
				fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="end">%s</text><rect x="%d" y="%d" width="%.0f" height="%d" fill="%s"/><text x="%.0f" y="%d">%.2f</text>`+"\n",
					label-10, y, html.EscapeString(r.Target), label, y-bar+4, long, bar, colourOf(r.Target), label+8+long, y, ratio)
			}
		}
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12"><rect width="100%%" height="100%%" fill="white"/>`+"\n%s</svg>\n",
		label+width+70, y+bar, b.String())
}

// mostOfBare returns the highest ratio of a work's targets; 0 for a work that is not in the
// chart.
func (w *row) mostOfBare() (most float64) {
	if strings.HasPrefix(w.Work, "paced") {
		return 0
	}
	for i := range w.Results {
		most = max(most, w.Results[i].ratio(w.result(bare)).median)
	}
	return most
}
