// Package scenarios is the language of fakeopenai: YAML documents that say what
// an OpenAI-style API answers, chunk by chunk and beat by beat.
//
// [Parse] reads a file, [NewSet] checks what was read and makes it ready to
// play, and [Set.Match] picks the reply for a request:
//
//	set, err := scenarios.Load(os.DirFS("testdata"), "*.yaml")
//	sel, miss := set.Match(req, used)
//	lines, err := sel.Lines(ask)
//
// The package knows no HTTP: a surface of the server turns lines into bytes.
//
// The words of the language are described in README.md beside this file.
package scenarios
