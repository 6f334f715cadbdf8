//go:build !386 && !s390x

package socket

import (
	"encoding/binary"
	"net"
	"syscall"
	"unsafe"
)

// socketPackets is how many TCP packets with data a socket has sent, or 0 if it does not say.
func socketPackets(c net.Conn) int {
	var info [160]byte // the beginning of tcp_info, which ends with tcpi_data_segs_out; zero after an error
	size := uint32(len(info))
	onSocket(c, func(fd uintptr) {
		_, _, _ = syscall.Syscall6(syscall.SYS_GETSOCKOPT, fd, syscall.IPPROTO_TCP, syscall.TCP_INFO, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	})
	return int(binary.NativeEndian.Uint32(info[len(info)-4:]))
}
