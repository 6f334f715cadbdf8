package cli

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// library loads the scenarios of a command, and knows whether their files have changed
// since. It is safe for concurrent use.
type library struct {
	sources sources
	// fallback is the server's default scenario, which must be in the set; "" for none.
	fallback string
	logger   *slog.Logger // logger logs the problems of a reload.
	// leaveOut, if not nil, is called with a recording that cannot be read, which is left out. Nil makes that an error.
	leaveOut func(file string, why diag.Problem)

	mu     sync.Mutex
	loaded [sha256.Size]byte // loaded is the digest of the files as last loaded; guarded by mu.
}

// Load reads and checks the scenarios.
func (l *library) Load() (*scenarios.Set, []yamlfile.Source, error) {
	files, err := l.sources.Read()
	l.mu.Lock()
	l.loaded = digest(files, err)
	l.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	set, err := checked(files)
	if err != nil && l.leaveOut != nil {
		if rest := l.readable(files); len(rest) < len(files) {
			files = rest
			set, err = checked(files)
		}
	}
	if err != nil {
		return nil, files, err
	}
	return set, files, l.checkFallback(set)
}

// readable leaves out recordings that cannot be read. If nothing else is left, it returns all files.
func (l *library) readable(files []yamlfile.Source) (rest []yamlfile.Source) {
	why := map[string]diag.Problem{}
	for _, f := range files {
		if problems := recording.Unreadable(f); len(problems) > 0 {
			why[f.Name] = problems[0]
		} else {
			rest = append(rest, f)
		}
	}
	if len(rest) == 0 && !l.sources.allowEmpty {
		return files
	}
	for _, name := range slices.Sorted(maps.Keys(why)) {
		l.leaveOut(name, why[name])
	}
	return rest
}

func (l *library) checkFallback(set *scenarios.Set) error {
	if l.fallback != "" && l.fallback != scenarios.NoDefault && set.Lookup(l.fallback) == nil {
		return console.Misuse("--default: %w", unknownScenario(l.fallback, set))
	}
	return nil
}

// checked returns the set of scenarios in the files. If there are problems, the error
// wraps a [findings].
func checked(files []yamlfile.Source) (*scenarios.Set, error) {
	set, problems := server.CheckFiles(files...)
	if len(problems) > 0 {
		return nil, console.Problem(&findings{Files: files, Problems: problems})
	}
	return set, nil
}

// reload is [library.Load] for a running server, which keeps the old scenarios if the
// new ones are broken. It logs each problem.
func (l *library) reload() (*scenarios.Set, error) {
	set, files, err := l.loadToPlay()
	if err == nil {
		l.logger.Info("scenarios reloaded", "scenarios", set.Len(), "files", files)
		return set, nil
	}
	l.logger.Error("scenarios not reloaded, the old ones stay")
	if broken, ok := errors.AsType[*findings](err); ok {
		for _, d := range broken.Problems {
			l.logger.Error(d.String())
		}
		return nil, broken.Problems
	}
	l.logger.Error(err.Error())
	return nil, err
}

func (l *library) isLoaded(digest [sha256.Size]byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return digest == l.loaded
}

// NewServer makes a server that plays the scenarios.
func (l *library) NewServer(config server.Config) (*server.Server, error) {
	if l.sources.Bundled() {
		config.Fallback = fixtures.Default
	}
	l.fallback, l.logger = config.Default, config.Logger
	l.leaveOut = func(file string, why diag.Problem) {
		l.logger.Warn("a recording cannot be read and is left out; record it again", "file", file, "problem", why.String())
	}
	set, files, err := l.loadToPlay()
	if err != nil {
		return nil, err
	}
	config.Scenarios = set
	config.Reload = l.reload
	l.logger.Info("scenarios loaded", "scenarios", set.Len(), "files", files)
	if set.Len() >= many {
		defer func() { go debug.FreeOSMemory() }()
	}
	fake, err := server.New(config)
	if err != nil { // the scenarios are checked, so that only values of flags can be wrong
		return nil, console.Misuse("%w", err)
	}
	return fake, nil
}

// many is the number of scenarios from which loading leaves so much garbage that the
// memory is returned to the system at once.
const many = 1000

// loadToPlay is [library.Load] for a server, with the number of files in place of their
// texts. It does not check the bundled fixtures, which the tests check; each is read at
// the first request for it.
func (l *library) loadToPlay() (set *scenarios.Set, files int, err error) {
	if !l.sources.Bundled() {
		set, files, err := l.Load()
		return set, len(files), err
	}
	if set, err = yamlfile.Deferred(fixtures.FS); err == nil {
		err = l.checkFallback(set)
	}
	return set, set.Len(), err
}

