package memory

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// TestRegionNumbersWaitForReuse: numbers of regions count up from 0, and that of a freed region is not reused before
// Reuse.
func TestRegionNumbersWaitForReuse(t *testing.T) {
	g := NewGlobal(64, NewBudget(0))
	alloc := func(space isa.Space) *Region {
		r, err := g.Alloc("r", space, 8)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := alloc(isa.Global)
	if n := g.NewNumber(); first.Number != 0 || n != 1 {
		t.Errorf("the numbers are %d and %d, want 0 and 1", first.Number, n)
	}
	freed := alloc(isa.Const)
	g.Free(freed)
	if r := alloc(isa.Global); freed.Number != 2 || r.Number != 3 {
		t.Errorf("after a region with number %d was freed, the next is %d; want 2 and 3", freed.Number, r.Number)
	}
	g.Reuse()
	if a, b := alloc(isa.Global), g.NewNumber(); a.Number != 2 || b != 4 {
		t.Errorf("after Reuse the next numbers are %d and %d; want 2 and 4", a.Number, b)
	}
}
