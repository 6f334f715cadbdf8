//go:build !linux

package server

import "net"

// socketUnsent is known on Linux only.
func socketUnsent(net.Conn) (n int64, known bool) { return 0, false }
