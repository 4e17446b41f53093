package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/isa"
)

// writeUsage prints the usage of a command. It differs from cobra's in two points: the word run can be left out, and
// help pages that are not about a command are listed separately. It is code and not a template of package
// text/template, which looks up methods by name, so that the linker would have to keep every exported method.
func writeUsage(c *cobra.Command) error {
	w := c.OutOrStderr()
	fmt.Fprintln(w, "Usage:")
	switch {
	case !c.HasParent():
		fmt.Fprint(w, "  simtrun FILE... [flags]      run a kernel; - is standard input\n  simtrun COMMAND [flags]\n")
	case c.Name() == "run":
		fmt.Fprintf(w, "  %s\n  simtrun FILE... [flags]\n", c.UseLine())
	default:
		fmt.Fprintf(w, "  %s\n", c.UseLine())
	}
	if c.HasExample() {
		fmt.Fprintf(w, "\nExamples:\n%s\n", c.Example)
	}
	writeCommands(w, c)
	writeFlags(w, c.LocalFlags())
	if c.HasAvailableInheritedFlags() {
		fmt.Fprintf(w, "\nFlags of every command:\n%s\n", flagUsages(c.InheritedFlags()))
	}
	if c.HasAvailableSubCommands() {
		fmt.Fprint(w, "\n'simtrun help COMMAND' says more about a command.\n")
	}
	return nil
}

// writeCommands lists the commands below c and, for the root, the pages of help.
func writeCommands(w io.Writer, c *cobra.Command) {
	if !c.HasAvailableSubCommands() {
		return
	}
	line := func(name, short string, width int) { fmt.Fprintf(w, "  %-*s %s\n", width, name, short) }
	fmt.Fprint(w, "\nCommands:\n")
	for _, sub := range c.Commands() {
		if sub.IsAvailableCommand() {
			line(sub.Name(), sub.Short, sub.NamePadding())
		}
	}
	if c.HasParent() {
		return
	}
	fmt.Fprint(w, "\nPages of 'simtrun help':\n")
	for _, sub := range c.Commands() {
		if sub.IsAdditionalHelpTopicCommand() {
			line(sub.Name(), sub.Short, sub.NamePadding())
		}
	}
	line("OPCODE", "An instruction, such as add or shfl", c.NamePadding())
}

// newHelpCommand shows the help of a command, a topic, or an opcode.
func newHelpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|PAGE|OPCODE]",
		Short: "Help about a command, a page, or an instruction",
		// --grid is a word to explain, not a flag.
		DisableFlagParsing: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			root := cmd.Root()
			if len(args) == 0 {
				return root.Help()
			}
			if strings.TrimLeft(args[0], "-") == "check" {
				args = []string{checksPage}
			}
			specs := isa.LookupAll(args[0])
			page, _, err := root.Find(args)
			if err == nil && page.HasAlias(args[0]) && len(specs) > 0 {
				fmt.Fprintf(cmd.OutOrStdout(), "%s of simtrun: simtrun help %s\n\n", page.Short, page.Name())
			} else if err == nil && page != root {
				page.InitDefaultHelpFlag()
				return page.Help()
			} else if len(specs) == 0 {
				return noHelp(root, strings.Join(args, " "))
			}
			return written(fmt.Fprint(cmd.OutOrStdout(), opcodeHelp(specs)))
		},
		ValidArgsFunction: func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			var offers []string
			for _, name := range helpNames(cmd.Root()) {
				if strings.HasPrefix(name, typed) {
					offers = append(offers, name)
				}
			}
			return offers, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

// helpNames returns all words that have help.
func helpNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	for _, s := range isa.Specs() {
		names = append(names, s.Title())
	}
	return names
}

// noHelp returns the error for a word without help.
func noHelp(root *cobra.Command, what string) error {
	text := fmt.Sprintf("no help about %q", what)
	if run, _, err := root.Find([]string{"run"}); err == nil && run.Flags().Lookup(strings.TrimLeft(what, "-")) != nil {
		return &usageError{text + ", a flag", "simtrun help run"}
	}
	near := isa.DidYouMean(what, helpNames(root))
	if _, msg := (isa.Dialect{}).Resolve(what); near == "" { // other languages have their own names for opcodes
		if _, meant, ok := strings.Cut(msg, "; did you mean "); ok {
			near = "; did you mean " + meant
		}
	}
	return &usageError{text + near, "simtrun help"}
}

// opcodeHelp describes an opcode's rows in the instruction table.
func opcodeHelp(specs []*isa.Spec) string {
	var b strings.Builder
	for i, s := range specs {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s, an instruction\n\n%s", s.Title(), s.Help())
	}
	return b.String()
}
