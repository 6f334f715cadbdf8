package answer

import (
	"context"
	"errors"
	"slices"
	"sync"
)

// maxBuilding is how many lines of streams all answers together build at the same time.
// A line takes up to six kilobytes while it is built, and about a tenth of that
// afterwards.
const maxBuilding = 25_000

// smallBuild is the number of lines up to which a stream is built without waiting.
const smallBuild = 500

// building is the budget of the whole process, whatever the number of servers and sets.
var building = budget{free: maxBuilding}

// errLeft says that a client left before its answer was built.
var errLeft = errors.New("the client left before its answer was made")

// budget limits the lines that are built at the same time. Builds beyond the limit wait
// in the order of their arrival.
type budget struct {
	mu      sync.Mutex
	free    int
	waiting []*waiter
}

// waiter is a build that waits for its turn.
type waiter struct {
	lines int
	turn  chan struct{} // turn is closed when the build may begin.
}

// take waits until so many lines can be built, or ctx ends. The caller calls giveBack
// when they are built.
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

// wake starts the first waiting builds for which there is room.
func (b *budget) wake() {
	for len(b.waiting) > 0 && b.waiting[0].lines <= b.free {
		b.free -= b.waiting[0].lines
		close(b.waiting[0].turn)
		b.waiting = b.waiting[1:]
	}
}
