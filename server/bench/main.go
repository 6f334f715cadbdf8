package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are the parsed command-line flags.
type settings struct {
	rounds  int
	length  time.Duration
	streams []int // streams has one number for each paced work: its simultaneous streams.
	paced   time.Duration
	only    string
	out     string
	binary  string
	asked   question
	command string   // command is the command line, for the report.
	targets []target // targets are the servers named by -target.
	// balancer has the programs before the replicas that are measured in place of the references; "" measures none.
	balancer string
}

func main() {
	if asReference() {
		return
	}
	s, err := parse(flag.CommandLine, os.Args[1:])
	fail(err)
	fail(s.run())
}

// asReference runs this process as a reference server if its arguments are "reference",
// a kind and a file, as open passes them. It reports whether they are.
func asReference() bool {
	if len(os.Args) != 4 || os.Args[1] != "reference" {
		return false
	}
	fail(serveReference(os.Args[2], os.Args[3]))
	return true
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parse reads and checks the flags in args. It declares them in set.
func parse(set *flag.FlagSet, args []string) (*settings, error) {
	s := &settings{command: "go -C server/bench run ."}
	for _, arg := range args {
		if strings.ContainsAny(arg, " \t\"$*|&;<>()") {
			arg = "'" + arg + "'"
		}
		s.command += " " + arg
	}
	streams := "1000"
	set.IntVar(&s.rounds, "rounds", 5, "number of rounds; in each round every target is measured once")
	set.DurationVar(&s.length, "length", 2*time.Second, "how long a target is measured in a round")
	set.StringVar(&streams, "streams", streams, "numbers of simultaneous streams of the paced works, separated with commas; none leaves these works out")
	set.DurationVar(&s.paced, "paced", 5*time.Second, "how long a paced stream lasts")
	set.StringVar(&s.only, "only", "", "measure only the works whose names begin with one of these texts, separated with commas")
	set.StringVar(&s.out, "out", "", "folder for results.json, RESULTS.md and chart.svg; without it the tables go to stdout")
	set.StringVar(&s.binary, "binary", "", "fakeopenai binary to measure; without it one is built from this repository")
	set.StringVar(&s.asked.model, "model", usual.model, "model in the requests to all targets")
	set.StringVar(&s.asked.message, "message", usual.message, "user message in the requests to all targets; a server that gives it back answers with this length")
	set.StringVar(&s.balancer, "balancer", "", "measure one, two and three replicas, with and without a balancer, in place of the references: haproxy, nginx or haproxy,nginx")
	set.Func("target", "NAME=URL of a further server, whose base URL ends in /v1; repeat it", func(v string) error {
		name, base, ok := strings.Cut(v, "=")
		if !ok {
			return errors.New("it must be NAME=URL")
		}
		s.targets = append(s.targets, target{name: name, process: &process{url: base, stop: func() {}}})
		return nil
	})
	if err := set.Parse(args); err != nil {
		return nil, err
	}
	if set.NArg() > 0 {
		return nil, fmt.Errorf("%q is no flag; see -help", set.Arg(0))
	}
	for text := range strings.SplitSeq(streams, ",") {
		if n, err := strconv.Atoi(text); err == nil && n > 0 {
			s.streams = append(s.streams, n)
		} else if text != "none" && text != "" {
			return nil, fmt.Errorf("-streams: %q is no number of streams", text)
		}
	}
	for name := range strings.SplitSeq(s.only, ",") { // -only paced-5000 adds 5000 to -streams
		number, _ := strings.CutPrefix(name, "paced-")
		if n, err := strconv.Atoi(number); err == nil && n > 0 && !slices.Contains(s.streams, n) {
			s.streams = append(s.streams, n)
		}
	}
	return s, s.check()
}

// check returns an error for flags with which nothing would be measured, or the run
// would fail only after minutes.
func (s *settings) check() error {
	names := []string{"start", "helper"}
	for _, w := range works(s.asked, s.streams, s.paced) {
		names = append(names, w.name)
	}
	for begin := range strings.SplitSeq(s.only, ",") {
		known := slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, begin) })
		if !known || begin == "" && s.only != "" {
			return fmt.Errorf("-only: no work begins with %q; there are %s", begin, strings.Join(names, ", "))
		}
	}
	switch {
	case s.rounds < 1:
		return fmt.Errorf("-rounds: %d rounds measure nothing; give at least 1", s.rounds)
	case s.length <= 0:
		return fmt.Errorf("-length: in %v nothing is measured; give 600ms, for instance", s.length)
	case s.paced < shortestPaced:
		return fmt.Errorf("-paced: a stream of %v has too few chunks; give at least %v", s.paced, shortestPaced)
	}
	if info, err := os.Stat(cmp.Or(s.out, ".")); err != nil || !info.IsDir() {
		return fmt.Errorf("-out: there is no folder %s; make it with mkdir -p %[1]s", s.out)
	}
	if s.binary != "" {
		if _, err := exec.LookPath(s.binary); err != nil {
			return fmt.Errorf("-binary: %w", err)
		}
	}
	loads := func(name string) bool { return name != "start" && name != "helper" && s.wants(name) }
	unknown := func(name string) bool { return balancers[name].file == "" }
	if s.balancer != "" && (len(s.targets) > 0 || slices.ContainsFunc(strings.Split(s.balancer, ","), unknown)) {
		return fmt.Errorf("-balancer: give haproxy or nginx, and no -target; %q is measured with no other server", s.balancer)
	}
	if len(s.targets) > 0 && !slices.ContainsFunc(names, loads) {
		return fmt.Errorf("-target: the works of -only %s measure no further server; name another one, or leave -target out", s.only)
	}
	return s.checkTargets()
}

