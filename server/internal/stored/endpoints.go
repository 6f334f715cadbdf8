package stored

import (
	"encoding/hex"
	"math"
	"net/http"
	"net/url"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// Endpoint is one endpoint of the API that reads or changes what is kept.
type Endpoint struct {
	Method string
	Path   string // Path is the path below /v1; ids stand in braces.
	Does   string // Does describes the endpoint in lists of endpoints.
	Answer func(*Store, *Query) (Result, *apierror.Error)
}

// OfCompletions reports whether the endpoint is of chat completions, whose JSON is written in one line.
func (e *Endpoint) OfCompletions() bool { return strings.HasPrefix(e.Path, chat.Path) }

// Query is a request to an endpoint.
type Query struct {
	APIKey string
	ID     string // ID is the id of the response or of the conversation in the path.
	Item   string // Item is the id of the item in the path.
	Values url.Values
	Body   ojson.Value // Body is the request's body, an object; Absent if there is none.
	Now    int64       // Now is the time of the request, in seconds since 1970.
	Fresh  []byte      // Fresh are random bytes, of which ids are made.

	wrong *apierror.Error // wrong is the error for the first wrong value; nil if there is none.
}

// Result is the body of a response to a query: JSON, or an event stream.
type Result struct {
	JSON   ojson.Value
	Replay *Replay // Replay is the event stream; nil for JSON.
}

// Endpoints returns all endpoints that read or change what is kept.
func Endpoints() []Endpoint {
	const response, conversation, completion = responses.Path + "/{id}", "/conversations/{id}", chat.Path + "/{id}"
	return []Endpoint{
		{http.MethodGet, response, "shows a stored response; ?stream=true streams the events after starting_after again", on((*Store).Response, retrieve)},
		{http.MethodDelete, response, "deletes a stored response", on((*Store).Response, forget)},
		{http.MethodPost, response + "/cancel", "ends a response that is made in the background", on((*Store).Response, cancel)},
		{http.MethodGet, response + "/input_items", "lists the input items of a stored response", on((*Store).Response, inputItems)},
		{http.MethodGet, chat.Path, "lists the chat completions that were made with store: true", listCompletions},
		{http.MethodGet, completion, "shows a stored chat completion", on((*Store).completion, showCompletion)},
		{http.MethodPost, completion, "changes the metadata of a stored chat completion", on((*Store).completion, updateCompletion)},
		{http.MethodDelete, completion, "deletes a stored chat completion", on((*Store).completion, deleteCompletion)},
		{http.MethodGet, completion + "/messages", "lists the messages of the request for a stored chat completion", on((*Store).completion, listMessages)},
		{http.MethodPost, "/conversations", "creates a conversation", createConversation},
		{http.MethodGet, conversation, "shows a conversation", on((*Store).Conversation, showConversation)},
		{http.MethodPost, conversation, "changes the metadata of a conversation", on((*Store).Conversation, updateConversation)},
		{http.MethodDelete, conversation, "deletes a conversation", on((*Store).Conversation, deleteConversation)},
		{http.MethodGet, conversation + "/items", "lists the items of a conversation", on((*Store).Conversation, listItems)},
		{http.MethodPost, conversation + "/items", "adds items to a conversation", on((*Store).Conversation, createItems)},
		{http.MethodGet, conversation + "/items/{item}", "shows an item of a conversation", on((*Store).Conversation, showItem)},
		{http.MethodDelete, conversation + "/items/{item}", "deletes an item of a conversation", on((*Store).Conversation, deleteItem)},
	}
}

// on returns an endpoint that works on one response or conversation, which it looks up.
func on[T any](find func(s *Store, apiKey, id string) (T, *apierror.Error), do func(T, *Query) (Result, *apierror.Error)) func(*Store, *Query) (Result, *apierror.Error) {
	return func(s *Store, q *Query) (Result, *apierror.Error) {
		kept, wrong := find(s, q.APIKey, q.ID)
		if wrong != nil {
			return Result{}, wrong
		}
		return do(kept, q)
	}
}

// fault returns the error answer for an error; nil if there is none.
func fault(err error) *apierror.Error {
	if err == nil {
		return nil
	}
	return apierror.Fault(http.StatusInternalServerError, apierror.CodeInternal, err.Error())
}

func retrieve(r *Response, q *Query) (Result, *apierror.Error) {
	stream, padded := q.boolean("stream", false), q.boolean("include_obfuscation", true)
	after, include := q.integer("starting_after", -1, 0, math.MaxInt64), q.included()
	if q.wrong != nil {
		return Result{}, q.wrong
	}
	if stream {
		replay, err := r.Replay(after, padded, include)
		return Result{Replay: replay}, fault(err)
	}
	v, err := r.Snapshot(include...)
	return Result{JSON: v}, fault(err)
}

// deleted is the body of the response to a DELETE.
func deleted(id, object string) Result {
	return Result{JSON: ojson.Object(ojson.M("id", ojson.String(id)), ojson.M("object", ojson.String(object)), ojson.M("deleted", ojson.Bool(true)))}
}

func forget(r *Response, q *Query) (Result, *apierror.Error) {
	r.Forget()
	return deleted(q.ID, "response.deleted"), nil
}

func cancel(r *Response, _ *Query) (Result, *apierror.Error) {
	if !r.InBackground() {
		return Result{}, apierror.Bad("", "", "Cannot cancel a synchronous response.")
	}
	r.stop(true)
	v, err := r.Snapshot()
	return Result{JSON: v}, fault(err)
}

func inputItems(r *Response, q *Query) (Result, *apierror.Error) { return page(r.Input(), q, "desc") }

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
	if wrong := request.CheckValue("metadata", body.Get("metadata").Or(ojson.Null()), request.OrNull(request.Metadata())); wrong != nil {
		return wrong
	}
	items := body.Get("items")
	switch {
	case needsItems && items.IsNullOrAbsent():
		return apierror.Bad("items", "missing_required_parameter", "Missing required parameter: 'items'.")
	case items.IsNullOrAbsent():
		return nil
	case items.Kind() != ojson.ArrayKind:
		return request.InvalidType("items", "an array of objects", items)
	case len(items.Items()) > maxItems:
		return apierror.Bad("items", "array_above_max_length",
			"Invalid 'items': array too long. Expected an array with maximum length %d, but got an array with length %d instead.", maxItems, len(items.Items()))
	}
	return responses.CheckItems(items, "items")
}

func showConversation(c *Conversation, _ *Query) (Result, *apierror.Error) {
	return Result{JSON: c.json()}, nil
}

func updateConversation(c *Conversation, q *Query) (Result, *apierror.Error) {
	metadata, wrong := q.metadata()
	if wrong != nil {
		return Result{}, wrong
	}
	c.setMetadata(metadata)
	return Result{JSON: c.json()}, nil
}

// metadata is the metadata that a request puts in place of others.
func (q *Query) metadata() (ojson.Value, *apierror.Error) {
	metadata := q.Body.Get("metadata")
	if metadata.IsAbsent() {
		return metadata, apierror.Bad("metadata", "missing_required_parameter", "Missing required parameter: 'metadata'.")
	}
	return metadata, checkBody(q.Body, false)
}

func deleteConversation(c *Conversation, q *Query) (Result, *apierror.Error) {
	c.store.drop(c.name, c)
	return deleted(q.ID, "conversation.deleted"), nil
}

func listItems(c *Conversation, q *Query) (Result, *apierror.Error) {
	return page(c.items(), q, "desc")
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
