package simtrun_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun"
)

const textured = `
.global .texref bound;
.entry k(.param .u64 t, .param .u64 out)
{
	ld.param.u64 %rd1, [t];
	ld.param.u64 %rd2, [out];
	tex.1d.v4.f32.f32 {%f1, %f2, %f3, %f4}, [%rd1, {2.0}];
	tex.1d.v4.f32.s32 {%f5, %f6, %f7, %f8}, [bound, {3}];
	st.global.v2.f32 [%rd2], {%f1, %f5};
	ret;
}`

func TestTextureOfBuffer(t *testing.T) {
	for _, clock := range []*simtrun.Clock{nil, {}} {
		p, err := simtrun.Load("k.s", []byte(textured))
		if err != nil {
			t.Fatal(err)
		}
		m, err := p.NewMachine(simtrun.Options{Clock: clock})
		if err != nil {
			t.Fatal(err)
		}
		texels, err := simtrun.AllocOf(m, "texels", []float32{1, 3, 5, 7})
		if err != nil {
			t.Fatal(err)
		}
		out, err := simtrun.AllocOf(m, "out", make([]float32, 2))
		if err != nil {
			t.Fatal(err)
		}
		img, err := m.Texture("img", texels, "1d 4 format=f32x1 filter=linear")
		if err != nil {
			t.Fatal(err)
		}
		l := simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 1}, Args: []any{img, out}}
		if _, err := m.Launch(context.Background(), l); err == nil || !strings.Contains(err.Error(), "the .texref bound, which tex.1d.v4.f32.s32 in line 8 names, is bound to nothing") {
			t.Errorf("unbound: %v", err)
		}
		if _, err := m.Texture("bound", texels, "1d 4 format=f32x1"); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Launch(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		if got := simtrun.Read[float32](out); !slices.Equal(got, []float32{4, 7}) {
			t.Errorf("%v", got)
		}
	}
}

func TestTextureErrors(t *testing.T) {
	p, err := simtrun.Load("k.s", []byte(textured))
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		t.Fatal(err)
	}
	texels, err := m.Alloc("texels", 16)
	if err != nil {
		t.Fatal(err)
	}
	for description, want := range map[string]string{
		"1d 5 format=f32x1":                    "1d 5 of f32x1 takes 20 bytes; texels has 16",
		"1d 200000 format=u8x1":                "takes 200000 bytes; texels has 16",
		"1d 268435457 format=u8x1":             `"268435457"; it is a number from 1 to 268435456`,
		"2d 131073x1 format=u8x1":              `"131073"; it is a number from 1 to 131072`,
		"1d 4":                                 "no format, such as format=f32x1",
		"4x4 format=u8x1":                      `"4x4" is out of place`,
		"2d 4 format=u8x1":                     `extent "4" of a 2d texture; it is WIDTHxHEIGHT`,
		"1d 4 format=u8x3":                     "a texel has 1, 2 or 4 channels",
		"1d 4 format=i8x4":                     `no type "i8" of channels`,
		"1d 4 format=u8x4 filter=linear":       "filter=linear on u8x4, which gives integers",
		"1d 4 format=u8x4 address=wrap":        "address=wrap is for normalized coordinates; say normalized too",
		"1d 4 format=f32x1 levels=2":           "levels are for normalized coordinates",
		"1d 4 format=f32x1 srgb":               "srgb is for unorm8",
		"1d 4 format=u8x1 pitch=2":             "pitch 2; a row has 4 bytes",
		"1d 4 format=u8x1 colour=red":          `no "colour" here; it is written KIND EXTENT`,
		"cube 2x4 format=u8x1":                 "a cube map of 2x4 texels; its faces are squares",
		"1d 4 format=u8x1 format=u8x1":         "format is said twice",
		"1d 2 format=u8x1 normalized levels=9": "9 levels; 2 texels have 1 to 2",
	} {
		if _, err := m.Texture("t", texels, description); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v; want %s", description, err, want)
		}
	}
	if _, err := m.Surface("bound", texels, "1d 4 format=f32x1"); err == nil || !strings.Contains(err.Error(), "bound is a .texref of the module") {
		t.Errorf("surface: %v", err)
	}
	if _, err := m.Texture("t", nil, "1d 4 format=f32x1"); err == nil {
		t.Error("no buffer")
	}
}
