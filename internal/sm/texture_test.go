package sm_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// image is a variable of a module with what it is bound to: a surface if its name begins with s, otherwise a texture,
// as the words of a directive describe it.
type image struct{ name, words string }

// images are textures and surfaces with texels of their own.
type images []image

// bind binds the variables, and returns the memory of their texels.
func (all images) bind(t testing.TB, m *interp.Machine) (regions []*memory.Region) {
	t.Helper()
	for _, one := range all {
		of, typ := texture.ATexture, isa.TexRef
		if one.name[0] == 's' {
			of, typ = texture.ASurface, isa.SurfRef
		}
		d := texture.NewDescription(of)
		for word := range strings.FieldsSeq(one.words) {
			if err := d.Set(word); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.Finish(); err != nil {
			t.Fatal(err)
		}
		texels, err := m.Alloc(one.name, d.Texture.Bytes())
		if err != nil {
			t.Fatal(err)
		}
		for i := range texels.Data {
			texels.Data[i] = byte(i*7) & 0x3f
		}
		if err := m.Bind(one.name, &interp.Image{Name: one.name, Type: typ, Texture: d.Texture, Region: texels}); err != nil {
			t.Fatal(err)
		}
		regions = append(regions, texels)
	}
	return regions
}

// fetches returns the timing of 32 warps of a CTA that each execute a loop of eight fetches from t. Lane l is at
// (l modulo 8, l / 8) + 1, so that a filter in two dimensions has texels 0 to 8 of rows 0 to 4.
func fetches(t *testing.T, gpu, words, fetch string, times int) *sm.Timing {
	t.Helper()
	var body strings.Builder
	for i := range 8 {
		fmt.Fprintf(&body, "\t%s {%%f%d, %%f%d, %%f%d, %%f%d}, [t, {%%f1, %%f2}];\n", fetch, 10+4*i, 11+4*i, 12+4*i, 13+4*i)
	}
	mod, err := asm.Parse("k.s", fmt.Appendf(nil, kerneltest.Source(t, "testdata/kernels/texture.txt", "fetches"), times, body.String()))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{GPU: few(t, gpu, 1)})
	if err != nil {
		t.Fatal(err)
	}
	images{{"t", words}}.bind(t, m)
	timing, err := run(t, m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(1024, 1)}, sm.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return timing
}

// TestFillRatesMatchWhitepapers: a GPU filters as many texels as NVIDIA publishes (fill rates of the GA102 and Ada
// whitepapers, texture units and boost clocks of the others), fewer if their formats are wide or filters have more than
// four texels.
func TestFillRatesMatchWhitepapers(t *testing.T) {
	gpus := map[string]float64{"v100": 320 * 1.530, "a100": 432 * 1.410, "rtx3090": 556, "rtx4090": 1290, "h100": 528 * 1.980} // billions a second
	for name, peak := range gpus {
		for _, c := range []struct {
			words, fetch string
			share        float64
		}{
			{"2d 16x16 format=f32x1 filter=linear", "tex.2d.v4.f32.f32", 1},
			{"2d 16x16 format=f32x4", "tex.2d.v4.f32.f32", 0.5},
			{"2d 16x16 format=f16x4 filter=linear", "tex.2d.v4.f32.f32", 1},
			{"2d 16x16 format=f32x1 filter=linear", "tld4.r.2d.v4.f32.f32", 1},
		} {
			g := preset(t, name)
			cycles := fetches(t, name, c.words, c.fetch, 6).Cycles - fetches(t, name, c.words, c.fetch, 2).Cycles
			rate := 4 * 8 * 1024 / float64(cycles) * float64(g.SMs) * g.ClockMHz / 1000
			if want := peak * c.share; math.Abs(rate/want-1) > 0.02 {
				t.Errorf("%s, %s of %s: %.0f billion texels a second, want %.0f", name, c.fetch, c.words, rate, want)
			}
		}
	}
}

// TestFetchesOccupyTexturePipe: each fetch keeps the texture pipe busy for 8 cycles, and the memory pipe not at all. It
// looks up each sector once, of which 5 rows of 64 bytes have 2 each.
func TestFetchesOccupyTexturePipe(t *testing.T) {
	const times, all = 3, 3 * 8 * 32
	timing := fetches(t, "h100", "2d 16x16 format=f32x1 filter=linear", "tex.2d.v4.f32.f32", times)
	did, pipe := timing.Total(), profile.TimeOf(timing).Pipes[isa.TEX]
	if did.TexturePipe != 8*all || did.MemoryPipe != 0 {
		t.Errorf("the pipes are busy for %d and %d cycles, want %d and 0", did.TexturePipe, did.MemoryPipe, 8*all)
	}
	if pipe.Issued != all || pipe.Busy*uint64(timing.Cycles) != 8*all*pipe.Cycles {
		t.Errorf("the profile has %+v of %d cycles", pipe, timing.Cycles)
	}
	if l := did.L1; l.Sectors != 10*all || l.Misses != 10 || l.Hits+l.Pending+l.Misses != l.Sectors {
		t.Errorf("L1 has %+v, want %d sectors, 10 of them missing", l, 10*all)
	}
}

// growTextures makes a kernel of fetches and accesses to surfaces, with its images. Each thread stores to places of its
// own, or adds to those of others, so that its results do not depend on time.
func growTextures(t *testing.T, seed uint64) (source string, all images) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 13))
	all = textureImages(rnd)
	return textureKernel(t, textureBody(rnd)), all
}

