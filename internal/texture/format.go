// Package texture defines textures and surfaces: the layout of texels in memory, the texels that coordinates select
// and their weights, and the values of a texel's bits. It does not know instructions, and does not read memory
// itself.
package texture

import (
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Channel is how the bits of one channel of a texel are read.
type Channel uint8

const (
	U8 Channel = iota
	S8
	U16
	S16
	U32
	S32
	F16
	F32
	Unorm8  // 0 to 255 mean 0.0 to 1.0
	Snorm8  // -127 to 127 mean -1.0 to 1.0, and so does -128
	Unorm16 // 0 to 65535 mean 0.0 to 1.0
	Snorm16 // -32767 to 32767 mean -1.0 to 1.0, and so does -32768
	numChannels
)

// channelInfo has the name of a channel's type, its bytes, and its number among the channel data types of OpenCL 1.0,
// which txq and suq return (PTX ISA 5.3.3).
var channelInfo = [numChannels]struct {
	name   string
	bytes  int
	openCL uint32
}{
	U8: {"u8", 1, 0x10DA}, S8: {"s8", 1, 0x10D7}, U16: {"u16", 2, 0x10DB}, S16: {"s16", 2, 0x10D8}, U32: {"u32", 4, 0x10DC}, S32: {"s32", 4, 0x10D9},
	F16: {"f16", 2, 0x10DD}, F32: {"f32", 4, 0x10DE},
	Unorm8: {"unorm8", 1, 0x10D2}, Snorm8: {"snorm8", 1, 0x10D0}, Unorm16: {"unorm16", 2, 0x10D3}, Snorm16: {"snorm16", 2, 0x10D1},
}

// String is the name of the channel's type.
func (c Channel) String() string { return channelInfo[c].name }

// Bytes is the size of the channel.
func (c Channel) Bytes() int { return channelInfo[c].bytes }

// Number returns the number of the channel's type in OpenCL 1.0.
func (c Channel) Number() uint32 { return channelInfo[c].openCL }

// IsFloat reports whether texels are floating-point numbers; else they are integers.
func (c Channel) IsFloat() bool { return c >= F16 }

// IsSigned reports whether texels are signed integers.
func (c Channel) IsSigned() bool { return c == S8 || c == S16 || c == S32 }

// Format is the format of a texel: 1, 2 or 4 channels of a type, red first.
type Format struct {
	Channel  Channel
	Channels int
}

// ParseFormat reads a format such as f32x1 or unorm8x4; without x and a number there is one channel.
func ParseFormat(text string) (Format, error) {
	name, count, several := strings.Cut(text, "x")
	f := Format{Channels: 1}
	if several {
		n, err := strconv.Atoi(count)
		if err != nil || n != 1 && n != 2 && n != 4 {
			return f, fmt.Errorf("format %q: a texel has 1, 2 or 4 channels, as in f32x4", text)
		}
		f.Channels = n
	}
	var names []string
	for c := range numChannels {
		if channelInfo[c].name == name {
			f.Channel = c
			return f, nil
		}
		names = append(names, channelInfo[c].name)
	}
	return f, fmt.Errorf("format %q: no type %q of channels; there are %s", text, name, strings.Join(names, " "))
}

// String returns the format in the syntax of ParseFormat.
func (f Format) String() string { return fmt.Sprintf("%sx%d", f.Channel, f.Channels) }

// Bytes is the size of a texel: a power of two, up to 16.
func (f Format) Bytes() int { return f.Channel.Bytes() * f.Channels }

// Order returns the number of the order of the channels in OpenCL 1.0: R, RG or RGBA.
func (f Format) Order() uint32 {
	switch f.Channels {
	case 1:
		return 0x10B0
	case 2:
		return 0x10B2
	}
	return 0x10B5
}

// Texel is red, green, blue and alpha of a texel, as floating-point numbers or as integers.
type Texel struct {
	Float [4]float32
	Int   [4]uint32
}

// Decode sets t to the values of a texel's bytes. Channels that the format does not have are 0, and alpha is 1. With
// sRGB red, green and blue are made linear. It does not return the Texel, because a copied result would wait for its
// channels to be written.
func (f Format) Decode(t *Texel, b []byte, srgb bool) {
	*t = Texel{}
	if f.Channel.IsFloat() {
		t.Float[3] = 1
	} else {
		t.Int[3] = 1
	}
	for i := range f.Channels {
		switch b := b[i*f.Channel.Bytes():]; f.Channel {
		case U8:
			t.Int[i] = uint32(b[0])
		case S8:
			t.Int[i] = uint32(int8(b[0]))
		case U16:
			t.Int[i] = uint32(binary.LittleEndian.Uint16(b))
		case S16:
			t.Int[i] = uint32(int16(binary.LittleEndian.Uint16(b)))
		case U32, S32:
			t.Int[i] = binary.LittleEndian.Uint32(b)
		case F16:
			t.Float[i] = lanes.ExpandF16(binary.LittleEndian.Uint16(b))
		case F32:
			t.Float[i] = math.Float32frombits(binary.LittleEndian.Uint32(b))
		case Unorm8:
			t.Float[i] = float32(b[0]) / math.MaxUint8
			if srgb && i < 3 {
				t.Float[i] = linear(t.Float[i])
			}
		case Snorm8:
			t.Float[i] = max(float32(int8(b[0]))/math.MaxInt8, -1)
		case Unorm16:
			t.Float[i] = float32(binary.LittleEndian.Uint16(b)) / math.MaxUint16
		case Snorm16:
			t.Float[i] = max(float32(int16(binary.LittleEndian.Uint16(b)))/math.MaxInt16, -1)
		}
	}
}

// linear returns the intensity for a number in the sRGB transfer function (IEC 61966-2-1).
func linear(x float32) float32 {
	if x <= 0.04045 {
		return float32(float64(x) / 12.92)
	}
	return float32(math.Pow((float64(x)+0.055)/1.055, 2.4))
}

// Encode writes a texel to b in the format: the formatted store of PTX. Values are the bits of floating-point numbers
// if the format has these, else integers, which are truncated. Values outside the range of a normalized format are
// clamped, and NaN becomes 0; the rest is rounded to nearest even.
func (f Format) Encode(b []byte, values [4]uint32) {
	for i := range f.Channels {
		b, v := b[i*f.Channel.Bytes():], values[i]
		x := float64(math.Float32frombits(v))
		switch f.Channel {
		case U8, S8:
			b[0] = byte(v)
		case U16, S16:
			binary.LittleEndian.PutUint16(b, uint16(v))
		case U32, S32, F32:
			binary.LittleEndian.PutUint32(b, v)
		case F16:
			binary.LittleEndian.PutUint16(b, lanes.RoundF16(x))
		case Unorm8:
			b[0] = byte(normalize(x, 0, math.MaxUint8))
		case Snorm8:
			b[0] = byte(int8(normalize(x, -1, math.MaxInt8)))
		case Unorm16:
			binary.LittleEndian.PutUint16(b, uint16(normalize(x, 0, math.MaxUint16)))
		case Snorm16:
			binary.LittleEndian.PutUint16(b, uint16(int16(normalize(x, -1, math.MaxInt16))))
		}
	}
}

// normalize returns the integer for x, clamped to low and 1; most is the integer for 1.
func normalize(x, low, most float64) int {
	if x != x {
		return 0
	}
	return int(math.RoundToEven(min(max(x, low), 1) * most))
}

// EncodeWords returns the bytes of Encode, as little-endian words.
func (f Format) EncodeWords(values [4]uint32) (words [4]uint32) {
	var b [16]byte
	f.Encode(b[:], values)
	for i := range words {
		words[i] = binary.LittleEndian.Uint32(b[4*i:])
	}
	return words
}

// Words returns the bits of the numbers: as .f32 or, in the low half of a word, as .f16.
func (t *Texel) Words(half bool) (words [4]uint32) {
	for i, x := range t.Float {
		if half {
			words[i] = uint32(lanes.RoundF16(float64(x)))
		} else {
			words[i] = math.Float32bits(x)
		}
	}
	return words
}
