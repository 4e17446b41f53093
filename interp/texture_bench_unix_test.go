//go:build unix

package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
)

// BenchmarkTextures measures the CPU time of a tex in a loop with three additions and a branch, by format, filter and
// address mode. Coordinates are within a texture of 256 x 256 texels, and beyond it in an eighth of the lanes of the
// modes that have "out" in their names.
func BenchmarkTextures(b *testing.B) {
	const times, ctas = 128, 16
	for _, c := range []struct {
		name, values, mode string
		format             texture.Format
		linear, normalized bool
		address            texture.Address
		from               float32
	}{
		{"f32", "f32", "point", texture.Format{Channel: texture.F32, Channels: 1}, false, false, texture.ClampEdge, 0},
		{"f32", "f32", "linear", texture.Format{Channel: texture.F32, Channels: 1}, true, false, texture.ClampEdge, 0.5},
		{"f32", "f32", "linear,out", texture.Format{Channel: texture.F32, Channels: 1}, true, false, texture.ClampEdge, -4},
		{"f32", "f32", "point,wrap", texture.Format{Channel: texture.F32, Channels: 1}, false, true, texture.Wrap, 0},
		{"f32", "f32", "linear,border,out", texture.Format{Channel: texture.F32, Channels: 1}, true, false, texture.Border, -4},
		{"f32x4", "f32", "point", texture.Format{Channel: texture.F32, Channels: 4}, false, false, texture.ClampEdge, 0},
		{"f32x4", "f32", "linear", texture.Format{Channel: texture.F32, Channels: 4}, true, false, texture.ClampEdge, 0.5},
		{"unorm8x4", "f32", "point", texture.Format{Channel: texture.Unorm8, Channels: 4}, false, false, texture.ClampEdge, 0},
		{"unorm8x4", "f32", "linear", texture.Format{Channel: texture.Unorm8, Channels: 4}, true, false, texture.ClampEdge, 0.5},
		{"f16", "f32", "linear", texture.Format{Channel: texture.F16, Channels: 1}, true, false, texture.ClampEdge, 0.5},
		{"u32", "u32", "point", texture.Format{Channel: texture.U32, Channels: 1}, false, false, texture.ClampEdge, 0},
		{"u8", "u32", "point", texture.Format{Channel: texture.U8, Channels: 1}, false, false, texture.ClampEdge, 0},
	} {
		b.Run(fmt.Sprintf("%s/%s", c.name, c.mode), func(b *testing.B) {
			const step = 0.37
			scale := float32(1)
			if c.normalized {
				scale = 1.0 / 256
			}
			src := textureLoop(c.values, c.from, scale, step*scale, times)
			mod, err := asm.Parse("k.s", []byte(src))
			if err != nil {
				b.Fatal(err)
			}
			m, err := interp.New(mod, interp.Config{})
			if err != nil {
				b.Fatal(err)
			}
			x := texture.Texture{Shape: texture.Shape{Kind: texture.D2, Width: 256, Height: 256, Depth: 1, Layers: 1, Levels: 1, Format: c.format}}
			x.Sampler = texture.Sampler{Linear: c.linear, Normalized: c.normalized, Address: [3]texture.Address{c.address, c.address, c.address}}
			params := textureParams(b, m, &x)
			best := math.Inf(1)
			l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: ctas, Y: 1, Z: 1}, Block: isa.Dim{X: 256, Y: 1, Z: 1}, Params: params}
			for b.Loop() {
				began := cpuTime()
				if _, err := functional.Run(context.Background(), m, l); err != nil {
					b.Fatal(err)
				}
				best = min(best, cpuTime()-began)
			}
			b.ReportMetric(best*1e9/(times*ctas*8), "ns/tex")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// textureLoop is a kernel that executes a tex a number of times, at x from from on in steps, both scaled.
func textureLoop(values string, from, scale, step float32, times int) string {
	return fmt.Sprintf(`.entry k(.param .u64 t, .param .u64 out)
{
	.reg .b32 %%r<40>;
	ld.param.u64 %%rd1, [t];
	ld.param.u64 %%rd2, [out];
	mov.u32 %%r1, %%tid.x;
	mov.u32 %%r2, %%ctaid.x;
	and.b32 %%r3, %%r1, 15;
	add.u32 %%r3, %%r3, %%r2;
	cvt.rn.f32.u32 %%f1, %%r3;
	shr.u32 %%r4, %%r1, 4;
	cvt.rn.f32.u32 %%f2, %%r4;
	add.f32 %%f1, %%f1, 0f%08x;
	add.f32 %%f2, %%f2, 0f3f000000;
	mul.f32 %%f1, %%f1, 0f%08x;
	mul.f32 %%f2, %%f2, 0f%08x;
	mov.u32 %%r10, 0;
	mov.u32 %%r20, 0;
L:
	tex.2d.v4.%s.f32 {%%r30, %%r31, %%r32, %%r33}, [%%rd1, {%%f1, %%f2}];
	add.u32 %%r20, %%r20, %%r30;
	add.f32 %%f1, %%f1, 0f%08x;
	add.u32 %%r10, %%r10, 1;
	setp.lt.u32 %%p1, %%r10, %d;
	@%%p1 bra L;
	mad.wide.u32 %%rd2, %%r1, 4, %%rd2;
	st.global.u32 [%%rd2], %%r20;
	ret;
}
`, math.Float32bits(from), math.Float32bits(scale), math.Float32bits(scale), values, math.Float32bits(step), times)
}

// textureParams makes the memory of a texture and of a result, and returns the parameters of textureLoop.
func textureParams(b *testing.B, m *interp.Machine, x *texture.Texture) []byte {
	texels, err := m.Alloc("texels", x.Bytes())
	if err != nil {
		b.Fatal(err)
	}
	for i := range texels.Data {
		texels.Data[i] = byte(i*7) & 0x3f
	}
	out, err := m.Alloc("out", 1024)
	if err != nil {
		b.Fatal(err)
	}
	handle, err := m.AddImage(interp.Image{Name: "img", Type: isa.TexRef, Texture: *x, Region: texels})
	if err != nil {
		b.Fatal(err)
	}
	params := make([]byte, 16)
	binary.LittleEndian.PutUint64(params, handle)
	binary.LittleEndian.PutUint64(params[8:], out.Base)
	return params
}
