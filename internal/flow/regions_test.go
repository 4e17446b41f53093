package flow

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/flowcode"
	"github.com/simtrun/simtrun/internal/isa"
)

// graphCode makes code of data: an instruction for each byte, with targets from the bytes after it. The graph has no
// meaning; all shapes are possible.
func graphCode(data []byte) *isa.Func {
	const longest = 24
	data = data[:min(len(data), longest)]
	b := flowcode.NewBuilder()
	label := func(i int) string { return fmt.Sprint("L", i) }
	target := func(i int) string { return label(int(data[i%len(data)]>>3) % (len(data) + 1)) }
	for i, c := range data {
		b.Place(label(i))
		switch c % 8 {
		case 0, 1:
			b.Emit(isa.NoReg, false, "op")
		case 2:
			b.Emit(0, false, "exit")
		case 3:
			b.Emit(isa.NoReg, false, "exit")
		case 4:
			b.Emit(isa.NoReg, false, "bra", target(i))
		case 5:
			b.Emit(isa.NoReg, false, "bra", target(i), target(i+1), target(i+2))
		default:
			b.Emit(0, false, "bra", target(i))
		}
	}
	b.Place(label(len(data)))
	b.Finish()
	return b.Func
}

// reference finds regions and postdominators from their definitions, for single
// instructions instead of blocks.
type reference struct {
	succ   [][]int // by PC, including the end of the code
	region []int   // number from 0; -1 if unreachable
	ipdom  []int   // a PC or None
}

func newReference(f *isa.Func) *reference {
	n := len(f.Code) + 1
	r := &reference{make([][]int, n), make([]int, n), make([]int, n)}
	for pc := range f.Code {
		in := &f.Code[pc]
		r.succ[pc] = targets(f, in)
		if in.Guard != isa.NoReg || in.Spec == nil {
			r.succ[pc] = append(r.succ[pc], pc+1)
		}
	}
	left := r.reachable(0, func(int) bool { return true })
	for pc := range r.region {
		r.region[pc], r.ipdom[pc] = -1, None
	}
	for k := 0; len(left) > 0; k++ {
		sink := r.chooseSink(left)
		for pc := range left {
			if r.reaches(pc, sink) {
				r.region[pc] = k
				delete(left, pc)
			}
		}
		r.postdominate(k, sink)
	}
	return r
}

// reachable returns the nodes for which in holds that can be reached from a over such nodes.
func (r *reference) reachable(a int, in func(int) bool) map[int]bool {
	seen := map[int]bool{}
	todo := []int{a}
	for len(todo) > 0 {
		pc := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if in(pc) && !seen[pc] {
			seen[pc] = true
			todo = append(todo, r.succ[pc]...)
		}
	}
	return seen
}

func (r *reference) reaches(a, b int) bool {
	return r.reachable(a, func(int) bool { return true })[b]
}

// chooseSink returns the exit that most nodes of left lead to, or else the last of left.
func (r *reference) chooseSink(left map[int]bool) int {
	sink, most, last := -1, 0, -1
	for pc := range r.succ {
		if !left[pc] {
			continue
		}
		last = pc
		n := 0
		for from := range left {
			if r.reaches(from, pc) {
				n++
			}
		}
		if len(r.succ[pc]) == 0 && n >= most {
			sink, most = pc, n
		}
	}
	if sink < 0 {
		return last
	}
	return sink
}

// postdominate finds the postdominators in region k: d postdominates pc if the sink cannot be reached from pc without
// it.
func (r *reference) postdominate(k, sink int) {
	postdominators := func(pc int) map[int]bool {
		ds := map[int]bool{}
		for d := range r.region {
			without := func(at int) bool { return at != d && r.region[at] == k }
			if d != pc && r.region[d] == k && !r.reachable(pc, without)[sink] {
				ds[d] = true
			}
		}
		return ds
	}
	for pc := range r.region {
		if r.region[pc] != k || pc == sink {
			continue
		}
		ds := postdominators(pc)
		for d := range ds {
			// The immediate one is postdominated by all the others. The sink has none, whatever follows it.
			above := map[int]bool{}
			if d != sink {
				above = postdominators(d)
			}
			above[d] = true
			if cmp.Equal(above, ds) {
				r.ipdom[pc] = d
			}
		}
	}
}

func checkAgainstReference(t *testing.T, f *isa.Func) {
	t.Helper()
	g := New(f)
	want := newReference(f)
	for pc := range f.Code {
		if !f.Code[pc].Is(isa.Branch) || want.region[pc] < 0 {
			continue
		}
		if g.Reconvergence(pc) != want.ipdom[pc] {
			t.Fatalf("Reconvergence(%d) = %d, want %d, in\n%s", pc, g.Reconvergence(pc), want.ipdom[pc], flowcode.Listing(f))
		}
		for _, to := range want.succ[pc] {
			if got, want := g.Leaves(pc, to), want.region[to] > want.region[pc]; got != want {
				t.Fatalf("Leaves(%d, %d) = %v, want %v, in\n%s", pc, to, got, want, flowcode.Listing(f))
			}
		}
	}
}

