// Package compat holds the proof that real clients read what fakeopenai plays:
// openai-go, go-openai and the openai package for Node, each over every bundled
// scenario. What they have to find is written down in expected.json.
//
// It is a module of its own, so that users of fakeopenai do not inherit the
// clients.
package compat
