package isa

import "github.com/simtrun/simtrun/internal/lanes/jit"

// The templates of bits.
var (
	notCodes = func() codes {
		c := notWords
		c[B16] = unaryCode(func(e *jit.Emit, d, a jit.Val) { e.XorConst(d, a, 1<<16-1) })
		return c
	}()
	cnotCodes = forTypes(unaryCode((*jit.Emit).IsZero), B16, B32, B64)

	shlCodes = func() codes {
		c := shlWords
		c[B16] = &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
			e.ShiftLeft(o.D, o.A, o.B)
			e.AndConst(o.D, o.D, 1<<16-1)
		}, Known: func(e *jit.Emit, o *jit.Operands, n uint64) {
			e.ShiftLeftBy(o.D, o.A, shiftCount(n))
			e.AndConst(o.D, o.D, 1<<16-1)
		}}
		return c
	}()
	shrCodes = func() codes {
		c := shrWords
		c[B16] = c[B32]
		c[U16] = c[B32]
		c[S64] = c[S32]
		c[S16] = binaryCode(func(e *jit.Emit, d, a, n jit.Val) {
			t := e.Temp(32)
			e.SignExtend(t, a, 16)
			e.ShiftRight(d, t, n, true)
			e.AndConst(d, d, 1<<16-1)
		})
		return c
	}()

	popcCodes = forTypes(unaryCode((*jit.Emit).CountOnes), B32, B64)
	clzCodes  = forTypes(unaryCode((*jit.Emit).LeadingZeros), B32, B64)
	brevCodes = forTypes(unaryCode((*jit.Emit).Reverse), B32, B64)
	bfeCodes  = codes{U32: bfeCode(false), U64: bfeCode(false), S32: bfeCode(true), S64: bfeCode(true)}
	bfiCodes  = forTypes(&jit.Template{Body: func(e *jit.Emit, o *jit.Operands) { e.Insert(o.D, o.A, o.B, o.C, o.E) }}, B32, B64)
)

func bfeCode(signed bool) *jit.Template {
	return ternaryCode(func(e *jit.Emit, d, a, pos, n jit.Val) { e.Extract(d, a, pos, n, signed) })
}

func bfindCode(v *Variant) *jit.Template {
	signed, shift := v.Type().Class() == Signed, v.Mods[Shiftamt] != 0
	return unaryCode(func(e *jit.Emit, d, a jit.Val) { e.HighestBit(d, a, signed, shift) })
}

func bmskCode(v *Variant) *jit.Template {
	wrap := v.Mods[ShfMode] == ShfWrap
	return binaryCode(func(e *jit.Emit, d, a, b jit.Val) { e.Mask(d, a, b, wrap) })
}

func szextCode(v *Variant) *jit.Template {
	wrap, signed := v.Mods[ShfMode] == ShfWrap, v.Type().Class() == Signed
	return binaryCode(func(e *jit.Emit, d, a, b jit.Val) { e.ExtendLow(d, a, b, wrap, signed) })
}

func shfCode(v *Variant) *jit.Template {
	wrap, left := v.Mods[ShfMode] == ShfWrap, v.Mods[ShfDir] == ShfL
	t := ternaryCode(func(e *jit.Emit, d, a, b, n jit.Val) {
		if left {
			e.FunnelLeft(d, a, b, n, wrap)
		} else {
			e.FunnelRight(d, a, b, n, wrap)
		}
	})
	t.Known = func(e *jit.Emit, o *jit.Operands, n uint64) {
		by := min(uint32(n), 32)
		if wrap {
			by = uint32(n) % 32
		}
		if !left {
			by = 32 - by
		}
		e.FunnelLeftBy(o.D, o.A, o.B, uint8(by))
	}
	return t
}

// lop3Code is lop3, with or without a predicate of the result. The Op's constant is its table.
func lop3Code(v *Variant) *jit.Template {
	op := v.Mods[BoolOp]
	return &jit.Template{Body: func(e *jit.Emit, o *jit.Operands) {
		e.Logic(o.D, o.A, o.B, o.C, uint8(o.Op.Imm))
		switch {
		case op == 0 || o.D2.Bits == 0:
		case op == BoolAnd:
			e.NotZero(o.D2, o.D)
			e.And(o.D2, o.D2, o.E)
		default:
			e.NotZero(o.D2, o.D)
			e.Or(o.D2, o.D2, o.E)
		}
	}}
}

func prmtCode(v *Variant) *jit.Template {
	mode := v.Mods[PrmtMode]
	if mode == 0 {
		return ternaryCode((*jit.Emit).Permute)
	}
	return ternaryCode(func(e *jit.Emit, d, a, b, c jit.Val) { e.PermuteMode(d, a, b, c, prmtSelectors[mode]) })
}

// prmtSelectors are the selectors that a special mode stands for, by the low two bits of c (PTX ISA 9.7.9.7).
var prmtSelectors = [...][4]uint32{
	1: {0x3210, 0x4321, 0x5432, 0x6543}, // .f4e
	2: {0x5670, 0x6701, 0x7012, 0x0123}, // .b4e
	3: {0x0000, 0x1111, 0x2222, 0x3333}, // .rc8
	4: {0x3210, 0x3211, 0x3222, 0x3333}, // .ecl
	5: {0x0000, 0x1110, 0x2210, 0x3210}, // .ecr
	6: {0x1010, 0x3232, 0x1010, 0x3232}, // .rc16
}
