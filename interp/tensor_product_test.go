package interp_test

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// smallFloat is a format of floating-point numbers in elements of a number of bits, with the lowest fraction bit at a
// position.
type smallFloat struct {
	bits, exponent, fraction, low int
}

// encode returns the encoding of v, which must be a number of the format.
func (f smallFloat) encode(v float64) uint32 {
	sign := uint32(0)
	if math.Signbit(v) {
		sign, v = 1, -v
	}
	bias := 1<<(f.exponent-1) - 1
	m, e := math.Frexp(v) // v = m * 2^e, m from 0.5
	e += bias - 1
	biased, rest := uint32(max(e, 1)), m*math.Ldexp(1, min(e, 1)) // of subnormal numbers the rest is less than 1
	rest *= math.Ldexp(1, f.fraction)
	if rest != math.Trunc(rest) {
		panic(fmt.Sprintf("%v is no number of %+v", v, f))
	}
	x := uint32(rest) // with the leading bit, if there is one
	if x>>f.fraction == 0 {
		biased = 0
	}
	return (sign<<(f.exponent+f.fraction) | biased<<f.fraction | x&(1<<f.fraction-1)) << f.low
}

// decode returns the number that bits encode, which must be finite.
func (f smallFloat) decode(x uint32) float64 {
	x >>= f.low
	fraction, e := float64(x&(1<<f.fraction-1)), int(x>>f.fraction)&(1<<f.exponent-1)
	bias := 1<<(f.exponent-1) - 1
	v := math.Ldexp(fraction, 1-bias-f.fraction)
	if e != 0 {
		v = math.Ldexp(fraction+math.Ldexp(1, f.fraction), e-bias-f.fraction)
	}
	if x>>(f.exponent+f.fraction)&1 != 0 {
		v = -v
	}
	return v
}

// tensorElement is a type of elements: its number in instruction descriptors, and values with exact sums of products.
type tensorElement struct {
	name   string
	number uint32
	smallFloat
	values []float64
}

var (
	elementF16  = tensorElement{"f16", 0, smallFloat{16, 5, 10, 0}, []float64{-2, -1, -0.5, 0, 0.5, 1, 2}}
	elementBF16 = tensorElement{"bf16", 1, smallFloat{16, 8, 7, 0}, []float64{-96, -7, -0.125, 0, 0.5, 1, 3, 64}}
	elementTF32 = tensorElement{"tf32", 2, smallFloat{32, 8, 10, 13}, []float64{-5, -1, -0.25, 0, 0.75, 1, 129}}
	elementE4M3 = tensorElement{"e4m3", 0, smallFloat{8, 4, 3, 0}, []float64{-15, -1, 0, 0.125, 1, 2, 13}}
	elementE5M2 = tensorElement{"e5m2", 1, smallFloat{8, 5, 2, 0}, []float64{-7, -0.5, 0, 0.25, 1, 3, 10}}
	elementE2M1 = tensorElement{"e2m1", 1, smallFloat{4, 2, 1, 0}, []float64{-6, -4, -3, -2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 6}}
	elementE2M3 = tensorElement{"e2m3", 3, smallFloat{8, 2, 3, 0}, []float64{-7.5, -3.25, -1, -0.125, 0, 0.375, 1, 2.5, 6}}
	elementE3M2 = tensorElement{"e3m2", 4, smallFloat{8, 3, 2, 0}, []float64{-28, -5, -1, -0.0625, 0, 0.1875, 1, 3.5, 16}}
	elementByte = tensorElement{"e2m1 in a byte", 5, smallFloat{8, 2, 1, 2}, []float64{-6, -3, -1, -0.5, 0, 0.5, 1, 1.5, 4}}
	elementU8   = tensorElement{"u8", 0, smallFloat{bits: 8}, []float64{0, 1, 2, 100, 127, 128, 200, 255}}
	elementS8   = tensorElement{"s8", 1, smallFloat{bits: 8}, []float64{-128, -100, -3, -1, 0, 1, 2, 77, 127}}
)

// floatBytes are the types of elements that are bytes in tensor memory.
var floatBytes = []tensorElement{elementE4M3, elementE5M2, elementE2M3, elementE3M2, elementByte}

// packedBits are the bits of elements, which are bytes in tensor memory, in shared memory.
var packedBits = map[string]int{"e2m3": 6, "e3m2": 6, "e2m1 in a byte": 4}

// bitsOf returns the bits of an element with that value.
func (t *tensorElement) bitsOf(v float64) uint32 {
	if t.exponent == 0 {
		return uint32(int32(v)) & 0xff
	}
	return t.encode(v)
}

// sharedLayout is the layout of a matrix in shared memory (PTX ISA, canonical layouts), with rows of 32 bytes.
type sharedLayout struct {
	mode       uint64 // of swizzling, bits 61 to 63
	transposed bool
	base       int // multiple of 1024
	advance    int // bytes along K, within the swizzle's row
	lbo, sbo   int
}

