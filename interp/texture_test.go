package interp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// texelThreads is how many threads a kernel of these tests has: a warp and a part of one.
const texelThreads = 48

// imageKernel is a kernel in which each thread loads words into %r0 and so on, executes instructions, and stores the
// four registers %r20 to %r23.
func imageKernel(words int, instrs string) string {
	var b strings.Builder
	b.WriteString(".entry k(.param .u64 t, .param .u64 s, .param .u64 in, .param .u64 out)\n{\n\t.reg .b32 %r<64>;\n")
	b.WriteString("\tld.param.u64 %rd1, [t];\n\tld.param.u64 %rd2, [s];\n\tld.param.u64 %rd3, [in];\n\tld.param.u64 %rd4, [out];\n\tmov.u32 %r60, %tid.x;\n")
	fmt.Fprintf(&b, "\tmad.wide.u32 %%rd3, %%r60, %d, %%rd3;\n\tmad.wide.u32 %%rd4, %%r60, 16, %%rd4;\n", 4*words)
	for i := range words {
		fmt.Fprintf(&b, "\tld.global.u32 %%r%d, [%%rd3+%d];\n", i, 4*i)
	}
	b.WriteString("\t" + instrs + "\n\tst.global.v4.u32 [%rd4], {%r20, %r21, %r22, %r23};\n\tret;\n}\n")
	return b.String()
}

// imageRun is a launch of imageKernel.
type imageRun struct {
	instrs  string
	in      [][]uint32 // words of each thread
	texels  []byte
	texture *texture.Texture
	surface bool
	sampler *texture.Sampler
	header  string // declarations before the kernel
	name    string // of the texture; "img" if it is ""

	observers []interp.Observer
	config    interp.Config

	machine *interp.Machine // that run has made
	handle  uint64          // of the texture there
	base    uint64          // address of the texels
}

// run runs the kernel. It returns what the threads have stored, and the texture's memory.
func (r *imageRun) run(t testing.TB) ([][4]uint32, []byte, error) {
	t.Helper()
	words := len(r.in[0])
	mod, err := asm.Parse("k.s", []byte(r.header+imageKernel(words, r.instrs)))
	if err != nil {
		t.Fatalf("%s: %v", r.instrs, err)
	}
	m, err := kerneltest.New(mod, r.config)
	if err != nil {
		t.Fatal(err)
	}
	alloc := func(name string, size int) *memory.Region {
		region, err := m.Alloc(name, int64(size))
		if err != nil {
			t.Fatal(err)
		}
		return region
	}
	texels, in, out := alloc("texels", len(r.texels)), alloc("in", 4*words*len(r.in)), alloc("out", 16*len(r.in))
	copy(texels.Data, r.texels)
	for i, ws := range r.in {
		for k, w := range ws {
			binary.LittleEndian.PutUint32(in.Data[4*(i*words+k):], w)
		}
	}
	params := make([]byte, 32)
	binary.LittleEndian.PutUint64(params[16:], in.Base)
	binary.LittleEndian.PutUint64(params[24:], out.Base)
	if r.texture != nil {
		im := interp.Image{Name: "img", Type: isa.TexRef, Texture: *r.texture, Region: texels}
		if r.name != "" {
			im.Name = r.name
		}
		if r.surface {
			im.Type = isa.SurfRef
		}
		handle, err := m.AddImage(im)
		if err != nil {
			return nil, nil, err
		}
		binary.LittleEndian.PutUint64(params, handle)
		r.machine, r.handle, r.base = m, handle, texels.Base
	}
	if r.sampler != nil {
		handle, err := m.AddImage(interp.Image{Name: "smp", Type: isa.SamplerRef, Sampler: *r.sampler})
		if err != nil {
			return nil, nil, err
		}
		binary.LittleEndian.PutUint64(params[8:], handle)
	}
	l := interp.Launch{Kernel: "k", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: uint32(len(r.in)), Y: 1, Z: 1}, Params: params, Observers: r.observers}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		return nil, nil, err
	}
	got := make([][4]uint32, len(r.in))
	for i := range got {
		for k := range got[i] {
			got[i][k] = binary.LittleEndian.Uint32(out.Data[16*i+4*k:])
		}
	}
	return got, texels.Data, nil
}

