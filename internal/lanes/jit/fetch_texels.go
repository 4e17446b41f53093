package jit

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// point reads the nearest texels.
func (x *fetchRoutine) point() {
	used := x.used
	at, inside := x.val(32), Val{}
	if x.borders {
		inside = x.val(32)
		x.allOnes(inside)
	}
	for i := range x.Dims {
		{
			used := x.used
			low := at
			if i > 0 {
				low = x.val(32)
			}
			x.nearest(i, low)
			here := x.val(32)
			x.bring(i, low, here)
			if i > 0 {
				x.Add(at, at, low)
			}
			if x.Axes[i].Mode.borders() {
				x.And(inside, inside, here)
			}
			x.used = used
		}
	}
	if x.Layers {
		x.addLayer(at)
	}
	read := x.reads(at)
	for c := range x.Results {
		{
			used := x.used
			v := x.val(32)
			if c < x.Channels {
				read(v, c)
			} else {
				x.missing(v, c)
			}
			if x.borders {
				x.orBorder(v, c, inside)
			}
			x.result(c, v)
			x.used = used
		}
	}
	x.used = used
}

// nearest sets low to the numbers of the nearest texels in dimension i.
func (x *fetchRoutine) nearest(i int, low Val) {
	if x.Integer {
		x.coordinate(low, i)
		return
	}
	{
		used := x.used
		c := x.val(32)
		x.coordinate(c, i)
		x.lowest(i, low, c)
		x.used = used
	}
	switch x.Axes[i].Mode {
	case Wrap:
		x.wrap(i, low)
	case ClampOGL: // a coordinate at the upper edge is inside
		x.every(vpminsd, low, low, ofAxis(i, texelAxisLast))
	}
}

func (x *fetchRoutine) allOnes(d Val) {
	l, _ := x.shape(32)
	if x.Level == AVX512 {
		x.v3I(vpternlogd, l, d.Lo, d.Lo, d.Lo, 0xff)
		return
	}
	x.op3(vpcmpeqd, d, d, d)
}

// filter reads the weighted sums of texels.
func (x *fetchRoutine) filter() {
	for i := range x.Dims {
		{
			used := x.used
			x.adjacent(i)
			x.used = used
		}
	}
	for k := range x.taps {
		{
			used := x.used
			x.weigh(k)
			x.used = used
		}
	}
	if x.borders {
		{
			used := x.used
			all := x.val(32)
			x.allOnes(all)
			for k := range x.taps {
				x.with(vpand, all, all, x.within[k])
			}
			l, _ := x.shape(32)
			x.vToReg(vmovmskps, l, fetchOutside, all.Lo)
			x.opImm(xor, W32, fetchOutside, int32(1)<<x.Lanes-1)
			x.used = used
		}
	}
	{
		used := x.used
		x.sumChannels()
		x.used = used
	}
	for c := x.Channels; c < x.Results; c++ {
		{
			used := x.used
			x.sumMissing(c)
			x.used = used
		}
	}
}

// gatherFour reads a channel of four texels: counterclockwise from the lower left, with y growing downwards.
func (x *fetchRoutine) gatherFour() {
	for i := range x.Dims {
		{
			used := x.used
			x.adjacent(i)
			x.used = used
		}
	}
	c := x.FourOf - 1
	for to, k := range [4]int{2, 3, 1, 0} {
		{
			used := x.used
			v, t := x.val(32), x.val(32)
			if c < x.Channels {
				x.kept(t, x.at[0][k&1])
				x.with(vpaddd, t, t, x.at[1][k>>1])
				x.reads(t)(v, c)
			} else {
				x.missing(v, c)
			}
			if x.borders {
				x.kept(t, x.inside[0][k&1])
				x.with(vpand, t, t, x.inside[1][k>>1])
				x.orBorder(v, c, t)
			}
			x.result(to, v)
			x.used = used
		}
	}
}

// adjacent finds the two texels in dimension i.
func (x *fetchRoutine) adjacent(i int) {
	low, high, inside := x.val(32), x.val(32), x.val(32)
	x.coordinate(high, i)
	x.lowest(i, low, high)
	if x.Axes[i].Mode == Wrap {
		x.wrap(i, low)
	}
	x.AddConst(high, low, 1)
	if x.Axes[i].Mode == Wrap {
		{
			used := x.used
			t := x.val(32)
			x.every(vpsubd, t, high, ofAxis(i, texelAxisN))
			x.op3(vpminud, high, high, t)
			x.used = used
		}
	}
	for upper, v := range []Val{low, high} {
		x.bring(i, v, inside)
		if x.borders {
			if !x.Axes[i].Mode.borders() {
				x.allOnes(inside)
			}
			x.keep(x.inside[i][upper], inside)
		}
		if x.Layers && i == 0 {
			x.addLayer(v)
		}
		x.keep(x.at[i][upper], v)
	}
}

