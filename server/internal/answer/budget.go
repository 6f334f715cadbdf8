package answer

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// maxBuilding is how many lines of streams are built at the same time, in all answers
// together. A line takes up to six kilobytes while it is built, and about a tenth of that
// afterwards.
const maxBuilding = 25_000

// smallBuild is how many lines a stream has that is built at once, whatever else is
// built.
const smallBuild = 500

// building are the builds of all sets of scenarios: the memory is one.
var building = budget{free: maxBuilding}

// errLeft says that a client left before its answer was built.
var errLeft = errors.New("the client left before its answer was made")

// budget lets several builds go on at a time, as far as they are small together. Others
// wait in the order in which they came.
type budget struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter
}

// waiter is a build that waits for its turn.
type waiter struct {
	lines int
	turn  chan struct{} // turn is closed when the build has its lines.
}

// take waits until so many lines can be built, or ctx ends. What it returns gives them
// back.
func (b *budget) take(ctx context.Context, lines int) (giveBack func(), err error) {
	if lines <= smallBuild {
		return func() {}, nil
	}
	w := &waiter{lines: min(lines, maxBuilding), turn: make(chan struct{})}
	b.mu.Lock()
	b.waiting = append(b.waiting, w)
	b.wake()
	b.mu.Unlock()
	giveBack = sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.free += w.lines
		b.wake()
	})
	select {
	case <-w.turn:
		return giveBack, nil
	case <-ctx.Done():
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if i := slices.Index(b.waiting, w); i >= 0 {
		b.waiting = slices.Delete(b.waiting, i, i+1)
	} else {
		b.free += w.lines
	}
	b.wake()
	return nil, errLeft
}

// wake lets those begin whose turn it is.
func (b *budget) wake() {
	for len(b.waiting) > 0 && b.waiting[0].lines <= b.free {
		b.free -= b.waiting[0].lines
		close(b.waiting[0].turn)
		b.waiting = b.waiting[1:]
	}
}
