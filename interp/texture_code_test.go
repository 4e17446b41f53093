package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// fetchForms are bodies of imageKernel with fetches. TEX is the instruction up to its results, C the list of
// coordinates, and C0 the first of them. %r60 is the thread, and %p2 holds in some threads. The first fetch of each
// leaves code; they are executed several times.
var fetchForms = []string{
	"TEX {%r20, %r21, %r22, %r23}, [%rd1, {C}];",
	"@%p2 TEX {%r20, %r21, %r22, %r23}, [%rd1, {C}];",
	"@!%p2 TEX {_, %r21, _, %r23}, [%rd1, {C}];",
	"@%p2 bra ELSE; TEX {%r20, %r21, %r22, %r23}, [%rd1, {C}]; add.u32 %r22, %r22, 3; bra JOIN; ELSE: TEX {%r23, %r22, %r21, %r20}, [%rd1, {C}]; JOIN: add.u32 %r20, %r20, 1;",
	// results in registers of coordinates
	"TEX {C0, %r21, %r22, %r23}, [%rd1, {C}]; mov.u32 %r20, C0;",
	// handles that are scalars of their own, or values of lanes
	"mov.u32 %r62, %ctaid.x; cvt.u64.u32 %rd5, %r62; add.u64 %rd5, %rd1, %rd5; TEX {%r20, %r21, %r22, %r23}, [%rd5, {C}];",
	"ld.global.u32 %r62, [%rd3]; and.b32 %r62, %r62, 0; cvt.u64.u32 %rd5, %r62; add.u64 %rd5, %rd1, %rd5; TEX {%r20, %r21, %r22, %r23}, [%rd5, {C}];",
	// scalar and affine coordinates
	"mov.u32 C0, %r61; TEX {%r20, %r21, %r22, %r23}, [%rd1, {C}];",
	"add.u32 C0, %r60, %r61; @%p2 bra JOIN; TEX {%r20, %r21, %r22, %r23}, [%rd1, {C}]; JOIN: add.u32 %r20, %r20, C0;",
	// a sampler, and the texture's own beside it
	"TEX {%r20, %r21, %r22, %r23}, [%rd1, %rd2, {C}];",
	"TEX {%r20, %r21, %r22, %r23}, [%rd1, {C}]; @%p2 TEX {%r20, %r21, %r22, %r23}, [%rd1, %rd2, {C}];",
}

// fetchBody is a form for coordinates of a number of words, executed three times.
func fetchBody(form, instr string, words int) string {
	var all []string
	var copies strings.Builder
	for i := range words {
		all = append(all, fmt.Sprintf("%%r%d", i))
		fmt.Fprintf(&copies, "mov.u32 %%r%d, %%r%d; ", i, 40+i)
	}
	list := strings.Join(all, ", ")
	if words == 3 {
		list += ", %r0" // which is not read
	}
	var first strings.Builder
	for i := range words {
		fmt.Fprintf(&first, "mov.u32 %%r%d, %%r%d; ", 40+i, i)
	}
	body := strings.NewReplacer("TEX", instr, "C0", "%r0", "C", list).Replace(form)
	return first.String() + "ld.global.u32 %r59, [%rd3]; and.b32 %r59, %r59, 5; setp.ne.u32 %p2, %r59, 1; mov.u32 %r61, 0; mov.u32 %r20, 7; mov.u32 %r21, 8; mov.u32 %r22, 9; mov.u32 %r23, 10; AGAIN: " +
		copies.String() + body + " add.u32 %r61, %r61, 1; setp.lt.u32 %p1, %r61, 3; @%p1 bra AGAIN;"
}

// FuzzCompiledFetches: compiled code fetches what Go fetches, at all levels, by the host's CPU and by its model, and
// verified: all geometries, formats, filters, address modes and forms.
func FuzzCompiledFetches(f *testing.F) {
	for n := range len(fetchForms) * 5 {
		f.Add(uint64(n))
	}
	f.Fuzz(func(t *testing.T, n uint64) {
		if short.Skips(int(n % (1 << 16))) {
			return
		}
		run := randomFetch(t, n)
		run.config = interp.Config{Compile: interp.CompileNever}
		want, _, err := run.run(t)
		if err != nil {
			t.Fatalf("%s: %v", run.instrs, err)
		}
		configs := []interp.Config{{Lanes: kerneltest.EvaluatedLevels[n%2], Evaluate: kerneltest.NewCPU}}
		if level := kerneltest.LevelOf(n); level != jit.None && !kerneltest.Evaluates() {
			configs = append(configs, interp.Config{Lanes: level}, interp.Config{Lanes: level, Verify: true})
		}
		for _, run.config = range configs {
			run.config.Compile = interp.CompileAlways
			got, _, err := run.run(t)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Fatalf("%v (evaluated %t, verified %t): %s of %+v: %v\n%s", run.config.Lanes, run.config.Evaluate != nil, run.config.Verify, run.instrs, *run.texture, err, diff)
			}
		}
	})
}

