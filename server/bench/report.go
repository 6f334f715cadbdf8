package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// table holds all figures of a run.
type table struct {
	Command string  `json:"command"` // Command is the command line of the run.
	Go      string  `json:"go"`
	CPU     string  `json:"cpu"`
	Rounds  int     `json:"rounds"`
	Seconds float64 `json:"seconds"`
	Works   []row   `json:"works"`
}

// row holds the figures of one work.
type row struct {
	Work    string   `json:"work"`
	About   string   `json:"about"`
	Results []result `json:"results"`
}

// result holds the figures of one target in one work, by round.
type result struct {
	Target string    `json:"target"`
	Rounds []figures `json:"rounds"`
}

func (t *table) add(work, about, target string, f figures) {
	i := slices.IndexFunc(t.Works, func(r row) bool { return r.Work == work })
	if i < 0 {
		i = len(t.Works)
		t.Works = append(t.Works, row{Work: work, About: about})
	}
	r := &t.Works[i]
	j := slices.IndexFunc(r.Results, func(r result) bool { return r.Target == target })
	if j < 0 {
		j = len(r.Results)
		r.Results = append(r.Results, result{Target: target})
	}
	r.Results[j].Rounds = append(r.Results[j].Rounds, f)
}

// spread is the median, the least and the greatest value of a figure over the rounds.
type spread struct{ median, least, most float64 }

func (r *result) of(figure func(*figures) float64) spread {
	var list []float64
	for i := range r.Rounds {
		list = append(list, figure(&r.Rounds[i]))
	}
	return spreadOf(list)
}

func spreadOf(list []float64) spread {
	if len(list) == 0 {
		return spread{}
	}
	slices.Sort(list)
	return spread{list[len(list)/2], list[0], list[len(list)-1]}
}

// ratio is answers a second divided by those of another target in the same round.
func (r *result) ratio(other *result) spread {
	var list []float64
	for i := range min(len(r.Rounds), len(other.Rounds)) {
		if by := other.Rounds[i].Answers; by > 0 {
			list = append(list, r.Rounds[i].Answers/by)
		}
	}
	return spreadOf(list)
}

func (s spread) String() string {
	return fmt.Sprintf("%s (%s–%s)", number(s.median), number(s.least), number(s.most))
}

func number(f float64) string {
	switch {
	case f >= 100:
		return thousands(int64(f + 0.5))
	case f >= 10:
		return fmt.Sprintf("%.1f", f)
	}
	return fmt.Sprintf("%.2f", f)
}

func thousands(n int64) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// write writes results.json, RESULTS.md and chart.svg to the folder dir. If dir is empty,
// it prints the tables to stdout instead.
func (t *table) write(dir string) error {
	t.Go, t.CPU = runtime.Version(), processor()
	if dir == "" {
		fmt.Print(strings.Replace(t.markdown(), chartLink, "", 1))
		return nil
	}
	src, err := json.MarshalIndent(t, "", " ")
	if err != nil {
		return err
	}
	for name, text := range map[string]string{"results.json": string(src) + "\n", "RESULTS.md": t.markdown(), "chart.svg": t.chart()} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// processor is the model name of the machine's processor.
func processor() string {
	src, _ := os.ReadFile("/proc/cpuinfo")
	_, rest, _ := strings.Cut(string(src), "model name")
	line, _, _ := strings.Cut(rest, "\n")
	return strings.Trim(line, "\t :")
}

// chartLink shows the chart beside the report; a report on stdout has none.
const chartLink = "\n![Bars, longer is better: answers a second of fakeopenai and of handlers of net/http, as a multiple of a bare handler, for each kind of answer](chart.svg)\n"

// markdown is the report, with a table for each work.
func (t *table) markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Measured\n\nMade by `%s`; [README.md](README.md) explains each figure.\n%s, %s, one core for the server and "+
		"one for the client; the median of %d × %g s, with the least and the most.\n"+chartLink, t.Command, t.CPU, t.Go, t.Rounds, t.Seconds)
	for i := range t.Works {
		w := &t.Works[i]
		fmt.Fprintf(&b, "\n## %s\n\nThe work: %s.\n\n", w.Work, w.About)
		switch {
		case w.Work == "start" || w.Work == "helper":
			w.times(&b)
		case strings.HasPrefix(w.Work, "paced"):
			w.lateness(&b)
		default:
			w.throughput(&b)
		}
	}
	if len(t.Works) == 2 && t.Works[0].result(bare).Rounds == nil && strings.HasPrefix(t.Works[1].Work, "paced") {
		t.inShort(&b) // replicas were measured in place of the references
	}
	return b.String()
}

