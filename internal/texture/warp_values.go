package texture

import (
	"math"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Values sets to, by channel, to the bits of the results in all lanes but those that read the border's colour, after
// Find. memory is the texture's.
func (w *Warp) Values(r *Reader, memory []byte, to *[4]*words) {
	special, done := w.valuesOfFour(r, memory, to)
	if !done {
		special = w.valuesOf(r, memory, to)
	}
	if special != 0 {
		w.corners(r)
	}
	for ; special != 0; special &= special - 1 {
		w.valueOf(r, memory, special.First(), to)
	}
}

// valuesOf computes the same as Values, one channel at a time. It returns the lanes with an infinite or NaN sum: their
// sums must be computed again without the texels of weight 0.
func (w *Warp) valuesOf(r *Reader, memory []byte, to *[4]*words) (special lanes.Mask) {
	f := r.texture.Format
	single := f == Format{F32, 1} && r.used == 2 && r.N != 2
	if !single {
		w.corners(r)
	}
	for c := range to {
		switch {
		case c >= f.Channels:
			*to[c] = r.missing[c]
		case single && r.N == 1:
			w.loadSingle(to[c], elements[uint32](memory))
		case single:
			special |= w.sumSingle(to[c], elements[float32](memory))
		case r.N == 1:
			w.load(r, to[c], memory, c, &w.at[0])
		default:
			special |= w.sum(r, to[c], memory, c)
		}
	}
	return special
}

// loadSingle is load for textures of one channel of 32 bits, of two dimensions or layers of one. It needs no corners.
func (w *Warp) loadSingle(to *words, from []uint32) {
	x, y := &w.axes[0].lower, &w.axes[1].lower
	for lane := range to {
		to[lane] = from[x[lane]+y[lane]]
	}
}

// sumSingle is sum for textures of two dimensions of one channel of the type F32. It needs no corners.
func (w *Warp) sumSingle(to *words, from []float32) (special lanes.Mask) {
	x, y := &w.axes[0], &w.axes[1]
	for lane := range to {
		row, next := y.lower[lane], y.upper[lane]
		left, right := x.lower[lane], x.upper[lane]
		a, b, c, d := bilinear(x.alpha[lane], y.alpha[lane])
		sum := 0.0 + float64(a*float64(from[left+row]))
		sum += float64(b * float64(from[right+row]))
		sum += float64(c * float64(from[left+next]))
		sum += float64(d * float64(from[right+next]))
		bits := math.Float32bits(float32(sum))
		if to[lane] = bits; bits&infinity == infinity {
			special |= 1 << lane
		}
	}
	return special
}

// infinity is the bits of an infinite .f32, which are set in NaN, too.
const infinity = 0xff << 23

// elements is memory as elements of a type.
func elements[E int16 | uint16 | uint32 | float32 | [4]float32 | [4]uint32 | [4]uint8](memory []byte) []E {
	var e E
	return unsafe.Slice((*E)(unsafe.Pointer(unsafe.SliceData(memory))), len(memory)/int(unsafe.Sizeof(e)))
}

// load sets to to channel c of the texels whose first channels are at at, as Decode reads it.
func (w *Warp) load(r *Reader, to *words, memory []byte, c int, at *[lanes.Width]int) {
	switch r.texture.Format.Channel {
	case U8:
		for lane, n := range at {
			to[lane] = uint32(memory[n+c])
		}
	case S8:
		for lane, n := range at {
			to[lane] = uint32(int8(memory[n+c]))
		}
	case U16:
		from := elements[uint16](memory)
		for lane, n := range at {
			to[lane] = uint32(from[n+c])
		}
	case S16:
		from := elements[int16](memory)
		for lane, n := range at {
			to[lane] = uint32(from[n+c])
		}
	case U32, S32, F32:
		from := elements[uint32](memory)
		for lane, n := range at {
			to[lane] = from[n+c]
		}
	case F16:
		from := elements[uint16](memory)
		for lane, n := range at {
			to[lane] = math.Float32bits(lanes.ExpandF16(from[n+c]))
		}
	case Unorm8, Snorm8:
		table := r.tables[c]
		for lane, n := range at {
			to[lane] = table[memory[n+c]]
		}
	case Unorm16:
		from := elements[uint16](memory)
		for lane, n := range at {
			to[lane] = math.Float32bits(float32(from[n+c]) / math.MaxUint16)
		}
	case Snorm16:
		from := elements[int16](memory)
		for lane, n := range at {
			to[lane] = math.Float32bits(max(float32(from[n+c])/math.MaxInt16, -1))
		}
	}
}

// sum sets to to the weighted sums of channel c, and returns the lanes with an infinite or NaN sum.
func (w *Warp) sum(r *Reader, to *words, memory []byte, c int) (special lanes.Mask) {
	sums, values := &w.sums, &w.scratch
	*sums = [lanes.Width]float64{}
	for k := range r.N {
		w.load(r, values, memory, c, &w.at[k])
		for lane, weight := range &w.weights[k] {
			sums[lane] += float64(weight * float64(math.Float32frombits(values[lane])))
		}
	}
	for lane, sum := range sums {
		bits := math.Float32bits(float32(sum))
		if to[lane] = bits; bits&infinity == infinity {
			special |= 1 << lane
		}
	}
	return special
}

// valueOf sets to to the results of a lane with a texel that is infinite or NaN.
func (w *Warp) valueOf(r *Reader, memory []byte, lane int, to *[4]*words) {
	var f Footprint
	var texels [MostTaps]Texel
	var value Texel
	f.N = r.N
	for k := range r.N {
		f.Taps[k] = Tap{Off: int64(w.at[k][lane] * r.texture.Format.Channel.Bytes()), Weight: w.weights[k][lane]}
		r.texture.Format.Decode(&texels[k], memory[f.Taps[k].Off:], r.texture.SRGB)
	}
	r.texture.Value(&value, &r.sampler, &f, &texels, Reference{})
	for c := range to {
		to[c][lane] = math.Float32bits(value.Float[c])
	}
}

// Border sets to to the results of the lanes that read the border's colour, by the general way.
func (w *Warp) Border(r *Reader, memory []byte, coords *[3]*words, to *[4]*words) {
	var f Footprint
	var texels [MostTaps]Texel
	border := r.texture.BorderTexel(&r.sampler)
	for rest := w.border; rest != 0; rest &= rest - 1 {
		lane := rest.First()
		q := r.query(coords, lane)
		r.texture.Footprint(&r.sampler, &q, &f)
		for k, tap := range f.Taps[:f.N] {
			if texels[k] = border; tap.Off != BorderColour {
				r.texture.Format.Decode(&texels[k], memory[tap.Off:], r.texture.SRGB)
			}
		}
		var value Texel
		r.texture.Value(&value, &r.sampler, &f, &texels, Reference{})
		words := value.Int
		if r.texture.Format.Channel.IsFloat() {
			words = value.Words(false)
		}
		for c := range to {
			to[c][lane] = words[c]
		}
	}
}

// query returns the query of a lane.
func (r *Reader) query(coords *[3]*words, lane int) Query {
	q := Query{Integer: r.integer}
	if r.dims < r.texture.Kind.dims() {
		q.Coords[1] = 0.5 // the middle of the row
	}
	for i := range r.dims {
		q.Ints[i], q.Coords[i] = int32(coords[i][lane]), math.Float32frombits(coords[i][lane])
	}
	if r.used > r.dims {
		q.Layer = coords[r.dims][lane]
	}
	return q
}
