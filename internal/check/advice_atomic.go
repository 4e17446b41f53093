package check

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// makeAtomic is for a load, an operation on its value and a store to the same location by several threads: a single
// atomic can replace them.
func (c *race) makeAtomic() *Advice {
	load, store := c.first, c.second
	if load.class&writes != 0 {
		load, store = store, load
	}
	if load == store { // the stores
		if load = c.r.loadBefore(store); load == nil {
			return nil
		}
	}
	if store.class&(writes|reads|strong) != writes || load.class&(writes|strong) != 0 {
		return nil
	}
	both := pair{store.index, store.index}
	if g := c.r.groups[both]; g == nil && load != c.first && load != c.second || c.r.groups[both] == nil {
		return nil
	}
	text, op := c.atomicFor(load, store)
	if text == "" {
		return nil
	}
	fn := load.fn
	return &Advice{Kind: MakeAtomic, Edits: []Edit{{fn, load.pc, true, ""}, {fn, op, true, ""}, {fn, store.pc, true, text}},
		text: c.atomicText(text, load, store, op)}
}

// loadBefore returns the nearest load from the same location before a store, in its block; nil if there is none.
func (r *Races) loadBefore(store *site) *site {
	fl := r.code(store.fn).fl
	for pc := store.pc - 1; pc >= fl.Blocks()[fl.BlockOf(store.pc)].Start; pc-- {
		s := r.byIndex[int(store.index)-store.pc+pc]
		if in := s.in(); s.class&(reads|writes) == reads && in.Spec.Kind == isa.Load && sameAddress(&in.Args[1], &store.in().Args[0]) {
			return s
		}
	}
	return nil
}

func sameAddress(a, b *isa.Operand) bool {
	return a.Kind == isa.AddrOperand && b.Kind == isa.AddrOperand && a.Reg == b.Reg && a.Bits == b.Bits && a.Sym == b.Sym
}

// atomicFor returns an atomic with the same effect as a load, one instruction after it and a store, and the PC of
// that instruction. It returns "" if there is none, or if the loaded or computed value is used elsewhere.
func (c *race) atomicFor(load, store *site) (text string, op int) {
	l, s := load.in(), store.in()
	if load.fn != store.fn || load.pc >= store.pc || l.Spec.Kind != isa.Load || l.Guard != s.Guard || l.GuardNot != s.GuardNot ||
		!sameAddress(&l.Args[1], &s.Args[0]) || l.Args[0].Kind != isa.RegOperand || s.Args[1].Kind != isa.RegOperand {
		return "", 0
	}
	old, sum := l.Args[0].Reg, s.Args[1].Reg
	op = -1
	for pc := load.pc + 1; pc < store.pc; pc++ {
		in := &load.fn.Code[pc]
		if in.Spec != nil && len(in.Args) == 3 && in.Args[0].Kind == isa.RegOperand && in.Args[0].Reg == sum && (isReg(&in.Args[1], old) || isReg(&in.Args[2], old)) {
			op = pc
		}
	}
	if op < 0 || uses(load.fn, old, []int{load.pc, op}) || uses(load.fn, sum, []int{load.pc, op, store.pc}) {
		return "", 0
	}
	in := &load.fn.Code[op]
	red := in.Reduction(l.Mods.MemSpace())
	other := in.Args[2]
	if isReg(&in.Args[2], old) {
		other = in.Args[1]
	}
	if red == "" || !c.r.unchanged(load, store, op, &other) {
		return "", 0
	}
	if isReg(&other, old) || l.Types[0].Bits() < 32 || in.Types[0].Bits() != l.Types[0].Bits() || l.Mods.VecLen() > 1 {
		return "", 0
	}
	return fmt.Sprintf("%s%s %s, %s;", load.fn.GuardText(s), red, load.fn.OperandText(&s.Args[0]), load.fn.OperandText(&other)), op
}

// unchanged reports whether a load, an operation and a store of one block have the same address and the same other
// operand, and no instruction between them changes either.
func (r *Races) unchanged(load, store *site, op int, other *isa.Operand) bool {
	fl := r.code(load.fn).fl
	if fl.BlockOf(load.pc) != fl.BlockOf(store.pc) {
		return false
	}
	address := store.in().Args[0].Reg
	for pc := load.pc; pc < store.pc; pc++ {
		in := &load.fn.Code[pc]
		if in.Spec == nil || in.Spec.Kind == isa.CallKind || in.Spec.Kind == isa.Barrier || in.Spec.Kind == isa.ClusterBarrier {
			return false
		}
		if writesAny(in, func(reg isa.RegID) bool {
			return reg == address || pc > op && isReg(other, reg) || reg == store.in().Guard
		}) {
			return false
		}
	}
	return true
}

func isReg(a *isa.Operand, r isa.RegID) bool { return a.Kind == isa.RegOperand && a.Reg == r }

// uses reports whether a register is used by instructions other than the given ones.
func uses(fn *isa.Func, reg isa.RegID, but []int) bool {
	for pc := range fn.Code {
		in := &fn.Code[pc]
		if slices.Contains(but, pc) {
			continue
		}
		if in.Spec == nil {
			return true
		}
		for ref := range in.Refs {
			if ref.Reg == reg {
				return true
			}
		}
	}
	return false
}