// at returns the offset of a byte of an element: in row i, number k along K.
func (l *sharedLayout) at(bits, i, k, byteOf int) int {
	swizzled := map[uint64]int{0: 16, 1: 128, 2: 128, 4: 64, 6: 32}[l.mode]
	offset := 0
	if l.transposed {
		per, repeat := 16*8/bits, 8
		if l.mode == 1 {
			repeat = 4
		}
		unit, in := i/per, i%per*bits/8+byteOf
		if l.mode == 0 {
			offset = unit*l.sbo + k%8*16 + k/8*l.lbo + in
		} else {
			offset = unit%(swizzled/16)*16 + unit/(swizzled/16)*l.lbo + k%repeat*swizzled + k/repeat*l.sbo + in
		}
	} else {
		in := k*bits/8 + byteOf
		if l.mode == 0 {
			offset = i%8*16 + i/8*l.sbo + in/16*l.lbo + in%16
		} else {
			offset = i%8*swizzled + i/8*l.sbo + l.advance + in
		}
	}
	switch l.mode {
	case 1: // Swizzle<2, 5, 2>
		offset ^= offset >> 7 & 3 << 5
	case 2: // Swizzle<3, 4, 3>, and those with fewer bits
		offset ^= offset >> 7 & 7 << 4
	case 4:
		offset ^= offset >> 7 & 3 << 4
	case 6:
		offset ^= offset >> 7 & 1 << 4
	}
	return l.base + offset
}

// descriptor returns the layout as a PTX descriptor.
func (l *sharedLayout) descriptor() uint64 {
	start := l.base + l.advance
	return uint64(start>>4) | uint64(l.lbo>>4)<<16 | uint64(l.sbo>>4)<<32 | 1<<46 | l.mode<<61
}

// layoutOf returns a layout for a number of rows of elements from base on, and its size.
func layoutOf(bits, rows, base int, mode uint64, transposed bool) (l sharedLayout, size int) {
	l = sharedLayout{mode: mode, transposed: transposed, base: base}
	swizzled := map[uint64]int{0: 16, 1: 128, 2: 128, 4: 64, 6: 32}[mode]
	k := 32 * 8 / bits
	switch {
	case transposed && mode == 0:
		l.sbo = 128 + 16*rand.IntN(2)*8
		l.lbo = l.sbo*(rows*bits/128) + 256
		return l, l.lbo * (k + 7) / 8
	case transposed:
		groups := (rows*bits/8 + swizzled - 1) / swizzled
		repeat := 8
		if mode == 1 {
			repeat = 4
		}
		l.sbo = repeat * swizzled // of columns beside each other; 1024 apart, so that patterns begin anew
		l.sbo = (l.sbo + 1023) / 1024 * 1024
		l.lbo = l.sbo * ((k + repeat - 1) / repeat)
		return l, l.lbo * groups
	case mode == 0:
		l.lbo = 128 + 16*rand.IntN(2)*8
		l.sbo = 2*l.lbo + 256
		return l, l.sbo * (rows + 7) / 8
	}
	l.advance = 32 * rand.IntN(swizzled/32)
	l.sbo = 1024 * (1 + rand.IntN(2))
	l.lbo = 16
	return l, l.sbo*(rows+7)/8 + swizzled*8
}

// tensorCase is a product that is executed and compared.
type tensorCase struct {
	kind             string
	a, b             tensorElement
	sum              string // type of D: f32, f16 or s32
	m, n             int
	ws, inTensor     bool
	transA, transB   bool
	negA, negB       bool
	modeA, modeB     uint64
	accumulates      bool
	saturates        bool
	scaleD           int
	lane             int // of D
	disabled         [4]uint32
	scales           int // of a row; 0 for none
	fine             bool
	byteA, byteB     int
	zeros            uint64 // mask of columns that are zero; 0 for none
	vectors          string // .scale_vec::2X
	anything         bool   // elements are any bits that are finite numbers
	valuesA, valuesB [288][64]float64
	scalesA, scalesB [256][4]float64
	elementsA        [256][64]uint32
	scaleBits        [2][256]uint32
}

const (
	columnD = 0
	columnA = 256 // of A in tensor memory
	columnS = 272 // of scales of A, and 8 columns further on of B
)

func (c *tensorCase) depth() int { return 32 * 8 / c.a.bits }

// descriptor returns the instruction descriptor, by the tables of PTX.
func (c *tensorCase) descriptor() uint32 {
	bit := func(b bool, at int) uint32 {
		if b {
			return 1 << at
		}
		return 0
	}
	d := c.a.number<<7 | c.b.number<<10 | bit(c.negA, 13) | bit(c.negB, 14) | bit(c.transA, 15) | bit(c.transB, 16) | uint32(c.n>>3)<<17
	if c.scales > 0 {
		return d | uint32(c.byteB)<<4 | bit(!c.fine, 23) | uint32(c.m>>7)<<27 | uint32(c.byteA)<<29
	}
	return d | bit(c.saturates, 3) | map[string]uint32{"f16": 0, "f32": 1, "s32": 2}[c.sum]<<4 | uint32(c.m>>4)<<24 | bit(c.zeros != 0, 30) | bit(c.zeros != 0, 31)
}

// shift is the first column of B in shared memory.
func (c *tensorCase) shift() int { return int(c.zeros >> 56) }

// maskColumns makes the values of B those of the product: shifted, with zeros in the columns that the mask selects, as
// in the examples of the PTX ISA. Spans of columns that are used and skipped alternate, and the first span is skipped.
func (c *tensorCase) maskColumns() {
	copy(c.valuesB[:], c.valuesB[c.shift():])
	parts := 128 / c.m
	for part := 0; part < parts && c.zeros>>39&1 != 0; part++ {
		skipped, zero := int(c.zeros>>(8*part)&255), c.zeros>>(32+part)&1 != 0
		for col := -skipped; col < c.n/parts; zero = !zero {
			span := int(c.zeros>>48&255) + 1
			if zero {
				span = int(c.zeros>>40&255) + 1
			}
			for ; span > 0 && col < c.n/parts; span, col = span-1, col+1 {
				if zero && col >= 0 {
					c.valuesB[part*c.n/parts+col] = [64]float64{}
				}
			}
		}
	}
}

