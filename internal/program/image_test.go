package program

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
)

// imageWords says what a texture or surface instruction is given.
func imageWords(_ *Program, f *Func) string {
	im := f.Info[0].Image
	text := f.slot(im.Handle)
	if im.Sampler != 0 {
		text += " by " + f.slot(im.Sampler)
	}
	if im.Coords != nil {
		text += " at " + f.slotList(im.Coords)
	}
	for _, part := range []struct {
		name  string
		slots []uint32
	}{{"dx", im.DX}, {"dy", im.DY}, {"offset", im.Offset}} {
		if part.slots != nil {
			text += " " + part.name + f.slotList(part.slots)
		}
	}
	if im.LOD != 0 {
		text += " level " + f.slot(im.LOD)
	}
	if im.Compare != 0 {
		text += " compared to " + f.slot(im.Compare)
	}
	return text
}

// TestTexturesHaveOperandsOfPTX: what stands behind the last coordinate in a vector of PTX is not one.
func TestTexturesHaveOperandsOfPTX(t *testing.T) {
	const d = "{%f11, %f12, %f13, %f14}"
	explain(t, imageWords, map[string]string{
		"tex.2d.v4.f32.f32 " + d + ", [%rd1, {%f1, %f2}];":                                     "%rd1 at {%f1 %f2}",
		"tex.1d.v4.f32.s32 " + d + ", [t, {%r1}];":                                             "param+16 at {%r1}",
		"tex.3d.v4.f32.f32 " + d + ", [%rd1, %rd2, {%f1, %f2, 0f3F800000, %f4}];":              "%rd1 by %rd2 at {%f1 %f2 1065353216}",
		"tex.a2d.v4.f32.f32 " + d + ", [%rd1, {%r1, %f2, %f3, %f4}];":                          "%rd1 at {%r1 %f2 %f3}",
		"tex.level.2d.v4.f32.f32 " + d + ", [%rd1, {%f1, %f2}], %f3;":                          "%rd1 at {%f1 %f2} level %f3",
		"tex.grad.2d.v4.f32.f32 " + d + ", [%rd1, {%f1, %f2}], {%f3, %f4}, {%f5, 0f00000000};": "%rd1 at {%f1 %f2} dx{%f3 %f4} dy{%f5 0}",
		"tex.2d.v4.f32.f32 " + d + ", [%rd1, {%f1, %f2}], {1, %r2}, %f3;":                      "%rd1 at {%f1 %f2} offset{1 %r2} compared to %f3",
		"txq.width.b32 %r1, [%rd1];":                                                           "%rd1",
		"tld4.r.2d.v4.f32.f32 " + d + ", [%rd1, {%f1, %f2}];":                                  "%rd1 at {%f1 %f2}",
	})
}

// TestNamedImagesAreListed: what a launch has to bind.
func TestNamedImagesAreListed(t *testing.T) {
	p, f := first(t, "tex.1d.v4.f32.s32 {%f1, %f2, %f3, %f4}, [tex, {%r1}];")
	if len(p.Images) != 1 || p.Images[0].Name != "tex" || p.Images[0].Instr != &f.Src.Code[0] || f.slot(f.Info[0].Image.Handle) != "4352" {
		t.Errorf("%+v, handle %s", p.Images, f.slot(f.Info[0].Image.Handle))
	}
	if !f.Info[0].Image.Wide || f.Info[0].Image.SamplerWide() {
		t.Error("the name of a texture is a handle of 64 bits, and there is no sampler")
	}
}

func TestSurfacesKnowTheirRegisters(t *testing.T) {
	explain(t, func(p *Program, f *Func) string {
		im := f.Info[0].Image
		return fmt.Sprintf("%s, %d registers, wide %v, signed %v", imageWords(p, f), im.Results, im.ResultWide, im.Signed != nil)
	}, map[string]string{
		"suld.b.2d.v2.b32.trap {%r1, %r2}, [%rd1, {%r3, %r4}];": "%rd1 at {%r3 %r4}, 2 registers, wide false, signed false",
		"suld.b.1d.b64.zero %rd2, [%rd1, {%r3}];":               "%rd1 at {%r3}, 1 registers, wide true, signed false",
		"sust.b.a1d.b32.clamp [%rd1, {%r1, %r2}], %r3;":         "%rd1 at {%r1 %r2}, 1 registers, wide false, signed false",
		"sured.p.max.1d.b32.trap [%rd1, {2}], %r1;":             "%rd1 at {2}, 1 registers, wide false, signed true",
		"sured.b.max.1d.s32.trap [%rd1, {%r2}], %r1;":           "%rd1 at {%r2}, 1 registers, wide false, signed false",
	})
}

// TestFormattedStoreHasOneStoreForEachTexel: texels have 1 to 16 bytes, which the slots of Texel hold as words.
func TestFormattedStoreHasOneStoreForEachTexel(t *testing.T) {
	_, f := first(t, "sust.p.1d.v4.b32.trap [%rd1, {%r1}], {%r2, %r3, %r4, %r5};")
	im, file := f.Info[0].Image, lanes.NewFile(f.Layout.Bytes())
	for i, slot := range im.Texel {
		lanes.Reg[uint32](file, slot)[0] = 0x01020304 + uint32(i)*0x10101010
	}
	for _, bytes := range []int{1, 2, 4, 8, 16} {
		got, want := make([]byte, 16), make([]byte, 16)
		for i := range bytes {
			want[i] = byte(4 - i%4 + i/4*0x10)
		}
		op := im.StoreOf(bytes)
		op.Mem(file, op, 1, &lanes.Access{Mem: got, Size: uint64(bytes)})
		if string(got) != string(want) {
			t.Errorf("%d bytes: %x, want %x", bytes, got, want)
		}
	}
}

func TestMixedWidthsOfFormattedStoresAreRefused(t *testing.T) {
	got := lowerError(t, head+"{\nsust.p.1d.v2.b32.trap [%rd1, {%r1}], {%r2, %rd3}; ret; }")
	if want := "k.s:7:1: sust.p.1d.v2.b32.trap with registers of several widths, or a constant added to one, is not supported yet"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
