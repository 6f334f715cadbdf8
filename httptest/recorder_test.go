package fakeopenai

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"
)

// recorder is a testing.TB that may fail without failing the real test. Methods that it does
// not have are those of the real test.
type recorder struct {
	testing.TB

	mu       sync.Mutex
	errors   []string
	logs     strings.Builder
	cleanups []func()
	skipped  bool
}

// record runs a test and its cleanups in a new goroutine, as the testing package does.
func record(t *testing.T, test func(tb testing.TB)) *recorder {
	t.Helper()
	r := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.clean()
		test(r)
	}()
	<-done
	return r
}

func (r *recorder) clean() {
	for i := len(r.cleanups) - 1; i >= 0; i-- {
		r.cleanups[i]()
	}
}

func (r *recorder) Cleanup(f func()) { r.cleanups = append(r.cleanups, f) }

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Failed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.errors) > 0
}

func (r *recorder) Skipped() bool { return r.skipped }

func (r *recorder) Logf(format string, args ...any) { fmt.Fprintf(r, format+"\n", args...) }

func (r *recorder) Output() io.Writer { return r }

func (r *recorder) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.logs.Write(p)
}

// wantErrors checks that the test failed with exactly these errors, each of which may be a
// part of the error.
func (r *recorder) wantErrors(t *testing.T, want ...string) {
	t.Helper()
	if len(r.errors) != len(want) {
		t.Fatalf("the test failed with %d errors %q, want %d with %q", len(r.errors), r.errors, len(want), want)
	}
	for i := range want {
		if !strings.Contains(r.errors[i], want[i]) {
			t.Errorf("error %d is %q, want %q in it", i, r.errors[i], want[i])
		}
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
