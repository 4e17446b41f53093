package interp_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/texture"
)

// refSurface is a surface by the definition of PTX (9.7.11): bytes by layer, z, y and x. Threads access it in order
// from the lowest lane to the highest.
type refSurface struct {
	geometry string
	size     [3]int // texels
	layers   int
	texel    int // bytes
	pitch    int
	mem      []byte
}

// place returns where n bytes of a thread go, and whether they are in bounds; with clamp, the nearest place.
func (s *refSurface) place(layer uint32, c [3]int32, scale, n int, clamp bool) (at int, ok bool) {
	x, row := int(c[0])*scale, s.size[0]*s.texel
	lay := int(layer)
	limits := [3]int{row - n, s.size[1] - 1, s.size[2] - 1}
	at3 := [3]int{x, int(c[1]), int(c[2])}
	ok = layer < uint32(s.layers)
	for i, limit := range limits {
		if at3[i] < 0 || at3[i] > limit {
			ok = false
			at3[i] = min(max(at3[i], 0), limit)
			if i == 0 {
				at3[i] -= at3[i] % n
			}
		}
	}
	if layer >= uint32(s.layers) {
		lay = s.layers - 1
	}
	if !ok && !clamp {
		return 0, false
	}
	return ((lay*s.size[2]+at3[2])*s.size[1]+at3[1])*s.pitch + at3[0], ok || clamp
}

func newRefSurface(rnd *rand.Rand, geometry string, texel int) *refSurface {
	s := &refSurface{geometry: geometry, size: [3]int{16, 1, 1}, layers: 1, texel: texel}
	dims := int(geometry[len(geometry)-2] - '0')
	for d := 1; d < dims; d++ {
		s.size[d] = 2 + rnd.IntN(3)
	}
	if geometry[0] == 'a' {
		s.layers = 3
	}
	s.pitch = s.size[0]*texel + 16*rnd.IntN(2)
	s.mem = make([]byte, s.pitch*s.size[1]*s.size[2]*s.layers)
	for i := range s.mem {
		s.mem[i] = byte(rnd.Uint32())
	}
	return s
}

