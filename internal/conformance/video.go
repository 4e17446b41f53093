package conformance

import (
	"cmp"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
)

// variants is the number of choices of selectors and signs for each form of a video instruction: the first has none
// if possible.
const variants = 3

var videoMakers = func() map[string]trialMaker {
	makers := map[string]trialMaker{"vmad": videoMads}
	for _, op := range []string{"vadd", "vsub", "vabsdiff", "vmin", "vmax", "vshl", "vshr", "vset"} {
		makers[op] = scalarVideos
	}
	for _, op := range []string{"vadd", "vsub", "vavrg", "vabsdiff", "vmin", "vmax", "vset"} {
		makers[op+"2"], makers[op+"4"] = simdVideos, simdVideos
	}
	return makers
}()

// videoTypes are the types of d, a and b. The results of vset are always unsigned.
func videoTypes(f form) (d, a, b string) {
	if len(f.types) == 2 {
		return "u32", f.types[0], f.types[1]
	}
	return f.types[0], f.types[1], f.types[2]
}

// choices makes trials of a form with several choices of selectors.
func choices(f form, choose func(r *rand.Rand, plain bool) specimen) []trial {
	r := rand.New(rand.NewPCG(7, hash(f.text)))
	var all []specimen
	for i := range variants {
		all = append(all, choose(r, i == 0))
	}
	return trials(all...)
}

// parts are the selectors of one byte or half.
var parts = []string{"", ".b0", ".b1", ".b2", ".b3", ".h0", ".h1"}

// partOf returns the byte or half of v, or all of it, as a number with the sign of the type.
func partOf(v uint64, selected, typ string) int64 {
	bits, at := 32, 0
	if selected != "" {
		bits, at = map[byte]int{'b': 8, 'h': 16}[selected[1]], int(selected[2]-'0')
	}
	return valueOf(v>>(at*bits), bits, typ)
}

// valueOf returns the low bits of v as a number with the sign of the type.
func valueOf(v uint64, bits int, typ string) int64 {
	if typ[0] == 's' {
		return signExtend(v, bits)
	}
	return int64(truncate(v, bits))
}

// limited returns x clamped to a number of bits with the sign of the type.
func limited(x int64, bits int, typ string) int64 {
	low, high := int64(0), int64(1)<<bits-1
	if typ[0] == 's' {
		low, high = -1<<(bits-1), 1<<(bits-1)-1
	}
	return max(low, min(x, high))
}

// scalarVideos is the scalar video instructions except vmad (PTX ISA, scalar video instructions): extraction, the
// operation, saturation, and a second operation or a merge.
func scalarVideos(f form) []trial {
	d, a, b := videoTypes(f)
	return choices(f, func(r *rand.Rand, plain bool) specimen {
		pick := func() string { return parts[r.IntN(len(parts))] }
		asel, bsel, dsel := pick(), pick(), ""
		second := f.secondOp()
		if plain {
			asel, bsel = "", ""
		} else if second == "" {
			dsel = pick()
		}
		typeB := "b32"
		if f.oneOf("clamp", "wrap") != "" {
			typeB = count
		}
		sp := specimen{form: f, dst: operands("b32"), src: operands("b32", typeB), args: "$d0" + dsel + ", $s0" + asel + ", $s1" + bsel}
		if second != "" || dsel != "" {
			sp.src, sp.args = operands("b32", typeB, "b32"), sp.args+", $s2"
		}
		sp.eval = func(s []uint64) []uint64 {
			x := f.videoResult(partOf(s[0], asel, a), partOf(s[1], bsel, b))
			bits := 32
			if dsel != "" {
				bits = map[byte]int{'b': 8, 'h': 16}[dsel[1]]
			}
			if f.has("sat") {
				x = limited(x, bits, d)
			}
			result := truncate(uint64(x), 32)
			switch {
			case dsel != "":
				at := bits * int(dsel[2]-'0')
				field := uint64(1)<<bits - 1
				return one(s[2]&^(field<<at) | result&field<<at)
			case second == "add":
				return one(truncate(result+s[2], 32))
			case second != "":
				if (valueOf(result, 32, d) < valueOf(s[2], 32, d)) == (second == "min") {
					return one(result)
				}
				return one(s[2])
			}
			return one(result)
		}
		return sp
	})
}

// secondOp is the second operation of a scalar video instruction; the .s32 of vmin.s32 is a type, not an operation.
func (f *form) secondOp() string { return f.oneOf("add", "min", "max") }

