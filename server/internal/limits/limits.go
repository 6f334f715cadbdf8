// Package limits counts what API keys use: requests, tokens and open answers in sliding windows
// ([Limiter]), and the times of replies and attempts of requests since a reset ([Counters]). It
// refuses requests beyond a limit with the errors of the real service, and reads the time from
// a clock that its caller provides.
package limits

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/lru"
)

// maxKeys bounds how many API keys are counted. Beyond it, the counts of the key whose last
// request is the oldest are forgotten: see [Limiter.Usage] and [Counters.Forgotten].
const maxKeys = 10_000

// Rule is a limit and what it limits.
type Rule struct {
	// Of names what is limited, in words: "the server", "model gpt-4o*". Each API key has
	// a window for each Of.
	Of string
	scenarios.Limits
}

// Limiter has the windows of all API keys. It is safe for concurrent use.
type Limiter struct {
	clock func() time.Time
	made  time.Time // made is when the limiter was made; all its times count from it.
	warn  func(text string)

	mu        sync.Mutex                 // guards what follows
	accounts  *lru.Map[string, *account] // accounts are the accounts of the API keys, by [NameOf] of the key.
	forgotten int                        // forgotten counts the accounts that were dropped beyond maxKeys.
}

type account struct {
	windows []*window // windows are in the order in which they were first used.
}

// New makes a limiter whose clock is now. Warn is called when an API key is forgotten for the
// first time, with what that means; it may be nil.
func New(now func() time.Time, warn func(text string)) *Limiter {
	return &Limiter{clock: now, made: now(), warn: warn, accounts: lru.New[string, *account](maxKeys)}
}

func (l *Limiter) now() time.Duration { return l.clock().Sub(l.made) }

