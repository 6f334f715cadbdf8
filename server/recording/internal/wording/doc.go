// Package wording finds the words of the scenario language for the JSON of an answer:
// steps for the chunks of a stream, a message for what they say together, an error
// for the body of one. It finds the words that may send the JSON; whoever plays them
// sees whether they do.
package wording
