package asm

import (
	"slices"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sorted"
)

// uses records which registers of a function are written, and where each is first read. In an instruction that does not
// assemble, the first operand counts as the result.
type uses struct {
	f       *isa.Func
	written []bool
	read    []isa.Pos // only valid for registers that are read
	unknown bool      // there are instructions with unknown results
}

// unwritten returns a note for each register that is read but never written, in the order of the first reads.
func (u *uses) unwritten() []*isa.Error {
	u.see(isa.RegID(len(u.f.Regs)) - 1)
	for pc := range u.f.Code {
		u.instruction(&u.f.Code[pc])
	}
	if u.unknown {
		return nil
	}
	for _, v := range slices.Concat(u.f.Params, u.f.Returns) {
		for _, id := range u.f.RegsOf([]*isa.Var{v}) {
			u.write(id)
		}
	}
	var all []*isa.Error
	for id, pos := range u.read {
		if pos.IsValid() && !u.written[id] {
			all = append(all, isa.Errorf(pos, "register %s is read, but no instruction of %s writes it", u.f.Regs[id].Name, u.f.Name))
		}
	}
	sorted.Stable(all, func(a, b *isa.Error) int { return comparePos(a.Pos, b.Pos) })
	return all
}

// see extends the tables to register id.
func (u *uses) see(id isa.RegID) {
	if n := int(id) + 1 - len(u.written); n > 0 {
		u.written, u.read = append(u.written, make([]bool, n)...), append(u.read, make([]isa.Pos, n)...)
	}
}

func (u *uses) write(id isa.RegID) {
	u.see(id)
	u.written[id] = true
}

func (u *uses) reads(id isa.RegID, at isa.Pos) {
	if id == isa.NoReg {
		return
	}
	u.see(id)
	if first := u.read[id]; !first.IsValid() || comparePos(at, first) < 0 {
		u.read[id] = at
	}
}

func (u *uses) instruction(in *isa.Instr) {
	if in.Later != "" {
		u.unknown = true
		return
	}
	if in.Spec == nil {
		return // it did not assemble
	}
	u.reads(in.Guard, in.Pos)
	formals := in.Spec.Formals()
	for i := range in.Args {
		u.operand(in, &in.Args[i], i < len(formals) && formals[i].Result)
	}
	if in.Call != nil {
		for i := range in.Call.Rets {
			u.operand(in, &in.Call.Rets[i], true)
		}
		for i := range in.Call.Args {
			u.operand(in, &in.Call.Args[i], false)
		}
	}
}

func (u *uses) operand(in *isa.Instr, op *isa.Operand, result bool) {
	switch {
	case op.Kind == isa.VecOperand || len(op.Elems) > 0:
		for i := range op.Elems {
			u.operand(in, &op.Elems[i], result)
		}
	case op.Kind == isa.RegOperand && result:
		u.write(op.Reg)
	}
	if !result || op.Kind != isa.RegOperand {
		u.reads(op.Reg, in.PosOf(op))
	}
}

// failed records the registers in the tokens of an instruction that does not assemble.
func (b *bodyAssembler) failed(tokens []lexer.Token) {
	result, depth := true, 0 // the first operand, outside of brackets
	for i := range tokens {
		t := &tokens[i]
		switch t.Type {
		case '[':
			depth++
			result = false
		case ']':
			depth--
		case ',':
			result = result && depth > 0
		}
		e := b.lookup(t.Value)
		if t.Type != wordToken || e == nil || e.kind != registerEntity {
			continue
		}
		if id := b.use(e); result && (i == 0 || tokens[i-1].Type != '@' && tokens[i-1].Type != '!') {
			b.uses.write(id)
		} else {
			b.uses.reads(id, position(t.Pos))
		}
	}
}
