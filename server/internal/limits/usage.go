package limits

// Usage is what API keys have spent, each in the windows that count for it.
type Usage struct {
	Keys []KeyUsage
	// Forgotten counts the keys that were dropped because there are too many.
	Forgotten int
}

// KeyUsage is what one API key has spent.
type KeyUsage struct {
	APIKey  string
	Windows []WindowUsage
}

// WindowUsage is what an API key has spent of one limit.
type WindowUsage struct {
	Rule     Rule
	Requests Level // Requests has the Limit 0 if the rule does not limit them.
	Tokens   Level // Tokens has the Limit 0 if the rule does not limit them.
	Open     int   // Open counts the open answers.
}

// Usage returns what an API key has spent, or all keys if it is "", the last used first.
func (l *Limiter) Usage(apiKey string) Usage {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	u := Usage{Forgotten: l.forgotten}
	apiKey = nameOf(apiKey)
	for name, a := range l.accounts.All() {
		if apiKey != "" && name != apiKey {
			continue
		}
		key := KeyUsage{APIKey: name}
		for _, w := range a.windows {
			w.slide(now)
			key.Windows = append(key.Windows, WindowUsage{w.rule, w.requestLevel(now), w.tokenLevel(now), w.open})
		}
		u.Keys = append(u.Keys, key)
	}
	return u
}

// Shown is the usage in the form of GET /_fake/usage.
type Shown struct {
	Usage []shownKey `json:"usage"`
	// Forgotten counts the keys that were dropped because there are too many.
	Forgotten int `json:"forgotten"`
}

// Shown returns the usage in the form for JSON. showKey masks API keys.
func (u Usage) Shown(showKey func(apiKey string) string) Shown {
	keys := make([]shownKey, len(u.Keys))
	for i, key := range u.Keys {
		keys[i] = shownKey{showKey(key.APIKey), make([]shownWindow, len(key.Windows))}
		for j, w := range key.Windows {
			keys[i].Limits[j] = shownWindow{
				w.Rule.Of, Duration(w.Rule.Period()), w.Requests.shown(), w.Tokens.shown(), w.Open, w.Rule.Concurrent,
			}
		}
	}
	return Shown{keys, u.Forgotten}
}

type shownKey struct {
	APIKey string        `json:"api_key"`
	Limits []shownWindow `json:"limits"`
}

// shownWindow is how much is spent of one limit.
type shownWindow struct {
	Of       string     `json:"of"` // Of names what is limited, as in the journal.
	Window   string     `json:"window"`
	Requests shownLevel `json:"requests"`
	Tokens   shownLevel `json:"tokens"`
	// Open counts the open answers. Concurrent is absent if they are not limited.
	Open       int `json:"open"`
	Concurrent int `json:"concurrent,omitempty"`
}

// shownLevel is what is spent in the window and, if there is a limit, what remains.
type shownLevel struct {
	Used      int    `json:"used"`
	Limit     int    `json:"limit,omitempty"`
	Remaining *int   `json:"remaining,omitempty"`
	Reset     string `json:"reset,omitempty"`
}

func (l Level) shown() shownLevel {
	s := shownLevel{Used: l.Used}
	if l.Limit > 0 {
		s.Limit, s.Remaining, s.Reset = l.Limit, &l.Remaining, Duration(l.Reset)
	}
	return s
}
