package cost

import (
	"math"

	"github.com/simtrun/simtrun/internal/isa"
)

// match says which blocks of machine code do the work of which blocks of the PTX; either may be none.
type match struct {
	ptx, ptxEnd   int
	code, codeEnd int
	loop          int // the block of the machine code that is the loop of the PTX; -1 if none is
	copies        int // iterations of the PTX in one of that loop
}

// widest is how many blocks of both sides can belong to a match, if there are several on each. One block can belong to
// mostForOne blocks of the other side: an assembler guards instructions in place of branches over them. In large
// functions, for which the product of the numbers of blocks is above largeFunction, it is narrow for both.
const (
	widest        = 8
	mostForOne    = 64
	narrow        = 4
	largeFunction = 20_000
)

// weightOf returns how much it counts that blocks have the same number of instructions of a class.
func weightOf(c isa.CostClass) float64 {
	switch c {
	case isa.CostInteger, isa.CostProduct, isa.CostProductWide, isa.CostBranch, isa.CostWarpSync, isa.CostLoadConstant, isa.CostUniformConstant:
		return 1
	case isa.CostLoadGlobal, isa.CostStoreGlobal, isa.CostLoadShared, isa.CostStoreShared, isa.CostAtomicGlobal, isa.CostReductionGlobal, isa.CostAtomicShared, isa.CostTexture, isa.CostStoreSurface, isa.CostExit:
		return 6
	case isa.CostCTABarrier:
		return 10
	}
	return 3
}

// tally counts instructions by class.
type tally [isa.NumCostClasses]int

func (t *tally) add(o *tally) {
	for c := range t {
		t[c] += o[c]
	}
}

// anchors returns the number of instructions that are not of the classes that assemblers add and leave out.
func (t *tally) anchors() (n int) {
	for c, k := range t {
		if weightOf(isa.CostClass(c)) > 1 {
			n += k
		}
	}
	return n
}

// align returns the matches of all blocks, in order, with the best sum of scores.
func (a *assembling) align() []match {
	ptx, code := a.tallies()
	n, m := len(ptx), len(code)
	several, one := widest, mostForOne
	if n*m > largeFunction {
		several, one = narrow, narrow
	}
	best := make([][]float64, n+1)
	from := make([][]match, n+1)
	for i := range best {
		best[i], from[i] = make([]float64, m+1), make([]match, m+1)
		for j := range best[i] {
			best[i][j] = math.Inf(-1)
		}
	}
	best[0][0] = 0
	for i := range best {
		for j := range best[i] {
			for p := max(0, i-one); p <= i; p++ {
				for c := max(0, j-one); c <= j; c++ {
					if p == i && c == j || math.IsInf(best[p][c], -1) || i-p > 1 && j-c > 1 && i-p+j-c > several {
						continue
					}
					g := match{p, i, c, j, -1, 1}
					if score := best[p][c] + a.score(&g, ptx, code); score > best[i][j] {
						best[i][j], from[i][j] = score, g
					}
				}
			}
		}
	}
	var all []match
	for i, j := n, m; i > 0 || j > 0; {
		g := from[i][j]
		all = append([]match{g}, all...)
		i, j = g.ptx, g.code
	}
	return all
}

// tallies returns the tally of each block of the PTX, and of each of the machine code.
func (a *assembling) tallies() (ptx, code []tally) {
	ptx, code = make([]tally, len(a.units)), make([]tally, len(a.blocks))
	for b, units := range a.units {
		for _, u := range units {
			ptx[b][workOf(a.f, u.pc, u.class)]++
		}
	}
	for b, block := range a.blocks {
		for i := block.Start; i < block.End; i++ {
			code[b][a.code.Instrs[i].Work]++
		}
	}
	return ptx, code
}

// score returns how well the blocks of a match fit, and sets its loop and copies.
func (a *assembling) score(g *match, ptx, code []tally) float64 {
	var of, by tally
	for b := g.ptx; b < g.ptxEnd; b++ {
		of.add(&ptx[b])
	}
	for b := g.code; b < g.codeEnd; b++ {
		by.add(&code[b])
		if a.blocks[b].Loops && (g.loop < 0 || code[b].anchors() > code[g.loop].anchors()) {
			g.loop = b
		}
	}
	loop := g.ptxEnd-g.ptx == 1 && a.loopAt(g.ptx) != nil
	sum := -0.5 * float64(max(0, g.ptxEnd-g.ptx-1)+max(0, g.codeEnd-g.code-1))
	if g.ptxEnd == g.ptx {
		sum = -float64(g.codeEnd - g.code)
	}
	if loop && g.loop >= 0 {
		by = code[g.loop]
		g.copies = copiesIn(&of, &by)
		for c := range of {
			if c != int(isa.CostBranch) {
				of[c] *= g.copies
			}
		}
	} else if g.loop >= 0 && g.ptxEnd > g.ptx {
		sum -= 5 // a loop of the machine code is not one of the PTX
	}
	if g.ptxEnd == g.ptx {
		return sum
	}
	for c := range of {
		w := weightOf(isa.CostClass(c))
		sum += w * float64(min(of[c], by[c]))
		if g.ptxEnd > g.ptx && g.codeEnd > g.code {
			sum -= 0.5 * w * math.Abs(float64(of[c]-by[c]))
		}
	}
	return sum + a.lines(g)
}

// copiesIn returns how many copies of a loop's instructions machine code has.
func copiesIn(of, by *tally) int {
	mine, theirs := of.anchors(), by.anchors()
	if mine == 0 {
		for c := range of {
			mine += of[c]
			theirs += by[c]
		}
	}
	return max(1, (2*theirs+mine)/(2*max(mine, 1)))
}

// lines returns a score for line information: how many instructions of the machine code come from lines of the PTX
// blocks.
func (a *assembling) lines(g *match) (sum float64) {
	if g.ptxEnd == g.ptx {
		return 0
	}
	for b := g.code; b < g.codeEnd; b++ {
		for i := a.blocks[b].Start; i < a.blocks[b].End; i++ {
			in := &a.code.Instrs[i]
			if len(in.Lines) == 0 {
				continue
			}
			sum--
			for p := a.g.Blocks()[g.ptx].Start; p < min(a.g.Blocks()[g.ptxEnd-1].End, len(a.f.Code)); p++ {
				if mayComeFrom(a.f, in, p) {
					sum += 3
					break
				}
			}
		}
	}
	return sum
}
