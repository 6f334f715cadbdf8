//go:build !linux

package socket

import "net"

// socketUnsent is known on Linux only.
func socketUnsent(net.Conn) int64 { return 0 }

// reserve keeps a port on Linux only.
func reserve(net.Addr) (release func()) { return func() {} }
