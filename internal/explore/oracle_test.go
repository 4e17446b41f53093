package explore

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// opKind is an operation of a random program.
type opKind int

const (
	load    opKind = iota // r = m[x]
	store                 // m[x] = c
	keep                  // m[x] = r + c
	add                   // r = m[x]; m[x] += c, at once
	reduce                // m[x] += c, at once
	swap                  // r = m[x]; m[x] = c, at once
	compare               // r = m[x]; if r == c, m[x] = c+1, at once
	skip                  // if r == c, the next operation is left out
	await                 // wait until m[x] != c
	meet                  // a barrier
	numOps
)

type operation struct {
	kind opKind
	x    int
	c    uint32
}

// program is the operations of each thread.
type program [][]operation

const words = 2

func randomProgram(rng *rand.Rand) program {
	p := make(program, 2+rng.IntN(2))
	most := 5 - len(p)
	for t := range p {
		for range 1 + rng.IntN(most+1) {
			k := opKind(rng.IntN(int(numOps)))
			if k == await && rng.IntN(2) == 0 || k == meet && rng.IntN(2) == 0 {
				k = load
			}
			p[t] = append(p[t], operation{k, rng.IntN(words), uint32(rng.IntN(2))})
		}
	}
	return p
}

// ptx returns the kernel: thread t of the grid executes p[t], and then writes its r after the shared words.
func (p program) ptx() string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .u32 %r, %old, %tid, %cta, %v; .reg .u64 %m, %at; .reg .pred %p;\n")
	b.WriteString("ld.param.u64 %m, [out]; mov.u32 %tid, %tid.x; mov.u32 %cta, %ctaid.x; mad.lo.u32 %tid, %cta, 2, %tid; mov.u32 %r, 0;\n")
	for t := range p {
		fmt.Fprintf(&b, "setp.eq.u32 %%p, %%tid, %d; @%%p bra T%d;\n", t, t)
	}
	b.WriteString("bra END;\n")
	for t, ops := range p {
		p.write(&b, t, ops)
	}
	fmt.Fprintf(&b, "END: mul.wide.u32 %%at, %%tid, 4; add.u64 %%m, %%m, %%at; st.global.u32 [%%m+%d], %%r; ret;\n}\n", 4*words)
	return b.String()
}

// write writes the operations of thread t.
func (p program) write(b *strings.Builder, t int, ops []operation) {
	fmt.Fprintf(b, "T%d:\n", t)
	for i, o := range ops {
		at := fmt.Sprintf("[%%m+%d]", 4*o.x)
		fmt.Fprintf(b, "L%d_%d:\n", t, i)
		switch o.kind {
		case load:
			fmt.Fprintf(b, "ld.volatile.global.u32 %%r, %s;\n", at)
		case store:
			fmt.Fprintf(b, "st.volatile.global.u32 %s, %d;\n", at, o.c)
		case keep:
			fmt.Fprintf(b, "add.u32 %%v, %%r, %d; st.volatile.global.u32 %s, %%v;\n", o.c, at)
		case add:
			fmt.Fprintf(b, "atom.global.add.u32 %%r, %s, %d;\n", at, o.c)
		case reduce:
			fmt.Fprintf(b, "red.global.add.u32 %s, %d;\n", at, o.c)
		case swap:
			fmt.Fprintf(b, "atom.global.exch.b32 %%r, %s, %d;\n", at, o.c)
		case compare:
			fmt.Fprintf(b, "atom.global.cas.b32 %%r, %s, %d, %d;\n", at, o.c, o.c+1)
		case skip:
			fmt.Fprintf(b, "setp.eq.u32 %%p, %%r, %d; @%%p bra L%d_%d;\n", o.c, t, min(i+2, len(ops)))
		case await:
			fmt.Fprintf(b, "ld.volatile.global.u32 %%v, %s; setp.eq.u32 %%p, %%v, %d; @%%p bra L%d_%d;\n", at, o.c, t, i)
		case meet:
			b.WriteString("barrier.sync 0;\n")
		}
	}
	fmt.Fprintf(b, "L%d_%d: bra END;\n", t, len(ops))
}

// alikePTX returns a kernel in which every thread executes the same operations, and that does not write r.
func alikePTX(ops []operation) string {
	var b strings.Builder
	b.WriteString(".version 8.0\n.target sm_80\n.address_size 64\n.entry k(.param .u64 out)\n{\n.reg .u32 %r, %v; .reg .u64 %m; .reg .pred %p;\nld.param.u64 %m, [out]; mov.u32 %r, 0;\n")
	program{ops}.write(&b, 0, ops)
	b.WriteString("END: ret;\n}\n")
	return b.String()
}

// state is that of the model.
type state struct {
	m  [words]uint32
	r  [4]uint32
	pc [4]int
	at [4]bool // at a barrier
}

// ends adds to all how the program can end from s: the words and the r of each thread, or "hang".
func (p program) ends(s state, seen map[state]bool, all map[string]bool, blocks func(t int) int) {
	if seen[s] {
		return
	}
	seen[s] = true
	moved, over := false, true
	for t, ops := range p {
		if s.pc[t] == len(ops) {
			continue
		}
		over = false
		if next, ok := p.step(s, t, blocks); ok {
			moved = true
			p.ends(next, seen, all, blocks)
		}
	}
	switch {
	case over:
		all[fmt.Sprint(s.m, s.r[:len(p)])] = true
	case !moved:
		all["hang"] = true
	}
}

