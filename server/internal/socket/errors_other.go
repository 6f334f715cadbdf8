//go:build !windows

package socket

import "syscall"

var (
	reset   = []error{syscall.ECONNRESET}
	broken  = []error{syscall.EPIPE}
	refused = []error{syscall.ECONNREFUSED}
	inUse   = []error{syscall.EADDRINUSE}
)
