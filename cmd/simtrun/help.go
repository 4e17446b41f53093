package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/isa"
)

// usageTemplate differs from cobra's in two points: the word run can be left out, and help pages that are not about a
// command are listed separately.
const usageTemplate = `Usage:
{{- if .HasParent}}
  {{.UseLine}}
{{- if eq .Name "run"}}
  simtrun FILE... [flags]
{{- end}}
{{- else}}
  simtrun FILE... [flags]      run a kernel; - is standard input
  simtrun COMMAND [flags]
{{- end}}
{{- if .HasExample}}

Examples:
{{.Example}}
{{- end}}
{{- if .HasAvailableSubCommands}}

Commands:
{{- range .Commands}}{{if .IsAvailableCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
{{- if not .HasParent}}

Pages of 'simtrun help':
{{- range .Commands}}{{if .IsAdditionalHelpTopicCommand}}
  {{rpad .Name .NamePadding}} {{.Short}}{{end}}{{end}}
  {{rpad "OPCODE" .NamePadding}} An instruction, such as add or shfl
{{- end}}
{{- end}}
{{- if .HasAvailableLocalFlags}}

Flags:
{{.LocalFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableInheritedFlags}}

Flags of every command:
{{.InheritedFlags.FlagUsages | trimTrailingWhitespaces}}
{{- end}}
{{- if .HasAvailableSubCommands}}

'simtrun help COMMAND' says more about a command.
{{- end}}
`

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
			specs := isa.LookupAll(args[0])
			page, _, err := root.Find(args)
			if err == nil && page != root {
				page.InitDefaultHelpFlag()
				if err := page.Help(); err != nil || len(specs) == 0 {
					return err
				}
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
	if isa.IsLater(what) {
		return &usageError{what + " is not supported yet", "simtrun help"}
	}
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
