// Package apierror knows the errors of OpenAI's API: their texts, types and
// codes, the status with which each comes, and the bytes in which the real
// service lays them out.
package apierror

import "github.com/fakeopenai/fakeopenai/scenarios/ojson"

// Error is an error answer in the members of OpenAI's error object.
type Error struct {
	Status  int // Status is that of the HTTP answer.
	Message string
	Type    string
	Param   string // Param is a place in the request; "" is null.
	Code    string // Code is null if it is "".
	Shape   Shape
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Body is the JSON text, byte for byte as the real service lays it out.
func (e *Error) Body() []byte {
	return e.Shape.Layout(Envelope(e.Object()))
}

// Object is the error object, with the members in the order of its shape.
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

// Envelope is the body that holds an error object.
func Envelope(object ojson.Value) ojson.Value {
	return ojson.Object(ojson.M("error", object))
}

// Shape is one of the ways in which the real service lays out its errors.
type Shape uint8

// The shapes of errors.
const (
	Standard Shape = iota // Standard has two spaces and no final line feed.
	Auth                  // Auth has four spaces and a final line feed: for wrong and missing keys.
	Gateway               // Gateway has its members in the order of the gateway that knows no URL.
	Azure                 // Azure has code and message, in one line.
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

// ContentType is the value of that header for a body in this shape.
func (s Shape) ContentType() string {
	if s == Auth {
		return "application/json; charset=utf-8"
	}
	return "application/json"
}
