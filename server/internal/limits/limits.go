// Package limits counts what API keys ask for in windows that slide, and refuses in
// the words of the real service what is beyond their limits. It does not know what
// is asked for, and reads the time from a clock that it is given.
package limits

import (
	"container/list"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// maxKeys bounds how many API keys are counted. Those beyond are forgotten, with
// all that they spent, the one that asked longest ago first: see [Limiter.Usage].
const maxKeys = 10_000

// Rule is a limit and what it limits.
type Rule struct {
	// Of says what is limited, in words: "the server", "model gpt-4o*". Each has a
	// window of its own for each API key.
	Of string
	scenarios.Limits
	// Told says that nobody is refused: answers only tell of it.
	Told bool
}

// Default is what is told where nothing is limited.
func Default() Rule {
	return Rule{Of: "default", Told: true, Limits: scenarios.Limits{RPM: apierror.RequestsPerMinute, TPM: apierror.TokensPerMinute}}
}

// counts reports whether requests and tokens are counted, and not only what is
// open.
func (r *Rule) counts() bool { return r.RPM > 0 || r.TPM > 0 }

// Limiter counts. It may be used by several goroutines at the same time.
type Limiter struct {
	clock func() time.Time
	made  time.Time // made is when the limiter was made, from which its times count.

	mu        sync.Mutex               // guards what follows
	accounts  map[string]*list.Element // accounts are by API key.
	order     *list.List               // order has each *account, the one used last first.
	forgotten int                      // forgotten counts the accounts beyond maxKeys.
}

// account is what one API key has spent.
type account struct {
	apiKey  string
	windows []*window // windows are in the order in which they were first asked for.
}

// New makes a limiter that reads the time from now.
func New(now func() time.Time) *Limiter {
	return &Limiter{clock: now, made: now(), accounts: map[string]*list.Element{}, order: list.New()}
}

func (l *Limiter) now() time.Duration { return l.clock().Sub(l.made) }

// Admit counts a request whose prompt has so many tokens against all rules, or
// against none if one of them refuses it: of several, the one that lets it wait
// longest. Of its results exactly one is not nil.
func (l *Limiter) Admit(apiKey string, rules []Rule, prompt int) (*Admission, *Refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a := l.account(apiKey, now)
	windows := make([]*window, 0, fewRules)
	var refusal *Refusal
	for _, rule := range rules {
		w := a.window(rule)
		windows = append(windows, w)
		w.slide(now)
		if r := w.refuse(now, prompt); r != nil && (refusal == nil || r.longerThan(refusal)) {
			refusal = r
		}
	}
	if refusal != nil {
		return nil, refusal
	}
	admission := &Admission{limiter: l}
	admission.parts = admission.few[:0]
	var told narrowestLevels
	for _, w := range windows {
		admission.parts = append(admission.parts, part{w, w.enter(now, prompt)})
		told.take(w, now)
	}
	admission.status = told.status()
	return admission, nil
}

// longestKey is the longest API key that is remembered as it is: real ones have 200
// characters, but a header can have a million.
const longestKey = 256

// nameOf is what stands for an API key: itself, or if it is too long its ends, which
// are shown, and its sum.
func nameOf(apiKey string) string {
	if len(apiKey) <= longestKey {
		return apiKey
	}
	const head, tail = 8, 4
	sum := sha256.Sum256([]byte(apiKey))
	return apiKey[:head] + hex.EncodeToString(sum[:]) + apiKey[len(apiKey)-tail:]
}

// Forgotten counts the API keys that were forgotten because there are too many.
func (l *Limiter) Forgotten() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.forgotten
}

// account is that of an API key, which is used now.
func (l *Limiter) account(apiKey string, now time.Duration) *account {
	apiKey = nameOf(apiKey)
	l.dropIdle(now)
	if e, ok := l.accounts[apiKey]; ok {
		l.order.MoveToFront(e)
		return e.Value.(*account)
	}
	apiKey = strings.Clone(apiKey) // it is a part of a header
	a := &account{apiKey: apiKey}
	l.accounts[apiKey] = l.order.PushFront(a)
	if l.order.Len() > maxKeys {
		delete(l.accounts, l.order.Remove(l.order.Back()).(*account).apiKey)
		l.forgotten++
	}
	return a
}

