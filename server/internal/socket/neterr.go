package socket

// This file tells the errors of sockets apart. Windows has error numbers of its own: its
// sockets never return [syscall.ECONNRESET] and the like.

import (
	"errors"
	"slices"
)

// IsReset reports whether the peer has reset the connection.
func IsReset(err error) bool { return isOneOf(err, reset) }

// IsBroken reports whether a write failed because the connection had ended before.
func IsBroken(err error) bool { return isOneOf(err, broken) }

// IsRefused reports whether a dial failed because nobody listens at the address.
func IsRefused(err error) bool { return isOneOf(err, refused) }

// IsInUse reports whether listening failed because another socket listens at the address.
func IsInUse(err error) bool { return isOneOf(err, inUse) }

func isOneOf(err error, list []error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}
