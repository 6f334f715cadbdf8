package stored

import (
	"cmp"
	"encoding/hex"
	"math"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// This file has the endpoints of chat completions that were made with store: true. They follow recordings: JSON is in
// one line, and the newest completion comes first, but the first message of one.

func (s *Store) completion(apiKey, id string) (*Response, *apierror.Error) {
	r, _ := s.get(name{kindCompletion, apiKey, id}).(*Response)
	if r != nil && r.IsOver() && !r.Cancelled() {
		return r, nil
	}
	return nil, apierror.Refused(404, "completion_id", "not_found", "Completion %s not found", id)
}

func showCompletion(r *Response, _ *Query) (Result, *apierror.Error) {
	rec, err := r.recorded(nil, true)
	if err != nil {
		return Result{}, fault(err)
	}
	return Result{JSON: chat.Stored(rec.Last(math.MaxInt), r.Request(), "req_"+hex.EncodeToString(r.made.RequestID[:]), r.metadataNow())}, nil
}

func (r *Response) metadataNow() ojson.Value {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.metadata
}

func updateCompletion(r *Response, q *Query) (Result, *apierror.Error) {
	metadata, wrong := q.metadata()
	if wrong != nil {
		return Result{}, wrong
	}
	r.mu.Lock()
	by := int64(metadata.Size() - r.metadata.Size())
	r.metadata = metadata.Detached()
	r.mu.Unlock()
	r.store.grow(r.name, r, by)
	return showCompletion(r, q)
}

// deleteCompletion leaves the completion in its place, as one that was not completed: a client that deletes what it
// lists goes on behind it.
func deleteCompletion(r *Response, q *Query) (Result, *apierror.Error) {
	r.mu.Lock()
	r.played = 0
	r.mu.Unlock()
	return Result{JSON: ojson.Object(
		ojson.M("object", ojson.String("chat.completion.deleted")), ojson.M("id", ojson.String(q.ID)), ojson.M("deleted", ojson.Bool(true)))}, nil
}

func listMessages(r *Response, q *Query) (Result, *apierror.Error) {
	return page(chat.StoredMessages(r.Request(), r.name.id), q, "asc")
}

func listCompletions(s *Store, q *Query) (Result, *apierror.Error) {
	all, order := s.newest(q.APIKey), cmp.Or(q.Values.Get("order"), "desc")
	if order == "asc" {
		slices.Reverse(all)
	}
	var ids []ojson.Value
	byID, before := map[string]*Response{}, ""
	for _, value := range all {
		switch r, ok := value.(*Response); {
		case !ok || r.name.kind != kindCompletion || !r.IsOver():
		case r.Cancelled() && r.name.id == q.Values.Get("after"):
			q.Values.Set("after", before)
		case !r.Cancelled() && r.isAskedFor(q):
			before, byID[r.name.id] = r.name.id, r
			ids = append(ids, ojson.Object(ojson.M("id", ojson.String(r.name.id))))
		}
	}
	if order == "desc" {
		slices.Reverse(ids)
	}
	result, wrong := page(ids, q, order)
	var data []ojson.Value
	for _, v := range result.JSON.Get("data").Items() {
		shown, fault := showCompletion(byID[v.Get("id").Text()], q)
		wrong = cmp.Or(wrong, fault)
		data = append(data, shown.JSON)
	}
	result.JSON.Set("data", ojson.Array(data...))
	return result, wrong
}

// isAskedFor reports whether a completion has the model and the metadata that a query names. The model is that of the
// request or of the answer.
func (r *Response) isAskedFor(q *Query) bool {
	for param, values := range q.Values {
		key, ok := strings.CutPrefix(param, "metadata[")
		if value := r.metadataNow().Get(strings.TrimSuffix(key, "]")); ok && (value.Kind() != ojson.StringKind || value.Text() != values[0]) {
			return false
		}
	}
	model := q.Values.Get("model")
	if model == "" || model == r.Request().Model {
		return true
	}
	shown, _ := showCompletion(r, q)
	return shown.JSON.Get("model").Text() == model
}
