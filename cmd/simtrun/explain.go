package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/docs"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/verdict"
)

func newExplainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [RULE|WORD]",
		Short: "Explain a finding's rule: cause, example, fix",
		Long: `Describe a rule, which a finding names in brackets, such as [mem-oob]: its causes, an
example, and the fix. Given a word, such as barrier, list the rules about it; without
arguments, list all rules.`,
		Args:      arguments(0, 1),
		ValidArgs: docs.Rules(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				_, err := fmt.Fprintln(cmd.OutOrStdout(), strings.Join(docs.Rules(), "\n"))
				return written(0, err)
			}
			rule := strings.Trim(args[0], "[]")
			if !slices.Contains(docs.Rules(), rule) {
				if found := rulesAbout(rule); found != "" {
					return written(io.WriteString(cmd.OutOrStdout(), found))
				}
				return &usageError{msg: fmt.Sprintf("no rule %s%s", rule, cmp.Or(isa.DidYouMean(rule, docs.Rules()), "; simtrun explain lists all"))}
			}
			return written(io.WriteString(cmd.OutOrStdout(), verdict.Explanation(rule, ownRevision())))
		},
	}
}

// rulesAbout lists the rules with a word in their names or in the first sentence on their cause; "" if there are none,
// or if the word is one rule's name, misspelt.
func rulesAbout(word string) string {
	word = strings.ToLower(word)
	if len(word) < 3 || len(isa.Likely(word, docs.Rules())) == 1 {
		return ""
	}
	var b strings.Builder
	for _, rule := range docs.Rules() {
		_, cause, _ := strings.Cut(strings.Join(strings.Fields(docs.Rule(rule)), " "), "**Cause.** ")
		cause, _, _ = strings.Cut(cause, ". ")
		if strings.Contains(rule, word) || strings.Contains(strings.ToLower(cause), word) {
			fmt.Fprintf(&b, "%s\n    %s\n", rule, strings.TrimSuffix(strings.ReplaceAll(cause, "`", ""), "."))
		}
	}
	return b.String()
}
