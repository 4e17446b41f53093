package hazard

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// values finds the values of registers, as affine forms, on demand: it follows the definitions that reach a place,
// and makes a phi where several meet. (Braun et al., "Simple and Efficient Construction of Static Single Assignment
// Form", 2013, construct SSA form in this way.)
type values struct {
	f       *isa.Func
	g       *flow.Graph
	heads   []bool    // by block: it is the head of a loop
	defs    [][]int32 // by register: the PCs that write it, ascending
	symbols []symbolInfo
	byKey   map[string]symbol
	entries memo             // values of registers at the starts of blocks
	results memo             // values of registers after instructions
	params  map[string]int64 // offsets of parameters
	phis    []symbol
	steps   int // steps taken; after mostSteps every value is opaque
	depth   int // calls of result and merged that have not returned; beyond mostDepth a value is opaque
}

// Limits of the work on the values of one function. mostDepth keeps the stack within some megabytes: a chain of
// definitions is followed by recursion, about a kilobyte for each.
const (
	mostSteps = 1 << 17
	mostDepth = 1 << 12
)

// tooFar reports whether one more step would exceed a limit, and counts it.
func (v *values) tooFar() bool {
	v.steps++
	return v.steps > mostSteps || v.depth > mostDepth
}

func newValues(f *isa.Func, g *flow.Graph) *values {
	v := &values{f: f, g: g, heads: g.LoopHeads(), defs: make([][]int32, len(f.Regs)), byKey: make(map[string]symbol), params: make(map[string]int64)}
	v.add(symbolInfo{kind: unit})
	for pc := range f.Code {
		for ref := range f.Code[pc].Refs {
			if d := v.defs[ref.Reg]; ref.Role.Writes() && (len(d) == 0 || d[len(d)-1] != int32(pc)) {
				v.defs[ref.Reg] = append(d, int32(pc))
			}
		}
	}
	offsets, _ := f.ParamLayout()
	for i, p := range f.Params {
		v.params[p.Name] = offsets[i]
	}
	return v
}

// before returns the value of a register before the instruction at pc.
func (v *values) before(pc int, r isa.RegID) *affine {
	b := v.g.BlockOf(pc)
	if d := v.lastDef(r, v.g.Blocks()[b].Start, pc); d >= 0 {
		return v.result(d, r)
	}
	return v.atEntry(b, r)
}

// lastDef returns the last instruction from start up to, but not including, end that writes a register; -1 if there
// is none.
func (v *values) lastDef(r isa.RegID, start, end int) int {
	defs := v.defs[r]
	i, _ := slices.BinarySearch(defs, int32(end))
	if i == 0 || int(defs[i-1]) < start {
		return -1
	}
	return int(defs[i-1])
}

// atEntry returns the value of a register at the start of a block. Blocks that are entered from one other only are
// passed in a loop, because there may be long chains of them.
func (v *values) atEntry(b int, r isa.RegID) *affine {
	start, passed := b, 0 // blocks from which the loop has gone on
	value := v.entries.at(b, r)
	for value == nil {
		if v.tooFar() {
			value = v.unknown()
			break
		}
		from, ok := v.onlyPredecessor(b)
		if !ok {
			value = v.merged(b, r)
			break
		}
		passed++
		block := &v.g.Blocks()[from]
		if d := v.lastDef(r, block.Start, block.End); d >= 0 {
			value = v.result(d, r)
			break
		}
		b = from
		value = v.entries.at(b, r)
	}
	for at := start; passed > 0; passed-- {
		v.entries.set(at, r, value)
		at, _ = v.onlyPredecessor(at)
	}
	return value
}

// onlyPredecessor returns the block from which alone one is entered; false if there is none, or another way in.
func (v *values) onlyPredecessor(b int) (from int, ok bool) {
	if preds := v.g.Blocks()[b].Pred; b != 0 && len(preds) == 1 {
		return preds[0], true
	}
	return 0, false
}

