package compile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// fillUnits fills the holes in the JSON of units, so that damage changes the values and
// not the holes. The padding, whose length depends on the rest, stays open, and so does the
// clock if it goes on.
func fillUnits(units []Unit, v *player.Values, clockGoesOn bool) []Unit {
	units = slices.Clone(units)
	for i := range units {
		u := &units[i]
		u.JSON = hole.Fill(u.JSON, func(id hole.ID) (ojson.Value, bool) {
			switch {
			case id == hole.Piece:
				return parseFilling(u.piece.JSON())
			case id == hole.Clock && clockGoesOn:
				return ojson.Value{}, false
			}
			return parseFilling(v.Of(u.piece).Get(id))
		})
	}
	return units
}

func parseFilling(json []byte) (ojson.Value, bool) {
	if text, err := ojson.Unquote(string(json)); err == nil { // ojson keeps what is not valid UTF-8
		return ojson.String(text), true
	}
	v, err := ojson.Parse(json)
	return v, err == nil
}

// FillHoles returns a JSON value with its holes filled.
func FillHoles(v ojson.Value, with *player.Values) ojson.Value {
	return hole.Fill(v, func(id hole.ID) (ojson.Value, bool) { return parseFilling(with.Get(id)) })
}

// ExpandAndFill returns the units of one request: one for each piece of a series, with
// the holes in their JSON filled.
func ExpandAndFill(units []Unit, v *player.Values) []Unit {
	return fillUnits(expandSeries(units, v), v, false)
}

// damage applies the list in order: each entry to the result of the ones before it. The
// given units are not changed.
func (d *draws) damage(units []Unit, list []scenarios.Damage, complete func(ojson.Path) ojson.Path) []Unit {
	for i := range list {
		s := &strikes{draws: d, damage: &list[i], complete: complete}
		units = s.apply(units)
		s.tellChange()
		s.report(i + 1)
	}
	return units
}

func (s *strikes) apply(units []Unit) []Unit {
	d := s.damage
	switch d.Op {
	case "swap":
		return s.swap(units)
	case "move":
		return s.move(units)
	}
	out := make([]Unit, 0, len(units))
	picked := s.selected(d.Frames, units)
	sent := 0
	for i, u := range units {
		if u.sends() {
			sent++
		}
		if !picked[i] || !s.strike(sent) {
			out = append(out, u)
			continue
		}
		switch d.Op {
		case "drop":
		case "duplicate":
			out = append(out, u, u)
		case "corrupt":
			u.corrupt += max(d.Bytes, 1)
			out = append(out, u)
		default:
			out = append(out, s.withChange(u))
		}
	}
	s.tellPath(units, picked)
	s.tellMembers()
	return out
}

// withChange returns the unit after a damage that changes a member; the unit as it is if it does not have the
// member.
func (s *strikes) withChange(u Unit) Unit {
	d := s.damage
	var at ojson.Path
	if len(d.From.Path) > 0 {
		at = s.complete(d.From.Path)
	}
	there := false
	before := u.JSON
	switch d.Op {
	case "rename":
		there = u.rename(at, d.To)
	case "retype":
		there = u.retype(at, d.To)
	case "replace":
		there = u.replace(at, d.Value)
	case "keep":
		there = u.keep(at, d.Members)
		for _, m := range before.Find(at).Members() {
			s.members = append(s.members, m.Name)
		}
	}
	s.struckPath = s.struckPath || there || hole.On(before, at)
	s.meets = s.meets || there || len(at) == 0
	s.changes = s.changes || there && s.differs(before, u.JSON, at)
	return u
}

// differs reports whether a damage changes the value at a place. A value that only a request can tell counts as
// changed; if the damage changes the type, a sample of the value decides.
func (s *strikes) differs(before, after ojson.Value, at ojson.Path) bool {
	switch {
	case s.places == nil || s.changes:
		return true
	case s.damage.Op == "rename" || !hole.On(before, at):
		return before.String() != after.String()
	case s.damage.Op == "retype" && s.places.sample != nil:
		was := FillHoles(before, s.places.sample).Find(at)
		return was.String() != converted(was, s.damage.To).String()
	}
	return true
}