// step executes the next operation of a thread, if it can.
func (p program) step(s state, t int, blocks func(t int) int) (state, bool) {
	o := p[t][s.pc[t]]
	m, r := &s.m[o.x], &s.r[t]
	switch o.kind {
	case load:
		*r = *m
	case store:
		*m = o.c
	case keep:
		*m = *r + o.c
	case add:
		*r = *m
		*m += o.c
	case reduce:
		*m += o.c
	case swap:
		*r, *m = *m, o.c
	case compare:
		if *r = *m; *r == o.c {
			*m = o.c + 1
		}
	case skip:
		if *r == o.c {
			s.pc[t] = min(s.pc[t]+1, len(p[t])-1)
		}
	case await:
		if *m == o.c {
			return s, false
		}
	case meet:
		if s.at[t] {
			return s, false
		}
		s.at[t] = true
		return p.release(s, blocks), true
	}
	s.pc[t]++
	return p.release(s, blocks), true
}

// release completes the barriers of blocks of which all threads that have not ended wait.
func (p program) release(s state, blocks func(t int) int) state {
	for t := range p {
		all := s.at[t]
		for u := range p {
			all = all && (blocks(u) != blocks(t) || s.at[u] || s.pc[u] == len(p[u]))
		}
		if all {
			for u := range p {
				if blocks(u) == blocks(t) && s.at[u] {
					s.at[u] = false
					s.pc[u]++
				}
			}
			return p.release(s, blocks)
		}
	}
	return s
}

// TestTwinsStandForEachOther is TestExplorationFindsAllEnds for threads with the same operations, of which only a few
// are explored.
func TestTwinsStandForEachOther(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	n, skipped := 150, 0
	if testing.Short() {
		n = 30
	}
	for range n {
		threads := 2 + rng.IntN(3)
		var ops []operation
		for range 1 + rng.IntN(6-threads) {
			ops = append(ops, operation{opKind(rng.IntN(int(meet))), rng.IntN(words), uint32(rng.IntN(3))})
		}
		p := make(program, threads)
		for i := range p {
			p[i] = ops
		}
		all, want := make(map[string]bool), make(map[string]bool)
		p.ends(state{}, make(map[state]bool), all, func(t int) int { return 0 })
		for end := range all {
			words, _, _ := strings.Cut(end, "] [")
			want[words] = true
		}
		r, err := Explore(context.Background(), programOf(t, alikePTX(ops), 1, threads, words), Options{Preemptions: -1, All: true, Executions: 20000, Keep: 10000})
		if err != nil {
			t.Fatalf("%v\n%s", err, alikePTX(ops))
		}
		got := make(map[string]bool)
		for end := range endsOf(r, 0) {
			words, _, _ := strings.Cut(end, "] [")
			got[words] = true
		}
		if !r.Exhausted {
			skipped++
			continue
		}
		if !slices.Equal(keysOf(got), keysOf(want)) {
			t.Fatalf("%d threads, %v: %d executions\ngot  %q\nwant %q\n%s", threads, ops, r.Executions, keysOf(got), keysOf(want), alikePTX(ops))
		}
	}
	if skipped > n/20 {
		t.Errorf("%d of %d programs were not exhausted", skipped, n)
	}
}

// programOf returns a program of a kernel that has a buffer of words as its argument.
func programOf(t testing.TB, source string, grid, block, words int) func() (*Program, error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(source))
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return func() (*Program, error) {
		m, err := interp.New(mod, interp.Config{Divergence: divergence.SingleLanes, Compile: interp.CompileNever, MaxLaunchSteps: 100000})
		if err != nil {
			return nil, err
		}
		r, err := m.Alloc("out", int64(4*words))
		if err != nil {
			return nil, err
		}
		l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: isa.Dim{X: uint32(grid), Y: 1, Z: 1}, Block: isa.Dim{X: uint32(block), Y: 1, Z: 1}}
		l.Params = binary.LittleEndian.AppendUint64(nil, r.Base)
		return &Program{Machine: m, Launches: []interp.Launch{l}}, nil
	}
}

// endsOf returns how the explored executions of a program ended, as program.ends does.
func endsOf(r *Report, threads int) map[string]bool {
	all := make(map[string]bool)
	for _, o := range r.Outcomes {
		if o.End != nil {
			all["hang"] = true
			continue
		}
		var w []uint32
		for i := range words + threads {
			w = append(w, binary.LittleEndian.Uint32(o.Memory[0][4*i:]))
		}
		all[fmt.Sprint([words]uint32(w[:words]), w[words:])] = true
	}
	return all
}

func keysOf(m map[string]bool) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// TestExplorationFindsAllEnds compares the ends that exploration finds with those of all interleavings of a model.
func TestExplorationFindsAllEnds(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	n := 300
	if testing.Short() {
		n = 40
	}
	for i := range n {
		p := randomProgram(rng)
		grid, block := 1, len(p)
		blocks := func(int) int { return 0 }
		if i%2 == 1 {
			grid, block = (len(p)+1)/2, 2
			blocks = func(t int) int { return t / 2 }
		}
		want := make(map[string]bool)
		p.ends(state{}, make(map[state]bool), want, blocks)
		r, err := Explore(context.Background(), programOf(t, p.ptx(), grid, block, words+4), Options{Preemptions: -1, All: true, Executions: 100000, Keep: 10000})
		if err != nil {
			t.Fatalf("%v\n%s", err, p.ptx())
		}
		got := endsOf(r, len(p))
		if !r.Exhausted || !slices.Equal(keysOf(got), keysOf(want)) {
			t.Fatalf("program %d %v: exhausted %v after %d executions\ngot  %q\nwant %q\n%s", i, p, r.Exhausted, r.Executions, keysOf(got), keysOf(want), p.ptx())
		}
	}
}
