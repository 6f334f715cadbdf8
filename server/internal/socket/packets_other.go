//go:build !linux || 386 || s390x

package socket

import "net"

// socketPackets is known on Linux only.
func socketPackets(net.Conn) int { return 0 }
