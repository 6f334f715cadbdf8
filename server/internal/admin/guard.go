package admin

import (
	"context"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// guarded wraps an endpoint so that it answers only requests with the token or, if the
// server has no token, requests of programs on this machine. Web pages of other origins in
// a browser on this machine do not count as such programs.
func (h *Handler) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refusal := h.refusal(r)
		switch {
		case refusal == nil:
			next.ServeHTTP(w, r)
		case refusal.Code == apierror.CodeAdminToken && r.URL.Path == Path && wantsPage(r):
			servePage(w, refusal.Status) // which asks for the token
		default:
			writeError(w, refusal)
		}
	})
}

// refusal returns the error answer for a request that may not use the endpoints; nil if it
// may.
func (h *Handler) refusal(r *http.Request) *apierror.Error {
	if token := h.fake.Token; token != "" {
		if subtle.ConstantTimeCompare([]byte(request.BearerToken(r.Header)), []byte(token)) == 1 {
			return nil
		}
		return apierror.Refusal(http.StatusUnauthorized, apierror.CodeAdminToken,
			"The endpoints below /_fake/ need the server's admin token: send it as Authorization: Bearer TOKEN.")
	}
	switch exposed := h.exposedBy(r); {
	case exposed != nil:
		h.sayOff(r.Context(), exposed)
		return apierror.Refusal(http.StatusForbidden, apierror.CodeAdminOff, fmt.Sprintf("The endpoints below /_fake/ are off except healthz and readyz, because the server listens on %s, "+
			"beyond loopback, and has no admin token. Start it with --admin-token TOKEN (in Go Config.AdminToken) and send Authorization: Bearer TOKEN, or let it listen on 127.0.0.1.", exposed))
	case !h.answersFor(r):
		return apierror.Refusal(http.StatusForbidden, apierror.CodeAdminRefused, fmt.Sprintf("The endpoints below /_fake/ answer only for hosts that the server was told of, lest web pages read them through a name of their own, "+
			"and %q is not one. Ask for localhost or 127.0.0.1, or start the server with --admin-host %s (in Go Config.AdminHosts).", r.Host, hostToPaste(r.Host)))
	case crossOrigin(r):
		return apierror.Refusal(http.StatusForbidden, apierror.CodeAdminRefused, "The endpoints below /_fake/ are not for web pages of another origin, and the browser says that one asks. "+
			"Paste the address into the address bar; or start the server with --admin-token TOKEN (in Go Config.AdminToken) and send Authorization: Bearer TOKEN.")
	}
	return nil
}

// Bind records that the server listens on an address.
func (h *Handler) Bind(addr net.Addr) {
	h.bound.CompareAndSwap(nil, &addr)
	if h.fake.Token != "" || h.fake.HealthOnly || !IsExposed(addr) {
		return
	}
	h.exposed.CompareAndSwap(nil, &addr)
	h.sayOff(context.Background(), addr)
}

// exposedBy returns an address of the server beyond loopback: one of Bind, or the one to
// which the request came; nil if there is none.
func (h *Handler) exposedBy(r *http.Request) net.Addr {
	if addr := h.exposed.Load(); addr != nil {
		return *addr
	}
	if addr := localAddr(r); IsExposed(addr) {
		return addr
	}
	return nil
}

// sayOff logs, once, that the endpoints are off.
func (h *Handler) sayOff(ctx context.Context, addr net.Addr) {
	h.saidOff.Do(func() {
		h.fake.Logger.WarnContext(ctx, "the endpoints below /_fake/ are off except healthz and readyz, because the server listens beyond loopback; to have them, start it with --admin-token TOKEN", "addr", addr.String())
	})
}

// localAddr is the server's address of the request's connection; nil if there is no
// connection.
func localAddr(r *http.Request) net.Addr {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return addr
}

// IsExposed reports whether other machines can reach an address. They cannot reach Unix
// sockets and connections in memory.
func IsExposed(addr net.Addr) bool {
	if !isTCP(addr) {
		return false
	}
	at, err := netip.ParseAddrPort(addr.String())
	return err != nil || !at.Addr().Unmap().IsLoopback()
}

func isTCP(addr net.Addr) bool { return addr != nil && strings.HasPrefix(addr.Network(), "tcp") }

// answersFor reports whether the endpoints answer for the host of the request. A web page
// could otherwise read them through a host name of its own that resolves to this machine
// (DNS rebinding). Browsers use TCP, so other connections are not checked.
func (h *Handler) answersFor(r *http.Request) bool {
	if !isTCP(localAddr(r)) {
		return true
	}
	host := hostOf(r.Host)
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsLoopback() {
		return true
	}
	return host == "localhost" || strings.HasSuffix(host, ".localhost") || slices.Contains(h.hosts, host)
}

// hostOf returns the name or address in a Host header, in the spelling of [normalHost].
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		header = host
	}
	return normalHost(header)
}

// normalHost returns a host in the one spelling in which hosts are compared.
func normalHost(host string) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// hostName matches names of hosts, which need no quotes in a shell.
var hostName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w.-]+$`) })

// CheckHost returns an error if host is not a name or address.
func CheckHost(host string) error {
	if _, err := netip.ParseAddr(normalHost(host)); err == nil || hostName().MatchString(host) {
		return nil
	}
	return errors.New("write a name or an address alone, such as fake.test, without scheme and port")
}

// hostToPaste returns the host of a Host header in a form that can be pasted after --admin-host.
func hostToPaste(header string) string {
	if host := hostOf(header); CheckHost(host) == nil {
		return host
	}
	return "NAME"
}

// crossOrigin reports whether the request comes from a web page of another origin, by the
// header fields that browsers send. Unlike the standard library's check, it includes GET.
func crossOrigin(r *http.Request) bool {
	asked := *r
	asked.Method = http.MethodPost
	return new(http.CrossOriginProtection).Check(&asked) != nil
}
