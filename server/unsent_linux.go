package server

import (
	"net"
	"syscall"
	"unsafe"
)

// socketUnsent is how many bytes of a socket the other side has not
// acknowledged, or 0 if it does not say.
func socketUnsent(c net.Conn) int64 {
	s, ok := c.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return 0
	}
	var queued int32
	_ = raw.Control(func(fd uintptr) {
		// TIOCOUTQ is what sockets call SIOCOUTQ. After an error queued is still 0.
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&queued)))
	})
	return int64(queued)
}
