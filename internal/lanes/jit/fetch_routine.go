package jit

import (
	"math"
	"math/bits"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Registers of the routine of a Fetch.
const (
	fetchTexels  = RSI // Texels
	fetchTable   = RDI // FetchRegisters
	fetchScratch = RCX // memory of productBytes
	fetchLanes   = RDX // the lanes from the present ones on
	fetchPlace   = R10 // 4 * the first of the present lanes
	fetchData    = R11 // the first texel
	fetchOutside = R15 // with Linear, not 0 if present lanes read the border's colour
	fetchMask    = maskSecond
)

// fetchRoutine writes the routine of a Fetch.
type fetchRoutine struct {
	Emit
	*Fetch
	borders bool  // lanes may read the border's colour
	taps    int   // texels of a lane
	word    int32 // bytes of a vector of 32-bit elements
	used    Vec   // vector registers, from the first one
	scratch int32 // bytes of scratch memory in use

	// Places in scratch memory, by axis: offsets of the lower and of the upper texels, and where these are inside; the
	// weights of the lower and of the upper ones.
	at, inside [3][2]int32
	alpha      [3][2]int32
	// By texel: its weight, ones where that is not 0, and where it is inside.
	weight, counts, within [8]int32
	executing              int32 // with AVX2, the lanes, by signs
}

func newFetchRoutine(level Level, f *Fetch) *fetchRoutine {
	x := &fetchRoutine{Fetch: f, taps: 1}
	x.Level = level
	x.Reset()
	x.NewTemp = x.val
	x.AsSubvectors()
	x.word = x.vectorBytes()
	if x.adjoins() {
		x.taps = 1 << f.Dims
	}
	for i := range f.Dims {
		x.borders = x.borders || f.Axes[i].Mode.borders()
	}
	return x
}

// adjoins reports whether two texels are read in each dimension.
func (f *Fetch) adjoins() bool { return f.Linear || f.FourOf > 0 }

// val allocates a value, until used is set back. It is not inlined, nor are others that many places call: they are not
// worth the machine code.
//
//go:noinline
func (x *fetchRoutine) val(bits uint8) Val {
	v := Val{Bits: bits, Lo: x.used}
	x.used++
	if bits == 64 {
		v.Hi = x.used
		x.used++
	}
	if int(x.used) > x.Vectors() {
		panic("simtrun bug: a fetch needs too many vector registers")
	}
	return v
}

// place allocates scratch memory for a value.
//
//go:noinline
func (x *fetchRoutine) place(bits uint8) int32 {
	at := x.scratch
	x.scratch += x.word * int32(bits) / 32
	if x.scratch > productBytes {
		panic("simtrun bug: a fetch needs too much scratch memory")
	}
	return at
}

// keep stores a value in scratch memory.
func (x *fetchRoutine) keep(at int32, v Val) {
	l, n := x.shape(v.Bits)
	x.vStore(vmovdqu, l, memAt(fetchScratch, at), v.Lo)
	if n == 2 {
		x.vStore(vmovdqu, l, memAt(fetchScratch, at+x.word), v.Hi)
	}
}

// kept loads a value from scratch memory.
func (x *fetchRoutine) kept(d Val, at int32) {
	l, n := x.shape(d.Bits)
	x.v2M(vmovdqu, l, d.Lo, memAt(fetchScratch, at))
	if n == 2 {
		x.v2M(vmovdqu, l, d.Hi, memAt(fetchScratch, at+x.word))
	}
}

// with is d = a op the value in scratch memory.
func (x *fetchRoutine) with(op vOp, d, a Val, at int32) {
	l, n := x.shape(d.Bits)
	x.v3M(op, l, d.Lo, a.Lo, memAt(fetchScratch, at))
	if n == 2 {
		x.v3M(op, l, d.Hi, a.Hi, memAt(fetchScratch, at+x.word))
	}
}

// every is d = a op the element at m in all lanes.
//
//go:noinline
func (x *fetchRoutine) every(op vOp, d, a Val, m Mem) {
	used := x.used
	l, n := x.shape(d.Bits)
	t := x.val(32).Lo
	x.v2M(byWidth(d.Bits, vpbroadcastd, vpbroadcastq), l, t, m)
	x.v3(op, l, d.Lo, a.Lo, t)
	if n == 2 {
		x.v3(op, l, d.Hi, a.Hi, t)
	}
	x.used = used
}

// double is d = a op a number, the same in all lanes.
func (x *fetchRoutine) double(op vOp, d, a Val, number float64) {
	x.op3m(op, d, a, x.constant(math.Float64bits(number), 64))
}

// ofAxis is the place of a field of axis i of the Texels.
//
//go:noinline
func ofAxis(i int, field int32) Mem {
	return memAt(fetchTexels, texelsAxes+texelAxisBytes*int32(i)+field)
}

// write writes the routine at l. It finds the registers of the list above, except fetchPlace to fetchOutside. It
// changes the registers that ProductRoutine changes.
func (x *fetchRoutine) write(l Label) {
	top, next := x.NewLabel(), x.NewLabel()
	x.allocate()
	x.Align(32)
	x.Bind(l)
	x.Load(W64, fetchData, memAt(fetchTexels, texelsData))
	x.op(xor, W32, fetchPlace, fetchPlace)
	x.Bind(top)
	x.testImm(W32, fetchLanes, int32(1)<<x.Lanes-1)
	x.jcc(condE, next)
	x.lanesNow()
	switch {
	case x.FourOf > 0:
		x.gatherFour()
	case x.Linear:
		x.filter()
	default:
		x.point()
	}
	x.Bind(next)
	x.opImm(add, W32, fetchPlace, 4*int32(x.Lanes))
	x.shiftImm(shr, W32, fetchLanes, uint8(x.Lanes))
	x.jcc(condNE, top)
	x.Ret()
}

// allocate allocates scratch memory.
func (x *fetchRoutine) allocate() {
	if x.Level < AVX512 {
		x.executing = x.place(32)
	}
	if !x.adjoins() {
		return
	}
	for i := range x.Dims {
		for upper := range 2 {
			x.at[i][upper], x.alpha[i][upper] = x.place(32), x.place(64)
			if x.borders {
				x.inside[i][upper] = x.place(32)
			}
		}
	}
	for k := range x.taps {
		if !x.Linear {
			break
		}
		x.weight[k], x.counts[k] = x.place(64), x.place(64)
		if x.borders {
			x.within[k] = x.place(32)
		}
	}
}

// lanesNow makes a mask of the present lanes.
func (x *fetchRoutine) lanesNow() {
	if x.Level == AVX512 {
		x.kFromReg(W32, fetchMask, fetchLanes)
		return
	}
	// shifted left by 31 minus its number, the bits of a lane have its own at the sign
	used := x.used
	v, count := x.val(32), x.val(32)
	x.Const(count, 31)
	x.op3m(vpsubd, count, count, x.laneNumbers(1))
	x.vFromReg(vmovd, v.Lo, fetchLanes)
	x.v2(vpbroadcastd, l256, v.Lo, v.Lo)
	x.op3(vpsllvd, v, v, count)
	x.keep(x.executing, v)
	x.used = used
}

// slot loads the address of the present lanes of a register of the table into RAX.
//
//go:noinline
func (x *fetchRoutine) slot(entry int32) Mem {
	x.Load(W32, RAX, memAt(fetchTable, entry))
	x.op(add, W64, RAX, regFile)
	return atIndex(RAX, fetchPlace, 1, 0)
}

// result writes result c of the present lanes. It may change v.
func (x *fetchRoutine) result(c int, v Val) {
	l, _ := x.shape(32)
	m := x.slot(fetchResults + 4*int32(c))
	if x.Level == AVX512 {
		x.vStoreK(vmovdqu32, l, m, v.Lo, fetchMask)
		return
	}
	used := x.used
	old, executing := x.val(32), x.val(32)
	x.v2M(vmovdqu, l, old.Lo, m)
	x.kept(executing, x.executing)
	x.v4(vblendvps, l, v.Lo, old.Lo, v.Lo, executing.Lo)
	x.vStore(vmovdqu, l, m, v.Lo)
	x.used = used
}

// missing sets d to result c of texels that do not have the channel.
func (x *fetchRoutine) missing(d Val, c int) {
	if c < 3 {
		x.Const(d, 0)
		return
	}
	l, _ := x.shape(32)
	x.v2M(vpbroadcastd, l, d.Lo, memAt(fetchTexels, texelsOne))
}

// orBorder replaces d by channel c of the border's colour where inside has zeros.
func (x *fetchRoutine) orBorder(d Val, c int, inside Val) {
	used := x.used
	l, _ := x.shape(32)
	t := x.val(32)
	x.v2M(vpbroadcastd, l, t.Lo, memAt(fetchTexels, texelsBorder+4*int32(c)))
	x.pick(l, d.Lo, t.Lo, d.Lo, inside.Lo)
	x.used = used
}

// texelBytes is the size of a texel.
func (x *fetchRoutine) texelBytes() int { return x.Channel.bytes() * x.Channels }

// lowest sets low to the lower texels at the coordinates in c, as numbers before the address mode applies, and with
// Linear keeps the weights. It changes c.
func (x *fetchRoutine) lowest(i int, low, c Val) {
	a := &x.Axes[i]
	x.numbers(a, c)
	const far, floor, truncate = 1 << 30, 9, 11
	if !x.adjoins() && !a.Scaled && a.Mode != ClampOGL {
		x.op3m(vminps, c, c, x.constant(uint64(math.Float32bits(far)), 32))
		x.op3m(vmaxps, c, c, x.constant(uint64(math.Float32bits(-far)), 32))
		x.op2i(vroundps, c, c, floor)
		x.op2(vcvttps2DQ, low, c)
		return
	}
	used := x.used
	v, t := x.val(64), x.val(64)
	x.lengthen(vcvtps2PD, v, c)
	switch size := ofAxis(i, texelAxisSize); a.Mode {
	case Wrap: // the remainder by the size, of the coordinate times the size
		x.op2i(vroundpd, t, v, truncate)
		x.op3(vsubpd, v, v, t)
		x.every(vmulpd, v, v, size)
	case Mirror: // the remainder by twice the size, then the distance from a multiple of that
		x.double(vmulpd, v, v, 0.5)
		x.op2i(vroundpd, t, v, truncate)
		x.op3(vsubpd, v, v, t)
		x.every(vmulpd, v, v, size)
		x.op3(vaddpd, v, v, v)
		{
			used := x.used
			x.mirror(v, t, size)
			x.used = used
		}
	default:
		if a.Scaled {
			x.every(vmulpd, v, v, size)
		}
		if a.Mode == ClampOGL {
			x.double(vmaxpd, v, v, 0)
			x.every(vminpd, v, v, size)
		} else {
			x.double(vminpd, v, v, far)
			x.double(vmaxpd, v, v, -far)
		}
	}
	if x.adjoins() {
		x.double(vsubpd, v, v, 0.5)
	}
	x.op2i(vroundpd, t, v, floor)
	x.shorten(vcvttpd2DQ, low, t)
	if !x.Linear {
		return
	}
	x.op3(vsubpd, v, v, t)
	x.double(vmulpd, v, v, 256)
	x.double(vaddpd, v, v, 0.5)
	x.op2i(vroundpd, v, v, floor)
	x.double(vmulpd, v, v, 1.0/256)
	x.keep(x.alpha[i][1], v)
	x.Const(t, math.Float64bits(1))
	x.op3(vsubpd, t, t, v)
	x.keep(x.alpha[i][0], t)
	x.used = used
}

// numbers replaces NaN by 0, and infinite coordinates if they count as that.
func (x *fetchRoutine) numbers(a *FetchAxis, c Val) {
	used := x.used
	t := x.val(32)
	if a.Infinite {
		x.AndConst(t, c, 1<<31-1)
		infinity := x.val(32)
		x.Const(infinity, uint64(math.Float32bits(float32(math.Inf(1)))))
		x.op3(vpcmpgtd, t, infinity, t)
	} else {
		x.op3i(vcmpps, t, c, c, floatPredicates[lanes.Num])
	}
	x.And(c, c, t)
	x.used = used
}

// mirror maps v, between minus and plus twice the size, to its mirror image within the size.
func (x *fetchRoutine) mirror(v, t Val, size Mem) {
	l, n := x.shape(64)
	twice := Val{Bits: 64, Lo: x.val(32).Lo}
	twice.Hi = twice.Lo
	x.v2M(vpbroadcastq, l, twice.Lo, size)
	x.v3(vaddpd, l, twice.Lo, twice.Lo, twice.Lo)
	if n == 1 {
		panic("simtrun bug: lanes of subvectors take two vectors")
	}
	zero := Val{Bits: 64, Lo: x.val(32).Lo}
	zero.Hi = zero.Lo
	x.v3(vpxor, l, zero.Lo, zero.Lo, zero.Lo)
	x.op3i(vcmppd, t, v, zero, floatPredicates[lanes.Lt])
	x.And(t, t, twice)
	x.op3(vaddpd, v, v, t)
	x.op3(vsubpd, t, twice, v)
	x.op3(vminpd, v, v, t)
}

// wrap replaces v, from -1 (or, if it is not filtered, 0) minus the size on, by its remainder.
func (x *fetchRoutine) wrap(i int, v Val) {
	used := x.used
	t := x.val(32)
	n := ofAxis(i, texelAxisN)
	x.every(vpaddd, v, v, n)
	if x.adjoins() {
		x.every(vpaddd, t, v, n)
		x.op3(vpminud, v, v, t)
	}
	x.every(vpsubd, t, v, n)
	x.op3(vpminud, v, v, t)
	x.used = used
}

// bring brings texels of axis i inside by its address mode, and makes offsets of their numbers. If the mode has a
// border, it sets inside to where they are inside.
func (x *fetchRoutine) bring(i int, v, inside Val) {
	a := &x.Axes[i]
	switch last := ofAxis(i, texelAxisLast); a.Mode {
	case Wrap: // they are inside
	case ClampToEdge, Mirror:
		{
			used := x.used
			zero := x.val(32)
			x.Const(zero, 0)
			x.op3(vpmaxsd, v, v, zero)
			x.used = used
		}
		x.every(vpminsd, v, v, last)
	default:
		x.every(vpminud, inside, v, last)
		x.op3(vpcmpeqd, inside, inside, v)
		x.And(v, v, inside)
	}
	x.step(i, v)
}

// step multiplies numbers of texels by their distance.
func (x *fetchRoutine) step(i int, v Val) {
	if n := uint8(bits.TrailingZeros(uint(x.texelBytes()))); i > 0 {
		x.every(vpmulld, v, v, ofAxis(i, texelAxisStep))
	} else if n > 0 {
		x.shift(vpslld, v, v, n)
	}
}

// coordinate loads coordinate i.
func (x *fetchRoutine) coordinate(d Val, i int) {
	l, _ := x.shape(32)
	x.v2M(vmovdqu, l, d.Lo, x.slot(4*int32(i)))
}

// addLayer adds the offsets of the layers to at.
func (x *fetchRoutine) addLayer(at Val) {
	used := x.used
	v := x.val(32)
	x.coordinate(v, x.Dims)
	x.every(vpminud, v, v, ofAxis(x.Dims, texelAxisLast))
	x.every(vpmulld, v, v, ofAxis(x.Dims, texelAxisStep))
	x.Add(at, at, v)
	x.used = used
}
