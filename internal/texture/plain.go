package texture

import (
	"encoding/binary"
	"math"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Plain is the texels that the lanes of a warp read of a plain texture: one level of one or two dimensions of
// floating-point numbers, without layers and samples. It finds what Footprint and Value find, for all lanes at once.
type Plain struct {
	N   int                     // texels of a lane: 1, or 2 in each dimension
	Off [4][lanes.Width]int64   // by texel and lane: offset in the texture's memory
	at  [2]plainAxis            // by dimension
	out [4][lanes.Width]float32 // by channel
}

// plainAxis is the places of texels in one dimension of n texels that are a number of bytes apart.
type plainAxis struct {
	mode         Address
	linear       bool
	repeats      bool // the sampler's mode is Wrap or Mirror: infinite coordinates count as 0
	n            int
	size, scale  float64 // n, and what coordinates are multiplied by
	bytes        int64
	lower, upper [lanes.Width]int64   // offsets of the two adjacent texels
	alpha        [lanes.Width]float64 // weight of the upper one
}

// IsPlain reports whether a texture is plain.
func (t *Texture) IsPlain() bool {
	return t.Kind <= D2 && !t.Array && t.Levels == 1 && t.Samples == 0 && t.Format.Channel.IsFloat()
}

// Footprints finds the texels of the lanes of m, at coordinates by dimension, in a plain texture. It returns false if
// one is the border's.
func (p *Plain) Footprints(t *Texture, s *Sampler, coords []*[lanes.Width]float32, m lanes.Mask) bool {
	size := t.Size(0)
	_, row, _ := t.Shape.level(0)
	bytes := [2]int64{int64(t.Format.Bytes()), row}
	p.N = 1
	if s.Linear {
		p.N <<= len(coords)
	}
	for i, c := range coords {
		a := &p.at[i]
		a.mode, a.linear, a.n, a.size, a.scale, a.bytes = s.Address[i], s.Linear, size[i], float64(size[i]), 1, bytes[i]
		a.repeats = a.mode <= Mirror
		if s.Normalized {
			a.scale = a.size
		} else if a.mode <= Mirror {
			a.mode = ClampEdge
		}
		if !a.find(c, m) {
			return false
		}
	}
	for k := range p.N {
		x, y := &p.at[0].lower, &p.at[1].lower
		if k&1 != 0 {
			x = &p.at[0].upper
		}
		if k&2 != 0 {
			y = &p.at[1].upper
		}
		if p.Off[k] = *x; len(coords) == 2 {
			for i := range y {
				p.Off[k][i] += y[i]
			}
		}
	}
	return true
}

// find finds the places of the lanes of m.
func (a *plainAxis) find(coords *[lanes.Width]float32, m lanes.Mask) bool {
	if !a.linear {
		for lane, c := range coords {
			if x := float64(c) * a.scale; x >= 0 && x < a.size {
				a.lower[lane] = int64(x) * a.bytes
			} else if m>>lane&1 != 0 && !a.outside(float64(c), lane) {
				return false
			}
		}
		return true
	}
	last := a.size - 1
	for lane, c := range coords {
		if x := float64(c)*a.scale - 0.5; x >= 0 && x < last {
			k := int64(x)
			a.lower[lane], a.upper[lane] = k*a.bytes, (k+1)*a.bytes
			a.alpha[lane] = float64(int64((x-float64(k))*256+0.5)) / 256 // fraction
		} else if m>>lane&1 != 0 && !a.outside(float64(c), lane) {
			return false
		}
	}
	return true
}

// outside finds the places of a lane whose texels are not all inside.
func (a *plainAxis) outside(x float64, lane int) bool {
	t := axis{mode: a.mode, n: a.n}
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
	if t.low = int(floor); !a.linear && (a.mode == ClampOGL || a.mode == Mirror) {
		t.low = min(t.low, a.n-1)
	}
	low, inside := t.texel(0)
	a.lower[lane] = int64(low) * a.bytes
	if a.linear {
		high, above := t.texel(1)
		a.upper[lane], a.alpha[lane] = int64(high)*a.bytes, fraction(x-floor)
		inside = inside && above
	}
	return inside
}

// Values returns the channels of the results of the lanes of m. memory begins with the texture's.
func (p *Plain) Values(t *Texture, memory []byte, m lanes.Mask) *[4][lanes.Width]float32 {
	single := t.Format == Format{F32, 1}
	if single {
		for lane := range p.out[0] {
			p.out[1][lane], p.out[2][lane], p.out[3][lane] = 0, 0, 1 // the sum of weights is exactly 1
		}
	}
	for rest := m; rest != 0; rest &= rest - 1 {
		switch lane := rest.First(); {
		case single && p.N == 1:
			p.out[0][lane] = math.Float32frombits(binary.LittleEndian.Uint32(memory[p.Off[0][lane]:]))
		case single:
			p.out[0][lane] = p.sumOfSingles(memory, lane)
		default:
			p.texel(t, memory, lane)
		}
	}
	return &p.out
}

// weight is that of a lane's texel k.
func (p *Plain) weight(k, lane int) float64 {
	w := p.at[0].alpha[lane]
	if k&1 == 0 {
		w = 1 - w
	}
	if p.N == 2 {
		return w
	}
	v := p.at[1].alpha[lane]
	if k&2 == 0 {
		v = 1 - v
	}
	return w * v
}

// sumOfSingles returns a lane's weighted sum of texels of one .f32.
func (p *Plain) sumOfSingles(memory []byte, lane int) float32 {
	sum, w := 0.0, 1-p.at[0].alpha[lane]
	add := func(k int, w float64) {
		if w != 0 {
			sum += float64(w * float64(math.Float32frombits(binary.LittleEndian.Uint32(memory[p.Off[k][lane]:]))))
		}
	}
	if p.N == 2 {
		add(0, w)
		add(1, p.at[0].alpha[lane])
		return arithmetic(sum)
	}
	v := 1 - p.at[1].alpha[lane]
	add(0, w*v)
	add(1, p.at[0].alpha[lane]*v)
	add(2, w*p.at[1].alpha[lane])
	add(3, p.at[0].alpha[lane]*p.at[1].alpha[lane])
	return arithmetic(sum)
}

// arithmetic rounds a sum.
func arithmetic(sum float64) float32 {
	if x := float32(sum); x == x {
		return x
	}
	return math.Float32frombits(0x7fffffff) // the NaN of arithmetic
}

// texel computes a lane's result for a texture of any format.
func (p *Plain) texel(t *Texture, memory []byte, lane int) {
	var texel Texel
	if p.N == 1 {
		t.Format.Decode(&texel, memory[p.Off[0][lane]:], t.SRGB)
		for c, x := range texel.Float {
			p.out[c][lane] = x
		}
		return
	}
	var sum [4]float64
	for k := range p.N {
		w := p.weight(k, lane)
		if w == 0 {
			continue
		}
		t.Format.Decode(&texel, memory[p.Off[k][lane]:], t.SRGB)
		for c, x := range texel.Float {
			sum[c] += float64(w * float64(x))
		}
	}
	for c := range sum {
		p.out[c][lane] = arithmetic(sum[c])
	}
}
