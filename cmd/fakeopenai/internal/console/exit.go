package console

import (
	"errors"
	"fmt"
)

// The exit codes. They are printed by fakeopenai --help.
const (
	ExitOK = 0 // ExitOK says that the command did its work and found nothing wrong.
	// ExitProblems says that the command found problems. The exec command otherwise ends
	// with the exit code of its child.
	ExitProblems = 1
	ExitUsage    = 2 // ExitUsage is an unknown command, flag or value.
	// ExitFailed says that the program could not run: a file that cannot be read, a
	// port in use.
	ExitFailed = 3
	// ExitNotExecutable and ExitNotFound say that the command of exec or record is no program, or not there. They
	// are those of shells.
	ExitNotExecutable = 126
	ExitNotFound      = 127
)

// ExitError is an error that ends the program with an exit code. If Err is nil, the reason
// has been printed already.
type ExitError struct {
	Code int
	Err  error
}

// Error implements error.
func (e *ExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit code %d", e.Code)
	}
	return e.Err.Error()
}

// Unwrap returns Err.
func (e *ExitError) Unwrap() error { return e.Err }

// ExitWith returns an error that ends the program with the code and prints nothing. For
// [ExitOK] it returns nil.
func ExitWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return &ExitError{Code: code}
}

// Problem returns an error with the code [ExitProblems]: the input of a command is wrong,
// such as a scenario file.
func Problem(err error) error { return &ExitError{Code: ExitProblems, Err: err} }

// Misuse returns an error with the code [ExitUsage]: the command line is wrong.
func Misuse(format string, args ...any) error {
	return &ExitError{Code: ExitUsage, Err: fmt.Errorf(format, args...)}
}

// ExitCode returns the exit code for the error that a command returned. An error without
// a code comes from the command-line library and means wrong usage.
func ExitCode(err error) int {
	if err == nil {
		return ExitOK
	}
	if marked, ok := errors.AsType[*ExitError](err); ok {
		return marked.Code
	}
	return ExitUsage
}
