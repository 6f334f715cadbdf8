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

// What limits count.
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
	// Wait is how long it is until the request would be let in, if nothing else
	// comes: exactly for requests and tokens, a guess for open answers.
	Wait time.Duration
}

// forever is the wait for what never fits into a window.
const forever = time.Duration(math.MaxInt64)

// concurrentPause is the wait that is told where nobody knows when an answer ends.
const concurrentPause = time.Second

// TooLarge reports whether the request never fits, however long it waits.
func (r *Refusal) TooLarge() bool { return r.Wait == forever }

func (r *Refusal) longerThan(other *Refusal) bool { return r.Wait > other.Wait }

// Limited is the limit in words, such as "rpm: 3 of scenario weather".
func (r *Refusal) Limited() string { return fmt.Sprintf("%s: %d of %s", r.Unit, r.Limit, r.Of) }

// Problem says what is wrong with the request, for people.
func (r *Refusal) Problem() string {
	if r.TooLarge() {
		return fmt.Sprintf("beyond the limit %s: %d requested, which never fits", r.Limited(), r.Requested)
	}
	return fmt.Sprintf("beyond the limit %s: %d used, %d requested; try again in %s", r.Limited(), r.Used, r.Requested, Duration(r.Wait))
}

// limitedIn is how the real service calls what limits count.
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

// Header says when to try again, in whole seconds and exactly; it says nothing
// where waiting does not help.
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
