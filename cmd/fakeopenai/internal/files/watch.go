package files

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
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

// Watch calls changed after changes of a library's files, until stop is called. It looks at
// the files again and again: events of the system would miss files that are mounted, behind
// links, or in directories that are new.
func Watch(lib *Library, changed func()) (stop func()) {
	if lib.Sources.Bundled() {
		return func() {}
	}
	stopped := make(chan struct{})
	var running sync.WaitGroup
	running.Go(func() { watch(lib, changed, stopped) })
	return func() {
		close(stopped)
		running.Wait()
	}
}

func watch(lib *Library, changed func(), stopped <-chan struct{}) {
	var last look // the zero look is like no other, for changes since the files were read
	var since time.Time
	wait, pending := lookEvery, false // pending says that there was a change since, and the files may not be written whole
	for {
		select {
		case <-stopped:
			return
		case <-time.After(wait):
		}
		began := time.Now()
		now := lib.Sources.look()
		same := now.same(last)
		if !same && !pending {
			pending, since = true, began
		}
		last = now
		if pending && (same || time.Since(since) >= maxDelay) || lib.unread() {
			pending = false
			if lib.changed() {
				changed()
			}
		}
		wait = max(lookEvery, lookShare*time.Since(began))
	}
}

// look is what the files of sources look like from outside.
type look struct {
	names []string
	infos []fs.FileInfo // infos are those of the files that links lead to; nil for a file that is not there.
	err   string
}

func (s Sources) look() look {
	names, err := s.names()
	l := look{names: names, infos: make([]fs.FileInfo, len(names)), err: fmt.Sprint(err)}
	for i, name := range names {
		l.infos[i], _ = os.Stat(name) // nil says that there is none
	}
	return l
}

// same reports whether nothing has changed between two looks.
func (l look) same(other look) bool {
	return l.err == other.err && slices.Equal(l.names, other.names) && slices.EqualFunc(l.infos, other.infos, sameFile)
}

func sameFile(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}