// first returns the initial value of D in a lane and a column.
func first(lane, column int) int { return (lane*5 + column*3) & 31 }

// place returns the place of an element of D (PTX ISA, layouts D to G).
func (c *tensorCase) place(i, j int) (lane, column int) {
	switch {
	case c.m == 128:
		return i, j
	case !c.ws:
		return c.lane + i/16*32 + i%16, j
	case c.m == 64:
		return i + j/(c.n/2)*64, j % (c.n / 2)
	}
	return i + j/(c.n/4)*32, j % (c.n / 4)
}

// fill chooses the elements, and writes shared memory and the other data.
func (c *tensorCase) fill(image []byte, a, b *sharedLayout) {
	put := func(t *tensorElement, l *sharedLayout, rows int, values *[288][64]float64, shared bool) {
		for i := range rows {
			for k := range c.depth() {
				v := t.values[rand.IntN(len(t.values))]
				x := uint32(0)
				if x = t.bitsOf(v); c.anything {
					x, v = t.random()
				}
				values[i][k] = v
				if t == &c.a {
					c.elementsA[i][k] = x
				}
				for at := range max(t.bits/8, 1) {
					if !shared {
						continue
					}
					if n := packedBits[t.name]; n > 0 {
						for bit := range n { // 16 elements are the first bits of 16 bytes
							image[l.at(8, i, k/16*16, 0)+(k%16*n+bit)/8] |= byte(x >> t.low >> bit & 1 << ((k%16*n + bit) % 8))
						}
					} else if t.bits == 4 {
						image[l.at(4, i, k, 0)] |= byte(x << (k % 2 * 4))
					} else {
						image[l.at(t.bits, i, k, at)] = byte(x >> (8 * at))
					}
				}
			}
		}
	}
	put(&c.a, a, c.m, &c.valuesA, !c.inTensor)
	put(&c.b, b, c.n+c.shift(), &c.valuesB, true)
	c.maskColumns()
	fine := smallFloat{8, 4, 3, 0}
	for which, rows := range [2]int{c.m, c.n} {
		for i := range rows {
			c.scaleBits[which][i] = rand.Uint32()
			for s := range c.scales {
				x, v := uint32(124+rand.IntN(5)), 0.0
				if v = math.Ldexp(1, int(x)-127); c.fine {
					x = uint32(0x28 + rand.IntN(32))
					v = fine.decode(x)
				}
				at := 8 * ([2]int{c.byteA, c.byteB}[which] + s)
				c.scaleBits[which][i] = c.scaleBits[which][i]&^(0xff<<at) | x<<at
				if which == 0 {
					c.scalesA[i][s] = v
				} else {
					c.scalesB[i][s] = v
				}
			}
		}
	}
}

// random returns a random finite number.
func (t *tensorElement) random() (uint32, float64) {
	for {
		x := rand.Uint32() & uint32(1<<t.bits-1) >> t.low << t.low
		e := x >> t.low >> t.fraction & (1<<t.exponent - 1)
		if e == 1<<t.exponent-1 && t.bits > 4 { // infinity and NaN, and of e4m3 numbers too
			continue
		}
		if t.name == "bf16" || t.name == "tf32" { // so that sums are in range
			if e < 100 || e > 150 {
				continue
			}
		}
		return x, t.decode(x)
	}
}

