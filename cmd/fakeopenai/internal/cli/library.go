package cli

import (
	"crypto/sha256"
	"fmt"
	"log/slog"
	"sync"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// library is the scenarios of a command: where they come from, and what was
// read. It is safe for concurrent use.
type library struct {
	sources  sources
	fallback string       // the scenario that must be there, because it is the server's default
	logger   *slog.Logger // is told what is wrong with a reload

	mu     sync.Mutex
	digest [sha256.Size]byte // of the files that were read last; guarded by mu
}

// load reads and checks the scenarios.
func (l *library) load() (*scenarios.Set, []yamlfile.Source, error) {
	files, err := l.sources.read()
	l.mu.Lock()
	l.digest = digest(files, err)
	l.mu.Unlock()
	if err != nil {
		return nil, nil, err
	}
	set, problems := server.CheckFiles(files...)
	if len(problems) > 0 {
		return nil, files, problem(&brokenError{files: files, problems: problems})
	}
	if l.fallback != "" && set.Lookup(l.fallback) == nil {
		return nil, files, misuse("--default: %w", unknownScenario(l.fallback, set))
	}
	return set, files, nil
}

// reload is load for a server that goes on with the old scenarios if the new
// ones are broken. It logs each problem.
func (l *library) reload() (*scenarios.Set, error) {
	set, files, err := l.load()
	if err == nil {
		l.logger.Info("scenarios reloaded", "scenarios", len(set.Scenarios()), "files", len(files))
		return set, nil
	}
	l.logger.Error("scenarios not reloaded, the old ones stay")
	if broken, ok := asBroken(err); ok {
		for _, d := range broken.problems {
			l.logger.Error(d.String())
		}
		return nil, broken.problems
	}
	l.logger.Error(err.Error())
	return nil, err
}

// changed reports whether the files differ from those that were read last.
func (l *library) changed() bool {
	files, err := l.sources.read()
	l.mu.Lock()
	defer l.mu.Unlock()
	return digest(files, err) != l.digest
}

// newServer makes a server that plays the scenarios.
func (l *library) newServer(config server.Config) (*server.Server, error) {
	if config.Default == "" && l.sources.bundled() {
		config.Default = fixtures.Default
	}
	l.fallback, l.logger = config.Default, config.Logger
	set, files, err := l.load()
	if err != nil {
		return nil, err
	}
	config.Scenarios = set
	config.Reload = l.reload
	l.logger.Info("scenarios loaded", "scenarios", len(set.Scenarios()), "files", len(files))
	return server.New(config)
}

// digest tells whether files are the same by name and content, or could not be
// read for the same reason.
func digest(files []yamlfile.Source, err error) [sha256.Size]byte {
	h := sha256.New()
	fmt.Fprintf(h, "%v\n", err)
	for _, f := range files {
		fmt.Fprintf(h, "%q %d\n", f.Name, len(f.Data))
		h.Write(f.Data)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// unknownScenario says that there is no scenario of a name, and which one may
// have been meant.
func unknownScenario(name string, set *scenarios.Set) error {
	var names []string
	for _, s := range set.Scenarios() {
		names = append(names, s.Name)
	}
	if hint := diag.DidYouMean(name, names); hint != "" {
		return fmt.Errorf("there is no scenario %q; %s", name, hint)
	}
	return fmt.Errorf("there is no scenario %q; fakeopenai list prints their names", name)
}
