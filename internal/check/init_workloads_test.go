package check_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

// TestCompiledWorkloadsAreInitialised checks that compiled correct CUDA C uses nothing that nobody has written, with
// two columns of CTAs.
func TestCompiledWorkloadsAreInitialised(t *testing.T) {
	mod := workloads.Load(t)
	for i := range workloads.All {
		w := &workloads.All[i]
		p := w.Prepare(t, mod, interp.Config{})
		m, l := p.Machine, p.Launch
		l.Grid.X = min(l.Grid.X, 2)
		c, err := check.AttachInit(m, &l)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := functional.Run(context.Background(), m, l); err != nil {
			t.Fatal(err)
		}
		if found := c.Warnings(false); len(found) > 0 {
			t.Errorf("%s: %s", w.Name, initText(found))
		}
	}
}

// BenchmarkInit measures the cost of the check.
func BenchmarkInit(b *testing.B) {
	workloads.BenchmarkCost(b, func(m *interp.Machine, l *interp.Launch) error {
		_, err := check.AttachInit(m, l)
		return err
	})
}
