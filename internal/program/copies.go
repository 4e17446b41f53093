package program

import "github.com/simtrun/simtrun/internal/isa"

// copies are the registers of a function that only ever hold a copy of a value that does not change while the
// function runs: a constant, an address, a special register other than a clock, a kernel's parameter, or another such
// register. Such a register shares the read-only slot of its source, and the instruction that makes the copy does
// nothing but is counted. This is copy propagation (Aho, Lam, Sethi and Ullman, Compilers, 2006, 9.1.5) without data
// flow: the instruction is the only one that sets the register, and no path reads it before. Compilers write many
// copies, because PTX operands are not expressions, and every parameter is loaded.
type copies struct {
	regs  []bool // by isa.RegID: it is a copy
	moves []bool // by PC: the instruction makes a copy
}

func (p *Program) findCopies(f *Func) copies {
	c := copies{make([]bool, len(f.Src.Regs)), make([]bool, len(f.Src.Code))}
	writes := f.countWrites()
	for pc := range f.Src.Code {
		in := &f.Src.Code[pc]
		if f.moves(in) && writes[in.Args[0].Reg] == 1 && p.copiesFixed(f, in, c.regs) {
			c.regs[in.Args[0].Reg], c.moves[pc] = true, true
		}
	}
	return c
}

// moves reports whether the instruction does nothing but copy its source to a register.
func (f *Func) moves(in *isa.Instr) bool {
	if in.Spec == nil || in.Later != "" || in.Guard != isa.NoReg || len(in.Args) < 2 || in.Args[0].Kind != isa.RegOperand {
		return false
	}
	t := in.Types[0]
	same := in.Spec.Copies != nil && in.Spec.Copies(in) && t != isa.Pred
	return f.loadsParam(in) || same && f.bits(&in.Args[0], t) == t.Bits()
}

// copiesFixed reports whether the source of a move does not change, given the registers that are known to be copies.
func (p *Program) copiesFixed(f *Func, in *isa.Instr, copies []bool) bool {
	if f.loadsParam(in) {
		return true
	}
	a, t := &in.Args[1], in.Types[0]
	switch a.Kind {
	case isa.RegOperand:
		return copies[a.Reg] && f.bits(a, t) == t.Bits()
	case isa.SpecialOperand:
		return !a.Special.IsClock() && a.Special.Type().Bits() > 32 == (t.Bits() > 32)
	case isa.SymOperand:
		_, opaque := f.opaqueParam(a.Sym)
		_, err := p.symbol(f, a.Sym)
		return err == nil && !opaque
	}
	return a.Kind == isa.ImmOperand
}

// countWrites counts the instructions that write each register. A register that holds an argument or a result of the
// function, or may be read before it is written, counts one more.
func (f *Func) countWrites() []int {
	writes := make([]int, len(f.Src.Regs))
	for pc := range f.Src.Code {
		for _, ref := range f.Graph.Refs(pc) {
			if ref.Role.Writes() {
				writes[ref.Reg]++
			}
		}
	}
	for _, ids := range [...][]isa.RegID{f.LiveIn, f.Src.RegsOf(f.Src.Params), f.Src.RegsOf(f.Src.Returns)} {
		for _, id := range ids {
			writes[id]++
		}
	}
	return writes
}

// shareCopies gives each copy in f the slot of its source.
func (p *Program) shareCopies(f *Func) {
	l := lowering{p: p, f: f, info: new(Info)}
	for pc, moves := range f.copies.moves {
		if !moves {
			continue
		}
		l.in = &f.Src.Code[pc]
		d, t := &l.in.Args[0], l.in.Types[0]
		if f.loadsParam(l.in) {
			f.Layout.share(d.Reg, l.paramSlot().Off)
			continue
		}
		off, err := l.slot(&l.in.Args[1], t, t.Bits() > 32)
		if err != nil {
			panic("simtrun bug: a copy of an unknown symbol: " + err.Error())
		}
		f.Layout.share(d.Reg, off)
	}
}
