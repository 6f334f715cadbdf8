package responses

import (
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// CheckShapes checks the rules about the order of events, and about values that are sent twice.
func (Surface) CheckShapes(t *lint.Transcript, report lint.Report) {
	if t.Script == nil || slices.ContainsFunc(t.Script.Groups, isCallAsItem) {
		return
	}
	drawn := 0
	o := surface.Options{
		Want:     script.Want{Surface: surfaceName, N: 1, Stream: true, Usage: true, TellsUsage: true},
		Envelope: t.Manner.Envelope,
		Draw: func(prefix string) ojson.Value {
			drawn++
			return ojson.String(prefix + strconv.Itoa(drawn))
		},
	}
	if info.Sayable(t.Script, &o) != nil {
		return // the error is reported elsewhere
	}
	sp := newSpeaker(t.Script, &o)
	ends := sp.speakAll(t.Script)
	a, heard := &audit{tell: report, id: t.Manner.Envelope.ID, items: map[string]*heard{}}, 0
	for i, end := range ends {
		g := &t.Script.Groups[i]
		a.finishes(g)
		for ; heard < end; heard++ {
			if e := sp.units[heard].JSON; e.Kind() == ojson.ObjectKind {
				a.hear(e, g)
			}
		}
	}
}

// isCallAsItem reports whether a group is a call that the author wrote as an item. [ItemProblems]
// refuses it; the rules that its events break besides would only lead astray.
func isCallAsItem(g script.Group) bool {
	return slices.ContainsFunc(g.Beats, func(beat script.Beat) bool {
		item, ok := beat.(script.Item)
		return ok && ItemNamed(item.Members.Get("type").Text()).Step != ""
	})
}

// finishes notes the finish reason in a group.
func (a *audit) finishes(g *script.Group) {
	for _, beat := range g.Beats {
		if finish, ok := beat.(script.Finish); ok && script.Says(finish.Reason) {
			a.why = finish.Reason.Text()
			a.status, a.reason = surface.StatusByFinish(a.why)
		}
	}
}
