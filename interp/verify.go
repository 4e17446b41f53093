package interp

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/source"
)

// verifier compares compiled code with lane functions (Config.Verify). Each time that code is entered, lane functions
// execute the same instructions first, from the same registers, lanes and memory; what they have changed is undone;
// then code runs. Afterwards registers, memory, lanes and the place and reason of the exit are compared.
//
// Lane functions go as far as they can, because it is not known yet where code will exit. If it exits earlier, they
// execute once more, up to there.
//
// A verifier is for an engine of a launch on one thread of the host: memory must not change meanwhile. Warps do not
// take turns in code.
type verifier struct {
	e       *Engine
	live    map[*program.Func]*liveness
	entries uint64

	entry  codeEntry
	replay replay
	stores storeLog // of the replay as far as lane functions go
	want   []byte   // the registers after the replay
	guard  guard
}

// codeEntry is the state in which code is entered.
type codeEntry struct {
	n      *compiledFunc
	at     uintptr
	budget int64
	stop   int64
	file   []byte // the registers
}

// Miscompiled is a difference between compiled code and lane functions, in a launch with Config.Verify: a bug of
// simtrun. An Engine panics with it.
type Miscompiled struct {
	Func     string
	Lanes    lanes.Mask   // that entered the code
	From, To int          // PCs between which the code executed
	At       source.Place // of From
	What     string       // the first difference
	Listing  string       // the code between From and To; "" if there is none
}

// Error returns the difference, and the listing in further lines.
func (m *Miscompiled) Error() string {
	text := fmt.Sprintf("simtrun bug: %s: compiled code that lanes %08x enter at PC %d (%v) and leave at PC %d differs from lane functions: %s",
		cxx.Short(m.Func), uint32(m.Lanes), m.From, m.At, m.To, m.What)
	if m.Listing != "" {
		text += "\n" + m.Listing
	}
	return text
}

// shortest bounds the budgets that are tried to find the shortest execution that differs. shortBudget is the largest
// budget of the additional entries.
const (
	shortest    = 4096
	shortBudget = 64
)

// enter enters code at an address, and panics with a *Miscompiled if it does something else than lane functions. One
// time in four it first enters code with a small budget, because exits at other branches leave other values in
// registers.
func (v *verifier) enter(n *compiledFunc, at uintptr) {
	v.begin(n, at)
	budget := v.entry.budget
	for b := int64(0); b < min(budget, v.e.m.code.natives.budgets); b++ {
		v.mustEqual(b)
		v.restore()
	}
	if v.entries++; v.entries%4 == 1 && budget > 1 {
		v.mustEqual(1 + int64(v.entries*0x9e3779b9>>8)%min(budget, shortBudget))
		v.restore()
	}
	v.mustEqual(budget)
}

// compute is enter for code of Compute, which stores nothing and does not branch: lane functions execute up to its
// exit.
func (v *verifier) compute(n *compiledFunc, at uintptr) {
	v.begin(n, at)
	v.e.runCode(n, at)
	if v.e.native.ctx.Exit == jit.NoExit {
		return
	}
	to := n.Exit(v.e.native.ctx.Exit).PC
	code := slices.Clone(v.file())
	copy(v.file(), v.entry.file)
	p := v.e.path
	p.Stop, p.Memory = to, (*locator)(v.e)
	why := p.Exec()
	v.want = append(v.want[:0], v.file()...)
	copy(v.file(), code)
	wrong := v.compare(code, v.want, p.Mask, v.liveAt(to), "in lane %d, by lane functions")
	if why != lanes.AtStop {
		wrong = fmt.Sprintf("lane functions stop at PC %d", p.PC)
	}
	if wrong != "" {
		m := &Miscompiled{Func: v.e.fn.Src.Name, Lanes: p.Mask, From: v.e.path.PC, At: source.At(v.e.fn.Src, v.e.path.PC), To: to, What: wrong}
		m.Listing = v.e.m.code.natives.regions(v.e, n, m)
		panic(m)
	}
}

// begin records the state in which code is entered.
func (v *verifier) begin(n *compiledFunc, at uintptr) {
	ctx := v.e.native.ctx
	v.entry = codeEntry{n: n, at: at, budget: ctx.Budget, stop: ctx.Stop, file: append(v.entry.file[:0], v.file()...)}
}

// file returns the registers of the executing activation.
func (v *verifier) file() []byte { return v.e.path.File.Bytes(v.e.fn.Layout.Bytes()) }

// mustEqual panics if code with a budget has another effect than lane functions.
func (v *verifier) mustEqual(budget int64) {
	wrong := v.try(budget)
	if wrong == nil {
		return
	}
	for b := int64(1); b < min(budget, shortest); b++ {
		v.restore()
		if w := v.try(b); w != nil {
			wrong = w
			break
		}
	}
	wrong.Listing = v.e.m.code.natives.regions(v.e, v.entry.n, wrong)
	panic(wrong)
}

// restore restores the state in which code was entered.
func (v *verifier) restore() {
	v.stores.undo()
	v.guard.restore()
	copy(v.file(), v.entry.file)
}

