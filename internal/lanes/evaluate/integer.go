package evaluate

import (
	"math/bits"
)

// integers are the operations on each element of vectors of integers.
var integers = map[string]evaluation{
	"vpaddb": eachPair(sumOf[uint8]), "vpaddw": eachPair(sumOf[uint16]), "vpaddd": eachPair(sumOf[uint32]), "vpaddq": eachPair(sumOf[uint64]),
	"vpsubb": eachPair(difference[uint8]), "vpsubw": eachPair(difference[uint16]), "vpsubd": eachPair(difference[uint32]), "vpsubq": eachPair(difference[uint64]),
	"vpmullw":  eachPair(product[uint16]),
	"vpmulld":  eachPair(product[uint32]),
	"vpmullq":  eachPair(product[uint64]),
	"vpmulhw":  eachPair(func(a, b int16) int16 { return int16(int32(a) * int32(b) >> 16) }),
	"vpmulhuw": eachPair(func(a, b uint16) uint16 { return uint16(uint32(a) * uint32(b) >> 16) }),
	"vpmuludq": eachPair(func(a, b uint64) uint64 { return a & 0xffffffff * (b & 0xffffffff) }),
	"vpmuldq":  eachPair(func(a, b int64) int64 { return int64(int32(a)) * int64(int32(b)) }),
	"vpmaddwd": eachPair(func(a, b int32) int32 {
		return int32(int16(a))*int32(int16(b)) + a>>16*(b>>16)
	}),
	"vpdpbusd": eachOfThree(func(d, a, b int32, _ uint8) int32 {
		for i := 0; i < 32; i += 8 {
			d += int32(uint8(a>>i)) * int32(int8(b>>i))
		}
		return d
	}),
	"vpsubusb": eachPair(func(a, b uint8) uint8 { return a - min(a, b) }),

	"vpand": eachPair(and), "vpandd": eachPair(and32), "vpandq": eachPair(and),
	"vpandn": eachPair(andNot), "vpandnd": eachPair(andNot32), "vpandnq": eachPair(andNot),
	"vpor": eachPair(or), "vpord": eachPair(or32), "vporq": eachPair(or),
	"vpxor": eachPair(xor), "vpxord": eachPair(xor32), "vpxorq": eachPair(xor),
	"vandps": eachPair(and32), "vandpd": eachPair(and), "vandnps": eachPair(andNot32), "vandnpd": eachPair(andNot),
	"vorps": eachPair(or32), "vorpd": eachPair(or), "vxorps": eachPair(xor32), "vxorpd": eachPair(xor),
	"vpternlogd": eachOfThree(chosenByBits[uint32]), "vpternlogq": eachOfThree(chosenByBits[uint64]),
	"vplzcntd":    each(func(a uint32) uint32 { return uint32(bits.LeadingZeros32(a)) }),
	"vplzcntq":    each(func(a uint64) uint64 { return uint64(bits.LeadingZeros64(a)) }),
	"vpopcntd":    each(func(a uint32) uint32 { return uint32(bits.OnesCount32(a)) }),
	"vpopcntq":    each(func(a uint64) uint64 { return uint64(bits.OnesCount64(a)) }),
	"vpconflictd": conflicts[uint32], "vpconflictq": conflicts[uint64],

	"vpminsb": eachPair(least[int8]), "vpminsw": eachPair(least[int16]), "vpminsd": eachPair(least[int32]), "vpminsq": eachPair(least[int64]),
	"vpminub": eachPair(least[uint8]), "vpminuw": eachPair(least[uint16]), "vpminud": eachPair(least[uint32]), "vpminuq": eachPair(least[uint64]),
	"vpmaxsb": eachPair(greatest[int8]), "vpmaxsw": eachPair(greatest[int16]), "vpmaxsd": eachPair(greatest[int32]), "vpmaxsq": eachPair(greatest[int64]),
	"vpmaxub": eachPair(greatest[uint8]), "vpmaxuw": eachPair(greatest[uint16]), "vpmaxud": eachPair(greatest[uint32]), "vpmaxuq": eachPair(greatest[uint64]),
	"vpabsb": each(absolute[int8]), "vpabsw": each(absolute[int16]), "vpabsd": each(absolute[int32]), "vpabsq": each(absolute[int64]),

	"vpmovsxbw": each(convert[int16, int8]), "vpmovsxbd": each(convert[int32, int8]), "vpmovsxbq": each(convert[int64, int8]),
	"vpmovsxwd": each(convert[int32, int16]), "vpmovsxwq": each(convert[int64, int16]), "vpmovsxdq": each(convert[int64, int32]),
	"vpmovzxbw": each(convert[uint16, uint8]), "vpmovzxbd": each(convert[uint32, uint8]), "vpmovzxbq": each(convert[uint64, uint8]),
	"vpmovzxwd": each(convert[uint32, uint16]), "vpmovzxwq": each(convert[uint64, uint16]), "vpmovzxdq": each(convert[uint64, uint32]),
	"vpmovwb": each(convert[uint8, uint16]), "vpmovdb": each(convert[uint8, uint32]), "vpmovqb": each(convert[uint8, uint64]),
	"vpmovdw": each(convert[uint16, uint32]), "vpmovqw": each(convert[uint16, uint64]), "vpmovqd": each(convert[uint32, uint64]),
	"vpmovswb": each(saturate[int8, int16]), "vpmovsdb": each(saturate[int8, int32]), "vpmovsqb": each(saturate[int8, int64]),
	"vpmovsdw": each(saturate[int16, int32]), "vpmovsqw": each(saturate[int16, int64]), "vpmovsqd": each(saturate[int32, int64]),
	"vpmovuswb": each(saturate[uint8, uint16]), "vpmovusdb": each(saturate[uint8, uint32]), "vpmovusqb": each(saturate[uint8, uint64]),
	"vpmovusdw": each(saturate[uint16, uint32]), "vpmovusqw": each(saturate[uint16, uint64]), "vpmovusqd": each(saturate[uint32, uint64]),
}

