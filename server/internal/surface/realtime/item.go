package realtime

import (
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The types of items.
const (
	itemMessage = "message"
	itemCall    = "function_call"
	itemResult  = "function_call_output"
)

// itemsUnplayed are the types of items that sessions do not take.
var itemsUnplayed = []string{"mcp_approval_response", "mcp_call", "mcp_list_tools", "mcp_approval_request"}

// The statuses of items and responses.
const (
	statusInProgress = "in_progress"
	statusCompleted  = "completed"
	statusIncomplete = "incomplete"
	statusFailed     = "failed"
	statusCancelled  = "cancelled"
)

type item struct {
	kind   string
	id     ojson.Value
	index  int
	status string
	text   surface.Text // text is the words of a message, or the arguments of a call.
	spoken bool         // spoken says that the part of a message is sound.

	call         int         // call is the index of the call in the script.
	callID, name ojson.Value // callID and name are the members of a call.
	more         ojson.Value // more are further members of a call that the author wrote.
}

func (i *item) value(o *surface.Options) ojson.Value {
	v := ojson.Object(ojson.M("id", i.id), ojson.M("type", ojson.String(i.kind)), ojson.M("status", ojson.String(i.status)))
	if i.kind == itemCall {
		v.SetAll([]ojson.Member{ojson.M("name", i.name.Or(ojson.String(""))), ojson.M("call_id", i.callID), ojson.M("arguments", i.text.Value(o))})
		v.SetMissing(i.more.Members())
		return v
	}
	content := ojson.Array()
	if i.status != statusInProgress {
		content.Push(i.part(o, "output_"))
	}
	v.SetAll([]ojson.Member{ojson.M("role", ojson.String("assistant")), ojson.M("content", content)})
	return v
}

// part returns the part of a message. In items the names of its types begin with output_, in events about parts they do not.
func (i *item) part(o *surface.Options, prefix string) ojson.Value {
	if i.spoken {
		return ojson.Object(ojson.M("type", ojson.String(prefix+"audio")), ojson.M("transcript", i.text.Value(o)))
	}
	return ojson.Object(ojson.M("type", ojson.String(prefix+"text")), ojson.M("text", i.text.Value(o)))
}

// message returns the open message with its part, and opens both if needed.
func (s *speaker) message() *item {
	n := len(s.items)
	if n == 0 || s.items[n-1].kind != itemMessage || s.items[n-1].status != statusInProgress {
		i := s.openItem(itemMessage, func(i *item) { i.spoken = s.Options.Want.Voice != 0 })
		s.emit("response.content_part.added", "", s.partMembers(i)...)
	}
	return s.items[len(s.items)-1]
}

// partMembers returns the members of an event that carries a part of a message. On Azure such an event carries the part
// twice.
func (s *speaker) partMembers(i *item) []ojson.Member {
	part := i.part(s.Options, "")
	members := append(s.insidePart(i), ojson.M("part", part))
	if s.Options.Want.Layout == scenarios.LayoutAzure {
		members = append(members, ojson.M("content", part))
	}
	return members
}

// openItem opens an item of this type; fill sets its members. The items before it are closed, but for calls that a later
// group goes on with.
func (s *speaker) openItem(kind string, fill func(*item)) *item {
	s.open()
	s.closeItems(s.At, statusCompleted)
	i := &item{kind: kind, index: len(s.items), status: statusInProgress}
	fill(i)
	if written := s.Options.Envelope.ItemIDs; len(s.items) < len(written) {
		i.id = ojson.String(written[len(s.items)])
	} else {
		i.id = s.Options.NewID("item_")
	}
	previous := hole.Value(holePrevious)
	if n := len(s.items); n > 0 {
		previous = s.items[n-1].id
	}
	s.items = append(s.items, i)
	value := i.value(s.Options)
	s.emit("response.output_item.added", "", s.wholeItem(i, value)...)
	if s.Options.Want.Conversation {
		s.emit("conversation.item.added", "", ojson.M("previous_item_id", previous), ojson.M("item", value))
	}
	return i
}

// closeItems closes the open items with this status. Calls that the group at this position or a later one goes on with
// stay open.
func (s *speaker) closeItems(at int, status string) {
	for n, i := range s.items {
		if i.status == statusInProgress && (i.kind != itemCall || s.Ends[i.call] < at) {
			s.closeItem(n, i, status)
		}
	}
}

func (s *speaker) closeItem(n int, i *item, status string) {
	switch {
	case i.kind == itemCall:
		s.emit("response.function_call_arguments.done", "", append(s.itemReference(i),
			ojson.M("call_id", i.callID), ojson.M("name", i.name.Or(ojson.String(""))), ojson.M("arguments", i.text.Value(s.Options)))...)
	case i.spoken:
		s.emit("response.output_audio.done", "", s.insidePart(i)...)
		s.emit("response.output_audio_transcript.done", "", append(s.insidePart(i), ojson.M("transcript", i.text.Value(s.Options)))...)
	default:
		s.emit("response.output_text.done", "", append(s.insidePart(i), ojson.M("text", i.text.Value(s.Options)))...)
	}
	if i.kind == itemMessage {
		s.emit("response.content_part.done", "", s.partMembers(i)...)
	}
	i.status = status
	value := i.value(s.Options)
	if s.Options.Want.Conversation {
		// Recordings name no item here if the one before is the first of the conversation.
		previous := hole.Value(holePreviousDone)
		if n > 0 {
			previous = s.items[n-1].id
		}
		s.emit("conversation.item.done", "", ojson.M("previous_item_id", previous), ojson.M("item", value))
	}
	s.emit("response.output_item.done", "", s.wholeItem(i, value)...)
}

// itemReference returns the members by which an event names its item.
func (s *speaker) itemReference(i *item) []ojson.Member {
	return []ojson.Member{ojson.M("response_id", hole.Value(surface.HoleID)), ojson.M("item_id", i.id), ojson.M("output_index", ojson.Int(int64(i.index)))}
}

// insidePart returns the members by which an event names the part of a message.
func (s *speaker) insidePart(i *item) []ojson.Member {
	return append(s.itemReference(i), ojson.M("content_index", ojson.Int(0)))
}

func (s *speaker) wholeItem(i *item, value ojson.Value) []ojson.Member {
	return []ojson.Member{ojson.M("response_id", hole.Value(surface.HoleID)), ojson.M("output_index", ojson.Int(int64(i.index))), ojson.M("item", value)}
}

func (s *speaker) output() ojson.Value {
	list := ojson.Array()
	for _, i := range s.items {
		list.Push(i.value(s.Options))
	}
	return list
}

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
	if s.Options.Want.Conversation {
		conversation = hole.Value(holeConversation)
	}
	v := ojson.Object(
		ojson.M("object", ojson.String("realtime.response")), ojson.M("id", hole.Value(surface.HoleID)),
		ojson.M("status", ojson.String(status)), ojson.M("status_details", details), ojson.M("output", output),
		ojson.M("conversation_id", conversation), ojson.M("output_modalities", hole.Value(holeModalities)),
		ojson.M("max_output_tokens", hole.Value(holeMaxTokens)), ojson.M("audio", hole.Value(holeAudio)),
		ojson.M("usage", usage), ojson.M("metadata", hole.Value(holeMetadata)),
	)
	s.Options.Overwrite(&v)
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

// Fold returns the response object of the last event that has one. The API has no answers in one piece; code that looks at
// finished answers gets this object.
func (Surface) Fold(units []compile.Unit, _ surface.Options) ojson.Value {
	return surface.LastResponse(units)
}
