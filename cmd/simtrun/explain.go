package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/docs"
	"github.com/simtrun/simtrun/internal/isa"
)

func newExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Explain a finding's rule: cause, example, fix",
		Long: `explain describes the rule that a finding names in brackets, such as [mem-oob]: its
causes, an example, and the fix. Without a rule it lists them all.`,
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
