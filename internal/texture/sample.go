package texture

import (
	"fmt"
	"math"

	"github.com/simtrun/simtrun/internal/isa"
)

// Address is the meaning of coordinates outside a texture (CUDA C++ Programming Guide, texture fetching). The order
// is that of the numbers that txq returns.
type Address uint8

const (
	Wrap      Address = iota // the texture is repeated
	Mirror                   // the texture is repeated, and mirrored every other time
	ClampOGL                 // coordinates are clamped to the edge, so that half of the border is visible
	ClampEdge                // the nearest texel
	Border                   // the border's colour
	numAddresses
)

var addressNames = [numAddresses]string{"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"}

// String is the mode's name in PTX.
func (a Address) String() string { return addressNames[a] }

// ParseAddress reads the name of an address mode, in PTX or CUDA.
func ParseAddress(text string) (Address, error) {
	switch text {
	case "clamp", "edge":
		return ClampEdge, nil
	case "border":
		return Border, nil
	}
	for a, name := range addressNames {
		if name == text {
			return Address(a), nil
		}
	}
	return 0, isa.Unknown("address mode", text, []string{"wrap", "mirror", "clamp", "border", "clamp_ogl"})
}

// Compare is the condition under which a comparison of depths passes: the reference compared to the texel.
type Compare uint8

const (
	LessEqual Compare = iota
	Less
	Greater
	GreaterEqual
	Equal
	NotEqual
	Always
	Never
	numCompares
)

var compareNames = [numCompares]string{"le", "lt", "gt", "ge", "eq", "ne", "always", "never"}

// String is the comparison's name.
func (c Compare) String() string { return compareNames[c] }

// parseCompare reads the name of a comparison.
func parseCompare(text string) (Compare, error) {
	for c, name := range compareNames {
		if name == text {
			return Compare(c), nil
		}
	}
	return 0, isa.Unknown("comparison", text, compareNames[:])
}

// passes reports whether the comparison of the reference with a texel passes.
func (c Compare) passes(reference, texel float32) bool {
	switch c {
	case LessEqual:
		return reference <= texel
	case Less:
		return reference < texel
	case Greater:
		return reference > texel
	case GreaterEqual:
		return reference >= texel
	case Equal:
		return reference == texel
	case NotEqual:
		return reference != texel
	}
	return c == Always
}

// Sampler says how texels are selected and combined. The zero value has unnormalized coordinates, but Address must be
// set.
type Sampler struct {
	Address    [3]Address // by dimension
	Linear     bool       // linear filtering, within a level; else the nearest texel
	MipLinear  bool       // linear filtering between levels
	Normalized bool       // coordinates from 0 to 1; else in texels
	Border     [4]float32 // colour: red, green, blue, alpha
	Compare    Compare    // of depths
	Levels     *Levels    // nil: all levels of the texture
}

// Text returns the words of the sampler for textures of a kind, except what few samplers have.
func (s *Sampler) Text(k Kind) string {
	text := "filter=point"
	if s.Linear {
		text = "filter=linear"
	}
	for i, a := range s.Address[:k.dims()] {
		text += [...]string{" address=", ",", ","}[i] + a.String()
	}
	if s.Normalized {
		text += " normalized"
	}
	return text
}

// Levels changes a level of detail before it is used: Bias is added, and the sum is clamped to Min and Max.
type Levels struct{ Bias, Min, Max float32 }

// Check returns the error of a sampler for a texture, or nil. Wrap and mirror require normalized coordinates (CUDA
// C++ Programming Guide, texture object API).
func (s *Sampler) Check(of *Shape, srgb bool) error {
	for i := range of.Kind.dims() {
		if a := s.Address[i]; !s.Normalized && a <= Mirror {
			return fmt.Errorf("address=%s is for normalized coordinates; say normalized too", a)
		}
	}
	switch {
	case s.Linear && !of.Format.Channel.IsFloat():
		return fmt.Errorf("filter=linear on %s, which gives integers; as unorm8 or the like it gives floating-point numbers", of.Format)
	case s.MipLinear && !of.Format.Channel.IsFloat():
		return fmt.Errorf("mipfilter=linear on %s, which gives integers", of.Format)
	case of.Levels > 1 && !s.Normalized:
		return fmt.Errorf("levels are for normalized coordinates; say normalized too")
	case of.Kind == Cube && !s.Normalized:
		return fmt.Errorf("a cube map has normalized coordinates; say normalized too")
	case srgb && of.Format.Channel != Unorm8:
		return fmt.Errorf("srgb is for unorm8, not %s", of.Format)
	}
	return nil
}

