package files

import (
	"errors"
	"io/fs"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// settleTime is the time without events after which the files are read again: editors
// write in several steps.
const settleTime = 100 * time.Millisecond

// maxDelay is the longest time for which continuous events can delay the reading.
const maxDelay = time.Second

// retryDelay is the time after which unreadable files are read again.
const retryDelay = time.Second

// watcher calls changed when the files of a library have changed.
type watcher struct {
	lib     *Library
	changed func()
	logger  *slog.Logger
	stopped chan struct{}     // stopped is closed to stop the watcher.
	notify  *fsnotify.Watcher // notify is nil until run has made it.
}

// Watch calls changed after changes of a library's files, until stop is called. It
// watches the directories of the files, to see new files and files that an editor
// replaces, and the directories of the symbolic links on their paths, to see links that
// change. If the system cannot watch files, it logs a warning.
func Watch(lib *Library, changed func(), logger *slog.Logger) (stop func()) {
	if lib.Sources.Bundled() {
		return func() {}
	}
	w := &watcher{lib: lib, changed: changed, logger: logger, stopped: make(chan struct{})}
	var running sync.WaitGroup
	running.Go(w.run)
	return func() {
		close(w.stopped)
		running.Wait()
	}
}

// run watches the files until the watcher is stopped. It starts after settleTime, so
// that it does not delay the first answer of the server.
func (w *watcher) run() {
	select {
	case <-time.After(settleTime):
	case <-w.stopped:
		return
	}
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		w.logger.Warn("changes of files are not seen; send SIGHUP or POST /_fake/reload after a change", "error", err)
		return
	}
	defer notify.Close()
	w.notify = notify
	w.follow()
}

// follow handles events until the watcher is stopped. It begins with a refresh, for
// changes since the files were read.
func (w *watcher) follow() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var since time.Time // the time of the first event after the last refresh; zero for none
	for {
		select {
		case <-w.stopped:
			return
		case event, open := <-w.notify.Events:
			if !open {
				return
			}
			if event.Op == fsnotify.Chmod {
				continue
			}
			if since.IsZero() {
				since = time.Now()
			}
			timer.Reset(max(0, min(settleTime, time.Until(since.Add(maxDelay)))))
		case err, open := <-w.notify.Errors:
			if !open {
				return
			}
			w.logger.Warn("watching files", "error", err)
			timer.Reset(settleTime)
		case <-timer.C:
			since = time.Time{}
			if w.refresh() {
				timer.Reset(retryDelay)
			}
		}
	}
}

// refresh watches new directories, and calls changed if the files have changed. Again
// says to refresh once more without an event: because something could not be read for a
// reason that may pass, such as too many open files, or because files may have changed
// in a new directory before it was watched.
func (w *watcher) refresh() (again bool) {
	dirs := w.lib.Sources.watched()
	for _, dir := range w.notify.WatchList() {
		if !slices.Contains(dirs, dir) {
			_ = w.notify.Remove(dir) // fails for a deleted directory
		}
	}
	for _, dir := range dirs {
		// This fails for a deleted directory; the load reports other errors.
		if err := w.notify.Add(dir); err != nil {
			w.logger.Debug("directory is not watched", "dir", dir, "error", err)
			again = again || !errors.Is(err, fs.ErrNotExist)
		}
	}
	if w.lib.changed() {
		w.changed()
		again = true
	}
	return again || w.lib.unread()
}
