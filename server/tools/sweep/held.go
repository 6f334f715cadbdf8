package sweep

import (
	"fmt"
	"slices"
)

// HeldAnswer is the answer, of those of the run of [AsWritten], that [Hold] stops in its
// middle: the last stream that is long enough to have a middle. It is false if there is
// none.
func HeldAnswer(answers []Answer) (Answer, bool) {
	for _, a := range slices.Backward(answers) {
		if a.Scenario != "" && a.Status < 400 && middle(a.Bytes) > 0 {
			return a, true
		}
	}
	return Answer{}, false
}

// Hold are the given cases with an answer that stops in its middle and never goes on. A
// program that streams has then shown the first half; a program that collects the answer
// first shows nothing. Cases that send the answer as a whole, such as gzip-at-end, are
// left out.
func Hold(held Answer, cases []Case) ([]Case, error) {
	var list []Case
	for _, c := range cases {
		manner, err := c.Variant.Manner()
		if err != nil {
			return nil, err
		}
		if manner.Wire.Gzip == "buffer" {
			continue
		}
		n := middle(held.Bytes)
		v := Variant{
			Name:  c.Variant.Name + "-held",
			About: fmt.Sprintf("%s, and silence after %d events", c.Variant.About, n),
			YAML:  fmt.Sprintf("end: { stall: { for: 24h, after: %d } }", n),
		}
		if c.Variant.YAML != "" {
			v.YAML = c.Variant.YAML + ", " + v.YAML
		}
		list = append(list, Case{Name: v.Name, Variant: v, only: &held, holds: true})
	}
	return list, nil
}

// middle is the number of events, at least 2, after which about half of an answer is sent;
// 0 if the answer is no stream or too short.
func middle(answer []byte) int {
	whole := eventsBegun(answer[:lengthBeforeEnd(answer)]) - 1 // The event with the end does not count.
	if whole < 2 {
		return 0
	}
	return max(2, whole/2)
}
