package conformance

import (
	"fmt"
	"math/big"
)

// logic is an operation on bits or predicates.
func logic(op func(a, b uint64) uint64) trialMaker {
	return func(f form) []trial {
		typ := f.types[0]
		eval := func(s []uint64) []uint64 { return one(truncate(op(s[0], s[1]), typeBits[typ])) }
		return trials(specimen{form: f, dst: operands(typ), src: repeated(typ, 2), eval: eval})
	}
}

// bitwise is an operation on n bits, and on further sources of the given types.
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

// toCount is an operation on n bits with a number in 32 bits as its result.
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

// signExtension is szext: .clamp treats counts above 32 as 32, and .wrap takes them modulo 32.
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

// permuteByte returns which of the eight bytes becomes byte k, and whether its sign fills it.
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

// anyLogic is lop3 with tables of one and of many bits; all tables would take long. With .and and .or it has a second
// result: whether the first is not 0, combined with a predicate.
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

// lookedUp looks up each bit of the first three sources in the table.
func lookedUp(table int, s []uint64) uint64 {
	d := uint64(0)
	for i := range 32 {
		d |= bit(uint64(table), int(bit(s[0], i)<<2|bit(s[1], i)<<1|bit(s[2], i))) << i
	}
	return d
}