// described returns the texture of a reference.
func (r *refTexture) described(t testing.TB) *texture.Texture {
	t.Helper()
	d := texture.NewDescription(texture.ATexture)
	extent := fmt.Sprint(r.size[0])
	for i := 1; i < r.dims(); i++ {
		extent += fmt.Sprintf("x%d", r.size[i])
	}
	words := []string{r.kind, extent, fmt.Sprintf("format=%sx%d", r.channel, r.channels), fmt.Sprintf("address=%s,%s,%s", r.address[0], r.address[1], r.address[2])}
	if strings.HasPrefix(r.kind, "a") {
		words = append(words, fmt.Sprintf("layers=%d", r.layers))
	}
	if r.samples > 0 {
		words = append(words, fmt.Sprintf("samples=%d", r.samples))
	}
	if r.levels > 1 {
		words = append(words, fmt.Sprintf("levels=%d", r.levels))
	}
	if r.pitch > 0 {
		words = append(words, fmt.Sprintf("pitch=%d", r.pitch))
	}
	if r.linear {
		words = append(words, "filter=linear")
	}
	if r.mip {
		words = append(words, "mipfilter=linear")
	}
	if r.normal {
		words = append(words, "normalized")
	}
	words = append(words, fmt.Sprintf("border=%v,%v,%v,%v", r.border[0], r.border[1], r.border[2], r.border[3]))
	for _, w := range words {
		if err := d.Set(w); err != nil {
			t.Fatalf("%v: %v", words, err)
		}
	}
	if err := d.Finish(); err != nil {
		t.Fatalf("%v: %v", words, err)
	}
	d.RowAlign, d.Sampler.Levels = r.align, r.limits
	return &d.Texture
}

// specials are coordinates near special cases.
var specials = []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0.5, 2, 0.25, 0.75, 1e30, -1e30, 1e-20, -1e-20, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0x1p-8, 1 - 0x1p-24, 1.5, -0.5}

// randomCoord returns a coordinate in or around n texels: any, at an edge, in the middle of a texel, or special.
func randomCoord(rnd *rand.Rand, n int, normal bool) float32 {
	x := rnd.Float32()*float32(3*n) - float32(n)
	switch rnd.IntN(4) {
	case 0:
		return specials[rnd.IntN(len(specials))]
	case 1:
		x = float32(rnd.IntN(6*n)-2*n) / 2
	}
	if normal {
		x /= float32(n)
	}
	return x
}

// randomQueries make up the threads' queries of a texture.
func (r *refTexture) randomQueries(rnd *rand.Rand, integer bool) []refQuery {
	qs := make([]refQuery, texelThreads)
	for i := range qs {
		q := &qs[i]
		q.integer, q.layer, q.sample = integer, rnd.Uint32N(uint32(r.layers+2)), rnd.Uint32N(uint32(r.samples+2))
		if rnd.IntN(16) == 0 {
			q.layer, q.sample = math.MaxUint32, math.MaxUint32
		}
		for d := range q.coords {
			q.coords[d] = randomCoord(rnd, r.size[d], r.normal)
			q.ints[d] = rnd.Int32N(int32(r.size[d]+6)) - 3
			if r.isCube() {
				q.coords[d] = rnd.Float32()*4 - 2
				if rnd.IntN(4) == 0 {
					q.coords[d] = float32(rnd.IntN(5) - 2)
				}
			}
		}
		if rnd.IntN(24) == 0 {
			q.ints[0] = math.MaxInt32 - int32(rnd.IntN(2))*math.MaxInt32
		}
	}
	return qs
}

// words returns what a thread loads for a query: the elements before the coordinates, and those.
func (r *refTexture) words(q *refQuery) (all []uint32) {
	if strings.HasPrefix(r.kind, "a") {
		all = append(all, q.layer)
	}
	if r.samples > 0 {
		all = append(all, q.sample)
	}
	dims := r.dims()
	if r.isCube() {
		dims = 3
	}
	for d := range dims {
		if q.integer {
			all = append(all, uint32(q.ints[d]))
		} else {
			all = append(all, math.Float32bits(q.coords[d]))
		}
	}
	return all
}

// query returns the query for code that fetches without an instruction.
func (q *refQuery) query() *texture.Query {
	return &texture.Query{Coords: q.coords, Ints: q.ints, Integer: q.integer, Layer: q.layer, Sample: q.sample}
}

// registersOf is {%rA, %rB, …}.
func registersOf(first, n int) string {
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("%%r%d", first+i))
	}
	return "{" + strings.Join(names, ", ") + "}"
}

