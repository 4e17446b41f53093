package interp

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
)

// CheckCompiled makes new engines of m execute by lane functions, too, what compiled code has executed, each time
// that code exits. It passes the first difference to report.
func (m *Machine) CheckCompiled(report func(string)) {
	c := &codeCheck{report: report, live: make(map[*program.Func][][]bool)}
	m.code.natives.enter = c.enter
}

// CheckBudgets is CheckCompiled, and also enters code with every budget up to most.
func (m *Machine) CheckBudgets(most int64, report func(string)) {
	c := &codeCheck{report: report, live: make(map[*program.Func][][]bool), budgets: most}
	m.code.natives.enter = c.enter
}

// codeCheck compares compiled code with lane functions. It is for one thread of the host.
type codeCheck struct {
	report func(string)
	live   map[*program.Func][][]bool // by PC and register
	// Code is also entered with all budgets up to this one each time.
	budgets int64

	e      *Engine
	n      *compiledFunc
	entry  uintptr
	before codeState
}

// codeState is all state that compiled code may change.
type codeState struct {
	file   []byte
	memory [][]byte
}

// enter enters code, and checks its effects.
func (c *codeCheck) enter(e *Engine, n *compiledFunc, entry uintptr) {
	c.e, c.n, c.entry = e, n, entry
	ctx := e.native.ctx
	budget := ctx.Budget
	c.before = c.state()
	wrong := ""
	for b := int64(0); b < min(budget, c.budgets) && wrong == ""; b++ {
		wrong = c.try(b)
		c.put(&c.before)
	}
	if wrong == "" {
		wrong = c.try(budget)
	}
	if wrong == "" {
		return
	}
	for b := int64(1); b < budget; b++ { // where the difference begins
		c.put(&c.before)
		if first := c.try(b); first != "" {
			wrong = first
			break
		}
	}
	c.report(wrong)
}

// state copies the state that code may change.
func (c *codeCheck) state() (s codeState) {
	for _, b := range c.places() {
		s.memory = append(s.memory, bytes.Clone(b))
	}
	s.file, s.memory = s.memory[0], s.memory[1:]
	return s
}

func (c *codeCheck) put(s *codeState) {
	all := c.places()
	copy(all[0], s.file)
	for i, b := range all[1:] {
		copy(b, s.memory[i])
	}
}

// places returns the register file, and all memory that code may write.
func (c *codeCheck) places() [][]byte {
	all := [][]byte{unsafe.Slice((*byte)(unsafe.Pointer(c.e.path.File)), c.e.fn.Layout.Bytes()), c.e.cta.Shared.Data, c.e.warp.Local, c.e.window.Params}
	known := make(map[unsafe.Pointer]bool)
	for _, h := range c.n.hints {
		if h.Len > 0 && !known[h.Data] {
			known[h.Data] = true
			all = append(all, unsafe.Slice((*byte)(h.Data), h.Len))
		}
	}
	return all
}

// try enters code with a budget, executes the same by lane functions, and describes the first difference, or returns
// "". It leaves the state after code.
func (c *codeCheck) try(budget int64) string {
	ctx, pc := c.e.native.ctx, c.e.path.PC
	ctx.Budget = budget
	c.e.runCode(c.n, c.entry)
	after := c.state()
	c.put(&c.before)
	defer c.put(&after)
	wrong := ""
	if ctx.Exit == jit.NoExit {
		wrong = c.compare(&after, pc)
	} else {
		x := c.n.Exit(ctx.Exit)
		if wrong = c.replay(x, budget, budget-ctx.Budget+int64(x.PC-x.First)); wrong == "" {
			wrong = c.compare(&after, x.PC)
		}
		pc = x.PC
	}
	if wrong == "" {
		return ""
	}
	return fmt.Sprintf("%s: compiled code, lanes %08x, from PC %d (%v) to %d: %s", c.e.fn.Src.Name, uint32(c.e.path.Mask), c.e.path.PC, c.e.fn.Src.Code[c.e.path.PC].Pos, pc, wrong)
}

// replay executes n instructions by lane functions, and describes how the exit differs from that of code, or returns
// "".
func (c *codeCheck) replay(x *native.Exit, budget, n int64) string {
	p := c.e.path // of which there is a copy, so that all else stays as it is
	p.Steps, p.First, p.Limit = 0, p.PC, 0
	branch := -1
	for at := int64(0); at < n; at++ {
		if p.PC == c.e.path.Stop {
			return fmt.Sprintf("it executes %d instructions, and passes the end of the path, PC %d", n, p.PC)
		}
		if branch >= 0 && at >= budget {
			return fmt.Sprintf("it executes %d instructions, and passes a branch with a budget of %d behind PC %d", n, budget, branch)
		}
		before := p.PC
		branch, p.Stop = -1, p.PC+1
		if kind := p.Ops[p.PC].Kind; kind == lanes.Jump {
			branch, p.Stop = p.PC, -1
		}
		switch op := &p.Ops[p.PC]; isa.Kind(op.Kind) {
		case isa.Shuffle, isa.Vote:
			op.Fn(p.File, op, p.Mask)
			fallthrough
		case program.WarpBarrier:
			p.PC++
			continue
		case program.Slow:
			m := op.Active(p.File, p.Mask)
			for lane, b := range lanes.Reg[uint32](p.File, op.B) {
				if b == 0 && m>>lane&1 != 0 {
					return fmt.Sprintf("lane %d divides by 0 at PC %d, of which the engine would warn", lane, before)
				}
			}
			op.Fn(p.File, op, m)
			p.PC++
			continue
		case isa.Branch: // it may leave its exit region: code executes it where all lanes go one way, which does not
			branch, p.PC = before, before+1
			if m := op.Active(p.File, p.Mask); m == p.Mask {
				p.PC = int(c.e.fn.Info[before].Target)
			} else if m != 0 {
				return fmt.Sprintf("lanes diverge at PC %d", before)
			}
			if c.e.fn.Graph.Leaves(before, p.PC) {
				return fmt.Sprintf("lanes leave an exit region at PC %d", before)
			}
			continue
		}
		if why := p.Exec(); why == lanes.AtOp {
			return fmt.Sprintf("it executes %d instructions, of which lane functions leave that at PC %d", n, before)
		}
	}
	switch {
	case p.PC != x.PC:
		return fmt.Sprintf("%d instructions lead to PC %d", n, p.PC)
	case x.Why == native.AtStop && p.PC != c.e.path.Stop:
		return fmt.Sprintf("it takes PC %d for the end of the path, which is PC %d", x.PC, c.e.path.Stop)
	case x.Why == native.Branched && (branch != x.Branch || n < budget):
		return fmt.Sprintf("after %d of %d instructions it says that it was behind the branch at PC %d; it was at %d", n, budget, x.Branch, branch)
	}
	return ""
}