// digest returns a digest of the names and contents of files, or of the reason why they
// could not be read.
func digest(files []yamlfile.Source, err error) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%v\n", err)
	for _, f := range files {
		fmt.Fprintf(h, "%q %d\n", f.Name, len(f.Data))
		h.Write(f.Data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// unknownScenario is the error for an unknown name of a scenario, with the nearest name
// or, if they are few, all names.
func unknownScenario(name string, set *scenarios.Set) error {
	var names []string
	for _, s := range set.Scenarios() {
		names = append(names, s.Name)
	}
	if hint := diag.DidYouMean(name, names); hint != "" {
		return fmt.Errorf("there is no scenario %q; %s", name, hint)
	}
	const shown = 8 // about as many names as fit in a line
	if len(names) > shown {
		return fmt.Errorf("there is no scenario %q among the %d; fakeopenai list prints the names, with the same paths after it", name, len(names))
	}
	return fmt.Errorf("there is no scenario %q; there are: %s", name, strings.Join(names, ", "))
}

// choice is the one scenario that the arguments of a command name: a bundled one, the
// first of a file, or one of a file by its name.
type choice struct {
	sources  sources
	scenario string // scenario is the scenario's name; "" is the first of the sources.
}

// choose reads one or two arguments: a file, a name, or a file and a name. A name alone
// is looked up in usual.
func choose(args []string, stdin io.Reader, usual sources) (choice, error) {
	c := choice{sources: usual}
	switch {
	case looksLikePath(args[0]):
		c.sources = sources{paths: args[:1], stdin: stdin}
		args = args[1:]
	case len(args) == 2:
		return choice{}, console.Misuse("%q is no file; write a file and then the name of a scenario in it, or only the name of a bundled scenario", args[0])
	}
	if len(args) == 1 {
		c.scenario = args[0]
	}
	return c, nil
}

// IsStdin reports whether the scenario is read from standard input.
func (c choice) IsStdin() bool { return len(c.sources.paths) == 1 && c.sources.paths[0] == "-" }

// pick returns the name of the scenario to play: the given one, or that of the first.
func pick(set *scenarios.Set, name string) (string, error) {
	if name == "" {
		return set.Scenarios()[0].Name, nil // a loaded set is never empty
	}
	if set.Lookup(name) == nil {
		return "", console.Misuse("%w", unknownScenario(name, set))
	}
	return name, nil
}

// LoadDraft is [library.Load] for unfinished scenarios. Scenarios that only break rules
// of the protocol are in the set, and the findings say which rules; nil is none. If
// there is one path, a scenario can also extend one in another file of its folder.
func (l *library) LoadDraft() (*scenarios.Set, *findings, error) {
	read, err := l.sources.Read()
	if err != nil {
		return nil, nil, err
	}
	if len(l.sources.paths) == 1 && !l.sources.isStdin(l.sources.paths[0]) {
		read = withBases(read)
	}
	set, err := checked(read)
	if broken, ok := errors.AsType[*findings](err); ok && !slices.ContainsFunc(broken.Problems, isNoRule) {
		if draft, problems := yamlfile.Check(nil, read...); len(problems) == 0 {
			return draft.Over(nil), broken, nil // Over makes a set without checking it again
		}
	}
	return set, nil, err
}

func isNoRule(p diag.Problem) bool { return p.Rule == "" }

// withBases returns the files and, after them, the files of their folders that define
// the scenarios they extend.
func withBases(read []yamlfile.Source) []yamlfile.Source {
	var beside []yamlfile.Source
	for _, f := range read {
		beside = append(beside, neighbours(f.Name)...)
	}
	for {
		bases := basesIn(read...)
		isBase := func(f yamlfile.Source) bool {
			for name := range basesIn(f) {
				if _, known := bases[name]; !known && slices.Contains(slices.Collect(maps.Values(bases)), name) {
					return true
				}
			}
			return false
		}
		i := slices.IndexFunc(beside, isBase)
		if i < 0 {
			return read
		}
		read = append(read, beside[i])
	}
}

// basesIn returns the names of the scenarios in files, each with the name that it extends.
func basesIn(files ...yamlfile.Source) map[string]string {
	bases := map[string]string{}
	for _, f := range files {
		list, _ := yamlfile.Parse(f.Name, f.Data)
		for _, s := range list {
			bases[s.Name] = s.Extends
		}
	}
	return bases
}

// neighbours reads the other scenario files in the folder of a file, except those that
// cannot be read.
func neighbours(name string) []yamlfile.Source {
	dir := filepath.Dir(name)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var list []yamlfile.Source
	for _, e := range entries {
		other := filepath.Join(dir, e.Name())
		if e.IsDir() || !isScenarioFile(other) || filepath.Clean(name) == other {
			continue
		}
		if f, err := (sources{}).readFile(other); err == nil {
			list = append(list, f)
		}
	}
	return list
}
