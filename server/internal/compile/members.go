package compile

import (
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

func (u Unit) rename(from ojson.Path, to string) Unit {
	parent, last := from[:len(from)-1], from[len(from)-1].Name
	v := u.JSON.Find(parent)
	if v.Get(last).IsAbsent() {
		return u
	}
	members := slices.Clone(v.Members())
	for i := range members {
		if members[i].Name == last {
			members[i].Name = to
		}
	}
	u.JSON = u.JSON.Clone()
	u.JSON.Put(parent, ojson.Object(members...))
	return u
}

func (u Unit) retype(at ojson.Path, to string) Unit {
	old := u.JSON.Find(at)
	if old.IsAbsent() {
		return u
	}
	u.JSON = u.JSON.Clone()
	if to == "absent" {
		u.JSON.Remove(at)
	} else {
		u.JSON.Put(at, converted(old, to))
	}
	return u
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

// replace puts a value in the place of another.
func (u Unit) replace(at ojson.Path, with ojson.Value) Unit {
	if u.JSON.Find(at).IsAbsent() {
		return u
	}
	u.JSON = u.JSON.Clone()
	u.JSON.Put(at, with)
	return u
}

// keep removes all but some members of an object.
func (u Unit) keep(at ojson.Path, members []string) Unit {
	object := u.JSON.Find(at)
	if object.Kind() != ojson.ObjectKind {
		return u
	}
	kept := ojson.Object()
	for _, m := range object.Members() {
		if slices.Contains(members, m.Name) {
			kept.Set(m.Name, m.Value)
		}
	}
	if len(at) == 0 {
		u.JSON = kept
		return u
	}
	u.JSON = u.JSON.Clone()
	u.JSON.Put(at, kept)
	return u
}
