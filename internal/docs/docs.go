// Package docs has the pages of the folder docs of the repository that the command prints, too. It is not in that
// folder, so that other modules cannot import it.
package docs

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/packed"
)

//go:embed rules.txtar.gz
var archive []byte

// rules is the text of rules.md.
var rules = sync.OnceValue(func() string {
	text, err := packed.Open(archive).Read("rules.md")
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return string(text)
})

// Rules are the IDs of all rules of findings, in the order of rules.md.
func Rules() []string {
	var ids []string
	for line := range strings.Lines(rules()) {
		if id, ok := strings.CutPrefix(line, ruleMark); ok {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	return ids
}

// Rule returns the section of rules.md about a rule, as Markdown without its heading; "" if there is no such rule.
func Rule(id string) string {
	_, text, _ := strings.Cut(rules(), ruleMark+id+"\n")
	text, _, _ = strings.Cut(text, "\n"+ruleMark)
	return strings.TrimSpace(text)
}

const ruleMark = "## "
