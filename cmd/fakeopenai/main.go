// Command fakeopenai is a fake OpenAI API for tests. It serves streams that are written in
// YAML. Run it without arguments to see what it can do.
package main

import (
	"context"
	"os"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
