// Package exit has the program's exit codes, and errors that carry one. It imports
// no other package of the program.
package exit

import (
	"errors"
	"fmt"
)

// The exit codes. They are printed by fakeopenai --help.
const (
	OK = 0 // OK says that the command did its work and found nothing wrong.
	// Problems says that the command found problems. The exec command otherwise ends
	// with the exit code of its child.
	Problems = 1
	Usage    = 2 // Usage is an unknown command, flag or value.
	// Failed says that the program could not run: a file that cannot be read, a
	// port in use.
	Failed = 3
)

// Error is an error that ends the program with an exit code. If Err is nil, the reason
// has been printed already.
type Error struct {
	Code int
	Err  error
}

// Error implements error.
func (e *Error) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// With returns an error that ends the program with the code and prints nothing. For
// [OK] it returns nil.
func With(code int) error {
	if code == OK {
		return nil
	}
	return &Error{Code: code}
}

// Problem returns an error with the code [Problems]: the input of a command is wrong,
// such as a scenario file.
func Problem(err error) error { return &Error{Code: Problems, Err: err} }

// Misuse returns an error with the code [Usage]: the command line is wrong.
func Misuse(format string, args ...any) error {
	return &Error{Code: Usage, Err: fmt.Errorf(format, args...)}
}

// CodeOf returns the exit code for the error that a command returned. An error without
// a code comes from the command-line library and means wrong usage.
func CodeOf(err error) int {
	if err == nil {
		return OK
	}
	if marked, ok := errors.AsType[*Error](err); ok {
		return marked.Code
	}
	return Usage
}