func sumOf[T element](a, b T) T      { return a + b }
func difference[T element](a, b T) T { return a - b }
func product[T element](a, b T) T    { return a * b }
func least[T element](a, b T) T      { return min(a, b) }
func greatest[T element](a, b T) T   { return max(a, b) }
func and(a, b uint64) uint64         { return a & b }
func and32(a, b uint32) uint32       { return a & b }
func andNot(a, b uint64) uint64      { return ^a & b }
func andNot32(a, b uint32) uint32    { return ^a & b }
func or(a, b uint64) uint64          { return a | b }
func or32(a, b uint32) uint32        { return a | b }
func xor(a, b uint64) uint64         { return a ^ b }
func xor32(a, b uint32) uint32       { return a ^ b }

func absolute[T int8 | int16 | int32 | int64](a T) T {
	if a < 0 {
		return -a
	}
	return a
}

func convert[D, S element](a S) D { return D(a) }

// saturate is the nearest number that D has. Both are signed, or neither is.
func saturate[D, S element](a S) D {
	most := ^D(0)
	if most < 0 {
		most = D(1)<<(8*sizeOf[D]()-1) - 1
	}
	if a > S(most) {
		return most
	}
	if least := -most - 1; least < 0 && a < S(least) {
		return least
	}
	return D(a)
}

// chosenByBits takes each bit from the table imm: its index has the bits of d, a and b.
func chosenByBits[T uint32 | uint64](d, a, b T, imm uint8) (v T) {
	for i := range 8 {
		if imm>>i&1 == 0 {
			continue
		}
		term := ^T(0)
		for k, x := range [3]T{b, a, d} {
			if i>>k&1 == 0 {
				x = ^x
			}
			term &= x
		}
		v |= term
	}
	return v
}

// conflicts finds, for each element, the ones before it that are equal.
func conflicts[T uint32 | uint64](c *CPU, s *step) {
	a := view[T](c.whole(s, 1))
	d := view[T](&c.result)
	for i := range s.bytes(0) / sizeOf[T]() {
		d[i] = 0
		for k := range i {
			if a[k] == a[i] {
				d[i] |= 1 << k
			}
		}
	}
	c.put(s, sizeOf[T]())
}

// comparisons are the comparisons of integers, and tests of bits.
var comparisons = map[string]evaluation{
	"vpcmpeqb": compare(equal[uint8]), "vpcmpeqw": compare(equal[uint16]), "vpcmpeqd": compare(equal[uint32]), "vpcmpeqq": compare(equal[uint64]),
	"vpcmpgtb": compare(greater[int8]), "vpcmpgtw": compare(greater[int16]), "vpcmpgtd": compare(greater[int32]), "vpcmpgtq": compare(greater[int64]),
	"vpcmpb": compare(compared[int8]), "vpcmpw": compare(compared[int16]), "vpcmpd": compare(compared[int32]), "vpcmpq": compare(compared[int64]),
	"vpcmpub": compare(compared[uint8]), "vpcmpuw": compare(compared[uint16]), "vpcmpud": compare(compared[uint32]), "vpcmpuq": compare(compared[uint64]),
	"vptestmb": compare(common[uint8]), "vptestmw": compare(common[uint16]), "vptestmd": compare(common[uint32]), "vptestmq": compare(common[uint64]),
	"vptestnmb": compare(disjoint[uint8]), "vptestnmw": compare(disjoint[uint16]), "vptestnmd": compare(disjoint[uint32]), "vptestnmq": compare(disjoint[uint64]),
	"vptest": testBits(^uint64(0)), "vtestps": testBits(1<<63 | 1<<31), "vtestpd": testBits(1 << 63),
	"vpmovb2m": signs[int8], "vpmovw2m": signs[int16], "vpmovd2m": signs[int32], "vpmovq2m": signs[int64],
	"vpmovm2b": fromMask[uint8], "vpmovm2w": fromMask[uint16], "vpmovm2d": fromMask[uint32], "vpmovm2q": fromMask[uint64],
	"vpmovmskb": signs[int8], "vmovmskps": signs[int32], "vmovmskpd": signs[int64],
}