// checkTargets returns an error for a -target with a name that is taken, or with a URL that
// cannot be measured.
func (s *settings) checkTargets() error {
	known := slices.Clone(references)
	for _, t := range s.targets {
		if u, err := url.Parse(t.url); err != nil || u.Scheme != "http" || u.Hostname() == "" || u.Port() == "" {
			return fmt.Errorf("-target: %q is no base URL such as http://127.0.0.1:9000/v1", t.url)
		}
		if t.name == "" || t.name == "fakeopenai" || slices.Contains(known, t.name) {
			return fmt.Errorf("-target: %q is no name that is free; give another one", t.name)
		}
		known = append(known, t.name)
	}
	return nil
}

// shortestPaced is the least length of a paced stream: it needs a first chunk, one with
// text and one with the finish reason.
const shortestPaced = 3 * gap

// serverCore is the CPU core of the server that is measured, clientCore that of this
// process.
const serverCore, clientCore = "0", "1"

func (s *settings) run() error {
	if err := pinSelf(clientCore); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if s.binary == "" {
		s.binary = filepath.Join(dir, "fakeopenai")
		if err := build(s.binary); err != nil {
			return err
		}
	}
	t := &table{Command: s.command, Rounds: s.rounds, Seconds: s.length.Seconds()}
	for i := range s.targets {
		if err := s.targets[i].join(); err != nil {
			return err
		}
	}
	for _, w := range works(s.asked, s.streams, s.paced) {
		if s.wants(w.name) {
			if err := s.load(t, &w, dir); err != nil {
				return err
			}
		}
	}
	if s.wants("start") {
		if err := s.starts(t, dir); err != nil {
			return err
		}
	}
	if s.wants("helper") {
		if err := s.helpers(t); err != nil {
			return err
		}
	}
	return t.write(s.out)
}

func (s *settings) wants(name string) bool {
	return slices.ContainsFunc(strings.Split(s.only, ","), func(begin string) bool { return strings.HasPrefix(name, begin) })
}

