// Command fakeopenai plays YAML scenarios as an OpenAI streaming server, for
// tests. Run it without arguments to see what it can do.
package main

import (
	"context"
	"os"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}
