package warp

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/program"
)

// function is one with a register of each width.
func function() *isa.Func {
	return &isa.Func{Regs: []isa.Reg{{Name: "%p1", Type: isa.Pred}, {Name: "%r1", Type: isa.B32}, {Name: "%rd1", Type: isa.B64},
		{Name: "%rs1", Type: isa.B16}, {Name: "%p2", Type: isa.Pred}}}
}

func TestStartForgetsTheCTABefore(t *testing.T) {
	f := function()
	l := program.NewLayout(f)
	seven, wide := l.Const(7, false), l.Const(1<<40, true)
	tidX, tidY, ctaid, nwarp := l.Special(isa.TidX), l.Special(isa.TidY), l.Special(isa.CtaidY), l.Special(isa.NWarpID)
	shape := &Shape{Grid: isa.Dim{X: 5, Y: 6, Z: 7}, Block: isa.Dim{X: 10, Y: 5, Z: 1}, WarpsPerCTA: 2, ThreadsPerCTA: 50, SMs: 132}
	w := New(1, shape, divergence.NewStack(flow.New(f), divergence.Taken))
	if w.Threads != 1<<18-1 {
		t.Errorf("warp 1 of 50 threads has lanes %08x", uint32(w.Threads))
	}
	file := w.NewFile(l)
	liveIn := []isa.RegID{0, 1, 2}
	for _, cta := range []uint32{3, 4} {
		// What the CTA before left behind.
		*lanes.Pred(file, l.Reg(0)) = 0xdead
		lanes.Reg[uint32](file, l.Reg(1))[5] = 1
		lanes.Reg[uint64](file, l.Reg(2))[5] = 1
		*lanes.Pred(file, l.Carry) = 1
		w.Steps = 9
		w.Start(isa.Dim{Y: cta})
		w.Enter(file, l, liveIn, f.Regs)
		if *lanes.Pred(file, l.Reg(0)) != 0 || lanes.Reg[uint32](file, l.Reg(1))[5] != 0 ||
			lanes.Reg[uint64](file, l.Reg(2))[5] != 0 || *lanes.Pred(file, l.Carry) != 0 || w.Steps != 0 {
			t.Error("the warp does not start afresh")
		}
		for lane := range lanes.Width {
			thread := uint32(32 + lane)
			x, y := thread%10, thread/10%5
			if thread >= 50 { // the last thread is (9,4), and the lanes behind it go on as from (0,0) to (1,0)
				x, y = 9+thread-49, 4
			}
			for _, c := range []struct {
				name      string
				got, want uint32
			}{
				{"tid.x", lanes.Reg[uint32](file, tidX)[lane], x},
				{"tid.y", lanes.Reg[uint32](file, tidY)[lane], y},
				{"ctaid.y", lanes.Reg[uint32](file, ctaid)[lane], cta},
				{"nwarpid", lanes.Reg[uint32](file, nwarp)[lane], 2},
				{"7", lanes.Reg[uint32](file, seven)[lane], 7},
			} {
				if c.got != c.want {
					t.Errorf("CTA %d lane %d: %s is %d, want %d", cta, lane, c.name, c.got, c.want)
				}
			}
			if got := lanes.Reg[uint64](file, wide)[lane]; got != 1<<40 {
				t.Errorf("the wide constant is %#x", got)
			}
		}
		var split divergence.Split
		if !w.Control.Ready(0, &split) || split.Mask != w.Threads && len(f.Code) > 0 {
			t.Errorf("the warp starts as %v", split)
		}
	}
}

func TestGrowLocalKeepsContents(t *testing.T) {
	w := New(0, &Shape{ThreadsPerCTA: 32, LocalPerThread: 4}, nil)
	for i := range w.Local {
		w.Local[i] = byte(i / 4)
	}
	w.GrowLocal(3)
	if len(w.Local) != 4*lanes.Width {
		t.Errorf("local memory shrank to %d bytes", len(w.Local))
	}
	w.GrowLocal(20)
	per := len(w.Local) / lanes.Width
	if per < 20 {
		t.Fatalf("%d bytes per lane, want 20", per)
	}
	for lane := range lanes.Width {
		if got := w.Local[lane*per+3]; got != byte(lane) {
			t.Errorf("lane %d has %d", lane, got)
		}
	}
}
