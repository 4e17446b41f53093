package check_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/check"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
)

const (
	randomCTAs  = 2
	randomWarps = 3
	randomLanes = 3 // that access memory
)

// generator writes a kernel in which each warp has a straight line of accesses,
// fences and barriers of its own, each for some of the first lanes.
type generator struct {
	*rand.Rand
	warps    [randomWarps]strings.Builder
	barriers int
	words    int  // of memory in each space
	strong   bool // there are strong accesses
	stores   bool // stores among them
}

// guard is a predicate that holds in the lanes of a mask.
func guard(mask int) string { return fmt.Sprintf("@%%p%d ", mask) }

func (g *generator) kernel() string {
	g.words = 1 + g.IntN(3)
	g.strong = g.IntN(3) > 0
	g.stores = g.strong && g.IntN(2) == 0
	for range 3 + g.IntN(12) {
		g.step()
	}
	var b strings.Builder
	b.WriteString(prologue + " mov.u32 %r50, s;\n")
	for mask := 1; mask < 1<<randomLanes; mask++ {
		fmt.Fprintf(&b, "shr.u32 %%r60, %d, %%r2; and.b32 %%r60, %%r60, 1; setp.lt.u32 %%p20, %%r2, 8; setp.ne.and.u32 %%p%d, %%r60, 0, %%p20;\n", mask, mask)
	}
	for _, stride := range []int{0, 1, 2, 4, 8} {
		fmt.Fprintf(&b, "mad.lo.u32 %%r7%d, %%r2, %d, %%r50; mad.wide.u32 %%rd7%d, %%r2, %d, %%rd1;\n", stride, stride, stride, stride)
	}
	for w := range randomWarps {
		fmt.Fprintf(&b, "setp.eq.u32 %%p21, %%r4, %d; @%%p21 bra W%d;\n", w, w)
	}
	for w := range randomWarps {
		fmt.Fprintf(&b, "W%d:\n%sbra END;\n", w, &g.warps[w])
	}
	return b.String() + "END: ret;\n}\n"
}

// step adds something to one warp, or a barrier to several.
func (g *generator) step() {
	w := g.IntN(randomWarps)
	mask := 1 + g.IntN(1<<randomLanes-1)
	if g.IntN(2) == 0 {
		mask = 1
	}
	switch k := g.IntN(20); {
	case k < 5 && g.barriers < 15:
		g.barrier()
	case k < 7:
		fmt.Fprintf(&g.warps[w], "%sbar.warp.sync %d;\n", guard(mask), mask)
	case k < 10:
		fmt.Fprintf(&g.warps[w], "%s%s;\n", guard(mask), pick(g, "membar.cta", "membar.gl", "fence.acq_rel.gpu", "fence.acq_rel.cta", "fence.sc.sys"))
	case k < 16 && g.strong:
		g.strongAccess(w, mask)
	default:
		g.plainAccess(w, mask)
	}
}

func pick(g *generator, of ...string) string { return of[g.IntN(len(of))] }

// barrier is one that some of the warps wait at, while others may only arrive:
// each has its own number, so that no two are mixed up.
func (g *generator) barrier() {
	g.barriers++
	first, n := g.IntN(randomWarps), 2+g.IntN(randomWarps-1)
	waits := g.IntN(n)
	for i := range n {
		op := "sync"
		if i != waits && g.IntN(3) == 0 {
			op = "arrive"
		}
		fmt.Fprintf(&g.warps[(first+i)%randomWarps], "bar.%s %d, %d;\n", op, g.barriers, 32*n)
	}
}

