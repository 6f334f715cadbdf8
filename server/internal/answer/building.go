package answer

import (
	"cmp"
	"context"
	"errors"
)

// building is a semaphore for long answers: one of a hundred thousand events takes some
// hundred megabytes while it is built. All servers of the process share it.
var building = make(chan struct{}, 2)

// longAnswer is the number of events above which an answer waits for building.
const longAnswer = 500

// errLeft says that a client left before its answer was built.
var errLeft = errors.New("the client left before its answer was made")

// awaitBuilding waits until an answer with so many events can be built, or ctx ends; nil
// never ends. The caller calls done when it is built.
func awaitBuilding(ctx context.Context, events int) (done func(), err error) {
	if events <= longAnswer {
		return func() {}, nil
	}
	select {
	case building <- struct{}{}:
		return func() { <-building }, nil
	case <-cmp.Or(ctx, context.Background()).Done():
		return nil, errLeft
	}
}
