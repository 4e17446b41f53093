package texture

import (
	"math"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// channelTypes are the types of channels for machine code. Those of 32 bits are read as they are.
var channelTypes = [numChannels]jit.ChannelType{
	U8: jit.ChannelU8, S8: jit.ChannelS8, U16: jit.ChannelU16, S16: jit.ChannelS16, U32: jit.Channel32, S32: jit.Channel32,
	F16: jit.ChannelF16, F32: jit.ChannelF32,
	Unorm8: jit.ChannelUnorm8, Snorm8: jit.ChannelSnorm8, Unorm16: jit.ChannelUnorm16, Snorm16: jit.ChannelSnorm16,
}

// addressModes are the address modes for machine code.
var addressModes = [numAddresses]jit.AddressMode{
	Wrap: jit.Wrap, Mirror: jit.Mirror, ClampOGL: jit.ClampOGL, ClampEdge: jit.ClampToEdge, Border: jit.Border,
}

// Fetch describes what machine code does for a number of results, or, unless gather is 0, to gather channel gather - 1
// of four texels. It returns false if machine code does not read the texture.
func (r *Reader) Fetch(results, gather int) (f jit.Fetch, ok bool) {
	t := &r.texture
	f = jit.Fetch{Dims: r.dims, Layers: r.used > r.dims, Integer: r.integer, Linear: r.N > 1 && gather == 0, FourOf: gather,
		Channel: channelTypes[t.Format.Channel], Channels: t.Format.Channels, SRGB: t.SRGB, Results: results}
	if f.Channel == jit.ChannelF32 && !f.Linear {
		f.Channel = jit.Channel32
	}
	for i := range r.dims {
		a := &r.axes[i]
		f.Axes[i] = jit.FetchAxis{Mode: addressModes[a.mode], Scaled: r.sampler.Normalized && !r.integer, Infinite: a.repeats && !r.integer}
	}
	return f, t.Bytes() <= jit.MostTexelBytes && (gather == 0 || r.dims == 2 && !r.integer && results == 4)
}

// Texels describes the texture in memory, of which no byte may move, for machine code of Fetch.
func (r *Reader) Texels(memory []byte) *jit.Texels {
	t := &jit.Texels{Data: unsafe.Pointer(unsafe.SliceData(memory)), One: r.missing[3][0]}
	for i := range r.used {
		a := &r.axes[i]
		bytes := a.step * r.texture.Format.Channel.Bytes()
		t.Axes[i] = jit.TexelAxis{Size: float64(a.n), N: int32(a.n), Last: int32(a.n - 1), Step: int32(bytes)}
	}
	if r.texture.SRGB {
		t.Values = unsafe.Pointer(r.tables[0])
	}
	border := r.texture.BorderTexel(&r.sampler)
	t.Border = border.Int
	if r.texture.Format.Channel.IsFloat() {
		for i, x := range border.Float {
			t.Border[i] = math.Float32bits(x)
		}
	}
	return t
}
