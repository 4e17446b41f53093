package flow

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// LiveIn returns the registers that are live at the start of f, which has graph g: some path reads them before it
// writes them, or returns them without having written them. They must start with a known value, because otherwise a
// run would depend on the frame that used their slots before.
//
// Only a register that some block reads before it writes it can be among them. These are handled 64 at a time, so
// that memory is linear in the code.
func (g *Graph) LiveIn() []isa.RegID {
	var liveIn []isa.RegID
	g.live(func(regs []isa.RegID, l *liveness) {
		for in := l.live[0]; in != 0; in &= in - 1 {
			liveIn = append(liveIn, regs[bits.TrailingZeros64(in)])
		}
	})
	slices.Sort(liveIn)
	return liveIn
}

// LiveAtLoops returns the registers of f, which has graph g, that are live at targets of retreating branches, by PC:
// some path from there reads them before it writes them, or returns them. The values of other registers there have no
// effect.
func (g *Graph) LiveAtLoops() map[int][]isa.RegID {
	at := make(map[int][]isa.RegID)
	for b := range g.blocks {
		if g.closesLoop(b) {
			at[g.blocks[b].Start] = nil
		}
	}
	g.live(func(regs []isa.RegID, l *liveness) {
		for pc, ids := range at {
			for in := l.live[g.blockOf[pc]]; in != 0; in &= in - 1 {
				ids = append(ids, regs[bits.TrailingZeros64(in)])
			}
			at[pc] = ids
		}
	})
	for _, ids := range at {
		slices.Sort(ids)
	}
	return at
}

// closesLoop reports whether a retreating branch can lead to block b; falling through always goes forward.
func (g *Graph) closesLoop(b int) bool {
	return slices.ContainsFunc(g.blocks[b].Pred, func(p int) bool { return p >= b })
}

// live finds where the registers of f are live, and visits them in batches of up to 64. It leaves out registers that
// every block writes before it reads them, because these are not live at the start of any block.
func (g *Graph) live(visit func(regs []isa.RegID, l *liveness)) {
	e := &g.exposed
	l := liveness{blocks: g.blocks, kill: make([]uint64, len(g.blocks)), live: make([]uint64, len(g.blocks))}
	for first := 0; first < len(e.regs); first += 64 {
		batch := min(64, len(e.regs)-first)
		for i := range batch {
			l.add(1<<i, e.reads[first+i], e.writes[first+i])
		}
		l.solve()
		visit(e.regs[first:first+batch], &l)
		l.clear()
	}
}

// liveness finds where up to 64 registers are live, one bit per register.
type liveness struct {
	blocks  []Block
	kill    []uint64 // by block: registers that it writes on every path, in all its lanes
	live    []uint64 // by block: registers that are live at its start
	work    []int32  // blocks with a grown live
	touched []int32  // blocks with a nonzero live
	killing []int32  // blocks with a nonzero kill
}

// add adds a register, with the blocks that read it before writing it and those that kill it.
func (l *liveness) add(bit uint64, reads, writes []int32) {
	for _, b := range writes {
		l.kill[b] |= bit
		l.killing = append(l.killing, b)
	}
	for _, b := range reads {
		l.grow(b, bit)
	}
}

func (l *liveness) grow(b int32, bits uint64) {
	if l.live[b] == 0 {
		l.touched = append(l.touched, b)
	}
	l.live[b] |= bits
	l.work = append(l.work, b)
}

// solve propagates liveness backwards: a register that is live at the start of a block is live at the end of its
// predecessors, and at their start unless they kill it.
func (l *liveness) solve() {
	for len(l.work) > 0 {
		b := l.work[len(l.work)-1]
		l.work = l.work[:len(l.work)-1]
		for _, p := range l.blocks[b].Pred {
			if more := l.live[b] &^ l.kill[p] &^ l.live[p]; more != 0 {
				l.grow(int32(p), more)
			}
		}
	}
}

func (l *liveness) clear() {
	for _, b := range l.touched {
		l.live[b] = 0
	}
	for _, b := range l.killing {
		l.kill[b] = 0
	}
	l.touched, l.killing = l.touched[:0], l.killing[:0]
}

// exposed has the registers that some block reads before it writes them, and by index in regs the blocks that do, and
// those that write the register in all their lanes.
type exposed struct {
	regs          []isa.RegID
	reads, writes [][]int32
}

// exposures finds the exposed registers of a function.
type exposures struct {
	exposed
	fn      *isa.Func
	g       *Graph
	results []isa.RegID // registers that the caller reads when fn returns
	number  []int32     // by register: its index in regs, from 1; 0 if it is not there
	// By register: the latest block that reads it before writing it, or that writes it, from 1.
	read, written []int32
}

func findExposed(g *Graph, f *isa.Func) exposed {
	memory := make([]int32, 3*len(f.Regs))
	e := exposures{fn: f, g: g, results: f.RegsOf(f.Returns)}
	e.number, e.read, e.written = memory[:len(f.Regs)], memory[len(f.Regs):2*len(f.Regs)], memory[2*len(f.Regs):]
	for b := range g.blocks {
		e.findReads(int32(b))
	}
	e.writes = make([][]int32, len(e.regs))
	if len(e.regs) > 0 {
		clear(e.written)
		e.findWrites()
	}
	return e.exposed
}

// findReads finds the registers that a block reads before it writes them in all lanes.
func (e *exposures) findReads(b int32) {
	block := &e.g.blocks[b]
	for pc := block.Start; pc < block.End; pc++ {
		for _, ref := range e.g.Refs(pc) {
			switch writes := ref.Role.Writes(); {
			case writes && ref.Sure:
				e.written[ref.Reg] = b + 1
			case !writes:
				e.reading(ref.Reg, b)
			}
		}
		if e.fn.Code[pc].Is(isa.Return) {
			e.returning(b)
		}
	}
	if block.Start == len(e.fn.Code) { // the end of the code returns, too
		e.returning(b)
	}
}

func (e *exposures) reading(r isa.RegID, b int32) {
	if e.written[r] == b+1 || e.read[r] == b+1 {
		return
	}
	e.read[r] = b + 1
	if e.number[r] == 0 {
		e.regs, e.reads = append(e.regs, r), append(e.reads, nil)
		e.number[r] = int32(len(e.regs))
	}
	of := &e.reads[e.number[r]-1]
	*of = append(*of, b)
}

// returning is for the results that the block has not written when it returns.
func (e *exposures) returning(b int32) {
	for _, r := range e.results {
		e.reading(r, b)
	}
}

// findWrites finds the blocks that write exposed registers in all lanes.
func (e *exposures) findWrites() {
	for b := range e.g.blocks {
		block := &e.g.blocks[b]
		for pc := block.Start; pc < block.End; pc++ {
			for _, ref := range e.g.Refs(pc) {
				n := e.number[ref.Reg]
				if n == 0 || !ref.Sure || !ref.Role.Writes() || e.written[ref.Reg] == int32(b)+1 {
					continue
				}
				e.written[ref.Reg] = int32(b) + 1
				e.writes[n-1] = append(e.writes[n-1], int32(b))
			}
		}
	}
}
