package profile_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// byDefinition attributes lost lane slots by the definition: it keeps, for each pair of lanes of the only warp, where
// they last diverged, and examines every slot.
type byDefinition struct {
	diverged [lanes.Width][lanes.Width]int // PC
	exited   [lanes.Width]int
	threads  lanes.Mask
	live     lanes.Mask
	lost     map[int]uint64
}

func (d *byDefinition) Started(_ *interp.Place, m lanes.Mask) { d.threads, d.live = m, m }

func (d *byDefinition) Ran(_ *interp.Place, first, end int, m lanes.Mask) {
	runs := 0
	for m>>runs&1 == 0 {
		runs++
	}
	for lane := range lanes.Width {
		cause := -1
		switch {
		case m>>lane&1 != 0:
			continue
		case d.live>>lane&1 != 0:
			cause = d.diverged[runs][lane]
		case d.threads>>lane&1 != 0:
			cause = d.exited[lane]
		}
		d.lost[cause] += uint64(end - first)
	}
}

func (d *byDefinition) Diverged(_ *interp.Place, pc int, to []divergence.Group) {
	for i, g := range to {
		for j, h := range to {
			for a := range lanes.Width {
				for b := range lanes.Width {
					if i != j && g.Mask>>a&1 != 0 && h.Mask>>b&1 != 0 {
						d.diverged[a][b] = pc
					}
				}
			}
		}
	}
}

func (d *byDefinition) Exited(_ *interp.Place, pc int, m lanes.Mask) {
	d.live &^= m
	for lane := range lanes.Width {
		if m>>lane&1 != 0 {
			d.exited[lane] = pc
		}
	}
}

// randomKernel generates nested ifs, loops and exits that depend on bits of the lane's number.
func randomKernel(r *rand.Rand) string {
	var b strings.Builder
	labels := 0
	var block func(depth int)
	block = func(depth int) {
		for range 1 + r.IntN(3) {
			labels++
			n, test := labels, fmt.Sprintf("mul.lo.u32 %%r1, %%r0, %d; and.b32 %%r1, %%r1, %d; setp.ne.u32 %%p1, %%r1, 0;\n", 2*r.IntN(20)+1, 1+r.IntN(15))
			switch kind := r.IntN(8); {
			case depth == 0 || kind == 0:
				b.WriteString("add.u32 %r2, %r2, 1;\n")
			case kind == 1:
				fmt.Fprintf(&b, "setp.eq.u32 %%p1, %%r0, %d;\n@%%p1 exit;\n", r.IntN(32))
			case kind < 5:
				fmt.Fprintf(&b, "%s@%%p1 bra ELSE%d;\n", test, n)
				block(depth - 1)
				fmt.Fprintf(&b, "bra END%d;\nELSE%d:\n", n, n)
				block(depth - 1)
				fmt.Fprintf(&b, "END%d:\n", n)
			default: // lane i executes as many iterations as some bits of i say, plus 1
				fmt.Fprintf(&b, "and.b32 %%r%d, %%r0, %d;\nLOOP%d:\n", 10+n, 1+r.IntN(7), n)
				block(depth - 1)
				fmt.Fprintf(&b, "sub.u32 %%r%d, %%r%d, 1;\nsetp.ge.s32 %%p1, %%r%d, 0;\n@%%p1 bra LOOP%d;\n", 10+n, 10+n, 10+n, n)
			}
		}
	}
	block(4)
	return ".entry k() {\nmov.u32 %r0, %tid.x;\n" + b.String() + "ret;\n}\n"
}

// TestCausesMatchDefinition compares the causes of lost slots with those found by examining every pair of lanes.
func TestCausesMatchDefinition(t *testing.T) {
	eachModel(t, func(t *testing.T, m divergence.Model) {
		r := rand.New(rand.NewPCG(9, 10))
		diverged, exited := uint64(0), uint64(0)
		for range 60 {
			k := kernel{model: m, src: randomKernel(r), block: plane(32-uint32(r.IntN(2)*r.IntN(20)), 1)}
			machine, l := k.launch(t)
			ref := &byDefinition{lost: make(map[int]uint64)}
			l.Observe(ref)
			if _, err := functional.Run(context.Background(), machine, l); err != nil {
				t.Fatalf("%v\n%s", err, k.src)
			}
			p := k.profile(t)
			got := make(map[int]uint64)
			if p.Total.LostBlock > 0 {
				got[-1] = p.Total.LostBlock
			}
			for pc := range p.Funcs[0].Instrs {
				c := &p.Funcs[0].Instrs[pc]
				if n := c.LostDiverged + c.LostExited; n > 0 {
					got[pc] = n
				}
				diverged, exited = diverged+c.LostDiverged, exited+c.LostExited
			}
			if diff := cmp.Diff(ref.lost, got); diff != "" {
				t.Fatalf("lost lane slots by PC (-want +got):\n%s\n%s", diff, k.src)
			}
		}
		if diverged < 10000 || exited < 1000 {
			t.Errorf("only %d slots were lost to divergence and %d to exits", diverged, exited)
		}
	})
}
