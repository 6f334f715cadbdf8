// Package testflag says what the flags of go test mean in this module: -update writes golden
// files again, -short leaves out tests that take long. Only tests import it, and those of every
// package do: go test ./... -update hands the flag to all of them, and one that did not know
// it would fail.
package testflag

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files, and the tables of the pages, again")

// Update says that tests shall write their files again instead of comparing them.
func Update() bool { return *update }

// Golden reports a file that holds something else than got. With -update it writes the file.
func Golden(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil { //nolint:gosec // files of the repository are for all to read
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file) //nolint:gosec // the test names the file
	if err != nil {
		t.Fatalf("%v (with -update the test writes it)", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (with -update the test writes it again)\ngot\n%s\nwant\n%s", file, got, want)
	}
}

// Heavy leaves a test out of go test -short, which is for the time between two changes of a
// line. Such a test measures memory or growth, tries very many inputs, or starts processes.
func Heavy(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it takes long: leave out -short")
	}
}
