package apierror

import (
	"fmt"
	"strconv"
)

// The errors about stored answers and conversations.

// NotStored is the error for an id under which nothing is stored. Kind is Response,
// Conversation or Item.
func NotStored(kind, id string) *Error {
	return &Error{Status: 404, Message: fmt.Sprintf("%s with id '%s' not found.", kind, id), Type: InvalidRequest}
}

// NoPrevious is the error for a previous_response_id under which nothing is stored.
func NoPrevious(id string) *Error {
	return Bad("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", id)
}

// NoItem is the error for a reference to an item that is not stored.
func NoItem(id string) *Error {
	return &Error{Status: 404, Type: InvalidRequest, Param: "input", Message: fmt.Sprintf("Item with id '%s' not found. "+
		"Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", id)}
}

// NotInBackground is the error for cancelling an answer that was not made in the
// background.
func NotInBackground() *Error { return Bad("", "", "Cannot cancel a synchronous response.") }

// BackgroundNeedsStore is the error for background: true beside store: false.
func BackgroundNeedsStore() *Error {
	return Bad("background", "", "Background mode requires 'store' to be true.")
}

// TwoPasts is the error for a request with both a previous_response_id and a
// conversation.
func TwoPasts() *Error {
	return Bad("", "mutually_exclusive_parameters",
		"Mutually exclusive parameters. Ensure you are only providing one of: 'previous_response_id' or 'conversation'.")
}

// NotBoolean is the error for a query value that is neither true nor false.
func NotBoolean(param, value string) *Error {
	return Bad(param, "", "Invalid '%s': the value '%s' cannot be parsed as boolean. Expected true or false.", param, value)
}

// NotInteger is the error for a query value that is not an integer from least to most.
func NotInteger(param, value string, least, most int64) *Error {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return Bad(param, "invalid_type", "Invalid type for '%s': expected an integer, but got '%s' instead.", param, value)
	case n < least:
		return Bad(param, "integer_below_min_value", "Invalid '%s': integer below minimum value. Expected a value >= %d, but got %d instead.", param, least, n)
	}
	return Bad(param, "integer_above_max_value", "Invalid '%s': integer above maximum value. Expected a value <= %d, but got %d instead.", param, most, n)
}

// NotOneOf is the error for a query value that is not in the list.
func NotOneOf(param, value, list string) *Error {
	return Bad(param, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", value, list)
}
