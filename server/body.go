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

// readBody reads the request's body up to the limit, in size and in time. A
// request that announces more is not read at all.
func (x *exchange) readBody() ([]byte, *apiError) {
	limit := x.server.config.MaxBody
	if x.r.ContentLength > limit {
		return nil, bodyTooLarge(limit)
	}
	from := x.r.Body
	if x.r.ContentLength <= 0 { // otherwise net/http ends it there
		from = http.MaxBytesReader(x.w, from, limit)
	}
	body, err := request.ReadAll(from, x.r.ContentLength)
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, bodyTooLarge(limit)
	}
	if err != nil && x.server.serving.Err() != nil {
		return nil, serverClosed // which has set the deadline
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

// largeBody is from how many bytes on bodies are parsed a few at a time.
const largeBody = 64 << 10

// parsing lets as many large bodies be parsed at a time as there are processors: more
// at a time would be no faster, and each takes up to 50 times its length meanwhile. It
// is one for all servers, as the memory is.
var parsing = make(chan struct{}, runtime.GOMAXPROCS(0))

// parse reads a body as a request to the surface; a large one when its turn has come.
func parse(on surface.Surface, header http.Header, body []byte) (*scenarios.Request, error) {
	if len(body) > largeBody {
		parsing <- struct{}{}
		defer func() { <-parsing }()
	}
	return on.Read(header, body)
}

// limitBody ends what is read from a client that takes longer to send a body than
// the server waits. Where a connection has no deadlines, nothing is limited. At a
// body's end net/http takes the limit away, to see when the client leaves.
func (s *Server) limitBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength != 0 {
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.config.BodyTimeout))
	}
}
