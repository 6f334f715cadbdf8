package responses

import (
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// Checks returns the rules about the order of events, and about values that are sent twice.
func (Surface) Checks() map[string]lint.Check {
	checks := map[string]lint.Check{}
	for _, rule := range auditRules() {
		checks[rule] = func(t *lint.Transcript, report func(lint.Finding)) {
			for _, f := range audited(t) {
				if f.Rule == rule {
					report(f.Finding)
				}
			}
		}
	}
	return checks
}

// audited returns the places where the events of a stream break rules.
func audited(t *lint.Transcript) []brokenRule {
	if t.Script == nil || slices.ContainsFunc(t.Script.Groups, isCallAsItem) {
		return nil
	}
	a := newAudit(t.Manner.Envelope.ID)
	units, drawn := 0, 0
	o := surface.Options{
		Want:     script.Want{Surface: surfaceName, N: 1, Stream: true, Usage: true, TellsUsage: true},
		Envelope: t.Manner.Envelope,
		Draw: func(prefix string) ojson.Value {
			drawn++
			return ojson.String(prefix + strconv.Itoa(drawn))
		},
	}
	sp := newSpeaker(t.Script, &o)
	heardSoFar := func(g *script.Group) {
		finishes(a, g)
		for _, u := range sp.units[units:] {
			if u.JSON.Kind() == ojson.ObjectKind {
				a.Hear(u.JSON, g)
			}
		}
		units = len(sp.units)
	}
	for i := range t.Script.Groups {
		g := &t.Script.Groups[i]
		closes, err := sp.speak(i, g)
		if err != nil {
			return nil // the error is reported elsewhere
		}
		if heardSoFar(g); closes {
			return a.Found()
		}
	}
	sp.end(t.Script)
	if n := len(t.Script.Groups); n > 0 {
		heardSoFar(&t.Script.Groups[n-1])
	}
	return a.Found()
}

// isCallAsItem reports whether a group is a call that the author wrote as an item. [hosted.Check]
// refuses it; the rules that its events break besides would only lead astray.
func isCallAsItem(g script.Group) bool {
	return slices.ContainsFunc(g.Beats, func(beat script.Beat) bool {
		item, ok := beat.(script.Item)
		return ok && hosted.IsStep(item.Members.Get("type").Text())
	})
}

// finishes tells the audit of the finish reason in a group.
func finishes(a *audit, g *script.Group) {
	for _, beat := range g.Beats {
		if finish, ok := beat.(script.Finish); ok && script.Says(finish.Reason) {
			why := finish.Reason.Text()
			status, reason := byFinish(why)
			a.Finish(why, status, reason)
		}
	}
}
