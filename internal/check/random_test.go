package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

const (
	randomWarps = 3
	randomLanes = 3 // lanes that access memory
)

// generator writes a kernel in which each warp has its own straight-line sequence of accesses, fences and barriers,
// each for some of the first lanes.
type generator struct {
	*rand.Rand
	warps    [randomWarps]strings.Builder
	barriers int
	words    int  // number of words in each space
	strong   bool // there are strong accesses
	stores   bool // some strong accesses are stores
	decides  bool // values read by strong accesses decide later behaviour
	labels   int
	ctas     int
}

// decidingReg is the register for values that decide a thread's behaviour; values in other registers have no effect.
const decidingReg = "%r62"

// order is the order in which CTAs and warps of a launch run, by the numbers that the kernel assigns to them.
type order struct {
	reverse bool // CTAs from the last to the first
	first   int  // the warp that runs first
}

// guard is a predicate that is true in the lanes of a mask.
func guard(mask int) string { return fmt.Sprintf("@%%p%d ", mask) }

func (g *generator) generate() {
	g.words = 1 + g.IntN(3)
	g.ctas = []int{2, 2, 3, 4}[g.IntN(4)]
	g.strong = g.IntN(3) > 0
	g.stores = g.strong && g.IntN(2) == 0
	g.decides = g.strong && g.IntN(2) == 0
	for range 3 + g.IntN(12) {
		g.step()
	}
}

// kernel returns the text of the kernel, with CTAs and warps that run in the given order.
func (g *generator) kernel(o order) string {
	var b strings.Builder
	b.WriteString(prologue + " mov.u32 %r50, s;\n")
	if o.reverse {
		fmt.Fprintf(&b, "sub.u32 %%r3, %d, %%r3;\n", g.ctas-1)
	}
	fmt.Fprintf(&b, "add.u32 %%r4, %%r4, %d; rem.u32 %%r4, %%r4, %d;\n", o.first, randomWarps)
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
	k := g.IntN(20)
	if k < 5 && g.barriers < 15 {
		g.barrier()
		return
	}
	if g.IntN(3) == 0 { // in one CTA only
		g.labels++
		fmt.Fprintf(&g.warps[w], "setp.ne.u32 %%p23, %%r3, %d; @%%p23 bra L%d;\n", g.IntN(g.ctas), g.labels)
		defer fmt.Fprintf(&g.warps[w], "L%d:\n", g.labels)
	}
	switch {
	case k < 7:
		text := pick(g, "%sbar.warp.sync %d;\n", "%sbar.warp.sync %d;\n", "%sshfl.sync.idx.b32 %%r63, %%r2, 0, 31, %d;\n")
		fmt.Fprintf(&g.warps[w], text, guard(mask), mask)
	case k < 10:
		fmt.Fprintf(&g.warps[w], "%s%s;\n", guard(mask), pick(g, "membar.cta", "membar.gl", "fence.acq_rel.gpu", "fence.acq_rel.cta", "fence.sc.sys"))
	case k < 16 && g.strong:
		g.strongAccess(w, mask)
	default:
		g.plainAccess(w, guard(mask))
	}
}

func pick(g *generator, of ...string) string { return of[g.IntN(len(of))] }

// barrier adds a barrier at which some of the warps wait, while others may only arrive. Each barrier has its own
// number, so that no two are confused.
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
	text := pick(g, "st.{release,relaxed}.S.P.u32 A, 5;", "st.release.S.P.u32 A, 6;", "st.volatile.P.u32 A, 5;", "st.volatile.P.u32 A, 6;")
	if !g.stores || g.IntN(3) > 0 {
		text = pick(g,
			"atom.{acq_rel,acquire,release,relaxed}.S.P.add.u32 %r61, A, 1;", "atom.acq_rel.S.P.exch.b32 %r61, A, 3;", "red.relaxed.S.P.add.u32 A, 1;",
			"ld.{acquire,relaxed}.S.P.u32 %r61, A;", "ld.acquire.S.P.u32 %r61, A;", "ld.volatile.P.u32 %r61, A;")
	}
	if from, to := strings.Index(text, "{"), strings.Index(text, "}"); from >= 0 {
		text = text[:from] + pick(g, strings.Split(text[from+1:to], ",")...) + text[to+1:]
	}
	space, address := g.place(4, g.IntN(2)*4)
	if g.decides && strings.Contains(text, "%r61") {
		text = strings.ReplaceAll(text, "%r61", decidingReg)
	}
	fmt.Fprintf(&g.warps[w], "%s%s\n", guard(mask), strings.NewReplacer("S.", scope+".", "P.", space+".", "A", address).Replace(text))
	if strings.Contains(text, decidingReg) {
		fence := pick(g, "", "@%p22 membar.gl;", "@%p22 fence.acq_rel.cta;")
		fmt.Fprintf(&g.warps[w], "setp.%s.and.u32 %%p22, %s, %d, %%p%d; %s\n", pick(g, "ge", "ne", "lt"), decidingReg, g.IntN(6), mask, fence)
		g.plainAccess(w, "@%p22 ")
	}
}

