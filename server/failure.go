package server

import (
	"cmp"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// failure answers with an HTTP error in place of a completion.
func (p *preparation) failure(e *scenarios.APIError) (*prepared, error) {
	object, err := script.ErrorObject(p.sel, e)
	if err != nil {
		return nil, err
	}
	a, err := p.errorBody(e.Status, object)
	if err != nil {
		return nil, err
	}
	if e.RetryAfter != nil {
		retryAfter(a.header, *e.RetryAfter)
	}
	if e.Body != nil {
		text, err := render.Text(p.sel, *e.Body)
		if err != nil {
			return nil, err
		}
		a.program = p.whole(text)
		a.header.Set("Content-Type", http.DetectContentType([]byte(text)))
	}
	for _, list := range [][]scenarios.Header{p.manner.Wire.Headers, e.Headers} {
		if err := p.addHeaders(a.header, list); err != nil {
			return nil, err
		}
	}
	return a, nil
}

// errorBody answers with an error object. The status 0 is 500.
func (p *preparation) errorBody(status int, object ojson.Value) (*prepared, error) {
	status = cmp.Or(status, apierror.DefaultStatus)
	body := compile.Unit{Kind: script.KindError, JSON: apierror.Envelope(object)}
	contentType := apierror.Standard.ContentType()
	if status == http.StatusUnauthorized && len(p.manner.Damage) == 0 {
		// The one error that the real service lays out in another way.
		text := string(apierror.Auth.Layout(body.JSON))
		body, contentType = compile.Unit{Kind: script.KindError, Raw: &text}, apierror.Auth.ContentType()
	}
	h, err := p.header(contentType)
	if err != nil {
		return nil, err
	}
	values := player.NewValues(nil)
	return &prepared{program: compile.Body(nil, body, p.options(values)), values: values, status: status, header: h}, nil
}

// retryAfter writes the pause that is asked for as clients read it: whole
// seconds in Retry-After, and the exact pause in Retry-After-Ms if it is shorter
// than a second or not whole.
func retryAfter(h http.Header, d time.Duration) {
	h.Set("Retry-After", strconv.Itoa(int(math.Ceil(d.Seconds()))))
	if d%time.Second != 0 {
		h.Set("Retry-After-Ms", strconv.FormatInt(d.Milliseconds(), 10))
	}
}
