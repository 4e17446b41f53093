package conformance

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

var integerMakers = map[string]trialMaker{
	"add": func(f form) []trial {
		return arithmetic(f, 2, func(x ...*big.Int) *big.Int { return new(big.Int).Add(x[0], x[1]) })
	},
	"sub": func(f form) []trial {
		return arithmetic(f, 2, func(x ...*big.Int) *big.Int { return new(big.Int).Sub(x[0], x[1]) })
	},
	"addc":  carried,
	"subc":  carried,
	"madc":  carried,
	"mul":   multiplied,
	"mad":   multiplied,
	"mul24": multiplied24,
	"mad24": multiplied24,
	"div": func(f form) []trial {
		return arithmetic(f, 2, func(x ...*big.Int) *big.Int { return quotient(x[0], x[1], new(big.Int).Quo) })
	},
	"rem": func(f form) []trial {
		return arithmetic(f, 2, func(x ...*big.Int) *big.Int { return quotient(x[0], x[1], new(big.Int).Rem) })
	},
	"sad": func(f form) []trial {
		return arithmetic(f, 3, func(x ...*big.Int) *big.Int {
			d := new(big.Int).Sub(x[0], x[1])
			return d.Add(d.Abs(d), x[2])
		})
	},
	"min": func(f form) []trial {
		return arithmetic(f, 2, func(x ...*big.Int) *big.Int { return slices.MinFunc(x, (*big.Int).Cmp) })
	},
	"max": func(f form) []trial {
		return arithmetic(f, 2, func(x ...*big.Int) *big.Int { return slices.MaxFunc(x, (*big.Int).Cmp) })
	},
	"neg": func(f form) []trial {
		return arithmetic(f, 1, func(x ...*big.Int) *big.Int { return new(big.Int).Neg(x[0]) })
	},
	"abs": func(f form) []trial {
		return arithmetic(f, 1, func(x ...*big.Int) *big.Int { return new(big.Int).Abs(x[0]) })
	},
	"dp4a":  dotProduct,
	"dp2a":  dotProduct,
	"and":   logic(func(a, b uint64) uint64 { return a & b }),
	"or":    logic(func(a, b uint64) uint64 { return a | b }),
	"xor":   logic(func(a, b uint64) uint64 { return a ^ b }),
	"not":   bitwise(func(n int, s []uint64) uint64 { return ^s[0] }),
	"cnot":  bitwise(func(n int, s []uint64) uint64 { return uint64(b2i(s[0] == 0)) }),
	"shl":   bitwise(shiftLeft, count),
	"shr":   shiftRight,
	"shf":   funnelShift,
	"popc":  toCount(func(n int, s []uint64) uint64 { return uint64(len(setBits(s[0], n))) }),
	"clz":   toCount(func(n int, s []uint64) uint64 { return uint64(n - 1 - topBit(s[0], n)) }),
	"brev":  bitwise(reverse),
	"bfind": findTop,
	"bfe":   extractField,
	"bfi":   bitwise(insertField, "same", count, count),
	"bmsk":  bitMask,
	"szext": signExtension,
	"fns":   bitwise(findNth, count, bitOffset),
	"prmt":  permute,
	"lop3":  anyLogic,
	"mov":   moves,
}

// number is the value of v in an integer type.
func number(typ string, v uint64) *big.Int {
	if typ[0] == 's' {
		return big.NewInt(signExtend(v, operandBits(typ)))
	}
	return new(big.Int).SetUint64(v)
}

// wrap is x modulo two to the number of bits.
func wrap(x *big.Int, bits int) uint64 {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return mod.And(x, mod.Sub(mod, big.NewInt(1))).Uint64()
}

// clamp is x in the range of the integer type, as bits.
func clamp(x *big.Int, typ string) uint64 {
	bits := uint(typeBits[typ])
	low, high := big.NewInt(0), new(big.Int).Lsh(big.NewInt(1), bits)
	if typ[0] == 's' {
		high.Rsh(high, 1)
		low.Neg(high)
	}
	high.Sub(high, big.NewInt(1))
	switch {
	case x.Cmp(low) < 0:
		x = low
	case x.Cmp(high) > 0:
		x = high
	}
	return wrap(x, int(bits))
}

