package ojson

import "unsafe"

// The sizes of values in memory, in bytes.
const (
	valueSize  = int(unsafe.Sizeof(Value{}))
	memberSize = int(unsafe.Sizeof(Member{}))
	listSize   = int(unsafe.Sizeof(list{}))
	noteSize   = int(unsafe.Sizeof(note{}))
)

// Size is about how many bytes of memory v takes.
func (v Value) Size() int { return valueSize + v.held() }

// held is the size of the memory that v points to.
func (v Value) held() int {
	n := len(v.text)
	if v.list == nil {
		return n
	}
	n += listSize + cap(v.list.items)*valueSize + cap(v.list.members)*memberSize
	for _, item := range v.list.items {
		n += item.held()
	}
	for _, m := range v.list.members {
		n += len(m.Name) + m.Value.held()
	}
	return n
}
