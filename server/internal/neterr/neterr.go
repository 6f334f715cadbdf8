// Package neterr tells the errors of sockets apart. Windows numbers them in its
// own way: there [syscall.ECONNRESET] and its kin are values that no socket
// returns.
package neterr

import (
	"errors"
	"slices"
)

// IsReset says that the peer has reset the connection.
func IsReset(err error) bool { return isOneOf(err, reset) }

// IsBroken says that the connection had ended before something was written to it.
func IsBroken(err error) bool { return isOneOf(err, broken) }

// IsRefused says that nobody listens at the address.
func IsRefused(err error) bool { return isOneOf(err, refused) }

// IsInUse says that somebody else listens at the address.
func IsInUse(err error) bool { return isOneOf(err, inUse) }

func isOneOf(err error, list []error) bool {
	return slices.ContainsFunc(list, func(e error) bool { return errors.Is(err, e) })
}