// randomFetch is a launch of form number n with a random texture, sampler and coordinates.
func randomFetch(t testing.TB, n uint64) *imageRun {
	rnd := rand.New(rand.NewPCG(n, 39))
	kind := []string{"1d", "2d", "3d", "a1d", "a2d", "2d"}[rnd.IntN(6)]
	integer := rnd.IntN(4) == 0
	r := randomTexture(rnd, kind, texture.Channel(rnd.IntN(12)), rnd.IntN(2) == 0, rnd.IntN(2) == 0)
	qs, x := r.randomQueries(rnd, integer), r.described(t)
	run := &imageRun{texture: x, texels: r.raw}
	run.sampler = &texture.Sampler{Address: x.Sampler.Address, Normalized: rnd.IntN(2) == 0, Linear: rnd.IntN(2) == 0, Border: [4]float32{5, 6, 7, 8}}
	for i := range qs {
		run.in = append(run.in, r.words(&qs[i]))
	}
	result := map[bool]string{true: "f32", false: "u32"}[r.isFloat()]
	coord := map[bool]string{true: "s32", false: "f32"}[integer]
	instr := fmt.Sprintf("tex.%s.v4.%s.%s", kind, result, coord)
	if strings.HasSuffix(kind, "2d") && !integer && rnd.IntN(3) == 0 {
		instr = fmt.Sprintf("tld4.%c.%s.v4.%s.f32", "rgba"[rnd.IntN(4)], kind, result)
	}
	run.instrs = fetchBody(fetchForms[n%uint64(len(fetchForms))], instr, len(run.in[0]))
	return run
}

// TestThreadsSeeStoredTexels: each CTA fetches what the CTA before has stored into the texture, on any number of
// threads.
func TestThreadsSeeStoredTexels(t *testing.T) {
	const ctas = 64
	x := texture.Texture{Shape: texture.Shape{Kind: texture.D1, Width: ctas + 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Format: texture.Format{Channel: texture.U32, Channels: 1}}}
	for i := range x.Sampler.Address {
		x.Sampler.Address[i] = texture.Border
	}

	for _, threads := range []int{1, 2, 4} {
		m, l := textureLaunch(t, interp.Config{Compile: interp.CompileAlways, Threads: threads}, &x, kerneltest.Source(t, "testdata/kernels/texture_code.txt", "threads see stored texels"), ctas)
		texels := m.Region(binary.LittleEndian.Uint64(l.Params[8:]))
		handle, err := m.AddImage(interp.Image{Name: "stored", Type: isa.TexRef, Texture: x, Region: texels})
		if err != nil {
			t.Fatal(err)
		}
		binary.LittleEndian.PutUint64(l.Params, handle)
		l.Block.X = 32
		if _, err := functional.Run(context.Background(), m, l); err != nil {
			t.Fatal(err)
		}
		for i := range ctas + 1 {
			if got := binary.LittleEndian.Uint32(texels.Data[4*i:]); got != uint32(3*i) {
				t.Fatalf("on %d threads texel %d is %d, want %d", threads, i, got, 3*i)
			}
		}
	}
}

// TestFetchesStayInCode: once Go has fetched from a texture, compiled code does, and is left at no fetch.
func TestFetchesStayInCode(t *testing.T) {
	if kerneltest.Levels()[0] == jit.None {
		t.Skip("no compiled code")
	}
	x := texture.Texture{Shape: texture.Shape{Kind: texture.D2, Width: 64, Height: 64, Depth: 1, Layers: 1, Levels: 1, Format: texture.Format{Channel: texture.F32, Channels: 1}}}
	x.Sampler = texture.Sampler{Linear: true, Address: [3]texture.Address{texture.ClampEdge, texture.Border, texture.Border}}
	for _, instr := range []string{"tex.2d.v4.f32.f32", "tld4.g.2d.v4.f32.f32"} {
		m, l := textureLaunch(t, interp.Config{Compile: interp.CompileAlways}, &x, textureLoop(instr, -4, 1, 0.37, 400), 4)
		s, err := functional.Begin(m, l)
		if err == nil {
			err = s.Continue(context.Background())
		}
		if err != nil {
			t.Fatal(err)
		}
		if left := s.Left(); len(left) > 0 {
			t.Errorf("%v", left)
		}
	}
}

// TestChangedTexturesAreSeen: code does not fetch from a texture that was bound to a name before, or that was removed.
func TestChangedTexturesAreSeen(t *testing.T) {
	x := texture.Texture{Shape: texture.Shape{Kind: texture.D2, Width: 8, Height: 8, Depth: 1, Layers: 1, Levels: 1, Format: texture.Format{Channel: texture.U32, Channels: 1}}}
	x.Sampler.Address = [3]texture.Address{texture.ClampEdge, texture.ClampEdge, texture.ClampEdge}
	src := ".global .texref name;\n" + strings.ReplaceAll(textureLoop("tex.2d.v4.u32.f32", 0, 1, 0.25, 3), "[%rd1, {", "[name, {")
	m, l := textureLaunch(t, interp.Config{Compile: interp.CompileAlways}, &x, src, 1)
	var last *memory.Region
	for i := range 4 {
		texels, err := m.Alloc(fmt.Sprint("texels", i), x.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for at := range len(texels.Data) / 4 {
			binary.LittleEndian.PutUint32(texels.Data[4*at:], uint32(i+1))
		}
		if err := m.Bind("name", &interp.Image{Type: isa.TexRef, Texture: x, Region: texels}); err != nil {
			t.Fatal(err)
		}
		if _, err := functional.Run(context.Background(), m, l); err != nil {
			t.Fatal(err)
		}
		out := m.Region(binary.LittleEndian.Uint64(l.Params[8:]))
		if got := binary.LittleEndian.Uint32(out.Data); got != uint32(3*(i+1)) {
			t.Fatalf("with texels %d: %d, want %d", i+1, got, 3*(i+1))
		}
		last = texels
	}
	m.Free(last)
	if _, err := functional.Run(context.Background(), m, l); err == nil {
		t.Error("fetches from freed memory are no error")
	}
	m, l = textureLaunch(t, interp.Config{Compile: interp.CompileAlways}, &x, textureLoop("tex.2d.v4.u32.f32", 0, 1, 0.25, 3), 1)
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatal(err)
	}
	if err := m.RemoveImage(binary.LittleEndian.Uint64(l.Params)); err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, l); err == nil {
		t.Error("fetches from a texture that was removed are no error")
	}
}
