package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
)

// pollEvery is the pause between two requests to a server that is not ready.
const pollEvery = 50 * time.Millisecond

type healthOptions struct {
	url, addr string
	wait      bool
	timeout   time.Duration
}

func (a *app) healthcheckCommand() *cobra.Command {
	var o healthOptions
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Check whether a server is ready",
		Long: `Ask a running server whether it is ready. Exit code 0 says that the server is
ready, 1 that it is not. With --wait the command asks again until the server is ready or
the time is up.

A server that speaks HTTPS is asked by HTTPS. On loopback any certificate is accepted,
because nothing secret is sent; elsewhere the system must trust the certificate.`,
		Example: `  fakeopenai healthcheck --wait --timeout 30s
  HEALTHCHECK CMD ["/fakeopenai", "healthcheck"]      in a Dockerfile`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			switch given := console.Given(cmd.Flags(), "url", "addr"); {
			case len(given) == 2:
				return console.Misuse("--url and --addr both say where the server is; give one of them")
			case slices.Contains(given, "--addr"):
				o.url = "" // that of the variable
			}
			return a.healthcheck(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	console.Define(flags, &o.url, "url", "", "ask the server at this `URL` (default: that of --addr)", console.Text)
	console.Define(flags, &o.addr, "addr", defaultAddr, "ask the server that listens on this `host:port`", console.Address)
	console.Switch(flags, &o.wait, "wait", "wait until the server is ready")
	console.Define(flags, &o.timeout, "timeout", "10s", "wait this `duration` for an answer, or for readiness with --wait", console.Timeout)
	return cmd
}

// healthcheck asks the server once or, with --wait, until it is ready.
func (a *app) healthcheck(ctx context.Context, o healthOptions) error {
	base, err := healthURL(o.url, o.addr)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	ask := func() error {
		err := checkReady(ctx, base)
		if errors.Is(err, errSpeaksHTTPS) {
			base = "https" + strings.TrimPrefix(base, "http")
			err = checkReady(ctx, base)
		}
		return err
	}
	if o.wait {
		err = awaitReady(ctx, ask)
	} else {
		err = ask()
	}
	if err != nil {
		return console.Problem(fmt.Errorf("%s is not ready: %w", base, err))
	}
	_, err = fmt.Fprintf(a.stdout, "%s is ready\n", base)
	return err
}

// healthURL returns the base URL of the server: the given one, without its /v1, or that
// of the address.
func healthURL(server, addr string) (string, error) {
	if server == "" {
		return serving.URL(addr, false), nil
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", console.Misuse("invalid value %q for flag --url: write a URL such as http://127.0.0.1:8080", server)
	}
	return strings.TrimSuffix(strings.TrimRight(server, "/"), "/v1"), nil
}

// awaitReady asks until the server is ready or ctx ends. Its error is the last one of
// ask, but for one that only says that ctx ended.
func awaitReady(ctx context.Context, ask func() error) error {
	var last error
	for {
		err := ask()
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(pollEvery):
		}
	}
}

var errSpeaksHTTPS = errors.New("the server speaks HTTPS")

// checkReady sends one request to /_fake/readyz; nil means that the server is ready.
func checkReady(ctx context.Context, base string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/_fake/readyz", nil)
	if err != nil {
		return err
	}
	host := request.URL.Hostname()
	trusts := &tls.Config{InsecureSkipVerify: host == "localhost" || net.ParseIP(host).IsLoopback()} //nolint:gosec // nothing secret is sent
	// The transport ignores HTTP_PROXY: the server is local.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: trusts}}
	response, err := client.Do(request)
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err // its text has no URL
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	// The body is read to its end so that the connection closes without a reset.
	body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	switch {
	case response.StatusCode == http.StatusOK:
		return nil
	case bytes.Contains(body, []byte("HTTP request to an HTTPS server")):
		return errSpeaksHTTPS
	}
	return fmt.Errorf("/_fake/readyz answers %s", response.Status)
}
