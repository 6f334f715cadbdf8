package compat

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// listen starts a program, and waits until it listens at an address. At the end of the test it interrupts
// the program, and if the test failed, logs what the program printed.
func listen(t *testing.T, name string, program *exec.Cmd, address string) {
	t.Helper()
	var output bytes.Buffer
	program.Stdout, program.Stderr = &output, &output
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = program.Process.Signal(os.Interrupt)
		_ = program.Wait()
		if t.Failed() {
			t.Logf("%s printed\n%s", name, &output)
		}
	})
	for end := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if c, err := net.Dial("tcp", address); err == nil { //nolint:noctx // it is on loopback
			_ = c.Close()
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s does not listen at %s", name, address)
		}
	}
}

// freeAddress is an address on loopback at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it is on loopback
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// tempPaths are directives for nginx, which let it write temporary files to a folder.
func tempPaths(folder string) string {
	var paths strings.Builder
	for _, of := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		paths.WriteString(of + "_temp_path " + folder + "/" + of + "; ")
	}
	return paths.String()
}
