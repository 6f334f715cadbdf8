package cli

import (
	"errors"
	"fmt"
)

// The exit codes. They are printed by fakeopenai --help.
const (
	exitOK       = 0 // done, and nothing was wrong
	exitProblems = 1 // problems were found; exec passes on its command's own code
	exitUsage    = 2 // an unknown command, flag or value
	exitFailed   = 3 // could not run: a file that cannot be read, a port in use
)

// exitError ends the program with a code. A nil err has been reported already.
type exitError struct {
	code int
	err  error
}

// Error implements error.
func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

// Unwrap gives the error that is the reason.
func (e *exitError) Unwrap() error { return e.err }

// exitWith ends the program with a code and says nothing more.
func exitWith(code int) error {
	if code == exitOK {
		return nil
	}
	return &exitError{code: code}
}

// problem is an error in what was given to the program to look at.
func problem(err error) error { return &exitError{code: exitProblems, err: err} }

// misuse is an error in how the program was called.
func misuse(format string, args ...any) error {
	return &exitError{code: exitUsage, err: fmt.Errorf(format, args...)}
}

// exitCode finds the code for what a command returned. Errors without a code of
// their own come from the command-line library and are wrong usage.
func exitCode(err error) int {
	if err == nil {
		return exitOK
	}
	if marked, ok := errors.AsType[*exitError](err); ok {
		return marked.code
	}
	return exitUsage
}
