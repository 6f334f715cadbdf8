// Package golden compares what tests got with the files that hold what they want. Only tests
// import it, and those of every package do: go test ./... -update hands the flag to all of
// them, and one that did not know it would fail.
package golden

import (
	"flag"
	"os"
	"testing"
)

var update = flag.Bool("update", false, "write the golden files, and the tables of the pages, again")

// Updating says that tests shall write their files again instead of comparing them.
func Updating() bool { return *update }

// Compare reports a file that holds something else than got. With -update it writes the file.
func Compare(t testing.TB, file, got string) {
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
