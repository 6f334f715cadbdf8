package apierror

// The errors about stored answers and conversations.

// NotStored is the error for an id under which nothing is stored. Kind is Response,
// Conversation or Item.
func NotStored(kind, id string) *Error {
	return refused(404, "", "", "%s with id '%s' not found.", kind, id)
}

// NoPrevious is the error for a previous_response_id under which nothing is stored.
func NoPrevious(id string) *Error {
	return Bad("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", id)
}

// NoItem is the error for a reference to an item that is not stored.
func NoItem(id string) *Error {
	return refused(404, "input", "", "Item with id '%s' not found. "+
		"Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", id)
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
		"Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.")
}

// NotBoolean is the error for a query value that is neither true nor false.
func NotBoolean(param, value string) *Error {
	return Bad(param, "", "Invalid '%s': the value '%s' cannot be parsed as boolean. Expected true or false.", param, value)
}
