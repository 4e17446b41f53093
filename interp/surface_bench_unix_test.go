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
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
)

// BenchmarkSurfaces measures the CPU time of an access to a surface of 256 x 256 words in two dimensions, in a loop
// with three additions and a branch.
func BenchmarkSurfaces(b *testing.B) {
	const times, ctas = 128, 16
	for _, instr := range []string{
		"suld.b.2d.b32.trap %r30, [%rd1, {%r1, %r2}]", "suld.b.2d.v4.b32.clamp {%r30, %r31, %r32, %r33}, [%rd1, {%r1, %r2}]",
		"sust.b.2d.b32.trap [%rd1, {%r1, %r2}], %r20", "sust.b.2d.v4.b32.zero [%rd1, {%r1, %r2}], {%r20, %r1, %r2, %r30}",
	} {
		b.Run(instr[:len("suld.b.2d.b32")], func(b *testing.B) {
			mod, err := asm.Parse("k.s", []byte(surfaceLoop(instr, times)))
			if err != nil {
				b.Fatal(err)
			}
			m, err := kerneltest.New(mod, interp.Config{})
			if err != nil {
				b.Fatal(err)
			}
			texels, err := m.Alloc("texels", 256*256*16)
			if err != nil {
				b.Fatal(err)
			}
			x := texture.Texture{Shape: texture.Shape{Kind: texture.D2, Width: 256, Height: 256, Depth: 1, Layers: 1, Levels: 1, Format: texture.Format{Channel: texture.U32, Channels: 4}}}
			handle, err := m.AddImage(interp.Image{Name: "img", Type: isa.SurfRef, Texture: x, Region: texels})
			if err != nil {
				b.Fatal(err)
			}
			best := math.Inf(1)
			l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: ctas, Y: 1, Z: 1}, Block: isa.Dim{X: 256, Y: 1, Z: 1}, Params: binary.LittleEndian.AppendUint64(nil, handle)}
			for b.Loop() {
				began := cpuTime()
				if _, err := functional.Run(context.Background(), m, l); err != nil {
					b.Fatal(err)
				}
				best = min(best, cpuTime()-began)
			}
			b.ReportMetric(best*1e9/(times*ctas*8), "ns/access")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// surfaceLoop is a kernel that executes an access a number of times, at x in bytes from the thread on.
func surfaceLoop(instr string, times int) string {
	return fmt.Sprintf(`.entry k(.param .u64 s)
{
	.reg .b32 %%r<40>;
	ld.param.u64 %%rd1, [s];
	mov.u32 %%r3, %%tid.x;
	mov.u32 %%r2, %%ctaid.x;
	and.b32 %%r1, %%r3, 15;
	shr.u32 %%r2, %%r3, 4;
	shl.b32 %%r1, %%r1, 4;
	mov.u32 %%r10, 0;
	mov.u32 %%r20, 0;
L:
	%s;
	add.u32 %%r20, %%r20, %%r30;
	add.u32 %%r1, %%r1, 16;
	add.u32 %%r10, %%r10, 1;
	setp.lt.u32 %%p1, %%r10, %d;
	@%%p1 bra L;
	ret;
}
`, instr, times)
}
