package check

import (
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// groupWarps is the warps of a warpgroup.
const groupWarps = 4

// products is the state of a warp for the products of its warpgroup.
type products struct {
	groups int // groups that the warp has made
	waited int // number of these that it has waited for
	first  int // number of the first group in clocks
	clocks []vectorClock
}

// orderProducts orders the products of warpgroups. A product, with everything that it reads from shared memory, is
// done for each warp of the warpgroup that has waited for it, whichever warp read it here. So what a warp did before
// it made a group of products happens before what the others do after their wait for that group. This is more than
// PTX guarantees, which speaks only of the products.
func (w *warp) orderProducts(in *isa.Instr) {
	p := &w.products
	switch in.Mods[isa.WarpgroupG] {
	case isa.WarpgroupCommit:
		v := w.groups[0].clock
		for _, g := range w.groups[1:] {
			v = joinVectorClocks(v, g.clock)
		}
		v.cta = v.cta.with(w.number, len(w.cta.warps), v.cta.warp(w.number).with(w.live, w.epoch, w.threads))
		w.nextEpoch()
		p.groups++
		p.clocks = append(p.clocks, v)
	case isa.WarpgroupWait:
		if n := p.groups - int(in.Args[0].Bits); n > p.waited {
			p.waited = n
			w.awaitProducts()
		}
	}
}

// awaitProducts makes the lanes of the warp acquire what the warps of its warpgroup released when they made the
// latest group that the warp has waited for.
func (w *warp) awaitProducts() {
	first := w.number &^ (groupWarps - 1)
	all, least := w.cta.warps[first:first+groupWarps], w.products.waited
	for _, other := range all {
		other.pending = slices.DeleteFunc(other.pending, func(p pendingCopy) bool { return p.kind == productMatrix && p.group[0] < int64(w.products.waited) })
	}
	for _, other := range all {
		p := &other.products
		v := p.clocks[w.products.waited-1-p.first]
		for _, g := range append([]group(nil), w.groups...) {
			joined := joinVectorClocks(g.clock, v)
			w.setClock(g.lanes, &joined)
		}
		least = min(least, p.waited)
	}
	for _, other := range all { // no warp will need groups before the least any more
		p := &other.products
		p.clocks = append(p.clocks[:0], p.clocks[least-p.first:]...)
		p.first = least
	}
}
