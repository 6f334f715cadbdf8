package ojson

import (
	"cmp"
	"slices"
)

// Sorted returns an object with its members in alphabetical order.
func (v Value) Sorted() Value {
	return v.ordered(func(a, b Member) int { return cmp.Compare(a.Name, b.Name) })
}

// First returns an object with the members of these names before all others, in the order of the
// names.
func (v Value) First(names ...string) Value {
	rank := func(m Member) int {
		if at := slices.Index(names, m.Name); at >= 0 {
			return at
		}
		return len(names)
	}
	return v.ordered(func(a, b Member) int { return rank(a) - rank(b) })
}

// ordered returns an object with its members in another order. Any other value stays as it is.
func (v Value) ordered(compare func(a, b Member) int) Value {
	if v.Kind() != ObjectKind {
		return v
	}
	members := slices.Clone(v.Members())
	slices.SortStableFunc(members, compare)
	v.setMembers(members)
	return v
}
