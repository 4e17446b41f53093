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
	loads [][]bool  // by function and PC: those that load, which only code executes
	rows  [][]int32 // by function and PC: how many instructions that Compute may execute are in a row from there on
	next  [][]int32 // by function and PC: PC of the next load in the row, or -1
	leave *program.Contention
	heat  []atomic.Uint64 // by function: instructions that Compute has executed by lane functions
}

// Computes says which instructions Compute may execute, by number of the function and PC. Those in a row must be
// instructions of a block that only compute, or plain loads, which loads marks, without the block's last instruction.
func (g *Grid) Computes(at, loads [][]bool) {
	if g.m.cfg.Compile == CompileNever || len(ObserversOf(g.Launch.Observers).access) > 0 {
		loads = nil // observers must be notified of each access
	}
	g.computing = g.m.code.natives.computingOf(g.p, at, loads)
}

// computingOf returns the computing of a program.
func (n *natives) computingOf(p *program.Program, at, loads [][]bool) *computing {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, c := range n.computing {
		if c.p == p && slices.EqualFunc(c.at, at, slices.Equal) && slices.EqualFunc(c.loads, loads, slices.Equal) {
			return c
		}
	}
	c := &computing{p: p, at: at, loads: loads, heat: make([]atomic.Uint64, len(p.Funcs))}
	c.findRows()
	n.computing = append(n.computing, c)
	return c
}

// findRows finds which instructions are in a row.
func (c *computing) findRows() {
	others := make([][]bool, len(c.at))
	c.rows, c.next = make([][]int32, len(c.at)), make([][]int32, len(c.at))
	for i, computes := range c.at {
		n := len(computes)
		others[i], c.rows[i], c.next[i] = make([]bool, n), make([]int32, n+1), make([]int32, n+1)
		c.next[i][n] = -1
		for pc := n - 1; pc >= 0; pc-- {
			loads := c.loads != nil && c.loads[i][pc]
			c.next[i][pc] = -1
			if others[i][pc] = !computes[pc] && !loads; others[i][pc] {
				continue
			}
			c.rows[i][pc] = c.rows[i][pc+1] + 1
			if c.next[i][pc] = c.next[i][pc+1]; loads {
				c.next[i][pc] = int32(pc)
			}
		}
	}
	c.leave = program.Leave(others, c.loads)
}

// Compute executes the instructions of split s from its PC up to, but not including, the first one that does more than
// to compute, or end. The split must not stop before end, and no branch be before it. It executes nothing if
// observers must be notified of each instruction. Compiled code executes loads, too, and adds their accesses to loads.
func (e *Engine) Compute(c *CTA, w *warp.State, s *divergence.Split, end int, loads *Loaded) {
	loads.Access = loads.Access[:0]
	if len(e.observers.each) > 0 {
		return
	}
	e.enter(c, w, s)
	e.begin(s, end, 0)
	p := &e.path
	memory := p.Memory
	p.Memory = nil
	if n := e.computingCode(); n != nil {
		e.computeInCode(n, end, loads)
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
	if g == nil || !e.native.possible || g.rows[e.fn.Number][p.PC] < leastInCode || g.loads != nil && (len(e.observers.access) > 0 || e.watcher != nil) {
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
func (e *Engine) computeInCode(n *compiledFunc, end int, loads *Loaded) {
	p, ctx := &e.path, e.native.ctx
	const budget = math.MaxInt64 / 2 // code counts up from its negative
	for p.PC != end {
		p.Stop = none // code leaves at end
		p.Steps += uint64(p.PC - p.First)
		p.First = p.PC
		if e.grid.computing.rows[e.fn.Number][p.PC] >= leastInCode && e.enterComputing(n, budget, loads) {
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

// enterComputing is enterCode for code that only computes and loads: no lanes diverge in it.
func (e *Engine) enterComputing(n *compiledFunc, budget int64, loads *Loaded) bool {
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
	load, hidden := int(e.grid.computing.next[e.fn.Number][p.PC]), false
	if load >= 0 {
		hidden = e.prepareLoads(n, load, loads)
	}
	if v := e.native.verifier; v != nil {
		v.compute(n, entry)
	} else {
		e.runCode(n, entry)
	}
	if load >= 0 {
		e.takeLoads(n, loads)
	}
	if hidden {
		e.showLoads(n, load)
	}
	return ctx.Exit != jit.NoExit
}
