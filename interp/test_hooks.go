package interp

import (
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
)

// This file's exports are for tests of compiled code, which are in the compiler's packages, native and lanes/jit. A
// command that does not use them is linked without them.

// CutEvery makes all functions of m's module be compiled in parts of n instructions, or whole if n is 0.
func (m *Machine) CutEvery(n int) { m.code.natives.cut = n }

// BeforeCompiling sets a function that is called before a function of m's module, or its partial-mask code, is
// compiled.
func (m *Machine) BeforeCompiling(before func(s native.Subject, partial bool)) {
	m.code.natives.compiler.Before = before
}

// VerifyBudgets makes code be entered with every budget up to most each time, if Config.Verify is set.
func (m *Machine) VerifyBudgets(most int64) { m.code.natives.budgets = most }

// CodePlace is where an engine is about to enter code.
type CodePlace struct {
	Executed uint64 // warp instructions of the launch until now
	CTA      isa.Dim
	Warp     int
	Func     *program.Func
	PC       int
	Mask     lanes.Mask
	InTurns  bool // the warps of the CTA take turns in code, and this one is first
}

// CodePlaceOf returns the place of e, which is about to enter code at an address. Ok is false if the code only ends a
// turn, and executes nothing.
func CodePlaceOf(e *Engine, at uintptr) (p CodePlace, ok bool) {
	p = CodePlace{e.Stats.WarpInstrs, e.cta.At, e.warp.ID, e.fn, e.split.PC, e.split.Mask, e.native.ctx.Turn != 0}
	if !p.InTurns {
		p.Executed, p.PC, p.Mask = p.Executed+e.steps(), e.path.PC, e.path.Mask
	}
	return p, p.InTurns || !e.endsTurn(at)
}

// endsTurn reports whether code at an address ends a turn.
func (e *Engine) endsTurn(at uintptr) bool {
	return slices.ContainsFunc(e.native.turns, func(t jit.Turn) bool { return t.Leave == at })
}

// CodeEntry is an entry to code, and the memory that the code may access.
type CodeEntry struct {
	CodePlace
	Context *jit.Context
	// EndsTurn says that the code ends a turn. It does not know the budget then.
	EndsTurn bool
	// Changed is all memory that code may change: the Context first, then turns, registers, shared and local memory,
	// parameters, and the regions of hints. Read is the memory that code only reads, apart from the code itself: hints
	// and sides.
	Changed, Read [][]byte
}

// CodeEntryOf returns the entry of e at an address of code. Ok is false if other threads of the host may change its
// memory meanwhile.
func CodeEntryOf(e *Engine, at uintptr) (c CodeEntry, ok bool) {
	if e.watcher != nil {
		return c, false
	}
	ctx, turns := e.native.ctx, e.native.turns
	c.CodePlace, _ = CodePlaceOf(e, at)
	c.Context, c.EndsTurn = ctx, e.endsTurn(at)
	c.change(unsafe.Pointer(ctx), unsafe.Sizeof(*ctx))
	if len(turns) > 0 {
		c.change(unsafe.Pointer(&turns[0]), uintptr(len(turns))*unsafe.Sizeof(turns[0]))
	}
	shared := e.cta.Shared.Data[:cap(e.cta.Shared.Data)] // code clears whole units of jit.SharedUnit
	c.Changed = append(c.Changed, e.path.File.Bytes(e.fn.Layout.Bytes()), shared, e.warp.Local, e.window.Params)
	for _, w := range e.cta.Warps {
		if w != e.warp {
			root := w.Windows[divergence.Root]
			c.Changed = append(c.Changed, root.File.Bytes(root.Func.Layout.Bytes()), w.Local, root.Params)
		}
	}
	n := e.native.now
	known := make(map[unsafe.Pointer]bool)
	for _, h := range n.hints {
		if h.Len > 0 && !known[h.Data] {
			known[h.Data] = true
			c.change(h.Data, uintptr(h.Len))
		}
	}
	c.read(unsafe.Pointer(unsafe.SliceData(n.hints)), uintptr(len(n.hints))*unsafe.Sizeof(jit.Hint{}))
	c.read(n.Sides(), uintptr(len(e.fn.Graph.Blocks()))*unsafe.Sizeof(uintptr(0)))
	return c, true
}

func (c *CodeEntry) change(at unsafe.Pointer, size uintptr) {
	c.Changed = append(c.Changed, unsafe.Slice((*byte)(at), size))
}

func (c *CodeEntry) read(at unsafe.Pointer, size uintptr) {
	if at != nil {
		c.Read = append(c.Read, unsafe.Slice((*byte)(at), size))
	}
}
