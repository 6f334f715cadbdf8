package cli

import (
	"crypto/sha256"
	"sync"
	"time"
)

// lookEvery is the time between two looks at the files. Editors write in several steps, so
// that a change counts once two looks are the same.
const lookEvery = 100 * time.Millisecond

// maxDelay is the longest time for which continuous changes can delay the reading.
const maxDelay = time.Second

// lookShare bounds the work for many files: a look takes at most this part of the time.
const lookShare = 20

// watch calls changed, which loads the library again, after changes of its files, until stop is
// called. It reads the files again and again: events of the system would miss files that are mounted, behind
// links, or in directories that are new.
func watch(lib *library, changed func()) (stop func()) {
	if lib.sources.Bundled() {
		return func() {}
	}
	stopped := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { watchUntil(lib, changed, stopped) })
	return func() {
		close(stopped)
		running.Wait()
	}
}

func watchUntil(lib *library, changed func(), stopped <-chan struct{}) {
	var last [sha256.Size]byte
	var since time.Time // since is when a change was seen that is not loaded, as the files may not be written whole; zero for none
	wait := lookEvery
	for {
		select {
		case <-stopped:
			return
		case <-time.After(wait):
		}
		began := time.Now()
		now := digest(lib.sources.Read())
		switch {
		case lib.isLoaded(now):
			since = time.Time{}
		case since.IsZero():
			since = began
		case now == last || time.Since(since) >= maxDelay:
			since = time.Time{}
			changed()
		}
		last = now
		wait = max(lookEvery, lookShare*time.Since(began))
	}
}