// merged returns the value of a register at the start of a block in which paths meet, or the function begins.
func (v *values) merged(b int, r isa.RegID) *affine {
	preds := v.g.Blocks()[b].Pred
	if b == 0 && len(preds) == 0 {
		return v.initial(r)
	}
	s := v.add(symbolInfo{kind: phi, block: int32(b), loop: v.heads[b]})
	self := of(s)
	v.entries.set(b, r, self)
	v.depth++
	defer func() { v.depth-- }()
	parts := make([]*affine, 0, len(preds)+1)
	if b == 0 {
		parts = append(parts, v.initial(r))
	}
	for _, p := range preds {
		parts = append(parts, v.atEnd(p, r))
	}
	v.symbols[s].parts = parts
	v.phis = append(v.phis, s)
	v.simplify(s)
	return self
}

// atEnd returns the value of a register at the end of a block.
func (v *values) atEnd(b int, r isa.RegID) *affine {
	block := &v.g.Blocks()[b]
	if d := v.lastDef(r, block.Start, block.End); d >= 0 {
		return v.result(d, r)
	}
	return v.atEntry(b, r)
}

// initial returns the value of a register at the start of the function: 0 in a kernel.
func (v *values) initial(r isa.RegID) *affine {
	if v.f.Entry {
		return constant(0)
	}
	return of(v.named(fmt.Sprint("in ", r), symbolInfo{kind: same, block: -1, apart: true}))
}

// unknown returns a value about which nothing is known.
func (v *values) unknown() *affine { return of(v.add(symbolInfo{kind: own, block: -1, apart: true})) }

// simplify determines whether a phi has the same value on all paths, or grows by a step in each pass of a loop.
func (v *values) simplify(s symbol) bool {
	info := &v.symbols[s]
	if info.is != nil {
		return false
	}
	self := of(s)
	var init, step *affine
	for _, p := range info.parts {
		p = v.resolved(p)
		diff := p.plus(self, -1)
		switch {
		case p.equal(self):
		case !slices.ContainsFunc(diff.terms, func(t term) bool { return v.mentions(t.sym, s, 8) }) && slices.ContainsFunc(p.terms, func(t term) bool { return t.sym == s }):
			if step != nil && !step.equal(diff) {
				return false
			}
			step = diff
		case init == nil:
			init = p
		case !init.equal(p):
			return false
		}
	}
	if init == nil || slices.ContainsFunc(init.terms, func(t term) bool { return v.mentions(t.sym, s, 8) }) {
		return false
	}
	if step == nil {
		v.symbols[s].is = init
		return true
	}
	if step.indexed() || !info.loop {
		return false
	}
	block := info.block
	count := v.named(fmt.Sprint("iterations ", block), symbolInfo{kind: iterations, block: block})
	v.symbols[s].is = init.plus(v.multiply(step, of(count)), 1)
	return true
}

// mentions reports whether a symbol depends on another one.
func (v *values) mentions(s, other symbol, depth int) bool {
	if s == other || depth == 0 {
		return true
	}
	info := &v.symbols[s]
	if info.kind == phi && info.is == nil {
		return false // a value of its own
	}
	parts := info.parts
	if info.is != nil {
		parts = []*affine{info.is}
	}
	for _, p := range parts {
		for _, t := range p.terms {
			if v.mentions(t.sym, other, depth-1) {
				return true
			}
		}
	}
	return false
}

// settle simplifies phis until nothing changes: simplifying one may allow to simplify others.
func (v *values) settle() {
	for changed, rounds := true, 0; changed && rounds < 8; rounds++ {
		changed = false
		for _, s := range v.phis {
			changed = v.simplify(s) || changed
		}
	}
}

// address is the address of an operand of the instruction at pc.
func (v *values) address(pc int, a *isa.Operand) *affine {
	at := constant(int64(a.Bits))
	if a.Sym != "" {
		at = at.plus(v.variable(a.Sym), 1)
	}
	if a.Reg != isa.NoReg {
		at = at.plus(v.before(pc, a.Reg), 1)
	}
	return at
}

func (v *values) variable(name string) *affine {
	return of(v.named("variable "+name, symbolInfo{kind: variable, block: -1}))
}
