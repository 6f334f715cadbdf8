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

// settleTime is how long the files must rest before they are read again: editors
// write in several steps.
const settleTime = 100 * time.Millisecond

// maxDelay is how long a directory in constant motion can put that off.
const maxDelay = time.Second

// retryDelay is how long files that could not be read are left alone.
const retryDelay = time.Second

// watcher calls changed when the files of a library have changed.
type watcher struct {
	lib     *Library
	changed func()
	logger  *slog.Logger
	stopped chan struct{}     // stopped is closed when the files are not to be followed any more.
	notify  *fsnotify.Watcher // notify is nil at first.
}

// Watch follows the files of a library until stop is called. It follows the
// directories they are in, so that new files are seen, and files that an editor
// replaces instead of writing to them; and the directories of symbolic links on the
// way to them, so that a link that is set anew is seen. On a system that cannot do
// this it logs a warning.
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

// run follows the files until the watcher is stopped. At first it lets them rest, so
// that who waits for the first answer of a server does not wait for this, too.
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

// follow handles events until the watcher is stopped. It starts with a look of its
// own, for changes since the files were read.
func (w *watcher) follow() {
	timer := time.NewTimer(0)
	defer timer.Stop()
	var since time.Time // when the first event came that was not handled yet
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

// refresh follows directories that are new, reports a change, and says whether to
// look again without an event: because something could not be read for a reason
// that may pass, such as too many open files, or because a change may have come
// before the directories that it brought were followed.
func (w *watcher) refresh() (again bool) {
	dirs := w.lib.Sources.watched()
	for _, dir := range w.notify.WatchList() {
		if !slices.Contains(dirs, dir) {
			_ = w.notify.Remove(dir) // it fails for a directory that has gone
		}
	}
	for _, dir := range dirs {
		// A directory that cannot be followed has gone, or is reported by the load.
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