// randomTexture makes up a texture of a kind and format.
func randomTexture(rnd *rand.Rand, kind string, c texture.Channel, linear, normal bool) *refTexture {
	r := &refTexture{kind: kind, size: [3]int{1, 1, 1}, layers: 1, levels: 1, channel: c, channels: []int{1, 2, 4}[rnd.IntN(3)],
		linear: linear && c >= texture.F16 && !strings.HasSuffix(kind, "ms"), normal: normal && !strings.HasSuffix(kind, "ms"),
		border: [4]float64{0.5, -2, 3, 0.25}}
	for d := range r.dims() {
		r.size[d] = 1 + rnd.IntN(7)
	}
	if r.isCube() {
		r.size[1], r.normal = r.size[0], true
	}
	if strings.HasPrefix(kind, "a") {
		r.layers = 1 + rnd.IntN(3)
	}
	if strings.HasSuffix(kind, "ms") {
		r.samples = []int{1, 2, 4}[rnd.IntN(3)]
	}
	for d := range r.address {
		r.address[d] = texture.Address(rnd.IntN(5))
		if !r.normal {
			r.address[d] = texture.ClampOGL + texture.Address(rnd.IntN(3))
		}
	}
	if rnd.IntN(3) == 0 {
		bytes := c.Bytes() * r.channels
		r.pitch = (r.size[0]*max(r.samples, 1) + rnd.IntN(3)) * bytes
	}
	r.fill(rnd)
	if r.pitch > 0 { // memory ends with the last texel
		r.raw = append(r.raw, 0)
	}
	return r
}

var geometries = []string{"1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"}

// TestTexturesMatchFormulasOfGuide compares tex with formulas of the CUDA C++ Programming Guide: all geometries,
// formats, filters and kinds of coordinates, and a random choice of the rest.
func TestTexturesMatchFormulasOfGuide(t *testing.T) {
	short.Alternates(t, 1, 3)
	n := 0
	for _, kind := range geometries {
		for c := texture.U8; c <= texture.Snorm16; c++ {
			for variant := range 12 {
				linear, normal, integer := variant&1 != 0, variant&2 != 0, variant >= 8
				if n++; short.Skips(n) || integer && strings.HasSuffix(kind, "cube") {
					continue
				}
				rnd := rand.New(rand.NewPCG(uint64(n), 1))
				r := randomTexture(rnd, kind, c, linear, normal)
				integer = integer || r.samples > 0
				types := map[bool]string{true: "s32", false: "f32"}
				result := "u32"
				if r.isFloat() {
					result = "f32"
				}
				qs := r.randomQueries(rnd, integer)
				run := &imageRun{texture: r.described(t), texels: r.raw}
				for i := range qs {
					run.in = append(run.in, r.words(&qs[i]))
				}
				run.instrs = fmt.Sprintf("tex.%s.v4.%s.%s {%%r20, %%r21, %%r22, %%r23}, [%%rd1, %s];", kind, result, types[integer], registersOf(0, len(run.in[0])))
				got, _, err := run.run(t)
				if err != nil {
					t.Fatalf("%s: %v", run.instrs, err)
				}
				for i := range qs {
					if want := r.value(&qs[i]); got[i] != want {
						t.Fatalf("case %d, %s of %v %sx%d, address %v, linear %v, normalized %v: thread %d asks %+v and gets %08x, not %08x",
							n, run.instrs, r.size, r.channel, r.channels, r.address, r.linear, r.normal, i, qs[i], got[i], want)
					}
					if alone, err := run.machine.FetchTexel(run.handle, kind, qs[i].query(), 0); err != nil || alone.Words != got[i] {
						t.Fatalf("case %d, %s: thread %d asks %+v and gets %08x; without an instruction, %08x and error %v", n, run.instrs, i, qs[i], got[i], alone.Words, err)
					}
				}
			}
		}
	}
}

