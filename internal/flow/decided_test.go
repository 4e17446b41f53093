package flow_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
)

// branchy is a random function of blocks.
type branchy struct{ blocks []branchyBlock }

// branchyBlock may change a register, may compare two, and may branch.
type branchyBlock struct {
	add        int    // register that grows by 1; 0 for none
	compare    string // comparison of unsigned numbers; "" for none
	p, a, b    int
	guard      int // predicate of the branch; 0 for none
	not, first bool
	to         int
}

var comparisons = map[string]func(a, b uint32) bool{
	"eq": func(a, b uint32) bool { return a == b }, "ne": func(a, b uint32) bool { return a != b },
	"lt": func(a, b uint32) bool { return a < b }, "ge": func(a, b uint32) bool { return a >= b },
	"le": func(a, b uint32) bool { return a <= b }, "gt": func(a, b uint32) bool { return a > b },
}

func newBranchy(rnd *rand.Rand) *branchy {
	names := []string{"eq", "ne", "lt", "ge", "le", "gt"}
	var f branchy
	for range 4 + rnd.IntN(8) {
		b := branchyBlock{to: -1}
		if rnd.IntN(3) == 0 {
			b.add = 1 + rnd.IntN(2)
		}
		if rnd.IntN(3) > 0 {
			b.compare, b.p, b.a, b.b = names[rnd.IntN(len(names))], 1+rnd.IntN(2), 1, 2
		}
		if rnd.IntN(4) > 0 {
			b.guard, b.not = 1+rnd.IntN(2), rnd.IntN(2) == 0
		}
		b.first = rnd.IntN(2) == 0
		f.blocks = append(f.blocks, b)
	}
	for i := range f.blocks {
		f.blocks[i].to = rnd.IntN(len(f.blocks) + 1)
	}
	return &f
}

// text returns the function; each block has a label, and a last block returns.
func (f *branchy) text() string {
	var s strings.Builder
	s.WriteString(".entry k()\n{\n\t.reg .pred %p<3>; .reg .b32 %r<3>;\n")
	for i, b := range f.blocks {
		fmt.Fprintf(&s, "L%d:\n\tmov.u32 %%r0, 0;\n", i)
		add := func() {
			if b.add > 0 {
				fmt.Fprintf(&s, "\tadd.u32 %%r%d, %%r%d, 1;\n", b.add, b.add)
			}
		}
		if b.first {
			add()
		}
		if b.compare != "" {
			fmt.Fprintf(&s, "\tsetp.%s.u32 %%p%d, %%r%d, %%r%d;\n", b.compare, b.p, b.a, b.b)
		}
		if !b.first {
			add()
		}
		if b.guard > 0 {
			fmt.Fprintf(&s, "\t@%s%%p%d bra L%d;\n", map[bool]string{true: "!"}[b.not], b.guard, b.to)
		}
	}
	fmt.Fprintf(&s, "L%d:\n\tret;\n}\n", len(f.blocks))
	return s.String()
}

// run executes one thread, and calls at for each block with a branch, with the block before it and whether it branches.
func (f *branchy) run(r [3]uint32, p [3]bool, at func(before, block int, taken bool)) {
	before := -1
	for i, steps := 0, 0; i < len(f.blocks) && steps < 200; steps++ {
		b := &f.blocks[i]
		if b.first && b.add > 0 {
			r[b.add]++
		}
		if b.compare != "" {
			p[b.p] = comparisons[b.compare](r[b.a], r[b.b])
		}
		if !b.first && b.add > 0 {
			r[b.add]++
		}
		next := i + 1
		if b.guard > 0 {
			taken := p[b.guard] != b.not
			at(before, i, taken)
			if taken {
				next = b.to
			}
		}
		before, i = i, next
	}
}

// TestRandomBranchesAreDecided compares what Decided says of branches of random functions with the ways of threads.
func TestRandomBranchesAreDecided(t *testing.T) {
	decided, passed := 0, 0
	for seed := range uint64(4000) {
		rnd := rand.New(rand.NewPCG(seed, 7))
		f := newBranchy(rnd)
		mod, err := asm.Parse("k.s", []byte(f.text()))
		if err != nil {
			t.Fatal(err)
		}
		fn := mod.Funcs[0]
		g := flow.New(fn)
		starts := make(map[string]int) // PCs by label
		for i := range fn.Labels {
			starts[fn.Labels[i].Name] = fn.Labels[i].PC
		}
		blockOf := func(n int) int { return g.BlockOf(starts[fmt.Sprint("L", n)]) }
		known := make(map[int][]bool)
		for b := range g.Blocks() {
			if known[b] = g.Decided(fn, b); known[b] != nil {
				decided++
			}
		}
		for range 8 {
			f.run([3]uint32{0, rnd.Uint32N(4), rnd.Uint32N(4)}, [3]bool{false, rnd.IntN(2) == 0, rnd.IntN(2) == 0}, func(before, block int, taken bool) {
				b := blockOf(block)
				if before < 0 || known[b] == nil || g.Blocks()[b].Start != starts[fmt.Sprint("L", block)] {
					return // the graph has both in one block
				}
				pred := slices.Index(g.Blocks()[b].Pred, blockOf(before))
				if passed++; known[b][pred] != taken {
					t.Fatalf("seed %d: the branch at the end of L%d, from L%d, is said to be taken: %v\n%s", seed, block, before, known[b][pred], f.text())
				}
			})
		}
	}
	if t.Logf("%d branches are decided, and passed %d times", decided, passed); decided < 200 || passed < 200 {
		t.Error("too few branches are decided")
	}
}
