package main

import (
	"bufio"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// nobody is the user of the container image.
const nobody = 65534

// emptyRoot returns a folder with a binary that was built without C, as the Dockerfile does, and
// with one scenario.
func emptyRoot(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "fakeopenai"), ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	out, err := build.CombinedOutput()
	if err := errors.Join(err, os.Chmod(dir, 0o755), os.WriteFile(filepath.Join(dir, "one.yaml"), []byte("name: one\nmessage: Hello.\n"), 0o644)); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// inRoot makes a command of the binary that has the folder as its root file system (chroot), no
// environment, and the user nobody: by the rights of root or else in a user namespace that maps
// nobody to this user.
func inRoot(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience) // kills a server that does not end
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, "/fakeopenai", args...)
	cmd.Dir, cmd.Env = "/", []string{}
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: dir}
	if os.Getuid() == 0 {
		cmd.SysProcAttr.Credential = &syscall.Credential{Uid: nobody, Gid: nobody}
		return cmd
	}
	cmd.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
	cmd.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getuid(), Size: 1}}
	cmd.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: nobody, HostID: os.Getgid(), Size: 1}}
	return cmd
}

// The binary of the image needs nothing beside it: no /tmp, /etc or /dev, no library, no user.
func TestTheBinaryWorksInAnEmptyRoot(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	dir := emptyRoot(t)
	out, err := inRoot(t, dir, "check", "one.yaml").CombinedOutput()
	if os.Getuid() != 0 && (errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.ENOSPC)) {
		t.Skip("only root may change the root here:", err)
	}
	if err != nil {
		t.Errorf("check: %v\n%s", err, out)
	}
	for model, args := range map[string][]string{"fake:one": {"one.yaml"}, "fake:plain-text": nil} { // without files, what is bundled
		cmd := inRoot(t, dir, append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)...)
		stdout, err := cmd.StdoutPipe()
		if err := errors.Join(err, cmd.Start()); err != nil {
			t.Fatal(err)
		}
		line, _ := bufio.NewReader(stdout).ReadString('\n')
		url := strings.TrimPrefix(strings.TrimSpace(line), "listening on ")
		if out, err := inRoot(t, dir, "healthcheck", "--url", url).CombinedOutput(); err != nil {
			t.Errorf("healthcheck: %v\n%s", err, out)
		}
		if response, err := chat(url+"/v1", model); err != nil || response.StatusCode != 200 {
			t.Errorf("the model %s gets %+v, %v", model, response, err)
		}
		if err := errors.Join(cmd.Process.Signal(syscall.SIGTERM), cmd.Wait()); err != nil {
			t.Errorf("the server ended with %v", err)
		}
	}
}