// TestTextureLevelsMatchSingleLevels compares tex.level with levels made up one after the other, and tex.base.
func TestTextureLevelsMatchSingleLevels(t *testing.T) {
	for n := range 120 {
		if short.Skips(n) {
			continue
		}
		rnd := rand.New(rand.NewPCG(uint64(n), 2))
		kind := []string{"1d", "2d", "3d", "a2d", "cube"}[n%5]
		r := &refTexture{kind: kind, size: [3]int{8, 1, 1}, layers: 1, levels: 1 + rnd.IntN(4), channel: texture.F32, channels: 1 + rnd.IntN(2), linear: n&8 != 0, mip: n&16 != 0, normal: true}
		for d := 1; d < r.dims(); d++ {
			r.size[d] = 8
		}
		if kind == "a2d" {
			r.layers = 2
		}
		for d := range r.address {
			r.address[d] = texture.Address(rnd.IntN(5))
		}
		if n%3 == 1 {
			r.align = 8 << rnd.IntN(4)
		}
		if n%4 == 2 {
			r.limits = &texture.Levels{Bias: rnd.Float32()*2 - 1, Min: rnd.Float32(), Max: 1 + 3*rnd.Float32()}
		}
		r.fill(rnd)
		qs := r.randomQueries(rnd, false)
		run := &imageRun{texture: r.described(t), texels: r.raw}
		for i := range qs {
			qs[i].lod = rnd.Float32()*6 - 1
			if rnd.IntN(3) == 0 {
				qs[i].lod = []float32{0, 1, 2, 0.5, 1.5, float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))}[rnd.IntN(8)]
			}
			run.in = append(run.in, append(r.words(&qs[i]), math.Float32bits(qs[i].lod)))
		}
		words := len(run.in[0]) - 1
		run.instrs = fmt.Sprintf("tex.level.%s.v4.f32.f32 {%%r20, %%r21, %%r22, %%r23}, [%%rd1, %s], %%r%d;", kind, registersOf(0, words), words)
		if n%7 == 0 {
			run.instrs = fmt.Sprintf("tex.base.%s.v4.f32.f32 {%%r20, %%r21, %%r22, %%r23}, [%%rd1, %s];", kind, registersOf(0, words))
			for i := range qs {
				qs[i].lod = 0
			}
		}
		got, _, err := run.run(t)
		if err != nil {
			t.Fatal(err)
		}
		for i := range qs {
			if want := r.value(&qs[i]); got[i] != want {
				t.Fatalf("case %d, %s of %d levels, address %v, linear %v: thread %d asks %+v and gets %08x, not %08x", n, run.instrs, r.levels, r.address, r.linear, i, qs[i], got[i], want)
			}
		}
	}
}

// TestGatherReturnsFootprint compares tld4 with the four texels of a footprint, and offsets with texels that are so far
// away.
func TestGatherReturnsFootprint(t *testing.T) {
	for n := range 96 {
		if short.Skips(n) {
			continue
		}
		rnd := rand.New(rand.NewPCG(uint64(n), 3))
		kind := []string{"2d", "a2d", "cube", "acube"}[n%4]
		r := randomTexture(rnd, kind, texture.Channel(n/4%12), false, n&1 != 0)
		qs := r.randomQueries(rnd, false)
		run := &imageRun{texture: r.described(t), texels: r.raw}
		offset := ""
		if !r.isCube() && n&8 != 0 {
			offset = ", {-2, 3}"
		}
		for i := range qs {
			if offset != "" {
				qs[i].offset = [3]int32{-2, 3}
				for d, x := range qs[i].coords {
					if x > -1e-10 && x < 1e-10 { // which an offset rounds to 0
						qs[i].coords[d] = 0
					}
				}
			}
			run.in = append(run.in, r.words(&qs[i]))
		}
		result := "u32"
		if r.isFloat() {
			result = "f32"
		}
		channel := rnd.IntN(4)
		run.instrs = fmt.Sprintf("tld4.%c.%s.v4.%s.f32 {%%r20, %%r21, %%r22, %%r23}|%%p1, [%%rd1, %s]%s;\n\t@!%%p1 trap;", "rgba"[channel], kind, result, registersOf(0, len(run.in[0])), offset)
		got, _, err := run.run(t)
		if err != nil {
			t.Fatal(err)
		}
		for i := range qs {
			if want := r.gathered(&qs[i], channel); got[i] != want {
				t.Fatalf("case %d, %s, address %v, normalized %v: thread %d asks %+v and gets %08x, not %08x", n, run.instrs, r.address, r.normal, i, qs[i], got[i], want)
			}
		}
	}
}

// ramp is a texture of numbers 0, 1, 2 and so on, of one .f32 each unless words say otherwise.
func ramp(t testing.TB, n int, words string) (*texture.Texture, []byte) {
	t.Helper()
	d := texture.NewDescription(texture.ATexture)
	for _, w := range strings.Fields(words) {
		if err := d.Set(w); err != nil {
			t.Fatal(err)
		}
	}
	d.DefaultFormat(texture.Format{Channel: texture.F32, Channels: 1})
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	var raw []byte
	for i := range n {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(float32(i)))
	}
	return &d.Texture, raw
}

