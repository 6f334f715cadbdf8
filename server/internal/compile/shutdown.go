package compile

import "github.com/fakeopenai/fakeopenai/server/internal/player"

// Shutdown returns the bytes of the units as events that end a stream when the server
// shuts down. They have no numbers, because the stream can be anywhere.
func Shutdown(units []Unit, o Options, r Request) ([]byte, error) {
	w := o.Manner.Wire
	w.IDs, w.Retry, w.BOM = nil, nil, nil
	framer, err := newFramer(&w, &o, r.Rand)
	if err != nil {
		return nil, err
	}
	var all []byte
	for _, u := range expandSeries(units, r.Values) {
		framer.frame(&u)
		frame := player.Frame{Bytes: u.frame, Piece: u.piece}
		all = frame.Append(all, r.Values)
	}
	return all, nil
}
