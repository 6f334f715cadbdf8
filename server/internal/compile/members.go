package compile

import (
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

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
