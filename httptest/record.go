package fakeopenai

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/journal"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// recordVariable is the name of the environment variable with the mode of [Record].
const recordVariable = "FAKEOPENAI_RECORD"

// Recording is a server that [Record] started. Like [Server] it is safe for concurrent
// use, except for [Recording.Setenv].
type Recording struct {
	URL     string // URL is the server's, as [Server.URL].
	BaseURL string // BaseURL is URL followed by /v1.
	// APIKey is the key for the code under test: the endpoint's key in the modes that ask
	// the endpoint, and a meaningless one in a replay.
	APIKey string
	Mode   recording.Mode // Mode is what FAKEOPENAI_RECORD says.

	server   *Server
	dir      string
	upstream *url.URL
	session  *recording.Session // session is nil in a replay.
}

// Record starts a server that replays the recorded answers of an endpoint, or records
// them. The recordings are scenario files in dir. Upstream is the base URL of the
// endpoint, such as https://api.openai.com. The environment variable FAKEOPENAI_RECORD
// is the mode:
//
//   - not set, or replay: the files answer, and the endpoint is not asked. A request
//     that no file answers fails the test, with the nearest scenario.
//   - 1, or record: every request is passed on, with the client's own key, and its
//     answer is recorded.
//   - missing: the files answer. A request that no file answers is passed on, and its
//     answer is recorded in a further file.
//
// In the modes that ask the endpoint, [Recording.APIKey] is the value of the environment
// variable OPENAI_API_KEY, which must be set for an https endpoint. Secrets are replaced
// by placeholders before a file is written.
//
// Files are written at the end of the test, even if it has failed, each whole or not at
// all; a file that answers the same request is replaced, others stay. Tests that run in parallel need
// different directories, such as testdata/recordings/ and the name of the test. A file
// that cannot be written, or an answer that cannot be recorded, fails the test.
func Record(tb testing.TB, upstream, dir string, opts ...RecordOption) *Recording {
	tb.Helper()
	r, err := startRecording(tb, upstream, dir, opts)
	if err != nil {
		tb.Fatalf("fakeopenai: Record: %v", err)
	}
	return r
}

func startRecording(tb testing.TB, upstream, dir string, opts []RecordOption) (*Recording, error) {
	var o recordSettings
	for _, opt := range opts {
		opt(&o)
	}
	base, err := recording.ParseUpstream(upstream)
	if err != nil {
		return nil, fmt.Errorf("upstream %q: %w", upstream, err)
	}
	mode, err := modeOf(os.Getenv(recordVariable))
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	r := &Recording{Mode: mode, dir: dir, upstream: base}
	serving := newSettings(o.serving)
	if len(serving.sources)+len(serving.scripts) > 0 {
		return nil, errors.New("Serving takes no scenarios: the recordings are played")
	}
	serving.hint = hintToRecord(tb.Name())
	if err := r.load(tb, serving); err != nil {
		return nil, err
	}
	if mode == recording.ModeReplay {
		return r, r.serve(tb, serving)
	}
	return r, r.listen(tb, serving, &o)
}

// modeOf is the mode that a value of FAKEOPENAI_RECORD names.
func modeOf(value string) (recording.Mode, error) {
	mode := cmp.Or(recording.Mode(value), recording.ModeReplay)
	if value == "1" {
		mode = recording.ModeRecord
	}
	all := []recording.Mode{recording.ModeReplay, recording.ModeRecord, recording.ModeMissing}
	if !slices.Contains(all, mode) {
		return "", fmt.Errorf("%s is %q: write 1 to record, or one of replay, record and missing", recordVariable, value)
	}
	return mode, nil
}

// hintToRecord ends an error with the command line that records a test of this name.
func hintToRecord(test string) string {
	top, _, _ := strings.Cut(test, "/")
	return fmt.Sprintf("; to record it, run OPENAI_API_KEY=... %s=missing go test -run '^%s$'", recordVariable, top)
}