// kernel returns a kernel that executes the product and stores 272 columns of all lanes.
func (c *tensorCase) kernel(image []byte, a, b *sharedLayout) string {
	// Tensor memory other than D: words of A, and of scales, by lane, 32 for each.
	beside := make([]string, 128*32)
	for lane := range 128 {
		for i := range 32 {
			w := uint32(0)
			switch {
			case i < 8:
				row, ok := lane, true
				if c.m == 64 {
					row = lane/32*16 + lane%16
					ok = lane%32/16*16 == c.lane
				}
				for e := 0; ok && e < 32/c.a.bits; e++ {
					w |= c.elementsA[row][i*32/c.a.bits+e] << (e * c.a.bits)
				}
			case i >= 16 && i < 24:
				w = c.scaleBits[0][(i-16)*32+lane%32]
			case i >= 24:
				w = c.scaleBits[1][(i-24)*32+lane%32]
			}
			beside[lane*32+i] = fmt.Sprint(w)
		}
	}
	operandA := "%rd10"
	if c.inTensor {
		operandA = fmt.Sprintf("[%%r2+%d]", c.lane<<16+columnA)
	}
	mode := ""
	if c.ws {
		mode = ".ws"
	}
	instr := fmt.Sprintf("tcgen05.mma%s.cta_group::1.kind::%s [%%r2+%d], %s, %%rd11, %d", mode, c.kind, c.lane<<16, operandA, c.descriptor())
	if c.scales > 0 {
		instr = strings.Replace(instr, c.kind, c.kind+".block_scale"+c.vectors, 1) + fmt.Sprintf(", [%%r2+%d], [%%r2+%d]", columnS, columnS+8)
	}
	if c.disabled != [4]uint32{} {
		instr += fmt.Sprintf(", {%d, %d, %d, %d}", c.disabled[0], c.disabled[1], c.disabled[2], c.disabled[3])
	}
	instr += ", %p5"
	if c.zeros != 0 {
		instr += fmt.Sprintf(", 0x%x", c.zeros)
	}
	if c.scaleD > 0 {
		instr += fmt.Sprintf(", %d", c.scaleD)
	}
	convert := map[string]string{"f32": "cvt.rn.f32.u32 %f7, %r7;\n\tmov.b32 %r7, %f7;", "f16": "cvt.rn.f16.u32 %rs7, %r7;\n\tmov.b32 %r7, {%rs7, 7};", "s32": ""}[c.sum]
	accumulates := 0
	if c.accumulates {
		accumulates = 1
	}
	return ".extern .shared .align 1024 .b32 s[];\n.shared .b64 bar;\n" + imageText(image) + fmt.Sprintf(".global .b32 beside[] = {%s};\n", strings.Join(beside, ",")) +
		takeTensor + copyImage(len(image)/4) + fmt.Sprintf(`
	shl.b32 %%r3, %%r81, 21;
	add.u32 %%r3, %%r3, %%r2;
	mov.u32 %%r5, 0;
FILL:
	mul.lo.u32 %%r7, %%r80, 5;
	mad.lo.u32 %%r7, %%r5, 3, %%r7;
	and.b32 %%r7, %%r7, 31;
	%s
	add.u32 %%r6, %%r3, %%r5;
	tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r6], {%%r7};
	add.u32 %%r5, %%r5, 1;
	setp.lt.u32 %%p1, %%r5, 256;
	@%%p1 bra FILL;
	mov.u64 %%rd2, beside;
	mad.wide.u32 %%rd2, %%r80, 128, %%rd2;
BESIDE:
	ld.global.u32 %%r7, [%%rd2];
	add.u64 %%rd2, %%rd2, 4;
	add.u32 %%r6, %%r3, %%r5;
	tcgen05.st.sync.aligned.32x32b.x1.b32 [%%r6], {%%r7};
	add.u32 %%r5, %%r5, 1;
	setp.lt.u32 %%p1, %%r5, 288;
	@%%p1 bra BESIDE;
	tcgen05.wait::st.sync.aligned;
	setp.eq.u32 %%p2, %%r80, 0;
	@%%p2 mbarrier.init.shared.b64 [bar], 1;
	tcgen05.fence::before_thread_sync;
	bar.sync 0;
	tcgen05.fence::after_thread_sync;
	mov.u64 %%rd10, %d;
	mov.u64 %%rd11, %d;
	shr.u32 %%r12, %%r12, 4;
	cvt.u64.u32 %%rd12, %%r12;
	add.u64 %%rd10, %%rd10, %%rd12;
	add.u64 %%rd11, %%rd11, %%rd12;
	setp.eq.u32 %%p5, %d, 1;
	@%%p2 %s;
	@%%p2 tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [bar];
WAIT:
	mbarrier.try_wait.parity.shared.b64 %%p3, [bar], 0;
	@!%%p3 bra WAIT;
	tcgen05.fence::after_thread_sync;
	ld.param.u64 %%rd1, [out];
	mad.wide.u32 %%rd1, %%r80, 1024, %%rd1;
	mov.u32 %%r5, 0;
READ:
	add.u32 %%r6, %%r3, %%r5;
	tcgen05.ld.sync.aligned.32x32b.x1.b32 {%%r7}, [%%r6];
	tcgen05.wait::ld.sync.aligned;
	st.global.u32 [%%rd1], %%r7;
	add.u64 %%rd1, %%rd1, 4;
	add.u32 %%r5, %%r5, 1;
	setp.lt.u32 %%p1, %%r5, 256;
	@%%p1 bra READ;`, convert, a.descriptor(), b.descriptor(), accumulates, instr) + freeTensor + "ret;\n}"
}

// before is what a cell of D has before, and after as a cell of the type of D has it.
func (c *tensorCase) cell(v float64) uint32 {
	switch c.sum {
	case "f16":
		return smallFloat{16, 5, 10, 0}.encode(v)
	case "s32":
		return uint32(int32(int64(v)))
	}
	if f := float32(v); float64(f) != v {
		panic(fmt.Sprintf("%v is no .f32", v))
	}
	return math.Float32bits(float32(v))
}

// want returns all cells after the product.
func (c *tensorCase) want() (cells [128][256]uint32) {
	for lane := range cells {
		for column := range cells[lane] {
			if cells[lane][column] = c.cell(float64(first(lane, column))); c.sum == "f16" {
				cells[lane][column] |= 7 << 16
			}
		}
	}
	for i := range c.m {
		for j := range c.n {
			lane, column := c.place(i, j)
			if c.disabled[lane/32]>>(lane%32)&1 != 0 {
				continue
			}
			cells[lane][column] = c.element(i, j, float64(first(lane, column)))
		}
	}
	return cells
}

