package lanes

import "math"

func finiteF64(x float64) bool { return math.Float64bits(x)&exponentF64 != exponentF64 }

// roundF64 is x as a float64, rounded by the mode.
func (mode Mode) roundF64(x unrounded) float64 {
	return math.Float64frombits(x.round(binary64, mode))
}

// addF64 is x + y rounded by the mode.
func (mode Mode) addF64(x, y float64) float64 { return mode.fmaF64(x, 1, y) }

// mulF64 is x * y rounded by the mode.
func (mode Mode) mulF64(x, y float64) float64 {
	if !finiteF64(x) || !finiteF64(y) {
		return x * y // infinite or NaN: nothing to round
	}
	return mode.roundF64(exactF64(x).times(exactF64(y)))
}

// fmaF64 is x * y + z rounded by the mode.
func (mode Mode) fmaF64(x, y, z float64) float64 {
	if !finiteF64(x) || !finiteF64(y) || !finiteF64(z) {
		return math.FMA(x, y, z)
	}
	return mode.roundF64(exactF64(x).timesPlus(exactF64(y), exactF64(z), mode))
}

// divF64 is x / y rounded by the mode.
func (mode Mode) divF64(x, y float64) float64 {
	if !finiteF64(x) || !finiteF64(y) || y == 0 {
		return x / y
	}
	return mode.roundF64(exactF64(x).over(exactF64(y)))
}

// sqrtF64 is the square root of x rounded by the mode.
func (mode Mode) sqrtF64(x float64) float64 {
	if !finiteF64(x) || x <= 0 {
		return math.Sqrt(x)
	}
	return mode.roundF64(exactF64(x).root())
}

// unaryResultF64, binaryResultF64 and ternaryResultF64 are r, the result of an operation on x, y and z, or the right
// NaN if r is a NaN. In a fused multiply-add the NaN of the second source has priority, then that of the third. The
// unit computes a sum as x * 1 + y, and a product without a third source.
func unaryResultF64(r, x float64) float64 {
	if r != r {
		return propagateF64(x, x)
	}
	return r
}

func binaryResultF64(r, x, y float64) float64 {
	if r != r {
		return propagateF64(x, y)
	}
	return r
}

func ternaryResultF64(r, x, y, z float64) float64 {
	if r == r {
		return r
	}
	if y != y {
		return propagateF64(y, y)
	}
	return propagateF64(z, x)
}

// AddF64 is a + b. It honours rounding.
func AddF64(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float64](f, in, m)
	if mode := in.Mode; mode&roundMask == RoundNearest {
		map2(d, a, b, func(x, y float64) float64 { return binaryResultF64(x+y, y, x) })
	} else {
		some2(d, a, b, m, func(x, y float64) float64 { return binaryResultF64(mode.addF64(x, y), y, x) })
	}
	Merge[float64](f, in.D, m)
}

// SubF64 is a - b. It honours rounding.
func SubF64(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float64](f, in, m)
	if mode := in.Mode; mode&roundMask == RoundNearest {
		map2(d, a, b, func(x, y float64) float64 { return binaryResultF64(x-y, y, x) })
	} else {
		some2(d, a, b, m, func(x, y float64) float64 { return binaryResultF64(mode.addF64(x, -y), y, x) })
	}
	Merge[float64](f, in.D, m)
}

// MulF64 is a * b. It honours rounding.
func MulF64(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float64](f, in, m)
	if mode := in.Mode; mode&roundMask == RoundNearest {
		map2(d, a, b, func(x, y float64) float64 { return binaryResultF64(x*y, y, x) })
	} else {
		some2(d, a, b, m, func(x, y float64) float64 { return binaryResultF64(mode.mulF64(x, y), y, x) })
	}
	Merge[float64](f, in.D, m)
}

// FmaF64 is a * b + c, rounded once. It honours rounding.
func FmaF64(f *File, in *Op, m Mask) {
	d, a, b, c := ternaryFloat[float64](f, in, m)
	if mode := in.Mode; mode&roundMask == RoundNearest {
		map3(d, a, b, c, func(x, y, z float64) float64 { return ternaryResultF64(math.FMA(x, y, z), x, y, z) })
	} else {
		some3(d, a, b, c, m, func(x, y, z float64) float64 { return ternaryResultF64(mode.fmaF64(x, y, z), x, y, z) })
	}
	Merge[float64](f, in.D, m)
}

// DivF64 is a / b. It honours rounding.
func DivF64(f *File, in *Op, m Mask) {
	d, a, b := binaryFloat[float64](f, in, m)
	if mode := in.Mode; mode&roundMask == RoundNearest {
		map2(d, a, b, func(x, y float64) float64 { return binaryResultF64(x/y, x, y) })
	} else {
		some2(d, a, b, m, func(x, y float64) float64 { return binaryResultF64(mode.divF64(x, y), x, y) })
	}
	Merge[float64](f, in.D, m)
}

// RcpF64 is 1 / a. It honours rounding.
func RcpF64(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float64](f, in, m)
	if mode := in.Mode; mode&roundMask == RoundNearest {
		map1(d, a, func(x float64) float64 { return unaryResultF64(1/x, x) })
	} else {
		some1(d, a, m, func(x float64) float64 { return unaryResultF64(mode.divF64(1, x), x) })
	}
	Merge[float64](f, in.D, m)
}

// SqrtF64 is the square root of a. It honours rounding.
func SqrtF64(f *File, in *Op, m Mask) {
	d, a := unaryFloat[float64](f, in, m)
	if mode := in.Mode; mode&roundMask == RoundNearest {
		map1(d, a, func(x float64) float64 { return unaryResultF64(math.Sqrt(x), x) })
	} else {
		some1(d, a, m, func(x float64) float64 { return unaryResultF64(mode.sqrtF64(x), x) })
	}
	Merge[float64](f, in.D, m)
}
