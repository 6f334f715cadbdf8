package socket

import "syscall"

// The numbers of Winsock that package syscall does not name.
const (
	wsaEADDRINUSE   syscall.Errno = 10048
	wsaECONNABORTED syscall.Errno = 10053
	wsaECONNREFUSED syscall.Errno = 10061
)

// Sockets return the errors of Winsock; connections in memory return those of syscall.
var (
	reset   = []error{syscall.ECONNRESET, syscall.WSAECONNRESET}
	broken  = []error{syscall.EPIPE, wsaECONNABORTED}
	refused = []error{syscall.ECONNREFUSED, wsaECONNREFUSED}
	inUse   = []error{syscall.EADDRINUSE, wsaEADDRINUSE}
)
