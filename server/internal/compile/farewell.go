package compile

// Farewell is the bytes of the units as events that come after those of a
// stream, wherever it stands: they have no numbers.
func Farewell(units []Unit, o Options) ([]byte, error) {
	w := o.Manner.Wire
	w.IDs, w.Retry, w.BOM = nil, nil, nil
	framer, err := newFramer(w, o.Fills, o.Render, o.Rand)
	if err != nil {
		return nil, err
	}
	var all []byte
	for i := range units {
		frame := framer.frame(&units[i])
		all = frame.Append(all, o.Values)
	}
	return all, nil
}
