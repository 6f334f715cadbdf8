// Package compat tests that real clients read what fakeopenai plays: openai-go,
// go-openai and the openai package for Node. Each reads every bundled scenario, and
// expected.json has the answer that it must read.
//
// The same clients and a third one for Go, azopenai, read the broken streams of
// faults.yaml. faults.json has what each client makes of each scenario: one line for
// each pair, so that a client that changes its behaviour changes one line.
//
// The frameworks built on OpenAI's API (@openai/agents, the AI SDK, LangChain) read
// frameworks.yaml, as the official clients do. frameworks.json has the result that all
// of them must have, and where a client differs, its own result and the reason.
//
// Agents run loops of three turns over HTTP and over WebSocket, and the client for Azure of
// the openai package creates and reads responses, conversations and the list of models.
//
// defects.yaml has streams of Responses with one defect each, and defects.json what
// each client makes of them. go test -run TestDefects -update writes that table and
// its page for readers, DEFECTS.md.
//
// attack.html, run in a real Chromium, tries what a web page must not be able to do to
// the server.
//
// The package is a module of its own, so that users of fakeopenai do not get the
// clients as dependencies.
package compat
