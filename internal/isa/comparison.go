package isa

// Comparison is the relation of two values that makes a predicate true.
type Comparison struct {
	Op   Mod // of the group Cmp
	Type Type
	Ftz  bool
	A, B Compared
}

// Compared is a register, or a constant if Reg is NoReg.
type Compared struct {
	Reg  RegID
	Bits uint64
}

// Comparison returns the comparison that makes the first result of an instruction true; the second result, if there
// is one, is its negation. It returns false for instructions that do not compare, or have results that depend on
// another predicate, too, or have one register for both results.
func (in *Instr) Comparison() (c Comparison, ok bool) {
	if in.Later != "" || in.Spec == nil || in.Mods[Cmp] == 0 || in.Mods[BoolOp] != 0 || in.Types[0].inHalves() || len(in.Args) < 4 {
		return c, false
	}
	if q := &in.Args[1]; q.Kind == RegOperand && q.Reg == in.Args[0].Reg {
		return c, false
	}
	if f := &in.Spec.Formals()[0]; !f.Result || f.Type(in.Types, in.Mods) != Pred {
		return c, false
	}
	c = Comparison{Op: in.Mods[Cmp], Type: in.Types[0], Ftz: in.Mods[Ftz] != 0}
	a, okA := in.Args[2].compared()
	b, okB := in.Args[3].compared()
	c.A, c.B = a, b
	if c.Type.Class() != Float && (c.Op == CmpEq || c.Op == CmpNe) { // of untyped bits
		c.Type = c.Type.Element(1)
	}
	return c, okA && okB
}

// compared returns an operand of a comparison, if it is a register or a constant.
func (a *Operand) compared() (Compared, bool) {
	switch a.Kind {
	case RegOperand:
		return Compared{Reg: a.Reg}, a.Select == 0 && !a.Neg && a.Bits == 0
	case ImmOperand:
		return Compared{NoReg, a.Bits}, true
	}
	return Compared{}, false
}

// contrary has the negation of each comparison, first for integers and then for floats.
var contrary = [2]map[Mod]Mod{
	{CmpEq: CmpNe, CmpNe: CmpEq, CmpLt: CmpGe, CmpGe: CmpLt, CmpLe: CmpGt, CmpGt: CmpLe, CmpLo: CmpHs, CmpHs: CmpLo, CmpLs: CmpHi, CmpHi: CmpLs},
	{CmpEq: CmpNeu, CmpNeu: CmpEq, CmpNe: CmpEqu, CmpEqu: CmpNe, CmpLt: CmpGeu, CmpGeu: CmpLt, CmpLe: CmpGtu, CmpGtu: CmpLe,
		CmpGt: CmpLeu, CmpLeu: CmpGt, CmpGe: CmpLtu, CmpLtu: CmpGe, CmpNum: CmpNan, CmpNan: CmpNum},
}

// Not returns the comparison that holds if and only if c does not.
func (c Comparison) Not() Comparison {
	class := 0
	if c.Type.Class() == Float {
		class = 1
	}
	c.Op = contrary[class][c.Op]
	return c
}

// Holds reports whether the comparison of integers a and b is true. For floats, known is false.
func (c Comparison) Holds(a, b uint64) (holds, known bool) {
	t := c.Type
	if t.Class() == Float || t.Bits() > 64 {
		return false, false
	}
	spare := 64 - t.Bits()
	a, b = a<<spare, b<<spare
	less := a < b
	if t.Class() == Signed && c.Op <= CmpGe {
		less = int64(a) < int64(b)
	}
	switch c.Op {
	case CmpEq:
		return a == b, true
	case CmpNe:
		return a != b, true
	case CmpLt, CmpLo:
		return less, true
	case CmpLe, CmpLs:
		return less || a == b, true
	case CmpGt, CmpHi:
		return !less && a != b, true
	case CmpGe, CmpHs:
		return !less, true
	}
	return false, false
}
