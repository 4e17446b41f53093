package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// patterns are offsets of a warp's lanes in an array, given the size of an element: %r40 is set to them.
var patterns = []string{
	"mul.lo.u32 %r40, %r2, SIZE;", // a row for each half warp
	"mul.lo.u32 %r40, %r2, SIZE;",
	"mul.lo.u32 %r40, %r1, SIZE;",                         // rows of its own
	"mul.lo.u32 %r40, %r1, SIZE;",                         // as often
	"mul.lo.u32 %r40, %r2, SIZE; add.u32 %r40, %r40, 8;",  // not at the start of a row
	"and.b32 %r40, %r2, 15; mul.lo.u32 %r40, %r40, SIZE;", // both halves the same
	"shr.u32 %r40, %r2, 4; mul.lo.u32 %r40, %r40, 64;",    // a word for each half
	"shr.u32 %r40, %r2, 4; mul.lo.u32 %r40, %r40, 8;",     // in one row
	"mov.u32 %r40, 16;",                                   // one word
	"sub.u32 %r40, 31, %r2; mul.lo.u32 %r40, %r40, SIZE;", // backwards
	"mul.lo.u32 %r40, %r2, 24;",                           // strided
	"xor.b32 %r40, %r2, 16; mul.lo.u32 %r40, %r40, SIZE;", // halves exchanged
	"and.b32 %r40, %r2, 15; shr.u32 %r41, %r2, 4; mul.lo.u32 %r41, %r41, 3; mad.lo.u32 %r40, %r40, SIZE, %r41;", // overlapping
}

// rowGenerator writes a kernel in which all warps execute the same accesses of whole warps, some with a guard.
type rowGenerator struct {
	*rand.Rand
	b      strings.Builder
	strong bool
	exited bool // lanes have
	labels int
	loop   int // label of the loop around the access; 0 outside of loops
}

func (g *rowGenerator) pick(of ...string) string { return of[g.IntN(len(of))] }

// kernel returns the text of a random kernel.
func (g *rowGenerator) kernel() string {
	g.strong = g.IntN(4) == 0
	g.b.WriteString(prologue + " mov.u32 %r50, s; cvt.u64.u32 %rd50, %r50; mov.u32 %r62, 0;\n")
	for range 4 + g.IntN(10) {
		g.step()
	}
	return g.b.String() + "END: ret;\n}\n"
}

// step adds an access, a barrier, a fence or a loop.
func (g *rowGenerator) step() {
	switch k := g.IntN(20); {
	case k < 5:
		g.b.WriteString("bar.sync 0;\n")
	case k == 5 && g.exited:
		g.b.WriteString("setp.lt.u32 %p6, %r2, 20; @%p6 bar.warp.sync 0xfffff;\n")
	case k == 5:
		g.b.WriteString("bar.warp.sync 0xffffffff;\n")
	case k == 6:
		g.b.WriteString(g.pick("membar.gl;\n", "membar.cta;\n", "setp.lt.u32 %p6, %r2, 7; @%p6 bar.warp.sync 127;\n"))
	case k < 9:
		g.labels++
		n := g.labels
		fmt.Fprintf(&g.b, "mov.u32 %%r7%d, 0;\nL%d:\n", n, n)
		g.loop = n
		g.access()
		rounds := fmt.Sprint(2 + g.IntN(3))
		if g.IntN(3) == 0 { // lanes leave the loop one after the other
			rounds = "%r43"
		} else if g.IntN(2) == 0 {
			g.b.WriteString("bar.sync 0;\n")
		}
		g.access()
		g.loop = 0
		g.b.WriteString("and.b32 %r43, %r2, 3; ")
		fmt.Fprintf(&g.b, "add.u32 %%r7%d, %%r7%d, 1; setp.lt.u32 %%p9, %%r7%d, %s; @%%p9 bra L%d;\n", n, n, n, rounds, n)
	case k == 10 && g.IntN(3) == 0: // lanes end, or warps
		g.exited = true
		fmt.Fprintf(&g.b, "%s @%%p8 bra END;\n", g.pick("setp.ge.u32 %p8, %r2, 20;", "setp.ge.u32 %p8, %r1, 32;", "setp.lt.u32 %p8, %r1, 32;"))
	case k == 9: // some lanes
		g.labels++
		n := g.labels
		fmt.Fprintf(&g.b, "%s bra L%d;\n", g.pick("setp.lt.u32 %p8, %r2, 16; @%p8", "setp.lt.u32 %p8, %r2, 16; @!%p8", "setp.eq.u32 %p8, %r2, 5; @!%p8", "setp.lt.u32 %p8, %r1, 40; @%p8"), n)
		g.access()
		g.access()
		fmt.Fprintf(&g.b, "L%d:\n", n)
	default:
		g.access()
	}
}

