package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
)

// Regexp is a regular expression of a scenario, in Go's syntax. Its named
// groups, (?P<city>\w+), are what templates see as .match.
type Regexp struct {
	*regexp.Regexp
}

// NewRegexp compiles a regular expression. The error says what is wrong with it,
// without the expression itself.
func NewRegexp(expr string) (*Regexp, error) {
	re, err := regexp.Compile(expr)
	if bad, ok := errors.AsType[*syntax.Error](err); ok {
		return nil, fmt.Errorf("%s: %s", bad.Code, bad.Expr)
	}
	if err != nil {
		return nil, err
	}
	return &Regexp{re}, nil
}