func bitsOf(xs ...float32) (all []uint32) {
	for _, x := range xs {
		all = append(all, math.Float32bits(x))
	}
	return all
}

// TestTexturesMatchHandCalculation has values that were worked out with a pencil.
func TestTexturesMatchHandCalculation(t *testing.T) {
	const d = "{%r20, %r21, %r22, %r23}"
	for _, c := range []struct {
		what, texture, instrs string
		texels                int
		in                    []uint32
		want                  []float32
	}{
		{"half-way between texels 1 and 2", "1d 4 filter=linear", "tex.1d.v4.f32.f32 " + d + ", [%rd1, %r0];", 4, bitsOf(2), []float32{1.5, 0, 0, 1}},
		// xB = 1.8, α = 0.8 * 256 = 204.8, rounded to 205: 1 + 205/256.
		{"weights have 8 bits", "1d 4 filter=linear", "tex.1d.v4.f32.f32 " + d + ", [%rd1, {%r0}];", 4, bitsOf(2.3), []float32{1 + 205.0/256, 0, 0, 1}},
		// Texels 5, 6, 9, 10 in the middle of a 4x4 texture.
		{"the mean of four", "2d 4x4 filter=linear normalized", "tex.2d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r1}];", 16, bitsOf(0.5, 0.5), []float32{7.5, 0, 0, 1}},
		{"the mean of eight", "3d 2x2x2 filter=linear", "tex.3d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r1, %r2, %r2}];", 8, bitsOf(1, 1, 1), []float32{3.5, 0, 0, 1}},
		{"one row of two dimensions", "2d 4x1 filter=linear address=border", "tex.1d.v4.f32.f32 " + d + ", [%rd1, %r0];", 4, bitsOf(2), []float32{1.5, 0, 0, 1}},
		{"past the end of linear memory", "1d 4", "tex.1d.v4.f32.s32 " + d + ", [%rd1, {%r0}];", 4, []uint32{4}, []float32{0, 0, 0, 0}},
		{"v4 coordinates of 1d, without brackets", "1d 4", "tex.1d.v4.f32.s32 " + d + ", %rd1, {%r0, %r0, %r0, %r0};", 4, []uint32{3}, []float32{3, 0, 0, 1}},
		{"the nearest of repeated texels", "1d 4 normalized address=wrap", "tex.1d.v4.f32.f32 " + d + ", [%rd1, {%r0}];", 4, bitsOf(-0.1), []float32{3, 0, 0, 1}},
		{"the nearest of mirrored texels", "1d 4 normalized address=mirror", "tex.1d.v4.f32.f32 " + d + ", [%rd1, {%r0}];", 4, bitsOf(1.3), []float32{2, 0, 0, 1}},
		{"a quarter of the border", "1d 4 filter=linear address=border border=8,0,0,0", "tex.1d.v4.f32.f32 " + d + ", [%rd1, {%r0}];", 4, bitsOf(0.25), []float32{2, 0, 0, 0.75}},
		// Face 2 is +y, of which texels are 8 to 11; x/|y| = -0.5 gives s = 0.25, z/|y| = 0.5 gives t = 0.75: texel 2.
		{"a face of a cube map", "cube 2x2", "tex.cube.v4.f32.f32 " + d + ", [%rd1, {%r0, %r1, %r2, %r2}];", 24, bitsOf(-1, 2, 1), []float32{10, 0, 0, 1}},
		{"layer 1", "a1d 4 layers=2", "tex.a1d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r1}];", 8, []uint32{1, math.Float32bits(2)}, []float32{6, 0, 0, 1}},
		{"a layer past the last", "a1d 4 layers=2", "tex.a1d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r1}];", 8, []uint32{7, math.Float32bits(2)}, []float32{6, 0, 0, 1}},
		// Level 1 of 4x4 is texels 16 to 19, level 2 texel 20.
		{"the last level", "2d 4x4 normalized levels=3", "tex.level.2d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r1}], %r2;", 21, bitsOf(0.2, 0.2, 9), []float32{20, 0, 0, 1}},
		{"between levels 1 and 2", "2d 4x4 normalized levels=3 mipfilter=linear", "tex.level.2d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r1}], %r2;", 21, bitsOf(0.2, 0.2, 1.25), []float32{17, 0, 0, 1}},
		// A step of half the texture is two texels long: level 1.
		{"a level by steps", "2d 4x4 normalized levels=3", "tex.grad.2d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r0}], {%r1, %r2}, {%r2, %r1};", 21, bitsOf(0.2, 0.5, 0), []float32{16, 0, 0, 1}},
		{"an offset", "1d 8", "tex.1d.v4.f32.f32 " + d + ", [%rd1, {%r0}], {3};", 8, bitsOf(1), []float32{4, 0, 0, 1}},
		// Texels 5, 6, 9 and 10; 6 is not above 8, 9 and 10 are.
		{"half of the depths pass", "2d 4x4 filter=linear", "tex.2d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r0}], 8.0;", 16, bitsOf(2), []float32{0.5, 0, 0, 1}},
		{"a depth and an offset", "2d 4x4", "tex.2d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r0}], {1, 0}, %r1;", 16, bitsOf(1.5, 7), []float32{0, 0, 0, 1}},
		{"a sample", "2dms 2x2 samples=2", "tex.2dms.v4.f32.s32 " + d + ", [%rd1, {%r0, %r1, %r1, %r1}];", 8, []uint32{1, 1}, []float32{7, 0, 0, 1}},
	} {
		img, raw := ramp(t, c.texels, c.texture)
		got, _, err := (&imageRun{texture: img, texels: raw, instrs: c.instrs, in: [][]uint32{c.in}}).run(t)
		if err != nil {
			t.Errorf("%s: %v", c.what, err)
			continue
		}
		if diff := cmp.Diff(bitsOf(c.want...), got[0][:]); diff != "" {
			t.Errorf("%s, %s (-want +got):\n%s", c.what, c.instrs, diff)
		}
	}
}