// access adds an access of all lanes, or of some.
func (g *rowGenerator) access() {
	size := []int{4, 4, 4, 4, 4, 1, 1, 2, 8}[g.IntN(9)]
	g.b.WriteString(strings.ReplaceAll(patterns[g.IntN(len(patterns))], "SIZE", fmt.Sprint(size)))
	off := []int{0, 0, 64, 128, 256, 4}[g.IntN(6)] * max(size, 4) / 4
	if size == 1 && g.IntN(2) == 0 {
		g.b.WriteString(" shl.b32 %r40, %r40, 2;") // a byte of each word
		off += g.IntN(2) * 2
	}
	if g.loop > 0 && g.IntN(2) == 0 { // elsewhere in each round
		fmt.Fprintf(&g.b, " mad.lo.u32 %%r40, %%r7%d, %s, %%r40;", g.loop, g.pick("64", "128", "32"))
	}
	guard := ""
	if g.IntN(3) == 0 {
		guard = "@%p5 "
		g.b.WriteString(g.pick("setp.lt.u32 %p5, %r2, 16;", "setp.ge.u32 %p5, %r2, 16;", "setp.lt.u32 %p5, %r2, 5;",
			"setp.eq.u32 %p5, %r4, 1;", "setp.ne.u32 %p5, %r4, 0;", "setp.eq.u32 %p5, %r3, 1;", "setp.lt.u32 %p5, %r1, 1;"))
	}
	space, place := "global", fmt.Sprintf("[%%rd40+%d]", off)
	fmt.Fprintf(&g.b, " and.b32 %%r40, %%r40, %d; cvt.u64.u32 %%rd40, %%r40;", 512-size)
	if g.IntN(2) == 0 {
		space, place = "shared", fmt.Sprintf("[%%r41+%d]", off)
		g.b.WriteString(" add.u32 %r41, %r40, %r50;")
	} else {
		g.b.WriteString(" add.u64 %rd40, %rd40, %rd1;")
	}
	value := g.pick("%r1", "%r2", "%r3", "7", "%r62")
	reg := "%r62"
	if size == 8 {
		value, reg = g.pick("1", "2"), "%rd62"
	}
	text := g.pick("ld.S.uN R, A;", "ld.S.uN R, A;", "st.S.uN A, V;")
	if g.IntN(8) == 0 && size == 4 {
		text = "red.S.add.u32 A, 1;"
	}
	if g.strong && g.IntN(3) == 0 && size == 4 {
		text = g.pick("ld.volatile.S.u32 R, A;", "st.volatile.S.u32 A, V;", "atom.S.add.u32 R, A, 1; setp.lt.u32 %p7, %r62, 9; @%p7 membar.gl;")
	}
	fmt.Fprintf(&g.b, "\n%s%s\n", guard, strings.NewReplacer("S.", space+".", "uN", fmt.Sprint("u", 8*size), "R", reg, "A", place, "V", value).Replace(text))
}

// TestRowsAreLanes checks that accesses of half warps to whole rows, and what else is checked for several lanes at
// once, have the findings of each lane checked by itself, with all that is in them, and that compiled code has them,
// too.
func TestRowsAreLanes(t *testing.T) {
	short.Alternates(t, 1, 3)
	found := 0
	for seed := range uint64(short.Of(400)) {
		g := rowGenerator{Rand: rand.New(rand.NewPCG(seed, 4))}
		src := g.kernel()
		mod := parsed(t, src)
		ctas, threads := uint32(1+g.IntN(4)), []uint32{32, 64, 64, 96, 80}[g.IntN(5)]
		want := rowFindings(t, mod, interp.Config{Compile: interp.CompileNever}, ctas, threads, (*check.Races).ByLane)
		cfgs := []interp.Config{{Compile: interp.CompileNever}}
		if level := jit.AVX2 + jit.Level(seed%2); jit.Lacks(level) == nil {
			cfgs = append(cfgs, interp.Config{Compile: interp.CompileAlways, Lanes: level})
		}
		for _, cfg := range cfgs {
			for i, prepare := range []func(*check.Races){func(*check.Races) {}, (*check.Races).LogAll} {
				if got := rowFindings(t, mod, cfg, ctas, threads, prepare); !reflect.DeepEqual(want, got) {
					t.Fatalf("seed %d: by lane\n%+v\nby row, at level %v, %d\n%+v\n%s", seed, want, cfg.Lanes, i, got, src)
				}
			}
		}
		found += min(len(want), 1)
	}
	if n := short.Of(400); found < n/10 || found > n-n/20 {
		t.Errorf("%d of %d kernels have findings", found, n)
	}
}

// rowFindings runs a kernel under the check, which prepare changes.
func rowFindings(t *testing.T, mod *isa.Module, cfg interp.Config, ctas, threads uint32, prepare func(*check.Races)) []check.Finding {
	t.Helper()
	m, l, _ := launchOf(t, mod, cfg, dim(ctas, 1, 1), dim(threads, 1, 1))
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	prepare(races)
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatal(err)
	}
	return races.Findings()
}
