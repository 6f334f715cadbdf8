package sweep

import (
	"fmt"
	"slices"
)

// HeldAnswer is which of the answers that were given in [AsWritten] the cases of
// [Hold] hold back: the last one that a scenario streamed with something to show
// before its end. It is false if there is none.
func HeldAnswer(answers []Answer) (Answer, bool) {
	for _, a := range slices.Backward(answers) {
		if a.Scenario != "" && a.Status < 400 && middle(a.Bytes) > 0 {
			return a, true
		}
	}
	return Answer{}, false
}

// Hold are the cases in which an answer stands still in its middle and never goes
// on, once for each of the given cases. A program that streams has used by then
// what came before; one that collects an answer first shows nothing. Cases that
// send nothing before the whole answer is there have none.
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
		list = append(list, Case{Name: v.Name, Variant: v, held: &held})
	}
	return list, nil
}

// middle is after how many events an answer is about half sent, with the first
// that says something; 0 if it is no stream, or too short to have a middle.
func middle(answer []byte) int {
	whole := eventsBegun(answer[:lengthBeforeEnd(answer)]) - 1 // before the one with the end
	if whole < 2 {
		return 0
	}
	return max(2, whole/2)
}