// load adds the scenarios in the directory to the options of the server. A recording that cannot be read is
// recorded again in the mode missing.
func (r *Recording) load(tb testing.TB, o *settings) error {
	if r.Mode != recording.ModeReplay && r.Mode != recording.ModeMissing {
		return nil
	}
	names, err := r.names()
	if err != nil {
		return err
	}
	if r.Mode == recording.ModeMissing {
		names = slices.DeleteFunc(names, func(name string) bool {
			data, _ := os.ReadFile(name) // An error is that of File, too.
			problems := recording.Unreadable(yamlfile.Source{Name: name, Data: data, Beside: os.DirFS(r.dir)})
			if len(problems) > 0 {
				tb.Logf("fakeopenai: %v; this recording cannot be read, and its request is recorded again", problems[0])
			}
			return len(problems) > 0
		})
	}
	if len(names) == 0 && r.Mode == recording.ModeReplay {
		return fmt.Errorf("there is no recording in %s%s", r.dir, o.hint)
	}
	File(names...)(o)
	return nil
}

// names are the paths of the scenario files in the directory, without subdirectories.
func (r *Recording) names() ([]string, error) {
	entries, err := os.ReadDir(r.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if ext := filepath.Ext(e.Name()); !e.IsDir() && (ext == ".yaml" || ext == ".yml") {
			names = append(names, filepath.Join(r.dir, e.Name()))
		}
	}
	return names, nil
}

// serve starts the server with the options o.
func (r *Recording) serve(tb testing.TB, o *settings) error {
	lib, set, err := o.load()
	if err != nil {
		return err
	}
	if r.session != nil {
		r.session.Beside(set, lib.files)
	}
	s, err := newServer(tb, o, set, lib.duties(o.allowUnused || r.session != nil))
	if err != nil {
		return err
	}
	r.server, r.URL, r.BaseURL = s, s.URL, s.BaseURL
	r.APIKey = cmp.Or(r.APIKey, s.APIKey)
	tb.Cleanup(r.finish)
	return nil
}

// listen starts a server that passes requests on to the endpoint.
func (r *Recording) listen(tb testing.TB, o *settings, how *recordSettings) error {
	r.APIKey = os.Getenv("OPENAI_API_KEY")
	if r.APIKey == "" && r.upstream.Scheme == "https" {
		return fmt.Errorf("%s=%s asks %s, so that OPENAI_API_KEY must be set to a key for it", recordVariable, r.Mode, r.upstream)
	}
	if err := claim(tb, r.dir); err != nil {
		return err
	}
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true}
	tb.Cleanup(transport.CloseIdleConnections)
	r.session = &recording.Session{
		Mode: r.Mode, Upstream: r.upstream, Transport: transport,
		Redactor: &how.redact, List: &how.list, Timeout: how.timeout,
		Ended: r.exchangeEnded, Failed: r.failed,
	}
	if r.Mode == recording.ModeRecord {
		if err := r.session.Replace(r.dir); err != nil {
			return err
		}
	}
	o.handler = func(s *Server) http.Handler {
		r.server, r.session.Fake = s, s.core
		return r.session
	}
	if len(o.sources) == 0 { // not all the bundled scenarios
		o.sources = append(o.sources, func(*library) error { return nil })
	}
	return r.serve(tb, o)
}

// claimed are the directories into which running tests record, guarded by claiming.
var (
	claiming sync.Mutex
	claimed  = map[string]bool{}
)

// claim reserves a directory for a test until the test ends.
func claim(tb testing.TB, dir string) error {
	path, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	claiming.Lock()
	defer claiming.Unlock()
	if claimed[path] {
		return fmt.Errorf("another test records into %s just now; give each a directory of its own", dir)
	}
	claimed[path] = true
	tb.Cleanup(func() {
		claiming.Lock()
		defer claiming.Unlock()
		delete(claimed, path)
	})
	return nil
}

// exchangeEnded logs an exchange that was passed on, and the reason if it is not recorded.
func (r *Recording) exchangeEnded(x *recording.Exchange, err error) {
	r.server.tb.logf("fakeopenai: passed on: %s", x.Describe())
	switch {
	case errors.Is(err, recording.ErrNoSurface):
		r.server.tb.logf("fakeopenai: %s is not recorded: %v", x.Path, err)
	case err != nil:
		r.server.tb.errorf("fakeopenai: %s is not recorded: %v", x.Path, err)
	}
}

func (r *Recording) failed(req *http.Request, err error) {
	r.server.tb.errorf("fakeopenai: %s %s: %s gave no answer: %v", req.Method, journal.MaskPath(req.URL.Path), r.upstream, err)
}

// Client returns an HTTP client for this server, as [Server.Client] does.
func (r *Recording) Client() *http.Client { return r.server.Client() }

