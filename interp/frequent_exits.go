package interp

import (
	"cmp"
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/source"
)

// Left is an instruction at which warps left compiled code so often that it took a good part of the launch's time, or
// at which they would leave it.
type Left struct {
	Func  string
	Place source.Place
	Text  string // of the instruction
	Times uint64 // 0 if they would leave it
	Why   string
}

// String returns a line for users.
func (l *Left) String() string {
	if l.Times == 0 {
		return fmt.Sprintf("compiled code leaves this to the interpreter: %s (%s)", l.Text, l.Why)
	}
	return fmt.Sprintf("compiled code was left %s at: %s (%s)", counted(l.Times, "time"), l.Text, l.Why)
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

// leftAt is an instruction of a function, by their numbers.
type leftAt struct{ fn, pc int }

// leaves counts that a warp left code at pc, or could not enter it there.
func (n *compiledFunc) leaves(pc int) {
	if n.left == nil {
		n.left = make([]uint64, n.size())
	}
	if at := uint(pc - n.part.First); at < uint(len(n.left)) { // else it goes on in another part
		n.left[at]++
	}
}

// size returns the number of instructions of the function, or of the part.
func (n *compiledFunc) size() int {
	if n.part == (native.Part{}) {
		return n.instrs
	}
	return n.part.End - n.part.First
}

// takeLeft adds the counts of another engine, and resets them.
func (e *Engine) takeLeft(other *Engine) {
	for i := range other.native.funcs {
		f := &other.native.funcs[i]
		e.takeLeftOf(i, f)
		for k := range f.parts {
			e.takeLeftOf(i, &f.parts[k])
		}
	}
}

func (e *Engine) takeLeftOf(fn int, f *compiledFunc) {
	for i, n := range f.left {
		if n == 0 {
			continue
		}
		if e.native.left == nil {
			e.native.left = make(map[leftAt]uint64)
		}
		e.native.left[leftAt{fn, f.part.First + i}] += n
		f.left[i] = 0
	}
}

// leftOften reports whether code may have been left so often that it is worth a look where.
func (e *Engine) leftOften() bool {
	if len(e.native.left) > 0 {
		return true
	}
	sum := uint64(0)
	for i := range e.native.funcs {
		f := &e.native.funcs[i]
		sum += f.timesLeft()
		for k := range f.parts {
			sum += f.parts[k].timesLeft()
		}
	}
	return sum >= leastLeft
}

// timesLeft sums the counts of f.
func (f *compiledFunc) timesLeft() (sum uint64) {
	for _, n := range f.left {
		sum += n
	}
	return sum
}

// Leaves returns the instructions that compiled code leaves to the Go loop in a launch like this one without a clock
// and without observers, in the order of functions and PCs; nil if nothing is compiled. Their Times are 0.
func (g *Grid) Leaves() (all []Left) {
	if g.m.cfg.lanes() == jit.None || g.m.cfg.Compile == CompileNever {
		return nil
	}
	for _, f := range g.p.Funcs {
		key := nativeKey{f: f, shape: native.ShapeOf(g.Launch.Block), level: g.m.cfg.lanes(), leave: g.contention}
		why, err := g.m.code.natives.left(g.p, key)
		for pc := range f.Src.Code {
			if err != nil {
				all = append(all, Left{f.Src.Name, source.At(f.Src, pc), f.Src.Text(pc), 0, err.Error()})
			} else if why[pc] != "" {
				all = append(all, Left{f.Src.Name, source.At(f.Src, pc), f.Src.Text(pc), 0, why[pc]})
			}
		}
	}
	return all
}

// whyLeft returns why warps left code at pc of f.
func (e *Engine) whyLeft(f *program.Func, pc int) string {
	if all, err := e.m.code.natives.left(e.p, e.native.keyOf(f, native.Part{})); err == nil && all[pc] != "" {
		return all[pc]
	}
	if f.Info[pc].Image != nil {
		return "lanes use several textures there or one after the other, or code does not read such a texture"
	}
	return "lanes diverge there, or the check of an access that follows fails"
}

// Left returns the instructions at which the launch left code most often, if that took much of its time. Returns, where
// warps end and where they wait at barriers do not count: that is the same for all code.
func (e *Engine) Left() (all []Left) {
	if !e.leftOften() {
		return nil
	}
	e.takeLeft(e)
	for at, n := range e.native.left {
		f, pc := e.p.Funcs[at.fn], at.pc
		if n < leastLeft || n*leftCost*leftShare < e.Stats.WarpInstrs || pc >= len(f.Src.Code) {
			continue
		}
		if k := isa.Kind(f.Ops[pc].Kind); k == isa.Exit || k == isa.Barrier || k == isa.Return {
			continue
		}
		all = append(all, Left{f.Src.Name, source.At(f.Src, pc), f.Src.Text(pc), n, e.whyLeft(f, pc)})
	}
	sorted.By(all, func(a, b Left) int {
		p, q := a.Place.Code, b.Place.Code
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Func, b.Func), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return all[:min(len(all), mostLeft)]
}