// weigh computes the weight of texel k, and where it is inside.
func (x *fetchRoutine) weigh(k int) {
	w := x.val(64)
	x.kept(w, x.alpha[0][k&1])
	for i := 1; i < x.Dims; i++ {
		x.with(vmulpd, w, w, x.alpha[i][k>>i&1])
	}
	x.keep(x.weight[k], w)
	if x.mayBeInfinite() {
		zero := Val{Bits: 64, Lo: x.val(32).Lo}
		zero.Hi = zero.Lo
		l, _ := x.shape(64)
		x.v3(vpxor, l, zero.Lo, zero.Lo, zero.Lo)
		x.op3i(vcmppd, w, w, zero, floatPredicates[lanes.Ne])
		x.keep(x.counts[k], w)
	}
	if x.borders {
		v := x.val(32)
		x.kept(v, x.inside[0][k&1])
		for i := 1; i < x.Dims; i++ {
			x.with(vpand, v, v, x.inside[i][k>>i&1])
		}
		x.keep(x.within[k], v)
	}
}

// mayBeInfinite reports whether texels may be infinite or NaN: those without weight must be left out.
func (x *fetchRoutine) mayBeInfinite() bool {
	return x.borders || x.Channel == ChannelF32 || x.Channel == ChannelF16
}

// sumChannels computes the results of the channels that texels have.
func (x *fetchRoutine) sumChannels() {
	n := min(x.Channels, x.Results)
	sums := make([]Val, n)
	for c := range sums {
		sums[c] = x.val(64)
		x.Const(sums[c], 0)
	}
	for k := range x.taps {
		{
			used := x.used
			at := x.val(32)
			x.kept(at, x.at[0][k&1])
			for i := 1; i < x.Dims; i++ {
				x.with(vpaddd, at, at, x.at[i][k>>i&1])
			}
			read := x.reads(at)
			for c := range sums {
				{
					used := x.used
					v := x.val(32)
					read(v, c)
					x.addTexel(sums[c], k, c, v)
					x.used = used
				}
			}
			x.used = used
		}
	}
	for c := range sums {
		{
			used := x.used
			x.sum(c, sums[c])
			x.used = used
		}
	}
}

// addTexel adds channel c of texel k, by its weight. It changes v.
func (x *fetchRoutine) addTexel(sum Val, k, c int, v Val) {
	if x.borders {
		{
			used := x.used
			within := x.val(32)
			x.kept(within, x.within[k])
			x.orBorder(v, c, within)
			x.used = used
		}
	}
	used := x.used
	d := x.val(64)
	x.lengthen(vcvtps2PD, d, v)
	if x.mayBeInfinite() {
		x.with(vpand, d, d, x.counts[k])
	}
	x.with(vfmadd231PD, sum, d, x.weight[k]) // the product is exact
	x.used = used
}

// sum writes a sum as result c.
func (x *fetchRoutine) sum(c int, sum Val) {
	v := x.val(32)
	x.shorten(vcvtpd2PS, v, sum)
	if x.mayBeInfinite() {
		{
			used := x.used
			l, _ := x.shape(32)
			is, nan := x.val(32), x.val(32)
			x.op3i(vcmpps, is, v, v, floatPredicates[lanes.Nan])
			x.Const(nan, nanF32)
			x.pick(l, v.Lo, v.Lo, nan.Lo, is.Lo)
			x.used = used
		}
	}
	x.result(c, v)
}

// sumMissing computes result c, of a channel that texels do not have.
func (x *fetchRoutine) sumMissing(c int) {
	outside, done := x.NewLabel(), x.NewLabel()
	if x.borders {
		x.test(W32, fetchOutside, fetchOutside)
		x.jcc(condNE, outside)
	}
	{
		used := x.used
		v := x.val(32)
		x.missing(v, c)
		x.result(c, v)
		x.used = used
	}
	if !x.borders {
		return
	}
	x.Jmp(done)
	x.Bind(outside)
	sum := x.val(64)
	x.Const(sum, 0)
	for k := range x.taps {
		{
			used := x.used
			v := x.val(32)
			x.missing(v, c)
			x.addTexel(sum, k, c, v)
			x.used = used
		}
	}
	x.sum(c, sum)
	x.Bind(done)
}

// reads prepares to read texels at offsets, and returns a function that reads one of their channels. A word of texels
// is read with the first channel in it, and kept for the others.
func (x *fetchRoutine) reads(at Val) func(d Val, c int) {
	word, present := Val{}, -1
	if x.Channel.bytes() < 4 {
		word = x.val(32)
	}
	return func(d Val, c int) {
		byteOf := c * x.Channel.bytes()
		if x.Channel.bytes() == 4 {
			x.gather(d, fetchData, at, 1, int32(byteOf))
			return
		}
		if byteOf/4 != present {
			present = byteOf / 4
			x.gatherWord(word, at, int32(4*present))
		}
		x.decode(d, word, c)
	}
}

