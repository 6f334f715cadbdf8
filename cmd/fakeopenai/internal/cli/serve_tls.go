package cli

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// tlsFlags holds the flags that say whether and how a server speaks TLS.
type tlsFlags struct {
	On        bool
	cert, key string
	names     []string // names are further host names for a generated certificate.
	CAFile    string
	written   *writtenFile // written is the written CAFile; nil before Config.
}

// Define adds the flags.
func (f *tlsFlags) Define(flags *pflag.FlagSet) {
	console.Switch(flags, &f.On, "tls", "speak HTTPS, with a certificate made for this run unless --tls-cert says otherwise")
	console.Define(flags, &f.cert, "tls-cert", "", "use the certificate in this PEM `file` for --tls", console.Text)
	console.Define(flags, &f.key, "tls-key", "", "use the key in this PEM `file` for --tls-cert", console.Text)
	console.List(flags, &f.names, "tls-name", "make the certificate for this host `name`, too; repeat it or separate with commas", ",", console.Text)
	console.Define(flags, &f.CAFile, "tls-ca-file", "", "write the certificate that clients must trust to this `file`", console.Text)
}

// Config returns the TLS configuration, or nil for a server without TLS. It writes the
// CAFile. Addr is the address to listen on, whose host gets into the certificate.
func (f *tlsFlags) Config(addr string) (*tls.Config, error) {
	switch {
	case !f.On && (f.cert != "" || f.key != "" || f.CAFile != "" || f.names != nil):
		return nil, console.Misuse("--tls-cert, --tls-key, --tls-name and --tls-ca-file go with --tls")
	case f.names != nil && f.cert != "":
		return nil, console.Misuse("--tls-name is for the certificate that is made; --tls-cert has its own names")
	case !f.On:
		return nil, nil
	case (f.cert == "") != (f.key == ""):
		return nil, console.Misuse("--tls-cert and --tls-key go together")
	}
	for _, name := range f.names {
		if net.ParseIP(name) == nil && (!isHostName(name) || strings.ContainsAny(name, ":/@")) {
			return nil, console.Misuse("--tls-name %q: write a name or an address alone, such as fake.test, without scheme and port", name)
		}
	}
	pair, err := f.certificate(addr)
	if err != nil {
		return nil, err
	}
	if f.CAFile != "" {
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[len(pair.Certificate)-1]})
		if f.written, err = writeAtomically("--tls-ca-file", f.CAFile, text); err != nil {
			return nil, err
		}
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}, nil
}

// RemoveCAFile removes the CAFile, whose certificate is of no use after the end.
func (f *tlsFlags) RemoveCAFile() { f.written.Remove() }

func (f *tlsFlags) certificate(addr string) (tls.Certificate, error) {
	if f.cert == "" {
		host, _, _ := net.SplitHostPort(addr)
		return selfSigned(append([]string{host}, f.names...))
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read --tls-cert and --tls-key: %w", err)
	}
	return pair, nil
}

// isHostName reports whether a certificate can hold the name: printable ASCII.
func isHostName(name string) bool {
	return !strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' })
}

// selfSigned makes a certificate for this machine and the given hosts. It is its own
// certificate authority, so that clients trust it by this one file.
func selfSigned(hosts []string) (tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	template := &x509.Certificate{
		SerialNumber:          big.NewInt(time.Now().UnixNano()),
		Subject:               pkix.Name{CommonName: "fakeopenai"},
		DNSNames:              []string{"localhost"},
		IPAddresses:           []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		NotBefore:             time.Now().Add(-time.Hour), // clocks differ
		NotAfter:              time.Now().AddDate(1, 0, 0),
		KeyUsage:              x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage:           []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
		IsCA:                  true,
	}
	if own, err := os.Hostname(); err == nil && isHostName(own) {
		hosts = append(hosts, own)
	}
	for _, host := range hosts {
		ip := net.ParseIP(host)
		switch {
		case ip == nil && host != "" && !slices.Contains(template.DNSNames, host):
			template.DNSNames = append(template.DNSNames, host)
		case ip != nil && !ip.IsUnspecified() && !slices.ContainsFunc(template.IPAddresses, ip.Equal):
			template.IPAddresses = append(template.IPAddresses, ip)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
