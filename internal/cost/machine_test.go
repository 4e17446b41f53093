package cost

import (
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
)

// h100 returns the latencies of an H100.
func h100() *Latencies {
	var l Latencies
	for class := range l {
		l[class] = gpu.H100().Classes[class].Latency
	}
	return &l
}

// sources returns the repository's programs.
func sources(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("../../programs/*.s")
	advice, _ := filepath.Glob("../../programs/advice/*.s")
	if err != nil || len(files) == 0 || len(advice) == 0 {
		t.Fatal("no programs", err)
	}
	return append(append(files, advice...), "../workloads/workloads.ptx.gz")
}

// functions returns the functions of a program.
func functions(t *testing.T, file string) (all []*isa.Func) {
	t.Helper()
	src, err := packed.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse(filepath.Base(file), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range mod.Funcs {
		if f.Defined {
			all = append(all, f)
		}
	}
	return all
}

// symbol stands for a value: what makes it, and of which values. A sum with a constant has the symbol of the other
// summand, because a body adds the constants of several iterations at once.
type symbol string

func symbolOf(what string, of []symbol) symbol {
	of = slices.Clone(of)
	slices.Sort(of)
	h := fnv.New64a()
	fmt.Fprint(h, what, slices.Compact(of))
	return symbol(fmt.Sprint(h.Sum64()))
}

// meaning is the symbols of registers and the accesses to memory, in their order, after some instructions.
type meaning[K comparable] struct {
	values   map[K][]symbol
	accesses []access
}

// access is an access to memory.
type access struct {
	in   *isa.Instr
	pc   int
	copy int
	base symbol
}

func (m *meaning[K]) of(keys []K, initial func(K) symbol) (all []symbol) {
	for _, k := range keys {
		if s, known := m.values[k]; known {
			all = append(all, s...)
		} else {
			all = append(all, initial(k))
		}
	}
	return all
}

// execute computes what an instruction with slots makes of its sources.
func (m *meaning[K]) execute(f *isa.Func, pc, iteration int, sources []symbol, results []K) {
	in := &f.Code[pc]
	what := fmt.Sprint(pc)
	if in.Is(isa.Load) && in.Mods.MemSpace() == isa.Shared {
		what = "load of shared memory" // which may be joined to another one
	}
	made := []symbol{symbolOf(what, sources)}
	if isOne(in, constantSums) && in.Guard == isa.NoReg && len(sources) == 1 {
		made = sources
	}
	for _, r := range results {
		m.values[r] = made
	}
	if in.Is(isa.Load) || in.Is(isa.Store) || in.Is(isa.Atomic) {
		m.accesses = append(m.accesses, access{in, pc, iteration, symbolOf("", sources)})
	}
}

// inText returns the meaning of some iterations of a region in the order of the text.
func inText(f *isa.Func, costs []Instr, r *Region, copies int) *meaning[isa.RegID] {
	m := &meaning[isa.RegID]{values: make(map[isa.RegID][]symbol)}
	initial := func(r isa.RegID) symbol { return symbol(fmt.Sprint("r", r)) }
	for iteration := range copies {
		for pc := r.First; pc < r.End; pc++ {
			c := &costs[pc]
			sources := m.of(c.Sources, initial)
			if f.Code[pc].Guard != isa.NoReg {
				sources = append(sources, m.of(c.Results, initial)...)
			}
			if len(c.Slots) > 0 {
				m.execute(f, pc, iteration, sources, c.Results)
				continue
			}
			for _, r := range c.Results {
				m.values[r] = sources
			}
		}
	}
	return m
}

// inOrder returns the meaning of a body in its order.
func inOrder(f *isa.Func, b *Body) *meaning[Value] {
	m := &meaning[Value]{values: make(map[Value][]symbol)}
	initial := func(v Value) symbol { return symbol(fmt.Sprint("r", v)) }
	for i := range b.Steps {
		st := &b.Steps[i]
		sources := m.of(st.Sources, initial)
		if len(st.Slots) > 0 {
			m.execute(f, st.PC, st.Copy, sources, st.Results)
			continue
		}
		for _, v := range st.Results {
			m.values[v] = sources
		}
	}
	return m
}

// TestOrderKeepsValues: executed in the order of an assembler, with its registers, the machine instructions of every
// region of the programs leave in each register that later code reads the value that the PTX leaves there.
func TestOrderKeepsValues(t *testing.T) {
	regions, loops := 0, 0
	var corpus []*isa.Func
	for _, file := range sources(t) {
		corpus = append(corpus, functions(t, file)...)
	}
	for _, f := range corpus {
		g := flow.New(f)
		costs := Lower(f, g, Lowered, true)
		s := &scheduling{f: f, g: g, costs: costs, latencies: h100()}
		s.live = s.liveOut()
		for _, r := range Regions(f, g, costs, h100()) {
			regions++
			for copies := 1; copies <= r.Copies; copies++ {
				loops += copies - 1
				want, got := inText(f, costs, r, copies), inOrder(f, r.Body(copies))
				for id, live := range s.liveAfter(r, copies) {
					a := want.of([]isa.RegID{isa.RegID(id)}, func(r isa.RegID) symbol { return symbol(fmt.Sprint("r", r)) })
					b := got.of([]Value{Value(id)}, func(v Value) symbol { return symbol(fmt.Sprint("r", v)) })
					if live && symbolOf("", a) != symbolOf("", b) {
						t.Errorf("%s, instructions %d to %d, %d iterations: %s has another value", f.Name, r.First, r.End, copies, f.Regs[id].Name)
					}
				}
				checkAccesses(t, f, r, copies, want.accesses, got.accesses)
			}
		}
	}
	if regions < 200 || loops < 50 {
		t.Errorf("%d regions and %d further iterations are few", regions, loops)
	}
}

// checkAccesses checks that no access to memory has passed another one that may be to the same place.
func checkAccesses(t *testing.T, f *isa.Func, r *Region, copies int, text, order []access) {
	t.Helper()
	at := make(map[Access]int)
	for i, a := range order {
		at[Access{a.pc, a.copy}] = i
	}
	for i, a := range text {
		for _, b := range text[i+1:] {
			first, isFirst := at[Access{a.pc, a.copy}]
			second, isSecond := at[Access{b.pc, b.copy}]
			if isFirst && isSecond && first > second && ordered(a, b) {
				t.Errorf("%s, instructions %d to %d, %d iterations: %s passes %s", f.Name, r.First, r.End, copies, f.Text(b.pc), f.Text(a.pc))
			}
		}
	}
}

// ordered reports whether the order of two accesses matters. Those with the same base are taken to be apart: their
// offsets were compared.
func ordered(a, b access) bool {
	x, y := a.in.Mods.MemSpace(), b.in.Mods.MemSpace()
	switch {
	case a.in.Is(isa.Load) && b.in.Is(isa.Load), x == isa.Param || y == isa.Param || x == isa.Const || y == isa.Const, a.in.Mods[isa.NC] != 0 || b.in.Mods[isa.NC] != 0:
		return false
	}
	return (x == y || x == isa.Generic || y == isa.Generic) && (a.base != b.base || a.in.Is(isa.Atomic) || b.in.Is(isa.Atomic)) && !sameBase(a.in, b.in)
}

// sameBase reports whether two accesses have the same register in their addresses.
func sameBase(a, b *isa.Instr) bool {
	base := func(in *isa.Instr) isa.RegID {
		for i := range in.Args {
			if in.Args[i].Kind == isa.AddrOperand {
				return in.Args[i].Reg
			}
		}
		return isa.NoReg
	}
	return base(a) == base(b) && !a.Is(isa.Atomic) && !b.Is(isa.Atomic)
}

// TestAddressAlignmentIsKnown: addresses are known to be multiples of what they are made of.
func TestAddressAlignmentIsKnown(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(`.entry k(.param .u64 p)
{
	.shared .b8 a[12];
	.shared .b8 b[64];
	ld.param.u64 %rd1, [p];
	mov.u32 %r1, a;
	mov.u32 %r2, b;
	mov.u32 %r3, %tid.x;
	shl.b32 %r4, %r3, 4;
	mul.lo.u32 %r5, %r4, 6;
	add.u32 %r6, %r4, 8;
	mad.lo.u32 %r7, %r3, 64, %r2;
	and.b32 %r8, %r3, -32;
	sub.u32 %r9, %r5, %r8;
	mul.wide.u32 %rd2, %r4, 2;
	add.u64 %rd3, %rd1, %rd2;
	mov.u32 %r10, 0;
L:
	add.u32 %r10, %r10, 4;
	setp.lt.u32 %p1, %r10, %r3;
	@%p1 bra L;
	ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Funcs[0]
	s := &scheduling{f: f, g: flow.New(f)}
	want := map[string]int{"%r1": 10, "%r2": 2, "%r3": 0, "%r4": 4, "%r5": 5, "%r6": 3, "%r7": 2, "%r8": 5, "%r9": 5, "%rd2": 5, "%rd3": 0, "%r10": 2}
	got := make(map[string]int)
	for id, zeros := range s.alignments() {
		if name := f.Regs[id].Name; !strings.HasPrefix(name, "%p") && name != "%rd1" {
			got[name] = zeros
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
