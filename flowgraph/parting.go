package flowgraph

import (
	"github.com/simtrun/simtrun/flow"
	"github.com/simtrun/simtrun/isa"
)

// Parting is an instruction at which lanes that run together may part.
type Parting struct {
	PC    int
	Cause Cause
	// Join is, of a branch, the PC where its lanes meet, or flow.None.
	Join int
	// Staying is, of a branch, how many of its sides stay in its round.
	Staying int
	// Point is the PC where lanes wait for each other under independent thread
	// scheduling, at a convergence point that is opened here; flow.None if
	// the parting opens none.
	Point int
	// Runs is, of a branch, how many times it was executed; Parted, how many of
	// these parted the lanes.
	Runs, Parted uint64
}

// Cause is why lanes part.
type Cause uint8

const (
	Branched Cause = iota // they go to different sides of a branch
	Called                // some call, or they call different functions
	Returned              // some go back to the caller
	Ended                 // some exit
	Waited                // some wait, or they wait for different lanes
)

// partings is the instructions of block at which lanes may part. Join and Point
// of a branch are still to be found.
func partings(mod *isa.Module, f *isa.Func, block *Block) []Parting {
	var all []Parting
	for pc := block.Start; pc < block.End; pc++ {
		in := &f.Code[pc]
		guarded := in.Guard != isa.NoReg
		p := Parting{PC: pc, Join: flow.None, Point: flow.None}
		switch {
		case in.Is(isa.Branch) && len(block.Edges) > 1:
			p.Cause = Branched
		case in.Is(isa.CallKind) && parts(mod, in):
			p.Cause, p.Point = Called, pc+1
		case in.Is(isa.Return) && guarded && !f.Entry:
			p.Cause = Returned
		case (in.Is(isa.Return) || in.Is(isa.Exit)) && guarded:
			p.Cause = Ended
		case waits(in):
			p.Cause, p.Point = Waited, pc+1
		default:
			continue
		}
		all = append(all, p)
	}
	return all
}

// parts reports whether a call may part lanes: if it is guarded or its targets
// are in a register. Functions without a body are the system's own (vprintf and
// its kin), which no lane enters.
func parts(mod *isa.Module, in *isa.Instr) bool {
	if in.Indirect() {
		return true
	}
	f := mod.Func(in.Args[0].Sym)
	return in.Guard != isa.NoReg && f != nil && f.Defined
}

// waits reports whether in may make some lanes wait and not others, or in
// several groups: a barrier with a guard; a .sync instruction with a guard, or
// with a mask in a register, which may differ from lane to lane.
func waits(in *isa.Instr) bool {
	guarded := in.Guard != isa.NoReg
	warpWide := in.Is(isa.Barrier) && in.Mods[isa.BarOp] == isa.BarWarp
	switch {
	case warpWide || (in.Is(isa.Vote) || in.Is(isa.Shuffle)) && in.Mods[isa.Sync] != 0:
		members := &in.Args[len(in.Args)-1]
		return guarded || members.Kind == isa.RegOperand
	case in.Is(isa.Barrier):
		return guarded && in.Mods[isa.BarOp] != isa.BarArrive
	}
	return false
}

// open finds where the lanes of the branch that ends the block meet. A side that
// leaves the round cannot come back, so that lanes wait for each other only if
// at least two sides stay.
func (g *Graph) open(block *Block) {
	n := len(block.Partings)
	if n == 0 || block.Partings[n-1].Cause != Branched {
		return
	}
	p := &block.Partings[n-1]
	for _, e := range block.Edges {
		if !e.Leaves {
			p.Staying++
		}
	}
	if block.Postdominator != None {
		p.Join = g.Blocks[block.Postdominator].Start
		if p.Staying > 1 {
			p.Point = p.Join
		}
	}
}

// opensReturnPoint reports whether lanes that part in the function may have to
// wait for each other in its caller, where the call goes on. Under independent
// thread scheduling the first parting of an activation opens that point.
func (g *Graph) opensReturnPoint() bool {
	if g.Func.Entry {
		return false
	}
	for b := range g.Blocks {
		for _, p := range g.Blocks[b].Partings {
			if p.Cause == Branched || p.Cause == Returned || p.Cause == Waited {
				return true
			}
		}
	}
	return false
}
