// Package wording turns the JSON of an answer into the scenario language: the chunks of a
// stream into steps, all of them into a message, the body of an error into an error. Its
// results are candidates: the caller plays them and compares the bytes.
package wording
