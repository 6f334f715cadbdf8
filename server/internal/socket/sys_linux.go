package socket

import (
	"net"
	"syscall"
	"unsafe"
)

// socketUnsent is how many bytes of a socket the other side has not
// acknowledged, or 0 if it does not say.
func socketUnsent(c net.Conn) int64 {
	var queued int32
	onSocket(c, func(fd uintptr) {
		// TIOCOUTQ is what sockets call SIOCOUTQ. After an error queued is still 0.
		_, _, _ = syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&queued)))
	})
	return int64(queued)
}

func onSocket(c net.Conn, f func(fd uintptr)) {
	if s, ok := c.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			_ = raw.Control(f)
		}
	}
}

// reserve keeps a port at which nobody listens until release is called: the kernel gives it
// to no outgoing connection. Dials are still refused. If it fails, nothing is reserved.
func reserve(addr net.Addr) (release func()) {
	nothing := func() {}
	a, ok := addr.(*net.TCPAddr)
	if !ok {
		return nothing
	}
	six := &syscall.SockaddrInet6{Port: a.Port}
	copy(six.Addr[:], a.IP.To16())
	family, at := syscall.AF_INET6, syscall.Sockaddr(six)
	if ip := a.IP.To4(); ip != nil {
		family, at = syscall.AF_INET, &syscall.SockaddrInet4{Port: a.Port, Addr: [4]byte(ip)}
	}
	fd, err := syscall.Socket(family, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nothing
	}
	_ = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1) // so that a listener may have it
	_ = syscall.Bind(fd, at)
	return func() { _ = syscall.Close(fd) }
}
