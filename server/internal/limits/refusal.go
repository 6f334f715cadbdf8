package limits

import (
	"fmt"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Unit is what a limit counts.
type Unit string

// The units of limits.
const (
	Requests   Unit = "rpm"
	Tokens     Unit = "tpm"
	Concurrent Unit = "concurrent"
)

// Refusal is why a request is not let in.
type Refusal struct {
	Of        string // Of is what is limited, as in [Rule].
	Unit      Unit
	Limit     int
	Used      int
	Requested int
	// Wait is the time until the request would be let in if no other comes. It is exact for
	// requests and tokens, and a guess for open answers.
	Wait time.Duration
}

// forever is the wait of a request that never fits into the window.
const forever = time.Duration(math.MaxInt64)

// concurrentPause is the wait for an open answer to end, a guess.
const concurrentPause = time.Second

// TooLarge reports whether the request never fits, however long it waits.
func (r *Refusal) TooLarge() bool { return r.Wait == forever }

// Limited is the limit in words, such as "rpm: 3 of scenario weather".
func (r *Refusal) Limited() string { return fmt.Sprintf("%s: %d of %s", r.Unit, r.Limit, r.Of) }

// Problem is the text for the journal and the log.
func (r *Refusal) Problem() string {
	if r.TooLarge() {
		return fmt.Sprintf("beyond the limit %s: %d requested, which never fits", r.Limited(), r.Requested)
	}
	return fmt.Sprintf("beyond the limit %s: %d used, %d requested; try again in %s", r.Limited(), r.Used, r.Requested, Duration(r.Wait))
}

// limitedIn has the real service's names of units.
var limitedIn = map[Unit]string{
	Requests: apierror.LimitedRequests, Tokens: apierror.LimitedTokens, Concurrent: apierror.LimitedOpen,
}

// Answer is the error that the real service answers with for a model.
func (r *Refusal) Answer(model string) *apierror.Error {
	limited := apierror.RateLimited{Model: model, Of: limitedIn[r.Unit], Limit: r.Limit, Used: r.Used, Requested: r.Requested}
	if !r.TooLarge() {
		limited.Wait = Duration(r.Wait)
	}
	return limited.Error()
}

// Header returns Retry-After, in whole seconds, and Retry-After-Ms, which is exact; nil if
// the request never fits.
func (r *Refusal) Header() http.Header {
	if r.TooLarge() {
		return nil
	}
	wait := Milliseconds(r.Wait)
	return http.Header{
		"Retry-After":    {strconv.Itoa(int(math.Ceil(wait.Seconds())))},
		"Retry-After-Ms": {strconv.FormatInt(wait.Milliseconds(), 10)},
	}
}