// try enters code with a budget and returns the first difference, or nil. It leaves the state after code.
func (v *verifier) try(budget int64) *Miscompiled {
	ctx := v.e.native.ctx
	v.guard.forget()
	v.stores.begin(v.e)
	v.replay.begin(v.e, &v.stores, v.entry.n.Func, budget)
	v.replay.run(noLimit)
	v.stores.keep()
	v.want = append(v.want[:0], v.file()...)
	v.restore()
	v.guard.begin(v)

	ctx.Budget, ctx.Counted, ctx.Mask, ctx.Stop = budget, budget, uint32(v.e.path.Mask), v.entry.stop
	ctx.Depth, ctx.Diverged, ctx.Withheld, ctx.LaneInstrs = 0, 0, 0, 0
	ctx.Called = 0
	v.e.runCode(v.entry.n, v.entry.at)

	to, n, exit := v.e.path.PC, int64(0), (*native.Exit)(nil)
	if ctx.Exit != jit.NoExit {
		exit = v.entry.n.Exit(ctx.Exit)
		to = exit.PC
		n = budget - ctx.Budget - ctx.Withheld + int64(exit.PC-exit.First+exit.Uncounted)
	}
	what := v.difference(exit, n, budget)
	if what == "" {
		return nil
	}
	return &Miscompiled{Func: v.e.fn.Src.Name, Lanes: v.e.path.Mask, From: v.e.path.PC, At: source.At(v.e.fn.Src, v.e.path.PC), To: to, What: what}
}

// difference describes how the state after code, which has executed n instructions, differs from that after lane
// functions, or returns "". Without an exit status has not been entered.
func (v *verifier) difference(exit *native.Exit, n, budget int64) string {
	r := &v.replay
	if n < r.steps {
		v.replayExactly(n, budget)
	}
	switch {
	case r.steps != n:
		return fmt.Sprintf("it executes %d instructions, and lane functions %d, up to PC %d: %s", n, r.steps, r.origin(r.path.PC), r.why)
	case r.passed >= 0:
		return fmt.Sprintf("it executes %d instructions, and passes the branch at PC %d with a budget of %d", n, r.passed, budget)
	}
	if exit != nil {
		if wrong := r.exits(exit, v.e.native.ctx); wrong != "" {
			return wrong
		}
	}
	return cmp.Or(v.stores.difference(), v.guard.difference(&v.stores), v.registers())
}

// replayExactly has lane functions execute n instructions from the state in which code was entered. It leaves the
// state after code.
func (v *verifier) replayExactly(n, budget int64) {
	code := slices.Clone(v.file())
	v.stores.undoOf(func() {
		copy(v.file(), v.entry.file)
		v.replay.begin(v.e, &v.stores, v.entry.n.Func, budget)
		v.replay.run(n)
	})
	v.want = append(v.want[:0], v.file()...)
	copy(v.file(), code)
}

// registers describes the first register that differs, or returns "".
func (v *verifier) registers() string {
	got := v.file()
	if wrong := v.compare(got, v.entry.file, ^v.e.path.Mask, nil, "in lane %d, which does not execute, and was"); wrong != "" {
		return wrong
	}
	for _, c := range v.replay.continuations() {
		if wrong := v.compare(got, v.want, c.mask, v.liveAt(v.replay.origin(c.pc)), "in lane %d, by lane functions"); wrong != "" {
			return wrong
		}
	}
	return ""
}

// compare describes the first register of a set, nil for all, that has different values in lanes of m; it returns ""
// if there is none.
func (v *verifier) compare(got, want []byte, m lanes.Mask, set []uint64, format string) string {
	f := v.e.fn
	for id, r := range f.Src.Regs {
		off := f.Layout.Reg(isa.RegID(id))
		if off == 0 || set != nil && set[id/64]>>(id%64)&1 == 0 {
			continue
		}
		if lane := firstDifferent(got[off:], want[off:], r.Type, m); lane >= 0 {
			return fmt.Sprintf("%s is %#x "+format+" %#x", r.Name, laneOf(got[off:], r.Type, lane), lane, laneOf(want[off:], r.Type, lane))
		}
	}
	return ""
}

// firstDifferent returns the first lane of m in which two slots of a type differ, or -1.
func firstDifferent(a, b []byte, t isa.Type, m lanes.Mask) int {
	size := lanes.Width * laneBytes(t)
	if t == isa.Pred {
		size = lanes.SlotPred
	}
	if bytes.Equal(a[:size], b[:size]) {
		return -1
	}
	for ; m != 0; m &= m - 1 {
		if lane := firstLane(m); !bytes.Equal(laneOf(a, t, lane), laneOf(b, t, lane)) {
			return lane
		}
	}
	return -1
}

// laneBytes returns the number of bytes of a lane in a slot of a type that is not a predicate.
func laneBytes(t isa.Type) int {
	switch bits := t.Bits(); {
	case bits > 64:
		return lanes.Slot128 / lanes.Width
	case bits > 32:
		return lanes.Slot64 / lanes.Width
	}
	return lanes.Slot32 / lanes.Width
}

// laneOf returns the bytes of a slot in a lane, the most significant one first.
func laneOf(slot []byte, t isa.Type, lane int) []byte {
	if t == isa.Pred {
		return []byte{byte(binary.LittleEndian.Uint32(slot) >> lane & 1)}
	}
	var b []byte
	if t.Bits() > 64 { // the low halves of all lanes come first
		b = slices.Concat(slot[8*lane:][:8], slot[lanes.Slot64+8*lane:][:8])
	} else {
		n := laneBytes(t)
		b = bytes.Clone(slot[n*lane:][:n])
	}
	slices.Reverse(b)
	return b
}

// regions lists the code of the instructions that a difference is about.
func (n *natives) regions(e *Engine, f *compiledFunc, m *Miscompiled) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := e.native.keyOf(e.fn, f.part)
	l, err := n.compiler.List(key.subject(e.p))
	if err != nil {
		return ""
	}
	var w strings.Builder
	if m.Lanes != lanes.AllLanes {
		w.WriteString("(The code for warps with all lanes; the code that was executed is for any lanes.)\n")
	}
	w.WriteString(l.Between(m.From, m.To))
	return w.String()
}
