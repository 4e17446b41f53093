package interp

import (
	"math"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/warp"
)

// computing is how Engine.Compute executes a program: code for it leaves all other instructions to the engine. The
// launches of a Code share it, so that they share what is compiled.
type computing struct {
	p     *program.Program
	at    [][]bool  // by function and PC: an instruction that Compute may execute
	rows  [][]int32 // by function and PC: how many of these are in a row from there on
	leave *program.Contention
	heat  []atomic.Uint64 // by function: instructions that Compute has executed by lane functions
}

// Computes says which instructions Compute may execute, by number of the function and PC. Those in a row must be
// instructions of a block that only compute, without its last instruction.
func (g *Grid) Computes(at [][]bool) { g.computing = g.m.code.natives.computingOf(g.p, at) }

// computingOf returns the computing of a program.
func (n *natives) computingOf(p *program.Program, at [][]bool) *computing {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.computing {
		if c.p == p && slices.EqualFunc(c.at, at, slices.Equal) {
			return c
		}
	}
	others, rows := make([][]bool, len(at)), make([][]int32, len(at))
	for i := range at {
		others[i], rows[i] = make([]bool, len(at[i])), make([]int32, len(at[i])+1)
		for pc := len(at[i]) - 1; pc >= 0; pc-- {
			if others[i][pc] = !at[i][pc]; at[i][pc] {
				rows[i][pc] = rows[i][pc+1] + 1
			}
		}
	}
	c := &computing{p: p, at: at, rows: rows, leave: program.Leave(others), heat: make([]atomic.Uint64, len(p.Funcs))}
	n.computing = append(n.computing, c)
	return c
}

// Compute executes the instructions of split s from its PC up to, but not including, the first one that does more than
// to compute, or end. The split must not stop before end, and no branch be before it. It executes nothing if
// observers must be notified of each instruction.
func (e *Engine) Compute(c *CTA, w *warp.State, s *divergence.Split, end int) {
	if len(e.observers.each) > 0 {
		return
	}
	e.enter(c, w, s)
	e.begin(s, end, 0)
	p := &e.path
	memory := p.Memory
	p.Memory = nil
	if n := e.computingCode(); n != nil {
		e.computeInCode(n, end)
	} else {
		p.Exec()
	}
	p.Memory = memory
	p.Steps += uint64(p.PC - p.First)
	e.count()
	s.PC = p.PC
}

// computingCode returns the code with which Compute executes the path; nil if it executes it by lane functions: there
// is no code yet, or the path is too short.
func (e *Engine) computingCode() *compiledFunc {
	p, g := &e.path, e.grid.computing
	if g == nil || !e.native.possible || g.rows[e.fn.Number][p.PC] < leastInCode {
		return nil
	}
	if e.native.ctx == nil {
		heat := &g.heat[e.fn.Number]
		executions, _ := e.m.cfg.compileAfter()
		enough := executions * uint64(len(e.fn.Ops))
		if enough > 0 {
			enough = max(enough, leastComputed)
		}
		if heat.Load() < enough {
			heat.Add(uint64(g.rows[e.fn.Number][p.PC]))
			return nil
		}
		e.useNative()
	}
	n := e.native.now
	if n.parts != nil {
		return nil
	}
	if n.Func == nil {
		if n.tried {
			return nil
		}
		if e.compile(n); n.Func == nil {
			return nil
		}
	}
	return n
}

// leastComputed is how many instructions Compute executes by lane functions, on all SMs, before there is code: each
// SM's engine takes 28 KB for it, 3.7 MB on an H100, which is worth some ten thousand instructions in code.
const leastComputed = 1 << 16

// leastInCode is how many instructions Compute executes by code, at least: to enter code takes as long as two or three
// of them do.
const leastInCode = 3

// computeInCode executes the path up to end by code, and instructions without code by lane functions.
func (e *Engine) computeInCode(n *compiledFunc, end int) {
	p, ctx := &e.path, e.native.ctx
	const budget = math.MaxInt64 / 2 // code counts up from its negative
	for p.PC != end {
		p.Stop = none // code leaves at end
		p.Steps += uint64(p.PC - p.First)
		p.First = p.PC
		if e.grid.computing.rows[e.fn.Number][p.PC] >= leastInCode && e.enterComputing(n, budget) {
			x := n.Exit(ctx.Exit)
			p.Steps += uint64(budget - ctx.Budget)
			p.PC, p.First = x.PC, x.First
			if p.PC >= end {
				if p.PC > end {
					panic("simtrun bug: compiled code has not left at the end of a region")
				}
				return
			}
		}
		p.Stop = min(n.Until(p.PC), end)
		if p.Exec() == lanes.AtOp {
			return
		}
	}
}

// enterComputing is enterCode for code that only computes: it needs no memory, and no lanes diverge in it.
func (e *Engine) enterComputing(n *compiledFunc, budget int64) bool {
	p, ctx := &e.path, e.native.ctx
	all := p.Mask == lanes.AllLanes
	if !all && !n.HasPartial() {
		e.wantPartial(n)
	}
	entry := n.Entry(p.PC, all)
	if entry == 0 {
		return false
	}
	ctx.File, ctx.Budget, ctx.Counted, ctx.Mask, ctx.Live = unsafe.Pointer(p.File), budget, budget, uint32(p.Mask), uint32(e.warp.Live)
	ctx.Stop, ctx.Quantum = int64(p.Stop), int64(e.Quantum)
	ctx.Depth, ctx.Diverged, ctx.Withheld, ctx.LaneInstrs, ctx.Called = 0, 0, 0, 0, 0
	if v := e.native.verifier; v != nil {
		v.compute(n, entry)
	} else {
		e.runCode(n, entry)
	}
	e.followTrail(n)
	return ctx.Exit != jit.NoExit
}
