package libdevice

import (
	"fmt"
	"slices"
)

// simd are the functions of two or four integers in 32 bits, which CUDA 9.0 has in libdevice and
// later ones have in headers.
func simd() []compute {
	return slices.Concat(lanesOf(2), lanesOf(4))
}

// lanesOf are the functions of so many integers.
func lanesOf(n int) (all []compute) {
	width := 32 / n
	mask := int64(1)<<width - 1
	most := mask >> 1 // signed
	signed := func(v int64) int64 { return v << (64 - width) >> (64 - width) }
	saturate := func(v int64) int64 { return min(max(v, -most-1), most) }
	distance := func(a, b int64) int64 { return max(a-b, b-a) }
	// Each part of the arguments is taken as signed, or as it is; the result is cut to the width.
	define := func(name, sig string, isSigned bool, f func(a, b int64) int64) {
		all = append(all, compute{fmt.Sprintf("v%s%d", name, n), sig, Bits, func(v *Values) {
			r := int64(0)
			for i := 0; i < 32; i += width {
				a, b := int64(v.Args[0])>>i&mask, int64(v.Args[1])>>i&mask
				if isSigned {
					a, b = signed(a), signed(b)
				}
				r |= f(a, b) & mask << i
			}
			v.Results[0] = uint64(uint32(r))
		}})
	}
	sum := func(name string, isSigned bool) {
		all = append(all, compute{fmt.Sprintf("v%s%d", name, n), "ii>i", Bits, func(v *Values) {
			r := int64(0)
			for i := 0; i < 32; i += width {
				a, b := int64(v.Args[0])>>i&mask, int64(v.Args[1])>>i&mask
				if isSigned {
					a, b = signed(a), signed(b)
				}
				r += distance(a, b)
			}
			v.Results[0] = uint64(uint32(r))
		}})
	}
	one := func(name string, f func(a int64) int64) {
		define(name, "i>i", true, func(a, _ int64) int64 { return f(a) })
	}
	one("abs", func(a int64) int64 { return max(a, -a) })
	one("absss", func(a int64) int64 { return saturate(max(a, -a)) })
	one("neg", func(a int64) int64 { return -a })
	one("negss", func(a int64) int64 { return saturate(-a) })
	s := func(name string, f func(a, b int64) int64) { define(name, "ii>i", true, f) }
	u := func(name string, f func(a, b int64) int64) { define(name, "ii>i", false, f) }
	both := func(name string, f func(a, b int64) int64) { s(name+"s", f); u(name+"u", f) }
	both("absdiff", distance)
	both("max", func(a, b int64) int64 { return max(a, b) })
	both("min", func(a, b int64) int64 { return min(a, b) })
	s("add", func(a, b int64) int64 { return a + b })
	s("addss", func(a, b int64) int64 { return saturate(a + b) })
	u("addus", func(a, b int64) int64 { return min(a+b, mask) })
	s("sub", func(a, b int64) int64 { return a - b })
	s("subss", func(a, b int64) int64 { return saturate(a - b) })
	u("subus", func(a, b int64) int64 { return max(a-b, 0) })
	s("avgs", func(a, b int64) int64 { // a half goes up, but not for negative sums
		if a+b < 0 {
			return (a + b) >> 1
		}
		return (a + b + 1) >> 1
	})
	u("avgu", func(a, b int64) int64 { return (a + b + 1) >> 1 })
	u("haddu", func(a, b int64) int64 { return (a + b) >> 1 })
	for _, c := range []struct {
		name  string
		holds func(a, b int64) bool
	}{
		{"ge", func(a, b int64) bool { return a >= b }}, {"gt", func(a, b int64) bool { return a > b }},
		{"le", func(a, b int64) bool { return a <= b }}, {"lt", func(a, b int64) bool { return a < b }},
		{"eq", func(a, b int64) bool { return a == b }}, {"ne", func(a, b int64) bool { return a != b }},
	} {
		yields := func(v int64) func(a, b int64) int64 {
			return func(a, b int64) int64 {
				if c.holds(a, b) {
					return v
				}
				return 0
			}
		}
		if c.name == "eq" || c.name == "ne" {
			u("cmp"+c.name, yields(mask))
			u("set"+c.name, yields(1))
			continue
		}
		both("cmp"+c.name, yields(mask))
		both("set"+c.name, yields(1))
	}
	sum("sads", true)
	sum("sadu", false)
	return all
}