// numbers are sources of one type.
func numbers(typ string, s []uint64) []*big.Int {
	var x []*big.Int
	for _, v := range s {
		x = append(x, number(typ, v))
	}
	return x
}

// repeated is n operands of a type.
func repeated(typ string, n int) []operand { return operands(slices.Repeat([]string{typ}, n)...) }

// arithmetic is f on n sources of its type, which wraps or is clamped; floats
// have trials of their own.
func arithmetic(f form, n int, op func(x ...*big.Int) *big.Int) []trial {
	typ := f.types[0]
	if typ[0] == 'f' {
		return floatTrials(f)
	}
	if f.has("cc") {
		return carried(f)
	}
	onType := func(typ string, s []uint64) uint64 {
		x := op(numbers(typ, s)...)
		switch {
		case f.has("sat"):
			return clamp(x, typ)
		case f.has("relu") && x.Sign() < 0:
			return 0
		}
		return wrap(x, typeBits[typ])
	}
	return trials(specimen{form: f, dst: operands(typ), src: repeated(typ, n), eval: func(s []uint64) []uint64 {
		if part, ok := strings.CutSuffix(typ, "x2"); ok {
			return one(inHalves(s, func(s []uint64) uint64 { return onType(part, s) }))
		}
		return one(onType(typ, s))
	}})
}

// quotient is the quotient or remainder; all ones where b is zero, which PTX
// leaves open.
func quotient(a, b *big.Int, op func(a, b *big.Int) *big.Int) *big.Int {
	if b.Sign() == 0 {
		return big.NewInt(-1)
	}
	return op(a, b)
}

// multiplied is mul and mad.
func multiplied(f form) []trial {
	typ := f.types[0]
	switch {
	case typ[0] == 'f':
		return floatTrials(f)
	case f.has("cc"):
		return carried(f)
	}
	bits := typeBits[typ]
	result := typ
	if f.has("wide") {
		result = fmt.Sprintf("%c%d", typ[0], 2*bits)
	}
	src := repeated(typ, 2)
	if f.op == "mad" {
		src = append(src, operand{typ: result})
	}
	return trials(specimen{form: f, dst: operands(result), src: src, eval: func(s []uint64) []uint64 {
		x := new(big.Int).Mul(number(typ, s[0]), number(typ, s[1]))
		if f.has("hi") {
			x.Rsh(x, uint(bits))
		}
		if f.op == "mad" {
			x.Add(x, number(result, s[2]))
		}
		if f.has("sat") {
			return one(clamp(x, typ))
		}
		return one(wrap(x, typeBits[result]))
	}})
}

// multiplied24 is mul24 and mad24, which have the low or high 32 bits of a
// product of 48.
func multiplied24(f form) []trial {
	typ := f.types[0]
	n := 2
	if f.op == "mad24" {
		n = 3
	}
	return trials(specimen{form: f, dst: operands(typ), src: repeated(typ, n), eval: func(s []uint64) []uint64 {
		low := func(v uint64) *big.Int {
			if typ == "s32" {
				return big.NewInt(signExtend(v&0xffffff, 24))
			}
			return new(big.Int).SetUint64(v & 0xffffff)
		}
		x := new(big.Int).Mul(low(s[0]), low(s[1]))
		if f.has("hi") {
			x.Rsh(x, 16)
		}
		if n == 3 {
			x.Add(x, number(typ, s[2]))
		}
		if f.has("sat") {
			return one(clamp(x, typ))
		}
		return one(wrap(x, 32))
	}})
}

