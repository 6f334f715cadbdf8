package cli

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
)

// pollEvery is the pause between two requests to a server that is not ready.
const pollEvery = 50 * time.Millisecond

type healthOptions struct {
	url, addr string
	tls       bool   // tls says that the server at addr speaks HTTPS.
	caFile    string // caFile is a PEM file with a certificate to trust; "" for none.
	insecure  bool
	wait      bool
	timeout   time.Duration
}

func (a *app) healthcheckCommand() *cobra.Command {
	var o healthOptions
	cmd := &cobra.Command{
		Use:   "healthcheck",
		Short: "Check whether a server is ready",
		Long: `Ask a running server whether it is ready. Exit code 0 says that it is, 1 that it
is not. With --wait it asks again until the server is ready or the time is up.

With --tls it asks by HTTPS, and with an https URL, too. The variables of serve hold
for both: FAKEOPENAI_TLS, and FAKEOPENAI_TLS_CA_FILE for the file with the
certificate. At --addr any certificate will do if there is no such file, for
nothing secret is sent; that of a --url must be trusted, but for --insecure.`,
		Example: `  fakeopenai healthcheck --wait --timeout 30s
  HEALTHCHECK CMD ["/fakeopenai", "healthcheck"]      in a Dockerfile`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.contradiction(cmd.Flags()); err != nil {
				return err
			}
			return a.healthcheck(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	console.Define(flags, &o.url, "url", "", "ask the server at this `URL` (default: that of --addr)", console.Text)
	console.Define(flags, &o.addr, "addr", defaultAddr, "ask the server that listens on this `host:port`", console.Address)
	console.Switch(flags, &o.tls, "tls", "ask by HTTPS at --addr")
	console.Define(flags, &o.caFile, "tls-ca-file", "", "trust the certificate in this PEM `file`", console.Text)
	console.Switch(flags, &o.insecure, "insecure", "accept any certificate")
	console.Switch(flags, &o.wait, "wait", "wait until the server is ready")
	console.Define(flags, &o.timeout, "timeout", "10s", "wait this `duration` for an answer, or for readiness with --wait", console.Timeout)
	return cmd
}

// contradiction returns an error if one flag on the command line makes another one there
// ineffective. An --addr there wins over the variable of --url.
func (o *healthOptions) contradiction(flags *pflag.FlagSet) error {
	given := console.Given(flags, "url", "addr")
	byURL := slices.Contains(given, "--url")
	if len(given) == 2 {
		return console.Misuse("--url and --addr both say where the server is; give one of them")
	}
	if len(given) == 1 && !byURL {
		o.url = ""
	}
	var err error
	switch {
	case o.url == "" && !o.tls || byURL && strings.HasPrefix(o.url, "http:"):
		err = console.Useless(flags, "the server is asked by HTTP; add --tls, or give an https URL", "insecure", "tls-ca-file")
	case o.insecure:
		err = console.Useless(flags, "--insecure accepts any certificate", "tls-ca-file")
	}
	if err == nil && byURL {
		err = console.Useless(flags, "--url says whether the server speaks HTTPS", "tls")
	}
	return err
}

// healthcheck asks the server once or, with --wait, until it is ready.
func (a *app) healthcheck(ctx context.Context, o healthOptions) error {
	base, err := healthURL(o.url, o.addr, o.tls)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	ask := func() error {
		trusts, err := o.trusts() // read each time: the server may write the file only when it starts
		if err != nil {
			return err
		}
		return checkReady(ctx, base, trusts)
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

func (o *healthOptions) trusts() (*tls.Config, error) {
	if o.caFile == "" || o.insecure {
		return &tls.Config{InsecureSkipVerify: o.insecure || o.url == ""}, nil //nolint:gosec // nothing secret is sent
	}
	text, err := os.ReadFile(o.caFile)
	if err != nil {
		return nil, fmt.Errorf("read --tls-ca-file: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("read --tls-ca-file: %s has no certificate in PEM", o.caFile)
	}
	return &tls.Config{RootCAs: pool}, nil
}

// healthURL returns the base URL of the server: the given one, without its /v1, or that
// of the address.
func healthURL(server, addr string, secure bool) (string, error) {
	if server == "" {
		return serving.URL(addr, secure), nil
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

// checkReady sends one request to /_fake/readyz; nil means that the server is ready.
func checkReady(ctx context.Context, base string, trusts *tls.Config) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, base+"/_fake/readyz", nil)
	if err != nil {
		return err
	}
	// The transport ignores HTTP_PROXY: the server is local.
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: trusts}}
	response, err := client.Do(request)
	if err != nil {
		return whyNoAnswer(err)
	}
	defer response.Body.Close()
	// The body is read to its end so that the connection closes without a reset.
	body, _ := io.ReadAll(io.LimitReader(response.Body, 1<<16))
	switch {
	case response.StatusCode == http.StatusOK:
		return nil
	case bytes.Contains(body, []byte("HTTP request to an HTTPS server")):
		return errors.New("the server speaks HTTPS; ask with --tls, or an https URL")
	}
	return fmt.Errorf("/_fake/readyz answers %s", response.Status)
}

// whyNoAnswer words the error of a failed request, with a hint where there is a remedy.
func whyNoAnswer(err error) error {
	if failed, ok := errors.AsType[*url.Error](err); ok {
		err = failed.Err
	}
	if _, untrusted := errors.AsType[*tls.CertificateVerificationError](err); untrusted {
		return fmt.Errorf("%w; trust its certificate with --tls-ca-file, or any with --insecure", err)
	}
	if strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		return errors.New("the server does not speak HTTPS; leave --tls out, or ask with an http URL")
	}
	return err
}
