// Package limits counts what API keys use: requests, tokens and open answers in sliding windows
// ([Limiter]), and the times of replies and attempts of requests since a reset ([Counters]). It
// refuses requests beyond a limit with the errors of the real service, and reads the time from
// a clock that its caller provides.
package limits

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
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
	accounts  *lru.Map[string, *account] // accounts are those of API keys, by the names that NameOf gives these.
	forgotten int                        // forgotten counts the accounts that were dropped beyond maxKeys.
}

// account has the windows of one API key.
type account struct {
	windows []*window // windows are in the order in which they were first used.
}

// New makes a limiter whose clock is now. Warn is called when an API key is forgotten for the
// first time, with what that means; it may be nil.
func New(now func() time.Time, warn func(text string)) *Limiter {
	return &Limiter{clock: now, made: now(), warn: warn, accounts: lru.New[string, *account](maxKeys)}
}

func (l *Limiter) now() time.Duration { return l.clock().Sub(l.made) }

// Admit counts a request, whose prompt has so many tokens, against all rules. If a rule
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

// keysForgotten is what the log says when API keys are forgotten.
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

// find returns the window of the rule with this Of; nil if there is none.
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

// Forget forgets what an API key, or all keys if it is "", has spent of the rules with this
// Of.
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
