package front

import "net"

// URL is the URL at which a client on this machine reaches an address. An
// address that stands for all interfaces is reached at the loopback one.
func URL(addr string, secure bool) string {
	scheme := "http://"
	if secure {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return scheme + addr
	}
	if isEverywhere(host) {
		host = "127.0.0.1"
	}
	return scheme + net.JoinHostPort(host, port)
}

// IsEverywhere reports whether an address stands for all interfaces.
func IsEverywhere(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && isEverywhere(host)
}

func isEverywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// Host is the name of a host in an address to listen on; none where an IP address
// or nothing is in its place.
func Host(addr string) []string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host == "" || net.ParseIP(host) != nil {
		return nil
	}
	return []string{host}
}