// Setenv sets OPENAI_BASE_URL, OPENAI_API_BASE and OPENAI_API_KEY for the rest of the
// test, as [Server.Setenv] does.
func (r *Recording) Setenv() {
	r.server.tb.test.Helper()
	r.server.Setenv()
	r.server.tb.test.Setenv("OPENAI_API_KEY", r.APIKey)
}

// finish is called at the end of the test.
func (r *Recording) finish() {
	r.server.Close()
	if r.session != nil {
		_ = r.session.Wait(context.Background()) // -timeout is the limit
		r.write()
	}
	r.server.finish()
}

// write writes the files of the recording.
func (r *Recording) write() {
	tb := r.server.tb
	list := r.session.List.Files()
	for _, n := range r.session.List.Check() {
		tb.errorf("fakeopenai: recorded %s: %s", cmp.Or(n.Scenario, "all"), n.Reason)
	}
	if len(list) == 0 {
		return
	}
	before, err := r.names()
	if err == nil {
		err = os.MkdirAll(r.dir, 0o755) //nolint:gosec // scenarios are for all to read
	}
	for _, f := range list {
		path := filepath.Join(r.dir, f.Name)
		if err == nil {
			_, err = recording.WriteFile(path, f.Data)
		}
		before = slices.DeleteFunc(before, func(other string) bool { return other == path })
	}
	if err != nil {
		tb.errorf("fakeopenai: recordings in %s: %v", r.dir, err)
		return
	}
	r.summarise(len(list), before)
}

// summarise logs how many files were written and what was replaced in them. Before has the paths of older files
// that this test did not record again; they are logged, too.
func (r *Recording) summarise(files int, before []string) {
	tb := r.server.tb
	tb.logf("fakeopenai: recorded in %s: files %d", r.dir, files)
	for _, s := range r.session.Redactor.Summary() {
		tb.logf("fakeopenai: replaced by placeholders: %s, %d times", s.Kind, s.Times)
	}
	if n := r.session.Redactor.Files(); n > 0 {
		tb.logf("fakeopenai: searched for the secrets of headers and names alone, because they are no text: files %d", n)
	}
	if tb.test.Failed() {
		tb.logf("fakeopenai: the test has failed, and what it recorded is written all the same; look at it before it is kept")
	}
	if r.Mode != recording.ModeRecord {
		return
	}
	for _, path := range before {
		tb.logf("fakeopenai: %s was there before and was not recorded again; delete it if no request needs it", path)
	}
}

// RecordOption sets how [Record] records or replays.
type RecordOption func(*recordSettings)

type recordSettings struct {
	timeout time.Duration
	list    recording.Collection
	redact  recording.Redactor
	serving []Option
}

// check finds options that make no sense.
func (o *recordSettings) check() error {
	known := []recording.Matching{"", recording.MatchTurn, recording.MatchLast, recording.MatchExact}
	if !slices.Contains(known, o.list.Matching) {
		return fmt.Errorf("Matching(%q): write one of %q", o.list.Matching, known[1:])
	}
	if slices.Contains(o.redact.Patterns, nil) {
		return errors.New("Redact: a pattern is nil; give a regular expression")
	}
	return nil
}

// Matching sets which requests a recorded scenario matches later. The default is
// [recording.MatchTurn].
func Matching(how recording.Matching) RecordOption {
	return func(o *recordSettings) { o.list.Matching = how }
}

// Redact adds patterns of secrets. Matching text is replaced before it is written, as
// are keys, cookies, ids of organisations and projects, and e-mail addresses.
func Redact(patterns ...*regexp.Regexp) RecordOption {
	return func(o *recordSettings) { o.redact.Patterns = append(o.redact.Patterns, patterns...) }
}

// UpstreamTimeout sets how long the endpoint may be silent, before the header of an
// answer and between two pieces of its body. Then the answer is ended; a stream is
// recorded as one that stalls. 0 is [recording.DefaultTimeout]; negative is no limit.
func UpstreamTimeout(d time.Duration) RecordOption {
	return func(o *recordSettings) { o.timeout = d }
}

// Serving sets options of the server that the code under test talks to, such as
// [Instant], [InMemory] and [WithLogger]. Options that change how scenarios are played
// apply to replayed answers, not to those that are passed on. Options with scenarios
// fail the test: the scenarios are those in the directory.
func Serving(opts ...Option) RecordOption {
	return func(o *recordSettings) { o.serving = append(o.serving, opts...) }
}
