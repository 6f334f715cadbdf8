package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// diffFormats are the formats in which a report is printed.
var diffFormats = []string{"text", "json", "markdown"}

// Print prints the report in one of the [diffFormats].
func (r *diffReport) Print(w io.Writer, format string) error {
	var text strings.Builder
	switch format {
	case "json":
		return console.JSON(w, r)
	case "markdown":
		r.markdown(&text)
	default:
		r.text(&text)
	}
	_, err := fmt.Fprintf(w, "%s%s\n", text.String(), r.summary())
	return err
}

// group is a list of differences that the same scenarios share.
type group struct {
	scenarios []string
	list      []difference
}

// groups returns the differences of the report grouped by the scenarios that share them,
// in the order of the first scenario of each.
func (r *diffReport) groups() []*group {
	having := map[string][]string{} // having has the scenarios by the key of a difference.
	var order []difference
	for i := range r.Scenarios {
		s := &r.Scenarios[i]
		for _, d := range s.Differences {
			key := d.key()
			if having[key] == nil {
				order = append(order, d)
			}
			having[key] = append(having[key], s.title())
		}
	}
	var list []*group
	by := map[string]*group{}
	for _, d := range order {
		who := having[d.key()]
		key := strings.Join(who, "\n")
		if by[key] == nil {
			by[key] = &group{scenarios: who}
			list = append(list, by[key])
		}
		by[key].list = append(by[key].list, d)
	}
	return list
}

// key is the same for equal differences.
func (d *difference) key() string { return d.Kind + "\n" + d.where() + "\n" + d.What }

// shownNames is the largest number of scenarios that the title of a group names.
const shownNames = 3

func (g *group) title() string {
	n := len(g.scenarios)
	if n == 1 {
		return g.scenarios[0]
	}
	names := strings.Join(g.scenarios[:min(n, shownNames)], ", ")
	if n > shownNames {
		names += fmt.Sprintf(" and %d more", n-shownNames)
	}
	return fmt.Sprintf("%d scenarios: %s", n, names)
}

func (r *diffReport) summary() string {
	text := console.Count(len(r.Scenarios), "scenario") + " compared"
	if n := r.Differences(); n > 0 {
		text = console.Count(n, "difference") + ", " + text
	} else {
		text = "no differences, " + text
	}
	if n := len(r.Unmatched); n > 0 {
		text += fmt.Sprintf(", %d on one side alone", n)
	}
	return text
}

func (r *diffReport) text(to *strings.Builder) {
	for _, u := range r.Unmatched {
		fmt.Fprintf(to, "%s\n  only in %s\n", u.Name, u.In)
	}
	for _, g := range r.groups() {
		fmt.Fprintln(to, g.title())
		table := console.Table(to)
		for _, d := range g.list {
			fmt.Fprintf(table, "  %s\t%s\t%s\n", d.Kind, d.where(), d.What)
		}
		table.Flush()
	}
}

func (r *diffReport) markdown(to *strings.Builder) {
	for _, u := range r.Unmatched {
		fmt.Fprintf(to, "### %s\n\nOnly in `%s`.\n\n", u.Name, u.In)
	}
	for _, g := range r.groups() {
		fmt.Fprintf(to, "### %s\n\n| kind | where | difference |\n| --- | --- | --- |\n", g.title())
		for _, d := range g.list {
			fmt.Fprintf(to, "| %s | %s | %s |\n", d.Kind, markdownCell(d.where()), markdownCell(d.What))
		}
		to.WriteByte('\n')
	}
}

func markdownCell(text string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "[", `\[`, "`", "\\`").Replace(text)
}
