package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/docs"
	"github.com/simtrun/simtrun/internal/isa"
)

func newExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Say what a finding's rule means: cause, example, fix",
		Long: `explain says what a rule means that a finding names in brackets, as in [mem-oob]:
what causes it, an example, and what to do. Without a rule it lists them all.`,
		Args:      arguments(0, 1),
		ValidArgs: docs.Rules(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(docs.Rules(), "\n"))
				return written(0, err)
			}
			rule := strings.Trim(args[0], "[]")
			if !slices.Contains(docs.Rules(), rule) {
				return &usageError{msg: fmt.Sprintf("no rule %s%s", rule, cmp.Or(isa.DidYouMean(rule, docs.Rules()), "; simtrun explain lists all"))}
			}
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "%s\n\n%s\n", rule, docs.Rule(rule))
			return written(0, err)
		},
	}
}
