package profile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/interp"
)

// kernel is a launch of the first kernel of src. Its parameters are buffers of zeroed words.
type kernel struct {
	src         string
	grid, block isa.Dim // 1 and 32 threads by default
	buffers     []int   // sizes in words
	model       divergence.Model
}

// launch returns k's machine and launch.
func (k kernel) launch(t testing.TB) (*interp.Machine, interp.Launch) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(k.src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{Divergence: k.model, MaxSteps: 1e6})
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: k.grid, Block: k.block}
	if l.Grid == (isa.Dim{}) {
		l.Grid = plane(1, 1)
	}
	if l.Block == (isa.Dim{}) {
		l.Block = plane(32, 1)
	}
	for i, n := range k.buffers {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(4*n))
		if err != nil {
			t.Fatal(err)
		}
		l.Params = binary.LittleEndian.AppendUint64(l.Params, r.Base)
	}
	return m, l
}

// profile runs k, and checks that its counters agree with each other and with those of the launch itself.
func (k kernel) profile(t testing.TB) *profile.Profile {
	t.Helper()
	m, l := k.launch(t)
	c, err := profile.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := functional.Run(context.Background(), m, l)
	if err != nil {
		t.Fatal(err)
	}
	p := c.Profile()
	checkTotals(t, p, stats)
	if l.Block.Count()%lanes.Width == 0 && p.Total.LostBlock != 0 {
		t.Errorf("%d lane slots are lost to a block of whole warps", p.Total.LostBlock)
	}
	return p
}

func checkTotals(t testing.TB, p *profile.Profile, stats interp.Stats) {
	t.Helper()
	c := &p.Total
	if c.Runs != stats.WarpInstrs || c.Lanes != stats.LaneInstrs || c.DivergentBranches != stats.DivergentBranches {
		t.Errorf("counted %d warp and %d lane instructions, %d divergent branches; the launch %d, %d, %d",
			c.Runs, c.Lanes, c.DivergentBranches, stats.WarpInstrs, stats.LaneInstrs, stats.DivergentBranches)
	}
	if c.CausedSlots() != c.LostSlots() || c.LostSlots() != 32*stats.WarpInstrs-stats.LaneInstrs {
		t.Errorf("%d lane slots have a cause; %d are lost", c.CausedSlots(), c.LostSlots())
	}
}

// at returns the counts of the n-th instruction (from 0) with that opcode in a function. Tests name instructions in
// this way to be clear.
func at(t testing.TB, p *profile.Profile, function, opcode string, n int) *profile.Counts {
	t.Helper()
	for i := range p.Funcs {
		f := &p.Funcs[i]
		for pc := range f.Code {
			if f.Name != function || f.Code[pc].Mnemonic() != opcode {
				continue
			}
			if n--; n < 0 {
				return &f.Instrs[pc]
			}
		}
	}
	t.Fatalf("%s has no such %s", function, opcode)
	return nil
}

// only returns the requests of a launch that has only one kind of them.
func only(t testing.TB, p *profile.Profile) profile.Traffic {
	t.Helper()
	if len(p.Total.Traffic) != 1 {
		t.Fatalf("got %+v, want one kind of requests", p.Total.Traffic)
	}
	return p.Total.Traffic[0]
}

// eachModel runs f under every divergence model.
func eachModel(t *testing.T, f func(t *testing.T, m divergence.Model)) {
	for _, m := range []divergence.Model{divergence.ReconvergenceStack, divergence.IndependentThreads} {
		t.Run(m.String(), func(t *testing.T) { f(t, m) })
	}
}
