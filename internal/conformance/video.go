package conformance

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
)

// variants is how many choices of selectors and signs each form of a video instruction is
// tried with: the first has none where it can do without.
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

// videoTypes are the types of d, a and b. That of vset's results is always unsigned.
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

// partOf is the byte or half of v, or all of it, as a number of the sign of the type.
func partOf(v uint64, selected, typ string) *big.Int {
	bits, at := 32, uint64(0)
	if selected != "" {
		bits, at = map[byte]int{'b': 8, 'h': 16}[selected[1]], uint64(selected[2]-'0')
	}
	x := new(big.Int).Rsh(new(big.Int).SetUint64(v), uint(at)*uint(bits))
	x.Mod(x, pow2(bits))
	return withSign(x, bits, typ)
}

func pow2(n int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

// withSign takes x, a number of so many bits, for a signed one if the type is.
func withSign(x *big.Int, bits int, typ string) *big.Int {
	if typ[0] == 's' && x.Cmp(pow2(bits-1)) >= 0 {
		return new(big.Int).Sub(x, pow2(bits))
	}
	return x
}

// limited is x in the range of a number of so many bits and the sign of the type.
func limited(x *big.Int, bits int, typ string) *big.Int {
	low, high := big.NewInt(0), pow2(bits)
	if typ[0] == 's' {
		low, high = new(big.Int).Neg(pow2(bits-1)), pow2(bits-1)
	}
	switch {
	case x.Cmp(low) < 0:
		return low
	case x.Cmp(high) >= 0:
		return high.Sub(high, big.NewInt(1))
	}
	return x
}

// scalarVideos is the scalar video instructions but vmad (PTX ISA, scalar video
// instructions): extraction, the operation, saturation, and a second operation or a merge.
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
			result := wrap(x, 32)
			switch {
			case dsel != "":
				at := bits * int(dsel[2]-'0')
				field := uint64(1)<<bits - 1
				return one(s[2]&^(field<<at) | result&field<<at)
			case second == "add":
				return one(truncate(result+s[2], 32))
			case second != "":
				t, c := number(d, result), number(d, s[2])
				if (t.Cmp(c) < 0) == (second == "min") {
					return one(result)
				}
				return one(s[2])
			}
			return one(result)
		}
		return sp
	})
}

// secondOp is the second operation of a scalar video instruction. vmin.s32 is none.
func (f *form) secondOp() string { return f.oneOf("add", "min", "max") }

// videoResult is what the operation of a video instruction gives, without a limit.
func (f *form) videoResult(a, b *big.Int) *big.Int {
	x := new(big.Int)
	switch strings.TrimRight(f.op, "24") {
	case "vadd":
		return x.Add(a, b)
	case "vsub":
		return x.Sub(a, b)
	case "vabsdiff":
		return x.Abs(x.Sub(a, b))
	case "vmin":
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	case "vmax":
		if a.Cmp(b) > 0 {
			return a
		}
		return b
	case "vavrg":
		if x.Add(a, b); x.Sign() >= 0 {
			x.Add(x, big.NewInt(1))
		}
		return x.Rsh(x, 1)
	case "vshl":
		return x.Lsh(a, f.videoCount(b))
	case "vshr":
		return x.Rsh(a, f.videoCount(b))
	}
	holds := map[string]bool{"eq": a.Cmp(b) == 0, "ne": a.Cmp(b) != 0, "lt": a.Cmp(b) < 0, "le": a.Cmp(b) <= 0, "gt": a.Cmp(b) > 0, "ge": a.Cmp(b) >= 0}
	return x.SetInt64(int64(b2i(holds[f.oneOf("eq", "ne", "lt", "le", "gt", "ge")])))
}

// videoCount is the count of a shift.
func (f *form) videoCount(b *big.Int) uint {
	if f.has("wrap") {
		return uint(b.Uint64() % 32)
	}
	return uint(min(b.Uint64(), 32))
}

// videoMads is vmad: the product and c, either of which may be negated by its complement
// and 1, a shift, and saturation to the sign of the result.
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
			x := new(big.Int).Mul(partOf(s[0], asel, a), partOf(s[1], bsel, b))
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
				x = limited(x, 32, final)
			}
			return one(wrap(x, 32))
		}
		return sp
	})
}

// simdVideos is the SIMD video instructions (PTX ISA, SIMD video instructions): pairs of
// halves or quads of bytes of a and b, the operation on each, and the results in place of
// those of c, or added to c.
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
			element := func(i int, typ string) *big.Int {
				x := new(big.Int).SetUint64(s[i/n] >> (i % n * bits))
				return withSign(x.Mod(x, pow2(bits)), bits, typ)
			}
			sum, merged := new(big.Int).SetUint64(s[2]), uint64(0)
			for i := range n {
				x := f.videoResult(element(from[i], a), element(with[i], b))
				if f.has("sat") {
					x = limited(x, bits, d)
				}
				if !mask[i] {
					merged |= truncate(s[2]>>(i*bits), bits) << (i * bits)
					continue
				}
				sum.Add(sum, x)
				merged |= wrap(x, bits) << (i * bits)
			}
			if f.has("add") {
				return one(wrap(sum, 32))
			}
			return one(merged)
		}
		return sp
	})
}

// choose makes up the numbers of elements among those of a and b, and gives them as a selector,
// the last first.
func choose(r *rand.Rand, letter string, at []int) string {
	text := letter
	for i := len(at) - 1; i >= 0; i-- {
		at[i] = r.IntN(2 * len(at))
		text += fmt.Sprint(at[i])
	}
	return text
}
