package divergence

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/flowcode"
)

func TestModelReadsItsOwnName(t *testing.T) {
	graph := flow.New(flowcode.Assemble(t, "exit").Func)
	for i, name := range ModelNames() {
		m, err := ParseModel(name)
		if err != nil || m.String() != name || int(m) != i {
			t.Errorf("%s: %v, %v", name, m, err)
		}
		w := New(m, graph, Taken)
		_, its := w.(*ITS)
		_, stack := w.(*Stack)
		if its != (name == "its") || stack != (name == "stack") {
			t.Errorf("%s is a %T", name, w)
		}
	}
	if _, err := ParseModel("vector"); err == nil || !strings.Contains(err.Error(), strings.Join(ModelNames(), ", ")) {
		t.Errorf("an unknown model: %v", err)
	}
}
