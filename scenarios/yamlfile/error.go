package yamlfile

import (
	"fmt"
	"strconv"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// errorCodec reads an error; a text alone is its message, a number alone its status.
// Silence and ending are what is written in place of an error, as for [errorInstead].
func errorCodec[T any](silence, ending string, section func() *table.Section) table.Codec {
	text := table.ReadOnly(table.As[T](table.Some[scenarios.Text](messageAlone(silence, ending)), "Message"))
	status := table.ReadOnly(table.As[T](statusCodec(), "Status"))
	return table.AnyOf(text, status, table.Later[T]("a mapping", section))
}

func apiErrorSection() *table.Section {
	s := &table.Section{
		Name:    "error",
		About:   "OpenAI's error object and the HTTP response around it.",
		Foreign: "Extra",
		Check: table.Check(func(d *table.Decoder, m table.Members, e *scenarios.APIError) bool {
			return headerSaidTwice(d, m, "retry_after", "Retry-After") && (e.Body == nil || excludeBody(d, m)) && d.OnlyOnce(m, errorTexts...)
		}),
	}
	s.Fields = append(errorObjectFields(),
		table.Key("retry_after", "In place of an answer: the Retry-After header."),
		table.Key("headers", "In place of an answer: further headers of the response; null removes one that the server sends by itself.", headersCodec()),
		table.Key("body", "In place of an answer: sent in place of the error object, as it is: an HTML page, half a JSON text.", sizedTextCodec()),
	)
	return s
}

// messageAlone reads the message of an error that says nothing else. It asks about
// texts that name a code, a type or a status, which an error with this message would
// not have.
func messageAlone(silence, ending string) table.Codec {
	return table.Validated(table.TextCodec(), func(d *table.Decoder, n *yaml.Node, t *scenarios.Text) bool {
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

func statusCodec() table.Codec { return table.IntCodec("an HTTP status", 200, 599) }

func errorObjectFields() []table.Field {
	return table.Listed("error",
		table.Key("status", "The HTTP status of the error. Default: by the code, or 500.", statusCodec()),
		table.Key("message", "What went wrong. Default: what the real service says with the code or the status.", errorText("message")),
		table.Key("type", "The kind of error. Default: what the real service sends with the code or the status.", errorText("type")),
		table.Key("param", "The parameter of the request that is at fault. Default: what the real service sends with the code, or null.", errorText("param")),
		table.Key("code", "The error code. Default: what the real service sends with the status, or null.", errorText("code")),
		table.Extra("Further members of the error object.", "Extra"),
		table.Key("beside", "Further members of the body, beside error, such as choices.", table.ObjectJSON()),
		table.Key("omit", "Members taken out of the error object, such as param."),
		table.Key("set", "Members of the error object overwritten with any JSON value, such as { code: 42 }; or error itself."),
		table.Key("flat", "The members stand in the body itself, and not under error."),
	)
}

var errorTexts = []string{"message", "type", "param", "code"}

// errorText reads a text of the error object. Other values can be set.
func errorText(member string) table.Codec {
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

func excludeBody(d *table.Decoder, m table.Members) bool {
	replaced := m.Among("message", "type", "param", "code", "extra", "beside", "omit", "set", "flat")
	return d.RefuseEach(replaced, "leave one of them out: body is sent in place of the error object", "body and %s exclude each other")
}

func errorStepSection() *table.Section {
	s := &table.Section{
		Name:  "error step",
		About: "An error object in mid-stream.",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			return d.OnlyOnce(m, errorTexts...)
		},
		Foreign: "Extra",
	}
	s.Fields = append(errorObjectFields(), table.Listed("error",
		table.Key("event", "In a stream: also write an event: line with this name.", table.NameCodec("a name")),
	)...)
	return s
}
