package stored

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// page returns the page of a list that a query asks for, in the order that is the usual one unless the query has another:
// desc begins with the newest item. The argument items has the oldest first.
func page(items []ojson.Value, q *Query, usual string) (Result, *apierror.Error) {
	const defaultLimit, maxLimit = 20, 100
	items, after := slices.Clone(items), q.Values.Get("after")
	switch order := cmp.Or(q.Values.Get("order"), usual); order {
	case "desc":
		slices.Reverse(items)
	case "asc":
	default:
		q.fail(request.NotOneOf("order", order, []string{"asc", "desc"}))
	}
	limit := q.integer("limit", defaultLimit, 1, maxLimit)
	if after != "" {
		// If several items have the id after, the page begins behind the last of them: from
		// behind the first, a client would fetch the same pages for ever.
		i := len(items) - 1
		for i >= 0 && items[i].Get("id").Text() != after {
			i--
		}
		if i < 0 {
			q.fail(apierror.Bad("after", "invalid_value", "Invalid 'after': there is no item with id '%s' in the list.", after))
		}
		items = items[i+1:]
	}
	more := int64(len(items)) > limit
	return Result{JSON: listOf(items[:min(limit, int64(len(items)))], more)}, q.wrong
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

// fail notes an error, unless there was one before.
func (q *Query) fail(wrong *apierror.Error) { q.wrong = cmp.Or(q.wrong, wrong) }

func (q *Query) integer(param string, otherwise, least, most int64) int64 {
	text := q.Values.Get(param)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		q.fail(apierror.Bad(param, "invalid_type", "Invalid type for '%s': expected an integer, but got '%s' instead.", param, text))
		return otherwise
	}
	q.fail(request.CheckValue(param, ojson.Int(n), request.Integer(least, most)))
	return n
}

func (q *Query) boolean(param string, otherwise bool) bool {
	switch text := q.Values.Get(param); text {
	case "":
		return otherwise
	case "true", "false":
		return text == "true"
	default:
		q.fail(apierror.Bad(param, "", "Invalid '%s': the value '%s' cannot be parsed as boolean. Expected true or false.", param, text))
		return otherwise
	}
}

// included returns the values of include in a query, which may be repeated, with or without [],
// or separated by commas.
func (q *Query) included() (names []string) {
	for _, list := range slices.Concat(q.Values["include"], q.Values["include[]"]) {
		for name := range strings.SplitSeq(list, ",") {
			q.fail(responses.CheckInclude(name))
			names = append(names, name)
		}
	}
	return names
}
