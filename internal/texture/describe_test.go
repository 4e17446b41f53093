package texture_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/texture"
)

func TestDescriptionSetsEveryWord(t *testing.T) {
	got := described(t, "a2d 16x8 layers=3 levels=2 format=unorm8x4 filter=linear mipfilter=linear address=wrap,mirror,border border=0.5,1,-1,2 normalized srgb compare=ge")
	want := texture.Texture{
		Shape: texture.Shape{Kind: texture.D2, Array: true, Width: 16, Height: 8, Depth: 1, Layers: 3, Levels: 2,
			Format: texture.Format{Channel: texture.Unorm8, Channels: 4}},
		Sampler: texture.Sampler{Address: [3]texture.Address{texture.Wrap, texture.Mirror, texture.Border}, Linear: true, MipLinear: true, Normalized: true,
			Border: [4]float32{0.5, 1, -1, 2}, Compare: texture.GreaterEqual},
		SRGB: true,
	}
	if *got != want {
		t.Errorf("%+v, want %+v", *got, want)
	}
	surface, err := describe(texture.ASurface, "3d 4x5x6 format=u32 pitch=32")
	if err != nil || surface.Width != 4 || surface.Height != 5 || surface.Depth != 6 || surface.Pitch != 32 {
		t.Errorf("%+v, %v", surface, err)
	}
	sampler, err := describe(texture.ASampler, "filter=nearest address=clamp_ogl unnormalized")
	if err != nil || sampler.Sampler.Normalized || sampler.Sampler.Linear || sampler.Sampler.Address[2] != texture.ClampOGL {
		t.Errorf("%+v, %v", sampler, err)
	}
}

// TestDefaultsYieldToWords: the initialiser of a .texref counts where the description is silent.
func TestDefaultsYieldToWords(t *testing.T) {
	initialiser := texture.Sampler{Linear: true, Normalized: true, Address: [3]texture.Address{texture.Wrap, texture.Wrap, texture.Wrap}}
	for words, want := range map[string]texture.Sampler{
		"":                           initialiser,
		"filter=point address=clamp": {Normalized: true, Address: [3]texture.Address{texture.ClampEdge, texture.ClampEdge, texture.ClampEdge}},
	} {
		d := texture.NewDescription(texture.ATexture)
		for _, word := range strings.Fields("1d 4 " + words) {
			if err := d.Set(word); err != nil {
				t.Fatal(err)
			}
		}
		d.DefaultFormat(texture.Format{Channel: texture.F32, Channels: 2})
		d.DefaultFormat(texture.Format{Channel: texture.F32, Channels: 1})
		d.DefaultSampler(initialiser)
		if err := d.Finish(); err != nil || d.Sampler != want || d.Format.Channels != 2 {
			t.Errorf("%q: %+v of %v, %v", words, d.Sampler, d.Format, err)
		}
	}
}

func TestDescriptionNamesTheMistake(t *testing.T) {
	for _, c := range []struct {
		of          texture.Thing
		words, want string
	}{
		{texture.ATexture, "", "no kind and extent"},
		{texture.ATexture, "2d", "no kind and extent"},
		{texture.ATexture, "2d 4x4", "no format"},
		{texture.ATexture, "2d 4", "it is WIDTHxHEIGHT"},
		{texture.ATexture, "3d 4x4", "it is WIDTHxHEIGHTxDEPTH"},
		{texture.ATexture, "1d 0", `an extent of "0"`},
		{texture.ATexture, "1d 4 4", `"4" is out of place`},
		{texture.ATexture, "a3d 4x4x4", `"a3d" is out of place`},
		{texture.ATexture, "1dms 4", `"1dms" is out of place`},
		{texture.ASurface, "cube 4x4", `"cube" is out of place`},
		{texture.ASampler, "normalized", `"normalized" is out of place`},
		{texture.ASampler, "format=u8", `no "format" here`},
		{texture.ASurface, "filter=linear", `no "filter" here`},
		{texture.ATexture, "format=u8 format=u8", "format is said twice"},
		{texture.ATexture, "format=u9", `no type "u9"`},
		{texture.ATexture, "pitch=0", `pitch of "0"`},
		{texture.ATexture, "layers=x", `layers of "x"`},
		{texture.ATexture, "levels=33", `levels of "33"`},
		{texture.ATexture, "samples=32", `samples of "32"`},
		{texture.ATexture, "filter=cubic", `filter "cubic"`},
		{texture.ATexture, "mipfilter=cubic", `filter "cubic"`},
		{texture.ATexture, "address=round", `address mode "round"`},
		{texture.ATexture, "address=wrap,wrap,wrap,wrap", "there are three dimensions"},
		{texture.ATexture, "border=1", "four numbers"},
		{texture.ATexture, "border=1,2,3,x", `"x" is not a number`},
		{texture.ATexture, "compare=like", `comparison "like"`},
		{texture.ATexture, "cube 4x2 format=u8", "its faces are squares"},
		{texture.ATexture, "1d 4 format=f32 address=wrap", "address=wrap is for normalized coordinates"},
		{texture.ATexture, "1d 4 format=u8 filter=linear", "filter=linear on u8x1"},
		{texture.ATexture, "1d 4 format=u8 mipfilter=linear", "mipfilter=linear on u8x1"},
		{texture.ATexture, "1d 4 format=f32 levels=2", "levels are for normalized coordinates"},
		{texture.ATexture, "1d 4 format=f32 srgb", "srgb is for unorm8"},
	} {
		if _, err := describe(c.of, c.words); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.words, err, c.want)
		}
	}
}

func TestAddressReadsItsOwnName(t *testing.T) {
	// The names of PTX, in the order of the numbers that txq gives.
	for _, name := range []string{"wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"} {
		if a, err := texture.ParseAddress(name); err != nil || a.String() != name {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	for name, want := range map[string]texture.Address{"clamp": texture.ClampEdge, "edge": texture.ClampEdge, "border": texture.Border} {
		if a, err := texture.ParseAddress(name); err != nil || a != want {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
}
