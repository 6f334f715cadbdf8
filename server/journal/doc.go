// Package journal records the requests that a server got, the answers that it gave, and how
// much of the answers its clients took.
//
// An [Entry] is one request with its answer. Its [Delivery] says how far the client read and
// how it left. [Calls] groups entries into calls, as the client's program sees them: a
// request and its retries.
package journal