// Admit counts a request and the tokens of its prompt against all rules. If a rule
// refuses the request, it counts against none; the refusal is that of the rule with the
// longest wait. Without rules both results are nil.
func (l *Limiter) Admit(apiKey string, rules []Rule, prompt int) (*Admission, *Refusal) {
	if len(rules) == 0 {
		return nil, nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a := l.account(apiKey, now)
	windows := make([]*window, len(rules))
	var refusal *Refusal
	for i, rule := range rules {
		w := a.find(rule.Of)
		if w == nil {
			w = new(window)
			a.windows = append(a.windows, w)
		}
		w.rule = rule // it may have changed
		w.slide(now)
		if r := w.refuse(now, prompt); r != nil && (refusal == nil || r.Wait > refusal.Wait) {
			refusal = r
		}
		windows[i] = w
	}
	if refusal != nil {
		return nil, refusal
	}
	admission := &Admission{limiter: l}
	for _, w := range windows {
		admission.events = append(admission.events, w.enter(now, prompt))
	}
	admission.Status = statusOf(windows, now)
	return admission, nil
}

// longestKey is the length of the longest API key that is stored as it is. Real keys have
// 200 characters, but a header field can have a million.
const longestKey = 256

// NameOf returns the name under which an API key is counted: the key itself or, if it is
// too long, its first and last characters, which masks show, and its SHA-256 hash.
func NameOf(apiKey string) string {
	if len(apiKey) <= longestKey {
		return apiKey
	}
	const head, tail = 8, 4
	sum := sha256.Sum256([]byte(apiKey))
	return apiKey[:head] + hex.EncodeToString(sum[:]) + apiKey[len(apiKey)-tail:]
}

const keysForgotten = "too many API keys: what the keys that asked longest ago have spent is forgotten; GET /_fake/usage shows how many under forgotten"

// account returns the account of an API key, and makes it the last used. An idle
// account that it drops is not counted as forgotten, because it equals a new one.
func (l *Limiter) account(apiKey string, now time.Duration) *account {
	apiKey = NameOf(apiKey)
	if a, ok := l.accounts.Use(apiKey); ok {
		return a
	}
	a := new(account)
	oldest, full := l.accounts.Put(strings.Clone(apiKey), a) // a clone does not keep the request's header in memory
	if full && !oldest.idle(now) {
		if l.forgotten == 0 && l.warn != nil {
			l.warn(keysForgotten)
		}
		l.forgotten++
	}
	return a
}

// idle reports whether all windows are empty and no answer is open.
func (a *account) idle(now time.Duration) bool {
	for _, w := range a.windows {
		w.slide(now)
		if w.open > 0 || len(w.events) > 0 {
			return false
		}
	}
	return true
}

func (a *account) find(of string) *window {
	for _, w := range a.windows {
		if w.rule.Of == of {
			return w
		}
	}
	return nil
}

// Reset forgets what an API key has spent, or all keys if it is "". Open answers no longer
// count.
func (l *Limiter) Reset(apiKey string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accounts.Delete(NameOf(apiKey))
	if apiKey == "" {
		l.accounts, l.forgotten = lru.New[string, *account](maxKeys), 0
	}
}

// Forget forgets what an API key, or all keys if it is "", has spent of the limits of one
// scenario, model or server, which of names.
func (l *Limiter) Forget(apiKey, of string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	apiKey = NameOf(apiKey)
	for key, a := range l.accounts.All() {
		if apiKey == "" || key == apiKey {
			a.windows = slices.DeleteFunc(a.windows, func(w *window) bool { return w.rule.Of == of })
		}
	}
}

// Admission is a request that the limits have let in. A nil Admission is one that has no
// limits: its methods do nothing.
type Admission struct {
	// Status is how far the limits were used when the request was let in, including the request.
	Status  Status
	limiter *Limiter
	events  []*event // events are the request in its windows.
	ended   bool
}

// Spend counts further tokens of the request, as if they had come with it. A negative number
// gives tokens back.
func (a *Admission) Spend(tokens int) {
	if a == nil {
		return
	}
	a.limiter.mu.Lock()
	defer a.limiter.mu.Unlock()
	for _, e := range a.events {
		if !e.gone {
			e.tokens += tokens
			e.window.tokens += tokens
		}
	}
}

// End lets the answer no longer count as open. Further calls do nothing.
func (a *Admission) End() {
	if a == nil {
		return
	}
	a.limiter.mu.Lock()
	defer a.limiter.mu.Unlock()
	if a.ended {
		return
	}
	a.ended = true
	for _, e := range a.events {
		e.window.open--
	}
}

// Cancel removes the request from its windows, as if it had never come.
func (a *Admission) Cancel() {
	if a == nil {
		return
	}
	a.End()
	a.limiter.mu.Lock()
	defer a.limiter.mu.Unlock()
	for _, e := range a.events {
		if !e.gone {
			e.gone = true
			e.window.tokens -= e.tokens
			e.window.events = slices.DeleteFunc(e.window.events, func(other *event) bool { return other == e })
		}
	}
}

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

// Usage is what API keys have spent, in the form of GET /_fake/usage.
type Usage struct {
	Keys []KeyUsage `json:"usage"`
	// Forgotten counts the keys that were dropped because there are too many.
	Forgotten int `json:"forgotten"`
}

// KeyUsage is what one API key has spent.
type KeyUsage struct {
	APIKey  string        `json:"api_key"`
	Windows []WindowUsage `json:"limits"`
}

// WindowUsage is what an API key has spent of one limit.
type WindowUsage struct {
	Of       string     `json:"of"` // Of names what is limited, as in the journal.
	Window   string     `json:"window"`
	Requests LevelUsage `json:"requests"`
	Tokens   LevelUsage `json:"tokens"`
	// Open counts the open answers. Concurrent is absent if they are not limited.
	Open       int `json:"open"`
	Concurrent int `json:"concurrent,omitempty"`
}

// LevelUsage is the use of a limit in the window and, if there is a limit, the rest.
type LevelUsage struct {
	Used      int    `json:"used"`
	Limit     int    `json:"limit,omitempty"`
	Remaining *int   `json:"remaining,omitempty"`
	Reset     string `json:"reset,omitempty"`
}

// Usage returns what an API key has spent, or all keys if it is "", the last used first.
func (l *Limiter) Usage(apiKey string) Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	u := Usage{Keys: []KeyUsage{}, Forgotten: l.forgotten}
	apiKey = NameOf(apiKey)
	for name, a := range l.accounts.All() {
		if apiKey != "" && name != apiKey {
			continue
		}
		key := KeyUsage{APIKey: name, Windows: []WindowUsage{}}
		for _, w := range a.windows {
			w.slide(now)
			requests, tokens := w.levels(now)
			key.Windows = append(key.Windows, WindowUsage{w.rule.Of, Duration(w.rule.Period()), requests.usage(), tokens.usage(), w.open, w.rule.Concurrent})
		}
		u.Keys = append(u.Keys, key)
	}
	slices.Reverse(u.Keys)
	return u
}

func (l Level) usage() LevelUsage {
	u := LevelUsage{Used: l.Used}
	if l.Limit > 0 {
		u.Limit, u.Remaining, u.Reset = l.Limit, &l.Remaining, Duration(l.Reset)
	}
	return u
}
