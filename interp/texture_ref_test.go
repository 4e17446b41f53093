package interp_test

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/rand/v2"

	"github.com/simtrun/simtrun/internal/texture"
)

// refTexture is a texture by the CUDA C++ Programming Guide: texels T[i], T[i, j] or T[i, j, k], and formulas for
// coordinates. It shares nothing with package texture except the words that describe a texture. Its arithmetic is
// that of rational numbers.
type refTexture struct {
	kind     string // as PTX writes the geometry: a2d
	size     [3]int
	layers   int
	levels   int
	samples  int
	channel  texture.Channel
	channels int
	pitch    int
	align    int             // of rows, without a pitch; 0 for none
	limits   *texture.Levels // nil for none
	address  [3]texture.Address
	linear   bool
	mip      bool
	normal   bool
	border   [4]float64
	raw      []byte
	texels   map[refPlace][4]refValue
}

// refPlace is the place of a texel: its level, its layer or face, x, y and z, and its sample.
type refPlace struct{ level, layer, x, y, z, sample int }

// refValue is one channel of a texel: a number of a floating-point format, or an integer's bits.
type refValue struct {
	number *big.Rat
	bits   uint32
}

func (r *refTexture) dims() int {
	return map[string]int{"1d": 1, "a1d": 1, "3d": 3}[r.kind] | map[bool]int{true: 2}[r.kind != "1d" && r.kind != "a1d" && r.kind != "3d"]
}

func (r *refTexture) isCube() bool  { return r.kind == "cube" || r.kind == "acube" }
func (r *refTexture) isFloat() bool { return r.channel >= texture.F16 }

func (r *refTexture) sizeAt(level int) [3]int {
	s := r.size
	for i := range s {
		s[i] = max(s[i]>>level, 1)
	}
	return s
}

// fill makes up the texels, and their bytes in the order that the directive texture documents.
func (r *refTexture) fill(rnd *rand.Rand) {
	r.texels = make(map[refPlace][4]refValue)
	faces := r.layers
	if r.isCube() {
		faces *= 6
	}
	for level := range r.levels {
		s := r.sizeAt(level)
		for layer := range faces {
			for z := range s[2] {
				for y := range s[1] {
					start := len(r.raw)
					for x := range s[0] {
						for sample := range max(r.samples, 1) {
							r.texels[refPlace{level, layer, x, y, z, sample}] = r.texel(rnd)
						}
					}
					for r.align != 0 && len(r.raw)%r.align != 0 {
						r.raw = append(r.raw, 0)
					}
					if r.pitch != 0 {
						r.raw = append(r.raw, make([]byte, r.pitch-(len(r.raw)-start))...)
					}
				}
			}
		}
	}
}

// texel makes up one texel and appends its bytes.
func (r *refTexture) texel(rnd *rand.Rand) (t [4]refValue) {
	for i := range t {
		t[i].number = new(big.Rat)
	}
	t[3] = refValue{big.NewRat(1, 1), 1}
	for i := range r.channels {
		bits := rnd.Uint32()
		switch r.channel {
		case texture.U8, texture.Unorm8:
			r.raw = append(r.raw, byte(bits))
			t[i] = refValue{rat32(float32(byte(bits)) / 255), uint32(byte(bits))}
		case texture.S8, texture.Snorm8:
			r.raw = append(r.raw, byte(bits))
			t[i] = refValue{rat32(max(float32(int8(bits))/127, -1)), uint32(int32(int8(bits)))}
		case texture.U16, texture.Unorm16:
			r.raw = binary.LittleEndian.AppendUint16(r.raw, uint16(bits))
			t[i] = refValue{rat32(float32(uint16(bits)) / 65535), uint32(uint16(bits))}
		case texture.S16, texture.Snorm16:
			r.raw = binary.LittleEndian.AppendUint16(r.raw, uint16(bits))
			t[i] = refValue{rat32(max(float32(int16(bits))/32767, -1)), uint32(int32(int16(bits)))}
		case texture.U32, texture.S32:
			r.raw = binary.LittleEndian.AppendUint32(r.raw, bits)
			t[i].bits = bits
		case texture.F16: // a multiple of 1/1024 from 1 up to 2
			r.raw = binary.LittleEndian.AppendUint16(r.raw, uint16(0x3c00|bits&0x3ff))
			t[i].number = big.NewRat(1024+int64(bits&0x3ff), 1024)
		case texture.F32: // a multiple of 2^-16, so that no sum of float64 is rounded
			v := float32(int32(bits)>>8) / 65536
			r.raw = binary.LittleEndian.AppendUint32(r.raw, math.Float32bits(v))
			t[i].number = rat32(v)
		}
	}
	return t
}

func rat32(x float32) *big.Rat { return new(big.Rat).SetFloat64(float64(x)) }

// floorRat returns the largest integer that is not above x.
func floorRat(x *big.Rat) *big.Int {
	return new(big.Int).Div(x.Num(), x.Denom()) // Euclidean, of a positive denominator
}