// TestHalfFetchesAreRounded: .f16 and .f16x2 are the values of .f32, rounded.
func TestHalfFetchesAreRounded(t *testing.T) {
	img, raw := ramp(t, 4, "1d 2 format=f32x2")
	for _, c := range []struct {
		instrs string
		want   [4]uint32
	}{ // texel 1 is 2, 3, 0, 1
		{kerneltest.Source(t, "testdata/kernels/texture.txt", "half results"), [4]uint32{0x4000, 0x4200, 0, 0x3c00}},
		{"tex.1d.v2.f16x2.s32 {%r20, %r21}, [%rd1, {1}];", [4]uint32{0x42004000, 0x3c000000}},
	} {
		got, _, err := (&imageRun{texture: img, texels: raw, instrs: c.instrs, in: [][]uint32{{0}}}).run(t)
		if err != nil || got[0] != c.want {
			t.Errorf("%s: %08x, %v; want %08x", c.instrs, got, err, c.want)
		}
	}
}

// TestUnweightedInfiniteTexelsAreIgnored: a texel without weight has no part in the value, even if it is infinite.
func TestUnweightedInfiniteTexelsAreIgnored(t *testing.T) {
	img, raw := ramp(t, 4, "1d 4 filter=linear")
	binary.LittleEndian.PutUint32(raw[8:], 0x7f800000)
	got, _, err := (&imageRun{texture: img, texels: raw, instrs: "tex.1d.v4.f32.f32 {%r20, _, _, _}, [%rd1, {%r0}];", in: [][]uint32{bitsOf(1.5), bitsOf(1.75), bitsOf(2.5)}}).run(t)
	if err != nil {
		t.Fatal(err)
	}
	want := bitsOf(1, float32(math.Inf(1)), float32(math.Inf(1)))
	if have := []uint32{got[0][0], got[1][0], got[2][0]}; !slices.Equal(have, want) {
		t.Errorf("%08x, not %08x", have, want)
	}
}

