package scenarios

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// errorObjectFields are the members of OpenAI's error object.
func errorObjectFields() []field[APIError] {
	return []field[APIError]{
		key("status", "The HTTP status that the error has. Default: 500.", intCodec("an HTTP status", 200, 599), func(e *APIError) *int { return &e.Status }),
		key("message", "What went wrong.", optText(), func(e *APIError) *Opt[Text] { return &e.Message }),
		key("type", "The kind of error. Default: what the real service sends with the status.", optText(), func(e *APIError) *Opt[Text] { return &e.Type }),
		key("param", "The parameter of the request that is at fault. Default: null.", optText(), func(e *APIError) *Opt[Text] { return &e.Param }),
		key("code", "The error code. Default: null.", optText(), func(e *APIError) *Opt[Text] { return &e.Code }),
		put("extra", "Further members of the error object. Keys that are not known here are sent, too.", objectJSON(), addExtra),
	}
}

// addExtra adds members to those that were written beside extra.
func addExtra(e *APIError, more ojson.Value) { mergeMembers(&e.Extra, more) }

func mergeMembers(v *ojson.Value, more ojson.Value) {
	for _, m := range more.Members() {
		setMember(v, m.Name, m.Value)
	}
}

// apiErrorCodec reads an HTTP error; a text alone is its message.
func apiErrorCodec() codec[APIError] {
	s := &section[APIError]{
		name:  "error",
		about: "OpenAI's error object and the HTTP response around it.",
		place: func(e *APIError) *Pos { return &e.Pos },
		rest:  func(e *APIError) *ojson.Value { return &e.Extra },
		misplaced: map[string]string{
			"event": "an event name belongs to an error in mid-stream",
			"close": "it belongs to an error in mid-stream",
		},
		check: func(d *decoder, m members, e *APIError) bool {
			if e.Body == nil {
				return true
			}
			return d.excludeBody(m)
		},
	}
	s.fields = append(errorObjectFields(),
		maybe("retry_after", "The Retry-After header.", durationCodec(), func(e *APIError) **time.Duration { return &e.RetryAfter }),
		key("headers", "Further headers of the response.", headersCodec(), func(e *APIError) *[]Header { return &e.Headers }),
		maybe("body", "Sent in place of the error object, as it is: an HTML page, half a JSON text.", sizedTextCodec(), func(e *APIError) **Text { return &e.Body }),
	)
	text := as(textCodec(), func(t Text, p Pos) APIError { return APIError{Message: Some(t), Pos: p} })
	return anyOf(text, s.codec("a mapping"))
}

// excludeBody reports members of an error object that a body replaces.
func (d *decoder) excludeBody(m members) bool {
	ok := true
	for _, p := range m.among("message", "type", "param", "code", "extra") {
		d.report(p.key, "body is sent in place of the error object", "body and %s exclude each other", p.name)
		ok = false
	}
	return ok
}

// errorStepCodec reads an error in mid-stream; a text alone is its message.
func errorStepCodec() codec[ErrorStep] {
	object := func(e *ErrorStep) *APIError { return &e.APIError }
	const late = "the HTTP response has begun when a stream's error is sent"
	s := &section[ErrorStep]{
		name:      "error step",
		about:     "An error object in mid-stream.",
		place:     func(e *ErrorStep) *Pos { return &e.Pos },
		rest:      func(e *ErrorStep) *ojson.Value { return &e.Extra },
		misplaced: map[string]string{"retry_after": late, "headers": late, "body": "use a raw step"},
	}
	s.fields = append(within(object, errorObjectFields()),
		key("event", "Also write an event: line with this name.", nameCodec("a name"), func(e *ErrorStep) *string { return &e.Event }),
		key("close", "End the stream after it, without [DONE].", boolCodec(), func(e *ErrorStep) *bool { return &e.Close }),
	)
	text := as(textCodec(), func(t Text, p Pos) ErrorStep { return ErrorStep{APIError: APIError{Message: Some(t), Pos: p}} })
	return anyOf(text, s.codec("a mapping"))
}
