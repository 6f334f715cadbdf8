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

// guarded lets through who may use the endpoints: whoever has the token, and if
// there is none, the programs of this machine. A page in a browser is no such
// program, though its requests come from this machine, too.
func (h *Handler) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if refusal := h.refusal(r); refusal != nil {
			writeError(w, refusal)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// refusal says why a request may not use the endpoints; nil is that it may.
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
		return apierror.Refusal(http.StatusForbidden, apierror.CodeAdminOff, fmt.Sprintf("The endpoints below /_fake/ are off but for healthz and readyz, because the server listens on %s, "+
			"beyond loopback, and has no admin token. Start it with --admin-token TOKEN (in Go Config.AdminToken) and send Authorization: Bearer TOKEN, or let it listen on 127.0.0.1.", exposed))
	case !h.answersFor(r):
		return apierror.Refusal(http.StatusForbidden, apierror.CodeAdminRefused, fmt.Sprintf("The endpoints below /_fake/ answer only for hosts that the server was told of, lest web pages read them through a name of their own, "+
			"and %q is not one. Ask for localhost or 127.0.0.1, or start the server with --admin-host %s (in Go Config.AdminHosts).", r.Host, pasted(r.Host)))
	case crossOrigin(r):
		return apierror.Refusal(http.StatusForbidden, apierror.CodeAdminRefused, "The endpoints below /_fake/ are not for web pages of another origin, and the browser says that one asks. "+
			"Paste the address into the address bar; or start the server with --admin-token TOKEN (in Go Config.AdminToken) and send Authorization: Bearer TOKEN.")
	}
	return nil
}

// Bind tells the endpoints that the server listens on an address.
func (h *Handler) Bind(addr net.Addr) {
	if h.fake.Token != "" || h.fake.HealthOnly || !isExposed(addr) {
		return
	}
	h.exposed.CompareAndSwap(nil, &addr)
	h.sayOff(context.Background(), addr)
}

// exposedBy is the address beyond loopback at which the request, or another one,
// reaches the server; nil if there is none.
func (h *Handler) exposedBy(r *http.Request) net.Addr {
	if addr := h.exposed.Load(); addr != nil {
		return *addr
	}
	if addr := localAddr(r); isExposed(addr) {
		return addr
	}
	return nil
}

// sayOff lets the log say once that the endpoints are off.
func (h *Handler) sayOff(ctx context.Context, addr net.Addr) {
	h.saidOff.Do(func() {
		h.fake.Logger.WarnContext(ctx, "the endpoints below /_fake/ are off but for healthz and readyz, because the server listens beyond loopback; to have them, start it with --admin-token TOKEN", "addr", addr.String())
	})
}

// localAddr is the address of this side of the request's connection; nil if the
// handler was called without one.
func localAddr(r *http.Request) net.Addr {
	addr, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	return addr
}

// isExposed reports whether other machines reach an address. Sockets of Unix and
// connections in memory are for this machine alone.
func isExposed(addr net.Addr) bool {
	if !isTCP(addr) {
		return false
	}
	at, err := netip.ParseAddrPort(addr.String())
	return err != nil || !at.Addr().Unmap().IsLoopback()
}

func isTCP(addr net.Addr) bool { return addr != nil && strings.HasPrefix(addr.Network(), "tcp") }

// answersFor reports whether the request names a host of ours. A name of somebody
// else's that leads here is how web pages get past the rule that they read only
// what is of their own origin. Where there is no TCP, there are no pages.
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

// hostOf is the name or address in a Host header, in the one spelling that we
// compare.
func hostOf(header string) string {
	if host, _, err := net.SplitHostPort(header); err == nil {
		header = host
	}
	return spelled(header)
}

func spelled(host string) string {
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	if ip, err := netip.ParseAddr(host); err == nil {
		return ip.Unmap().String()
	}
	return strings.TrimSuffix(strings.ToLower(host), ".")
}

// hostName is what names can be made of, and what a shell takes as it is.
var hostName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w.-]+$`) })

// CheckHost reports what cannot be the name or address of a host.
func CheckHost(host string) error {
	if _, err := netip.ParseAddr(spelled(host)); err == nil || hostName().MatchString(host) {
		return nil
	}
	return errors.New("write a name or an address alone, such as fake.test, without scheme and port")
}

// pasted is the host as one can paste it after --admin-host.
func pasted(header string) string {
	if host := hostOf(header); CheckHost(host) == nil {
		return host
	}
	return "NAME"
}

// crossOrigin reports whether a page of another origin asks, by what browsers say
// of each request. Unlike the standard library's check it holds for GET, too: no
// method here is for pages.
func crossOrigin(r *http.Request) bool {
	asked := *r
	asked.Method = http.MethodPost
	return new(http.CrossOriginProtection).Check(&asked) != nil
}
