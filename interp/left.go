package interp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
)

// Left is an instruction at which warps left compiled code so often that it took a good part of the launch's time.
type Left struct {
	Func  string
	Pos   isa.Pos
	Text  string // of the instruction
	Times uint64
}

// String returns a line for users.
func (l *Left) String() string {
	return fmt.Sprintf("compiled code was left %d times at: %s", l.Times, l.Text)
}

// A launch is said to leave code at an instruction if that was at least leastLeft times, and took more than the part
// 1/leftShare of its time: an exit with the next entry takes as long as some leftCost instructions in code. Of these
// instructions at most mostLeft are named.
const (
	leastLeft = 10_000
	leftShare = 20
	leftCost  = 40
	mostLeft  = 4
)

// leaves counts that a warp left code at pc, or could not enter it there.
func (n *compiledFunc) leaves(pc int) {
	if n.left == nil {
		n.left = make([]uint64, len(n.hints))
	}
	n.left[pc]++
}

// takeLeft adds the counts of another engine, and resets them.
func (e *Engine) takeLeft(other *Engine) {
	for i := range other.native.funcs {
		from := &other.native.funcs[i]
		if from.left == nil {
			continue
		}
		if e.native.left == nil {
			e.native.left = make([][]uint64, len(e.p.Funcs))
		}
		e.native.left[i] = sumOf(e.native.left[i], from.left)
		from.left = nil
	}
}

// sumOf returns the sums of the elements of a and b, in the memory of one of them. One may be nil.
func sumOf(a, b []uint64) []uint64 {
	if a == nil {
		return b
	}
	for i, n := range b {
		a[i] += n
	}
	return a
}

// Left returns the instructions at which the launch left code most often, if that took much of its time. Returns, where
// warps end and where they wait at barriers do not count: that is the same for all code.
func (e *Engine) Left() (all []Left) {
	e.takeLeft(e)
	for i, left := range e.native.left {
		f := e.p.Funcs[i]
		for pc, n := range left {
			if n < leastLeft || n*leftCost*leftShare < e.Stats.WarpInstrs || pc >= len(f.Src.Code) {
				continue
			}
			if k := isa.Kind(f.Ops[pc].Kind); k == isa.Exit || k == isa.Barrier || k == isa.Return {
				continue
			}
			all = append(all, Left{f.Src.Name, f.Src.Code[pc].Pos, f.Src.Text(pc), n})
		}
	}
	slices.SortStableFunc(all, func(a, b Left) int { return cmp.Compare(b.Times, a.Times) })
	return all[:min(len(all), mostLeft)]
}