// element returns an element of D with the initial value d. All products with their scales are exact as .f64, and so
// are sums unless anything is set.
func (c *tensorCase) element(i, j int, d float64) uint32 {
	var all [65]float64
	summands, k := all[:0], c.depth()
	var exponents [65]int // of summands, as mma's sums are aligned by
	add := func(v float64, e int) {
		if v != 0 {
			exponents[len(summands)] = e
			summands = append(summands, v)
		}
	}
	if c.accumulates {
		add(math.Ldexp(d, -c.scaleD), exponentOf(d, 8, 0)-c.scaleD)
	}
	for n := range k {
		a, b := c.valuesA[i][n], c.valuesB[j][n]
		v, e := a*b, exponentOf(a, c.a.exponent, 0)+exponentOf(b, c.b.exponent, 0)
		if c.negA != c.negB {
			v = -v
		}
		if c.scales > 0 {
			sa, sb := c.scalesA[i][n*c.scales/k], c.scalesB[j][n*c.scales/k]
			v *= sa * sb
			e += exponentOf(sa, 4, 1) + exponentOf(sb, 4, 1)
		}
		add(v, e)
	}
	if c.anything {
		return cutSum(summands, exponents[:len(summands)])
	}
	sum := 0.0
	for _, s := range summands {
		sum += s
	}
	if c.saturates {
		sum = min(max(sum, math.MinInt32), math.MaxInt32)
	}
	return c.cell(sum)
}

// exponentOf returns the exponent of v, at least that of the smallest normal number of a format with a number of
// exponent bits; for scales (free) any exponent.
func exponentOf(v float64, bits, free int) int {
	if v == 0 || bits == 0 {
		return 0
	}
	_, e := math.Frexp(v)
	if free != 0 {
		return e - 1
	}
	return max(e-1, 2-1<<(bits-1))
}

// cutSum returns the sum of summands truncated towards zero 25 bits below the largest exponent, truncated to .f32.
func cutSum(summands []float64, exponents []int) uint32 {
	if len(summands) == 0 {
		return 0
	}
	top := slices.Max(exponents)
	sum := int64(0)
	for _, s := range summands {
		sum += int64(math.Trunc(math.Ldexp(s, 25-top)))
	}
	f := new(big.Float).SetPrec(24).SetMode(big.ToZero).SetInt64(sum)
	v, _ := f.SetMantExp(f, top-25).Float32() // exact: in range and with 24 bits
	return math.Float32bits(v)
}

// run executes the product and compares D.
func (c *tensorCase) run(t *testing.T) {
	t.Helper()
	a, size := layoutOf(c.a.bits, c.m, 1024*rand.IntN(2), c.modeA, c.transA)
	b, sizeB := layoutOf(c.b.bits, c.n+c.shift(), a.base+(size+1023)/1024*1024, c.modeB, c.transB)
	image := make([]byte, (b.base+sizeB+3)/4*4+16)
	c.fill(image, &a, &b)
	source := c.kernel(image, &a, &b)
	want := c.want()
	kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: source, Block: kerneltest.Dim(128, 1), Shared: int64(len(image)), Words: []int{128 * 256}}.Want(t, func(i int) uint32 { return want[i/256][i%256] })
	if t.Failed() {
		at := strings.Index(source, "tcgen05.mma")
		c.valuesA, c.valuesB = [288][64]float64{}, [288][64]float64{}
		t.Fatalf("%s\na %+v\nb %+v\n%s %s %s %dx%d ws %v transposed %v %v negative %v %v", source[at:at+strings.Index(source[at:], ";")], a, b, c.kind, c.a.name, c.b.name, c.m, c.n, c.ws, c.transA, c.transB, c.negA, c.negB)
	}
}

// flip is true with probability one half.
func flip() bool { return rand.IntN(2) == 0 }

// randomCase returns a random product without scales.
func randomCase() *tensorCase {
	c := &tensorCase{m: 64 << rand.IntN(2), accumulates: flip()}
	c.ws = rand.IntN(4) == 0
	step := 8
	switch rand.IntN(5) {
	case 0:
		c.kind, c.a, c.b, c.sum = "f16", elementF16, elementF16, "f16"
	case 1:
		c.kind, c.sum = "f16", "f32"
		c.a, c.b = []tensorElement{elementF16, elementBF16}[rand.IntN(2)], []tensorElement{elementF16, elementBF16}[rand.IntN(2)]
	case 2:
		c.kind, c.a, c.b, c.sum = "tf32", elementTF32, elementTF32, "f32"
	case 3:
		c.kind, c.sum = "f8f6f4", "f32"
		c.a, c.b = floatBytes[rand.IntN(len(floatBytes))], floatBytes[rand.IntN(len(floatBytes))]
	case 4:
		c.kind, c.sum, c.saturates, step = "i8", "s32", flip(), 16
		c.a, c.b = []tensorElement{elementU8, elementS8}[rand.IntN(2)], []tensorElement{elementU8, elementS8}[rand.IntN(2)]
	}
	c.transA, c.transB = rand.IntN(3) == 0 && packedBits[c.a.name] == 0, rand.IntN(3) == 0 && packedBits[c.b.name] == 0
	if c.transB && c.b.bits == 8 {
		step = 16
	}
	c.n = step * (1 + rand.IntN(256/step))
	modes := []uint64{0, 2, 4, 6}
	c.modeA, c.modeB = modes[rand.IntN(4)], modes[rand.IntN(4)]
	if c.ws {
		c.m, c.n = 32<<rand.IntN(3), 64<<rand.IntN(3)
		if flip() {
			c.zeros = 1<<39 | rand.Uint64()&0x0000000f_03030303 | uint64(rand.IntN(9))<<40 | uint64(rand.IntN(9))<<48 | uint64(rand.IntN(17))<<56
		}
	}
	if c.inTensor = rand.IntN(3) == 0 && (!c.ws || c.m == 128); c.inTensor {
		c.transA = false
	}
	if c.kind == "tf32" && c.transA {
		c.modeA = 1
	}
	if c.kind == "tf32" && c.transB {
		c.modeB = 1
	}
	if c.sum != "s32" {
		c.negA, c.negB = flip(), flip()
	}
	if c.m == 64 && !c.ws {
		c.lane = 16 * rand.IntN(2)
	}
	if !c.ws && flip() {
		c.disabled = [4]uint32{rand.Uint32(), rand.Uint32(), rand.Uint32(), rand.Uint32()}
	}
	if (c.kind == "f16" && c.sum == "f32" || c.kind == "tf32") && !c.ws && flip() {
		c.scaleD = rand.IntN(4)
	}
	return c
}

