package interp_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
)

// textureLoop is a kernel that executes a fetch in two dimensions a number of times, at x from from on in steps, both
// scaled.
func textureLoop(instr string, from, scale, step float32, times int) string {
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
	%s {%%r30, %%r31, %%r32, %%r33}, [%%rd1, {%%f1, %%f2}];
	add.u32 %%r20, %%r20, %%r30;
	add.f32 %%f1, %%f1, 0f%08x;
	add.u32 %%r10, %%r10, 1;
	setp.lt.u32 %%p1, %%r10, %d;
	@%%p1 bra L;
	mad.wide.u32 %%rd2, %%r1, 4, %%rd2;
	st.global.u32 [%%rd2], %%r20;
	ret;
}
`, math.Float32bits(from), math.Float32bits(scale), math.Float32bits(scale), instr, math.Float32bits(step), times)
}

// textureParams makes the memory of a texture and of a result, and returns the parameters of textureLoop.
func textureParams(t testing.TB, m *interp.Machine, x *texture.Texture) []byte {
	t.Helper()
	texels, err := m.Alloc("texels", x.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	for i := range texels.Data {
		texels.Data[i] = byte(i*7) & 0x3f
	}
	out, err := m.Alloc("out", 1024)
	if err != nil {
		t.Fatal(err)
	}
	handle, err := m.AddImage(interp.Image{Name: "img", Type: isa.TexRef, Texture: *x, Region: texels})
	if err != nil {
		t.Fatal(err)
	}
	params := make([]byte, 16)
	binary.LittleEndian.PutUint64(params, handle)
	binary.LittleEndian.PutUint64(params[8:], out.Base)
	return params
}

// textureLaunch is a launch of a kernel of textureLoop with blocks of 256 threads.
func textureLaunch(t testing.TB, cfg interp.Config, x *texture.Texture, src string, ctas uint32) (*interp.Machine, interp.Launch) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	return m, interp.Launch{Kernel: "k", Grid: isa.Dim{X: ctas, Y: 1, Z: 1}, Block: isa.Dim{X: 256, Y: 1, Z: 1}, Params: textureParams(t, m, x)}
}
