package conformance

import "strings"

var compareMakers = map[string]trialMaker{
	"setp": comparePredicates,
	"set":  compareValues,
	"selp": func(f form) []trial {
		typ := f.types[0]
		return trials(specimen{form: f, dst: operands(typ), src: operands(typ, typ, "pred"), eval: func(s []uint64) []uint64 {
			if s[2] == 1 {
				return one(s[0])
			}
			return one(s[1])
		}})
	},
	"slct": selectBySign,
}

// selectBySign is slct; its .ftz changes only the third source.
func selectBySign(f form) []trial {
	typ, by := f.types[0], f.types[1]
	return trials(specimen{form: f, dst: operands(typ), src: operands(typ, typ, by), eval: func(s []uint64) []uint64 {
		c := s[2]
		if by == "f32" && f.has("ftz") {
			c = single.flush(c)
		}
		first := signExtend(c, 32) >= 0
		if by == "f32" {
			first = !single.isNaN(c) && (!single.negative(c) || single.isZero(c))
		}
		if first {
			return one(s[0])
		}
		return one(s[1])
	}})
}

var (
	comparisons = []string{"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"}
	connectives = []string{"and", "or", "xor"}
)

// compared returns whether the comparison of f holds for values of a type.
func compared(f form, typ string, a, b uint64) bool {
	name := f.oneOf(comparisons...)
	if !isFloat(typ) {
		return holds(name, number(typ, a).Cmp(number(typ, b)))
	}
	ff := formatOf(typ)
	if f.has("ftz") {
		a, b = ff.flush(a), ff.flush(b)
	}
	unordered := ff.isNaN(a) || ff.isNaN(b)
	switch {
	case name == "num":
		return !unordered
	case name == "nan":
		return unordered
	case unordered:
		return len(name) == 3 // equ to geu
	}
	return holds(name[:2], ff.compare(a, b))
}

// holds returns whether a comparison holds for values in a known order.
func holds(name string, order int) bool {
	switch name {
	case "eq":
		return order == 0
	case "ne":
		return order != 0
	case "lt", "lo":
		return order < 0
	case "le", "ls":
		return order <= 0
	case "gt", "hi":
		return order > 0
	}
	return order >= 0
}

// compare orders numbers; zeros are equal.
func (ff floatFormat) compare(a, b uint64) int {
	x, y := ff.float64(a), ff.float64(b)
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// connected returns the result of a comparison, combined with the predicate source if the form has one.
func connected(f form, result bool, c uint64) bool {
	switch f.oneOf(connectives...) {
	case "and":
		return result && c == 1
	case "or":
		return result || c == 1
	case "xor":
		return result != (c == 1)
	}
	return result
}

// comparePredicates is setp with one result and two, and with the predicate source plain and complemented.
func comparePredicates(f form) []trial {
	typ := f.types[0]
	evalWith := func(complement uint64) func([]uint64) []uint64 {
		return func(s []uint64) []uint64 {
			c := uint64(0)
			if len(s) > 2 {
				c = s[2] ^ complement
			}
			first, second := bothResults(f, typ, s[0], s[1])
			return []uint64{uint64(b2i(connected(f, first, c))), uint64(b2i(connected(f, second, c)))}
		}
	}
	src, args := operands(typ, typ), "$d0|$d1, $s0, $s1"
	single := specimen{form: f, dst: operands("pred"), src: src, eval: evalWith(0)}
	all := []specimen{{form: f, dst: operands("pred", "pred"), src: src, args: args, eval: evalWith(0)}}
	if f.oneOf(connectives...) != "" {
		single.src = operands(typ, typ, "pred")
		all[0].src, all[0].args = single.src, args+", $s2"
		all = append(all, specimen{form: f, dst: operands("pred", "pred"), src: single.src, args: args + ", !$s2", eval: evalWith(1)})
	}
	if _, pair := halfOf(typ); !pair {
		all = append(all, single)
	}
	return trials(all...)
}

// bothResults returns the comparison and its complement, or for two halves that of the low and that of the high ones.
func bothResults(f form, typ string, a, b uint64) (first, second bool) {
	if half, pair := halfOf(typ); pair {
		return compared(f, half, a&0xffff, b&0xffff), compared(f, half, a>>16, b>>16)
	}
	first = compared(f, typ, a, b)
	return first, !first
}

// compareValues is set: 1.0 for a float result, else all ones; separately for each half if there are two.
func compareValues(f form) []trial {
	if len(f.types) == 1 {
		return compareParts(f)
	}
	to, of := f.types[0], f.types[1]
	yes := map[string]uint64{"f32": single.one(), "f16": half.one(), "f16x2": half.one(), "bf16": brain.one(), "bf16x2": brain.one()}[to]
	if yes == 0 {
		yes = truncate(^uint64(0), typeBits[to])
	}
	_, pair := halfOf(of)
	if pair {
		yes &= 0xffff
	}
	eval := func(s []uint64, c uint64) []uint64 {
		single := func(s []uint64) uint64 { return yes * uint64(b2i(connected(f, compared(f, of, s[0], s[1]), c))) }
		if pair {
			return one(inHalves(s, single))
		}
		return one(single(s))
	}
	if f.oneOf(connectives...) == "" {
		return trials(specimen{form: f, dst: operands(to), src: operands(of, of), eval: func(s []uint64) []uint64 { return eval(s, 0) }})
	}
	src := operands(of, of, "pred")
	return trials(
		specimen{form: f, dst: operands(to), src: src, eval: func(s []uint64) []uint64 { return eval(s[:2], s[2]) }},
		specimen{form: f, dst: operands(to), src: src, args: "$d0, $s0, $s1, !$s2", eval: func(s []uint64) []uint64 { return eval(s[:2], 1-s[2]) }})
}

// compareParts is set of packed integers: all ones in the parts in which the comparison holds.
func compareParts(f form) []trial {
	typ := f.types[0]
	part, bits := typ[:2], 8
	if strings.HasSuffix(typ, "x2") {
		part, bits = typ[:3], 16
	}
	return trials(specimen{form: f, dst: operands(typ), src: operands(typ, typ), eval: func(s []uint64) []uint64 {
		var d uint64
		for at := 0; at < 32; at += bits {
			x, y := truncate(s[0]>>at, bits), truncate(s[1]>>at, bits)
			d |= uint64(b2i(compared(f, part, x, y))) * (1<<bits - 1) << at
		}
		return one(d)
	}})
}
