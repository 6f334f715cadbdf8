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

// join finds the processes behind a server that somebody else has started, so that their
// CPU time and memory can be told. One on another machine, or of another user, has none
// that can be found. One that may use another core than the servers that are started here
// is an error: it would be compared with servers that may not.
func (t *target) join() error {
	u, err := url.Parse(t.url)
	if err != nil {
		return err
	}
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

// listeners are the processes that listen on a port of this machine.
func listeners(port uint16) (pids []int) {
	var sockets []string
	for _, file := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
		src, _ := os.ReadFile(file) // a machine without IPv6 has no second one
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

// listening are the sockets that listen on a port, as links of descriptors name them, in
// a table of the kernel.
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

// coresOf are the cores that a process may run on, or that one of its threads may where
// it is not this process's only one.
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
