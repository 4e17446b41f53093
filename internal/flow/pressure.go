package flow

import (
	"math/bits"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Pressure returns the register pressure of f, which has graph g: the maximum number of 32-bit registers that are
// live at one point of its code. A value of 64 bits takes two, a predicate none. A result may use the register of a
// source that is not read any more, and takes a register even if nothing reads it. Registers for which free is true
// are not counted; nil means none.
func (g *Graph) Pressure(f *isa.Func, free []bool) int {
	return slices.Max(g.pressures(f, free))
}

// Live returns by PC the number of live 32-bit registers directly before or directly after the instruction, whichever
// is more, as Pressure counts them; 0 for unreachable code.
func (g *Graph) Live(f *isa.Func, free []bool) []int {
	return g.pressures(f, free)[:len(f.Code)]
}

// pressures returns the pressure by PC, and for the end of the code.
func (g *Graph) pressures(f *isa.Func, free []bool) []int {
	p := pressure{g: g, f: f, weight: make([]int8, len(f.Regs)), out: make([]int, len(g.blocks)), outHere: make([][]isa.RegID, len(g.blocks)),
		live: make([]bool, len(f.Regs)), at: make([]int, len(f.Code)+1)}
	for r := range f.Regs {
		if t := f.Regs[r].Type; t != isa.Pred && (free == nil || !free[r]) {
			p.weight[r] = int8((t.Bits() + 31) / 32)
		}
	}
	p.findOut()
	for b := range g.blocks {
		if g.region[b] != unreachable {
			p.block(b)
		}
	}
	return p.at
}

// pressure computes how many registers are live at once.
type pressure struct {
	g       *Graph
	f       *isa.Func
	weight  []int8        // by register: the 32-bit registers that it takes
	out     []int         // by block: 32-bit registers that are live at its end
	outHere [][]isa.RegID // by block: those of its registers that are live at its end
	live    []bool        // by register that occurs in the present block: whether it is live at the present point
	marked  []isa.RegID   // registers that were live somewhere in the present block; some of them several times
	at      []int         // by PC, and for the end of the code: live registers before or after it
}

// findOut finds the registers that are live at the ends of blocks.
func (p *pressure) findOut() {
	if len(p.g.exposed.regs) == 0 {
		return
	}
	occurs := p.occurrences()
	outs := make([]uint64, len(p.g.blocks)) // by block: registers of the batch that are live at its end
	var ending []int                        // blocks with nonzero outs
	first := 0                              // index of the batch's first register
	p.g.live(func(regs []isa.RegID, l *liveness) {
		var weights [3]uint64 // by bit of the weight: registers of the batch with that bit
		for i, r := range regs {
			for k := range weights {
				weights[k] |= uint64(p.weight[r]>>k&1) << i
			}
		}
		for _, b := range l.touched {
			for _, before := range p.g.blocks[b].Pred {
				if outs[before] == 0 {
					ending = append(ending, before)
				}
				outs[before] |= l.live[b]
			}
		}
		for i, r := range regs {
			for _, b := range occurs[first+i] {
				if outs[b]>>i&1 != 0 {
					p.outHere[b] = append(p.outHere[b], r)
				}
			}
		}
		for _, b := range ending {
			for k := range weights {
				p.out[b] += bits.OnesCount64(outs[b]&weights[k]) << k
			}
			outs[b] = 0
		}
		ending, first = ending[:0], first+len(regs)
	})
}

// occurrences returns the blocks in which each exposed register occurs, by its index in exposed.regs. No register is
// live at the end of a block but these.
func (p *pressure) occurrences() [][]int32 {
	number := make([]int32, len(p.f.Regs)) // by register: its index, from 1
	for i, r := range p.g.exposed.regs {
		number[r] = int32(i) + 1
	}
	occurs := make([][]int32, len(p.g.exposed.regs))
	for b := range p.g.blocks {
		for pc := p.g.blocks[b].Start; pc < p.g.blocks[b].End; pc++ {
			for _, ref := range p.g.Refs(pc) {
				if number[ref.Reg] == 0 {
					continue
				}
				of := &occurs[number[ref.Reg]-1]
				if n := len(*of); n == 0 || (*of)[n-1] != int32(b) {
					*of = append(*of, int32(b))
				}
			}
		}
	}
	return occurs
}

// block computes how many registers are live at each instruction of block b.
func (p *pressure) block(b int) {
	count := p.out[b]
	p.marked = append(p.marked[:0], p.outHere[b]...)
	for _, r := range p.marked {
		p.live[r] = true
	}
	block := &p.g.blocks[b]
	if block.Start == len(p.f.Code) {
		p.at[block.Start] = count
	}
	for pc := min(block.End, len(p.f.Code)) - 1; pc >= block.Start; pc-- {
		refs := p.g.Refs(pc)
		behind := count
		for _, ref := range refs {
			if !ref.Role.Writes() {
				continue
			}
			if w := int(p.weight[ref.Reg]); !p.live[ref.Reg] {
				behind += w
			} else if ref.Sure {
				p.live[ref.Reg] = false
				count -= w
			}
		}
		for _, ref := range refs {
			if !ref.Role.Writes() && !p.live[ref.Reg] {
				p.live[ref.Reg] = true
				p.marked = append(p.marked, ref.Reg)
				count += int(p.weight[ref.Reg])
			}
		}
		p.at[pc] = max(behind, count)
	}
	for _, r := range p.marked {
		p.live[r] = false
	}
}
