package diag_test

import (
	"errors"
	"fmt"
	"io/fs"
	"testing/fstest"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// All problems of the files are shown together, each with its line.
func Example() {
	fsys := fstest.MapFS{"greet.yaml": {Data: []byte("name: greet\nmesage: Hello!\n")}}
	_, err := yamlfile.Load(fsys, "greet.yaml")
	if problems, ok := errors.AsType[diag.List](err); ok {
		fmt.Print(problems.Render(func(file string) []byte {
			text, _ := fs.ReadFile(fsys, file)
			return text
		}))
	}
	// Output:
	// greet.yaml:2:1: unknown key "mesage" in scenario
	//    |
	//  2 | mesage: Hello!
	//    | ^^^^^^ did you mean "message"?
}
