package verdict

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/docs"
)

// TestExplanationsAreText: explanations have no Markdown outside of examples, name the files of other pages, and end
// with the address of their section.
func TestExplanationsAreText(t *testing.T) {
	for _, rule := range docs.Rules() {
		text := Explanation(rule, "v1.2.3")
		if want := "\n\nPage: https://github.com/simtrun/simtrun/blob/v1.2.3/docs/rules.md#" + rule + "\n"; !strings.HasPrefix(text, rule+"\n\nCause. ") || !strings.HasSuffix(text, want) || strings.Contains(text, "\n\n\n") {
			t.Errorf("%s: %s", rule, text)
		}
		for line := range strings.Lines(text) {
			if !strings.HasPrefix(line, "  ") && (links.MatchString(line) || strings.Contains(line, "**") || strings.HasPrefix(line, "```")) {
				t.Errorf("%s has Markdown: %s", rule, line)
			}
		}
	}
	if text := Explanation("race-lockstep", ""); !strings.Contains(text, "(Strong accesses of one warp (docs/check.md))") {
		t.Errorf("no link to a page: %s", text)
	}
}
