//go:build !linux

package server

import "net"

// socketUnsent is known on Linux only.
func socketUnsent(net.Conn) int64 { return 0 }
