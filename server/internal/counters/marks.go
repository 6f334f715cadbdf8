package counters

import "encoding/binary"

// marks is a Bloom filter of keys, in 2 MiB of memory. After a million keys, it takes one in
// 80 of all other keys for one that was added.
type marks struct{ bits []uint64 }

const markBits = 1 << 24

func (m *marks) add(key sum) {
	if m.bits == nil {
		m.bits = make([]uint64, markBits/64)
	}
	for _, at := range places(key) {
		m.bits[at/64] |= 1 << (at % 64)
	}
}

func (m *marks) has(key sum) bool {
	if m.bits == nil {
		return false
	}
	for _, at := range places(key) {
		if m.bits[at/64]&(1<<(at%64)) == 0 {
			return false
		}
	}
	return true
}

// places are the two bits of a key.
func places(key sum) [2]uint32 {
	return [2]uint32{binary.LittleEndian.Uint32(key[:]) % markBits, binary.LittleEndian.Uint32(key[4:]) % markBits}
}