// inShort writes a table of the works, one of which is paced, as server/deploy has it.
func (t *table) inShort(b *strings.Builder) {
	b.WriteString("\n## In short\n\n| | streams a second | CPU µs a stream | paced: cores | late p50 ms | p99 ms |\n| --- | --- | --- | --- | --- | --- |\n")
	for i := range t.Works[0].Results {
		r, paced := &t.Works[0].Results[i], &t.Works[1].Results[i]
		fmt.Fprintf(b, "| %s | %v | %v | %v | %v | %v |\n", r.Target, r.of(func(f *figures) float64 { return f.Answers }), r.of((*figures).cost),
			paced.of(func(f *figures) float64 { return f.CPU }), paced.of(func(f *figures) float64 { return f.LateP50 }), paced.of(func(f *figures) float64 { return f.LateP99 }))
	}
}

func (w *row) result(target string) *result {
	for i := range w.Results {
		if w.Results[i].Target == target {
			return &w.Results[i]
		}
	}
	return &result{}
}

func (w *row) throughput(b *strings.Builder) {
	b.WriteString("| target | answers/s | × bare | × bare+ | × patched+ | events | bytes | events/s | first byte p50 ms | p99 ms | last byte p50 ms | CPU µs an answer | server cores | client cores | errors |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for i := range w.Results {
		r := &w.Results[i]
		cost, cores := r.of((*figures).cost), r.of(func(f *figures) float64 { return f.CPU })
		fmt.Fprintf(b, "| %s | %v | %.2f | %.2f | %.2f | %s | %s | %s | %s | %s | %s | %s | %s | %s | %d |\n", r.Target,
			r.of(func(f *figures) float64 { return f.Answers }),
			r.ratio(w.result(bare)).median, r.ratio(w.result(barePlus)).median, r.ratio(w.result(patchedPlus)).median,
			r.parts(), r.size(), number(r.of(func(f *figures) float64 { return f.Events }).median),
			number(r.of(func(f *figures) float64 { return f.FirstP50 }).median), number(r.of(func(f *figures) float64 { return f.FirstP99 }).median),
			number(r.of(func(f *figures) float64 { return f.LastP50 }).median), cost.known(number(cost.median)), cores.known(number(cores.median)),
			number(r.of(func(f *figures) float64 { return f.Client }).median), r.errors())
	}
	w.remarks(b)
}

func (w *row) lateness(b *strings.Builder) {
	b.WriteString("| target | late p50 ms | p99 ms | pause off p99 ms | drift p99 ms | first byte p99 ms | events | bytes | server cores | client cores | KiB a stream | errors |\n" +
		"| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n")
	for i := range w.Results {
		r := &w.Results[i]
		cores, kib := r.of(func(f *figures) float64 { return f.CPU }), r.of(func(f *figures) float64 { return f.KiB })
		fmt.Fprintf(b, "| %s | %s | %v | %s | %s | %s | %s | %s | %s | %s | %s | %d |\n", r.Target,
			number(r.of(func(f *figures) float64 { return f.LateP50 }).median), r.of(func(f *figures) float64 { return f.LateP99 }),
			number(r.of(func(f *figures) float64 { return f.GapP99 }).median), number(r.of(func(f *figures) float64 { return f.Drift }).median),
			number(r.of(func(f *figures) float64 { return f.FirstP99 }).median), r.parts(), r.size(),
			cores.known(cores.String()), number(r.of(func(f *figures) float64 { return f.Client }).median),
			kib.known(number(kib.median)), r.errors())
	}
	w.remarks(b)
}

// remarks writes a list below a table: which targets closed connections, and why answers
// failed.
func (w *row) remarks(b *strings.Builder) {
	var list []string
	for i := range w.Results {
		r := &w.Results[i]
		if slices.ContainsFunc(r.Rounds, func(f figures) bool { return f.Closes }) {
			list = append(list, r.Target+" closes the connection with each answer, so that each begins with a new one.")
		}
		why := map[string]int{}
		for j := range r.Rounds {
			for text, n := range r.Rounds[j].Why {
				why[text] += n
			}
		}
		for _, text := range slices.Sorted(maps.Keys(why)) {
			list = append(list, fmt.Sprintf("%s, %d errors: %s.", r.Target, why[text], text))
		}
	}
	if len(list) > 0 {
		b.WriteString("\n- " + strings.Join(list, "\n- ") + "\n")
	}
}

// parts is the number of events in an answer.
func (r *result) parts() string {
	return thousands(int64(r.of(func(f *figures) float64 { return float64(f.Parts) }).median))
}

// size is the number of bytes in the body of an answer.
func (r *result) size() string {
	return thousands(int64(r.of(func(f *figures) float64 { return float64(f.Size) }).median))
}

// known is text, or "unknown" if the processes of the target were not found, so that s is 0.
func (s spread) known(text string) string {
	if s.most == 0 {
		return "unknown"
	}
	return text
}

func (w *row) times(b *strings.Builder) {
	b.WriteString("| what | ms | × the first |\n| --- | --- | --- |\n")
	for i := range w.Results {
		r := &w.Results[i]
		fmt.Fprintf(b, "| %s | %v | %.2f |\n", r.Target, r.of(func(f *figures) float64 { return f.FirstP50 }), 1/r.ratio(&w.Results[0]).median)
	}
}

func (r *result) errors() (n int) {
	for i := range r.Rounds {
		n += r.Rounds[i].Errors
	}
	return n
}
