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

// wrap returns x modulo 2^bits.
func wrap(x *big.Int, bits int) uint64 {
	mod := new(big.Int).Lsh(big.NewInt(1), uint(bits))
	return mod.And(x, mod.Sub(mod, big.NewInt(1))).Uint64()
}

// clamp returns x clamped to the range of the integer type, as bits.
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

// repeated returns n operands of a type.
func repeated(typ string, n int) []operand { return operands(slices.Repeat([]string{typ}, n)...) }

// arithmetic is f on n sources of its type; the result wraps or is clamped. Floats have separate trials.
func arithmetic(f form, n int, op func(x ...*big.Int) *big.Int) []trial {
	typ := f.types[0]
	if isFloat(typ) {
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
		if part, ok := strings.CutSuffix(typ, "x4"); ok {
			var d uint64
			for at := 0; at < 32; at += 8 {
				var parts []uint64
				for _, v := range s {
					parts = append(parts, v>>at&0xff)
				}
				d |= onType(part, parts) << at
			}
			return one(d)
		}
		return one(onType(typ, s))
	}})
}

// quotient is the quotient or remainder; all ones if b is zero, which PTX leaves open.
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
	case isFloat(typ):
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

// multiplied24 is mul24 and mad24, which use the low or high 32 bits of a 48-bit product.
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

// carried is the instructions with a carry in or out. The flag is the last source, and the last result. For a
// difference it is the complement of the borrow.
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
