package stored

import (
	"net/url"
	"slices"
	"strconv"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Bounds of limit, the number of items on a page.
const (
	minLimit     = 1
	defaultLimit = 20
	maxLimit     = 100
)

// page returns the page of a list that a query asks for, the newest item first unless order is
// asc. The argument items has the oldest first; least is the smallest limit allowed.
func page(items []ojson.Value, query url.Values, least int64) (ojson.Value, *apierror.Error) {
	items = slices.Clone(items)
	switch order := query.Get("order"); order {
	case "", "desc":
		slices.Reverse(items)
	case "asc":
	default:
		return ojson.Value{}, apierror.NotOneOf("order", order, "'asc' and 'desc'")
	}
	limit, err := integer(query, "limit", defaultLimit, least, maxLimit)
	if err != nil {
		return ojson.Value{}, err
	}
	if after := query.Get("after"); after != "" {
		// If several items have the id after, the page begins behind the last of them: from
		// behind the first, a client would fetch the same pages for ever.
		i := len(items) - 1
		for i >= 0 && items[i].Get("id").Text() != after {
			i--
		}
		if i < 0 {
			return ojson.Value{}, apierror.Bad("after", "invalid_value", "Invalid 'after': there is no item with id '%s' in the list.", after)
		}
		items = items[i+1:]
	}
	more := int64(len(items)) > limit
	return listOf(items[:min(limit, int64(len(items)))], more), nil
}

// listOf returns the list object of the API. More becomes has_more.
func listOf(items []ojson.Value, more bool) ojson.Value {
	first, last := ojson.Null(), ojson.Null()
	if n := len(items); n > 0 {
		first, last = items[0].Get("id"), items[n-1].Get("id")
	}
	return ojson.Object(
		ojson.M("object", ojson.String("list")), ojson.M("data", ojson.Array(items...)),
		ojson.M("first_id", first), ojson.M("last_id", last), ojson.M("has_more", ojson.Bool(more)),
	)
}

// integer returns an integer parameter of a query, or otherwise if there is none.
func integer(query url.Values, param string, otherwise, least, most int64) (int64, *apierror.Error) {
	text := query.Get(param)
	if text == "" {
		return otherwise, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least || n > most {
		return 0, apierror.NotInteger(param, text, least, most)
	}
	return n, nil
}

// boolean returns a boolean parameter of a query, or otherwise if there is none.
func boolean(query url.Values, param string, otherwise bool) (bool, *apierror.Error) {
	switch text := query.Get(param); text {
	case "":
		return otherwise, nil
	case "true", "false":
		return text == "true", nil
	default:
		return false, apierror.NotBoolean(param, text)
	}
}
