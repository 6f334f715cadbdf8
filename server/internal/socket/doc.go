// Package socket watches the connections of a server: how many requests each one
// served, how many bytes it took, how its client left. It can also refuse
// connections for a while. It knows nothing of HTTP or of what is answered.
package socket
