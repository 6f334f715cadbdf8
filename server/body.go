package server

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"runtime"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
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
		return nil, serverClosed // ServerCloses has set the deadline
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

// largeBody is the number of bytes above which a body counts as large: see parsing.
const largeBody = 64 << 10

// parsing is a semaphore for large bodies, with one slot per processor: parsing more of
// them at a time would be no faster, and each takes up to 50 times its length in memory
// meanwhile. All servers of the process share it.
var parsing = make(chan struct{}, runtime.GOMAXPROCS(0))

// parse reads a body as a request to the surface. A large body waits for a slot.
func parse(on surface.Surface, header http.Header, body []byte) (*scenarios.Request, error) {
	if len(body) > largeBody {
		parsing <- struct{}{}
		defer func() { <-parsing }()
	}
	return on.Read(header, body)
}

// limitBody sets the deadline for reading the body. A connection without deadlines has no
// limit. At the end of the body net/http removes the deadline, to notice when the client
// leaves.
func (s *Server) limitBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.config.BodyTimeout))
	}
}
