package stored

import (
	"encoding/hex"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// Endpoint is one endpoint of the API that reads or changes what is kept.
type Endpoint struct {
	Method string
	Path   string // Path is the path below /v1; ids stand in braces.
	Does   string // Does describes the endpoint in lists of endpoints.
	Answer func(*Store, *Query) (Result, *apierror.Error)
}

// Query is a request to an endpoint.
type Query struct {
	APIKey string
	ID     string // ID is the id of the response or of the conversation in the path.
	Item   string // Item is the id of the item in the path.
	Values url.Values
	Body   ojson.Value // Body is the request's body, an object; Absent if there is none.
	Now    int64       // Now is the time of the request, in seconds since 1970.
	Fresh  []byte      // Fresh are random bytes, of which ids are made.
}

// Result is the body of a response to a query: JSON, or an event stream.
type Result struct {
	JSON   ojson.Value
	Replay *Replay // Replay is the event stream; nil for JSON.
}

// Endpoints returns all endpoints that read or change what is kept.
func Endpoints() []Endpoint {
	const response, conversation = responses.Path + "/{id}", "/conversations/{id}"
	return []Endpoint{
		{http.MethodGet, response, "shows a stored response; ?stream=true streams the events after starting_after again", retrieve},
		{http.MethodDelete, response, "deletes a stored response", forget},
		{http.MethodPost, response + "/cancel", "ends a response that is made in the background", cancel},
		{http.MethodGet, response + "/input_items", "lists the input items of a stored response", inputItems},
		{http.MethodPost, "/conversations", "creates a conversation", createConversation},
		{http.MethodGet, conversation, "shows a conversation", onConversation(showConversation)},
		{http.MethodPost, conversation, "changes the metadata of a conversation", onConversation(updateConversation)},
		{http.MethodDelete, conversation, "deletes a conversation", onConversation(deleteConversation)},
		{http.MethodGet, conversation + "/items", "lists the items of a conversation", onConversation(listItems)},
		{http.MethodPost, conversation + "/items", "adds items to a conversation", onConversation(createItems)},
		{http.MethodGet, conversation + "/items/{item}", "shows an item of a conversation", onConversation(showItem)},
		{http.MethodDelete, conversation + "/items/{item}", "deletes an item of a conversation", onConversation(deleteItem)},
	}
}

func fault(err error) *apierror.Error {
	return apierror.Fault(http.StatusInternalServerError, apierror.CodeInternal, err.Error())
}

func retrieve(s *Store, q *Query) (Result, *apierror.Error) {
	stream, wrong := boolean(q.Values, "stream", false)
	if wrong != nil {
		return Result{}, wrong
	}
	padded, wrong := boolean(q.Values, "include_obfuscation", true)
	if wrong != nil {
		return Result{}, wrong
	}
	after, wrong := integer(q.Values, "starting_after", -1, 0, math.MaxInt64)
	if wrong != nil {
		return Result{}, wrong
	}
	include, wrong := included(q.Values)
	if wrong != nil {
		return Result{}, wrong
	}
	r, wrong := s.Response(q.APIKey, q.ID)
	if wrong != nil {
		return Result{}, wrong
	}
	if stream {
		replay, err := r.Replay(after, padded, include)
		if err != nil {
			return Result{}, fault(err)
		}
		return Result{Replay: replay}, nil
	}
	v, err := r.Snapshot(include...)
	if err != nil {
		return Result{}, fault(err)
	}
	return Result{JSON: v}, nil
}

// included returns the values of include in a query, which may be repeated, with or without [],
// or separated by commas.
func included(query url.Values) ([]string, *apierror.Error) {
	var names []string
	for _, list := range slices.Concat(query["include"], query["include[]"]) {
		for name := range strings.SplitSeq(list, ",") {
			if wrong := responses.CheckInclude(name); wrong != nil {
				return nil, wrong
			}
			names = append(names, name)
		}
	}
	return names, nil
}

// deleted is the body of the response to a DELETE.
func deleted(id, object string) Result {
	return Result{JSON: ojson.Object(ojson.M("id", ojson.String(id)), ojson.M("object", ojson.String(object)), ojson.M("deleted", ojson.Bool(true)))}
}

func forget(s *Store, q *Query) (Result, *apierror.Error) {
	r, wrong := s.Response(q.APIKey, q.ID)
	if wrong != nil {
		return Result{}, wrong
	}
	r.Forget()
	return deleted(q.ID, "response.deleted"), nil
}

func cancel(s *Store, q *Query) (Result, *apierror.Error) {
	r, wrong := s.Response(q.APIKey, q.ID)
	if wrong != nil {
		return Result{}, wrong
	}
	if !r.InBackground() {
		return Result{}, apierror.NotInBackground()
	}
	r.stop(true)
	v, err := r.Snapshot()
	if err != nil {
		return Result{}, fault(err)
	}
	return Result{JSON: v}, nil
}

func inputItems(s *Store, q *Query) (Result, *apierror.Error) {
	r, wrong := s.Response(q.APIKey, q.ID)
	if wrong != nil {
		return Result{}, wrong
	}
	return s.paged(r.Input(), q)
}

// paged returns the page of these items that a query asks for.
func (s *Store) paged(items []ojson.Value, q *Query) (Result, *apierror.Error) {
	least := int64(minLimit)
	if s.takesAnyID() {
		least = 0
		if len(items) == 0 {
			q.Values.Del("after")
		}
	}
	v, wrong := page(items, q.Values, least)
	return Result{JSON: v}, wrong
}

func createConversation(s *Store, q *Query) (Result, *apierror.Error) {
	if wrong := checkBody(q.Body, false); wrong != nil {
		return Result{}, wrong
	}
	id := "conv_" + hex.EncodeToString(q.Fresh)
	c := s.newConversation(name{kindConversation, q.APIKey, id}, q.Now, q.Body.Get("metadata"), q.Body.Get("items"))
	return Result{JSON: c.json()}, nil
}

// maxItems is the most items that one request can add, as at the real service.
const maxItems = 20

// checkBody returns the error for a wrong metadata or items member; nil if both are right.
func checkBody(body ojson.Value, needsItems bool) *apierror.Error {
	if m := body.Get("metadata"); !m.IsNullOrAbsent() && m.Kind() != ojson.ObjectKind {
		return invalidType("metadata", "an object", m)
	}
	items := body.Get("items")
	switch {
	case needsItems && items.IsNullOrAbsent():
		return apierror.Bad("items", "missing_required_parameter", "Missing required parameter: 'items'.")
	case items.IsNullOrAbsent():
		return nil
	case items.Kind() != ojson.ArrayKind:
		return invalidType("items", "an array of objects", items)
	case len(items.Items()) > maxItems:
		return apierror.Bad("items", "array_above_max_length",
			"Invalid 'items': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", maxItems, len(items.Items()))
	}
	return responses.CheckItems(items, "items")
}

func invalidType(param, expected string, got ojson.Value) *apierror.Error {
	return apierror.Bad(param, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", param, expected, got.TypeInWords())
}

// onConversation wraps an endpoint that works on one conversation: it looks the conversation
// up.
func onConversation(do func(*Conversation, *Query) (Result, *apierror.Error)) func(*Store, *Query) (Result, *apierror.Error) {
	return func(s *Store, q *Query) (Result, *apierror.Error) {
		c, wrong := s.Conversation(q.APIKey, q.ID)
		if wrong != nil {
			return Result{}, wrong
		}
		return do(c, q)
	}
}

func showConversation(c *Conversation, _ *Query) (Result, *apierror.Error) {
	return Result{JSON: c.json()}, nil
}

func updateConversation(c *Conversation, q *Query) (Result, *apierror.Error) {
	metadata := q.Body.Get("metadata")
	if metadata.IsAbsent() {
		return Result{}, apierror.Bad("metadata", "missing_required_parameter", "Missing required parameter: 'metadata'.")
	}
	if wrong := checkBody(q.Body, false); wrong != nil {
		return Result{}, wrong
	}
	c.setMetadata(metadata)
	return Result{JSON: c.json()}, nil
}

func deleteConversation(c *Conversation, q *Query) (Result, *apierror.Error) {
	c.store.drop(c.name, c)
	return deleted(q.ID, "conversation.deleted"), nil
}

func listItems(c *Conversation, q *Query) (Result, *apierror.Error) {
	return c.store.paged(c.Items(), q)
}

func createItems(c *Conversation, q *Query) (Result, *apierror.Error) {
	if wrong := checkBody(q.Body, true); wrong != nil {
		return Result{}, wrong
	}
	return Result{JSON: listOf(c.add(q.Body.Get("items")), false)}, nil
}

func showItem(c *Conversation, q *Query) (Result, *apierror.Error) {
	item, wrong := c.item(q.Item)
	return Result{JSON: item}, wrong
}

func deleteItem(c *Conversation, q *Query) (Result, *apierror.Error) {
	if _, wrong := c.item(q.Item); wrong != nil {
		return Result{}, wrong
	}
	c.remove(q.Item)
	return Result{JSON: c.json()}, nil
}
