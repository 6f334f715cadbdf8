// Package apierror knows the errors of OpenAI's API: their texts, types, codes and
// statuses, and the exact layout of their JSON.
package apierror

import "github.com/fakeopenai/fakeopenai/scenarios/ojson"

// Error is an error of the API, with the members of OpenAI's error object.
type Error struct {
	Status  int // Status is the HTTP status.
	Message string
	Type    string
	Param   string // Param is a place in the request; "" stands for null.
	Code    string // Code is "" for null.
	Shape   Shape
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Body is the JSON text of the answer, byte for byte as the real service lays it out.
func (e *Error) Body() []byte {
	return e.Shape.Layout(Envelope(e.Object()))
}

// Object is the error object, with its members in the order of the error's shape.
func (e *Error) Object() ojson.Value {
	message, kind := ojson.M("message", ojson.String(e.Message)), ojson.M("type", ojson.String(e.Type))
	param, code := ojson.M("param", stringOrNull(e.Param)), ojson.M("code", stringOrNull(e.Code))
	switch e.Shape {
	case Gateway:
		return ojson.Object(kind, code, message, param)
	case Azure:
		return ojson.Object(code, message)
	}
	return ojson.Object(message, kind, param, code)
}

func stringOrNull(s string) ojson.Value {
	if s == "" {
		return ojson.Null()
	}
	return ojson.String(s)
}

// Envelope is the body with an error object.
func Envelope(object ojson.Value) ojson.Value {
	return ojson.Object(ojson.M("error", object))
}

// Shape is a layout of errors. The real service has several.
type Shape uint8

// The shapes of errors.
const (
	Standard Shape = iota // Standard is indented by two spaces, without a final line feed.
	Auth                  // Auth is indented by four spaces, with a final line feed. Errors about API keys have it.
	Gateway               // Gateway has the member order of the gateway that reports unknown URLs.
	Azure                 // Azure has only code and message, in one line.
)

// Layout is the text of an error body in this shape.
func (s Shape) Layout(body ojson.Value) []byte {
	switch s {
	case Auth:
		return append(ojson.Style{Indent: "    "}.Append(nil, body), '\n')
	case Azure:
		return body.Append(nil)
	}
	return ojson.Style{Indent: "  "}.Append(nil, body)
}

// ContentType is the Content-Type of an error in this shape.
func (s Shape) ContentType() string {
	if s == Auth {
		return "application/json; charset=utf-8"
	}
	return "application/json"
}
