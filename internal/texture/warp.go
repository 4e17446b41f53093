package texture

import (
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// words are the lanes of a register.
type words = [lanes.Width]uint32

// Warp is the texels that the lanes of a warp read by a Reader, and their values. It finds what Footprint and Value
// find for one lane.
type Warp struct {
	axes    [3]places
	at      [8][lanes.Width]int     // of corners: by texel and lane the places of the first channels, as in places
	weights [8][lanes.Width]float64 // of corners: by texel and lane; not set if there is one texel
	border  lanes.Mask              // lanes that read the border's colour
	scratch words
	sums    [lanes.Width]float64
}

// places are the places of the lanes in one dimension, in elements of the type of the texture's channels. They are
// within the texture in all lanes, and 0 in lanes whose texels are not known.
type places struct {
	inside       lanes.Mask           // lanes with texels that were found
	lower, upper [lanes.Width]int     // the two adjacent texels; without a filter only lower is set
	alpha        [lanes.Width]float64 // weight of the upper one
}

// Find finds the texels of the lanes of m, at coordinates in the order of the axes of r: x, y, z, layer. It returns the
// lanes that read the border's colour.
func (w *Warp) Find(r *Reader, coords *[3]*words, m lanes.Mask) (border lanes.Mask) {
	w.border = 0
	for i := range r.used {
		a, to := &r.axes[i], &w.axes[i]
		to.inside = 0
		a.find(a, to, coords[i])
		for outside := m &^ to.inside; outside != 0; outside &= outside - 1 {
			if lane := outside.First(); !a.place(to, lane, coords[i][lane], r.integer) {
				w.border |= 1 << lane
			}
		}
	}
	return w.border
}

// corners computes the places and weights of all texels.
func (w *Warp) corners(r *Reader) {
	for k := range r.N {
		w.corner(r, k)
	}
}

// corner computes the places and weights of texel k of all lanes.
func (w *Warp) corner(r *Reader, k int) {
	at, weights := &w.at[k], &w.weights[k]
	for i := range r.used {
		a, next, upper := &w.axes[i], &w.axes[i].lower, k>>i&1 != 0
		if upper {
			next = &a.upper
		}
		if i == 0 {
			*at = *next
		} else {
			for lane := range at {
				at[lane] += next[lane]
			}
		}
		switch {
		case r.N == 1 || i >= r.dims:
		case upper && i == 0:
			*weights = a.alpha
		case i == 0:
			for lane := range weights {
				weights[lane] = 1 - a.alpha[lane]
			}
		case upper:
			for lane := range weights {
				weights[lane] *= a.alpha[lane]
			}
		default:
			for lane := range weights {
				weights[lane] *= 1 - a.alpha[lane]
			}
		}
	}
}

// Offsets sets to to the offsets of the lanes' texels k in the texture's memory, plus at.
func (w *Warp) Offsets(r *Reader, k int, at int64, to *[lanes.Width]uint64) {
	w.corner(r, k)
	bytes := r.texture.Format.Channel.Bytes()
	for lane, n := range &w.at[k] {
		to[lane] = uint64(at) + uint64(n*bytes)
	}
}

// nearest finds the nearest texels. Bits of non-negative numbers are in their order, and those of negative numbers
// and of NaN are above.
func (a *along) nearest(to *places, coords *words) {
	size, scale, step, outside := math.Float64bits(a.size), a.scale, a.step, lanes.Mask(0)
	for lane, c := range coords {
		if x := float64(math.Float32frombits(c)) * scale; math.Float64bits(x) < size {
			to.lower[lane] = int(x) * step
		} else {
			to.lower[lane] = 0
			outside |= 1 << lane
		}
	}
	to.inside = ^outside
}

// mostExact is the largest integer up to which all are numbers of .f32.
const mostExact = 1 << 24

// nearestUnscaled is nearest for coordinates in texels, in a dimension of at most mostExact.
func (a *along) nearestUnscaled(to *places, coords *words) {
	size, step, outside := math.Float32bits(float32(a.size)), a.step, lanes.Mask(0)
	for lane, c := range coords {
		if c < size {
			to.lower[lane] = int(math.Float32frombits(c)) * step
		} else {
			to.lower[lane] = 0
			outside |= 1 << lane
		}
	}
	to.inside = ^outside
}

// adjacent finds the two texels between whose centers a coordinate is.
func (a *along) adjacent(to *places, coords *words) {
	last, scale, step, outside := math.Float64bits(a.size-1), a.scale, a.step, lanes.Mask(0)
	for lane, c := range coords {
		x := float64(float64(math.Float32frombits(c))*scale) - 0.5
		if math.Float64bits(x) < last {
			k := int(x)
			alpha := float64(int((x-float64(k))*256+0.5)) * (1.0 / 256) // fraction
			to.lower[lane], to.upper[lane], to.alpha[lane] = k*step, (k+1)*step, alpha
		} else {
			to.lower[lane], to.upper[lane], to.alpha[lane] = 0, 0, 0
			outside |= 1 << lane
		}
	}
	to.inside = ^outside
}

// integers finds the texels that coordinates number.
func (a *along) integers(to *places, coords *words) {
	n, step, outside := uint32(a.n), a.step, lanes.Mask(0)
	for lane, c := range coords {
		if c < n {
			to.lower[lane] = int(c) * step
		} else {
			to.lower[lane] = 0
			outside |= 1 << lane
		}
	}
	to.inside = ^outside
}

// layers finds the layers.
func (a *along) layers(to *places, coords *words) {
	last := uint32(a.n - 1)
	for lane, c := range coords {
		to.lower[lane] = int(min(c, last)) * a.step
	}
	to.inside = lanes.AllLanes
}

// place finds the texels of a lane that are not all inside. It returns false if the border's colour is among them; then
// the lane's places stay 0.
func (a *along) place(to *places, lane int, coord uint32, integer bool) (inside bool) {
	t := axis{mode: a.mode, n: a.n}
	alpha := 0.0
	if integer {
		t.low = int(int32(coord))
	} else {
		alpha = a.lowest(&t, float64(math.Float32frombits(coord)))
	}
	low, inside := t.texel(0)
	high, above := low, true
	if a.linear {
		high, above = t.texel(1)
	}
	if inside = inside && above; inside {
		to.lower[lane], to.upper[lane], to.alpha[lane] = low*a.step, high*a.step, alpha
	}
	return inside
}

// lowest sets t.low to the lower texel at x, and returns the weight of the upper one.
func (a *along) lowest(t *axis, x float64) (alpha float64) {
	if x != x || a.repeats && math.IsInf(x, 0) {
		x = 0
	}
	x *= a.scale
	switch a.mode {
	case Wrap, Mirror:
		x = t.repeat(x)
	case ClampOGL:
		x = min(max(x, 0), a.size)
	}
	const far = 1 << 30
	if x = min(max(x, -far), far); a.linear {
		x -= 0.5
	}
	floor := math.Floor(x)
	t.low = int(floor)
	switch {
	case a.linear:
		return fraction(x - floor)
	case a.mode == ClampOGL, a.mode == Mirror:
		t.low = min(t.low, a.n-1)
	}
	return 0
}
