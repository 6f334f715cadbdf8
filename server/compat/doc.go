// Package compat tests that real clients read what fakeopenai plays.
//
// A specimen is a scenario that says what a healthy client comes to: those of the zoo, those bundled, and
// those in the folder specimens. Each client has an adapter, and fakeopenai conform asks it for each
// specimen. clients.json has what the clients came to where it is something else, and CLIENTS.md shows it.
//
// What conform cannot ask for has tests of its own: requests with further members, retries, clients that
// leave or give up, responses that are resumed, loops of agents over HTTP and WebSocket, the client for
// Azure, and recordings.
//
// attack.html, run in a real Chromium, tries what a web page must not be able to do to
// the server.
//
// The package is a module of its own, so that users of fakeopenai do not get the
// clients as dependencies.
package compat
