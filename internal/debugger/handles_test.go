package debugger

import (
	"encoding/binary"
	"regexp"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
)

// TestTexturesShowWhatTheyAreBoundTo: a texture object and a texture reference are shown with what they are bound to,
// and pointers to member functions by name. The handle in both places is that of ref, the only texture.
// handles-clang19.ptx is what simtrun cc -G makes of handles.cu.
func TestTexturesShowWhatTheyAreBoundTo(t *testing.T) {
	const handle = 0x5000000
	b := newCompiled(t, "handles-clang19.ptx", func(in, out uint64) interp.Launch {
		params := make([]byte, 0, 32)
		for _, n := range []uint64{in, out, handle, 7} {
			params = binary.LittleEndian.AppendUint64(params, n)
		}
		return interp.Launch{Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1}, Params: params}
	})
	if got := b.do("p ref"); got != "ref not bound" {
		t.Errorf("before it is bound: %s", got)
	}
	d := texture.NewDescription(texture.ATexture)
	for _, word := range []string{"2d", "16x4", "format=f32x1", "filter=linear", "address=wrap,clamp_to_border", "normalized"} {
		if err := d.Set(word); err != nil {
			t.Fatal(err)
		}
	}
	m := b.program.Machine
	if err := m.Bind("ref", &interp.Image{Type: isa.TexRef, Texture: d.Texture, Region: b.program.Buffers[0].Region}); err != nil {
		t.Fatal(err)
	}
	const bound = `texture 2d 16x4 format=f32x1 filter=linear address=wrap,clamp_to_border normalized, in in`
	for _, c := range [][2]string{
		{"break 18", `^break 1 at L18: `},
		{"run", `^break 1 at L18 `},
		{"p ref", `^ref ` + bound + `$`},
		{"p tex", `^tex cudaTextureObject_t   all: 83886080 \(` + bound + `\)$`},
		{"p/x tex", `all: 0x5000000$`},
		{"whatis tex", `^type = cudaTextureObject_t$`},
		{"p none", `^none const cudaSurfaceObject_t   all: 7$`},
		{"info args", `\ntex cudaTextureObject_t   all: 83886080 \(` + bound + `\)\n`},
		{"p either", `^either int \(M::\*\)\(M \*, int\)   0-30 by 2: &M::times   1-31 by 2: &M::add$`},
		{"p empty", ` all: nullptr$`},
		{"p table", ` all: virtual function 0 of M$`},
		{"info locals", `\neither int \(M::\*\)\(M \*, int\)   0-30 by 2: &M::times   1-31 by 2: &M::add\n`},
		{"tbreak 19", `^tbreak 2 at L19: `},
		{"c", `^tbreak 2 at L19 `},
		{"p texel == tex2D<float>(tex, i, 0) + tex2D(ref, i, 0.f)", ` pred   ffffffff   all$`},
		{"p tex2D<float>(tex, .5f / 16, .5f / 4) == __int_as_float(in[0])", ` pred   ffffffff   all$`},
		{"p tex2D<float2>(tex, 0.25f, 5).y", ` float   all: 0$`},
		{"lane 3 p tex2D<float4>(ref, 0.25f, 5)", `^tex2D<float4>\(ref, 0.25f, 5\) float4 = \{x = 0, y = 0, z = 0, w = 0\}$`}, // the border
		{"p tex2D<float4>(ref, 0.25f, .5f).w", ` float = 1$`},
		{"p tex2D<int>(tex, 0, 0)", `^tex2D returns float here, or 2 or 4 of them, not int$`},
		{"p tex3D<float>(tex, 0, 0, 0)", `^tex3D: ref is 2d 16x4, not 3d$`},
		{"p tex2D<float>(none, 0, 0)", `^tex2D: 0x7 is not a handle of a \.texref `},
		{"p surf2Dread<int>(tex, 0, 0)", `^surf2Dread: ref is a \.texref, but the instruction needs a \.surfref`},
		{"p tex2D<float>(tex, 0)", `^tex2D takes 3 arguments, not 2$`},
		{"p tex2DGrad<float>(tex, 0)", `^expressions cannot call tex2DGrad; there are `},
		{"p tex2D<float>(tex, 0, 0", `^a \) is missing$`},
		{"set tex2D<float>(tex, 0, 0) = 1", `^only registers and memory can be set$`},
		{"p m.*either", `^either points to a function: expressions call none$`},
	} {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
