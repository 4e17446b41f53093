package simtrun_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/texture"
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

func TestTextureReadsBuffer(t *testing.T) {
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

func TestTextureErrorsAreExplained(t *testing.T) {
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
		"1d 4 format=u8x1 colour=red":          `no "colour" here; expected KIND EXTENT`,
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

// TestTexturesOfMemoryServeAllPrograms checks textures and surfaces that no program has declared, which all programs in
// a memory can use, and variables that are bound to them.
func TestTexturesOfMemoryServeAllPrograms(t *testing.T) {
	mem, err := simtrun.NewMemory(simtrun.Options{})
	if err != nil {
		t.Fatal(err)
	}
	texels, err := simtrun.AllocOf(mem, "texels", []float32{0, 0, 0, 0, 1, 3, 5, 7})
	if err != nil {
		t.Fatal(err)
	}
	line := texture.Texture{Shape: texture.Shape{Width: 4, Height: 1, Depth: 1, Layers: 1, Levels: 1, Format: texture.Format{Channel: texture.F32, Channels: 1}}}
	for i := range line.Sampler.Address {
		line.Sampler.Address[i] = texture.ClampEdge
	}
	line.Sampler.Linear = true
	img, err := mem.NewTexture("bound", texels, 16, line)
	if err != nil {
		t.Fatal(err)
	}
	surface, err := mem.NewSurface("sheet", texels, 16, line.Shape)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 { // two programs with a variable of the same name
		p, err := simtrun.Load("k.s", []byte(textured))
		if err != nil {
			t.Fatal(err)
		}
		m, err := mem.Load(p)
		if err != nil {
			t.Fatal(err)
		}
		out, err := simtrun.AllocOf(m, "out", make([]float32, 2))
		if err != nil {
			t.Fatal(err)
		}
		l := simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 1}, Args: []any{img, out}}
		if is, ok := m.ImageVar("bound"); !ok || is != isa.TexRef {
			t.Errorf("bound is %v", is)
		}
		if _, ok := m.ImageVar("img"); ok {
			t.Error("img is a variable")
		}
		if err := m.Bind("img", img); err == nil {
			t.Error("img was bound")
		}
		if err := m.Bind("bound", surface); err == nil || !strings.Contains(err.Error(), "bound is a .texref of the module, not a .surfref") {
			t.Errorf("%v", err)
		}
		if err := m.Bind("bound", img); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Launch(context.Background(), l); err != nil {
			t.Fatal(err)
		}
		if got := simtrun.Read[float32](out); !slices.Equal(got, []float32{4, 7}) {
			t.Errorf("%v", got)
		}
		if err := m.Bind("bound", nil); err != nil {
			t.Fatal(err)
		}
		if _, err := m.Launch(context.Background(), l); err == nil || !strings.Contains(err.Error(), "is bound to nothing") {
			t.Errorf("%v", err)
		}
		if err := m.Bind("bound", img); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := mem.NewTexture("t", texels, 20, line); err == nil || !strings.Contains(err.Error(), "a multiple of 16") {
		t.Errorf("%v", err)
	}
	if _, err := mem.NewTexture("t", nil, 0, line); err == nil {
		t.Error("no buffer")
	}
	if err := img.Remove(); err != nil {
		t.Fatal(err)
	}
	if err := img.Remove(); err == nil {
		t.Error("it was removed twice")
	}
}

// TestTextureOfFreedMemoryFaults checks that a fetch is a fault after the texels were freed.
func TestTextureOfFreedMemoryFaults(t *testing.T) {
	p, err := simtrun.Load("k.s", []byte(textured))
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		t.Fatal(err)
	}
	texels, _ := m.Alloc("texels", 16)
	out, _ := m.Alloc("out", 8)
	img, err := m.Texture("bound", texels, "1d 4 format=f32x1")
	if err != nil {
		t.Fatal(err)
	}
	if err := m.Memory().Free(texels); err != nil {
		t.Fatal(err)
	}
	var f *simtrun.Fault
	_, err = m.Launch(context.Background(), simtrun.Launch{Kernel: "k", Block: simtrun.Dim{X: 1}, Args: []any{img, out}})
	if !errors.As(err, &f) || f.Rule != "mem-freed" || !strings.Contains(err.Error(), "texels, which was freed") {
		t.Errorf("%v", err)
	}
}

// TestRemovedHandlesAreReused checks that removed handles are reused, after a long time.
func TestRemovedHandlesAreReused(t *testing.T) {
	mem, err := simtrun.NewMemory(simtrun.Options{})
	if err != nil {
		t.Fatal(err)
	}
	texels, _ := mem.Alloc("texels", 16)
	shape := texture.Shape{Width: 4, Height: 1, Depth: 1, Layers: 1, Levels: 1, Format: texture.Format{Channel: texture.F32, Channels: 1}}
	last := make(map[uint64]int)
	for i := range 100_000 {
		s, err := mem.NewSurface("s", texels, 0, shape)
		if err != nil {
			t.Fatal(err)
		}
		if before, again := last[s.Handle()]; again && i-before < 10_000 {
			t.Fatalf("handle %d is that of %d", i, before)
		}
		last[s.Handle()] = i
		if err := s.Remove(); err != nil {
			t.Fatal(err)
		}
	}
	if len(last) > 20_000 {
		t.Errorf("%d handles", len(last))
	}
}