// videoResult returns the result of a video instruction's operation, before saturation.
func (f *form) videoResult(a, b int64) int64 {
	switch strings.TrimRight(f.op, "24") {
	case "vadd":
		return a + b
	case "vsub":
		return a - b
	case "vabsdiff":
		return max(a, b) - min(a, b)
	case "vmin":
		return min(a, b)
	case "vmax":
		return max(a, b)
	case "vavrg":
		if a+b >= 0 {
			return (a + b + 1) >> 1
		}
		return (a + b) >> 1
	case "vshl":
		n := f.videoCount(b)
		if n == 32 { // beyond every limit, and with 32 low zeros, like the sign alone
			a = int64(cmp.Compare(a, 0))
		}
		return a << n
	case "vshr":
		return a >> f.videoCount(b)
	}
	holds := false
	switch f.oneOf("eq", "ne", "lt", "le", "gt", "ge") {
	case "eq":
		holds = a == b
	case "ne":
		holds = a != b
	case "lt":
		holds = a < b
	case "le":
		holds = a <= b
	case "gt":
		holds = a > b
	case "ge":
		holds = a >= b
	}
	return int64(b2i(holds))
}

// videoCount is the count of a shift.
func (f *form) videoCount(b int64) int64 {
	if f.has("wrap") {
		return b % 32
	}
	return min(b, 32)
}

// videoMads computes vmad: the sum of the product and c, a shift, and saturation to the sign of the result. The product
// or c may be negated, as its complement plus 1.
func videoMads(f form) []trial {
	_, a, b := videoTypes(f)
	return choices(f, func(r *rand.Rand, plain bool) specimen {
		asel, bsel, sign := "", "", [3]string{}
		if !plain {
			asel, bsel = parts[r.IntN(len(parts))], parts[r.IntN(len(parts))]
		}
		if !plain && !f.has("po") {
			sign = [][3]string{{"-"}, {"", "-"}, {"-", "-"}, {"", "", "-"}, {"-", "-", "-"}}[r.IntN(5)]
		}
		negated := sign[0] != sign[1]
		sp := specimen{form: f, dst: operands("b32"), src: operands("b32", "b32", "b32"),
			args: fmt.Sprintf("$d0, %s$s0%s, %s$s1%s, %s$s2", sign[0], asel, sign[1], bsel, sign[2])}
		final := "u32"
		if a[0] == 's' || b[0] == 's' || negated || sign[2] != "" {
			final = "s32"
		}
		sp.eval = func(s []uint64) []uint64 {
			x := new(big.Int).Mul(big.NewInt(partOf(s[0], asel, a)), big.NewInt(partOf(s[1], bsel, b)))
			c, more := s[2], int64(0)
			switch {
			case f.has("po"):
				more = 1
			case negated:
				x.Neg(x)
			case sign[2] != "":
				c, more = truncate(^c, 32), 1
			}
			x.Add(x, number(final, c))
			x.Add(x, big.NewInt(more))
			switch {
			case f.has("shr7"):
				x.Rsh(x, 7)
			case f.has("shr15"):
				x.Rsh(x, 15)
			}
			if f.has("sat") {
				return one(clamp(x, final))
			}
			return one(wrap(x, 32))
		}
		return sp
	})
}

// simdVideos is the SIMD video instructions (PTX ISA, SIMD video instructions): pairs of halves or quads of bytes of
// a and b, the operation on each, and the results inserted into c, or added to c.
func simdVideos(f form) []trial {
	d, a, b := videoTypes(f)
	n := int(f.op[len(f.op)-1] - '0')
	bits := 32 / n
	letter := map[int]string{2: ".h", 4: ".b"}[n]
	return choices(f, func(r *rand.Rand, plain bool) specimen {
		from, with, mask := make([]int, n), make([]int, n), make([]bool, n)
		asel, bsel, dsel := "", "", ""
		for i := range n {
			from[i], with[i], mask[i] = i, n+i, true
		}
		if !plain {
			asel, bsel = choose(r, letter, from), choose(r, letter, with)
			dsel = letter
			some := 1 + r.IntN(1<<n-1)
			for i := n - 1; i >= 0; i-- {
				if mask[i] = some>>i&1 == 1; mask[i] {
					dsel += fmt.Sprint(i)
				}
			}
		}
		sp := specimen{form: f, dst: operands("b32"), src: operands("b32", "b32", "b32"), args: "$d0" + dsel + ", $s0" + asel + ", $s1" + bsel + ", $s2"}
		sp.eval = func(s []uint64) []uint64 {
			element := func(i int, typ string) int64 { return valueOf(s[i/n]>>(i%n*bits), bits, typ) }
			sum, merged := s[2], uint64(0)
			for i := range n {
				x := f.videoResult(element(from[i], a), element(with[i], b))
				if f.has("sat") {
					x = limited(x, bits, d)
				}
				if !mask[i] {
					merged |= truncate(s[2]>>(i*bits), bits) << (i * bits)
					continue
				}
				sum += uint64(x)
				merged |= truncate(uint64(x), bits) << (i * bits)
			}
			if f.has("add") {
				return one(truncate(sum, 32))
			}
			return one(merged)
		}
		return sp
	})
}

// choose makes up the numbers of elements among those of a and b, and returns them as a selector, the last first.
func choose(r *rand.Rand, letter string, at []int) string {
	text := letter
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = r.IntN(2 * len(at))
		text += fmt.Sprint(at[i])
	}
	return text
}