// compare describes how the state after code differs from that after lane functions, for a path at pc, or returns "".
func (c *codeCheck) compare(after *codeState, pc int) string {
	got, want := after, c.state()
	for i := range want.memory {
		if at := firstOther(want.memory[i], got.memory[i]); at >= 0 {
			return fmt.Sprintf("byte %#x of memory %d is %#x, by lane functions %#x", at, i, got.memory[i][at], want.memory[i][at])
		}
	}
	f, mask := c.e.fn, c.e.path.Mask
	live := c.liveAt(f, pc)
	for id, r := range f.Src.Regs {
		off := f.Layout.Reg(isa.RegID(id))
		if off == 0 || r.Type.Bits() > 64 {
			continue
		}
		for lane := range lanes.Width {
			g, w, b := laneOf(got.file[off:], r.Type, lane), laneOf(want.file[off:], r.Type, lane), laneOf(c.before.file[off:], r.Type, lane)
			switch executes := mask>>lane&1 != 0; {
			case executes && live[id] && g != w:
				return fmt.Sprintf("%s is %#x in lane %d, by lane functions %#x", r.Name, g, lane, w)
			case !executes && g != b:
				return fmt.Sprintf("%s is %#x in lane %d, which does not execute, and was %#x", r.Name, g, lane, b)
			}
		}
	}
	return ""
}

func firstOther(a, b []byte) int {
	if bytes.Equal(a, b) {
		return -1
	}
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// laneOf returns the value of a slot in a lane.
func laneOf(slot []byte, t isa.Type, lane int) uint64 {
	switch bits := t.Bits(); {
	case t == isa.Pred:
		return uint64(binary.LittleEndian.Uint32(slot)) >> lane & 1
	case bits > 32:
		return binary.LittleEndian.Uint64(slot[8*lane:])
	}
	return uint64(binary.LittleEndian.Uint32(slot[4*lane:]))
}

// liveAt says of each register of f whether it is live before the instruction at pc.
func (c *codeCheck) liveAt(f *program.Func, pc int) []bool {
	if c.live[f] == nil {
		c.live[f] = liveRegisters(f)
	}
	return c.live[f][pc]
}

// liveRegisters finds, an instruction at a time, which registers are live before each.
func liveRegisters(f *program.Func) [][]bool {
	code := f.Src.Code
	live := make([][]bool, len(code)+1)
	for pc := range live {
		live[pc] = make([]bool, len(f.Src.Regs))
	}
	blocks := f.Graph.Blocks()
	for changed := true; changed; {
		changed = false
		for pc := len(code); pc >= 0; pc-- {
			now := make([]bool, len(f.Src.Regs))
			next := []int{pc + 1}
			if b := blocks[f.Graph.BlockOf(pc)]; pc >= b.End-1 {
				next = nil
				for _, to := range b.Succ {
					next = append(next, blocks[to].Start)
				}
			}
			for _, to := range next {
				for id, l := range live[to] {
					now[id] = now[id] || l
				}
			}
			if pc < len(code) {
				for ref := range code[pc].Refs {
					if ref.Role.Writes() && ref.Sure {
						now[ref.Reg] = false
					}
				}
				for ref := range code[pc].Refs {
					if !ref.Role.Writes() {
						now[ref.Reg] = true
					}
				}
			}
			if pc == len(code) || code[pc].Is(isa.Return) {
				for _, id := range f.Src.RegsOf(f.Src.Returns) {
					now[id] = true
				}
			}
			for id, l := range now {
				if l && !live[pc][id] {
					live[pc][id], changed = true, true
				}
			}
		}
	}
	return live
}

// Compiled returns how many functions of m were compiled, and how many of those with the rest of their code.
func (m *Machine) Compiled() (funcs, whole int) {
	for _, f := range m.code.natives.funcs {
		if f != nil {
			funcs++
			if f.Whole() {
				whole++
			}
		}
	}
	return funcs, whole
}

// BeforeCompiling sets a function that is called before a function of m's module, or the rest of its code, is compiled.
func (m *Machine) BeforeCompiling(before func(s native.Subject, rest bool)) {
	m.code.natives.compiler.Before = before
}

// CodeOf reports whether a kernel of m's module was compiled, and whether the rest of its code was.
func (m *Machine) CodeOf(kernel string) (some, whole bool) {
	for key, f := range m.code.natives.funcs {
		if key.f.Src.Name == kernel && f != nil {
			some, whole = true, whole || f.Whole()
		}
	}
	return some, whole
}
