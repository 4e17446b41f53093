package check

import (
	"math/rand/v2"
	"testing"
)

// TestFirstObservedWriteMatchesDefinition compares the place of the first observed write with the definition of the
// observation order (PTX ISA 8.9.2), write by write, over random accesses to a location.
func TestFirstObservedWriteMatchesDefinition(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	v := &visit{r: &Races{syncs: true, byIndex: []*site{{}, {decides: true}}}}
	classes := []class{reads, writes, reads | writes, reads | strong, writes | strong, reads | writes | strong, reads | writes | strong | wide, writes | strong | 1<<sizeShift}
	found := 0
	for range 20000 {
		rs := make([]record, 1+rng.IntN(8))
		for i := range rs {
			rs[i] = record{class: classes[rng.IntN(len(classes))], cta: uint32(rng.IntN(2)), sites: siteSet(rng.IntN(2))}
			if rng.IntN(2) == 0 {
				rs[i].class = reads | writes | strong | wide
			}
		}
		z, earlier := &rs[len(rs)-1], rs[:len(rs)-1]
		first := v.firstObserved(z, earlier)
		for i := range earlier {
			want := observesByDefinition(z, earlier[i:])
			if got := earlier[i].class&writes != 0 && i >= first; got != want {
				t.Fatalf("%+v observes the write at %d: %t, want %t", rs, i, got, want)
			}
			if want {
				found++
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d writes are observed", found)
	}
}

// observesByDefinition reports whether z observes the first of rs, the accesses up to z: all are strong, of one size
// and of scopes that include each other pair by pair, all writes between are atomics, and z, which is of site 1,
// decides.
func observesByDefinition(z *record, rs []record) bool {
	if rs[0].class&(strong|writes) != strong|writes || z.class&(strong|reads) != strong|reads || z.sites != 1 {
		return false
	}
	last := rs[0]
	for _, next := range rs[1:] {
		if next.class&writes == 0 {
			continue
		}
		if next.class&reads == 0 || !morallyStrong(last.class, next.class, last.cta == next.cta) {
			return false
		}
		last = next
	}
	return morallyStrong(last.class, z.class, last.cta == z.cta)
}