// TestNamedSamplerReplacesTextures: a sampler that is named takes the place of the texture's own.
func TestNamedSamplerReplacesTextures(t *testing.T) {
	img, raw := ramp(t, 4, "1d 4 normalized filter=point address=border")
	s := texture.Sampler{Linear: true, Normalized: true, Address: [3]texture.Address{texture.Wrap}}
	run := &imageRun{texture: img, texels: raw, sampler: &s, instrs: "tex.1d.v4.f32.f32 {%r20, _, _, _}, [%rd1, %rd2, {%r0}];\n tex.1d.v4.f32.f32 {%r21, _, _, _}, [%rd1, {%r0}];", in: [][]uint32{bitsOf(1), bitsOf(1.125)}}
	got, _, err := run.run(t)
	if err != nil {
		t.Fatal(err)
	}
	// At 1, half-way between texel 3 and texel 0 again; outside of the texture its own sampler gives the border.
	if want := [][4]uint32{{math.Float32bits(1.5)}, {0}}; !slices.Equal(got, want) {
		t.Errorf("%08x, not %08x", got, want)
	}
	s.Normalized = false
	if got, _, err = run.run(t); err != nil || got[0][0] != math.Float32bits(0.5) { // wrap needs normalized coordinates: clamp
		t.Errorf("unnormalized: %08x, %v", got, err)
	}
	run.header, run.sampler = ".global .texref img;\n.global .samplerref lin = { filter_mode = linear, addr_mode_0 = wrap };\n", nil
	run.instrs = kerneltest.Source(t, "testdata/kernels/texture.txt", "samplers")
	if got, _, err = run.run(t); err != nil || got[0] != [4]uint32{math.Float32bits(1.5), 1, 0, 0} {
		t.Errorf("declared: %08x, %v", got, err)
	}
}

// TestQueriesReturnAttributes asks for every attribute, and what registers hold.
func TestQueriesReturnAttributes(t *testing.T) {
	img, raw := ramp(t, 8*4*3, "a2d 8x4 layers=3 format=f32x1 filter=linear normalized address=mirror,border")
	for _, c := range []struct {
		instr string
		want  uint32
	}{
		{"txq.width.b32 %r20, [%rd1];", 8}, {"txq.height.b32 %r20, [%rd1];", 4}, {"txq.depth.b32 %r20, [%rd1];", 0},
		{"txq.channel_data_type.b32 %r20, [%rd1];", 0x10DE}, {"txq.channel_order.b32 %r20, [%rd1];", 0x10B0},
		{"txq.normalized_coords.b32 %r20, [%rd1];", 1}, {"txq.array_size.b32 %r20, [%rd1];", 3}, {"txq.num_mipmap_levels.b32 %r20, [%rd1];", 0},
		{"txq.num_samples.b32 %r20, [%rd1];", 0}, {"txq.filter_mode.b32 %r20, [%rd1];", 1},
		{"txq.addr_mode_0.b32 %r20, [%rd1];", 1}, {"txq.addr_mode_1.b32 %r20, [%rd1];", 4},
		{"istypep.texref %p1, %rd1;\n selp.u32 %r20, 1, 0, %p1;", 1}, {"istypep.surfref %p1, %rd1;\n selp.u32 %r20, 1, 0, %p1;", 0},
		{"istypep.texref %p1, %rd3;\n selp.u32 %r20, 1, 0, %p1;", 0},
	} {
		got, _, err := (&imageRun{texture: img, texels: raw, instrs: c.instr, in: [][]uint32{{0}}}).run(t)
		if err != nil || got[0][0] != c.want {
			t.Errorf("%s: %x, %v; want %x", c.instr, got, err, c.want)
		}
	}
	levels, raw := ramp(t, 21, "2d 4x4 normalized levels=3")
	got, _, err := (&imageRun{texture: levels, texels: raw, instrs: kerneltest.Source(t, "testdata/kernels/texture.txt", "queries"), in: [][]uint32{{2}}}).run(t)
	if want := [4]uint32{2, 1, 3}; err != nil || got[0] != want {
		t.Errorf("levels: %v, %v", got, err)
	}
}

// TestLanesMayUseDifferentTextures: lanes of a warp may use different textures, and a guard leaves lanes out.
func TestLanesMayUseDifferentTextures(t *testing.T) {
	img, raw := ramp(t, 4, "1d 4")
	run := &imageRun{header: ".global .texref other;\n", name: "other", texture: img, texels: raw, in: [][]uint32{{0}, {1}, {2}, {3}},
		instrs: kerneltest.Source(t, "testdata/kernels/texture.txt", "divergent handles")}
	got, _, err := run.run(t)
	if want := [][4]uint32{{0}, {math.Float32bits(1)}, {math.Float32bits(2)}, {77}}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%08x, %v", got, err)
	}
}

