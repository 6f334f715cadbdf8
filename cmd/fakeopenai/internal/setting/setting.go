// Package setting reads what the program is told by flags and by environment
// variables: how a flag is defined, how its value is read and completed, and the
// flags that every command with a server has.
package setting

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// value is the value of a flag or its environment variable: a text, and what
// it means.
type value[T any] struct {
	target *T
	parse  func(string) (T, error)
	kind   string
	text   string
}

// Set implements [pflag.Value].
func (s *value[T]) Set(text string) error {
	v, err := s.parse(text)
	if err != nil {
		return err
	}
	*s.target, s.text = v, text
	return nil
}

// String implements [pflag.Value].
func (s *value[T]) String() string { return s.text }

// Type implements [pflag.Value].
func (s *value[T]) Type() string { return s.kind }

// Define adds a flag. A word of the usage in backquotes stands for the value in
// the help. The preset must parse, or be empty to leave the target as it is.
func Define[T any](flags *pflag.FlagSet, target *T, name, preset, usage string, parse func(string) (T, error)) {
	s := &value[T]{target: target, parse: parse, kind: "value"}
	if preset != "" {
		if err := s.Set(preset); err != nil {
			panic(fmt.Sprintf("preset of --%s: %v", name, err)) // a mistake in this package
		}
	}
	flags.Var(s, name, usage)
}

// Switch adds a flag that is on or off.
func Switch(flags *pflag.FlagSet, target *bool, name, usage string) {
	ShortSwitch(flags, target, name, "", usage)
}

// ShortSwitch adds a flag that is on or off and may be written as a single
// letter.
func ShortSwitch(flags *pflag.FlagSet, target *bool, name, letter, usage string) {
	s := &value[bool]{target: target, parse: parseSwitch, kind: "bool"}
	flags.VarP(s, name, letter, usage)
	flags.Lookup(name).NoOptDefVal = "true"
}

// List adds a flag that may be repeated; commas separate too.
func List(flags *pflag.FlagSet, target *[]string, name, usage string) {
	flags.Var(&list{target}, name, usage)
}

// list is the value of a flag that may be repeated; commas separate too.
type list struct{ target *[]string }

// Set implements [pflag.Value].
func (l *list) Set(text string) error {
	for item := range strings.SplitSeq(text, ",") {
		if item = strings.TrimSpace(item); item != "" {
			*l.target = append(*l.target, item)
		}
	}
	return nil
}

// String implements [pflag.Value].
func (l *list) String() string { return strings.Join(*l.target, ",") }

// Type implements [pflag.Value].
func (l *list) Type() string { return "list" }