// Texture is texels and, unless an instruction names another, the sampler that reads them.
type Texture struct {
	Shape
	Sampler Sampler
	SRGB    bool
}

// Query is one lane's query of a texture.
type Query struct {
	Coords  [3]float32 // unless Integer; for a cube map, a direction
	Ints    [3]int32   // if Integer
	Integer bool       // coordinates are texels, and nothing is filtered
	Offset  [3]int32   // in texels, added to the coordinates
	Layer   uint32     // of an array; numbers past the last mean the last
	Sample  uint32     // of a multi-sample texture; numbers past the last mean the last
	LOD     float64    // level of detail
	Gather  bool       // return the four texels of a footprint, instead of a value computed from them
}

// MostTaps is the largest number of texels of one value: eight in each of two levels.
const MostTaps = 16

// Tap is one texel of a footprint.
type Tap struct {
	Off    int64 // offset in the texture's memory; BorderColour for the border
	Weight float64
}

// BorderColour stands for the place of a texel outside the texture.
const BorderColour = -1

// Footprint is the texels from which a value is computed.
type Footprint struct {
	Taps [MostTaps]Tap
	N    int
}

// fraction is α of the programming guide: stored with 8 bits of fraction, in which 1.0 is possible. It is rounded to
// nearest, which the guide leaves open.
func fraction(x float64) float64 { return math.Floor(x*256+0.5) / 256 }

// Footprint finds the texels of a query and their weights. For a query that gathers they are in the order of tld4:
// counter-clockwise from the lower left, with y growing downwards.
func (t *Texture) Footprint(s *Sampler, q *Query, f *Footprint) {
	f.N = 0
	if q.Integer {
		t.level(s, q, 0, 1, f)
		return
	}
	lod := q.LOD
	if lod != lod { // PTX does not specify this
		lod = 0
	}
	if l := s.Levels; l != nil {
		lod = min(max(lod+float64(l.Bias), float64(l.Min)), float64(l.Max))
	}
	lod = min(max(lod, 0), float64(t.Levels-1))
	if !s.MipLinear {
		t.level(s, q, int(math.Floor(lod+0.5)), 1, f)
		return
	}
	low := int(lod)
	between := fraction(lod - float64(low))
	t.level(s, q, low, 1-between, f)
	if between > 0 {
		t.level(s, q, low+1, between, f)
	}
}

// level adds the texels of one level of detail, with a total weight.
func (t *Texture) level(s *Sampler, q *Query, level int, weight float64, f *Footprint) {
	dims, size := t.Kind.dims(), t.Size(level)
	slice := int(min(q.Layer, uint32(t.Layers-1)))
	coords := [3]float64{float64(q.Coords[0]), float64(q.Coords[1]), float64(q.Coords[2])}
	if t.Kind == Cube {
		face := faceOf(coords)
		major, across, down := onFace(face, coords)
		coords = [3]float64{(across/major + 1) / 2, (down/major + 1) / 2}
		slice = slice*6 + face
	}
	var low [3]axis
	for i := range dims {
		low[i] = t.axis(s, q, i, coords[i], size[i])
	}
	samples := max(t.Samples, 1)
	sample := int(min(q.Sample, uint32(samples-1)))
	start, row, between := t.Shape.level(level)
	texel := int64(t.Format.Bytes())
	tap := func(corner int, weight float64) {
		at, off := [3]int{2: slice}, int64(0)
		for i := range dims {
			n, inside := low[i].texel(corner >> i & 1)
			if at[i] = n; !inside {
				off = BorderColour
			}
			if corner>>i&1 != 0 {
				weight *= low[i].alpha
			} else {
				weight *= 1 - low[i].alpha
			}
		}
		if off != BorderColour {
			off = start + int64(at[2])*between + int64(at[1])*row + int64(at[0]*samples+sample)*texel
		}
		f.Taps[f.N] = Tap{off, weight}
		f.N++
	}
	switch {
	case q.Gather:
		for _, corner := range [4]int{2, 3, 1, 0} {
			tap(corner, 0)
		}
	case s.Linear && !q.Integer:
		for corner := range 1 << dims {
			tap(corner, weight)
		}
	default:
		tap(0, weight)
	}
}

