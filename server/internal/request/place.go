package request

import "strconv"

// Place is a place in a request's body, such as messages[0].content. It is turned into
// text only for an error, because nearly all requests are valid.
type Place struct {
	in   *Place // in is the place of the array or object around this one; nil is the body.
	name string // name is the name of a member; "" for an item.
	item int
}

// At is the place of a member of the body. The name may be a path.
func At(name string) Place { return Place{name: name} }

// Member is the place of a member of the object at p.
func (p *Place) Member(name string) Place { return Place{in: p, name: name} }

// Item is the place of an item of the array at p.
func (p *Place) Item(i int) Place { return Place{in: p, item: i} }

// String is the place in the form of error messages.
func (p *Place) String() string { return string(p.append(nil)) }

func (p *Place) append(dst []byte) []byte {
	if p.in != nil {
		dst = p.in.append(dst)
	}
	if p.name == "" {
		return append(strconv.AppendInt(append(dst, '['), int64(p.item), 10), ']')
	}
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	return append(dst, p.name...)
}
