package flowgraph

import (
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// Divergence is an instruction at which the lanes of a split may diverge.
type Divergence struct {
	PC    int
	Cause Cause
	// Reconvergence is, for a branch, its reconvergence PC, or flow.None.
	Reconvergence int
	// Staying is, for a branch, how many of its sides stay in its exit region.
	Staying int
	// Barrier is the PC of the convergence barrier that independent thread scheduling adds here, where the lanes wait
	// for each other; flow.None if it adds none.
	Barrier int
	// Runs is, for a branch, how many times it was executed; Diverged, how many times lanes diverged.
	Runs, Diverged uint64
}

// Cause is the reason why lanes diverge.
type Cause uint8

const (
	Branched Cause = iota // they take different sides of a branch
	Called                // some call, or they call different functions
	Returned              // some return to the caller
	Exited                // some exit
	Waited                // some wait, or they wait for different lanes
)

// divergences returns the instructions of block at which lanes may diverge. addReconvergence adds where branches
// reconverge.
func divergences(defined map[string]bool, f *isa.Func, block *Block) []Divergence {
	var all []Divergence
	for pc := block.Start; pc < block.End; pc++ {
		in := &f.Code[pc]
		guarded := in.Guard != isa.NoReg
		p := Divergence{PC: pc, Reconvergence: flow.None, Barrier: flow.None}
		switch {
		case in.Is(isa.Branch) && len(block.Edges) > 1:
			p.Cause = Branched
		case in.Is(isa.CallKind) && callDiverges(defined, in):
			p.Cause, p.Barrier = Called, pc+1
		case in.Is(isa.Return) && guarded && !f.Entry:
			p.Cause = Returned
		case (in.Is(isa.Return) || in.Is(isa.Exit)) && guarded:
			p.Cause = Exited
		case waits(in):
			p.Cause, p.Barrier = Waited, pc+1
		default:
			continue
		}
		all = append(all, p)
	}
	return all
}

// callDiverges reports whether lanes may diverge at a call: if it is guarded or indirect. Functions without a body
// belong to the system, such as vprintf, and no lane enters them.
func callDiverges(defined map[string]bool, in *isa.Instr) bool {
	if in.Indirect() {
		return true
	}
	return in.Guard != isa.NoReg && defined[in.Args[0].Sym]
}

// waits reports whether in may make only some lanes wait, or several groups separately: a barrier with a guard; a
// .sync instruction with a guard, or with a mask in a register, which may differ from lane to lane.
func waits(in *isa.Instr) bool {
	guarded := in.Guard != isa.NoReg
	warpWide := in.Is(isa.Barrier) && in.Mods[isa.BarOp] == isa.BarWarp
	switch {
	case warpWide || (in.Is(isa.Vote) || in.Is(isa.Shuffle)) && in.Mods[isa.Sync] != 0:
		members := &in.Args[len(in.Args)-1]
		return guarded || members.Kind == isa.RegOperand
	case in.Later == "" && in.Spec != nil && in.Spec.WholeWarp:
		return guarded
	case in.Is(isa.Barrier), in.Is(isa.ClusterBarrier):
		return guarded && in.Mods[isa.BarOp] != isa.BarArrive
	}
	return false
}

// addReconvergence finds where the lanes of the branch at the end of the block reconverge. A side that leaves the
// exit region cannot return, so lanes wait for each other only if at least two sides stay.
func (g *Graph) addReconvergence(block *Block) {
	n := len(block.Divergences)
	if n == 0 || block.Divergences[n-1].Cause != Branched {
		return
	}
	p := &block.Divergences[n-1]
	for _, e := range block.Edges {
		if !e.Leaves {
			p.Staying++
		}
	}
	if block.Postdominator != none {
		p.Reconvergence = g.Blocks[block.Postdominator].Start
		if p.Staying > 1 {
			p.Barrier = p.Reconvergence
		}
	}
}

// addsReturnBarrier reports whether lanes that diverge in the function may have to wait
// for each other at the return address. Independent thread scheduling adds a
// convergence barrier there at the first divergence of an activation.
func (g *Graph) addsReturnBarrier() bool {
	if g.Func.Entry {
		return false
	}
	for b := range g.Blocks {
		for _, p := range g.Blocks[b].Divergences {
			if p.Cause == Branched || p.Cause == Returned || p.Cause == Waited {
				return true
			}
		}
	}
	return false
}
