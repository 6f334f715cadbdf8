// Package exit has the program's exit codes, and errors that bear one. It knows
// no other package of the program.
package exit

import (
	"errors"
	"fmt"
)

// The exit codes. They are printed by fakeopenai --help.
const (
	OK = 0 // OK is for what was done, with nothing wrong.
	// Problems says that problems were found; exec passes on its command's own
	// code.
	Problems = 1
	Usage    = 2 // Usage is an unknown command, flag or value.
	// Failed says that the program could not run: a file that cannot be read, a
	// port in use.
	Failed = 3
)

// Error ends the program with a code. A nil err has been reported already.
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

// Unwrap gives the error that is the reason.
func (e *Error) Unwrap() error { return e.Err }

// With ends the program with a code and says nothing more.
func With(code int) error {
	if code == OK {
		return nil
	}
	return &Error{Code: code}
}

// Problem is an error in what was given to the program to look at.
func Problem(err error) error { return &Error{Code: Problems, Err: err} }

// Misuse is an error in how the program was called.
func Misuse(format string, args ...any) error {
	return &Error{Code: Usage, Err: fmt.Errorf(format, args...)}
}

// CodeOf finds the code for what a command returned. Errors without a code of
// their own come from the command-line library and are wrong usage.
func CodeOf(err error) int {
	if err == nil {
		return OK
	}
	if marked, ok := errors.AsType[*Error](err); ok {
		return marked.Code
	}
	return Usage
}
