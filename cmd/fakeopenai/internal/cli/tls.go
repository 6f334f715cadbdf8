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
	"time"

	"github.com/spf13/pflag"
)

// tlsFlags say whether and how a server speaks TLS.
type tlsFlags struct {
	on        bool
	cert, key string
	caFile    string
}

func (f *tlsFlags) define(flags *pflag.FlagSet) {
	defineSwitch(flags, &f.on, "tls", "speak HTTPS, with a certificate made for this run unless --tls-cert says otherwise")
	define(flags, &f.cert, "tls-cert", "", "PEM `file` with the certificate for --tls", parseText)
	define(flags, &f.key, "tls-key", "", "PEM `file` with the key of --tls-cert", parseText)
	define(flags, &f.caFile, "tls-ca-file", "", "write the certificate that clients must trust to this `file`", parseText)
}

// config is the TLS configuration, or nil for a server without TLS. It writes
// the file for clients.
func (f *tlsFlags) config(addr string) (*tls.Config, error) {
	switch {
	case !f.on && (f.cert != "" || f.key != "" || f.caFile != ""):
		return nil, misuse("--tls-cert, --tls-key and --tls-ca-file go with --tls")
	case !f.on:
		return nil, nil
	case (f.cert == "") != (f.key == ""):
		return nil, misuse("--tls-cert and --tls-key go together")
	}
	pair, err := f.certificate(addr)
	if err != nil {
		return nil, err
	}
	if f.caFile != "" {
		text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: pair.Certificate[len(pair.Certificate)-1]})
		if err := writeWhole("--tls-ca-file", f.caFile, text); err != nil {
			return nil, err
		}
	}
	return &tls.Config{Certificates: []tls.Certificate{pair}}, nil
}

func (f *tlsFlags) certificate(addr string) (tls.Certificate, error) {
	if f.cert == "" {
		return selfSigned(addr)
	}
	pair, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return tls.Certificate{}, fmt.Errorf("read --tls-cert and --tls-key: %w", err)
	}
	return pair, nil
}

// selfSigned makes a certificate for this machine and the host of the address.
// It is its own authority, so that a client needs to trust it alone.
func selfSigned(addr string) (tls.Certificate, error) {
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
	if host, _, err := net.SplitHostPort(addr); err == nil {
		if ip := net.ParseIP(host); ip == nil && host != "" {
			template.DNSNames = append(template.DNSNames, host)
		} else if ip != nil {
			template.IPAddresses = append(template.IPAddresses, ip)
		}
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}
