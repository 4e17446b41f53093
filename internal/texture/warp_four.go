package texture

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// valuesOfFour is valuesOf for the most frequent textures of four channels: of 32 bits, or of 8 bits that mean 0 to 1
// or -1 to 1. It reads a texel at once. It returns false, and does nothing, for others: those that are filtered have
// two dimensions.
func (w *Warp) valuesOfFour(r *Reader, memory []byte, to *[4]*words) (special lanes.Mask, done bool) {
	f := r.texture.Format
	isTable := r.tables[0] != nil
	if f.Channels != 4 || !isTable && f.Channel.Bytes() != 4 || r.N != 1 && (r.N != 4 || r.used != 2) {
		return 0, false
	}
	switch {
	case r.N == 1 && isTable:
		w.corners(r)
		loadFourBytes(to, elements[[4]uint8](memory), &w.at[0], &r.tables)
	case r.N == 1:
		w.corners(r)
		loadFour(to, elements[[4]uint32](memory), &w.at[0])
	case isTable:
		w.sumFourBytes(to, elements[[4]uint8](memory), &r.tables)
	default:
		special = w.sumFourFloats(to, elements[[4]float32](memory))
	}
	return special, true
}

// bilinear returns the weights of four texels in the order of Warp.corner, from those of the right and the lower ones.
func bilinear(right, lower float64) (a, b, c, d float64) {
	left, upper := 1-right, 1-lower
	return float64(left * upper), float64(right * upper), float64(left * lower), float64(right * lower)
}

// loadFour is load for texels of four channels of 32 bits.
func loadFour(to *[4]*words, from [][4]uint32, at *[lanes.Width]int) {
	red, green, blue, alpha := to[0], to[1], to[2], to[3]
	for lane, n := range at {
		t := &from[uint(n)/4]
		red[lane], green[lane], blue[lane], alpha[lane] = t[0], t[1], t[2], t[3]
	}
}

// loadFourBytes is load for texels of four channels of 8 bits that have tables.
func loadFourBytes(to *[4]*words, from [][4]uint8, at *[lanes.Width]int, tables *[4]*values) {
	red, green, blue, alpha := to[0], to[1], to[2], to[3]
	colours, alphas := tables[0], tables[3]
	for lane, n := range at {
		t := &from[uint(n)/4]
		red[lane], green[lane], blue[lane], alpha[lane] = colours[t[0]], colours[t[1]], colours[t[2]], alphas[t[3]]
	}
}

// sumFourFloats is sum for the channels of texels of four F32.
func (w *Warp) sumFourFloats(to *[4]*words, from [][4]float32) (special lanes.Mask) {
	x, y := &w.axes[0], &w.axes[1]
	for lane := range lanes.Width {
		left, right, up, down := x.lower[lane], x.upper[lane], y.lower[lane], y.upper[lane]
		a, b, c, d := &from[uint(left+up)/4], &from[uint(right+up)/4], &from[uint(left+down)/4], &from[uint(right+down)/4]
		wa, wb, wc, wd := bilinear(x.alpha[lane], y.alpha[lane])
		for i := range to {
			sum := 0.0 + float64(wa*float64(a[i]))
			sum += float64(wb * float64(b[i]))
			sum += float64(wc * float64(c[i]))
			sum += float64(wd * float64(d[i]))
			bits := math.Float32bits(float32(sum))
			if to[i][lane] = bits; bits&infinity == infinity {
				special |= 1 << lane
			}
		}
	}
	return special
}

// sumFourBytes is sum for the channels of texels of four channels of 8 bits that have tables. All sums are finite.
func (w *Warp) sumFourBytes(to *[4]*words, from [][4]uint8, tables *[4]*values) {
	x, y := &w.axes[0], &w.axes[1]
	for lane := range lanes.Width {
		left, right, up, down := x.lower[lane], x.upper[lane], y.lower[lane], y.upper[lane]
		a, b, c, d := &from[uint(left+up)/4], &from[uint(right+up)/4], &from[uint(left+down)/4], &from[uint(right+down)/4]
		wa, wb, wc, wd := bilinear(x.alpha[lane], y.alpha[lane])
		for i := range to {
			t := tables[i]
			sum := 0.0 + float64(wa*float64(math.Float32frombits(t[a[i]])))
			sum += float64(wb * float64(math.Float32frombits(t[b[i]])))
			sum += float64(wc * float64(math.Float32frombits(t[c[i]])))
			sum += float64(wd * float64(math.Float32frombits(t[d[i]])))
			to[i][lane] = math.Float32bits(float32(sum))
		}
	}
}
