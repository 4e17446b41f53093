package lanes

// compareFloat is the set of lanes for which a cmp b holds.
func compareFloat[T float](cmp Comparison, a, b *[Width]T) Mask {
	switch cmp {
	case Eq:
		return where(a, b, func(x, y T) bool { return x == y })
	case Ne: // false for NaN, unlike Neu
		return where(a, b, func(x, y T) bool { return x < y || x > y })
	case Lt:
		return where(a, b, func(x, y T) bool { return x < y })
	case Le:
		return where(a, b, func(x, y T) bool { return x <= y })
	case Gt:
		return where(a, b, func(x, y T) bool { return x > y })
	case Ge:
		return where(a, b, func(x, y T) bool { return x >= y })
	case Num:
		return where(a, b, func(x, y T) bool { return x == x && y == y })
	case Equ:
		return ^compareFloat(Ne, a, b)
	case Neu:
		return ^compareFloat(Eq, a, b)
	case Ltu:
		return ^compareFloat(Ge, a, b)
	case Leu:
		return ^compareFloat(Gt, a, b)
	case Gtu:
		return ^compareFloat(Le, a, b)
	case Geu:
		return ^compareFloat(Lt, a, b)
	}
	return ^compareFloat(Num, a, b)
}

// compareF32 is the set of lanes, among all 32, in which the Comparison in the low byte of in.Imm holds for a and b.
// It honours FTZ.
func compareF32(f *File, in *Op) Mask {
	a, b := Reg[float32](f, in.A), Reg[float32](f, in.B)
	if in.Mode&FTZ != 0 {
		var x, y [Width]float32
		flushLanesF32(&x, a)
		flushLanesF32(&y, b)
		return compareFloat(Comparison(in.Imm), &x, &y)
	}
	return compareFloat(Comparison(in.Imm), a, b)
}

// compareF64 is compareF32 for .f64.
func compareF64(f *File, in *Op) Mask {
	return compareFloat(Comparison(in.Imm), Reg[float64](f, in.A), Reg[float64](f, in.B))
}

// compareF16 is compareF32 for .f16.
func compareF16(f *File, in *Op) Mask { return compareHalves(f, in, 0) }

// compareHalves is compareF16 for the half of each register at bit shift.
func compareHalves(f *File, in *Op, shift uint) Mask {
	var x, y [Width]float32
	expandHalves(&x, Reg[uint32](f, in.A), shift, in.Mode)
	expandHalves(&y, Reg[uint32](f, in.B), shift, in.Mode)
	return compareFloat(Comparison(in.Imm), &x, &y)
}

func expandHalves(d *[Width]float32, a *[Width]uint32, shift uint, mode Mode) {
	map1(d, a, func(a uint32) float32 { return expandF16(mode.flushF16(a >> shift & lowHalf)) })
}

// Classes of numbers that testp tests for, in in.Imm. Zero is normal.
const (
	TestpFinite = iota + 1
	TestpInfinite
	TestpNumber
	TestpNotANumber
	TestpNormal
	TestpSubnormal
)

// inClass reports whether x, the encoding of a float without its sign bit, is in a class. leastNormal and infinity
// are encoded the same way.
func inClass[S Bits](class uint64, x, leastNormal, infinity S) bool {
	switch class {
	case TestpFinite:
		return x < infinity
	case TestpInfinite:
		return x == infinity
	case TestpNumber:
		return x <= infinity
	case TestpNotANumber:
		return x > infinity
	case TestpNormal:
		return x == 0 || x >= leastNormal && x < infinity
	}
	return x != 0 && x < leastNormal
}

// TestpF32 sets predicate D to whether a is in the class in.Imm.
func TestpF32(f *File, in *Op, m Mask) {
	class, a := in.Imm, Reg[uint32](f, in.A)
	setPred(f, in.D, m, where(a, a, func(x, _ uint32) bool {
		return inClass[uint32](class, x<<1, 1<<24, 0xff<<24)
	}))
}

// TestpF64 is TestpF32 for .f64.
func TestpF64(f *File, in *Op, m Mask) {
	class, a := in.Imm, Reg[uint64](f, in.A)
	setPred(f, in.D, m, where(a, a, func(x, _ uint64) bool {
		return inClass[uint64](class, x<<1, 1<<53, 0x7ff<<53)
	}))
}

// slctFloat is a if the float32 c is not negative, else b: b for NaN, a for -0.
func slctFloat[S Bits](f *File, in *Op, m Mask) {
	mode := in.Mode
	map3(Out[S](f, in.D, m), Reg[S](f, in.A), Reg[S](f, in.B), Reg[float32](f, in.C),
		func(a, b S, c float32) S {
			if mode.operandF32(c) >= 0 {
				return a
			}
			return b
		})
	Merge[S](f, in.D, m)
}

// SlctF32 is the 32-bit word a if the float32 c >= 0, else b. It honours FTZ for c only.
func SlctF32(f *File, in *Op, m Mask) { slctFloat[uint32](f, in, m) }

// Slct64F32 is SlctF32 for words of 64 bits.
func Slct64F32(f *File, in *Op, m Mask) { slctFloat[uint64](f, in, m) }

// NegF64 is -a; NaN becomes quiet and keeps its sign.
func NegF64(f *File, in *Op, m Mask) {
	d, a := unary[uint64](f, in, m)
	map1(d, a, func(x uint64) uint64 {
		if isNaNF64(x) {
			return x | quietF64
		}
		return x ^ signF64
	})
	Merge[uint64](f, in.D, m)
}

// AbsF64 is a without its sign; NaN becomes quiet and keeps its sign.
func AbsF64(f *File, in *Op, m Mask) {
	d, a := unary[uint64](f, in, m)
	map1(d, a, func(x uint64) uint64 {
		if isNaNF64(x) {
			return x | quietF64
		}
		return x &^ signF64
	})
	Merge[uint64](f, in.D, m)
}

func isNaNF64(x uint64) bool { return x&^signF64 > exponentF64 }

// CopysignF64 is b with the sign of a: the order is not that of C.
func CopysignF64(f *File, in *Op, m Mask) {
	d, a, b := binary[uint64](f, in, m)
	map2(d, a, b, func(x, y uint64) uint64 { return x&signF64 | y&^signF64 })
	Merge[uint64](f, in.D, m)
}

// numberF64 is the one of x and y that is a number; if neither is, the second made quiet.
func numberF64(x, y float64) float64 {
	switch {
	case x == x:
		return x
	case y == y:
		return y
	}
	return quietedF64(y)
}

// MinF64 is the smaller of a and b, -0 being smaller than +0; the other if one
// is NaN.
func MinF64(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float64](f, in, m)
	map2(d, a, b, func(x, y float64) float64 {
		if r := min(x, y); r == r {
			return r
		}
		return numberF64(x, y)
	})
	Merge[float64](f, in.D, m)
}

// MaxF64 is MinF64 for the larger.
func MaxF64(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float64](f, in, m)
	map2(d, a, b, func(x, y float64) float64 {
		if r := max(x, y); r == r {
			return r
		}
		return numberF64(x, y)
	})
	Merge[float64](f, in.D, m)
}
