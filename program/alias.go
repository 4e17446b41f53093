package program

import (
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
)

// alias lets registers share the read-only slots that they are copies of: a
// register that one instruction sets, always to a constant, a special register,
// a kernel's parameter or such a register, and that is never read before. That
// instruction then has nothing left to do, but counts. Compilers write many of
// them: PTX operands are no expressions, and every parameter is loaded.
//
// Somebody who looks at registers between instructions would see what has not
// been set yet, and could not set it; a launch that is to be looked into has no
// aliases.
func (p *Program) alias(f *Func) {
	sets := f.sets()
	shared := make([]bool, len(f.Src.Regs))
	l := lowering{p: p, f: f, op: new(lanes.Op), info: new(Info)} // the latter two are for nothing
	for pc := range f.Src.Code {
		l.in = &f.Src.Code[pc]
		if !l.copies() || sets[l.in.Args[0].Reg] != 1 {
			continue
		}
		if off, ok := l.source(shared); ok {
			d := l.in.Args[0].Reg
			f.Layout.Share(d, off)
			shared[d], f.aliased[pc] = true, true
		}
	}
}

// copies reports whether the instruction makes a register a copy of its source.
func (l *lowering) copies() bool {
	in := l.in
	if in.Spec == nil || in.Later != "" || in.Guard != isa.NoReg || len(in.Args) < 2 || in.Args[0].Kind != isa.RegOperand {
		return false
	}
	same := in.Spec.Copies != nil && in.Spec.Copies(in) && in.Types[0] != isa.Pred
	return l.loadsParam() || same && l.bits(&in.Args[0], in.Types[0]) == in.Types[0].Bits()
}

// source is the slot that an instruction copies, if it is read-only.
func (l *lowering) source(shared []bool) (off uint32, ok bool) {
	if l.loadsParam() {
		return l.paramSlot().Off, true
	}
	a, t := &l.in.Args[1], l.in.Types[0]
	wide := t.Bits() > 32
	switch a.Kind {
	case isa.RegOperand:
		ok = shared[a.Reg] && l.bits(a, t) == t.Bits()
	case isa.SpecialOperand:
		ok = !a.Special.IsClock() && a.Special.Type().Bits() > 32 == wide
	case isa.ImmOperand, isa.SymOperand:
		ok = true
	}
	if !ok {
		return 0, false
	}
	off, err := l.slot(a, t, wide)
	return off, err == nil
}

// sets is how many instructions set each register. Those that hold an argument
// or a result of the function, or may be read before they are set, count as set
// once more.
func (f *Func) sets() []int {
	sets := make([]int, len(f.Src.Regs))
	for pc := range f.Src.Code {
		for ref := range f.Src.Code[pc].Refs {
			if ref.Role.Writes() {
				sets[ref.Reg]++
			}
		}
	}
	for _, r := range f.LiveIn {
		sets[r]++
	}
	for _, id := range passedRegs(f.Src) {
		sets[id]++
	}
	return sets
}
