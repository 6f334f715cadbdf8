package player

// appendInBlocks is [Template.Append] for a template that is larger than a block. Whenever
// dst has grown to a block, it is written and emptied. The bytes that it returns are not
// written yet.
func (t *Template) appendInBlocks(dst []byte, v *Values, write func([]byte) error) ([]byte, error) {
	s := blockWriter{dst: dst, write: write}
	if t.head != nil {
		s.dst = append(s.dst, v.headOf(t.head)...)
	}
	from := 0
	for _, b := range t.holes {
		s.add(t.data[from:b.at])
		s.dst = t.appendHole(s.dst, b.id, v)
		from = b.at
	}
	s.add(t.data[from:])
	return s.dst, s.err
}

// blockWriter is the state of [Template.appendInBlocks].
type blockWriter struct {
	dst   []byte
	write func([]byte) error
	err   error // err is that of the first write that failed; nothing is added after it.
}

// add appends p. A full block is written when there is more to append, so that the last
// bytes stay for the caller.
func (s *blockWriter) add(p []byte) {
	for len(p) > 0 && s.err == nil {
		if len(s.dst) >= blockSize {
			s.err = s.write(s.dst)
			s.dst = s.dst[:0]
		}
		n := min(len(p), max(0, blockSize-len(s.dst)))
		s.dst = append(s.dst, p[:n]...)
		p = p[n:]
	}
}
