package limits

import "slices"

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

// LevelUsage is what is spent in the window and, if there is a limit, what remains.
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
