package interp_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/texture"
	"github.com/simtrun/simtrun/interp"
)

// texelReads has, by thread, the offsets of the texels that the tex at pc has read, in order.
type texelReads struct {
	pc  int
	off [texelThreads][]int64
}

// Accessed implements interp.AccessObserver.
func (r *texelReads) Accessed(at *interp.Place, a *interp.Access) {
	if a.PC != r.pc {
		return
	}
	for m := a.Lanes; m != 0; m &= m - 1 {
		thread := 32*at.Warp + m.First()
		r.off[thread] = append(r.off[thread], int64(a.At(m.First())))
	}
}

// TestTexelsAreShown: observers are shown the texels of each thread's footprint, whether a warp reads them at once or
// not, and the results are the same as without observers.
func TestTexelsAreShown(t *testing.T) {
	n := 0
	for _, kind := range []string{"1d", "2d", "3d", "a1d", "a2d", "cube"} {
		for variant := range 24 {
			n++
			rnd := rand.New(rand.NewPCG(uint64(n), 2))
			integer := variant%3 == 2 && kind != "cube"
			r := randomTexture(rnd, kind, []texture.Channel{texture.F32, texture.Unorm8, texture.U16}[variant/8], variant&1 != 0, variant&2 != 0)
			if variant%4 < 3 { // no borders, so that the warp reads them at once
				r.address = [3]texture.Address{texture.ClampEdge, texture.ClampEdge, texture.ClampEdge}
			}
			qs, x := r.randomQueries(rnd, integer), r.described(t)
			run := &imageRun{texture: x, texels: r.raw}
			for i := range qs {
				run.in = append(run.in, r.words(&qs[i]))
			}
			result := map[bool]string{true: "f32", false: "u32"}[r.isFloat()]
			coord := map[bool]string{true: "s32", false: "f32"}[integer]
			run.instrs = fmt.Sprintf("tex.%s.v4.%s.%s {%%r20, %%r21, %%r22, %%r23}, [%%rd1, %s];", kind, result, coord, registersOf(0, len(run.in[0])))
			want, _, err := run.run(t)
			if err != nil {
				t.Fatalf("%s: %v", run.instrs, err)
			}
			reads := &texelReads{pc: 7 + len(run.in[0])} // after the instructions of imageKernel
			run.observers = []interp.Observer{reads}
			got, _, err := run.run(t)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Fatalf("%s: observed: %v\n%s", run.instrs, err, diff)
			}
			for i := range qs {
				if diff := cmp.Diff(footprint(x, &qs[i]), reads.off[i]); diff != "" {
					t.Fatalf("%s of %+v, thread %d, %+v: texels (-want +got):\n%s", run.instrs, *x, i, qs[i], diff)
				}
			}
		}
	}
}

// footprint returns the offsets of the texels that a query reads, without those of the border.
func footprint(x *texture.Texture, q *refQuery) (off []int64) {
	var f texture.Footprint
	x.Footprint(&x.Sampler, &texture.Query{Coords: q.coords, Ints: q.ints, Integer: q.integer, Layer: q.layer}, &f)
	for _, tap := range f.Taps[:f.N] {
		if tap.Off != texture.BorderColour {
			off = append(off, tap.Off)
		}
	}
	return off
}
