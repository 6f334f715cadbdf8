package yamlfile

import (
	"fmt"
	"strconv"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func apiErrorCodec() table.Codec[*scenarios.APIError] {
	return errorCodec("message: Hello, end: { stall: { after: 0 } }", "message: Hello, end: $", apiErrorSection, func(e *scenarios.APIError) *scenarios.APIError { return e })
}

func errorStepCodec() table.Codec[*scenarios.ErrorStep] {
	return errorCodec("wait: 60s", "end: $ in scenario, beside stream", errorStepSection, func(e *scenarios.ErrorStep) *scenarios.APIError { return &e.APIError })
}

// errorCodec reads an error; a text alone is its message, a number alone its status.
// Silence and ending are what is written in place of an error, as for [errorInstead].
func errorCodec[P any](silence, ending string, section func() *table.Section[P], object func(P) *scenarios.APIError) table.Codec[P] {
	text := table.ReadOnly(table.As(table.Some(messageAlone(silence, ending)), func(e P) *scenarios.Opt[scenarios.Text] { return &object(e).Message }))
	status := table.ReadOnly(table.As(statusCodec(), func(e P) *int { return &object(e).Status }))
	return table.AnyOf(text, status, table.Later("a mapping", section))
}

// lateError is the hint for an HTTP error that comes after some time.
const lateError = "write wire: { header_delay: $ } beside error"

func apiErrorSection() *table.Section[*scenarios.APIError] {
	s := &table.Section[*scenarios.APIError]{
		Name:    "error",
		About:   "OpenAI's error object and the HTTP response around it.",
		Foreign: func(e *scenarios.APIError) *ojson.Value { return &e.Extra },
		Misplaced: map[string]string{
			"event": "only an error in a stream has it", "close": "only an error in a stream has it",
			"delay": lateError, "after": lateError, "latency": lateError, "timeout": lateError, "wait": lateError,
			"connection": "an error is answered; for a connection that breaks off write a message, and end: refuse or end: reset beside it",
			"html":       "write body: $, headers: { Content-Type: text/html }", "json": "write body, with the JSON as a text",
			"content_type": "write headers: { Content-Type: $ }", "text": "write message: $", "error": "write $*",
		},
		Check: func(d *table.Decoder, m table.Members, e *scenarios.APIError) bool {
			return headerSaidTwice(d, m, "retry_after", "Retry-After") && (e.Body == nil || excludeBody(d, m)) && d.OnlyOnce(m, errorTexts...)
		},
	}
	s.Fields = append(errorObjectFields(),
		table.Optional("retry_after", "The Retry-After header.", table.DurationCodec(), func(e *scenarios.APIError) **time.Duration { return &e.RetryAfter }),
		table.Key("headers", "Further headers of the response; null takes away one that the server sends by itself.", headersCodec(), func(e *scenarios.APIError) *[]scenarios.Header { return &e.Headers }),
		table.Optional("body", "Sent in place of the error object, as it is: an HTML page, half a JSON text.", sizedTextCodec(), func(e *scenarios.APIError) **scenarios.Text { return &e.Body }),
	)
	return s
}

// messageAlone reads the message of an error that says nothing else. It asks about
// texts that name a code, a type or a status, which an error with this message would
// not have.
func messageAlone(silence, ending string) table.Codec[*scenarios.Text] {
	return table.Validated(textCodec(), func(d *table.Decoder, n *yaml.Node, t *scenarios.Text) bool {
		meant := errorInstead(t.Source, silence, ending)
		if meant != "" {
			h := "write " + meant
			if text, ok := table.InLine(n, table.MostInLine); ok {
				h += ", or error: { message: " + text + " } if this text is meant"
			}
			d.Report(n, h, "%s alone would be only the message of the error", node.Abbreviate(n.Value))
		}
		return meant == ""
	})
}

func statusCodec() table.Codec[*int] { return table.IntCodec("an HTTP status", 200, 599) }

// errorObjectFields are the members of OpenAI's error object.
func errorObjectFields() []table.Field[*scenarios.APIError] {
	return []table.Field[*scenarios.APIError]{
		table.Key("status", "The HTTP status that the error has. Default: that of the code, or 500.", statusCodec(), func(e *scenarios.APIError) *int { return &e.Status }),
		table.Key("message", "What went wrong. Default: what the real service says with the code or the status.", errorText("message"), func(e *scenarios.APIError) *scenarios.Opt[scenarios.Text] { return &e.Message }),
		table.Key("type", "The kind of error. Default: what the real service sends with the code or the status.", errorText("type"), func(e *scenarios.APIError) *scenarios.Opt[scenarios.Text] { return &e.Type }),
		table.Key("param", "The parameter of the request that is at fault. Default: what the real service sends with the code, or null.", errorText("param"), func(e *scenarios.APIError) *scenarios.Opt[scenarios.Text] { return &e.Param }),
		table.Key("code", "The error code. Default: what the real service sends with the status, or null.", errorText("code"), func(e *scenarios.APIError) *scenarios.Opt[scenarios.Text] { return &e.Code }),
		table.Extra("Further members of the error object.", func(e *scenarios.APIError) *ojson.Value { return &e.Extra }),
		table.Key("beside", "Further members of the body, beside error, such as choices.", table.ObjectJSON(), func(e *scenarios.APIError) *ojson.Value { return &e.Beside }),
		table.Key("omit", "Members taken out of the error object, such as param.",
			table.NonEmpty(table.OneOrMore("a list of paths", table.PathCodec())), func(e *scenarios.APIError) *[]scenarios.Path { return &e.Omit }),
		table.Key("set", "Members of the error object overwritten with any JSON value, such as { code: 42 }; or error itself.", assignmentsCodec(),
			func(e *scenarios.APIError) *[]scenarios.Assignment { return &e.Set }),
		table.Key("flat", "The members stand in the body itself, and not under error.", table.BoolCodec(), func(e *scenarios.APIError) *bool { return &e.Flat }),
	}
}

// errorTexts is the texts of an error object.
var errorTexts = []string{"message", "type", "param", "code"}

// errorText reads a text of the error object. Other values can be set.
func errorText(member string) table.Codec[*scenarios.Opt[scenarios.Text]] {
	return table.OrRather(optText(), func(_ *table.Decoder, n *yaml.Node) string {
		switch kind := node.ShapeOf(n); {
		case kind&(node.Number|node.Bool) != 0:
			if status, err := strconv.Atoi(n.Value); err == nil && status >= 400 && status < 600 {
				return "write status: " + n.Value
			}
			return fmt.Sprintf("write %q in quotes if a text is meant, or else set: {%s: %s}", n.Value, member, n.Value)
		case kind == node.List || kind == node.Mapping && node.TemplateHint(n) == "":
			return fmt.Sprintf("for a value that is not a text, write set, with the key %s", member)
		}
		return ""
	})
}

// excludeBody reports members of an error object that a body replaces.
func excludeBody(d *table.Decoder, m table.Members) bool {
	replaced := m.Among("message", "type", "param", "code", "extra", "beside", "omit", "set", "flat")
	return d.RefuseEach(replaced, "leave one of them out: body is sent in place of the error object", "body and %s exclude each other")
}

func errorStepSection() *table.Section[*scenarios.ErrorStep] {
	object := func(e *scenarios.ErrorStep) *scenarios.APIError { return &e.APIError }
	const lateStep = "write after: $ in step, beside error"
	const late = "leave it out: the HTTP headers are sent before a stream and its errors"
	s := &table.Section[*scenarios.ErrorStep]{
		Name:  "error step",
		About: "An error object in mid-stream.",
		Check: func(d *table.Decoder, m table.Members, _ *scenarios.ErrorStep) bool {
			return d.OnlyOnce(m, errorTexts...)
		},
		Foreign:   func(e *scenarios.ErrorStep) *ojson.Value { return &e.Extra },
		Misplaced: map[string]string{"retry_after": late, "headers": late, "body": "use a raw step", "delay": lateStep, "after": lateStep, "wait": lateStep, "text": "write message: $", "error": "write $*"},
	}
	s.Fields = append(table.Within(object, errorObjectFields()),
		table.Key("event", "Also write an event: line with this name.", table.NameCodec("a name"), func(e *scenarios.ErrorStep) *string { return &e.Event }),
		table.Key("close", "End the stream after it, without [DONE].", table.BoolCodec(), func(e *scenarios.ErrorStep) *bool { return &e.Close }),
	)
	return s
}
