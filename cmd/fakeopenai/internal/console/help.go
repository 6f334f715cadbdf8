package console

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const helpWidth = 80

// heading is the annotation of flags with the heading under which the help has them.
const heading = "fakeopenai_heading"

// Head gives a heading to the flags that have none: those that were defined since the last call.
func Head(flags *pflag.FlagSet, title string) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if flag.Annotations[heading] == nil {
			_ = flags.SetAnnotation(flag.Name, heading, []string{title}) // fails only for a flag that is not there
		}
	})
}

// explained is the annotation of flags with the command whose help explains them.
const explained = "fakeopenai_explained"

// ExplainedBy adds flags that the help of another command explains, so that this one only names them.
func ExplainedBy(flags, more *pflag.FlagSet, command string) {
	more.VisitAll(func(flag *pflag.Flag) {
		_ = more.SetAnnotation(flag.Name, explained, []string{command}) // fails only for a flag that is not there
		flags.AddFlag(flag)
	})
}

// PrintUsage prints what follows the description in a command's help: how it is called, its commands by their
// groups or examples and flags by their headings.
func PrintUsage(w io.Writer, cmd *cobra.Command) {
	fmt.Fprintf(w, "Usage:\n  %s\n", strings.TrimSuffix(cmd.UseLine(), " [flags]"))
	if cmd.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	for _, group := range cmd.Groups() {
		fmt.Fprintf(w, "\n%s:\n", group.Title)
		for _, child := range cmd.Commands() {
			if child.GroupID == group.ID && child.IsAvailableCommand() {
				fmt.Fprintf(w, "  %-11s  %s\n", child.Name(), child.Short)
			}
		}
	}
	printFlags(w, cmd.Flags())
}

// printFlags prints the flags by their headings, in the order of their definition.
func printFlags(w io.Writer, flags *pflag.FlagSet) {
	var titles []string
	groups := map[string]*pflag.FlagSet{}
	named := map[string]string{} // named is the flags that a command explains, by its name
	flags.VisitAll(func(flag *pflag.Flag) {
		if by := flag.Annotations[explained]; by != nil {
			named[by[0]] += "--" + flag.Name + " "
			return
		}
		if flag.Name == "help" || flag.Name == "version" || flag.Hidden {
			return
		}
		title := "Flags"
		if of := flag.Annotations[heading]; of != nil {
			title = of[0]
		}
		if groups[title] == nil {
			groups[title] = pflag.NewFlagSet(title, pflag.ContinueOnError)
			groups[title].SortFlags = false
			titles = append(titles, title)
		}
		groups[title].AddFlag(flag)
	})
	for _, title := range titles {
		fmt.Fprintf(w, "\n%s:\n%s", title, groups[title].FlagUsagesWrapped(helpWidth))
	}
	for command, names := range named {
		fmt.Fprintf(w, "\nFlags of the server, which fakeopenai %s --help explains:\n%s\n", command, Wrapped(names))
	}
}

// Wrapped breaks the lines of a text for the help anew. Blank lines and lines that begin with a space stay.
func Wrapped(text string) string {
	var out strings.Builder
	line := ""
	for source := range strings.SplitSeq(text, "\n") {
		if source == "" || source[0] == ' ' {
			out.WriteString(line)
			if line != "" {
				out.WriteByte('\n')
			}
			out.WriteString(source + "\n")
			line = ""
			continue
		}
		for word := range strings.FieldsSeq(source) {
			if line != "" && len(line)+len(word) >= helpWidth {
				out.WriteString(line + "\n")
				line = ""
			}
			line = strings.TrimSpace(line + " " + word)
		}
	}
	return strings.TrimRight(out.String()+line, "\n")
}
