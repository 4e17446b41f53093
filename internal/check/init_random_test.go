package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// initGenerator writes kernels in which some registers and some memory are read before they are written.
type initGenerator struct {
	*rand.Rand
	b      strings.Builder
	depth  int
	labels int
}

// initData is the number of registers with data, and initPreds that of predicates.
const initData, initPreds = 6, 3

func (g *initGenerator) kernel() string {
	g.b.WriteString(initPrologue[strings.Index(initPrologue, ".entry"):])
	g.b.WriteString(".shared .align 16 .b8 t[5184]; .local .align 16 .b8 m[320];\n")
	g.b.WriteString("mov.u32 %r3, t; mov.u64 %rd3, m; mov.u32 %r4, %ctaid.x; mov.u64 %rd10, t; cvta.shared.u64 %rd10, %rd10;\n")
	g.b.WriteString("ld.param.u64 %rd8, [out]; ld.param.u64 %rd9, [in];\n")
	for r := range initData {
		if g.IntN(24) > 0 {
			fmt.Fprintf(&g.b, "mad.lo.u32 %%r1%d, %%r1, %d, %d;\n", r, g.IntN(9), g.IntN(100))
		}
	}
	for p := range initPreds {
		fmt.Fprintf(&g.b, "and.b32 %%r5, %%r1, %d; setp.eq.u32 %%p%d, %%r5, %d;\n", 1<<g.IntN(6), p, 0)
	}
	gap := []int{0, 1 + g.IntN(64)}[g.IntN(2)]
	for at := 0; at < 4096; at += 1024 - gap { // most of shared and local memory is written
		fmt.Fprintf(&g.b, "shl.b32 %%r5, %%r1, 4; add.u32 %%r5, %%r5, %%r3; st.shared.v4.u32 [%%r5+%d], {%%r1, %%r1, %%r1, %%r1};\n", at&^15)
	}
	for at := 0; at < 320-gap; at += 16 {
		fmt.Fprintf(&g.b, "st.local.v4.u32 [%%rd3+%d], {%%r1, %%r1, %%r1, %%r1};\n", at)
	}
	if g.IntN(2) == 0 {
		g.b.WriteString("mov.u64 %rd9, %rd8;\n")
	}
	g.b.WriteString("bar.sync 0;\n")
	for range 3 {
		g.statements(4 + g.IntN(5))
		g.b.WriteString("bar.sync 0;\n")
	}
	for r := range initData {
		fmt.Fprintf(&g.b, "st.global.u32 [%%rd1+%d], %%r1%d;\n", 256*r, r)
	}
	return g.b.String() + "ret;\n}\n"
}

func (g *initGenerator) statements(n int) {
	for range n {
		switch k := g.IntN(12); {
		case k == 0 && g.depth < 2:
			g.branch()
		case k == 1 && g.depth < 2:
			g.loop()
		case k < 5:
			g.compute()
		default:
			g.access()
		}
	}
}

func (g *initGenerator) branch() {
	g.labels++
	l, p := g.labels, g.IntN(initPreds)
	g.depth++
	fmt.Fprintf(&g.b, "@%%p%d bra A%d;\n", p, l)
	g.statements(1 + g.IntN(3))
	if g.IntN(2) == 0 {
		fmt.Fprintf(&g.b, "bra B%d;\nA%d:\n", l, l)
		g.statements(1 + g.IntN(3))
		fmt.Fprintf(&g.b, "B%d:\n", l)
	} else {
		fmt.Fprintf(&g.b, "A%d:\n", l)
	}
	g.depth--
}

func (g *initGenerator) loop() {
	g.labels++
	l := g.labels
	g.depth++
	fmt.Fprintf(&g.b, "mov.u32 %%r2%d, 0;\nL%d:\n", g.depth, l)
	g.statements(1 + g.IntN(3))
	fmt.Fprintf(&g.b, "add.u32 %%r2%d, %%r2%d, 1; setp.lt.u32 %%p2%d, %%r2%d, %d; @%%p2%d bra L%d;\n", g.depth, g.depth, g.depth, g.depth, 2+g.IntN(3), g.depth, l)
	g.depth--
}

func (g *initGenerator) data() string { return fmt.Sprintf("%%r1%d", g.IntN(initData)) }

func (g *initGenerator) guard() string {
	if g.IntN(4) > 0 {
		return ""
	}
	return fmt.Sprintf("@%s%%p%d ", []string{"", "!"}[g.IntN(2)], g.IntN(initPreds))
}

func (g *initGenerator) compute() {
	ops := []string{"add.u32", "xor.b32", "and.b32", "or.b32", "mul.lo.u32", "min.u32"}
	fmt.Fprintf(&g.b, "%s%s %s, %s, %s;\n", g.guard(), ops[g.IntN(len(ops))], g.data(), g.data(), []string{g.data(), fmt.Sprint(g.IntN(300))}[g.IntN(2)])
}

