// Package docs holds the pages of this folder that the command shows too.
package docs

import (
	_ "embed"
	"strings"
)

//go:embed rules.md
var rules string

// Rules are the IDs of all rules of findings, in the order of rules.md.
func Rules() []string {
	var ids []string
	for line := range strings.Lines(rules) {
		if id, ok := strings.CutPrefix(line, ruleMark); ok {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	return ids
}

// Rule is what rules.md says of a rule, as Markdown without its heading; "" if
// there is no such rule.
func Rule(id string) string {
	_, text, _ := strings.Cut(rules, ruleMark+id+"\n")
	text, _, _ = strings.Cut(text, "\n"+ruleMark)
	return strings.TrimSpace(text)
}

const ruleMark = "## "
