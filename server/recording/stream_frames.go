package recording

import (
	"bytes"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// frame is one event of a recorded stream, or another block of it.
type frame struct {
	sse.Block
	at      time.Duration // at is when the last byte of the event came.
	data    string        // data is the data of the event.
	hasData bool
	value   ojson.Value // value is the data as JSON, with its order and spelling; absent if it is none.
}

// framesOf splits the body of a stream into its events. Their bytes joined are the body
// without a byte order mark at its start.
func framesOf(x *Exchange) []frame {
	body := x.bodyBytes()
	blocks := sse.Blocks(body)
	frames := make([]frame, len(blocks))
	end := len(markOf(body))
	for i, b := range blocks {
		end += len(b.Raw)
		frames[i] = frame{Block: b, at: x.cameAt(end - 1)}
		if frames[i].data, frames[i].hasData = b.Data(); frames[i].hasData {
			frames[i].value, _ = ojson.Parse([]byte(frames[i].data))
		}
	}
	return frames
}

// markOf is the byte order mark at the start of a body; nil if there is none.
func markOf(body []byte) []byte {
	return body[:len(body)-len(bytes.TrimPrefix(body, []byte(sse.ByteOrderMark)))]
}
