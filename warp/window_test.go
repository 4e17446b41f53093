package warp

import (
	"bytes"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// lowered is function with a register of 128 bits, with a constant, and with the special registers of CTAs.
func lowered() (f *program.Func, source *isa.Func) {
	source = function()
	source.Regs = append(source.Regs, isa.Reg{Name: "%q1", Type: isa.B128})
	l := program.NewLayout(source)
	l.Const(7, false)
	for _, s := range []isa.Special{isa.CtaidX, isa.CtaidY, isa.CtaidZ, isa.WarpID, isa.SMID, isa.ClusterCtaRank, isa.TidX} {
		l.Special(s)
	}
	return &program.Func{Layout: l, FrameBytes: 16}, source
}

func TestWindowBelongsToItsFrame(t *testing.T) {
	f, _ := lowered()
	w := warpOf(0)
	third := w.Window(2, f)
	if len(w.Windows) != 3 || w.Windows[0] != nil || w.Windows[1] != nil || w.Window(2, f) != third {
		t.Fatalf("windows %v", w.Windows)
	}
	if third.Func != f || len(third.Params) != 16*lanes.Width || third.Local != ^uint64(0) {
		t.Errorf("%+v", third)
	}
	if seven := lanes.Reg[uint32](third.File, f.Layout.Const(7, false)); seven[31] != 7 {
		t.Errorf("the constant is %d", seven[31])
	}
	third.Params[5], third.Local, third.Late = 9, 64, true
	old := third.File
	w.Renew(third)
	if third.File == old || third.Late || third.Local != ^uint64(0) || third.Params[5] != 9 {
		t.Errorf("renewed: %+v", third)
	}
}

// TestWindowInUsesGivenMemory for the kernel's activation and for one of a function.
func TestWindowInUsesGivenMemory(t *testing.T) {
	f, _ := lowered()
	w := warpOf(1)
	for _, id := range []divergence.FrameID{divergence.Root, 2} {
		var p *Pattern
		if id == divergence.Root {
			p = NewPattern(w.shape, f.Layout)
		}
		mem := lanes.NewFile(f.Layout.Bytes()).Bytes(f.Layout.Bytes())
		win := w.WindowIn(id, f, mem, p)
		want := w.NewFile(f.Layout).Bytes(f.Layout.Bytes())
		if w.Windows[id] != win || !bytes.Equal(mem, want) || &win.File.Bytes(1)[0] != &mem[0] {
			t.Errorf("the registers of frame %d are not in the memory, or others than in a new file", id)
		}
	}
	if len(w.Windows) != 3 || w.Windows[1] != nil || w.Windows[0] == w.Windows[2] {
		t.Errorf("windows %v", w.Windows)
	}
}

// TestPatternsGiveFilesOfAllWarps compares files made with a pattern with others, with every special register in use.
func TestPatternsGiveFilesOfAllWarps(t *testing.T) {
	source := function()
	l := program.NewLayout(source)
	l.Const(7, false)
	for s := range isa.NumSpecials {
		l.Special(s)
	}
	l.Const(1<<40, true)
	f := &program.Func{Layout: l}
	for id := range 2 {
		w := warpOf(id)
		mem := lanes.NewFile(l.Bytes()).Bytes(l.Bytes())
		w.WindowIn(divergence.Root, f, mem, NewPattern(w.shape, l))
		if !bytes.Equal(mem, w.NewFile(l).Bytes(l.Bytes())) {
			t.Errorf("warp %d: the registers are others than in a new file", id)
		}
	}
}

// registers has the bytes of the kernel's register file.
func registers(w *State) []byte {
	win := w.Windows[divergence.Root]
	return win.File.Bytes(win.Func.Layout.Bytes())
}

// TestEnterNextIsEnterOfEachWarp: after both, registers are the same in all warps of a CTA, from whatever was there.
func TestEnterNextIsEnterOfEachWarp(t *testing.T) {
	f, source := lowered()
	liveIn := []isa.RegID{0, 1, 2, 5} // a predicate, 32, 64 and 128 bits
	make := func() (warps []*State) {
		for id := range 2 {
			w := warpOf(id)
			w.Window(divergence.Root, f)
			w.Start(isa.Dim{X: 1})
			file := w.Windows[divergence.Root].File
			w.Enter(file, f.Layout, liveIn, source.Regs)
			for _, reg := range liveIn {
				file.Bytes(f.Layout.Bytes())[f.Layout.Reg(reg)] = 0xff
			}
			*lanes.Pred(file, f.Layout.Carry) = 1
			warps = append(warps, w)
		}
		return warps
	}
	for _, cta := range []isa.Dim{{X: 1}, {X: 2}, {X: 7, Y: 5, Z: 3}} {
		one, other := make(), make()
		EnterNext(one, cta, f.Layout, liveIn, source.Regs)
		for id, w := range other {
			w.Start(cta)
			w.Enter(w.Windows[divergence.Root].File, f.Layout, liveIn, source.Regs)
			if !bytes.Equal(registers(one[id]), registers(w)) {
				t.Errorf("registers of warp %d of CTA %v differ", id, cta)
			}
			for _, reg := range liveIn {
				if registers(w)[f.Layout.Reg(reg)] != 0 {
					t.Errorf("%s is not 0 in warp %d of CTA %v", source.Regs[reg].Name, id, cta)
				}
			}
		}
	}
}

func TestLocalGrowthIsWhatGrowLocalAdds(t *testing.T) {
	w := New(0, &Shape{ThreadsPerCTA: 32, LocalPerThread: 4}, nil)
	for _, bytes := range []int{3, 4, 5, 100, 100, 1000} {
		before, growth := len(w.Local), w.LocalGrowth(bytes)
		w.GrowLocal(bytes)
		if int64(len(w.Local)-before) != growth || len(w.Local) < bytes*lanes.Width {
			t.Errorf("%d bytes for %d of each lane; grown by %d, predicted %d", len(w.Local), bytes, len(w.Local)-before, growth)
		}
	}
}

// TestCopySharesNothing: a copy is what the warp was, whatever it had been, and stays so when the warp changes.
func TestCopySharesNothing(t *testing.T) {
	f, _ := lowered()
	g, _ := lowered()
	build := func(fs ...*program.Func) *State {
		w := warpOf(0)
		w.Local = make([]byte, 64)
		w.Start(isa.Dim{X: 3})
		for id, fn := range fs {
			if fn != nil {
				w.Window(divergence.FrameID(id), fn)
			}
		}
		return w
	}
	for name, to := range map[string]*State{
		"new": build(), "of the same functions": build(f, nil, g), "of other functions": build(g, f, f), "with more windows": build(f, f, g, g),
	} {
		from := build(f, nil, g)
		from.Place(4, 5)
		from.Steps, from.Warned, from.Local[7] = 99, []uint64{6}, 8
		win := from.Windows[2]
		win.Params[3], win.Local, win.ParamsAbove = 1, 128, 32
		*lanes.Pred(win.File, g.Layout.Reg(0)) = 0xabc
		from.CopyTo(to)
		win.Params[3], from.Warned[0], from.Local[7] = 2, 2, 2
		*lanes.Pred(win.File, g.Layout.Reg(0)) = 2
		from.Control.Exit(0, 1, 0)

		if to.Steps != 99 || to.Warned[0] != 6 || to.Local[7] != 8 || to.Live != lanes.AllLanes || to.Control.Live() != lanes.AllLanes {
			t.Errorf("%s: %+v", name, to)
		}
		if sm := to.Special(isa.SMID); sm[0] != 4 {
			t.Errorf("%s: on SM %d", name, sm[0])
		}
		if len(to.Windows) != 3 || to.Windows[0] == nil || to.Windows[1] != nil {
			t.Fatalf("%s: windows %v", name, to.Windows)
		}
		copied := to.Windows[2]
		if copied.Func != g || copied.Params[3] != 1 || copied.Local != 128 || copied.ParamsAbove != 32 || *lanes.Pred(copied.File, g.Layout.Reg(0)) != 0xabc {
			t.Errorf("%s: %+v", name, copied)
		}
	}
}
