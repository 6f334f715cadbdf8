package cli

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/serving"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// defaultAddr is the default of --addr: serve listens there, and healthcheck asks there.
const defaultAddr = "127.0.0.1:8080"

type serveOptions struct {
	console.ServerFlags
	tls          tlsFlags
	addr         string
	urlFile      string
	noWatch      bool
	allowEmpty   bool
	drainTimeout time.Duration
	drainDelay   time.Duration
	untilEOF     bool
	sources      sources
}

func (a *app) serveCommand() *cobra.Command {
	var o serveOptions
	cmd := &cobra.Command{
		Use:   "serve [paths...]",
		Short: "Play scenarios over HTTP",
		Long: `Play scenarios over HTTP until SIGINT or SIGTERM. The paths are scenario files,
directories (all *.yaml and *.yml below them) and globs.
` + sourcesHelp + ` Without both, it plays the
bundled scenarios.

The first line on stdout is "listening on URL". --url-file writes the URL alone to a
file, and removes the file when the server ends; a killed server leaves it, and the
next one replaces it. Set the URL, with /v1 at its end, as your client's base URL. The
log is on stderr.

The server reads scenarios again when their files change, on SIGHUP and on
POST /_fake/reload. If one is broken then, the log says where, and the old scenarios
stay.

The endpoints below /_fake/ are for programs on this machine. They answer requests to
localhost, loopback addresses, the host of --addr and each --admin-host, and refuse web
pages of other origins. If the server listens beyond loopback, all but healthz and
readyz are off. With --admin-token, requests to all but these two must send the token,
wherever the server listens.

The server speaks HTTP/1.1 and HTTP/2: with --tls as clients negotiate, without it to
clients with prior knowledge. The certificate of --tls is made for this run;
--tls-ca-file writes the certificate to a file for the variables NODE_EXTRA_CA_CERTS or
SSL_CERT_FILE of clients.

On SIGINT and SIGTERM /_fake/readyz answers 503. After --drain-delay the server accepts
no new connections, and open streams may finish within --drain-timeout. A second signal
ends them at once.`,
		Example: `  fakeopenai serve
  fakeopenai serve scenarios/ --addr 127.0.0.1:0 --url-file url.txt`,
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if o.sources, err = a.sources(args, nil); err != nil {
				return err
			}
			o.sources.allowEmpty = o.allowEmpty
			if err := errors.Join(o.Contradiction(), needsPaths(cmd, o.sources, "allow-empty")); err != nil {
				return err
			}
			return a.serve(cmd.Context(), o)
		},
	}
	flags := cmd.Flags()
	console.Define(flags, &o.addr, "addr", defaultAddr, "listen on this `host:port`; port 0 takes a free one", console.Address)
	console.Define(flags, &o.urlFile, "url-file", "", "write the URL to this `file` once the server listens", console.Text)
	o.tls.Define(flags)
	console.Head(flags, "Where the server listens")
	console.Switch(flags, &o.noWatch, "no-watch", "do not read the scenarios again when their files change")
	defineAllowEmpty(flags, &o.allowEmpty)
	o.DefineFaults(flags)
	o.Define(flags, "info")
	o.DefineJournal(flags)
	console.Define(flags, &o.drainTimeout, "drain-timeout", "5s", "let open streams go on for this `duration` after SIGINT; 0s ends them at once", drainTimeout)
	console.Define(flags, &o.drainDelay, "drain-delay", "0s", "accept new connections for this `duration` after SIGINT, while readyz answers 503", console.Duration)
	console.Switch(flags, &o.untilEOF, "until-eof", "end when standard input ends, so that the server does not outlive the program that started it")
	console.Head(flags, "How the server ends")
	return cmd
}

// drainTimeout reads --drain-timeout. 0s becomes the shortest duration, because 0 in
// [server.Config] stands for the default.
func drainTimeout(text string) (time.Duration, error) {
	d, err := console.Duration(text)
	return max(d, 1), err
}