// TestExactTensorProductsMatchSums executes products of all kinds, shapes and layouts with exact sums, and compares
// them with the sums of their values.
func TestExactTensorProductsMatchSums(t *testing.T) {
	short.Alternates(t, 1, 3)
	for range short.Of(60) {
		randomCase().run(t)
	}
}

// TestScaledProductsMatchSums is TestExactTensorProductsMatchSums for kinds with scales.
func TestScaledProductsMatchSums(t *testing.T) {
	short.Alternates(t, 1, 3)
	for range short.Of(24) {
		scaledCase().run(t)
	}
}

// scaledCase returns a random product with scales.
func scaledCase() *tensorCase {
	c := &tensorCase{m: 128, n: 8 * (1 + rand.IntN(32)), sum: "f32", accumulates: flip(), negA: flip(), negB: flip(), inTensor: rand.IntN(3) == 0}
	modes := []uint64{0, 2, 4, 6}
	c.modeA, c.modeB = modes[rand.IntN(4)], modes[rand.IntN(4)]
	c.a, c.b = elementE2M1, elementE2M1
	switch rand.IntN(4) {
	case 0:
		c.kind, c.scales = "mxf8f6f4", 1
		c.vectors = []string{"", ".scale_vec::1X", ".block32"}[rand.IntN(3)]
		c.a, c.b = floatBytes[rand.IntN(len(floatBytes))], floatBytes[rand.IntN(len(floatBytes))]
		c.transA, c.transB = !c.inTensor && flip() && packedBits[c.a.name] == 0, flip() && packedBits[c.b.name] == 0
		if c.transB {
			c.n = 16 * (1 + rand.IntN(16))
		}
	case 1:
		c.kind, c.scales = "mxf4", 2
		c.vectors = []string{"", ".scale_vec::2X", ".block32"}[rand.IntN(3)]
	case 2:
		c.kind, c.scales = "mxf4nvf4", 2
		c.vectors = []string{".scale_vec::2X", ".block32"}[rand.IntN(2)]
	case 3:
		c.kind, c.scales, c.fine = "mxf4nvf4", 4, flip()
		c.vectors = []string{".scale_vec::4X", ".block16"}[rand.IntN(2)]
	}
	c.byteA, c.byteB = rand.IntN(4)/c.scales*c.scales, rand.IntN(4)/c.scales*c.scales
	return c
}

// TestInexactTensorSumsAreTruncated: sums that are not exact are truncated like those of mma.
func TestInexactTensorSumsAreTruncated(t *testing.T) {
	short.Alternates(t, 0, 3)
	for range short.Of(24) {
		c := randomCase()
		if flip() {
			c = scaledCase()
		}
		if c.sum == "f32" {
			c.anything = true
			c.run(t)
		}
	}
}

// TestTensorCopiesReachLanesOfISA copies random rows by each shape, and compares all lanes: which row is in which lane
// is typed from the text of PTX (ISA 9.7.16, tcgen05.cp).
func TestTensorCopiesReachLanesOfISA(t *testing.T) {
	for _, c := range []struct {
		shape         string
		rows, columns int
		lane          int
		row           func(lane int) int // -1: none
	}{
		{"128x256b", 128, 8, 0, func(lane int) int { return lane }},
		{"128x128b", 128, 4, 0, func(lane int) int { return lane }},
		{"4x256b", 4, 8, 31, func(lane int) int {
			if lane%32 == 31 {
				return lane / 32
			}
			return -1
		}},
		{"64x128b.warpx2::02_13", 64, 4, 0, func(lane int) int { return []int{0, 32, 0, 32}[lane/32] + lane%32 }},
		{"64x128b.warpx2::01_23", 64, 4, 0, func(lane int) int { return []int{0, 0, 32, 32}[lane/32] + lane%32 }},
		{"32x128b.warpx4", 32, 4, 0, func(lane int) int { return lane % 32 }},
		{"128x256b.b8x16.b4x16_p64", 128, 8, 0, func(lane int) int { return lane }},
		{"32x128b.warpx4.b8x16.b6x16_p32", 32, 4, 0, func(lane int) int { return lane % 32 }},
	} {
		for _, mode := range []uint64{0, 2, 4, 6} {
			l, size := layoutOf(8, c.rows, 1024, mode, false)
			image := make([]byte, (1024+size+3)/4*4)
			var want [128][16]uint32
			for row := range c.rows {
				var unit [16]byte
				for k := range 4 * c.columns {
					if k%16 == 0 {
						for i := range unit {
							unit[i] = byte(rand.Uint32())
							image[l.at(8, row, k+i, 0)] = unit[i]
						}
						unit = unpacked(unit, c.shape)
					}
					b := unit[k%16]
					for lane := range want {
						if c.row(lane) == row {
							want[lane][3+k/4] |= uint32(b) << (k % 4 * 8)
						}
					}
				}
			}
			kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: kerneltest.Source(t, "testdata/kernels/tensor_product.txt", "tensor copies", "$registers", storeRegisters(16), "$imageText", imageText(image), "$copyImage", copyImage(len(image)/4), "$shape", c.shape, "$lane", fmt.Sprint(c.lane<<16+3), "$list", list(16), "$l", fmt.Sprint(l.descriptor())),
				Block: kerneltest.Dim(128, 1), Shared: int64(len(image)), Words: []int{128 * 16}}.Want(t, func(i int) uint32 { return want[i/16][i%16] })
			if t.Failed() {
				t.Fatalf("%s, layout %+v", c.shape, l)
			}
		}
	}
}

