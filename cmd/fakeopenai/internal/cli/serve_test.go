package cli

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/server"
)

// The help of serve quotes the first line that it writes.
func TestServeWritesTheLineThatItsHelpShows(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var out bytes.Buffer
	a := &app{stdout: &out}
	if _, err := a.announce(serveOptions{}, listener, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(a.serveCommand().Long, `The first line on stdout is "`)
	shown, _, found := strings.Cut(rest, `"`)
	want := strings.ReplaceAll(shown, "URL", "http://"+listener.Addr().String()) + "\n"
	if !found || out.String() != want {
		t.Errorf("the first line is %q, help says %q", out.String(), want)
	}
}

// An address that stands for all interfaces is not hidden behind the URL.
func TestServeSaysThatItIsBoundToAllInterfaces(t *testing.T) {
	t.Parallel()
	listener, err := net.Listen("tcp", "0.0.0.0:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	var out bytes.Buffer
	if _, err := (&app{stdout: &out}).announce(serveOptions{}, listener, slog.New(slog.DiscardHandler)); err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	want := "listening on http://127.0.0.1:" + port + "\nand on all other interfaces, at " + listener.Addr().String() + "\n"
	if out.String() != want {
		t.Errorf("serve writes %q, want %q", out.String(), want)
	}
}

// 0 in the server's configuration means its default, so that 0s has to become another
// duration.
func TestNoDrainTimeoutIsNotTheDefault(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"0s": 1, "50ms": 50 * time.Millisecond} {
		if got, err := drainTimeout(text); err != nil || got != want {
			t.Errorf("%s is %v, %v; want %v", text, got, err, want)
		}
	}
	if got, err := drainTimeout("-1s"); err == nil {
		t.Errorf("-1s is %v", got)
	}
}

func TestProtocolsOfServe(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		tls       bool
		protocols func(*http.Protocols)
		want      string
	}{
		{"HTTP/1.1 without TLS", false, func(p *http.Protocols) { p.SetHTTP1(true) }, "HTTP/1.1"},
		{"HTTP/2 without TLS, to a client that knows", false, func(p *http.Protocols) { p.SetUnencryptedHTTP2(true) }, "HTTP/2.0"},
		{"HTTP/1.1 over TLS", true, func(p *http.Protocols) { p.SetHTTP1(true) }, "HTTP/1.1"},
		{"HTTP/2 over TLS", true, func(p *http.Protocols) { p.SetHTTP1(true); p.SetHTTP2(true) }, "HTTP/2.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			flags := tlsFlags{On: tt.tls}
			if tt.tls {
				flags.CAFile = filepath.Join(t.TempDir(), "ca.pem")
			}
			url := serveWith(t, flags)
			transport := &http.Transport{Protocols: new(http.Protocols), TLSClientConfig: trusting(t, flags.CAFile)}
			tt.protocols(transport.Protocols)
			defer transport.CloseIdleConnections()
			resp, err := (&http.Client{Transport: transport}).Get(url + "/v1/models")
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			if _, err := io.Copy(io.Discard, resp.Body); err != nil || resp.Proto != tt.want {
				t.Errorf("the answer is %s in %s, %v; want %s", resp.Status, resp.Proto, err, tt.want)
			}
		})
	}
}

// serveWith serves no scenarios until the test ends.
func serveWith(t *testing.T, flags tlsFlags) (url string) {
	t.Helper()
	fake, err := server.New(server.Config{})
	if err != nil {
		t.Fatal(err)
	}
	secure, err := flags.Config("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	httpd := serving.Start(listener, fake, secure, slog.New(slog.DiscardHandler))
	t.Cleanup(func() {
		httpd.Close()
		fake.Close()
	})
	if secure != nil {
		return "https://" + listener.Addr().String()
	}
	return "http://" + listener.Addr().String()
}

// trusting returns a client configuration that trusts only the certificate in the file.
func trusting(t *testing.T, file string) *tls.Config {
	t.Helper()
	if file == "" {
		return nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		t.Fatalf("there is no certificate in %q", text)
	}
	return &tls.Config{RootCAs: pool}
}

func TestTLSFlagsThatCannotBeMeant(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		flags tlsFlags
		want  string
	}{
		{"a certificate without --tls", tlsFlags{cert: "c.pem", key: "k.pem"}, "go with --tls"},
		{"a file for clients without --tls", tlsFlags{CAFile: "ca.pem"}, "go with --tls"},
		{"a certificate without its key", tlsFlags{On: true, cert: "c.pem"}, "go together"},
		{"a key without its certificate", tlsFlags{On: true, key: "k.pem"}, "go together"},
		{"a name without --tls", tlsFlags{names: []string{"fake"}}, "go with --tls"},
		{"a name for another's certificate", tlsFlags{On: true, cert: "c.pem", key: "k.pem", names: []string{"fake"}}, "has its own names"},
		{"a certificate that is not there", tlsFlags{On: true, cert: "no.pem", key: "no.pem"}, "read --tls-cert and --tls-key"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := tt.flags.Config("127.0.0.1:0"); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("config: %v; want it to say %q", err, tt.want)
			}
		})
	}
}

// A generated certificate is for this machine, the address and the given names, each
// once.
func TestMadeCertificateNames(t *testing.T) {
	t.Parallel()
	flags := tlsFlags{On: true, names: []string{"fake", "fake", "10.0.0.7"}}
	config, err := flags.Config("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	made, err := x509.ParseCertificate(config.Certificates[0].Certificate[0])
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"localhost", "127.0.0.1", "::1", "fake", "10.0.0.7", own} {
		if err := made.VerifyHostname(name); err != nil {
			t.Error(err)
		}
	}
	if names := len(made.DNSNames) + len(made.IPAddresses); names > 6 {
		t.Errorf("a name is there twice: %v %v", made.DNSNames, made.IPAddresses)
	}
}
