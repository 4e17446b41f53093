package interp

import (
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/memory"
)

// TestTrailedOffsetsKeepTheirPlaces: each lane has the place that code has written to the trail, also if one lane of a
// strided half of the warp is elsewhere, and an access is strided if both halves are.
func TestTrailedOffsetsKeepTheirPlaces(t *testing.T) {
	r := &memory.Region{Base: 0x1000, Data: make([]byte, 1<<12)}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		s := &native.TrailSite{Size: 1 << rng.IntN(5), Disp: rng.IntN(64)}
		var offsets jit.TrailOffsets
		for _, first := range []int{0, lanes.Width / 2} {
			start, stride := rng.Uint32N(1<<11), []uint32{0, uint32(s.Size), uint32(s.Size), 2 * uint32(s.Size)}[rng.IntN(4)]
			for i := range lanes.Width / 2 {
				offsets[first+i] = start + uint32(i)*stride
			}
		}
		if rng.IntN(2) == 0 {
			offsets[rng.IntN(len(offsets))] += 1 << rng.IntN(12)
		}
		want := true
		for i := range offsets {
			first := i / (lanes.Width / 2) * (lanes.Width / 2)
			d := offsets[first+1] - offsets[first]
			want = want && (d == 0 || d == uint32(s.Size)) && offsets[i] == offsets[first]+uint32(i-first)*d
		}
		var a lanes.Access
		locateOffsets(&a, r, s, &offsets)
		if a.Strided != want {
			t.Fatalf("size %d, offsets %v: strided is %v", s.Size, offsets, a.Strided)
		}
		for lane, off := range offsets {
			if at := a.At(lane); at != uint64(off)+uint64(s.Disp) {
				t.Fatalf("size %d, offsets %v: lane %d is at %d", s.Size, offsets, lane, at)
			}
		}
	}
}
