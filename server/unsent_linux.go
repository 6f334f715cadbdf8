package server

import (
	"net"
	"syscall"
	"unsafe"
)

// socketUnsent is how many bytes of a socket the other side has not
// acknowledged.
func socketUnsent(c net.Conn) (n int64, known bool) {
	s, ok := c.(syscall.Conn)
	if !ok {
		return 0, false
	}
	raw, err := s.SyscallConn()
	if err != nil {
		return 0, false
	}
	var queued int32
	err = raw.Control(func(fd uintptr) {
		// TIOCOUTQ is what sockets call SIOCOUTQ.
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&queued)))
		known = errno == 0
	})
	return int64(queued), known && err == nil
}
