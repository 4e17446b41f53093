package sm

import (
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// TestKeptAccessesAreThoseExecuted: effects that are kept and then restored access the same places.
func TestKeptAccessesAreThoseExecuted(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	var k kept
	for range 20 { // reuses what it holds
		k = k.reuse()
		var want []interp.Effect
		for range rnd.IntN(20) {
			e := interp.Effect{Deferred: -1, Changed: rnd.IntN(2) == 0}
			for range rnd.IntN(3) {
				e.Access = append(e.Access, randomMove(rnd))
			}
			k.keep(&e)
			want = append(want, e)
		}
		var got interp.Effect
		for i := range want {
			w := &want[i]
			if k.restore(i, &got); len(got.Access) != len(w.Access) || got.Changed != w.Changed || got.Deferred >= 0 {
				t.Fatalf("%+v, want %+v", got, *w)
			}
			for j := range w.Access {
				if !samePlaces(&got.Access[j], &w.Access[j]) {
					t.Errorf("%+v, want %+v", got.Access[j], w.Access[j])
				}
			}
		}
	}
}

// randomMove returns an access with a stride in each half of the warp, or without.
func randomMove(rnd *rand.Rand) interp.Moved {
	size := uint64(1) << rnd.IntN(6)
	a := interp.Moved{Lanes: lanes.Mask(rnd.Uint32())}
	a.Mem, a.Base, a.Region, a.Space, a.Size = make([]byte, 4096), rnd.Uint64()>>20, rnd.Int32N(9), uint8(rnd.IntN(5)), size
	for lane := range a.Off {
		a.Off[lane] = rnd.Uint64N(4096/size) * size
	}
	if a.Strided = rnd.IntN(3) > 0; a.Strided {
		for h := range a.Stride {
			a.Stride[h] = size * rnd.Uint64N(3)
		}
	}
	return a
}

func samePlaces(a, b *interp.Moved) bool {
	for lane := range lanes.Width {
		if a.At(lane) != b.At(lane) {
			return false
		}
	}
	return &a.Mem[0] == &b.Mem[0] && a.Base == b.Base && a.Region == b.Region && a.Space == b.Space && a.Size == b.Size && a.Lanes == b.Lanes
}
