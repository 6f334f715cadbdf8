package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// readBody reads the request's body up to the limit in size and time. If Content-Length is
// above the limit, nothing is read.
func (x *exchange) readBody() ([]byte, *apiError) {
	limit := x.server.config.MaxBody
	if x.r.ContentLength > limit {
		return nil, bodyTooLarge(limit)
	}
	from := x.r.Body
	if x.r.ContentLength <= 0 { // net/http ends a body at its Content-Length
		from = http.MaxBytesReader(x.w, from, limit)
	}
	body, err := request.ReadAll(from, x.r.ContentLength)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, bodyTooLarge(limit)
	}
	if err != nil && x.server.serving.Err() != nil {
		return nil, serverClosed // endWaits has set the deadline
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return nil, bodyTooSlow(x.server.config.BodyTimeout)
	}
	if err != nil {
		return nil, &apiError{
			Error:  apierror.Refusal(http.StatusBadRequest, apierror.CodeBodyUnreadable, fmt.Sprintf("The body of the request ended early: %v", err)),
			header: http.Header{"Connection": {"close"}},
		}
	}
	return body, nil
}

// limitBody sets the deadline for reading the body. A connection without deadlines has no
// limit. At the end of the body net/http removes the deadline, to notice when the client
// leaves.
func (s *Server) limitBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.config.BodyTimeout))
	}
}