func fracRat(x *big.Rat) *big.Rat {
	return new(big.Rat).Sub(x, new(big.Rat).SetInt(floorRat(x)))
}

// refCoord is a coordinate of one dimension: i and, of linear filtering, α.
type refCoord struct {
	i     int
	alpha *big.Rat
}

// coord finds i and α of a coordinate, given the N texels of dimension d.
func (r *refTexture) coord(x *big.Rat, d, n int, offset int32, filtered, footprint bool) refCoord {
	mode := r.mode(d)
	size := new(big.Rat).SetInt64(int64(n))
	x = new(big.Rat).Set(x)
	normal := r.normal || r.isCube()
	if normal {
		x.Mul(x, size)
	}
	x.Add(x, new(big.Rat).SetInt64(int64(offset)))
	switch mode {
	case texture.Wrap: // frac(x) in normalized coordinates
		x.Quo(x, size)
		x = fracRat(x)
		x.Mul(x, size)
	case texture.Mirror: // frac(x), or 1 - frac(x) where floor(x) is odd
		x.Quo(x, size)
		odd := floorRat(x).Bit(0) == 1
		x = fracRat(x)
		if odd {
			x.Sub(big.NewRat(1, 1), x)
		}
		x.Mul(x, size)
	case texture.ClampOGL:
		if x.Sign() < 0 {
			x = new(big.Rat)
		}
		if x.Cmp(size) > 0 {
			x = size
		}
	}
	if filtered || footprint {
		x.Sub(x, big.NewRat(1, 2))
	}
	i := floorRat(x)
	c := refCoord{alpha: new(big.Rat)}
	if filtered { // 8 bits of fraction
		a := fracRat(x)
		a.Mul(a, big.NewRat(256, 1)).Add(a, big.NewRat(1, 2))
		c.alpha = new(big.Rat).SetFrac(floorRat(a), big.NewInt(256))
	}
	const far = 1 << 28
	switch {
	case i.CmpAbs(big.NewInt(far)) > 0:
		c.i = far * i.Sign()
	default:
		c.i = int(i.Int64())
	}
	if !filtered && !footprint && (mode == texture.Mirror || mode == texture.ClampOGL) {
		c.i = min(c.i, n-1) // 1 itself
	}
	return c
}

// mode is the address mode of a dimension: repetition is for normalized coordinates.
func (r *refTexture) mode(d int) texture.Address {
	switch {
	case r.isCube():
		return texture.ClampEdge
	case !r.normal && r.address[d] <= texture.Mirror:
		return texture.ClampEdge
	}
	return r.address[d]
}

// inside maps an index into the texture. It returns false for the border.
func inside(i, n int, mode texture.Address) (int, bool) {
	switch {
	case i >= 0 && i < n:
		return i, true
	case mode == texture.Wrap:
		return (i%n + n) % n, true
	case mode == texture.Border, mode == texture.ClampOGL:
		return 0, false
	}
	return min(max(i, 0), n-1), true
}

// refQuery is one thread's query.
type refQuery struct {
	coords  [3]float32
	ints    [3]int32
	integer bool
	layer   uint32
	sample  uint32
	lod     float32
	offset  [3]int32
}

// at is texel T[i, j, k], or the border.
func (r *refTexture) at(level, layer, sample int, index [3]int, integer bool) [4]refValue {
	s := r.sizeAt(level)
	for d := range r.dims() {
		mode := r.mode(d)
		if integer && r.address[d] <= texture.Mirror {
			mode = texture.ClampEdge
		}
		if integer && r.kind == "1d" {
			mode = texture.Border // linear memory has no address modes
		}
		i, ok := inside(index[d], s[d], mode)
		if !ok {
			var t [4]refValue
			for i := range t {
				t[i] = refValue{new(big.Rat).SetFloat64(r.border[i]), uint32(int64(r.border[i]))}
			}
			return t
		}
		index[d] = i
	}
	return r.texels[refPlace{level, layer, index[0], index[1], index[2], sample}]
}

// rational returns a coordinate as a number: NaN is 0, and infinity is far away, or 0 if the texture is repeated.
func rational(x float32, mode texture.Address) *big.Rat {
	switch {
	case x != x, math.IsInf(float64(x), 0) && mode <= texture.Mirror:
		return new(big.Rat)
	case math.IsInf(float64(x), 1):
		return new(big.Rat).SetInt64(1 << 40)
	case math.IsInf(float64(x), -1):
		return new(big.Rat).SetInt64(-1 << 40)
	}
	return rat32(x)
}

