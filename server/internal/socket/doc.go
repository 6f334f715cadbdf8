// Package socket wraps the listeners and connections of a server. A wrapped connection
// counts its requests and the bytes that it took, and notices how its client left. A
// wrapped listener can refuse connections for a while. The package knows nothing of HTTP.
package socket
