package server

import (
	"context"
	"errors"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// farewellGrace is how long a client may take to read a farewell, or what was
// sent before it.
const farewellGrace = time.Second

// farewell is the bytes that the answer's stream gets last when the server shuts
// down; nil for none.
func (p *preparation) farewell(values *player.Values) ([]byte, error) {
	if !p.streams() {
		return nil, nil
	}
	lines, err := script.Farewell(p.sel, p.ask())
	if lines == nil || err != nil {
		return nil, err
	}
	units, err := chat.Encode(lines, chat.Options{Envelope: p.manner.Envelope, Render: func(t scenarios.Text) (string, error) { return render.Text(p.sel, t) }})
	if err != nil {
		return nil, err
	}
	co := p.options(values)
	co.Fills = lines.Fills
	return compile.Farewell(units, co)
}

// takeLeave sends the answer's farewell if the server shuts down, after the rest
// of the event that the stream stands in. It reports whether the body can end as
// it should.
func (x *exchange) takeLeave(a *prepared, out *sink, report player.Report) bool {
	if len(a.farewell) == 0 || report.Inside || a.program.Ending.Refuses() || !errors.Is(context.Cause(x.ctx), errClosed) {
		return false
	}
	last := append(a.program.Rest(report.Pieces, a.values), a.farewell...)
	_, err := out.Write(last)
	return err == nil
}