// unpacked returns what a copy makes of 16 bytes: numbers of 4 bits go to the middle of a byte, those of 6 to its low
// end.
func unpacked(unit [16]byte, shape string) [16]byte {
	size, shift := 8, 0
	switch {
	case strings.Contains(shape, "b4x16"):
		size, shift = 4, 2
	case strings.Contains(shape, "b6x16"):
		size = 6
	}
	var u [16]byte
	for i := range 16 * size {
		u[i/size] |= unit[i/8] >> (i % 8) & 1 << (i%size + shift)
	}
	return u
}

// imageText declares a variable with the contents of shared memory, and copyImage copies a number of its words there,
// from %r12 on.
func imageText(image []byte) string {
	var words []string
	for i := 0; i < len(image); i += 4 {
		words = append(words, fmt.Sprint(binary.LittleEndian.Uint32(image[i:])))
	}
	return fmt.Sprintf(".global .b32 image[] = {%s};\n", strings.Join(words, ","))
}

func copyImage(words int) string {
	return fmt.Sprintf(`
	mov.u32 %%r10, %%r80;
	mov.u32 %%r12, s;
COPY:
	mad.lo.u32 %%r11, %%r10, 4, %%r12;
	mov.u64 %%rd2, image;
	mad.wide.u32 %%rd2, %%r10, 4, %%rd2;
	ld.global.u32 %%r13, [%%rd2];
	st.shared.u32 [%%r11], %%r13;
	add.u32 %%r10, %%r10, 128;
	setp.lt.u32 %%p1, %%r10, %d;
	@%%p1 bra COPY;`, words)
}

