package texture_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/texture"
)

// channels are the types of channels with their bytes and their numbers in cl.h of OpenCL 1.0 (cl_channel_type).
var channels = []struct {
	name   string
	bytes  int
	number uint32
}{
	{"u8", 1, 0x10DA}, {"s8", 1, 0x10D7}, {"u16", 2, 0x10DB}, {"s16", 2, 0x10D8}, {"u32", 4, 0x10DC}, {"s32", 4, 0x10D9},
	{"f16", 2, 0x10DD}, {"f32", 4, 0x10DE},
	{"unorm8", 1, 0x10D2}, {"snorm8", 1, 0x10D0}, {"unorm16", 2, 0x10D3}, {"snorm16", 2, 0x10D1},
}

func format(t *testing.T, text string) texture.Format {
	t.Helper()
	f, err := texture.ParseFormat(text)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestFormatReadsItsOwnName(t *testing.T) {
	orders := map[int]uint32{1: 0x10B0, 2: 0x10B2, 4: 0x10B5} // CL_R, CL_RG, CL_RGBA of cl.h
	for _, c := range channels {
		for count, order := range orders {
			name := fmt.Sprintf("%sx%d", c.name, count)
			f := format(t, name)
			if f.String() != name || f.Bytes() != c.bytes*count || f.Channel.Number() != c.number || f.Order() != order {
				t.Errorf("%s is %v of %d bytes, type %#x, order %#x", name, f, f.Bytes(), f.Channel.Number(), f.Order())
			}
			integer := strings.Trim(c.name, "us0123456789") == ""
			if f.Channel.IsFloat() == integer || f.Channel.IsSigned() != (integer && c.name[0] == 's') {
				t.Errorf("%s: float %v, signed %v", name, f.Channel.IsFloat(), f.Channel.IsSigned())
			}
		}
		if f := format(t, c.name); f.Channels != 1 {
			t.Errorf("%s without a number has %d channels", c.name, f.Channels)
		}
	}
}

func TestParseFormatNamesTheMistake(t *testing.T) {
	for text, want := range map[string]string{"u8x3": "1, 2 or 4 channels", "u8x": "1, 2 or 4 channels", "u7": `no type "u7"`} {
		if _, err := texture.ParseFormat(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// TestDecodeGivesMissingChannels: a channel that a format lacks is 0, alpha is 1.
func TestDecodeGivesMissingChannels(t *testing.T) {
	nan := math.Float32frombits(0x7fc00001)
	for _, c := range []struct {
		format string
		bytes  string
		float  []float32
		ints   []uint32
	}{
		{"u8x4", "\x00\x7f\x80\xff", nil, []uint32{0, 127, 128, 255}},
		{"s8x2", "\x7f\x80", nil, []uint32{127, math.MaxUint32 - 127, 0, 1}},
		{"u16x1", "\x34\x92", nil, []uint32{0x9234, 0, 0, 1}},
		{"s16x1", "\x34\x92", nil, []uint32{0xffff9234, 0, 0, 1}},
		{"u32x1", "\x01\x02\x03\x84", nil, []uint32{0x84030201, 0, 0, 1}},
		{"s32x2", "\x01\x02\x03\x84\xff\xff\xff\xff", nil, []uint32{0x84030201, 0xffffffff, 0, 1}},
		{"f16x2", "\x00\x3c\x01\x00", []float32{1, 0x1p-24, 0, 1}, nil},
		{"f32x1", "\x00\x00\xc0\xbf", []float32{-1.5, 0, 0, 1}, nil},
		{"f32x1", "\x01\x00\xc0\x7f", []float32{nan, 0, 0, 1}, nil},
		{"unorm8x4", "\x00\x33\xff\x66", []float32{0, 0.2, 1, 0.4}, nil},
		{"snorm8x4", "\x7f\x81\x80\x00", []float32{1, -1, -1, 0}, nil},
		{"unorm16x2", "\x33\x33\xff\xff", []float32{0.2, 1, 0, 1}, nil},
		{"snorm16x4", "\xff\x7f\x01\x80\x00\x80\x00\x00", []float32{1, -1, -1, 0}, nil},
	} {
		var got texture.Texel
		format(t, c.format).Decode(&got, []byte(c.bytes), false)
		var want texture.Texel
		copy(want.Float[:], c.float)
		copy(want.Int[:], c.ints)
		if got.Int != want.Int || got.Words(false) != want.Words(false) {
			t.Errorf("%s of %x: %v, want %v", c.format, c.bytes, got, want)
		}
	}
}

// TestDecodeMakesSRGBLinear compares with values of the transfer function of IEC 61966-2-1: 10/255 is the last code of
// its straight part.
func TestDecodeMakesSRGBLinear(t *testing.T) {
	for code, want := range map[byte]float64{0: 0, 1: 0.000303527, 10: 0.00303527, 11: 0.00334654, 128: 0.2158605, 188: 0.5028865, 255: 1} {
		var got texture.Texel
		format(t, "unorm8x4").Decode(&got, []byte{code, code, code, code}, true)
		for i, x := range got.Float[:3] {
			if math.Abs(float64(x)-want) > 1e-7 {
				t.Errorf("channel %d of code %d is %v, want %v", i, code, x, want)
			}
		}
		if alpha := float32(code) / 255; got.Float[3] != alpha {
			t.Errorf("alpha of code %d is %v, want %v", code, got.Float[3], alpha)
		}
	}
}

// TestEncodeInvertsDecode on all bits of each type of channel that has 16 or fewer: the least value of a signed
// normalized type is encoded as the one above, which means -1.0, too.
func TestEncodeInvertsDecode(t *testing.T) {
	for _, c := range channels {
		f := format(t, c.name)
		for bits := range 1 << (8 * min(c.bytes, 2)) {
			b := make([]byte, c.bytes, 16)
			binary.LittleEndian.PutUint16(b[:2], uint16(bits))
			var texel texture.Texel
			f.Decode(&texel, b, false)
			values := texel.Int
			if f.Channel.IsFloat() {
				values = texel.Words(false)
			}
			got := make([]byte, c.bytes)
			f.Encode(got, values)
			want := slices.Clone(b)
			if lowest := 1 << (8*c.bytes - 1); strings.HasPrefix(c.name, "snorm") && bits == lowest {
				want[0]++
			}
			if isNaN := texel.Float[0] != texel.Float[0]; !isNaN && !slices.Equal(got, want) {
				t.Fatalf("%s of %x is encoded as %x", c.name, b, got)
			}
		}
	}
}

// TestEncodeClampsAndRoundsToEven: the formatted store of PTX. 0.5 is 127.5 of 255 and 32767.5 of 65535, which lie
// between an odd and an even integer.
func TestEncodeClampsAndRoundsToEven(t *testing.T) {
	float := math.Float32bits
	for _, c := range []struct {
		format string
		value  uint32
		want   uint32
	}{
		{"unorm8", float(0.5), 128}, {"unorm8", float(-3), 0}, {"unorm8", float(7), 255}, {"unorm8", 0x7fc00000, 0},
		{"unorm16", float(0.5), 32768}, {"unorm16", float(1.5), 65535},
		{"snorm8", float(0.5), 64}, {"snorm8", float(-7), 0x81}, {"snorm8", float(-1), 0x81},
		{"snorm16", float(-0.5), 0xc000}, {"snorm16", float(2), 0x7fff},
		{"u8", 0x1ff, 0xff}, {"s16", 0x12345, 0x2345}, {"s32", 0x80000001, 0x80000001},
		{"f16", float(1 + 0x1p-11), 0x3c00}, {"f16", float(1 + 0x3p-11), 0x3c02}, {"f16", float(65520), 0x7c00},
		{"f32", 0x7f800001, 0x7f800001},
	} {
		if got := format(t, c.format).EncodeWords([4]uint32{c.value}); got != [4]uint32{c.want} {
			t.Errorf("%s of %#x: %#x, want %#x", c.format, c.value, got, c.want)
		}
	}
	if got := format(t, "u8x4").EncodeWords([4]uint32{1, 2, 3, 4}); got != [4]uint32{0x04030201} {
		t.Errorf("u8x4: %#x", got)
	}
}

func TestHalfPrecisionWordsAreRounded(t *testing.T) {
	texel := texture.Texel{Float: [4]float32{1, -2, 0.5, 65504}}
	if got := texel.Words(true); got != [4]uint32{0x3c00, 0xc000, 0x3800, 0x7bff} {
		t.Errorf("%#x", got)
	}
}
