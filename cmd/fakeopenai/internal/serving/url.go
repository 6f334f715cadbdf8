package serving

import "net"

// URL returns the URL by which a client on this machine reaches an address. If the
// address means all interfaces, that is the loopback address.
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

// IsEverywhere reports whether an address means all interfaces.
func IsEverywhere(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && isEverywhere(host)
}

func isEverywhere(host string) bool {
	ip := net.ParseIP(host)
	return host == "" || ip != nil && ip.IsUnspecified()
}

// Host returns the host name of an address to listen on, or nothing if the address has
// an IP address or no host.
func Host(addr string) []string {
	host, _, err := net.SplitHostPort(addr)
	if err != nil || host == "" || net.ParseIP(host) != nil {
		return nil
	}
	return []string{host}
}