func TestRandomGraphsMatchReference(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 1500 {
		data := make([]byte, 1+rnd.IntN(20))
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		checkAgainstReference(t, graphCode(data))
	}
}

func FuzzNew(f *testing.F) {
	f.Add([]byte{0x26, 0, 3})
	f.Add([]byte{0x27, 0x1d, 0x2f, 5, 4, 6})
	f.Fuzz(func(t *testing.T, data []byte) { checkAgainstReference(t, graphCode(data)) })
}

// TestBoundsAreAtLeastWeights: bounds on the weights of exits are at least the weights, on random graphs. In a chain
// in which check i of n leads to trap i or to the next check, one walk finds all weights.
func TestBoundsAreAtLeastWeights(t *testing.T) {
	const n = 150
	b := flowcode.NewBuilder()
	for i := range n {
		b.Emit(0, false, "bra", fmt.Sprint("T", i))
	}
	b.Emit(isa.NoReg, false, "exit")
	for i := range n {
		b.Place(fmt.Sprint("T", i))
		b.Emit(isa.NoReg, false, "exit")
	}
	b.Finish()
	s := waitingSinks(New(b.Func).Blocks())
	s.boundOthers(s.postorder(n, s.pred))
	for i := range n {
		if trap := n + 1 + i; s.bound[trap] != i+2 || !s.known[trap] {
			t.Errorf("trap %d: bound %d, known %v; it is behind %d checks", i, s.bound[trap], s.known[trap], i+1)
		}
	}
	rnd := rand.New(rand.NewPCG(3, 4))
	for range 1500 {
		data := make([]byte, 1+rnd.IntN(24))
		for i := range data {
			data[i] = byte(rnd.Uint32())
		}
		f := graphCode(data)
		s := waitingSinks(New(f).Blocks())
		var sinks []int
		for _, list := range s.waiting {
			sinks = append(sinks, list...)
		}
		for _, from := range sinks {
			s.boundOthers(s.postorder(from, s.pred))
			for _, sink := range sinks {
				if weight := s.weigh(s.postorder(sink, s.pred)); s.bound[sink] < weight || s.known[sink] && s.bound[sink] != weight {
					t.Fatalf("block %d: bound %d, known %v, weight %d, in\n%s", sink, s.bound[sink], s.known[sink], weight, flowcode.Listing(f))
				}
			}
		}
	}
}

// waitingSinks returns the exits of a graph before any region is made.
func waitingSinks(blocks []Block) *sinks {
	r := newRegions(blocks)
	return newSinks(r, r.markReachable())
}

// TestManyBlocksAreSearchedFast has code on which an inefficient search would take long. The branch at PC 0 reconverges
// at the given PC.
func TestManyBlocksAreSearchedFast(t *testing.T) {
	const n = 10_000
	for _, tt := range []struct {
		name string
		code func(b *flowcode.Builder)
		at   int
	}{
		{"chain of ifs", func(b *flowcode.Builder) {
			for i := range n {
				j := fmt.Sprint("J", i)
				b.Emit(0, false, "bra", j)
				b.Emit(isa.NoReg, false, "op")
				b.Place(j)
			}
		}, 2},
		{"nested ifs", func(b *flowcode.Builder) {
			for i := range n {
				b.Emit(0, false, "bra", fmt.Sprint("J", i))
			}
			for i := n - 1; i >= 0; i-- {
				b.Place(fmt.Sprint("J", i))
				b.Emit(isa.NoReg, false, "op")
			}
		}, 2*n - 1},
		{"nested loops", func(b *flowcode.Builder) {
			b.Emit(0, false, "bra", "X")
			for i := range n {
				b.Place(fmt.Sprint("H", i))
				b.Emit(isa.NoReg, false, "op")
			}
			for i := n - 1; i >= 0; i-- {
				b.Emit(0, false, "bra", fmt.Sprint("H", i))
			}
			b.Place("X")
			b.Emit(isa.NoReg, false, "exit")
		}, 2*n + 1},
		{"a trap for each check", func(b *flowcode.Builder) {
			for i := range n {
				b.Emit(0, false, "bra", fmt.Sprint("T", i))
			}
			b.Emit(isa.NoReg, false, "exit")
			for i := range n {
				b.Place(fmt.Sprint("T", i))
				b.Emit(isa.NoReg, false, "exit")
			}
		}, 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			b := flowcode.NewBuilder()
			tt.code(b)
			b.Finish()
			if got := New(b.Func).Reconvergence(0); got != tt.at {
				t.Errorf("Reconvergence(0) = %d, want %d", got, tt.at)
			}
		})
	}
}
