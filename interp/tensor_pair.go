package interp

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
)

// pair returns the CTAs of the pair of the running CTA, the one of even rank first, for lanes m at pc. Both must be
// live.
func (e *Engine) pair(pc int, m lanes.Mask) (both [2]*CTA, err error) {
	all, even := e.cta.Cluster.CTAs, e.cta.Rank&^1
	if even+1 >= len(all) {
		return both, e.fault(pc, m, violated(RuleCluster, ".cta_group::2 needs a pair of blocks: block %d of a cluster of %d is in none", e.cta.Rank, len(all)))
	}
	both = [2]*CTA(all[even:])
	if other := both[1-e.cta.Rank&1]; other.Live == 0 {
		return both, e.fault(pc, m, violated(RuleCluster, "the other block of the pair, block (%d,%d,%d), has ended", other.At.X, other.At.Y, other.At.Z))
	}
	return both, nil
}

// allocPair allocates n columns for the warp, with the place for the address in e.acc, and for a warp of the other
// CTA of the pair. It reports whether the warp must wait for that one or for columns.
func (e *Engine) allocPair(pc int, n uint32) (waits bool, err error) {
	both, err := e.pair(pc, lanes.AllLanes)
	if err != nil {
		return false, err
	}
	c, w, split := e.cta, e.warp, e.split
	t, other := e.tensor(), both[1-c.Rank&1]
	theirs := other.hasTensor()
	if i := len(t.waiting); i < len(theirs.waiting) {
		a := theirs.waiting[i]
		if a.n != n {
			return false, e.fault(pc, lanes.AllLanes, violated(RuleTensorAlloc, "%d columns of tensor memory, and %d in the other block of the pair", n, a.n))
		}
		if first, ok := freeInBoth(t, theirs, n); ok && i == 0 {
			e.giveTensor(pc, columns{first, n})
			theirs.waiting = slices.Delete(theirs.waiting, 0, 1)
			e.giveWaiting(c, other, a, first)
			e.enter(c, w, split)
			return false, nil
		}
	}
	t.waiting = append(t.waiting, tensorWait{e.arrival(pc, lanes.AllLanes), n})
	c.Waiting |= 1 << w.ID
	return true, nil
}

// freeInBoth returns the first of n adjacent columns that are free in the tensor memory of both CTAs of a pair.
func freeInBoth(a, b *tensorMemory, n uint32) (first uint32, ok bool) {
	taken := slices.Concat(a.taken, b.taken)
	sorted.By(taken, columns.compare)
	return free(taken, n)
}

// servePair gives columns to the warps of the pair that wait for as many as are free in both CTAs now, first those
// that have waited longest.
func (e *Engine) servePair() {
	c, w, split := e.cta, e.warp, e.split
	other := c.Cluster.CTAs[c.Rank^1]
	t, theirs := c.hasTensor(), other.hasTensor()
	for len(t.waiting) > 0 && len(theirs.waiting) > 0 {
		a, b := t.waiting[0], theirs.waiting[0]
		first, ok := freeInBoth(t, theirs, a.n)
		if !ok {
			break
		}
		t.waiting, theirs.waiting = slices.Delete(t.waiting, 0, 1), slices.Delete(theirs.waiting, 0, 1)
		e.giveWaiting(c, c, a, first)
		e.giveWaiting(c, other, b, first)
	}
	e.enter(c, w, split)
}
