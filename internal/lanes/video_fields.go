package lanes

import "math/bits"

// A SIMD video instruction is computed for all elements of a lane at once (Fisher and Dietz, Compiling for SIMD Within
// a Register, 1998). Elements of w bits are in fields of 2w bits of a word, and numbers are kept positive by biases: no
// field carries into the next.

// videoFields are the constants of a SIMD video instruction.
type videoFields struct {
	SIMDVideo
	width          int    // w
	one            uint64 // 1 in each field
	low            uint64 // the lower w bits of each field
	signA, signB   uint64 // the sign bits of signed sources
	biasA, biasB   uint64 // make 2^w of 0, after the sign bits are inverted
	bias           uint64 // 4 * 2^w, that of results
	least, most    uint64 // the range of an element
	counts         uint64 // all bits of the fields whose results count
	place          uint32 // their bits in the result
	plainA, plainB bool   // elements are in order
}

func (v SIMDVideo) fields(width int) (f videoFields) {
	f = videoFields{SIMDVideo: v, width: width, one: 0x0001_0001_0001_0001, plainA: v.A == 0x3210, plainB: v.B == 0x7654}
	if width == 16 {
		f.one, f.plainA, f.plainB = 1<<32|1, v.A&0xff == 0x10, v.B&0xff == 0x32
	}
	f.low, f.bias = f.one<<width-f.one, f.one<<(width+2)
	sign := f.one << (width - 1)
	f.biasA, f.biasB = 2*sign, 2*sign
	if v.SignedA {
		f.signA, f.biasA = sign, sign
	}
	if v.SignedB {
		f.signB, f.biasB = sign, sign
	}
	f.least, f.most = f.bias, f.bias+f.low
	if v.SignedD {
		f.least, f.most = f.least-sign, f.most-sign
	}
	for i := range 32 / width {
		if v.Mask>>i&1 != 0 {
			f.place |= (1<<width - 1) << (i * width)
			f.counts |= (1<<(2*width) - 1) << (2 * i * width)
		}
	}
	return f
}

func videoSIMD(f *File, in *Op, m Mask, width int) {
	v := simdVideo(in.Imm).fields(width)
	some3(Out[uint32](f, in.D, m), Reg[uint32](f, in.A), Reg[uint32](f, in.B), Reg[uint32](f, in.C), m, func(a, b, c uint32) uint32 {
		x, y := a, b
		if !v.plainA {
			x = v.choose(uint64(b)<<32|uint64(a), v.A)
		}
		if !v.plainB {
			y = v.choose(uint64(b)<<32|uint64(a), v.B)
		}
		return v.finish(v.compute(v.spread(x)^v.signA, v.spread(y)^v.signB), c)
	})
	Merge[uint32](f, in.D, m)
}

// choose returns the elements of a word with these numbers.
func (f *videoFields) choose(sources uint64, numbers uint16) (x uint32) {
	for at := 0; at < 32; at += f.width {
		x |= uint32(sources>>(int(numbers&15)*f.width)) & (1<<f.width - 1) << at
		numbers >>= 4
	}
	return x
}

// spread puts the elements of a word into fields.
func (f *videoFields) spread(word uint32) uint64 {
	x := uint64(word)
	x = (x | x<<16) & 0x0000_ffff_0000_ffff
	if f.width == 8 {
		x = (x | x<<8) & 0x00ff_00ff_00ff_00ff
	}
	return x
}

// gather undoes spread. The upper bits of fields must be 0.
func (f *videoFields) gather(x uint64) uint32 {
	if f.width == 8 {
		x = (x | x>>8) & 0x0000_ffff_0000_ffff
	}
	return uint32(x | x>>16)
}

// all returns all ones in the fields of g that are 1, and zeros in those that are 0.
func (f *videoFields) all(g uint64) uint64 { return g<<(2*f.width) - g }

// atLeast returns 1 in the fields in which a number is at least the other; both are less than half of a field.
func (f *videoFields) atLeast(a, b uint64) uint64 {
	top := 2*f.width - 1
	return (a + f.one<<top - b) >> top & f.one
}

// compute returns the results of the operation, with their bias. The signs of a and b are inverted.
func (f *videoFields) compute(a, b uint64) uint64 {
	a, b = a+f.biasA, b+f.biasB
	switch f.Op {
	case VAdd:
		return a + b + f.bias>>1
	case VSub:
		return a + f.bias - b
	case VAvrg: // halves are rounded away from zero
		sum := a + b + f.bias>>1
		sum += f.atLeast(sum, f.bias)
		return sum>>1&^(f.one<<(2*f.width-1)) + f.bias>>1
	}
	ge := f.atLeast(a, b)
	larger, smaller := b^(a^b)&f.all(ge), a^(a^b)&f.all(ge)
	switch f.Op {
	case VAbsDiff:
		return larger + f.bias - smaller
	case VMin:
		return smaller + f.bias - f.bias>>2
	case VMax:
		return larger + f.bias - f.bias>>2
	}
	le := f.atLeast(b, a)
	switch f.Op {
	case VSetEq:
		return f.bias + ge&le
	case VSetNe:
		return f.bias + (ge ^ le) // never both 0
	case VSetLt:
		return f.bias + (ge ^ f.one)
	case VSetLe:
		return f.bias + le
	case VSetGt:
		return f.bias + (le ^ f.one)
	case VSetGe:
		return f.bias + ge
	}
	panic("simtrun bug: a SIMD video instruction with an operation of scalar ones")
}

// finish puts results into c, or adds them to it.
func (f *videoFields) finish(x uint64, c uint32) uint32 {
	if f.Sat {
		x = f.least ^ (x^f.least)&f.all(f.atLeast(x, f.least))
		x = f.most ^ (x^f.most)&f.all(f.atLeast(f.most, x))
	}
	if !f.Add {
		return c&^f.place | f.gather(x&f.low)&f.place
	}
	x = x & f.counts
	n := bits.OnesCount64(f.counts & f.one)
	if f.width == 8 {
		x = x&0x0000_ffff_0000_ffff + x>>16&0x0000_ffff_0000_ffff
	}
	return c + uint32(x) + uint32(x>>32) - uint32(n)<<(f.width+2)
}