// access writes an access of a random size, kind, space and pattern of addresses.
func (g *initGenerator) access() {
	size := 1 << g.IntN(5)
	types := map[int]string{1: "u8", 2: "u16", 4: "u32", 8: "v2.u32", 16: "v4.u32"}
	regs := map[int]int{8: 2, 16: 4}[size]
	offset := fmt.Sprint("+", size*g.IntN(4))
	space := []string{"shared", "shared", "shared", "local", "global", ""}[g.IntN(6)]
	base, wide := "%r3", false
	switch space {
	case "local":
		base, wide = "%rd3", true
	case "global":
		base, wide = []string{"%rd8", "%rd9"}[g.IntN(2)], true
	case "":
		base, wide = "%rd10", true
	}
	switch k := g.IntN(4); { // the index, in bytes
	case space == "local":
		fmt.Fprintf(&g.b, "and.b32 %%r5, %s, %d;\n", g.data(), 255&^(size-1))
	case k == 0:
		fmt.Fprintf(&g.b, "mov.u32 %%r5, %d;\n", size*g.IntN(8))
	case k == 1:
		fmt.Fprintf(&g.b, "and.b32 %%r5, %s, %d;\n", g.data(), 1023&^(size-1))
	case k == 2:
		fmt.Fprintf(&g.b, "mul.lo.u32 %%r5, %%r1, %d;\n", size)
	default:
		fmt.Fprintf(&g.b, "mul.lo.u32 %%r5, %%r1, %d; and.b32 %%r5, %%r5, 2047;\n", size*(1+g.IntN(3)))
	}
	address := "%r5"
	if wide {
		address = "%rd5"
		fmt.Fprintf(&g.b, "cvt.u64.u32 %%rd5, %%r5; add.u64 %%rd5, %%rd5, %s;\n", base)
	} else {
		fmt.Fprintf(&g.b, "add.u32 %%r5, %%r5, %s;\n", base)
	}
	if space != "" {
		space = "." + space
	}
	operand := g.data()
	if regs > 0 {
		var all []string
		for _, r := range g.Perm(initData)[:regs] {
			all = append(all, fmt.Sprintf("%%r1%d", r))
		}
		operand = "{" + strings.Join(all, ", ") + "}"
	}
	switch k := g.IntN(9); {
	case k == 0 && size == 4 && space != ".local":
		fmt.Fprintf(&g.b, "%satom%s.%s %s, [%s%s], %s;\n", g.guard(), space, []string{"add.u32", "exch.b32", "max.u32"}[g.IntN(3)], g.data(), address, offset, g.data())
	case k < 5:
		fmt.Fprintf(&g.b, "%sst%s.%s [%s%s], %s;\n", g.guard(), space, types[size], address, offset, operand)
	default:
		fmt.Fprintf(&g.b, "%sld%s.%s %s, [%s%s];\n", g.guard(), space, types[size], operand, address, offset)
	}
}

// initResult is what a checked launch finds and leaves.
type initResult struct {
	Found   string
	Counts  []int64
	Buffers [][]uint32
	Bits    [][]byte // that are undefined
	Races   []string
}

// runInit runs a kernel of several CTAs of two warps with a written and an unwritten buffer under the check, and under
// that of races, too, if races is set.
func runInit(t *testing.T, source string, cfg interp.Config, races bool) (r initResult) {
	k := kerneltest.Kernel{Source: source, Words: []int{1024, 1024}, Config: cfg, Grid: kerneltest.Dim(3, 1), Block: kerneltest.Dim(64, 1)}
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		m.Regions()[len(m.Regions())-1].SetUnwritten()
		c, err := check.AttachInit(m, &l)
		if err != nil {
			t.Fatal(err)
		}
		var also *check.Races
		if races {
			if also, err = check.Attach(m, &l); err != nil {
				t.Fatal(err)
			}
		}
		stats, err := functional.Run(context.Background(), m, l)
		if races {
			for _, f := range also.Findings() {
				r.Races = append(r.Races, fmt.Sprint(f.Rule, f.Earlier.PC, f.Earlier.Lanes, f.Later.PC, f.Later.Lanes, f.Instances, f.Offset, f.Bytes))
			}
		}
		for _, w := range c.Warnings(false) {
			r.Found += initText([]interp.Warning{w})
			r.Counts = append(r.Counts, w.Count)
		}
		for _, region := range m.Regions() {
			r.Bits = append(r.Bits, region.Unwritten)
		}
		return stats, err
	}
	var err error
	if r.Buffers, _, err = k.Run(t); err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	return r
}

// compareInit compares what the check finds in a random kernel with compiled code, which keeps the shadow of memory,
// and without, where observers see each access. It does so with the check of races, too, for which code leaves some
// accesses to the engine and a trail of others. (With that check time slices are longer, so that kernels with races may
// do something else.)
func compareInit(t *testing.T, seed uint64) {
	g := &initGenerator{Rand: rand.New(rand.NewPCG(seed, 11))}
	source := g.kernel()
	for _, model := range []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack}[:1+seed%2] {
		want := runInit(t, source, interp.Config{Divergence: model, Compile: interp.CompileNever}, false)
		both := runInit(t, source, interp.Config{Divergence: model, Compile: interp.CompileNever}, true)
		for level := jit.AVX2; level <= jit.AVX512 && jit.Lacks(level) == nil; level++ {
			cfg := interp.Config{Divergence: model, Compile: interp.CompileAlways, Lanes: level}
			if diff := cmp.Diff(want, runInit(t, source, cfg, false)); diff != "" {
				t.Fatalf("seed %d, %v: %s\n%s", seed, level, diff, source)
			}
			if diff := cmp.Diff(both, runInit(t, source, cfg, true)); diff != "" {
				t.Fatalf("seed %d, %v, with the check of races: %s\n%s", seed, level, diff, source)
			}
		}
	}
}

func TestCompiledCodeFindsSameUninitialisedReads(t *testing.T) {
	short.Alternates(t, 2, 3)
	for seed := range uint64(short.Of(12)) {
		compareInit(t, 53+seed)
	}
}

func FuzzInitInCompiledCode(f *testing.F) {
	f.Add(uint64(1 << 20))
	f.Fuzz(compareInit)
}