func (a *app) serve(ctx context.Context, o serveOptions) error {
	serving.RaiseHeap(a.env)
	serving.OutliveReaders()
	if err := checkWritable("--page", o.Page); err != nil {
		return err
	}
	logger, flush := o.Logger(a.stderr)
	defer flush()
	config := o.Config
	config.Logger, config.Upgrade = logger, serving.Upgrade
	showOnPage(&config, o.Page)
	config.DrainTimeout = o.drainTimeout
	measured := serving.Measure(&config)
	config.Metrics = measured
	config.AdminHosts = append(config.AdminHosts, serving.Host(o.addr)...)
	lib := &library{sources: o.sources}
	fake, err := lib.NewServer(config)
	if err != nil {
		return err
	}
	measured.Watch(fake)
	signals, stop := serving.CatchSignals()
	defer stop()
	listener, err := serving.Listen(o.addr)
	if err != nil {
		return fmt.Errorf("%w; choose another address with --addr, port 0 takes a free one", err)
	}
	secure, err := o.tls.Config(o.addr)
	if err != nil {
		listener.Close()
		return err
	}
	defer o.tls.RemoveCAFile()
	httpd := serving.Start(listener, fake, secure, logger)
	defer httpd.Close()
	urlFile, err := a.announce(o, listener, logger)
	defer urlFile.Remove() // the URL in it is of no use after the end
	if err != nil {
		return err
	}
	if !o.noWatch {
		stopWatching := watch(lib, func() { serving.Reload(fake, logger) })
		defer func() { go stopWatching() }() // stopWatching waits for a running reload; the exit must not
	}
	httpd.DrainDelay = o.drainDelay
	if o.untilEOF {
		ctx = untilEOF(ctx, a.stdin)
	}
	// Closing the fake would wait for handlers that still compute, after the drain timeout and after a
	// second signal.
	err = httpd.Run(ctx, signals, fake, logger)
	return errors.Join(err, writePage(o.Page, fake))
}

// untilEOF returns a context that ends with ctx, and when r ends. Whatever r says is ignored.
func untilEOF(ctx context.Context, r io.Reader) context.Context {
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		defer cancel()
		_, _ = io.Copy(io.Discard, r)
	}()
	return ctx
}

// announce publishes the server's URL: in the URL file, in the first line of stdout and
// in the log.
func (a *app) announce(o serveOptions, listener net.Listener, logger *slog.Logger) (urlFile *writtenFile, err error) {
	url := serving.URL(listener.Addr().String(), o.tls.On)
	if o.urlFile != "" {
		if urlFile, err = writeAtomically("--url-file", o.urlFile, []byte(url+"\n")); err != nil {
			return nil, err
		}
	}
	text := fmt.Sprintf("listening on %s\n", url)
	if serving.IsEverywhere(listener.Addr().String()) {
		text += fmt.Sprintf("and on all other interfaces, at %s\n", listener.Addr())
	}
	if _, err := io.WriteString(a.stdout, text); err != nil {
		logger.Warn("cannot print the URL", "error", err)
	}
	logger.Info("listening", "addr", listener.Addr().String(), "base_url", url+"/v1")
	return urlFile, nil
}

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

type writtenFile struct {
	name string
	info fs.FileInfo // info identifies the file, in case another one takes its name.
	data []byte
}

// writeAtomically writes a file by [recording.WriteFile]. Flag is the name of the flag that
// named the file, for the error.
func writeAtomically(flag, name string, data []byte) (*writtenFile, error) {
	info, err := recording.WriteFile(name, data)
	if err != nil {
		return nil, fmt.Errorf("write %s: %w", flag, err)
	}
	return &writtenFile{name, info, data}, nil
}

// Remove removes the file if it still is the one that was written, with the same
// content. On nil it does nothing.
func (w *writtenFile) Remove() {
	if w == nil {
		return
	}
	info, err := os.Lstat(w.name)
	if err != nil || !os.SameFile(info, w.info) {
		return
	}
	if data, err := os.ReadFile(w.name); err == nil && bytes.Equal(data, w.data) {
		os.Remove(w.name) // an error cannot be mended here: the file stays
	}
}
