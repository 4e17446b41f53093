package flowgraph

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestPointsAreThoseOfITS sends a lane to each side of each branch of the kernels above, and checks where the model
// makes them wait.
func TestPointsAreThoseOfITS(t *testing.T) {
	branches := 0
	for _, tt := range graphs {
		for _, g := range New(parse(t, tt.src)) {
			if !g.Func.Entry {
				continue
			}
			for b := range g.Blocks {
				for _, p := range g.Blocks[b].Divergences {
					if p.Cause == Branched {
						branches++
						checkPoint(t, tt.name, g, &g.Blocks[b], &p)
					}
				}
			}
		}
	}
	if branches < 10 {
		t.Errorf("only %d branches were looked at", branches)
	}
}

func checkPoint(t *testing.T, name string, g *Graph, block *Block, p *Divergence) {
	t.Helper()
	var groups []divergence.Group
	leaves := map[lanes.Mask]bool{}
	for i, e := range block.Edges {
		lane := lanes.Mask(1) << i
		groups = append(groups, divergence.Group{PC: g.Blocks[e.To].Start, Mask: lane})
		leaves[lane] = e.Leaves
	}
	w := divergence.NewITS(flow.New(g.Func), divergence.Taken)
	w.Start(p.PC, 1<<len(groups)-1)
	w.Diverge(0, p.PC, groups)
	splits := 0
	for s := range w.Splits() {
		want := p.Barrier
		if leaves[s.Mask] {
			want = flow.None
		}
		if s.Stop != want {
			t.Errorf("%s: lanes %x that part at @%d wait at %d, want %d", name, uint32(s.Mask), p.PC, s.Stop, want)
		}
		splits++
	}
	if splits != len(groups) {
		t.Errorf("%s: %d groups of lanes after @%d, want %d", name, splits, p.PC, len(groups))
	}
}
