package workloads

import (
	"math"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Load parses the module of the ten workloads.
func Load(tb testing.TB) *isa.Module {
	tb.Helper()
	return Ten.Load(tb)
}

// Load parses the module of the workloads.
func (s *Set) Load(tb testing.TB) *isa.Module {
	tb.Helper()
	mod, err := s.Parse()
	if err != nil {
		tb.Fatal(err)
	}
	return mod
}

// Prepare makes a machine with the workload's buffers, filled.
func (w *Workload) Prepare(tb testing.TB, mod *isa.Module, cfg interp.Config) *Prepared {
	tb.Helper()
	p, err := w.In(mod, cfg)
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Run executes the launch.
func (p *Prepared) Run(tb testing.TB) interp.Stats {
	tb.Helper()
	stats, err := p.Execute()
	if err != nil {
		tb.Fatal(err)
	}
	return stats
}

// BenchmarkCost times each workload without and with an observer, which observe adds to the launch, alternating. It
// reports the ratio of the fastest runs, with to without.
func BenchmarkCost(b *testing.B, observe func(m *interp.Machine, l *interp.Launch) error) {
	mod := Load(b)
	for i := range All {
		w := &All[i]
		b.Run(w.Name, func(b *testing.B) {
			p := w.Prepare(b, mod, interp.Config{})
			plainly := p.Launch
			plain, observed := math.Inf(1), math.Inf(1) // in seconds
			for b.Loop() {
				p.Launch = plainly
				plain = min(plain, seconds(b, p))
				if err := observe(p.Machine, &p.Launch); err != nil {
					b.Fatal(err)
				}
				observed = min(observed, seconds(b, p))
			}
			b.ReportMetric(observed/plain, "observed/plain")
		})
	}
}

// seconds returns the CPU time of a launch.
func seconds(b *testing.B, p *Prepared) float64 {
	start := CPUTime()
	p.Run(b)
	return (CPUTime() - start).Seconds()
}