// described returns the surface as described by a directive.
func (s *refSurface) described(t testing.TB, format string) *texture.Texture {
	t.Helper()
	d := texture.NewDescription(texture.ASurface)
	extent := fmt.Sprint(s.size[0])
	for i := 1; i < int(s.geometry[len(s.geometry)-2]-'0'); i++ {
		extent += fmt.Sprintf("x%d", s.size[i])
	}
	words := []string{s.geometry, extent, "format=" + format, fmt.Sprintf("pitch=%d", s.pitch)}
	if s.layers > 1 {
		words = append(words, fmt.Sprintf("layers=%d", s.layers))
	}
	for _, w := range words {
		if err := d.Set(w); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Finish(); err != nil {
		t.Fatal(err)
	}
	return &d.Texture
}

// randomPlaces makes up places in and around the surface: layer, x in units of n bytes, y and z.
func (s *refSurface) randomPlaces(rnd *rand.Rand, n int) (layers []uint32, places [][3]int32) {
	for range texelThreads {
		layer := rnd.Uint32N(uint32(s.layers + 1))
		var c [3]int32
		c[0] = (rnd.Int32N(int32(s.size[0]*s.texel/n+6)) - 3)
		for d := 1; d < 3; d++ {
			c[d] = rnd.Int32N(int32(s.size[d]+4)) - 2
			if s.size[d] == 1 {
				c[d] = 0 // the geometry has no such coordinate
			}
		}
		if s.geometry[0] != 'a' {
			layer = 0
		}
		layers, places = append(layers, layer), append(places, c)
	}
	return layers, places
}

// operands returns the words that a thread loads for a place.
func (s *refSurface) operands(layer uint32, c [3]int32) (words []uint32) {
	if s.geometry[0] == 'a' {
		words = append(words, layer)
	}
	for d := range int(s.geometry[len(s.geometry)-2] - '0') {
		words = append(words, uint32(c[d]))
	}
	return words
}

// TestSurfaceLoadsMatchBytes compares suld.b with bytes of memory: all geometries, vectors, types and ways to clamp.
func TestSurfaceLoadsMatchBytes(t *testing.T) {
	n := 0
	for _, g := range []string{"1d", "2d", "3d", "a1d", "a2d"} {
		for _, bits := range []int{8, 16, 32, 64} {
			for _, vec := range []int{1, 2, 4} {
				if bits*vec > 128 {
					continue
				}
				for _, clamp := range []string{"clamp", "zero"} {
					if n++; short.Skips(n) {
						continue
					}
					rnd := rand.New(rand.NewPCG(uint64(n), 5))
					s := newRefSurface(rnd, g, 16)
					size := bits / 8 * vec
					layers, places := s.randomPlaces(rnd, size)
					run := &imageRun{surface: true, texture: s.described(t, "u32x4"), texels: s.mem}
					for i := range places {
						places[i][0] *= int32(size)
						run.in = append(run.in, s.operands(layers[i], places[i]))
					}
					run.instrs = surfaceLoad(g, bits, vec, clamp, len(run.in[0]))
					got, _, err := run.run(t)
					if err != nil {
						t.Fatalf("%s: %v", run.instrs, err)
					}
					for i := range places {
						c := places[i]
						at, inside, err := run.machine.SurfaceAddr(run.handle, g, layered(g, layers[i], c), int64(size))
						if where, want := s.place(layers[i], c, 1, size, false); err != nil || inside != want || inside && at != run.base+uint64(where) {
							t.Fatalf("%s: thread %d, %v of layer %d: address %#x, inside %v, error %v; want %#x, %v", run.instrs, i, c, layers[i], at-run.base, inside, err, where, want)
						}
						var want [16]byte
						if at, ok := s.place(layers[i], places[i], 1, size, clamp == "clamp"); ok {
							for k := range vec { // each element in a word, or two of 64 bits
								copy(want[k*max(bits/8, 4):], s.mem[at+k*bits/8:][:bits/8])
							}
						}
						var have [16]byte
						for k, w := range got[i] {
							binary.LittleEndian.PutUint32(have[4*k:], w)
						}
						if used := vec * max(bits/8, 4); !bytes.Equal(have[:used], want[:used]) {
							t.Fatalf("%s: thread %d, %v of layer %d: %x, not %x", run.instrs, i, places[i], layers[i], have, want)
						}
					}
				}
			}
		}
	}
}

// layered returns coordinates with the layer of an array after them.
func layered(geometry string, layer uint32, c [3]int32) (at [3]int64) {
	for d := range c {
		at[d] = int64(c[d])
	}
	if geometry[0] == 'a' {
		at[int(geometry[1]-'0')] = int64(layer)
	}
	return at
}

// surfaceLoad loads into %r20 and so on: elements of up to 32 bits in a register each.
func surfaceLoad(g string, bits, vec int, clamp string, words int) string {
	var dst []string
	after := ""
	for k := range vec {
		switch {
		case bits == 64:
			dst = append(dst, fmt.Sprintf("%%rd%d", 20+k))
			after += fmt.Sprintf("\n mov.b64 {%%r%d, %%r%d}, %%rd%d;", 20+2*k, 21+2*k, 20+k)
		default:
			dst = append(dst, fmt.Sprintf("%%r%d", 20+k))
		}
	}
	d := dst[0]
	v := ""
	if vec > 1 {
		d, v = "{"+strings.Join(dst, ", ")+"}", fmt.Sprintf(".v%d", vec)
	}
	return fmt.Sprintf("suld.b.%s%s.b%d.%s %s, [%%rd1, %s];%s", g, v, bits, clamp, d, registersOf(0, words), after)
}

// TestSurfaceStoresMatchBytes compares sust.b and sured.b with bytes of memory.
func TestSurfaceStoresMatchBytes(t *testing.T) {
	for n := range 60 {
		if short.Skips(n) {
			continue
		}
		rnd := rand.New(rand.NewPCG(uint64(n), 6))
		g := []string{"1d", "2d", "3d", "a1d", "a2d"}[n%5]
		clamp := []string{"clamp", "zero"}[n/5%2]
		bits := []int{8, 16, 32}[n/10%3]
		s := newRefSurface(rnd, g, 4)
		atomic := n >= 30 && bits == 32 && g[0] != 'a'
		layers, places := s.randomPlaces(rnd, bits/8)
		run := &imageRun{surface: true, texture: s.described(t, "u32x1"), texels: slices.Clone(s.mem)}
		values := make([]uint32, len(places))
		for i := range places {
			places[i][0] *= int32(bits / 8)
			values[i] = rnd.Uint32()
			run.in = append(run.in, append(s.operands(layers[i], places[i]), values[i]))
		}
		words := len(run.in[0]) - 1
		run.instrs = fmt.Sprintf("sust.b.%s.b%d.%s [%%rd1, %s], %%r%d;", g, bits, clamp, registersOf(0, words), words)
		if atomic {
			run.instrs = fmt.Sprintf("sured.b.max.%s.s32.%s [%%rd1, %s], %%r%d;", g, clamp, registersOf(0, words), words)
		}
		_, got, err := run.run(t)
		if err != nil {
			t.Fatalf("%s: %v", run.instrs, err)
		}
		want := slices.Clone(s.mem)
		for i := range places {
			at, ok := s.place(layers[i], places[i], 1, bits/8, clamp == "clamp")
			switch {
			case !ok:
			case atomic:
				binary.LittleEndian.PutUint32(want[at:], uint32(max(int32(binary.LittleEndian.Uint32(want[at:])), int32(values[i]))))
			default:
				for k := range bits / 8 {
					want[at+k] = byte(values[i] >> (8 * k))
				}
			}
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("%s:\n%x, not\n%x", run.instrs, got, want)
		}
	}
}

// TestFormattedStoresConvert: sust.p converts to the format of the surface, and x counts texels.
func TestFormattedStoresConvert(t *testing.T) {
	f := func(x float32) uint32 { return math.Float32bits(x) }
	for _, c := range []struct {
		format string
		values [4]uint32
		want   []byte
	}{
		{"u8x4", [4]uint32{1, 2, 0x103, 255}, []byte{1, 2, 3, 255}},
		{"s16x2", [4]uint32{0xffffffff, 2, 0, 0}, []byte{0xff, 0xff, 2, 0}},
		{"u32x1", [4]uint32{0x12345678, 9, 9, 9}, []byte{0x78, 0x56, 0x34, 0x12}},
		{"f32x2", [4]uint32{f(1), f(-2), 0, 0}, []byte{0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}},
		{"f16x4", [4]uint32{f(1), f(-2), f(65536), f(0)}, []byte{0, 0x3c, 0, 0xc0, 0, 0x7c, 0, 0}},
		{"unorm8x4", [4]uint32{f(0.5), f(2), f(-1), f(float32(math.NaN()))}, []byte{128, 255, 0, 0}}, // 127.5 to even
		{"snorm8x2", [4]uint32{f(-1), f(0.5), 0, 0}, []byte{0x81, 64}},                               // 63.5 to even
		{"unorm16x1", [4]uint32{f(1), 0, 0, 0}, []byte{0xff, 0xff}},
		{"snorm16x1", [4]uint32{f(-2), 0, 0, 0}, []byte{0x01, 0x80}},
	} {
		d := texture.NewDescription(texture.ASurface)
		for _, w := range []string{"2d", "4x2", "format=" + c.format} {
			if err := d.Set(w); err != nil {
				t.Fatal(err)
			}
		}
		n := len(c.want)
		_, got, err := (&imageRun{surface: true, texture: &d.Texture, texels: make([]byte, 8*n), in: [][]uint32{c.values[:]},
			instrs: "sust.p.2d.v4.b32.trap [%rd1, {2, 1}], {%r0, %r1, %r2, %r3};\n sust.p.2d.v2.b32.zero [%rd1, {4, 1}], {%r0, %r1};"}).run(t)
		want := slices.Concat(make([]byte, 6*n), c.want, make([]byte, n))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s: %x, %v; not %x", c.format, got, err, want)
		}
	}
}

