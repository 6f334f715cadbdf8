package realtime

import (
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The holes for what a response repeats of its session and request.
const (
	holeConversation = surface.OwnHoles + iota
	holeModalities
	holeMaxTokens
	holeAudio
	holeMetadata
	holePrevious     // holePrevious is for the last item before the response.
	holePreviousDone // holePreviousDone is for the same in conversation.item.done; null if that is the first of the conversation.
	holeLimits
)

// callPrefix begins the ids of calls, which have no time in them.
const callPrefix = "call_"

// response returns the response object, with its members in the order of recordings.
func (s *speaker) response(status string, details, output, usage ojson.Value) ojson.Value {
	conversation := ojson.Null()
	if s.options.Want.Conversation {
		conversation = hole.Value(holeConversation)
	}
	v := ojson.Object(
		ojson.M("object", ojson.String("realtime.response")), ojson.M("id", hole.Value(surface.HoleID)),
		ojson.M("status", ojson.String(status)), ojson.M("status_details", details), ojson.M("output", output),
		ojson.M("conversation_id", conversation), ojson.M("output_modalities", hole.Value(holeModalities)),
		ojson.M("max_output_tokens", hole.Value(holeMaxTokens)), ojson.M("audio", hole.Value(holeAudio)),
		ojson.M("usage", usage), ojson.M("metadata", hole.Value(holeMetadata)),
	)
	s.options.Overwrite(&v)
	return v
}

// usageObject returns a usage object of this API; one of a response without tokens if u is nil.
func usageObject(u *script.Usage) ojson.Value {
	if u == nil {
		zero := ojson.Int(0)
		u = &script.Usage{Prompt: zero, Completion: zero, Total: zero, PromptText: zero, CompletionText: zero, CompletionAudio: zero}
	}
	if u.Null {
		return ojson.Null()
	}
	prompt := u.Written.Get("prompt_tokens_details")
	number := func(name string) ojson.Value { return prompt.Get(name).Or(ojson.Int(0)) }
	kinds := ojson.Object(ojson.M("text_tokens", number("cached_tokens")), ojson.M("audio_tokens", ojson.Int(0)), ojson.M("image_tokens", ojson.Int(0)))
	input := ojson.Object(
		ojson.M("text_tokens", prompt.Get("text_tokens").Or(u.PromptText)), ojson.M("audio_tokens", number("audio_tokens")),
		ojson.M("image_tokens", number("image_tokens")), ojson.M("cached_tokens", number("cached_tokens")), ojson.M("cached_tokens_details", kinds),
	)
	output := ojson.Object(ojson.M("text_tokens", u.CompletionText), ojson.M("audio_tokens", u.CompletionAudio))
	if reasoning := u.Written.Get("completion_tokens_details").Get("reasoning_tokens"); !reasoning.IsAbsent() {
		output.Set("reasoning_tokens", reasoning)
	}
	return ojson.Object(
		ojson.M("total_tokens", u.Total), ojson.M("input_tokens", u.Prompt), ojson.M("output_tokens", u.Completion),
		ojson.M("input_token_details", input), ojson.M("output_token_details", output),
	)
}

// failureDetails returns the status_details of a response that failed with this error, which may be incomplete or absent.
func failureDetails(object ojson.Value) ojson.Value {
	code := object.Get("code")
	if code.IsNullOrAbsent() {
		code = object.Get("type").Or(ojson.String(apierror.ServerError))
	}
	standard := apierror.Default(apierror.Given{Code: code.Text(), Model: defaultModel})
	failure := ojson.Object(
		ojson.M("type", object.Get("type").Or(ojson.String(standard.Type))), ojson.M("code", code),
		ojson.M("message", object.Get("message").Or(ojson.String(standard.Message))),
	)
	return ojson.Object(ojson.M("type", ojson.String(statusFailed)), ojson.M("error", failure))
}

// FillEnvelope fills the holes of the envelope, of what repeats the request, and of the ids.
func (Surface) FillEnvelope(e *surface.Envelope, f *surface.Filler) {
	req, ids := e.Selection.Request, idsAt(e.Created, e.IDs())
	if f.Open(surface.HoleID, &e.Selection.Manner.Envelope.ID) {
		f.Text(surface.HoleID, ids("resp_"))
	}
	e.FillHead(f)
	body := req.Body
	f.Value(holeConversation, body.Get("conversation_id").Or(ojson.Null()))
	f.Value(holeModalities, body.Get("output_modalities").Or(ojson.Array(ojson.String("audio"))))
	f.Value(holeMaxTokens, body.Get("max_output_tokens").Or(ojson.String("inf")))
	output := body.Get("audio").Get("output")
	f.Value(holeAudio, ojson.Object(ojson.M("output", ojson.Object(
		ojson.M("format", output.Get("format").Or(pcmFormat())), ojson.M("voice", output.Get("voice").Or(ojson.String("alloy")))))))
	f.Value(holeMetadata, body.Get("metadata").Or(ojson.Null()))
	input := body.Get("input").Items()
	previous, atDone := ojson.Null(), ojson.Null()
	if n := len(input); n > 0 {
		previous = input[n-1].Get("id").Or(ojson.Null())
		if n > 1 {
			atDone = previous
		}
	}
	f.Value(holePrevious, previous)
	f.Value(holePreviousDone, atDone)
	const limit = 15_000_000
	f.Value(holeLimits, ojson.Array(ojson.Object(
		ojson.M("name", ojson.String("tokens")), ojson.M("limit", ojson.Int(limit)),
		ojson.M("remaining", ojson.Int(limit-int64(req.PromptTokens))), ojson.M("reset_seconds", ojson.Number("0.001")))))
	for _, drawn := range e.Drawn {
		f.Text(drawn.Hole, ids(drawn.Prefix))
	}
}

// pcmFormat is the format of sound that a session has at first.
func pcmFormat() ojson.Value {
	return ojson.Object(ojson.M("type", ojson.String("audio/pcm")), ojson.M("rate", ojson.Int(sampleRate)))
}

// idsAt returns a function that draws ids made at a time, in seconds since 1970. Behind the prefix an id has five digits
// to the base 62 for the seconds since 2019-12-20, and then 16 random ones; that of a call has the random ones alone.
func idsAt(created int64, from *rand.Rand) func(prefix string) string {
	const epoch, digits, random = 1_576_800_000, 5, 16
	var head [digits]byte
	for i, left := digits-1, max(0, created-epoch); i >= 0; i, left = i-1, left/int64(len(invent.Base62)) {
		head[i] = invent.Base62[left%int64(len(invent.Base62))]
	}
	return func(prefix string) string {
		id := invent.Text(from, invent.Base62, random)
		if prefix == callPrefix {
			return prefix + id
		}
		return prefix + string(head[:]) + id
	}
}

// Fold returns the response object of the last event that has one. There are no answers in one piece; it is what those
// who look at a finished answer see.
func (Surface) Fold(units []compile.Unit, _ surface.Options) ojson.Value {
	var last ojson.Value
	for i := range units {
		if r := units[i].JSON.Get("response"); r.Kind() == ojson.ObjectKind {
			last = r
		}
	}
	return last
}