func equal[T element](a, b T, _ uint8) bool    { return a == b }
func greater[T element](a, b T, _ uint8) bool  { return a > b }
func common[T element](a, b T, _ uint8) bool   { return a&b != 0 }
func disjoint[T element](a, b T, _ uint8) bool { return a&b == 0 }

// compared is a comparison by its number.
func compared[T element](a, b T, imm uint8) bool {
	switch imm & 3 {
	case 0:
		return (a == b) != (imm&4 != 0)
	case 1:
		return (a < b) != (imm&4 != 0)
	case 2:
		return (a <= b) != (imm&4 != 0)
	}
	return imm&4 != 0
}

// testBits sets the flags zero and carry by the bits of two vectors that are in mask.
func testBits(mask uint64) evaluation {
	return func(c *CPU, s *step) {
		a, b := c.source(s, 0, 1), c.source(s, 1, 1)
		c.flags = flags{zero: true, carry: true}
		for i := range s.bytes(0) / 8 {
			c.flags.zero = c.flags.zero && a[i]&b[i]&mask == 0
			c.flags.carry = c.flags.carry && ^a[i]&b[i]&mask == 0
		}
	}
}

// signs collects the highest bits of the elements, in a mask register or a general register.
func signs[T int8 | int16 | int32 | int64](c *CPU, s *step) {
	a := view[T](c.source(s, 1, 1))
	found := uint64(0)
	for i := range s.bytes(1) / sizeOf[T]() {
		if a[i] < 0 {
			found |= 1 << i
		}
	}
	c.set(s, 0, found)
}

// fromMask is the opposite of signs, with ones in all bits of an element.
func fromMask[T element](c *CPU, s *step) {
	fill[T](&c.result, c.masks[s.Args[1].Number])
	c.put(s, sizeOf[T]())
}

// shifts are the shifts and rotations of elements: by an immediate or the low 64 bits of the last operand, or each
// element by its own number.
var shifts = map[string]evaluation{
	"vpsllw": shift(left[uint16]), "vpslld": shift(left[uint32]), "vpsllq": shift(left[uint64]),
	"vpsrlw": shift(right[uint16]), "vpsrld": shift(right[uint32]), "vpsrlq": shift(right[uint64]),
	"vpsraw": shift(right[int16]), "vpsrad": shift(right[int32]), "vpsraq": shift(right[int64]),
	"vprold": shift(rotated[uint32]), "vprolq": shift(rotated[uint64]),
	"vprord": shift(rotatedBack[uint32]), "vprorq": shift(rotatedBack[uint64]),
	"vpsllvw": shiftEach(left[uint16]), "vpsllvd": shiftEach(left[uint32]), "vpsllvq": shiftEach(left[uint64]),
	"vpsrlvw": shiftEach(right[uint16]), "vpsrlvd": shiftEach(right[uint32]), "vpsrlvq": shiftEach(right[uint64]),
	"vpsravw": shiftEachSigned[int16, uint16], "vpsravd": shiftEachSigned[int32, uint32], "vpsravq": shiftEachSigned[int64, uint64],
	"vprolvd": shiftEach(rotated[uint32]), "vprolvq": shiftEach(rotated[uint64]),
	"vprorvd": shiftEach(rotatedBack[uint32]), "vprorvq": shiftEach(rotatedBack[uint64]),
}

func left[T element](a T, n uint64) T  { return a << n }
func right[T element](a T, n uint64) T { return a >> n }

func rotated[T uint32 | uint64](a T, n uint64) T {
	size := uint64(8 * sizeOf[T]())
	return a<<(n%size) | a>>(size-n%size)
}

func rotatedBack[T uint32 | uint64](a T, n uint64) T { return rotated(a, -n) }

// shift shifts all elements by one number.
func shift[T element](f func(a T, n uint64) T) evaluation {
	return func(c *CPU, s *step) {
		n := uint64(s.imm)
		if s.Args[2].Kind != immediate {
			n = c.whole(s, 2)[0]
		}
		a := view[T](c.source(s, 1, sizeOf[T]()))
		d := view[T](&c.result)
		for i := range s.bytes(0) / sizeOf[T]() {
			d[i] = f(a[i], n)
		}
		c.put(s, sizeOf[T]())
	}
}

// shiftEach shifts each element by its own number.
func shiftEach[T uint16 | uint32 | uint64](f func(a T, n uint64) T) evaluation {
	return eachPair(func(a, b T) T { return f(a, uint64(b)) })
}

// shiftEachSigned shifts each element to the right by its own number, which is unsigned.
func shiftEachSigned[T int16 | int32 | int64, N uint16 | uint32 | uint64](c *CPU, s *step) {
	eachPair(func(a, b T) T { return a >> N(b) })(c, s)
}