// atOnce bounds how many accounts are looked at for each request. It is more than
// one, so that those that have spent nothing go faster than others come.
const atOnce = 2

// dropIdle forgets accounts that have spent nothing in their windows, of those that
// asked longest ago: without them is as with them.
func (l *Limiter) dropIdle(now time.Duration) {
	for range atOnce {
		oldest := l.order.Back()
		if oldest == nil || !oldest.Value.(*account).idle(now) {
			return
		}
		delete(l.accounts, l.order.Remove(oldest).(*account).apiKey)
	}
}

// idle reports whether nothing is spent and no answer is open.
func (a *account) idle(now time.Duration) bool {
	for _, w := range a.windows {
		w.slide(now)
		if w.open > 0 || len(w.events) > 0 {
			return false
		}
	}
	return true
}

// window is the window of what a rule limits, with the rule as it is now.
func (a *account) window(rule Rule) *window {
	w := a.find(rule.Of)
	if w == nil {
		w = &window{}
		a.windows = append(a.windows, w)
	}
	w.rule = rule
	return w
}

func (a *account) find(of string) *window {
	for _, w := range a.windows {
		if w.rule.Of == of {
			return w
		}
	}
	return nil
}

// Reset forgets what an API key has spent, or all keys if it is "". Answers that
// are open then count no more.
func (l *Limiter) Reset(apiKey string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	apiKey = nameOf(apiKey)
	for key, e := range l.accounts {
		if apiKey == "" || key == apiKey {
			l.order.Remove(e)
			delete(l.accounts, key)
		}
	}
	if apiKey == "" {
		l.forgotten = 0
	}
}

// Forget forgets what an API key, or all keys if it is "", has spent of one thing
// that is limited.
func (l *Limiter) Forget(apiKey, of string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	apiKey = nameOf(apiKey)
	for key, e := range l.accounts {
		if apiKey == "" || key == apiKey {
			e.Value.(*account).forget(of)
		}
	}
}

func (a *account) forget(of string) {
	for i, w := range a.windows {
		if w.rule.Of == of {
			a.windows = append(a.windows[:i], a.windows[i+1:]...)
			return
		}
	}
}

// fewRules is how many rules mostly count for a request at most.
const fewRules = 2

// Admission is a request that was let in. A nil Admission does nothing.
type Admission struct {
	limiter *Limiter
	parts   []part
	few     [fewRules]part // few is the memory of the first parts.
	ended   bool
	status  Status // status is how far the limits were used when it was let in, it included.
}

// Status is how far the limits were used when the request was let in, itself included.
func (a *Admission) Status() Status { return a.status }

// part is what an admission is in one window.
type part struct {
	window *window
	event  int64 // event is the number of the request in the window; 0 where only open answers are counted.
}

// Spend counts further tokens of the request, as of the moment when it was let in.
// A negative number gives some back.
func (a *Admission) Spend(tokens int) {
	if a == nil {
		return
	}
	a.limiter.mu.Lock()
	defer a.limiter.mu.Unlock()
	for _, p := range a.parts {
		p.window.spend(p.event, tokens)
	}
}

// End says that the answer is open no more. Further calls do nothing.
func (a *Admission) End() {
	if a == nil {
		return
	}
	a.limiter.mu.Lock()
	defer a.limiter.mu.Unlock()
	a.end()
}

func (a *Admission) end() {
	if a.ended {
		return
	}
	a.ended = true
	for _, p := range a.parts {
		p.window.open--
	}
}

// Cancel takes the admission back, as if the request had never come.
func (a *Admission) Cancel() {
	if a == nil {
		return
	}
	a.limiter.mu.Lock()
	defer a.limiter.mu.Unlock()
	a.end()
	for _, p := range a.parts {
		p.window.remove(p.event)
	}
}