// carried is the instructions with a carry in or out. The flag is the last
// source, and the last result. Of a difference it is the complement of the
// borrow.
func carried(f form) []trial {
	typ := f.types[0]
	bits := typeBits[typ]
	n := 2
	if f.op == "mad" || f.op == "madc" {
		n = 3
	}
	in := f.op == "addc" || f.op == "subc" || f.op == "madc"
	return trials(specimen{form: f, dst: operands(typ, carry), src: append(repeated(typ, n), operand{typ: carry}), eval: func(s []uint64) []uint64 {
		unsigned := func(v uint64) *big.Int { return new(big.Int).SetUint64(v) }
		a, b := unsigned(s[0]), unsigned(s[1])
		if n == 3 {
			product := new(big.Int).Mul(number(typ, s[0]), number(typ, s[1]))
			if f.has("hi") {
				product.Rsh(product, uint(bits))
			}
			a, b = unsigned(wrap(product, bits)), unsigned(s[2])
		}
		minus := f.op == "sub" || f.op == "subc"
		if in {
			b.Add(b, unsigned(s[n]^uint64(b2i(minus))))
		}
		out, x := false, new(big.Int)
		if minus {
			x.Sub(a, b)
			out = x.Sign() >= 0
		} else {
			x.Add(a, b)
			out = x.BitLen() > bits
		}
		flag := s[n]
		if f.has("cc") {
			flag = uint64(b2i(out))
		}
		return []uint64{wrap(x, bits), flag}
	}})
}

// dotProduct is dp4a and dp2a.
func dotProduct(f form) []trial {
	at, bt := f.types[0], f.types[1]
	part := func(typ string, v uint64, at, bits int) int64 {
		v = v >> at & (1<<bits - 1)
		if typ == "s32" {
			return signExtend(v, bits)
		}
		return int64(v)
	}
	return trials(specimen{form: f, dst: operands("b32"), src: operands(at, bt, "b32"), eval: func(s []uint64) []uint64 {
		sum := int64(s[2])
		if f.op == "dp4a" {
			for k := 0; k < 32; k += 8 {
				sum += part(at, s[0], k, 8) * part(bt, s[1], k, 8)
			}
			return one(truncate(uint64(sum), 32))
		}
		first := 16 * b2i(f.has("hi"))
		for k := range 2 {
			sum += part(at, s[0], 16*k, 16) * part(bt, s[1], first+8*k, 8)
		}
		return one(truncate(uint64(sum), 32))
	}})
}

// logic is an operation on bits or predicates.
func logic(op func(a, b uint64) uint64) trialMaker {
	return func(f form) []trial {
		typ := f.types[0]
		eval := func(s []uint64) []uint64 { return one(truncate(op(s[0], s[1]), typeBits[typ])) }
		return trials(specimen{form: f, dst: operands(typ), src: repeated(typ, 2), eval: eval})
	}
}

// bitwise is an operation on n bits and further sources of given types.
func bitwise(op func(n int, s []uint64) uint64, more ...string) trialMaker {
	return func(f form) []trial {
		typ := f.types[0]
		src := operands(typ)
		for _, m := range more {
			if m == "same" {
				m = typ
			}
			src = append(src, operand{typ: m})
		}
		eval := func(s []uint64) []uint64 { return one(truncate(op(typeBits[typ], s), typeBits[typ])) }
		return trials(specimen{form: f, dst: operands(typ), src: src, eval: eval})
	}
}

// toCount is an operation on n bits that gives a number in 32 bits.
func toCount(op func(n int, s []uint64) uint64) trialMaker {
	return func(f form) []trial {
		typ := f.types[0]
		eval := func(s []uint64) []uint64 { return one(truncate(op(typeBits[typ], s), 32)) }
		return trials(specimen{form: f, dst: operands("u32"), src: operands(typ), eval: eval})
	}
}

func bit(v uint64, i int) uint64 { return v >> i & 1 }

// setBits are the positions of ones among the low n bits.
func setBits(v uint64, n int) []int {
	var at []int
	for i := range n {
		if bit(v, i) == 1 {
			at = append(at, i)
		}
	}
	return at
}

// topBit is the position of the highest one among the low n bits, or -1.
func topBit(v uint64, n int) int {
	at := setBits(v, n)
	if len(at) == 0 {
		return -1
	}
	return at[len(at)-1]
}

func shiftLeft(n int, s []uint64) uint64 {
	for range min(s[1], 64) {
		s = []uint64{s[0] * 2}
	}
	return s[0]
}

func shiftRight(f form) []trial {
	typ := f.types[0]
	return trials(specimen{form: f, dst: operands(typ), src: operands(typ, count), eval: func(s []uint64) []uint64 {
		x := number(typ, s[0])
		return one(wrap(x.Rsh(x, uint(min(s[1], 128))), typeBits[typ]))
	}})
}