// textureImages are those of the kernels, with random formats and filters.
func textureImages(rnd *rand.Rand) images {
	formats, filters := []string{"u8x4", "f16x2", "f16x4", "f32x1", "f32x2", "f32x4", "unorm8x1"}, []string{"", " filter=linear"}
	words := func(shape string) string {
		if format, n := formats[rnd.IntN(len(formats))], rnd.IntN(2); format[0] != 'u' || format[1] == 'n' {
			return shape + " format=" + format + filters[n]
		}
		return shape + " format=f32x1 address=border"
	}
	return images{{"t1", words("1d 64")}, {"t2", words("2d 32x32")}, {"t3", words("3d 8x8x8")}, {"s1", "2d 64x64 format=u32x1"}, {"s2", "1d 16 format=u32x1"}}
}

// textureBody makes the lines of such a kernel that access images.
func textureBody(rnd *rand.Rand) (lines []string) {
	emit := func(format string, args ...any) { lines = append(lines, fmt.Sprintf("\t"+format+";\n", args...)) }
	for i := range 6 + rnd.IntN(10) {
		guard := ""
		if rnd.IntN(3) == 0 {
			emit("and.b32 %%r9, %%r4, %d", 1+rnd.IntN(15))
			emit("setp.eq.u32 %%p1, %%r9, 0")
			guard = "@%p1 "
		}
		emit("mul.f32 %%f1, %%f1, 0f%08x", math.Float32bits(0.5+rnd.Float32()))
		switch rnd.IntN(7) {
		case 0:
			emit("%stex.1d.v4.f32.f32 {%%f4, %%f5, %%f6, %%f7}, [t1, {%%f1}]", guard)
		case 1, 2:
			emit("%stex.2d.v4.f32.f32 {%%f4, %%f5, %%f6, %%f7}, [t2, {%%f1, %%f2}]", guard)
		case 3:
			emit("%stex.3d.v4.f32.f32 {%%f4, %%f5, %%f6, %%f7}, [t3, {%%f2, %%f1, %%f2, %%f2}]", guard)
		case 4:
			emit("%ssust.b.2d.b32.trap [s1, {%%r6, %%r7}], %%r%d", guard, 4+i%4)
		case 5:
			emit("%ssuld.b.2d.b32.trap %%r8, [s1, {%%r6, %%r7}]", guard)
			emit("add.u32 %%r4, %%r4, %%r8")
		default:
			emit("and.b32 %%r9, %%r5, 60;\n\t%ssured.b.add.1d.u32.trap [s2, {%%r9}], %%r5", guard) // both, or none
		}
		if rnd.IntN(2) == 0 {
			emit("add.f32 %%f3, %%f3, %%f4")
		}
	}
	return lines
}

// textureKernel returns a kernel of these lines. %r5 is the number of the thread, and %f3 what it stores.
func textureKernel(t *testing.T, body []string) string {
	t.Helper()
	return kerneltest.Source(t, "testdata/kernels/texture.txt", "random accesses", "$body", strings.Join(body, ""))
}

// TestWindowsDoNotChangeTextures: random kernels with textures and surfaces give the same memory as without a clock,
// and the same times in windows of any length, on any number of host threads, and if no cycle is skipped.
func TestWindowsDoNotChangeTextures(t *testing.T) {
	gpus := []string{"h100", "a100", "rtx4090", "minimal"}
	for seed := range uint64(short.Of(40)) {
		if short.Waits(int(seed), 6) {
			continue
		}
		r := racing{ctas: 1 + uint32(seed%7), block: 32 * (1 + uint32(seed%4)), words: 1 << 12,
			cfg: interp.Config{GPU: few(t, gpus[seed%4], 1+int(seed%3)), Divergence: kerneltest.Models[seed%3], Compile: kerneltest.CompilationOf(seed)}}
		r.source, r.images = growTextures(t, seed)
		if diff := kerneltest.Diff(r.untimed(t), r.run(t, 0, 1).Memory); diff != "" {
			t.Fatalf("seed %d (-without a clock +with it):\n%.3000s\nof %s", seed, diff, r.source)
		}
		if diff := r.same(t); diff != "" {
			t.Fatalf("seed %d: %s\nof %s", seed, diff, r.source)
		}
		if seed%4 == 0 {
			r.sameAsEveryCycle(t)
		}
	}
}

// untimed runs the launch without a clock, compares its compiled code with lane functions, and returns the memory as
// run does.
func (r *racing) untimed(t *testing.T) (words []uint32) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(r.source))
	if err != nil {
		t.Fatalf("%v in\n%s", err, r.source)
	}
	cfg := r.cfg
	cfg.Verify = true
	m, err := interp.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Alloc("out", int64(4*r.words))
	if err != nil {
		t.Fatal(err)
	}
	regions := append([]*memory.Region{out}, r.images.bind(t, m)...)
	l := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(r.ctas, 1), Block: kerneltest.Dim(r.block, 1), Params: make([]byte, 8)}
	binary.LittleEndian.PutUint64(l.Params, out.Base)
	if _, err := functional.Run(t.Context(), m, l); err != nil {
		t.Fatal(err)
	}
	for _, region := range regions {
		for at := 0; at < len(region.Data); at += 4 {
			words = append(words, binary.LittleEndian.Uint32(region.Data[at:]))
		}
	}
	return words
}
