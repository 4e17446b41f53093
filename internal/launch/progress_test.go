package launch

import (
	"runtime"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/interp"
)

// TestProgressGrowsWithinOneWave checks that the cycles and instructions of a launch with a clock grow while all its
// blocks are running and none has completed.
func TestProgressGrowsWithinOneWave(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(".entry k() {\nmov.u32 %r1, 20000;\nLOOP: sub.u32 %r1, %r1, 1;\nsetp.ne.u32 %p1, %r1, 0;\n@%p1 bra LOOP;\nret; }"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := ParseScript("run.sim", []byte("launch k grid=4"), nil)
	if err != nil {
		t.Fatal(err)
	}
	p, err := NewPlan(mod, l)
	if err != nil {
		t.Fatal(err)
	}
	p.UseClock()
	seen := make(chan Progress, 1)
	p.Attach = func(m *interp.Machine, _ *interp.Launch) (func() error, error) {
		go func() { // reads while the launch runs
			for {
				if at := p.Progress(); at.Instructions > 0 || at.Done > 0 {
					seen <- at
					return
				}
				runtime.Gosched()
			}
		}()
		return func() error { return nil }, nil
	}
	res, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	at, end := <-seen, p.Progress()
	timing := res.Launches[0].Timing
	if at.Done != 0 || at.Total != 4 || at.Cycles <= 0 || at.Cycles >= timing.Cycles || at.Instructions <= 0 {
		t.Errorf("under way %+v, of %d cycles", at, timing.Cycles)
	}
	if end.Done != 4 || end.Cycles < timing.Cycles || end.Cycles > timing.Cycles+10000 || uint64(end.Instructions) != res.Launches[0].Stats.WarpInstrs {
		t.Errorf("in the end %+v, of %d cycles", end, timing.Cycles)
	}
}