// TestImageFaultsNameLanesAndRule: what cannot be done is a fault with its lanes and a rule.
func TestImageFaultsNameLanesAndRule(t *testing.T) {
	floats, raw := ramp(t, 16, "2d 4x4")
	ints, _ := ramp(t, 0, "2d 4x4 format=u8x4")
	const d = "{%r20, %r21, %r22, %r23}"
	for _, c := range []struct {
		img     *texture.Texture
		surface bool
		instr   string
		rule    interp.Rule
		want    string
	}{
		{floats, false, "tex.1d.v4.f32.f32 " + d + ", [%rd1, {%r0}];", interp.RuleImageFormat, "tex.1d.v4.f32.f32 of img: it is 2d 4x4"},
		{floats, false, "tex.2d.v4.u32.f32 " + d + ", [%rd1, {%r0, %r0}];", interp.RuleImageFormat, "whose format f32x1 gives floating-point numbers, .f32 or .f16"},
		{ints, false, "tex.2d.v4.f32.f32 " + d + ", [%rd1, {%r0, %r0}];", interp.RuleImageFormat, "whose format u8x4 gives integers, .u32 or .s32"},
		{floats, false, "tex.2d.v4.f32.f32 " + d + ", [%rd3, {%r0, %r0}];", interp.RuleImageHandle, "is not a handle of a .texref"},
		{floats, false, "suld.b.2d.b32.trap %r20, [%rd1, {%r0, %r0}];", interp.RuleImageHandle, "img is a .texref, but the instruction needs a .surfref"},
		{floats, false, "mov.u64 %rd9, 0;\n txq.width.b32 %r20, [%rd9];", interp.RuleImageHandle, "0x0 is not a handle of a .texref"},
		{floats, true, "suld.b.2d.b32.trap %r20, [%rd1, {%r0, 4}];", interp.RuleOutOfBounds, "load outside of surface img: x = 0 bytes, y = 4; it is 2d 4x4 of f32x1, 16 bytes wide [mem-oob]"},
		{floats, true, "sust.b.2d.v2.b32.trap [%rd1, {12, %r0}], {%r0, %r0};", interp.RuleOutOfBounds, "store outside of surface img: x = 12 bytes, y = 0"},
		{floats, true, "sust.p.2d.v4.b32.trap [%rd1, {-1, %r0}], {%r0, %r0, %r0, %r0};", interp.RuleOutOfBounds, "store outside of surface img: x = -1, y = 0"},
		{floats, true, "sured.b.add.2d.u32.trap [%rd1, {%r0, -1}], %r0;", interp.RuleOutOfBounds, "atomic outside of surface img: x = 0 bytes, y = -1"},
		{floats, true, "suld.b.2d.b32.zero %r20, [%rd1, {2, %r0}];", interp.RuleMisaligned, "misaligned load of surface img: x = 2, which counts bytes, is not a multiple of 4"},
	} {
		_, _, err := (&imageRun{texture: c.img, surface: c.surface, texels: raw, instrs: c.instr, in: [][]uint32{{0}, {0}}}).run(t)
		fault, ok := errors.AsType[*interp.Fault](err)
		if !ok || fault.Rule != c.rule || !strings.Contains(fault.Error(), c.want) || fault.Where.Lanes&1 == 0 || fault.Place.Code.Line == 0 {
			t.Errorf("%s: %v; want %q [%s]", c.instr, err, c.want, c.rule)
		}
		if c.rule == interp.RuleOutOfBounds && !errors.Is(err, memory.ErrBounds) {
			t.Errorf("%s: not ErrBounds", c.instr)
		}
	}
}

// TestUnboundTextureRefusesLaunch: a launch of a kernel that names a texture which nothing is bound to is refused.
func TestUnboundTextureRefusesLaunch(t *testing.T) {
	_, _, err := (&imageRun{header: ".global .texref lost;\n", texels: []byte{0}, instrs: "tex.1d.v4.f32.s32 {%r20, _, _, _}, [lost, {%r0}];", in: [][]uint32{{0}}}).run(t)
	if _, ok := errors.AsType[*interp.LaunchError](err); !ok || !strings.Contains(err.Error(), "the .texref lost, which tex.1d.v4.f32.s32 in line") {
		t.Errorf("%v", err)
	}
	_, _, err = (&imageRun{header: ".global .texref lost;\n", texels: []byte{0}, instrs: "mov.u64 %rd9, lost;\n tex.1d.v4.f32.s32 {%r20, _, _, _}, [%rd9, {%r0}];", in: [][]uint32{{0}}}).run(t)
	if fault, ok := errors.AsType[*interp.Fault](err); !ok || fault.Rule != interp.RuleImageHandle || !strings.Contains(err.Error(), "the .texref lost is bound to nothing") {
		t.Errorf("%v", err)
	}
}
