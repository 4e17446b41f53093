package sm

import (
	"strings"
	"testing"
)

// TestStatesHaveADefinition: every state is defined by a different sentence.
func TestStatesHaveADefinition(t *testing.T) {
	seen := make(map[string]State)
	for state := range NumStates {
		doc := state.Doc()
		if other, ok := seen[doc]; ok || !strings.HasSuffix(doc, ".") {
			t.Errorf("%v and %v have the same definition %q", state, doc, other)
		}
		seen[doc] = state
	}
}
