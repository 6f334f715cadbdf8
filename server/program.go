package server

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// frameCount is how many frames a program writes. A frame that is cut into pieces counts
// once; holds do not count.
func frameCount(p *player.Program) int {
	n := 0
	for i := range p.Frames {
		f := &p.Frames[i]
		if f.Hold == "" && !f.More {
			n++
		}
		if f.Series != nil {
			n += f.Series.Pieces.Len() - 1
		}
	}
	return n
}

// endsIncomplete reports whether a program that is played to its end gives the client no
// whole answer.
func endsIncomplete(p *player.Program) bool {
	switch p.Ending.Kind {
	case player.EndLinger:
	case player.EndOrderly:
		if p.Ending.Authored {
			return true // the body ends in order, but without the event that completes the answer
		}
	default:
		return true
	}
	return slices.ContainsFunc(p.Frames, func(f player.Frame) bool { return f.Kind == "error" })
}

// waitsBeforeBody reports whether there is a pause or a hold before the first byte of the
// body. The header is then sent before that wait.
func waitsBeforeBody(p *player.Program) bool {
	if p.Ending.Refuses() {
		return false
	}
	for f, due := range p.All() {
		return f.Hold != "" || due > 0
	}
	return true
}

// lastEvent is the number, from 1, of the frame with the event that completes the answer; 0
// if the program has none.
func lastEvent(p *player.Program) (last int) {
	n := 0
	for i := range p.Frames {
		f := &p.Frames[i]
		switch {
		case f.Hold != "":
			continue
		case f.Kind == "finish" || f.Kind == "failed" || f.Kind == "completion":
			last = n + 1
		}
		if !f.More {
			n++
		}
	}
	return last
}
