package files

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// Library loads the scenarios of a command, and knows whether their files have changed
// since. It is safe for concurrent use.
type Library struct {
	Sources Sources
	// Fallback is the server's default scenario, which must be in the set; "" for none.
	Fallback string
	logger   *slog.Logger // logger logs the problems of a reload.

	mu     sync.Mutex
	loaded [sha256.Size]byte // loaded is the digest of the files as last loaded; guarded by mu.
}

// Load reads and checks the scenarios.
func (l *Library) Load() (*scenarios.Set, []yamlfile.Source, error) {
	files, err := l.Sources.Read()
	l.mu.Lock()
	l.loaded = digest(files, err)
	l.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	set, err := checked(files)
	if err != nil {
		return nil, files, err
	}
	return set, files, l.checkFallback(set)
}

func (l *Library) checkFallback(set *scenarios.Set) error {
	if l.Fallback != "" && l.Fallback != scenarios.NoDefault && set.Lookup(l.Fallback) == nil {
		return console.Misuse("--default: %w", UnknownScenario(l.Fallback, set))
	}
	return nil
}

// checked returns the set of scenarios in the files. If there are problems, the error
// wraps a [BrokenFiles].
func checked(files []yamlfile.Source) (*scenarios.Set, error) {
	set, problems := server.CheckFiles(files...)
	if len(problems) > 0 {
		return nil, console.Problem(&BrokenFiles{Files: files, Problems: problems})
	}
	return set, nil
}

// reload is [Library.Load] for a running server, which keeps the old scenarios if the
// new ones are broken. It logs each problem.
func (l *Library) reload() (*scenarios.Set, error) {
	set, files, err := l.loadToPlay()
	if err == nil {
		l.logger.Info("scenarios reloaded", "scenarios", set.Len(), "files", files)
		return set, nil
	}
	l.logger.Error("scenarios not reloaded, the old ones stay")
	if broken, ok := errors.AsType[*BrokenFiles](err); ok {
		for _, d := range broken.Problems {
			l.logger.Error(d.String())
		}
		return nil, broken.Problems
	}
	l.logger.Error(err.Error())
	return nil, err
}

// isLoaded reports whether a digest is that of the files as last loaded.
func (l *Library) isLoaded(digest [sha256.Size]byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return digest == l.loaded
}

// NewServer makes a server that plays the scenarios.
func (l *Library) NewServer(config server.Config) (*server.Server, error) {
	if config.Default == "" && l.Sources.Bundled() {
		config.Default = fixtures.Default
	}
	l.Fallback, l.logger = config.Default, config.Logger
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

// loadToPlay is [Library.Load] for a server, with the number of files in place of their
// texts. It does not check the bundled fixtures, which the tests check; each is read at
// the first request for it.
func (l *Library) loadToPlay() (set *scenarios.Set, files int, err error) {
	if !l.Sources.Bundled() {
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

// UnknownScenario is the error for an unknown name of a scenario, with the nearest name
// or, if they are few, all names.
func UnknownScenario(name string, set *scenarios.Set) error {
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

// Choice is the one scenario that the arguments of a command name: a bundled one, the
// first of a file, or one of a file by its name.
type Choice struct {
	Sources  Sources
	Scenario string // Scenario is the scenario's name; "" is the first of the sources.
}

// Choose reads one or two arguments: a file, a name, or a file and a name. A name alone
// is looked up in usual.
func Choose(args []string, stdin io.Reader, usual Sources) (Choice, error) {
	c := Choice{Sources: usual}
	switch {
	case LooksLikePath(args[0]):
		c.Sources = Sources{Paths: args[:1], Stdin: stdin}
		args = args[1:]
	case len(args) == 2:
		return Choice{}, console.Misuse("%q is no file; write: fakeopenai play FILE NAME, or only the name of a bundled scenario", args[0])
	}
	if len(args) == 1 {
		c.Scenario = args[0]
	}
	return c, nil
}

// IsStdin reports whether the scenario is read from standard input.
func (c Choice) IsStdin() bool { return len(c.Sources.Paths) == 1 && c.Sources.Paths[0] == "-" }

// Pick returns the name of the scenario to play: the given one, or that of the first.
func Pick(set *scenarios.Set, name string) (string, error) {
	if name == "" {
		return set.Scenarios()[0].Name, nil // a loaded set is never empty
	}
	if set.Lookup(name) == nil {
		return "", console.Problem(UnknownScenario(name, set))
	}
	return name, nil
}