// swap exchanges the first frames that the two selectors pick.
func (s *strikes) swap(units []Unit) []Unit {
	a := slices.Index(s.selected(s.damage.Frames, units), true)
	b := slices.Index(s.selected(s.damage.With, units), true)
	if a < 0 || b < 0 || !s.strike(countSent(units[:a], a)+1) {
		return units
	}
	s.meets, s.changes = true, a != b
	out := slices.Clone(units)
	out[a], out[b] = out[b], out[a]
	// The pauses stay where they are.
	out[a].Gap, out[b].Gap = out[b].Gap, out[a].Gap
	return out
}

// move puts the selected frames behind the last frame that the selector With picks.
// Each frame keeps its own pause.
func (s *strikes) move(units []Unit) []Unit {
	picked, goals := s.selected(s.damage.Frames, units), s.selected(s.damage.With, units)
	last := len(goals) - 1
	for last >= 0 && !goals[last] {
		last--
	}
	if last < 0 {
		return units
	}
	var before, moved, behind []Unit
	sent := 0
	for i, u := range units {
		if u.sends() {
			sent++
		}
		switch {
		case picked[i] && s.strike(sent):
			moved = append(moved, u)
			s.meets, s.changes = true, s.changes || len(behind) > 0
		case i <= last:
			before = append(before, u)
			s.changes = s.changes || len(moved) > 0
		default:
			behind = append(behind, u)
		}
	}
	return slices.Concat(before, moved, behind)
}

// selected returns which of the units a selector picks. Only units that send bytes are
// counted.
func (s *strikes) selected(of scenarios.Selector, units []Unit) []bool {
	picked := make([]bool, len(units))
	for _, one := range of.Each() {
		named := Named(units, one.Kind)
		if one.Kind == "" {
			named = nil
			if at := sendingIndex(units, one.Position); at >= 0 {
				named = []int{at}
			}
		}
		again := len(named) > 0
		for _, i := range named {
			again = again && picked[i]
			picked[i] = true
		}
		s.tellSelector(one, len(named) > 0, again, units)
	}
	return picked
}

// Named returns the indexes of the units that send something and that a name fits: all, a kind, the
// name of an event, or one of several of these: see [scenarios.OneOfKind].
func Named(units []Unit, name string) (list []int) {
	kind, at, one := scenarios.OneOfKind(name)
	for i := range units {
		if units[i].sends() && (kind == "all" || units[i].hasKind(kind)) {
			list = append(list, i)
		}
	}
	if !one {
		return list
	}
	if at < 0 {
		at += len(list)
	}
	if at < 0 || at >= len(list) {
		return nil
	}
	return list[at : at+1]
}

// sendingIndex is the index of the nth unit that sends something, counted from 1, or
// from the end if n is negative; -1 if there is none.
func sendingIndex(units []Unit, n int) int {
	if n < 0 {
		n += countSent(units, math.MaxInt) + 1
	}
	for i := range units {
		if !units[i].sends() {
			continue
		}
		if n--; n == 0 {
			return i
		}
	}
	return -1
}

// These functions change a member of the unit's JSON, and report whether it has the member.

func (u *Unit) rename(from ojson.Path, to string) bool {
	parent, last := from[:len(from)-1], from[len(from)-1].Name
	v := u.JSON.Find(parent)
	if v.Get(last).IsAbsent() {
		return false
	}
	members := slices.Clone(v.Members())
	for i := range members {
		if members[i].Name == last {
			members[i].Name = to
		}
	}
	return u.replace(parent, ojson.Object(members...))
}

func (u *Unit) retype(at ojson.Path, to string) bool {
	old := u.JSON.Find(at)
	if to != "absent" || old.IsAbsent() {
		return u.replace(at, converted(old, to))
	}
	u.JSON = u.JSON.Clone()
	return u.JSON.Remove(at)
}