func (g *generator) plainAccess(w int, guard string) {
	size := []int{4, 4, 4, 4, 1, 2, 8}[g.IntN(7)]
	space, address := g.place(size, []int{0, 0, size}[g.IntN(3)])
	if g.IntN(2) == 0 {
		fmt.Fprintf(&g.warps[w], "%sld.%s.u%d %%r%s, %s;\n", guard, space, 8*size, map[bool]string{true: "d61", false: "61"}[size == 8], address)
		return
	}
	fmt.Fprintf(&g.warps[w], "%sst.%s.u%d %s, %d;\n", guard, space, 8*size, address, g.IntN(3))
}

// place returns a random location of the size in shared or global memory. Unless stride is 0, it is stride bytes
// further for each lane.
func (g *generator) place(size, stride int) (space, address string) {
	off := g.IntN(4*max(g.words, (size+3)/4)/size) * size
	if g.IntN(3) == 0 {
		return "shared", fmt.Sprintf("[%%r7%d+%d]", stride, off)
	}
	return "global", fmt.Sprintf("[%%rd7%d+%d]", stride, off)
}

// TestRandomRacesMatchDefinition compares the check with the definitions on random kernels: every reported race is one,
// with the reported severity; if there are races, it reports some; and it misses hardly any pair of instructions.
func TestRandomRacesMatchDefinition(t *testing.T) {
	short.Alternates(t, 1, 3)
	kernels := short.Of(1500)
	var racy, pairs, missed, milder, silent int
	for seed := range uint64(kernels) {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 1))}
		g.generate()
		src := g.kernel(order{})
		got, want := checkBoth(t, src, g.ctas)
		for key, s := range got {
			if s > want[key] {
				t.Fatalf("seed %d: %v is no race of severity %d; there are %v\n%s", seed, key, s, want, src)
			}
		}
		for key, s := range want {
			switch pairs++; {
			case got[key] == 0:
				t.Logf("seed %d: %v of severity %d is missed: stores %v, decides %v", seed, key, s, g.stores, g.decides)
				missed++
			case got[key] < s:
				t.Logf("seed %d: %v of severity %d is reported as %d: stores %v, decides %v", seed, key, s, got[key], g.stores, g.decides)
				milder++
			}
		}
		if len(want) > 0 {
			racy++
		}
		if len(want) > 0 && len(got) == 0 {
			silent++
		}
	}
	t.Logf("%d of %d kernels have races, of %d pairs of instructions; %d pairs are missed, %d reported as milder, in %d kernels all", racy, kernels, pairs, missed, milder, silent)
	if silent > 0 || missed > pairs/1000 || milder > pairs/1000 {
		t.Error("too many races are missed")
	}
	if racy < kernels/4 || racy > kernels*3/4 {
		t.Error("too few or too many kernels have races to tell much")
	}
}

// TestOrderDoesNotShow: the same races are found in every order of CTAs and warps, if nothing depends on values read.
func TestOrderDoesNotShow(t *testing.T) {
	short.Alternates(t, 0, 3)
	n := 0
	for seed := range uint64(short.Of(400)) {
		g := generator{Rand: rand.New(rand.NewPCG(seed, 2))}
		if g.generate(); g.decides {
			continue
		}
		first, _ := checkBoth(t, g.kernel(order{}), g.ctas)
		for w := range randomWarps {
			for _, o := range []order{{false, w}, {true, w}} {
				src := g.kernel(o)
				again, _ := checkBoth(t, src, g.ctas)
				// The order needs one more instruction.
				if diff := cmp.Diff(shifted(first, o), again); diff != "" {
					t.Fatalf("seed %d, %+v (-first +again):\n%s\n%s", seed, o, diff, src)
				}
			}
		}
		if len(first) > 0 {
			n++
		}
	}
	if n < short.Of(100) {
		t.Errorf("only %d kernels have races", n)
	}
}

// shifted returns races with the PCs that they have in the kernel of an order.
func shifted(races map[[2]int]severity, o order) map[[2]int]severity {
	if !o.reverse {
		return races
	}
	s := make(map[[2]int]severity)
	for key, v := range races {
		s[[2]int{key[0] + 1, key[1] + 1}] = v
	}
	return s
}

// checkBoth runs a kernel under the check and the oracle.
func checkBoth(t *testing.T, src string, ctas int) (got, want map[[2]int]severity) {
	t.Helper()
	mod := parsed(t, src)
	rec := &recorder{fn: mod.Entry("k"), grid: isa.Dim{X: uint32(ctas), Y: 1, Z: 1}, warps: randomWarps, waiting: make(map[[2]int64][]int)}
	m, l, _ := launchOf(t, mod, interp.Config{}, rec.grid, dim(randomWarps*threadsPerWarp, 1, 1))
	l.Observe(rec)
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	got = make(map[[2]int]severity)
	for _, f := range pairs(races.Findings()) {
		s := inNoOrder
		switch f.Rule {
		case check.RaceLockstep:
			s = inLockstep
		case check.RaceSameValue:
			s = writesSame
		}
		got[[2]int{min(f.Earlier.PC, f.Later.PC), max(f.Earlier.PC, f.Later.PC)}] = s
	}
	return got, newOracle(rec).races()
}
