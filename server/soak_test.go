package server_test

import (
	"context"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// soakFor is how long the server is under load:
//
//	go test -race ./server -run TestSoak -soak 20m -timeout 30m -v
var soakFor = flag.Duration("soak", time.Second, "how long TestSoak runs")

const (
	soakWorkers = 8
	// soakShort is the time below which caches are not full, so that memory may grow.
	soakShort = time.Minute
	// soakSlack is by how many bytes memory may differ between two measurements.
	soakSlack = 2 << 20
)

// Under mixed load over all bundled scenarios nothing is lost and nothing leaks: the journal
// has each request that came, goroutines and descriptors are as before, and memory does
// not grow once the caches are full. Not parallel: it counts goroutines, descriptors and memory
// of the process.
func TestSoak(t *testing.T) {
	testflag.Heavy(t)
	running, files := goleak.IgnoreCurrent(), openFiles()
	s := newSoak(t)
	var heaps []uint64
	samples := 12
	if *soakFor < soakShort {
		samples = 2
	}
	for range samples {
		s.load(*soakFor / time.Duration(samples))
		heaps = append(heaps, s.rest())
		t.Logf("%7d requests, heap %6d KiB, %d goroutines", s.came.Load(), heaps[len(heaps)-1]>>10, runtime.NumGoroutine())
	}
	s.close()
	entries := s.fake.Journal()
	if last := entries[len(entries)-1].ID; s.came.Load() != last {
		t.Errorf("%d requests came, the journal counts %d", s.came.Load(), last)
	}
	s.open.Range(func(_, of any) bool {
		t.Errorf("no entry: %v", of)
		return true
	})
	if faults := s.faults.Load(); faults > 0 {
		t.Errorf("the server is to blame for %d answers, such as: %v", faults, s.fault.Load())
	}
	if *soakFor >= soakShort && !isFlat(heaps) {
		t.Errorf("memory still grows: %d bytes", heaps)
	}
	if err := goleak.Find(running); err != nil {
		t.Error(err)
	}
	if now := openFiles(); now > files {
		t.Errorf("%d files are open, %d were before", now, files)
	}
}

// isFlat compares the last third of the samples of memory with the third before it. It takes
// the minimum of each, because the journal is fuller at some times than at others.
func isFlat(heaps []uint64) bool {
	third := len(heaps) / 3
	middle, last := slices.Min(heaps[third:2*third]), slices.Min(heaps[2*third:])
	return last <= middle+middle/20+soakSlack
}

// soakNumber is the header field in which a request gets its number when it comes.
const soakNumber = "X-Soak"

// soak is a server under load.
type soak struct {
	t      *testing.T
	fake   *server.Server
	http   *httptest.Server
	client *http.Client

	came   atomic.Int64 // came counts the requests to the API.
	open   sync.Map     // open are the requests without an entry, by number.
	faults atomic.Int64 // faults counts the answers that are failures of the server.
	fault  atomic.Value // fault is the problem of one of these answers.
}

func newSoak(t *testing.T) *soak {
	t.Helper()
	s := &soak{t: t}
	fake, err := server.New(server.Config{
		Scenarios: bundled(t), Default: fixtures.Default, Speed: 100, JournalSize: 100, KeepTranscripts: true,
		Reload:  func() (*scenarios.Set, error) { return bundled(t), nil },
		Observe: s.observe,
	})
	if err != nil {
		t.Fatal(err)
	}
	s.fake = fake
	s.http = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.HasPrefix(r.URL.Path, admin.Path) {
			number := strconv.FormatInt(s.came.Add(1), 10)
			r.Header.Set(soakNumber, number)
			s.open.Store(number, r.URL.Path)
		}
		fake.ServeHTTP(w, r)
	}))
	s.http.Config.ConnContext = fake.ConnContext
	s.http.Listener = fake.Watch(s.http.Listener)
	s.http.Start()
	s.client = s.http.Client()
	s.client.Transport.(*http.Transport).DisableCompression = true
	return s
}

