package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/exit"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/front"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/setting"
)

// pollEvery is the pause between two looks at a server that is not ready.
const pollEvery = 50 * time.Millisecond

func (a *app) healthcheckCommand() *cobra.Command {
	var server, addr string
	var wait bool
	var timeout time.Duration
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Ask whether a server is ready",
		Long: `Ask a running server whether it is ready. Exit code 0 says that it is, 1 that it
is not. With --wait it asks again until the server is ready or the time is up.`,
		Example: `  fakeopenai healthcheck --wait --timeout 30s
  HEALTHCHECK CMD ["/fakeopenai", "healthcheck"]      in a Dockerfile`,
		Args: cobra.NoArgs,
		RunE: markFailures(func(cmd *cobra.Command, _ []string) error {
			base, err := healthURL(server, addr)
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), timeout)
			defer cancel()
			if wait {
				err = awaitReady(ctx, base)
			} else {
				err = checkReady(ctx, base)
			}
			if err != nil {
				return exit.Problem(fmt.Errorf("%s is not ready: %w", base, err))
			}
			_, err = fmt.Fprintf(a.stdout, "%s is ready\n", base)
			return err
		}),
	}
	flags := cmd.Flags()
	setting.Define(flags, &server, "url", "", "`URL` of the server (default: that of --addr)", setting.Text)
	setting.Define(flags, &addr, "addr", defaultAddr, "`host:port` that the server listens on", setting.Address)
	setting.Switch(flags, &wait, "wait", "wait until the server is ready")
	setting.Define(flags, &timeout, "timeout", "10s", "`duration` to wait for an answer, or for readiness with --wait", setting.Duration)
	return cmd
}

// healthURL is the base URL of the server to ask: the URL that was given, with
// or without /v1, or that of the address.
func healthURL(server, addr string) (string, error) {
	if server == "" {
		return front.URL(addr), nil
	}
	u, err := url.Parse(server)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
		return "", exit.Misuse("invalid value %q for flag --url: write a URL such as http://127.0.0.1:8080", server)
	}
	return strings.TrimSuffix(strings.TrimRight(server, "/"), "/v1"), nil
}

// awaitReady asks until the server is ready. Its error is the last answer.
func awaitReady(ctx context.Context, base string) error {
	var last error
	for {
		err := checkReady(ctx, base)
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

// checkReady asks once.
func checkReady(ctx context.Context, base string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/_fake/readyz", nil)
	if err != nil {
		return err
	}
	// A proxy in the environment is for the world outside, not for this server.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Do(request)
	if err != nil {
		if failed, ok := errors.AsType[*url.Error](err); ok {
			return failed.Err
		}
		return err
	}
	defer response.Body.Close()
	// Draining the body, within reason, lets the connection close in order.
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 1<<16))
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("/_fake/readyz answers %s", response.Status)
	}
	return nil
}
