package texture_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/texture"
)

// fetchFile is registers for a fetch: up to four coordinates, then four results.
type fetchFile struct {
	*lanes.File
	at jit.FetchRegisters
}

func newFetchFile() *fetchFile {
	f := &fetchFile{File: lanes.NewFile(9 * lanes.Slot32)}
	for i := range uint32(4) {
		f.at.Coords[i], f.at.Results[i] = i*lanes.Slot32, (4+i)*lanes.Slot32
	}
	return f
}

func (f *fetchFile) coord(i int) *[lanes.Width]uint32 {
	return lanes.Reg[uint32](f.File, f.at.Coords[i])
}

func (f *fetchFile) result(c int) *[lanes.Width]uint32 {
	return lanes.Reg[uint32](f.File, f.at.Results[c])
}

// untouched is what results of a fetchFile hold before a fetch.
func untouched(lane int) uint32 { return 0xdead0000 | uint32(lane) }

// randomize makes up coordinates of a texture, some outside of it, and resets the results.
func (f *fetchFile) randomize(r *rand.Rand, x *texture.Texture, s *texture.Sampler, dims int, integer, inside bool) {
	size := x.Size(0)
	for lane := range lanes.Width {
		for i := range dims {
			f.coord(i)[lane] = randomPlace(r, size[i], s, integer, inside && lane%4 != 0)
		}
		if x.Array {
			f.coord(dims)[lane] = []uint32{0, 1, 2, 3, 4, math.MaxUint32}[r.IntN(6)]
		}
		for c := range 4 {
			f.result(c)[lane] = untouched(lane)
		}
	}
}

// TestMachineCodeFetchesSameTexels: machine code of every level that the host has reads what Go reads, in the lanes of
// a mask only, for all formats, shapes, filters, address modes and coordinates, NaN and infinities among them.
func TestMachineCodeFetchesSameTexels(t *testing.T) {
	for level := jit.AVX2; level <= jit.AVX512; level++ {
		if err := jit.Lacks(level); err != nil {
			t.Logf("%v: %v", level, err)
			continue
		}
		r := rand.New(rand.NewPCG(39, 4))
		fetchers := make(map[jit.Fetch]*jit.Fetcher)
		file, state := newFetchFile(), new(jit.FetchState)
		for n := range 2000 {
			if short.Skips(n / 16) {
				continue
			}
			x, s, memory := randomTexture(r, n)
			dims, integer := 1+int(x.Kind), r.IntN(4) == 0
			if x.Kind == texture.D2 && x.Height == 1 && !x.Array && r.IntN(2) == 0 {
				dims = 1
			}
			reader := texture.NewReader(&x, &s, dims, integer)
			spec, ok := reader.Fetch(1+r.IntN(4), 0)
			if !ok {
				t.Fatalf("machine code does not read %+v", x)
			}
			f := fetchers[spec]
			if f == nil {
				var err error
				if f, err = jit.NewFetcher(level, &spec, false); err != nil {
					t.Fatal(err)
				}
				fetchers[spec] = f
			}
			file.randomize(r, &x, &s, dims, integer, n/16%4 != 0)
			mask := lanes.Mask(r.Uint32() | r.Uint32())
			if n%8 == 0 {
				mask &= 0xff00ff // no lane of some vectors
			}
			want := fetchedByGo(reader, memory, file, mask)
			texels := reader.Texels(memory)
			f.Serve(texels)
			f.Fetch(state, file.File, texels, &file.at, mask)
			for c := range 4 {
				for lane, got := range file.result(c) {
					expect := untouched(lane)
					if mask>>lane&1 != 0 && c < spec.Results {
						expect = want[c][lane]
					}
					if got != expect {
						t.Fatalf("%v, %d: channel %d of lane %d of %08x: %#x, want %#x\n%+v %+v\n%+v", level, n, c, lane, uint32(mask), got, expect, x.Shape, s, spec)
					}
				}
			}
		}
	}
}

// fetchedByGo is the results of a Warp.
func fetchedByGo(reader *texture.Reader, memory []byte, file *fetchFile, mask lanes.Mask) (want [4][lanes.Width]uint32) {
	var w texture.Warp
	to := [4]*[lanes.Width]uint32{&want[0], &want[1], &want[2], &want[3]}
	in := [3]*[lanes.Width]uint32{file.coord(0), file.coord(1), file.coord(2)}
	w.Find(reader, &in, mask)
	w.Values(reader, memory, &to)
	w.Border(reader, memory, &in, &to)
	return want
}
