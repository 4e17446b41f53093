package isa

import "github.com/simtrun/simtrun/internal/lanes"

// bits3 is the Exec of logic on predicates and untyped words.
func bits3(pred, w32, w64 lanes.Func) Exec {
	return Exec{Pred: pred, B16: w32, B32: w32, B64: w64}
}

var bitSpecs = []*Spec{
	{Name: "and", Mods: "type", Form: "d, a, b", Needs: "1", Facts: Facts{Spread: Spread{Rule: SpreadLogic, Table: 0xc0}, Arith: ArithAnd, AtomOp: AtomAnd}, Lower: Lower{code: plainly(&andWords)}, Doc: "d = a & b.",
		Cost: on(ALU).of(OpLogic).becomes(when(OfType(B64)).then("2 integer"), otherwise(Own)),
		Exec: bits3(lanes.AndPred, lanes.And[uint32], lanes.And[uint64])},
	{Name: "or", Mods: "type", Form: "d, a, b", Needs: "1", Facts: Facts{Spread: Spread{Rule: SpreadLogic, Table: 0xfc}, Arith: ArithOr, AtomOp: AtomOr}, Lower: Lower{code: plainly(&orWords)}, Doc: "d = a | b.",
		Cost: on(ALU).of(OpLogic).becomes(when(OfType(B64)).then("2 integer"), otherwise(Own)),
		Exec: bits3(lanes.OrPred, lanes.Or[uint32], lanes.Or[uint64])},
	{Name: "xor", Mods: "type", Form: "d, a, b", Needs: "1", Lower: Lower{code: plainly(&xorWords)}, Facts: Facts{Spread: Spread{Rule: SpreadLogic, Table: 0x3c}, AtomOp: AtomXor}, Doc: "d = a ^ b.",
		Cost: on(ALU).of(OpLogic).becomes(when(OfType(B64)).then("2 integer"), otherwise(Own)),
		Exec: bits3(lanes.XorPred, lanes.Xor[uint32], lanes.Xor[uint64])},
	{Name: "not", Facts: Facts{Spread: Spread{Rule: SpreadLogic, Table: 0x0f}}, Mods: "type", Form: "d, a", Needs: "1", Lower: Lower{code: plainly(&notCodes)}, Doc: "d = ~a.",
		Cost: on(ALU).of(OpComplement).becomes(when(OfType(B64)).then("2 integer"), otherwise(Own)),
		Exec: Exec{Pred: lanes.NotPred, B16: lanes.Not[uint16, uint32], B32: lanes.Not[uint32, uint32], B64: lanes.Not[uint64, uint64]}},
	{Name: "cnot", Mods: "type", Form: "d, a", Needs: "1", Lower: Lower{code: plainly(&cnotCodes)}, Doc: "d = 1 if a is 0, else 0.",
		Cost: on(ALU).becomes(
			when(OfType(B16)).then("integer > integer > integer > integer"),
			when(OfType(B32)).then("integer > integer > integer"),
			when(OfType(B64)).then("integer > integer > integer > integer, integer")),
		Exec: Exec{B16: lanes.Cnot[uint32], B32: lanes.Cnot[uint32], B64: lanes.Cnot[uint64]}},
	{Name: "lop3", Facts: Facts{Spread: Spread{Rule: SpreadTable}}, Mods: "[bool] type", Form: "d|q:pred, a, b, c, i:imm, ?e:pred", Needs: "4.3 sm_50; and/or/xor 8.2 sm_70", Cost: on(ALU),
		Lower:    Lower{code: lop3Code},
		Doc:      "Each bit of d is the entry of truth table i that the bits of a, b and c select. For a function f, i is f(0xF0, 0xCC, 0xAA). q = (d != 0) bool e.",
		examples: []string{"lop3.b32 %r1, %r2, %r3, %r4, 0x96;"},
		Bind: func(v *Variant) lanes.Func {
			if v.Type() != B32 || v.Mods[BoolOp] == BoolXor {
				return nil
			}
			return [...]lanes.Func{lanes.Lop3, BoolAnd: lanes.Lop3And, BoolOr: lanes.Lop3Or}[v.Mods[BoolOp]]
		},
		Check: func(in *Instr) string {
			if has := in.Args[1].Kind != NoOperand; has != (in.Mods[BoolOp] != 0) {
				return "a second result q goes with .and or .or, and these with it"
			}
			if in.Args[5].Bits > 0xff {
				return "a truth table of three inputs has 8 bits: 0 to 255"
			}
			return booleanArg(6)(in)
		}},
	{Name: "shl", Mods: "type", Form: "d, a, b:u32", Needs: "1", Facts: Facts{Spread: Spread{Rule: SpreadMoves, Controls: "b"}, Arith: ArithShiftLeft}, Doc: "d = a << b, or 0 if b is the width of the type or more.",
		Cost: on(ALU).of(OpShift).becomes(
			when(OfType(B16), Constant(2)).then("integer"),
			when(OfType(B16), Not(Constant(2))).then("integer > integer > integer > integer"),
			when(OfType(B64)).then("integer > integer"),
			otherwise(Own)),
		examples: []string{"shl.b32 %r1, %r2, 2;"},
		Lower:    Lower{code: plainly(&shlCodes)},
		Exec:     Exec{B16: lanes.Shl[uint16, uint32], B32: lanes.Shl[uint32, uint32], B64: lanes.Shl[uint64, uint64]}},
	{Name: "shr", Mods: "type", Form: "d, a, b:u32", Needs: "1", Facts: Facts{Spread: Spread{Rule: SpreadMoves, Controls: "b"}, Arith: ArithShiftRight, Shrinks: shiftShrinks},
		Cost: on(ALU).becomes(
			when(OfType(B16, U16), Constant(2)).then("integer"),
			when(OfType(S16), Constant(2)).then("integer > integer"),
			when(OfType(B16, U16), Not(Constant(2))).then("integer > integer > integer > integer"),
			when(OfType(S16), Not(Constant(2))).then("integer > integer > integer > integer > integer"),
			when(bits64).then("integer > integer"),
			otherwise(Own)),
		Doc:      "d = a >> b. The upper bits are filled with the sign if the type is signed, else with 0. If b is the width of the type or more, all bits are filled.",
		examples: []string{"shr.u32 %r1, %r2, 2;", "shr.s32 %r1, %r2, 31;"},
		Lower:    Lower{code: plainly(&shrCodes)},
		Exec: Exec{B16: lanes.Shr[uint16, uint32], B32: lanes.Shr[uint32, uint32], B64: lanes.Shr[uint64, uint64],
			U16: lanes.Shr[uint16, uint32], U32: lanes.Shr[uint32, uint32], U64: lanes.Shr[uint64, uint64],
			S16: lanes.Shr[int16, uint32], S32: lanes.Shr[int32, uint32], S64: lanes.Shr[int64, uint64]}},
	{Name: "shf", Facts: Facts{Spread: Spread{Rule: SpreadMoves, Controls: "c"}}, Mods: "dir shf type", Form: "d, a, b, c:u32", Needs: "3.1 sm_32", Cost: on(ALU),
		Lower:    Lower{code: shfCode},
		Doc:      "d = the high word of b:a << n with .l, the low word of b:a >> n with .r. n is c, clamped to 32 with .clamp, taken modulo 32 with .wrap.",
		examples: []string{"shf.l.wrap.b32 %r1, %r2, %r3, 7;"},
		Bind: func(v *Variant) lanes.Func {
			if v.Type() != B32 {
				return nil
			}
			switch [2]Mod{v.Mods[ShfDir], v.Mods[ShfMode]} {
			case [2]Mod{ShfL, ShfClamp}:
				return lanes.ShfL
			case [2]Mod{ShfL, ShfWrap}:
				return lanes.ShfLWrap
			case [2]Mod{ShfR, ShfClamp}:
				return lanes.ShfR
			}
			return lanes.ShfRWrap
		}},
	{Name: "popc", Mods: "type", Form: "d:u32, a", Needs: "2.0 sm_20", Lower: Lower{code: plainly(&popcCodes)}, Doc: "d = the number of ones in a.",
		Cost: on(XU, CostBitCount).becomes(when(OfType(B64)).then("2 bit_count > integer"), otherwise(Own)),
		Exec: Exec{B32: lanes.Popc[uint32], B64: lanes.Popc[uint64]}},
	{Name: "clz", Mods: "type", Form: "d:u32, a", Needs: "2.0 sm_20", Lower: Lower{code: plainly(&clzCodes)}, Doc: "d = the number of zeros above the highest 1 in a.",
		Cost: on(XU, CostBitCount).becomes(when(OfType(B32)).then("bit_count > integer"), when(OfType(B64)).then("integer > integer > bit_count > integer > integer, integer")),
		Exec: Exec{B32: lanes.Clz[uint32], B64: lanes.Clz[uint64]}},
	{Name: "brev", Facts: Facts{Spread: Spread{Rule: SpreadMoves}}, Mods: "type", Form: "d, a", Needs: "2.0 sm_20", Lower: Lower{code: plainly(&brevCodes)}, Doc: "d = a with its bits in reverse order.",
		Cost: on(XU, CostBitCount).becomes(when(OfType(B64)).then("2 bit_count"), otherwise(Own)),
		Exec: Exec{B32: lanes.Brev[uint32], B64: lanes.Brev[uint64]}},
	{Name: "bfind", Mods: "[shiftamt] type", Form: "d:u32, a", Needs: "2.0 sm_20",
		Cost: on(XU, CostBitCount).becomes(
			when(OfType(U64), Not(With(Shiftamt))).then("warp_sync, integer > branch, bit_count, bit_count > integer, warp_sync"),
			when(OfType(S64), Not(With(Shiftamt))).then("warp_sync, integer > branch > integer, warp_sync > branch, branch, 2 bit_count > bit_count > integer, 2 warp_sync"),
			when(OfType(U64), With(Shiftamt)).then("2 bit_count, integer, integer > integer > integer, product"),
			when(OfType(S64), With(Shiftamt)).then("warp_sync, integer > branch > 3 bit_count, branch, 2 integer > integer > integer, product, warp_sync"),
			otherwise(Own)),
		Lower: Lower{code: bfindCode},
		Doc:   "d = the position of the highest bit of a that is 1 or, for a negative a of a signed type, 0; 0xffffffff if there is none. With .shiftamt, d is the left shift that moves this bit to the highest position.",
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Shiftamt] != 0 {
				return Exec{U32: lanes.BfindShift[uint32, uint32], S32: lanes.BfindShift[int32, uint32],
					U64: lanes.BfindShift[uint64, uint64], S64: lanes.BfindShift[int64, uint64]}[v.Type()]
			}
			return Exec{U32: lanes.Bfind[uint32, uint32], S32: lanes.Bfind[int32, uint32],
				U64: lanes.Bfind[uint64, uint64], S64: lanes.Bfind[int64, uint64]}[v.Type()]
		}},
	{Name: "bfe", Facts: Facts{Spread: Spread{Rule: SpreadMoves, Controls: "bc"}}, Mods: "type", Form: "d, a, b:u32, c:u32", Needs: "2.0 sm_20",
		Cost: on(ALU).becomes(
			when(int32s, Constant(2, 3)).then("integer > integer"),
			when(int32s, Not(Constant(2, 3))).then("3 integer > integer > integer"),
			when(OfType(U64), Constant(2, 3)).then("integer, integer > integer"),
			when(OfType(S64), Constant(2, 3)).then("3 integer > integer > integer > integer, integer"),
			when(OfType(U64), Not(Constant(2, 3))).then("2 integer, integer, integer > integer, integer > integer, integer"),
			when(OfType(S64), Not(Constant(2, 3))).then("4 integer > integer > integer, integer > integer, integer > integer > integer > integer > integer, 3 integer")),
		Lower:    Lower{code: plainly(&bfeCodes)},
		Doc:      "d = the bit field of a that begins at bit b and has c bits. A signed type extends its sign.",
		examples: []string{"bfe.u32 %r1, %r2, 8, 4;"},
		Exec: Exec{U32: lanes.Bfe[uint32, uint32], S32: lanes.Bfe[int32, uint32],
			U64: lanes.Bfe[uint64, uint64], S64: lanes.Bfe[int64, uint64]}},
	{Name: "bfi", Facts: Facts{Spread: Spread{Rule: SpreadMoves, Controls: "ce"}}, Mods: "type", Form: "d, a, b, c:u32, e:u32", Needs: "2.0 sm_20",
		Cost: on(ALU).becomes(
			when(OfType(B32), Constant(3, 4)).then("integer > integer"),
			when(OfType(B32), Not(Constant(3, 4))).then("3 integer > integer, integer > integer"),
			when(OfType(B64), Constant(3, 4)).then("integer, integer > 3 integer"),
			when(OfType(B64), Not(Constant(3, 4))).then("3 integer, 3 integer > integer, integer > 4 integer")),
		Lower:    Lower{code: plainly(&bfiCodes)},
		Doc:      "d = b, where the low e bits of a replace the bits from bit c on.",
		examples: []string{"bfi.b32 %r1, %r2, %r3, 8, 4;"},
		Exec:     Exec{B32: lanes.Bfi[uint32], B64: lanes.Bfi[uint64]}},
	{Name: "bmsk", Mods: "shf type", Form: "d, a:u32, b:u32", Needs: "7.6 sm_70", Cost: on(ALU),
		Lower: Lower{code: bmskCode},
		Doc:   "d = a mask of b ones from bit a on. Both are clamped to 32 with .clamp, taken modulo 32 with .wrap.",
		Exec:  Exec{B32: lanes.Bmsk},
		Imm:   wrapImm},
	{Name: "szext", Mods: "shf type", Form: "d, a, b:u32", Needs: "7.6 sm_70", Cost: on(ALU),
		Lower: Lower{code: szextCode},
		Doc:   "d = the low n bits of a, extended by their sign if the type is signed. n is b, clamped to 32 with .clamp, taken modulo 32 with .wrap.",
		Exec:  Exec{U32: lanes.Szext[uint32], S32: lanes.Szext[int32]},
		Imm:   wrapImm},
	{Name: "fns", Mods: "type", Form: "d, a, b:b32, c:s32", Needs: "6.0 sm_30",
		Cost: on(XU, CostBitCount).as("10 integer, 4 bit_count > 10 integer > 10 integer > 10 integer, 3 branch, bit_count > 3 integer, 2 warp_sync"),
		Doc:  "d = the position of the c-th 1 in a from bit b upwards, or downwards if c is negative; 0xffffffff if there is none. If c is 0, only bit b counts.",
		Exec: Exec{B32: lanes.Fns}},
	{Name: "prmt", Facts: Facts{Spread: Spread{Rule: SpreadMoves, Controls: "c"}}, Mods: "type [prmt]", Form: "d, a, b, c", Needs: "2.0 sm_20", Cost: on(ALU),
		Lower: Lower{code: prmtCode},
		Doc: "d = four of the eight bytes of a (0 to 3) and b (4 to 7). The lowest four nibbles of c select them, the lowest nibble for the lowest byte. Bit 3 of a nibble replaces the byte by eight copies of its sign bit. " +
			"With a mode, the low two bits of c select the four bytes.",
		Exec: Exec{B32: lanes.Prmt},
		Imm:  func(v *Variant) uint64 { return uint64(v.Mods[PrmtMode]) }},
}

// wrapImm is the mask for a count under .wrap; 0 under .clamp.
func wrapImm(v *Variant) uint64 {
	if v.Mods[ShfMode] == ShfWrap {
		return 31
	}
	return 0
}
