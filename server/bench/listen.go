package main

import (
	"bytes"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// join finds the processes of a server that was started by others, so that their CPU time
// and memory can be reported. The processes of another machine or another user cannot be
// found; then t.pids stays empty. A process that may run on other cores than serverCore is
// an error, because the servers beside it may not.
func (t *target) join() error {
	u, err := url.Parse(t.url)
	if err != nil {
		return err
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		return fmt.Errorf("-target %s: %w; start this server before the measuring", t.name, err)
	}
	_ = conn.Close()
	if ips, err := net.LookupIP(u.Hostname()); err != nil || !slices.ContainsFunc(ips, net.IP.IsLoopback) {
		return err
	}
	port, err := strconv.ParseUint(u.Port(), 10, 16)
	if err != nil {
		return fmt.Errorf("-target %s: %s has no port", t.name, t.url)
	}
	t.pids = listeners(uint16(port))
	for _, pid := range t.pids {
		if cores := coresOf(pid); cores != serverCore {
			return fmt.Errorf("-target %s: process %d may run on the cores %s, the servers beside it only on %s; pin it: taskset -a -p -c %s %d",
				t.name, pid, cores, serverCore, serverCore, pid)
		}
	}
	return nil
}

// listeners are the ids of the processes that listen on a TCP port of this machine.
func listeners(port uint16) (pids []int) {
	var sockets []string
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		src, _ := os.ReadFile(file) // tcp6 is missing on a machine without IPv6
		sockets = append(sockets, listening(src, port)...)
	}
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		to, err := os.Readlink(link)
		if err != nil || !slices.Contains(sockets, to) {
			continue // a process of another user, or one that has ended
		}
		if pid, err := strconv.Atoi(strings.Split(link, "/")[2]); err == nil && !slices.Contains(pids, pid) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// listening are the sockets in the kernel's table of TCP sockets that listen on a port,
// written as the links in /proc/PID/fd name them.
func listening(table []byte, port uint16) (sockets []string) {
	const local, state, inode = 1, 3, 9 // columns of the table
	for line := range bytes.Lines(table) {
		fields := strings.Fields(string(line))
		if len(fields) > inode && fields[state] == "0A" && strings.HasSuffix(fields[local], fmt.Sprintf(":%04X", port)) {
			sockets = append(sockets, "socket:["+fields[inode]+"]")
		}
	}
	return sockets
}

// coresOf is the list of cores that the threads of a process may run on, as in
// /proc/PID/status. If the threads differ, it is that of a thread not pinned to serverCore.
func coresOf(pid int) string {
	var cores string
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	for _, file := range files {
		src, _ := os.ReadFile(file) // a thread that has ended
		_, rest, _ := strings.Cut(string(src), "Cpus_allowed_list:")
		line, _, _ := strings.Cut(rest, "\n")
		if own := strings.TrimSpace(line); own != "" && own != serverCore || cores == "" {
			cores = own
		}
	}
	return cores
}
