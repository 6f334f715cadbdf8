// Package journal says what a server was asked, what it answered, and what of the
// answers its clients really took.
//
// An [Entry] is one request with its answer; its [Delivery] says how far the
// client read and how it left. [Calls] groups entries into what a client's program
// sees as one call: a request and its retries.
package journal
