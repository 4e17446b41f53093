//go:build unix

package interp_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
)

// BenchmarkTextures measures the CPU time of a tex in a loop with three additions and a branch, by format, filter and
// address mode. Coordinates are within a texture of 256 x 256 texels, and beyond it in an eighth of the lanes of the
// modes that have "out" in their names.
func BenchmarkTextures(b *testing.B) {
	const times, ctas = 128, 16
	for _, c := range []struct {
		name, instr, mode  string
		format             texture.Format
		linear, normalized bool
		address            texture.Address
		from               float32
	}{
		{"f32", "tex.2d.v4.f32.f32", "point", texture.Format{Channel: texture.F32, Channels: 1}, false, false, texture.ClampEdge, 0},
		{"f32", "tex.2d.v4.f32.f32", "linear", texture.Format{Channel: texture.F32, Channels: 1}, true, false, texture.ClampEdge, 0.5},
		{"f32", "tex.2d.v4.f32.f32", "linear,out", texture.Format{Channel: texture.F32, Channels: 1}, true, false, texture.ClampEdge, -4},
		{"f32", "tex.2d.v4.f32.f32", "point,wrap", texture.Format{Channel: texture.F32, Channels: 1}, false, true, texture.Wrap, 0},
		{"f32", "tex.2d.v4.f32.f32", "linear,border,out", texture.Format{Channel: texture.F32, Channels: 1}, true, false, texture.Border, -4},
		{"f32x4", "tex.2d.v4.f32.f32", "point", texture.Format{Channel: texture.F32, Channels: 4}, false, false, texture.ClampEdge, 0},
		{"f32x4", "tex.2d.v4.f32.f32", "linear", texture.Format{Channel: texture.F32, Channels: 4}, true, false, texture.ClampEdge, 0.5},
		{"unorm8x4", "tex.2d.v4.f32.f32", "point", texture.Format{Channel: texture.Unorm8, Channels: 4}, false, false, texture.ClampEdge, 0},
		{"unorm8x4", "tex.2d.v4.f32.f32", "linear", texture.Format{Channel: texture.Unorm8, Channels: 4}, true, false, texture.ClampEdge, 0.5},
		{"f16", "tex.2d.v4.f32.f32", "linear", texture.Format{Channel: texture.F16, Channels: 1}, true, false, texture.ClampEdge, 0.5},
		{"f32", "tld4.r.2d.v4.f32.f32", "gather", texture.Format{Channel: texture.F32, Channels: 1}, false, false, texture.ClampEdge, 0.5},
		{"u32", "tex.2d.v4.u32.f32", "point", texture.Format{Channel: texture.U32, Channels: 1}, false, false, texture.ClampEdge, 0},
		{"u8", "tex.2d.v4.u32.f32", "point", texture.Format{Channel: texture.U8, Channels: 1}, false, false, texture.ClampEdge, 0},
	} {
		b.Run(fmt.Sprintf("%s/%s", c.name, c.mode), func(b *testing.B) {
			const step = 0.37
			scale := float32(1)
			if c.normalized {
				scale = 1.0 / 256
			}
			src := textureLoop(c.instr, c.from, scale, step*scale, times)
			x := texture.Texture{Shape: texture.Shape{Kind: texture.D2, Width: 256, Height: 256, Depth: 1, Layers: 1, Levels: 1, Format: c.format}}
			x.Sampler = texture.Sampler{Linear: c.linear, Normalized: c.normalized, Address: [3]texture.Address{c.address, c.address, c.address}}
			m, l := textureLaunch(b, interp.Config{}, &x, src, ctas)
			best := math.Inf(1)
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