// load measures the work w on all its targets in turn, in s.rounds rounds after one that
// warms up.
func (s *settings) load(t *table, w *work, dir string) error {
	list, err := s.open(w, dir)
	for i := range list {
		defer list[i].stop()
	}
	if err != nil {
		return err
	}
	for round := range s.rounds + 1 {
		for i := range list {
			// Each round begins with another target, so that none is always first, and round 1 with the first.
			at := &list[(i+round+len(list)-1)%len(list)]
			length := s.length
			if round == 0 && !w.paced() {
				length = min(length, 300*time.Millisecond) // to warm up
			}
			f, err := at.measure(w, length)
			if err != nil {
				return err
			}
			if round > 0 {
				t.add(w.name, w.about, at.name, f)
			}
		}
		fmt.Fprintf(os.Stderr, "%s: round %d of %d\n", w.name, round, s.rounds)
	}
	return nil
}

// open starts fakeopenai and the references for the work w, and probes all targets. The
// caller stops the targets in list, also when err is not nil.
func (s *settings) open(w *work, dir string) (list []target, err error) {
	file := filepath.Join(dir, w.name+".yaml")
	if err := writeFile(file, w.scenario); err != nil {
		return nil, err
	}
	if s.balancer != "" {
		return s.openReplicas(w, dir, file)
	}
	ours, err := start(serverCore, s.binary, "serve", "--addr", "127.0.0.1:0", file)
	if err != nil {
		return nil, err
	}
	list = []target{{name: "fakeopenai", process: ours}}
	answer, err := list[0].probe(w)
	if err != nil {
		return list, err
	}
	src, err := json.Marshal(answer)
	if err != nil {
		return list, err
	}
	recorded := filepath.Join(dir, w.name+".json")
	if err := writeFile(recorded, string(src)); err != nil {
		return list, err
	}
	self, err := os.Executable()
	if err != nil {
		return list, err
	}
	for _, kind := range references {
		if kind == patchedPlus && w.paced() {
			continue // with pauses it would be the same as bare+
		}
		p, err := start(serverCore, self, "reference", kind, recorded)
		if err != nil {
			return list, err
		}
		list = append(list, target{name: kind, process: p})
	}
	list = append(list, s.targets...)
	for i := range list[1:] {
		if _, err := list[1+i].probe(w); err != nil {
			return list, err
		}
	}
	return list, nil
}

// starts measures the time from the start of a process to the end of its first answer.
func (s *settings) starts(t *table, dir string) error {
	w := works(s.asked, nil, 0)[0]
	one, many := filepath.Join(dir, "one.yaml"), filepath.Join(dir, "many.yaml")
	if err := writeFile(one, w.scenario); err != nil {
		return err
	}
	var b strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&b, "name: other%d\nwhen: { model: other-%d }\nmessage: Hello.\n---\n", i, i)
	}
	if err := writeFile(many, b.String()+w.scenario); err != nil {
		return err
	}
	for range s.rounds {
		for _, c := range []struct {
			name  string
			files []string
		}{{"one scenario", []string{one}}, {"bundled scenarios", nil}, {"10,001 scenarios", []string{many}}} {
			f, err := startToAnswer(serverCore, w.request, append([]string{s.binary, "serve", "--addr", "127.0.0.1:0"}, c.files...)...)
			if err != nil {
				return err
			}
			t.add("start", "from the start of a process to the end of its first answer", c.name, f)
		}
	}
	return nil
}

// helpers measures what one server costs a Go test: it is started, sent one request and
// closed.
func (s *settings) helpers(t *table) error {
	for range s.rounds {
		for _, h := range helpers() {
			f, err := h.measure(s.length / 4)
			if err != nil {
				return err
			}
			t.add("helper", "a server in a Go test: start, one stream, close", h.name, f)
		}
	}
	return nil
}

func writeFile(name, text string) error { return os.WriteFile(name, []byte(text), 0o600) }
