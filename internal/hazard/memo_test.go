package hazard

import (
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
)

// TestMemoIsAMap: a memo has the values that a map has, while it grows and values are replaced.
func TestMemoIsAMap(t *testing.T) {
	type place struct {
		at  int
		reg isa.RegID
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	var m memo
	want := make(map[place]*affine)
	for range 20000 {
		p := place{rnd.IntN(100), isa.RegID(rnd.IntN(100))}
		if got := m.at(p.at, p.reg); got != want[p] {
			t.Fatalf("%+v is %v, want %v", p, got, want[p])
		}
		want[p] = constant(rnd.Int64())
		m.set(p.at, p.reg, want[p])
	}
	if m.n != len(want) {
		t.Errorf("%d values, want %d", m.n, len(want))
	}
}