// axis is a coordinate in texels of one dimension: the lower of the two adjacent texels, and the weight of the other
// one.
type axis struct {
	mode  Address
	n     int     // texels of the dimension
	low   int     // not yet wrapped or clamped
	alpha float64 // 0 without filtering
}

// axis returns the position of coordinate i, given the number of texels of its dimension.
func (t *Texture) axis(s *Sampler, q *Query, i int, x float64, n int) axis {
	a := axis{mode: s.Address[i], n: n}
	if t.Kind == Cube {
		a.mode = ClampEdge // within a face
	}
	if q.Integer {
		if a.mode <= Mirror {
			a.mode = ClampEdge
		}
		if t.Kind == D1 && !t.Array { // linear memory has no address modes
			a.mode = Border
		}
		a.low = int(q.Ints[i]) + int(q.Offset[i])
		return a
	}
	if x != x || a.mode <= Mirror && math.IsInf(x, 0) { // PTX does not specify this
		x = 0
	}
	normalized := s.Normalized || t.Kind == Cube
	if !normalized && a.mode <= Mirror {
		a.mode = ClampEdge
	}
	if normalized {
		x *= float64(n) // exact: 24 bits and 17
	}
	offset := float64(q.Offset[i]) // a whole number, added to the texel if that is equivalent
	switch a.mode {
	case Wrap:
		x = a.repeat(x)
	case Mirror:
		x, offset = a.repeat(math.Mod(x, 2*float64(n))+offset), 0
	case ClampOGL:
		x, offset = min(max(x+offset, 0), float64(n)), 0
	}
	const far = 1 << 30
	x = min(max(x, -far), far)
	if s.Linear || q.Gather {
		x -= 0.5
	}
	floor := math.Floor(x)
	a.low = int(floor + offset)
	switch {
	case s.Linear && !q.Gather:
		a.alpha = fraction(x - floor)
	case q.Gather:
	case a.mode == ClampOGL, a.mode == Mirror:
		a.low = min(a.low, n-1)
	}
	return a
}

// repeat maps a coordinate, in texels, into or near a repeated texture. A mirrored one is replaced by frac(x) or,
// every other time, by 1 - frac(x). All of it is exact.
func (a *axis) repeat(x float64) float64 {
	n := float64(a.n)
	if a.mode == Wrap {
		return math.Mod(x, n) // negative texels are mapped inside as texels
	}
	if x = math.Mod(x, 2*n); x < 0 {
		x += 2 * n
	}
	if x >= n {
		x = 2*n - x
	}
	return x
}

// texel returns the lower texel, or the one after it, mapped inside. It returns false for the border.
func (a *axis) texel(next int) (n int, inside bool) {
	n = a.low + next
	switch {
	case n >= 0 && n < a.n:
		return n, true
	case a.mode == Wrap:
		return ((n % a.n) + a.n) % a.n, true
	case a.mode == Border, a.mode == ClampOGL:
		return 0, false
	}
	return min(max(n, 0), a.n-1), true
}

// faceOf returns the face of a cube map that a direction passes through. If coordinates have equal magnitude, z has
// priority over y, and y over x.
func faceOf(d [3]float64) int {
	x, y, z := math.Abs(d[0]), math.Abs(d[1]), math.Abs(d[2])
	major := 0
	switch {
	case z >= x && z >= y:
		major = 2
	case y >= x:
		major = 1
	}
	if math.Signbit(d[major]) {
		return 2*major + 1
	}
	return 2 * major
}