// face returns the face of a cube map and the place on it, by the table of the guide.
func face(d [3]float32) (n int, s, t *big.Rat) {
	x, y, z := rational(d[0], 0), rational(d[1], 0), rational(d[2], 0)
	neg := func(r *big.Rat) *big.Rat { return new(big.Rat).Neg(r) }
	abs := func(r *big.Rat) *big.Rat { return new(big.Rat).Abs(r) }
	var m *big.Rat
	switch {
	case abs(z).Cmp(abs(x)) >= 0 && abs(z).Cmp(abs(y)) >= 0:
		if n, m, s, t = 4, z, x, neg(y); math.Signbit(float64(d[2])) {
			n, s = 5, neg(x)
		}
	case abs(y).Cmp(abs(x)) >= 0:
		if n, m, s, t = 2, y, x, z; math.Signbit(float64(d[1])) {
			n, t = 3, neg(z)
		}
	default:
		if n, m, s, t = 0, x, neg(z), neg(y); math.Signbit(float64(d[0])) {
			n, s = 1, z
		}
	}
	if m.Sign() == 0 {
		return n, new(big.Rat), new(big.Rat)
	}
	onFace := func(c *big.Rat) *big.Rat {
		c = new(big.Rat).Quo(c, abs(m))
		return c.Add(c, big.NewRat(1, 1)).Quo(c, big.NewRat(2, 1))
	}
	return n, onFace(s), onFace(t)
}

// taps returns the texels of one level with their weights: one, or 2, 4 or 8; or the four of a footprint.
func (r *refTexture) taps(q *refQuery, level int, footprint bool) (texels [][4]refValue, weights []*big.Rat) {
	s, dims := r.sizeAt(level), r.dims()
	layer, sample := int(min(q.layer, uint32(r.layers-1))), int(min(q.sample, uint32(max(r.samples, 1)-1)))
	var c [3]refCoord
	filtered := r.linear && !q.integer && !footprint
	switch {
	case q.integer:
		for d := range dims {
			c[d] = refCoord{int(q.ints[d]) + int(q.offset[d]), new(big.Rat)}
		}
	default:
		var coords [3]*big.Rat
		for d := range dims {
			coords[d] = rational(q.coords[d], r.mode(d))
		}
		if r.isCube() {
			var n int
			n, coords[0], coords[1] = face(q.coords)
			layer = layer*6 + n
		}
		for d := range dims {
			c[d] = r.coord(coords[d], d, s[d], q.offset[d], filtered, footprint)
		}
	}
	corners := []int{0}
	if filtered {
		corners = []int{0, 1, 2, 3, 4, 5, 6, 7}[:1<<dims]
	}
	if footprint { // counter-clockwise from the lower left
		corners = []int{2, 3, 1, 0}
	}
	for _, corner := range corners {
		w, index := big.NewRat(1, 1), [3]int{}
		for d := range dims {
			up := corner >> d & 1
			index[d] = c[d].i + up
			if up == 1 {
				w.Mul(w, c[d].alpha)
			} else {
				w.Mul(w, new(big.Rat).Sub(big.NewRat(1, 1), c[d].alpha))
			}
		}
		texels = append(texels, r.at(level, layer, sample, index, q.integer))
		weights = append(weights, w)
	}
	return texels, weights
}

// value returns the result of tex: the bits of four .f32, or four integers.
func (r *refTexture) value(q *refQuery) (out [4]uint32) {
	lod := float64(q.lod)
	if lod != lod {
		lod = 0
	}
	if l := r.limits; l != nil {
		lod = math.Min(math.Max(lod+float64(l.Bias), float64(l.Min)), float64(l.Max))
	}
	lod = math.Min(math.Max(lod, 0), float64(r.levels-1))
	texels, weights := r.taps(q, int(math.Floor(lod+0.5)), false)
	if r.mip && !q.integer {
		low := int(lod)
		beta := big.NewRat(int64(math.Floor((lod-float64(low))*256+0.5)), 256)
		texels, weights = r.taps(q, low, false)
		scale(weights, new(big.Rat).Sub(big.NewRat(1, 1), beta))
		if beta.Sign() > 0 {
			more, w := r.taps(q, low+1, false)
			scale(w, beta)
			texels, weights = append(texels, more...), append(weights, w...)
		}
	}
	for i := range out {
		if !r.isFloat() {
			out[i] = texels[0][i].bits
			continue
		}
		sum := new(big.Rat)
		for k, t := range texels {
			sum.Add(sum, new(big.Rat).Mul(weights[k], t[i].number))
		}
		f, _ := sum.Float32()
		out[i] = math.Float32bits(f)
	}
	return out
}

func scale(weights []*big.Rat, by *big.Rat) {
	for _, w := range weights {
		w.Mul(w, by)
	}
}

// gathered returns the result of tld4.
func (r *refTexture) gathered(q *refQuery, channel int) (out [4]uint32) {
	texels, _ := r.taps(q, 0, true)
	for k, t := range texels {
		out[k] = t[channel].bits
		if r.isFloat() {
			f, _ := t[channel].number.Float32()
			out[k] = math.Float32bits(f)
		}
	}
	return out
}