func funnelShift(f form) []trial {
	return trials(specimen{form: f, dst: operands("b32"), src: operands("b32", "b32", count), eval: func(s []uint64) []uint64 {
		n := min(s[2], 32)
		if f.has("wrap") {
			n = s[2] % 32
		}
		pair := new(big.Int).SetUint64(s[1]<<32 | s[0])
		if f.has("l") {
			pair.Lsh(pair, uint(n))
			return one(wrap(pair.Rsh(pair, 32), 32))
		}
		return one(wrap(pair.Rsh(pair, uint(n)), 32))
	}})
}

func reverse(n int, s []uint64) uint64 {
	d := uint64(0)
	for _, i := range setBits(s[0], n) {
		d |= 1 << (n - 1 - i)
	}
	return d
}

func findTop(f form) []trial {
	typ := f.types[0]
	n := typeBits[typ]
	return trials(specimen{form: f, dst: operands("u32"), src: operands(typ), eval: func(s []uint64) []uint64 {
		v := s[0]
		if typ[0] == 's' && bit(v, n-1) == 1 {
			v = ^v
		}
		at := topBit(v, n)
		if at >= 0 && f.has("shiftamt") {
			at = n - 1 - at
		}
		return one(uint64(uint32(at)))
	}})
}

func extractField(f form) []trial {
	typ := f.types[0]
	n := typeBits[typ]
	return trials(specimen{form: f, dst: operands(typ), src: operands(typ, count, count), eval: func(s []uint64) []uint64 {
		pos, length := int(s[1]&0xff), int(s[2]&0xff)
		fill := uint64(0)
		if typ[0] == 's' && length > 0 {
			fill = bit(s[0], min(pos+length-1, n-1))
		}
		d := uint64(0)
		for i := range n {
			if i < length && pos+i < n {
				d |= bit(s[0], pos+i) << i
			} else {
				d |= fill << i
			}
		}
		return one(d)
	}})
}

func insertField(n int, s []uint64) uint64 {
	pos, length := int(s[2]&0xff), int(s[3]&0xff)
	d := s[1]
	for i := 0; i < length && pos+i < n; i++ {
		d = d&^(1<<(pos+i)) | bit(s[0], i)<<(pos+i)
	}
	return d
}

func bitMask(f form) []trial {
	return trials(specimen{form: f, dst: operands("b32"), src: operands(count, count), eval: func(s []uint64) []uint64 {
		a, b := s[0], s[1]
		if f.has("wrap") {
			a, b = a%32, b%32
		}
		d := uint64(0)
		for i := range uint64(32) {
			if i >= a && i-a < b {
				d |= 1 << i
			}
		}
		return one(d)
	}})
}

// signExtension is szext, of which .clamp takes any count above 32 as 32 and
// .wrap takes it modulo 32.
func signExtension(f form) []trial {
	typ := f.types[0]
	return trials(specimen{form: f, dst: operands(typ), src: operands(typ, count), eval: func(s []uint64) []uint64 {
		n := min(s[1], 32)
		if f.has("wrap") {
			n = s[1] % 32
		}
		v := truncate(s[0], int(n))
		if typ == "s32" && n > 0 {
			v = truncate(uint64(signExtend(v, int(n))), 32)
		}
		return one(v)
	}})
}

func findNth(n int, s []uint64) uint64 {
	base, offset := int64(s[1]), signExtend(s[2], 32)
	step, left := int64(1), offset
	if offset < 0 {
		step, left = -1, -offset
	}
	left = max(left, 1) // offset 0 looks at the base alone
	for pos := base; pos >= 0 && pos < 32; pos += step {
		if bit(s[0], int(pos)) == 1 {
			if left--; left == 0 {
				return uint64(pos)
			}
		}
		if offset == 0 {
			break
		}
	}
	return ^uint64(0)
}

