package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"
)

// setting is the value of a flag or its environment variable: a text, and what
// it means.
type setting[T any] struct {
	target *T
	parse  func(string) (T, error)
	kind   string
	text   string
}

// Set implements [pflag.Value].
func (s *setting[T]) Set(text string) error {
	v, err := s.parse(text)
	if err != nil {
		return err
	}
	*s.target, s.text = v, text
	return nil
}

// String implements [pflag.Value].
func (s *setting[T]) String() string { return s.text }

// Type implements [pflag.Value].
func (s *setting[T]) Type() string { return s.kind }

// define adds a flag. A word of the usage in backquotes stands for the value in
// the help. The preset must parse, or be empty to leave the target as it is.
func define[T any](flags *pflag.FlagSet, target *T, name, preset, usage string, parse func(string) (T, error)) {
	s := &setting[T]{target: target, parse: parse, kind: "value"}
	if preset != "" {
		if err := s.Set(preset); err != nil {
			panic(fmt.Sprintf("preset of --%s: %v", name, err)) // a mistake in this package
		}
	}
	flags.Var(s, name, usage)
}

// defineSwitch adds a flag that is on or off.
func defineSwitch(flags *pflag.FlagSet, target *bool, name, usage string) {
	defineShortSwitch(flags, target, name, "", usage)
}

// defineShortSwitch adds a flag that is on or off and may be written as a single
// letter.
func defineShortSwitch(flags *pflag.FlagSet, target *bool, name, letter, usage string) {
	s := &setting[bool]{target: target, parse: parseSwitch, kind: "bool"}
	flags.VarP(s, name, letter, usage)
	flags.Lookup(name).NoOptDefVal = "true"
}

// defineList adds a flag that may be repeated; commas separate too.
func defineList(flags *pflag.FlagSet, target *[]string, name, usage string) {
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