func bundled(t *testing.T) *scenarios.Set {
	var files []yamlfile.Source
	for _, name := range fixtures.Names() {
		data, err := fixtures.FS.ReadFile(name + ".yaml")
		if err != nil {
			t.Error(err)
		}
		files = append(files, yamlfile.Source{Name: name + ".yaml", Data: data})
	}
	set, problems := server.CheckFiles(files...)
	if err := problems.Err(); err != nil {
		t.Error(err)
	}
	return set
}

func (s *soak) observe(e journal.Entry) {
	s.open.Delete(e.Header.Get(soakNumber))
	if e.Fault {
		s.faults.Add(1)
		s.fault.Store(e.Scenario + ": " + e.Problem)
	}
}

func (s *soak) close() {
	s.client.CloseIdleConnections()
	s.fake.Close()
	s.http.Close()
}

// load sends requests for the duration d, and returns when the last one is over.
func (s *soak) load(d time.Duration) {
	end := time.Now().Add(d)
	var group sync.WaitGroup
	for i := range soakWorkers {
		group.Go(func() {
			rnd := rand.New(rand.NewPCG(uint64(i), uint64(s.came.Load()))) //nolint:gosec // nothing secret
			for time.Now().Before(end) {
				s.act(rnd)
			}
		})
	}
	group.Wait()
}

// rest waits until no request is open, and returns how much memory is in use then.
func (s *soak) rest() uint64 {
	ctx, cancel := context.WithTimeout(s.t.Context(), patience)
	defer cancel()
	if err := s.fake.WaitIdle(ctx); err != nil {
		s.t.Errorf("requests go on: %v", err)
	}
	s.client.CloseIdleConnections()
	return uint64(inUse()) //nolint:gosec // it is not negative
}

// act does one thing that clients do, chosen at random.
func (s *soak) act(rnd *rand.Rand) {
	names := fixtures.Names()
	name := names[rnd.IntN(len(names))]
	chat := func(body string) string { return fmt.Sprintf(body, name) }
	const path = "/v1/chat/completions"
	switch rnd.IntN(16) {
	case 0, 1, 2, 3:
		s.ask(rnd, path, chat(`{"model":"fake:%s","stream":true,"messages":[{"role":"user","content":"hi"}]}`), readAll)
	case 4:
		s.ask(rnd, path, chat(`{"model":"fake:%s","stream":true,"stream_options":{"include_usage":true},"messages":[]}`), readAll)
	case 5, 6:
		s.ask(rnd, path, chat(`{"model":"fake:%s","messages":[{"role":"user","content":"hi"}]}`), readAll)
	case 7:
		s.ask(rnd, "/v1/completions", chat(`{"model":"fake:%s","stream":true,"prompt":"hi"}`), readAll)
	case 8:
		s.ask(rnd, path, chat(`{"model":"fake:%s","messages":`), readAll)
	case 9:
		s.ask(rnd, path, chat(`{"model":"no-%s","stream":"yes"}`), readAll)
	case 10, 11:
		s.ask(rnd, path, chat(`{"model":"fake:%s","stream":true,"messages":[]}`), readLittle)
	case 12:
		s.ask(rnd, path, chat(`{"model":"fake:%s","stream":true,"messages":[]}`), readSlowly)
	default:
		s.own(rnd)
	}
}