func permute(f form) []trial {
	return trials(specimen{form: f, dst: operands("b32"), src: operands("b32", "b32", selector), eval: func(s []uint64) []uint64 {
		pool := s[1]<<32 | s[0]
		d := uint64(0)
		for k := range 4 {
			which, sign := permuteByte(f.oneOf("f4e", "b4e", "rc8", "ecl", "ecr", "rc16"), k, s[2])
			b := pool >> (8 * which) & 0xff
			if sign {
				b = 0xff * bit(b, 7)
			}
			d |= b << (8 * k)
		}
		return one(d)
	}})
}

// permuteByte is which of the eight bytes becomes byte k, and whether its sign
// is spread over it.
func permuteByte(mode string, k int, c uint64) (which int, sign bool) {
	low := int(c & 3)
	switch mode {
	case "f4e":
		return (low + k) % 8, false
	case "b4e":
		return (low - k + 8) % 8, false
	case "rc8":
		return low, false
	case "ecl":
		return max(k, low), false
	case "ecr":
		return min(k, low), false
	case "rc16":
		return low%2*2 + k%2, false
	}
	nibble := int(c >> (4 * k) & 15)
	return nibble & 7, nibble&8 != 0
}

// anyLogic is lop3 with tables of one and of many bits; all tables would take
// long. With .and and .or it has a second result: whether the first is not 0,
// combined with a predicate.
func anyLogic(f form) []trial {
	var all []trial
	for _, table := range []int{0, 1, 2, 4, 8, 16, 32, 64, 128, 0x96, 0xe8, 0x1b, 0xca, 0x6a, 0xfe, 255} {
		sp := specimen{form: f, dst: operands("b32"), src: repeated("b32", 3),
			args: fmt.Sprintf("$d0, $s0, $s1, $s2, %d", table),
			eval: func(s []uint64) []uint64 { return one(lookedUp(table, s)) }}
		if f.oneOf(connectives...) != "" {
			sp.dst, sp.src = operands("b32", "pred"), append(sp.src, operand{typ: "pred"})
			sp.args = fmt.Sprintf("$d0|$d1, $s0, $s1, $s2, %d, $s3", table)
			sp.eval = func(s []uint64) []uint64 {
				d := lookedUp(table, s)
				return []uint64{d, uint64(b2i(connected(f, d != 0, s[3])))}
			}
		}
		all = append(all, sp.trial())
	}
	return all
}

// lookedUp is bit by bit the entry of the table for the first three sources.
func lookedUp(table int, s []uint64) uint64 {
	d := uint64(0)
	for i := range 32 {
		d |= bit(uint64(table), int(bit(s[0], i)<<2|bit(s[1], i)<<1|bit(s[2], i))) << i
	}
	return d
}

// moves is mov between registers; .b32 and .b64 from and into vectors too.
func moves(f form) []trial {
	typ := f.types[0]
	same := func(s []uint64) []uint64 { return s }
	if n := f.oneOf("v2", "v4", "v8"); n != "" {
		src := repeated(typ, int(n[1]-'0'))
		return trials(specimen{form: f, dst: src, src: src, args: vectorOf("d", len(src)) + ", " + vectorOf("s", len(src)), eval: same})
	}
	all := trials(specimen{form: f, dst: operands(typ), src: operands(typ), eval: same})
	if typ != "b32" && typ != "b64" {
		return all
	}
	for _, n := range []int{2, 4} {
		part := typeBits[typ] / n
		parts := slices.Repeat([]operand{{typ: fmt.Sprint("b", part), reg: part}}, n)
		all = append(all, trials(
			specimen{form: f, dst: operands(typ), src: parts, args: "$d0, " + vectorOf("s", n), eval: func(s []uint64) []uint64 {
				d := uint64(0)
				for i, v := range s {
					d |= v << (part * i)
				}
				return one(d)
			}},
			specimen{form: f, dst: parts, src: operands(typ), args: vectorOf("d", n) + ", $s0", eval: func(s []uint64) []uint64 {
				var d []uint64
				for i := range n {
					d = append(d, truncate(s[0]>>(part*i), part))
				}
				return d
			}})...)
	}
	return all
}

// vectorOf is {$d0, $d1, …}.
func vectorOf(letter string, n int) string {
	text := "{"
	for i := range n {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprint("$", letter, i)
	}
	return text + "}"
}
