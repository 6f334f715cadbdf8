package server

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// The alphabets of ids as the real service draws them.
const (
	base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	hexits = "0123456789abcdef"
)

// values fills the holes of the envelope.
func (p *preparation) values() (*player.Values, error) {
	r := draw.RequestRand(p.sel, "ids")
	v := player.NewValues(draw.RequestRand(p.sel, "obfuscation"))
	env := &p.manner.Envelope
	texts := []struct {
		hole     uint8
		opt      scenarios.Opt[scenarios.Text]
		fallback string
	}{
		{script.HoleID, env.ID, completionID(r, askOf(p.sel).Layout)},
		{script.HoleModel, env.Model, model.Lookup(p.model()).Snapshot},
		{script.HoleFingerprint, env.SystemFingerprint, "fp_" + drawText(draw.Rand(p.sel, "fingerprint"), hexits, 10)},
		{script.HoleServiceTier, env.ServiceTier, serviceTier(p.req)},
	}
	for _, t := range texts {
		text := t.fallback
		if t.opt.Present && !t.opt.Null {
			var err error
			if text, err = render.Text(p.sel, t.opt.Value); err != nil {
				return nil, err
			}
		}
		v.Set(t.hole, ojson.AppendString(nil, text))
	}
	v.Set(script.HoleCreated, strconv.AppendInt(nil, p.created(), 10))
	if env.CreatedPerChunk {
		v.CreatedPerChunk(p.created())
	}
	return v, nil
}

// completionID draws an id: 29 letters and digits, but a UUID from the models
// that search.
func completionID(r *rand.Rand, layout scenarios.Layout) string {
	if layout != scenarios.LayoutSearch {
		return "chatcmpl-" + drawText(r, base62, 29)
	}
	h := drawText(r, hexits, 32)
	return fmt.Sprintf("chatcmpl-%s-%s-4%s-a%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:])
}

// model is the model that answers: the one asked for, or gpt-4o when the name
// asks for a scenario.
func (p *preparation) model() string {
	if strings.HasPrefix(p.req.Model, "fake:") {
		return model.Default
	}
	return p.req.Model
}

func (p *preparation) created() int64 {
	switch env := &p.manner.Envelope; {
	case env.Created.Present && !env.Created.Null:
		return env.Created.Value
	case p.server.config.Created != 0:
		return p.server.config.Created
	}
	return time.Now().Unix()
}

// serviceTier is the tier that the real service names for the one asked for.
func serviceTier(req *scenarios.Request) string {
	switch tier := req.Body.Get("service_tier").Text(); tier {
	case "", "auto":
		return "default"
	case "fast":
		return "priority"
	default:
		return tier
	}
}

func (p *preparation) fillDrawn(v *player.Values, ids []script.DrawnID) {
	r := draw.RequestRand(p.sel, "calls")
	for i, id := range ids {
		v.Set(script.HoleDrawn+uint8(i), ojson.AppendString(nil, id.Prefix+drawText(r, id.Alphabet, id.N)))
	}
}

func drawText(r *rand.Rand, alphabet string, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}

// fillUsage fills in how many tokens the request counts as.
func (p *preparation) fillUsage(v *player.Values, completion int) {
	prompt := promptTokens(p.req)
	v.Set(script.HolePromptTokens, strconv.AppendInt(nil, int64(prompt), 10))
	v.Set(script.HoleTotalTokens, strconv.AppendInt(nil, int64(prompt+completion), 10))
}

// promptTokens counts as the service's own guidance does: four characters to a
// token, three tokens around each message, and three that open the answer.
func promptTokens(req *scenarios.Request) int {
	tokens := 3
	for _, m := range req.Messages {
		tokens += 4 + len(m.Text)/4
	}
	return tokens
}