// own calls the server's own endpoints, which the journal leaves out.
func (s *soak) own(rnd *rand.Rand) {
	key := rnd.IntN(20)
	for _, do := range [][3]string{
		{http.MethodGet, fmt.Sprintf("/_fake/requests?api_key=k%d", key)},
		{http.MethodGet, fmt.Sprintf("/_fake/calls?api_key=k%d", key)},
		{http.MethodGet, "/_fake/healthz"},
		{http.MethodPut, fmt.Sprintf("/_fake/scenarios?api_key=k%d", key), "name: mine\nwhen: { model: fake-1 }\nmessage: Hi.\n"},
		{http.MethodDelete, fmt.Sprintf("/_fake/scenarios?api_key=k%d", key)},
		{http.MethodPost, "/_fake/reload"},
	}[rnd.IntN(6):][:1] {
		if do[1] == "/_fake/reload" && rnd.IntN(10) > 0 {
			continue // a reload takes long: most are left out
		}
		req, err := http.NewRequestWithContext(s.t.Context(), do[0], s.http.URL+do[1], strings.NewReader(do[2]))
		if err != nil {
			s.t.Error(err)
			return
		}
		resp, err := s.client.Do(req)
		if err != nil {
			s.t.Error(err)
			return
		}
		_ = readAll(resp.Body)
		resp.Body.Close()
		if resp.StatusCode >= http.StatusBadRequest {
			s.t.Errorf("%s %s: %s", do[0], do[1], resp.Status)
		}
	}
}

// ask sends a request and reads its answer with read. Errors do not matter: many scenarios
// end badly.
func (s *soak) ask(rnd *rand.Rand, path, body string, read func(io.Reader) error) {
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.http.URL+path, strings.NewReader(body))
	if err != nil {
		s.t.Error(err)
		return
	}
	req.Header.Set("Authorization", fmt.Sprintf("Bearer k%d", rnd.IntN(20)))
	resp, err := s.client.Do(req)
	if err != nil {
		return
	}
	_ = read(resp.Body)
	resp.Body.Close()
}

func readAll(r io.Reader) error {
	_, err := io.Copy(io.Discard, r)
	return err
}

// readLittle reads the first bytes and leaves.
func readLittle(r io.Reader) error {
	_, err := io.ReadFull(r, make([]byte, 10))
	return err
}

// readSlowly reads a few bytes now and then, and leaves.
func readSlowly(r io.Reader) error {
	for range 10 {
		if _, err := r.Read(make([]byte, 100)); err != nil {
			return err
		}
		time.Sleep(5 * time.Millisecond)
	}
	return nil
}

// isFlat distinguishes the samples of a leak from those of caches that fill.
func TestIsFlatDistinguishesLeaksFromFillingCaches(t *testing.T) {
	t.Parallel()
	const mb = 1 << 20
	full := []uint64{10 * mb, 20 * mb, 30 * mb, 33 * mb, 34 * mb, 34 * mb, 33 * mb, 34 * mb, 34 * mb, 33 * mb, 34 * mb, 35 * mb}
	leaks := slices.Clone(full)
	for i := range leaks {
		leaks[i] += uint64(i) * mb
	}
	for _, tt := range []struct {
		heaps []uint64
		flat  bool
	}{{full, true}, {leaks, false}} {
		if got := isFlat(tt.heaps); got != tt.flat {
			t.Errorf("%v: flat is %t", tt.heaps, got)
		}
	}
}

// Not parallel: it counts goroutines and descriptors of the process.
func TestNoEndingLeavesAnythingBehind(t *testing.T) {
	testflag.Heavy(t)
	running, files := goleak.IgnoreCurrent(), openFiles()
	endings := 0
	for _, tt := range wireCases {
		if !strings.HasPrefix(tt.name, "end ") {
			continue
		}
		endings++
		for _, body := range []string{brief, whole} {
			t.Run(fmt.Sprintf("%s, stream %t", tt.name, body == brief), func(t *testing.T) {
				r := start(t, tt.yaml, server.Config{})
				for range 5 {
					if resp, err := r.client.Post(r.url+"/v1/chat/completions", "application/json", strings.NewReader(body)); err == nil {
						bodyOf(resp)
						resp.Body.Close()
					}
				}
			})
		}
	}
	if endings < 10 {
		t.Errorf("only %d endings were tried", endings)
	}
	if err := goleak.Find(running); err != nil {
		t.Error(err)
	}
	if now := openFiles(); now > files {
		t.Errorf("%d files are open, %d were before", now, files)
	}
}

// openFiles returns how many descriptors the process has open, on systems that tell.
func openFiles() int {
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(list)
}