func (g *generator) strongAccess(w, mask int) {
	scope := pick(g, "cta", "gpu", "gpu", "sys")
	text := pick(g, "st.{release,relaxed}.S.P.u32 A, 5;", "st.release.S.P.u32 A, 6;", "st.volatile.P.u32 A, 5;")
	if !g.stores || g.IntN(3) > 0 {
		text = pick(g,
			"atom.{acq_rel,acquire,release,relaxed}.S.P.add.u32 %r61, A, 1;", "atom.acq_rel.S.P.exch.b32 %r61, A, 3;", "red.relaxed.S.P.add.u32 A, 1;",
			"ld.{acquire,relaxed}.S.P.u32 %r61, A;", "ld.acquire.S.P.u32 %r61, A;", "ld.volatile.P.u32 %r61, A;")
	}
	if from, to := strings.Index(text, "{"), strings.Index(text, "}"); from >= 0 {
		text = text[:from] + pick(g, strings.Split(text[from+1:to], ",")...) + text[to+1:]
	}
	space, address := g.place(4, g.IntN(2)*4)
	fmt.Fprintf(&g.warps[w], "%s%s\n", guard(mask), strings.NewReplacer("S.", scope+".", "P.", space+".", "A", address).Replace(text))
}

func (g *generator) plainAccess(w, mask int) {
	size := []int{4, 4, 4, 4, 1, 2, 8}[g.IntN(7)]
	space, address := g.place(size, []int{0, 0, size}[g.IntN(3)])
	if g.IntN(2) == 0 {
		fmt.Fprintf(&g.warps[w], "%sld.%s.u%d %%r%s, %s;\n", guard(mask), space, 8*size, map[bool]string{true: "d61", false: "61"}[size == 8], address)
		return
	}
	fmt.Fprintf(&g.warps[w], "%sst.%s.u%d %s, %d;\n", guard(mask), space, 8*size, address, g.IntN(3))
}

// place is a random place of the size in shared or global memory. Unless stride
// is 0, it is stride bytes further on for each lane.
func (g *generator) place(size, stride int) (space, address string) {
	off := g.IntN(4*max(g.words, (size+3)/4)/size) * size
	if g.IntN(3) == 0 {
		return "shared", fmt.Sprintf("[%%r7%d+%d]", stride, off)
	}
	return "global", fmt.Sprintf("[%%rd7%d+%d]", stride, off)
}

// TestAgainstDefinition compares the check with the definitions, on random
// kernels: every race that it reports is one, and where there are races it
// reports some.
func TestAgainstDefinition(t *testing.T) {
	const kernels = 1500
	racy, missed := 0, 0
	for seed := range uint64(kernels) {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		src := g.kernel()
		got, want := checkBoth(t, src)
		if len(want) > 0 {
			racy++
		}
		for _, name := range got {
			if _, ok := slices.BinarySearch(want, name); !ok {
				t.Errorf("seed %d: %s is no race; there are %v\n%s", seed, name, want, src)
			}
		}
		// Of stores that are strong, one that was overwritten may be forgotten.
		if len(want) > 0 && len(got) == 0 && g.stores {
			missed++
		} else if len(want) > 0 && len(got) == 0 {
			t.Errorf("seed %d: none of the races %v was found\n%s", seed, want, src)
		}
		if t.Failed() {
			return
		}
	}
	if missed > kernels/100 {
		t.Errorf("in %d of %d kernels no race was found, where there are", missed, kernels)
	}
	if racy < kernels/4 || racy > kernels*3/4 {
		t.Errorf("%d of %d kernels have races: too few or too many to tell much", racy, kernels)
	}
}

// checkBoth runs a kernel under the check and the oracle.
func checkBoth(t *testing.T, src string) (got, want []string) {
	t.Helper()
	mod, err := asm.Parse("random.s", []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	g, err := m.Alloc("g", 4096)
	if err != nil {
		t.Fatal(err)
	}
	rec := &recorder{fn: mod.Entry("k"), grid: isa.Dim{X: randomCTAs, Y: 1, Z: 1}, warps: randomWarps, waiting: make(map[[2]int64][]int)}
	l := interp.Launch{Kernel: "k", Grid: rec.grid, Block: isa.Dim{X: randomWarps * threadsPerWarp, Y: 1, Z: 1},
		Params: binary.LittleEndian.AppendUint64(nil, g.Base), Observer: rec}
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(context.Background(), l); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	for _, f := range races.Findings() {
		got = append(got, fmt.Sprintf("%s %d %d", strings.TrimPrefix(f.Rule.String(), "race-"), f.Earlier.PC, f.Later.PC))
	}
	return got, newOracle(rec).races()
}
