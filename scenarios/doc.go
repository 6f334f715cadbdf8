// Package scenarios holds the scenario language of fakeopenai as Go values: what an OpenAI-style API answers, chunk by
// chunk; its types, [NewSet], [Some], [NullOf], [Scenario.Clone], [Set.Scenarios], [Set.Lookup] and [Set.Len] are for users,
// while other functions and methods serve this module alone and may change in any version.
//
// A [Scenario] says which requests it answers (its [When]), its replies in order
// (each a [Message], a stream of [Step] values or an [APIError]), and how the
// replies are sent (its [Manner]). It is plain data. [NewSet] checks scenarios
// together and prepares them for matching; [Set.Match] picks the reply for a
// [Request].
//
// Most scenarios are written as YAML, which package yamlfile reads and writes.
// README.md beside this file leads to the reference of the language, in the folder
// docs. Package step builds the steps of a stream in Go.
// Package server plays a set. It also checks what this package cannot: templates
// and the rules of the protocol. This package knows no HTTP.
package scenarios