// replace puts a value in the place of another.
func (u *Unit) replace(at ojson.Path, with ojson.Value) bool {
	switch {
	case u.JSON.Find(at).IsAbsent():
		return false
	case len(at) == 0:
		u.JSON = with
	default:
		u.JSON = u.JSON.Clone()
		u.JSON.Put(at, with)
	}
	return true
}

// keep removes all but some members of an object.
func (u *Unit) keep(at ojson.Path, members []string) bool {
	object := u.JSON.Find(at)
	if object.Kind() != ojson.ObjectKind {
		return !object.IsAbsent()
	}
	var kept []ojson.Member
	for _, m := range object.Members() {
		if slices.Contains(members, m.Name) {
			kept = append(kept, m)
		}
	}
	return u.replace(at, ojson.Object(kept...))
}

// converted returns v as another JSON type, with the closest value of that type.
func converted(v ojson.Value, to string) ojson.Value {
	switch to {
	case "string":
		if v.Kind() == ojson.ObjectKind || v.Kind() == ojson.ArrayKind {
			return ojson.String(v.String())
		}
		return ojson.String(v.Text())
	case "number":
		if _, err := strconv.ParseFloat(v.Text(), 64); err == nil {
			return ojson.Number(v.Text())
		}
		return ojson.Int(0)
	case "bool":
		return ojson.Bool(v.Text() != "" && v.Text() != "false")
	case "array":
		return ojson.Array(v)
	case "object":
		return ojson.Object(ojson.M("value", v))
	}
	return ojson.Null()
}

// draws makes the random decisions of a scenario, and records their outcomes.
type draws struct {
	rand     *rand.Rand // rand is nil at load, where all happens but drops.
	outcomes []string
	places   *places // places records the frames that damage strikes; nil if the caller does not want them.
}

// ending returns the ending that happens, which can be decided by chance.
func (d *draws) ending(e scenarios.End) scenarios.End {
	switch {
	case e.Chance == nil:
		return e
	case d.rand.Float64() < *e.Chance:
		d.noteOutcome("end %s: drawn", e.Kind)
		return e
	}
	d.noteOutcome("end %s: not drawn", e.Kind)
	return scenarios.End{}
}

func (d *draws) noteOutcome(format string, args ...any) {
	d.outcomes = append(d.outcomes, fmt.Sprintf(format, args...))
}

// strikes is a damage, together with the frames that it has struck so far.
type strikes struct {
	*draws
	damage   *scenarios.Damage
	complete func(ojson.Path) ojson.Path // complete returns the full path for a path of the damage.
	frames   []int                       // frames are the numbers of the frames that were struck.
	// struckPath says that a frame has the member that the damage names, or that only a
	// request can tell.
	struckPath bool
	members    []string // members are the names of the members that the objects at the place have.
	meets      bool     // meets says that the frame has what the damage names, and changes says that the damage makes it another value.
	changes    bool
}

// strike decides whether the damage is done to a frame. Frames are numbered from 1,
// among those that are sent.
func (s *strikes) strike(frame int) bool {
	switch {
	case s.damage.Chance == nil:
		return true
	case s.rand == nil:
		return s.damage.Op != "drop"
	}
	hit := s.rand.Float64() < *s.damage.Chance
	if hit {
		s.frames = append(s.frames, frame)
	}
	return hit
}

// report records what was drawn for the damage; n is its position in the scenario's
// list, from 1.
func (s *strikes) report(n int) {
	switch {
	case s.damage.Chance == nil:
	case len(s.frames) == 0:
		s.noteOutcome("damage %d (%s) struck nothing", n, s.damage.Op)
	default:
		s.noteOutcome("damage %d (%s) struck %s", n, s.damage.Op, nounWithNumbers("frame", s.frames))
	}
}

// nounWithNumbers returns a noun and the numbers behind it, as in "frames 1, 3".
func nounWithNumbers(noun string, numbers []int) string {
	if len(numbers) != 1 {
		noun += "s"
	}
	return noun + " " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ", "), "[]")
}