// TestTensorProductFaults: invalid descriptors, and matrices outside memory, are refused.
func TestTensorProductFaults(t *testing.T) {
	const (
		f32    = 1 << 4
		n64    = 8 << 17
		m128   = 8 << 24
		plain  = f32 | n64 | m128
		shared = uint64(1)<<46 | 8<<16 | 16<<32
		scaled = 1<<23 | n64 | 1<<27
	)
	product := func(kind string, descriptor int) string {
		return fmt.Sprintf("mov.u64 %%rd1, %d;\n\ttcgen05.mma.cta_group::1.kind::%s [%%r2], %%rd1, %%rd1, %d, 1;", shared, kind, descriptor)
	}
	for body, want := range map[string]string{
		product("f16", plain|1<<2):                                           "instruction descriptor 0x8100014: bit 2 is set, but the product is not sparse [tensor-descriptor] ... lane 0 (00000001)",
		product("f16", plain|1<<3):                                           "bit 3 is for integers",
		product("f16", plain|1<<6):                                           "reserved bits are not 0",
		product("f16", plain|1<<30):                                          "bits 30 and 31 are for .ws",
		product("f16", plain|2<<7):                                           "there is no type 2 of A (bits 7 to 9)",
		product("f16", plain|4<<10):                                          "there is no type 4 of B (bits 10 to 12)",
		product("f16", plain|3<<4):                                           "there is no type 3 of D (bits 4 and 5)",
		product("f16", n64|m128|1<<7):                                        "a sum of .f16 is one of products of .f16",
		product("tf32", plain):                                               "there is no type 0 of A",
		product("f8f6f4", plain|2<<7):                                        "there is no type 2 of A",
		product("f8f6f4", plain|5<<7|1<<15):                                  "elements of 4 and 6 bits are not transposed (bits 15 and 16)",
		product("i8", plain):                                                 "there is no type 1 of D",
		product("i8", plain+f32|1<<13):                                       "integers are not negated (bits 13 and 14)",
		product("f16", f32|n64|6<<24):                                        "M is 96; it is one of [64 128]",
		product("f16", f32|n64|16<<24):                                       "M is 256; it is one of [64 128]",
		product("f16", f32|m128):                                             "N is 0 (bits 17 to 22); it is a multiple of 8 from 8 to 256",
		product("f16", f32|m128|33<<17):                                      "N is 264",
		product("i8", f32<<1|m128|5<<17):                                     "N is 40 (bits 17 to 22); it is a multiple of 16 from 8 to 256",
		product("f8f6f4", f32|m128|1<<16|1<<17):                              "N is 8 (bits 17 to 22); it is a multiple of 16 from 16 to 256",
		product("f16", plain):                                                "matrix of tcgen05 past the end of where [mem-oob] shared 0x0 ... 16 bytes each",
		strings.Replace(product("f16", plain), "[%r2]", "[%r2+0x100000]", 1): "D from lane 16 of tensor memory on: one of 128 rows begins at lane 0 [tensor-access]",
		strings.Replace(product("f16", f32|n64|4<<24), "[%r2]", "[%r2+0x80000]", 1):                                                                            "D from lane 8 of tensor memory on: one of 64 rows begins at lane 0 or 16",
		strings.Replace(product("f16", plain), "[%r2]", "[%r2+449]", 1):                                                                                        "D: columns 449 to 512 of tensor memory at 0x1c1 are not allocated; allocated: 0 to 511 [tensor-access]",
		strings.Replace(product("f16", plain), fmt.Sprint(shared), "0", 1):                                                                                     "descriptor 0x0 of A: bits 46 to 48 are not 0b001 [tensor-descriptor]",
		strings.Replace(product("f16", plain), fmt.Sprint(shared), fmt.Sprint(shared|1<<61), 1):                                                                "of A: swizzling mode 1 is for .tf32 that is transposed",
		strings.Replace(product("tf32", plain|2<<7|2<<10|1<<15), fmt.Sprint(shared), fmt.Sprint(shared|2<<61), 1):                                              "of A: .tf32 that is transposed takes swizzling mode 1 alone",
		strings.Replace(product("f16", plain|1<<15), "[%r2], %rd1", "[%r2], [%r2]", 1):                                                                         "A is transposed (bit 15), which it is not in tensor memory",
		strings.Replace(product("f16", plain), "[%r2], %rd1", "[%r2], [%r2+508]", 1):                                                                           "A: columns 508 to 515 of tensor memory",
		strings.Replace(product("f16", f32|n64|4<<24), "[%r2], %rd1", "[%r2+0x100000], [%r2]", 1):                                                              "A from lane 0 of tensor memory on, and D from lane 16 on",
		strings.Replace(strings.Replace(product("f16", plain), "mma.", "mma.ws.", 1), ", 1;", ", 1, 0x0100000000000000;", 1):                                   "mask of columns 0x100000000000000: columns are shifted by 1 (bits 56 to 61); the instruction descriptor allows 0",
		strings.Replace(strings.Replace(product("f16", plain), "mma.", "mma.ws.", 1), ", 1;", ", 1, 0x1000000000;", 1):                                         "mask of columns 0x1000000000: reserved bits are not 0",
		strings.Replace(strings.Replace(product("f16", plain), "mma.", "mma.ws.", 1), fmt.Sprint(plain), fmt.Sprint(f32|m128|12<<17), 1):                       "N is 96 (bits 17 to 22); with .ws it is 64, 128 or 256",
		fmt.Sprintf("mov.u64 %%rd1, 0;\n\ttcgen05.mma.cta_group::1.kind::mxf4.block_scale [%%r2], %%rd1, %%rd1, %d, [0], [0], 1;", scaled):                     "there is no type 0 of A",
		fmt.Sprintf("mov.u64 %%rd1, 0;\n\ttcgen05.mma.cta_group::1.kind::mxf4.block_scale [%%r2], %%rd1, %%rd1, %d, [0], [0], 1;", scaled|1<<4|1<<7|1<<10):     "2 scales from byte 0 of A, and 1 of B, on: they begin at multiples of their number",
		fmt.Sprintf("mov.u64 %%rd1, 0;\n\ttcgen05.mma.cta_group::1.kind::mxf4.block_scale [%%r2], %%rd1, %%rd1, %d, [0], [0], 1;", scaled&^(1<<23)|1<<7|1<<10): "bit 23 says that scales are .ue4m3, which four of .kind::mxf4nvf4 are",
		"mov.u64 %rd1, 0;\n\ttcgen05.cp.cta_group::1.128x256b [%r2], %rd1;":                                                                                    "descriptor 0x0 of the source: bits 46 to 48 are not 0b001",
		fmt.Sprintf("mov.u64 %%rd1, %d;\n\ttcgen05.cp.cta_group::1.128x256b [%%r2+0x10000], %%rd1;", shared):                                                   "destination of a copy: lanes 1 to 128 of tensor memory at 0x10000, which has 128",
		fmt.Sprintf("mov.u64 %%rd1, %d;\n\ttcgen05.cp.cta_group::1.4x256b [%%r2+0x200000], %%rd1;", shared):                                                    "destination of a copy: lanes 32 to 128 of tensor memory",
		fmt.Sprintf("mov.u64 %%rd1, %d;\n\ttcgen05.cp.cta_group::1.32x128b.warpx4 [%%r2], %%rd1;", shared|1<<61):                                               "a copy has no swizzling mode 1",
	} {
		_, _, err := kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: kerneltest.Source(t, "testdata/kernels/tensor_product.txt", "tensor product faults", "$body", body), Words: []int{32}}.Run(t)
		fault, ok := errors.AsType[*interp.Fault](err)
		if !ok {
			t.Errorf("%s: got %v, want a fault", body, err)
			continue
		}
		for part := range strings.SplitSeq(want, " ... ") {
			if !strings.Contains(fault.Error(), part) {
				t.Errorf("%s: the message lacks %q:\n%v", body, part, err)
			}
		}
	}
	// Without an allocation there is no D.
	_, _, err := kerneltest.Kernel{Config: b200, Driver: sometimesTimed, Source: kerneltest.Entry + "mov.u32 %r2, 0;\n\t" + product("f16", plain) + "\n\tret;\n}", Words: []int{1}}.Run(t)
	if err == nil || !strings.Contains(err.Error(), "D: columns 0 to 63 of tensor memory at 0x0 are not allocated; none are allocated [tensor-access]") {
		t.Error(err)
	}
}