// onFace returns a direction in the coordinates of a face of a cube map: towards the face, across and down (CUDA C++
// Programming Guide, cubemap textures).
func onFace(face int, d [3]float64) (major, across, down float64) {
	switch x, y, z := d[0], d[1], d[2]; face {
	case 0:
		return x, -z, -y
	case 1:
		return -x, z, -y
	case 2:
		return y, x, z
	case 3:
		return -y, x, -z
	case 4:
		return z, x, -y
	default:
		return -z, -x, -y
	}
}

// Reference is a depth that texels are compared with.
type Reference struct {
	Value float32
	Given bool
}

// Value computes the result of a query from the texels of its footprint: for floating-point formats the weighted sum
// of texels, rounded once, else the one texel. A texel without weight is ignored, even if it is infinite or NaN.
func (t *Texture) Value(out *Texel, s *Sampler, f *Footprint, texels *[MostTaps]Texel, ref Reference) {
	if !t.Format.Channel.IsFloat() || f.N == 1 && !ref.Given {
		*out = texels[0]
		return
	}
	var sum [4]float64
	for k := range f.N {
		w := f.Taps[k].Weight
		if w == 0 {
			continue
		}
		v := texels[k].Float
		if ref.Given {
			v = s.compared(ref.Value, v[0])
		}
		for i := range sum {
			sum[i] += float64(w * float64(v[i]))
		}
	}
	*out = Texel{}
	for i := range sum {
		out.Float[i] = arithmetic(sum[i])
	}
}

// arithmetic rounds a sum.
func arithmetic(sum float64) float32 {
	if x := float32(sum); x == x {
		return x
	}
	return math.Float32frombits(0x7fffffff) // the NaN of arithmetic
}

// compared returns 1 in red if a texel passes the comparison with a reference.
func (s *Sampler) compared(ref, texel float32) [4]float32 {
	v := [4]float32{3: 1}
	if s.Compare.passes(ref, texel) {
		v[0] = 1
	}
	return v
}

// Gathered returns one channel of the four texels of a footprint, instead of the channels of one texel.
func (t *Texture) Gathered(s *Sampler, channel int, texels *[MostTaps]Texel, ref Reference) Texel {
	var out Texel
	for k := range 4 {
		out.Float[k], out.Int[k] = texels[k].Float[channel], texels[k].Int[channel]
		if ref.Given {
			out.Float[k] = s.compared(ref.Value, texels[k].Float[0])[0]
		}
	}
	return out
}

// BorderTexel returns the border's colour in the texture's format.
func (t *Texture) BorderTexel(s *Sampler) Texel {
	out := Texel{Float: s.Border}
	for i, x := range s.Border {
		out.Int[i] = uint32(int64(x))
	}
	return out
}

// GradientLOD returns the level of detail at which a texel is as large as the longer of two derivatives of the
// coordinates: the logarithm to base 2 of their length in texels.
func (t *Texture) GradientLOD(s *Sampler, at, dx, dy [3]float32) float64 {
	return math.Log2(max(t.stepLength(s, at, dx), t.stepLength(s, at, dy)))
}

// stepLength returns the length in texels of level 0 of a derivative of the coordinates. For a direction it is the
// change of its projection on the face.
func (t *Texture) stepLength(s *Sampler, at, step [3]float32) float64 {
	d := [3]float64{float64(step[0]), float64(step[1]), float64(step[2])}
	if t.Kind == Cube {
		from := [3]float64{float64(at[0]), float64(at[1]), float64(at[2])}
		face := faceOf(from)
		major, across, down := onFace(face, from)
		dMajor, dAcross, dDown := onFace(face, d)
		slope := func(x, dx float64) float64 { return (float64(dx*major) - float64(x*dMajor)) / (major * major) / 2 }
		d = [3]float64{slope(across, dAcross), slope(down, dDown)}
	}
	sum, size := 0.0, t.Size(0)
	for i := range t.Kind.dims() {
		x := d[i]
		if s.Normalized {
			x *= float64(size[i])
		}
		sum += float64(x * x)
	}
	return math.Sqrt(sum)
}
