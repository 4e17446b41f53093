package hazard

import (
	"math/big"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
)

// mostVisits limits the work on intervals: the starts of intervals times blocks.
const mostVisits = 1 << 22

// intervals determines in which intervals instructions are executed. An interval begins at the start of the function
// and after each instruction that synchronises the warps of a CTA, and ends before the next one on every path.
type intervals struct {
	g     *flow.Graph
	syncs [][]int // by block: its PCs that synchronise, ascending
	// entered is, by block, the set of intervals that reach its start.
	entered []big.Int
	begins  map[int]int // by synchronising PC: the interval that begins after it
	starts  []int       // synchronising PCs, by number of their intervals, from 1
}

// findIntervals returns nil if the function is too large. Another call of a function that is not a kernel may follow
// the first without synchronisation.
func findIntervals(g *flow.Graph, entry bool, syncs func(pc int) bool) *intervals {
	blocks := g.Blocks()
	iv := &intervals{g: g, syncs: make([][]int, len(blocks)), entered: make([]big.Int, len(blocks)), begins: make(map[int]int)}
	for b := range blocks {
		for pc := blocks[b].Start; pc < blocks[b].End; pc++ {
			if syncs(pc) {
				iv.syncs[b] = append(iv.syncs[b], pc)
				iv.begins[pc] = len(iv.begins) + 1
				iv.starts = append(iv.starts, pc)
			}
		}
	}
	if (len(iv.begins)+1)*len(blocks) > mostVisits {
		return nil
	}
	iv.flood(0, []int{0}, entry)
	for b, pcs := range iv.syncs {
		if n := len(pcs); n > 0 {
			iv.flood(iv.begins[pcs[n-1]], iv.after(b, entry), entry)
		}
	}
	return iv
}

// after returns the blocks that may follow one.
func (iv *intervals) after(b int, entry bool) []int {
	block := &iv.g.Blocks()[b]
	if len(block.Succ) == 0 && !entry {
		return []int{0}
	}
	return block.Succ
}

// flood marks the blocks that an interval reaches, up to their starts, from the blocks in work.
func (iv *intervals) flood(n int, work []int, entry bool) {
	for work = slices.Clone(work); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if iv.entered[b].Bit(n) == 1 {
			continue
		}
		iv.entered[b].SetBit(&iv.entered[b], n, 1)
		if len(iv.syncs[b]) == 0 {
			work = append(work, iv.after(b, entry)...)
		}
	}
}

// of returns the intervals in which the instruction at pc is executed.
func (iv *intervals) of(pc int) *big.Int {
	last := iv.lastSync(pc)
	if last < 0 {
		return &iv.entered[iv.g.BlockOf(pc)]
	}
	return new(big.Int).SetBit(new(big.Int), iv.begins[last], 1)
}

// lastSync returns the last synchronising instruction before pc in its block; -1 if there is none.
func (iv *intervals) lastSync(pc int) int {
	last := -1
	for _, sync := range iv.syncs[iv.g.BlockOf(pc)] {
		if sync < pc {
			last = sync
		}
	}
	return last
}

// avoiding returns by block whether an interval reaches its start on a path that does not enter a block.
func (iv *intervals) avoiding(n, block int, entry bool) *big.Int {
	work := []int{0}
	if n > 0 {
		work = iv.after(iv.g.BlockOf(iv.beganBehind(n)), entry)
	}
	reached := new(big.Int)
	for work = slices.Clone(work); len(work) > 0; {
		b := work[len(work)-1]
		work = work[:len(work)-1]
		if b == block || reached.Bit(b) == 1 {
			continue
		}
		reached.SetBit(reached, b, 1)
		if len(iv.syncs[b]) == 0 {
			work = append(work, iv.after(b, entry)...)
		}
	}
	return reached
}

// beganBehind returns the instruction after which an interval begins.
func (iv *intervals) beganBehind(n int) int { return iv.starts[n-1] }