// TestFormattedAtomicsFollowFormat: how sured.p interprets a word depends on the surface's format.
func TestFormattedAtomicsFollowFormat(t *testing.T) {
	for format, want := range map[string]uint32{"u32x1": 0xffffffff, "s32x1": 7} {
		d := texture.NewDescription(texture.ASurface)
		for _, w := range []string{"1d", "4", "format=" + format} {
			if err := d.Set(w); err != nil {
				t.Fatal(err)
			}
		}
		mem := binary.LittleEndian.AppendUint32(make([]byte, 8), 7)
		_, got, err := (&imageRun{surface: true, texture: &d.Texture, texels: append(mem, 0, 0, 0, 0), in: [][]uint32{{0xffffffff}},
			instrs: "sured.p.max.1d.b32.trap [%rd1, {2}], %r0;"}).run(t)
		if err != nil || binary.LittleEndian.Uint32(got[8:]) != want {
			t.Errorf("%s: %x, %v", format, got, err)
		}
	}
}

// TestSurfaceQueriesReturnProperties queries the properties of a surface.
func TestSurfaceQueriesReturnProperties(t *testing.T) {
	d := texture.NewDescription(texture.ASurface)
	for _, w := range []string{"a2d", "8x4", "format=u8x2", "layers=3"} {
		if err := d.Set(w); err != nil {
			t.Fatal(err)
		}
	}
	run := &imageRun{surface: true, texture: &d.Texture, texels: make([]byte, 8*4*3*2), in: [][]uint32{{0}}}
	for query, want := range map[string]uint32{"width": 8, "height": 4, "depth": 0, "channel_data_type": 0x10DA, "channel_order": 0x10B2, "array_size": 3, "memory_layout": 1} {
		run.instrs = "suq." + query + ".b32 %r20, [%rd1];"
		if got, _, err := run.run(t); err != nil || got[0][0] != want {
			t.Errorf("%s: %x, %v; want %x", query, got, err, want)
		}
	}
}