// gatherWord reads a word of texels. If they are shorter, it reads the aligned word around each, which memory has,
// and shifts it.
func (x *fetchRoutine) gatherWord(d, at Val, disp int32) {
	if x.texelBytes() >= 4 {
		x.gather(d, fetchData, at, 1, disp)
		return
	}
	used := x.used
	t := x.val(32)
	x.AndConst(t, at, 0xfffffffc)
	x.gather(d, fetchData, t, 1, disp)
	x.AndConst(t, at, 3)
	x.shift(vpslld, t, t, 3)
	x.op3(vpsrlvd, d, d, t)
	x.used = used
}

// gather reads the words at base + index*scale + disp in all lanes.
func (x *fetchRoutine) gather(d Val, base Reg, index Val, scale uint8, disp int32) {
	l, _ := x.shape(32)
	x.v3(vpxor, l, d.Lo, d.Lo, d.Lo)
	if x.Level == AVX512 {
		x.kXnor(W16, maskScratch, maskScratch, maskScratch)
		x.vGatherK(vpgatherdd, l, d.Lo, base, index.Lo, scale, disp, maskScratch)
		return
	}
	used := x.used
	all := x.val(32)
	x.allOnes(all)
	x.vGather(vpgatherdd, l, d.Lo, base, index.Lo, scale, disp, all.Lo)
	x.used = used
}

// decode sets d to the value of channel c in a word of texels: an integer, or the bits of an .f32.
func (x *fetchRoutine) decode(d, word Val, c int) {
	n := uint8(8 * x.Channel.bytes())
	low := uint8(c) * n % 32
	right := vpsrld
	switch x.Channel {
	case ChannelS8, ChannelS16, ChannelSnorm8, ChannelSnorm16:
		right = vpsrad
	}
	if left := 32 - low - n; left > 0 {
		x.shift(vpslld, d, word, left)
		word = d
	}
	x.shift(right, d, word, 32-n)
	switch x.Channel {
	case ChannelF16:
		x.half(d)
	case ChannelUnorm8:
		if x.SRGB && c < 3 {
			{
				used := x.used
				index := x.val(32)
				x.Move(index, d)
				x.Load(W64, RAX, memAt(fetchTexels, texelsValues))
				x.gather(d, RAX, index, 4, 0)
				x.used = used
			}
			return
		}
		x.fractionOf(d, math.MaxUint8)
	case ChannelUnorm16:
		x.fractionOf(d, math.MaxUint16)
	case ChannelSnorm8:
		x.fractionOf(d, math.MaxInt8)
	case ChannelSnorm16:
		x.fractionOf(d, math.MaxInt16)
	}
	if x.Channel == ChannelSnorm8 || x.Channel == ChannelSnorm16 {
		x.op3m(vmaxps, d, d, x.constant(uint64(math.Float32bits(-1)), 32))
	}
}

// fractionOf divides an integer by a number.
func (x *fetchRoutine) fractionOf(d Val, by float32) {
	x.op2(vcvtdq2PS, d, d)
	x.op3m(vdivps, d, d, x.constant(uint64(math.Float32bits(by)), 32))
}

// half replaces the bits of an .f16 by those of the same .f32; a NaN keeps its fraction.
func (x *fetchRoutine) half(d Val) {
	const infinityF32, fraction, leastNormal = 0xff << 23, 23, 0x1p-14
	constant := func(bits uint64) Mem { return x.constant(bits, 32) }
	used := x.used
	sign, special, subnormal, t := x.val(32), x.val(32), x.val(32), x.val(32)
	x.AndConst(sign, d, 1<<15)
	x.shift(vpslld, sign, sign, 16)
	x.AndConst(d, d, 1<<15-1)
	x.shift(vpslld, d, d, fraction-10)
	x.op3m(vpcmpgtd, special, d, constant(0x1f<<fraction-1))
	x.AndConst(special, special, infinityF32)
	x.Const(subnormal, 1<<fraction)
	x.op3(vpcmpgtd, subnormal, subnormal, d)
	x.AddConst(d, d, (127-15)<<fraction)
	// A subnormal number is what its fraction adds to the least normal one.
	x.AndConst(t, subnormal, 1<<fraction)
	x.Add(d, d, t)
	x.AndConst(t, subnormal, uint64(math.Float32bits(leastNormal)))
	x.SubFloat(d, d, t)
	x.Or(d, d, special)
	x.Or(d, d, sign)
	x.used = used
}
