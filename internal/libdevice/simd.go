package libdevice

import (
	"fmt"
	"slices"
)

// simd returns the functions of two or four integers in 32 bits, which are in libdevice in CUDA 9.0 and in headers in
// later versions.
func simd() []compute {
	return slices.Concat(lanesOf(2), lanesOf(4))
}

// lanesOf returns the functions of this many integers.
func lanesOf(n int) []compute {
	s := &simdFunctions{n: n, width: 32 / n}
	s.mask = int64(1)<<s.width - 1
	s.one("abs", func(a int64) int64 { return max(a, -a) })
	s.one("absss", func(a int64) int64 { return s.saturate(max(a, -a)) })
	s.one("neg", func(a int64) int64 { return -a })
	s.one("negss", func(a int64) int64 { return s.saturate(-a) })
	s.arithmetic()
	s.comparisons()
	s.sum("sads", true)
	s.sum("sadu", false)
	return s.all
}

// simdFunctions are functions of n integers with this width in bits; mask is the largest unsigned one.
type simdFunctions struct {
	n, width int
	mask     int64
	all      []compute
}

func (s *simdFunctions) saturate(v int64) int64 {
	most := s.mask >> 1
	return min(max(v, -most-1), most)
}

// parts returns the integers of both arguments that begin at a bit, as signed or unsigned.
func (s *simdFunctions) parts(v *Values, bit int, isSigned bool) (a, b int64) {
	a, b = int64(v.Args[0])>>bit&s.mask, int64(v.Args[1])>>bit&s.mask
	if isSigned {
		unused := 64 - s.width
		a, b = a<<unused>>unused, b<<unused>>unused
	}
	return a, b
}

// define adds a function of each pair of integers; the result is truncated to the width.
func (s *simdFunctions) define(name, sig string, isSigned bool, f func(a, b int64) int64) {
	s.all = append(s.all, ofValues(fmt.Sprintf("v%s%d", name, s.n), sig, Bits, func(v Values) [3]uint64 {
		r := int64(0)
		for bit := 0; bit < 32; bit += s.width {
			a, b := s.parts(&v, bit, isSigned)
			r |= f(a, b) & s.mask << bit
		}
		return [3]uint64{uint64(uint32(r))}
	}))
}

// sum adds a function that sums the distances of the pairs.
func (s *simdFunctions) sum(name string, isSigned bool) {
	s.all = append(s.all, ofValues(fmt.Sprintf("v%s%d", name, s.n), "ii>i", Bits, func(v Values) [3]uint64 {
		r := int64(0)
		for bit := 0; bit < 32; bit += s.width {
			r += distance(s.parts(&v, bit, isSigned))
		}
		return [3]uint64{uint64(uint32(r))}
	}))
}

func distance(a, b int64) int64 { return max(a-b, b-a) }

func (s *simdFunctions) one(name string, f func(a int64) int64) {
	s.define(name, "i>i", true, func(a, _ int64) int64 { return f(a) })
}

func (s *simdFunctions) signed(name string, f func(a, b int64) int64) {
	s.define(name, "ii>i", true, f)
}

func (s *simdFunctions) unsigned(name string, f func(a, b int64) int64) {
	s.define(name, "ii>i", false, f)
}

func (s *simdFunctions) both(name string, f func(a, b int64) int64) {
	s.signed(name+"s", f)
	s.unsigned(name+"u", f)
}

func (s *simdFunctions) arithmetic() {
	s.both("absdiff", distance)
	s.both("max", func(a, b int64) int64 { return max(a, b) })
	s.both("min", func(a, b int64) int64 { return min(a, b) })
	s.signed("add", func(a, b int64) int64 { return a + b })
	s.signed("addss", func(a, b int64) int64 { return s.saturate(a + b) })
	s.unsigned("addus", func(a, b int64) int64 { return min(a+b, s.mask) })
	s.signed("sub", func(a, b int64) int64 { return a - b })
	s.signed("subss", func(a, b int64) int64 { return s.saturate(a - b) })
	s.unsigned("subus", func(a, b int64) int64 { return max(a-b, 0) })
	s.signed("avgs", func(a, b int64) int64 { // a half rounds up, but not for negative sums
		if a+b < 0 {
			return (a + b) >> 1
		}
		return (a + b + 1) >> 1
	})
	s.unsigned("avgu", func(a, b int64) int64 { return (a + b + 1) >> 1 })
	s.unsigned("haddu", func(a, b int64) int64 { return (a + b) >> 1 })
}

// comparisons adds those with all bits of an integer as true, and those with 1.
func (s *simdFunctions) comparisons() {
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
			s.unsigned("cmp"+c.name, yields(s.mask))
			s.unsigned("set"+c.name, yields(1))
			continue
		}
		s.both("cmp"+c.name, yields(s.mask))
		s.both("set"+c.name, yields(1))
	}
}
