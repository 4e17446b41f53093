package interp

import (
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// liveness is the set of registers of a function that are live before each instruction: those of other registers
// may differ. It is found instruction by instruction, and not by the analysis that the compiler uses.
type liveness struct {
	f      *program.Func
	words  int              // of a set, with a bit for each register
	blocks [][]uint64       // by block: live at its start
	at     map[int][]uint64 // by PC, for PCs that were needed
}

// liveAt returns the registers that are live before the instruction at pc of the executing function.
func (v *verifier) liveAt(pc int) []uint64 {
	l := v.live[v.e.fn]
	if l == nil {
		l = newLiveness(v.e.fn)
		v.live[v.e.fn] = l
	}
	set, known := l.at[pc]
	if !known {
		set = make([]uint64, l.words)
		l.before(set, pc)
		l.at[pc] = set
	}
	return set
}

func newLiveness(f *program.Func) *liveness {
	blocks := f.Graph.Blocks()
	l := &liveness{f: f, words: (len(f.Src.Regs) + 63) / 64, blocks: make([][]uint64, len(blocks)), at: make(map[int][]uint64)}
	for b := range blocks {
		l.blocks[b] = make([]uint64, l.words)
	}
	set := make([]uint64, l.words)
	for changed := true; changed; {
		changed = false
		for b := len(blocks) - 1; b >= 0; b-- {
			clear(set)
			l.before(set, blocks[b].Start)
			for i, w := range set {
				if w&^l.blocks[b][i] != 0 {
					l.blocks[b][i] |= w
					changed = true
				}
			}
		}
	}
	return l
}

// before adds the registers that are live before pc to an empty set.
func (l *liveness) before(set []uint64, pc int) {
	block := &l.f.Graph.Blocks()[l.f.Graph.BlockOf(pc)]
	for _, next := range block.Succ {
		for i, w := range l.blocks[next] {
			set[i] |= w
		}
	}
	code := l.f.Src.Code
	if block.End > len(code) {
		l.addResults(set)
	}
	for at := min(block.End, len(code)) - 1; at >= pc; at-- {
		for ref := range code[at].Refs {
			if ref.Role.Writes() && ref.Sure {
				set[ref.Reg/64] &^= 1 << (ref.Reg % 64)
			}
		}
		for ref := range code[at].Refs {
			if !ref.Role.Writes() {
				set[ref.Reg/64] |= 1 << (ref.Reg % 64)
			}
		}
		if code[at].Is(isa.Return) {
			l.addResults(set)
		}
	}
}

// addResults adds the registers that the function returns.
func (l *liveness) addResults(set []uint64) {
	for _, r := range l.f.Src.RegsOf(l.f.Src.Returns) {
		set[r/64] |= 1 << (r % 64)
	}
}
