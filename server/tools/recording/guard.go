package recording

import (
	"cmp"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
)

// errHost and errOrigin are the reasons for which a session refuses a request.
var (
	errHost   = errors.New("on loopback the recorder answers only for localhost and the addresses of loopback, lest web pages ask through a name of their own; ask for 127.0.0.1")
	errOrigin = errors.New("a web page of another machine asks, and what it gets would be recorded; only pages of localhost may ask")
)

// refused is why a request is not passed on; nil if it is. A web page that a user visits could
// otherwise have its questions recorded, and reach what listens on the user's machine: by a
// request across origins, or through a host name that resolves to loopback.
func refused(r *http.Request) error {
	at, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if at != nil && at.IP.IsLoopback() && !isLocal(r.Host) {
		return errHost
	}
	asked := *r
	asked.Method = http.MethodPost // The library's check passes other methods.
	if new(http.CrossOriginProtection).Check(&asked) == nil {
		return nil
	}
	if origin, err := url.Parse(r.Header.Get("Origin")); err != nil || !isLocal(origin.Host) {
		return errOrigin
	}
	return nil
}

// isLocal reports whether a host, with or without a port, is this machine for all who ask.
func isLocal(hostPort string) bool {
	host, _, _ := net.SplitHostPort(hostPort)
	host = strings.ToLower(strings.Trim(cmp.Or(host, hostPort), "[]."))
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().IsLoopback()
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}
