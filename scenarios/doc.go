// Package scenarios is the language of fakeopenai as Go values: what an
// OpenAI-style API answers, chunk by chunk and beat by beat.
//
// A [Scenario] says which requests it answers (its [When]) and what with: replies
// in order, each a [Message], a stream of [Step] values or an [APIError], and how
// they are spoken (its [Manner]). It is plain data. [NewSet] checks scenarios
// together and makes them ready to be asked, and [Set.Match] picks the reply for
// a [Request].
//
// Scenarios are mostly written as YAML, which package yamlfile reads and writes;
// README.md beside this file leads to the reference of its words, in the folder
// docs. Package step makes the steps of a stream, and package sweep names ways to
// speak an answer otherwise.
// Package server checks what a set cannot see by itself, templates and the rules
// of the protocol, and plays it; this package knows no HTTP.
package scenarios
