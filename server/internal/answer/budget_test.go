package answer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
)

// TestLargeBuildsWaitForEachOther starts sixty large builds at once.
func TestLargeBuildsWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget{free: maxBuilding}
		const builds, lines = 60, maxBuilding / 2
		begun, end, ended := make(chan func(), builds), make(chan bool), make(chan bool, builds)
		for range builds {
			go func() {
				giveBack, err := b.take(t.Context(), lines)
				if err != nil {
					t.Error(err)
				}
				begun <- giveBack
				<-end
				giveBack()
				giveBack() // it counts once
				ended <- true
			}()
		}
		for n := 2; n < builds; n++ {
			synctest.Wait()
			if len(begun) != n {
				t.Fatalf("%d builds have begun when %d have ended, want %d", len(begun), n-2, n)
			}
			end <- true
		}
		small, err := b.take(t.Context(), smallBuild)
		if err != nil {
			t.Error("a small build waits for large ones")
		}
		small()
		close(end)
		for range builds {
			<-ended
		}
		if b.free != maxBuilding {
			t.Errorf("%d lines are free when all has ended", b.free)
		}
	})
}

// A client that leaves before its build's turn frees its place in the queue.
func TestABuildDoesNotWaitForAClientThatLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := budget{free: maxBuilding}
		giveBack, err := b.take(t.Context(), 10*maxBuilding) // a build that is larger than the budget waits for all of it
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		result := make(chan error)
		go func() {
			_, err := b.take(ctx, maxBuilding)
			result <- err
		}()
		synctest.Wait()
		leave()
		if err := <-result; !errors.Is(err, errLeft) {
			t.Errorf("got %v", err)
		}
		giveBack()
		if b.free != maxBuilding || len(b.waiting) > 0 {
			t.Errorf("%d lines are free, and %d builds wait", b.free, len(b.waiting))
		}
	})
}
