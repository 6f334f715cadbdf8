package main

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// nobody is the user of the container image.
const nobody = 65534

// emptyRoot is a folder used as the root file system of commands (chroot). It has the
// binary of the image and scenarios, nothing else.
type emptyRoot struct{ dir string }

// newEmptyRoot builds the binary without C, as the Dockerfile does.
func newEmptyRoot(t *testing.T) *emptyRoot {
	t.Helper()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "fakeopenai"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	r := &emptyRoot{dir}
	if err := os.Mkdir(filepath.Join(dir, "scenarios"), 0o755); err != nil {
		t.Fatal(err)
	}
	r.write(t, "first")
	return r
}

// write writes the one scenario of the folder.
func (r *emptyRoot) write(t *testing.T, name string) {
	t.Helper()
	text := fmt.Sprintf("name: %s\nmessage: Hello.\n", name)
	if err := os.WriteFile(filepath.Join(r.dir, "scenarios", "one.yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// command makes a command that runs in the root without environment as the user nobody,
// by the rights of root or else in a user namespace that maps nobody to this user.
func (r *emptyRoot) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "/fakeopenai", args...)
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: r.dir}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		return cmd
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getgid(), Size: 1}}
	return cmd
}

// run runs a command, or skips the test if only root may change the root directory.
func (r *emptyRoot) run(t *testing.T, args ...string) string {
	t.Helper()
	out, err := r.command(t, args...).CombinedOutput()
	if os.Getuid() != 0 && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC)) {
		t.Skip("only root may change the root here:", err)
	}
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, out)
	}
	return string(out)
}

// The binary of the image needs nothing beside it: no /tmp, /etc or /dev, no
// library, no user.
func TestTheBinaryWorksInAnEmptyRoot(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	r := newEmptyRoot(t)
	if got := r.run(t, "check", "scenarios"); !strings.Contains(got, "1") {
		t.Errorf("check prints %q", got)
	}
	for _, path := range []string{"", "/scenarios"} { // without one, what is bundled
		t.Run("serve "+path, func(t *testing.T) { r.serve(t, path) })
	}
}

// serve starts a server, makes a request, reloads it and ends it.
func (r *emptyRoot) serve(t *testing.T, path string) {
	r.write(t, "first")
	args := []string{"serve", "--addr", "127.0.0.1:0", "--no-watch"}
	if path != "" {
		args = append(args, path)
	}
	cmd := r.command(t, args...)
	var log strings.Builder
	cmd.Stderr = &log
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	if !lines.Scan() {
		t.Fatalf("the server printed nothing: %v\n%s", cmd.Wait(), log.String())
	}
	url := strings.TrimPrefix(lines.Text(), "listening on ")
	if got := r.run(t, "healthcheck", "--url", url); !strings.Contains(got, "is ready") {
		t.Errorf("healthcheck prints %q", got)
	}
	if path != "" {
		wantStatus(t, http.StatusOK, url, "fake:first")
		r.write(t, "second")
		if err := cmd.Process.Signal(syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(patience); status(t, url, "fake:second") != http.StatusOK && time.Now().Before(end); {
			time.Sleep(5 * time.Millisecond)
		}
		wantStatus(t, http.StatusOK, url, "fake:second")
	}
	wantStatus(t, http.StatusNotFound, url, "fake:none")
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v\n%s", err, log.String())
	}
}

func wantStatus(t *testing.T, want int, url, model string) {
	t.Helper()
	if got := status(t, url, model); got != want {
		t.Errorf("the model %s gets %d, want %d", model, got, want)
	}
}

func status(t *testing.T, url, model string) int {
	t.Helper()
	response, err := chat(url+"/v1", model)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}
