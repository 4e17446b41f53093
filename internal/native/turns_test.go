package native_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// between is code in which warps exchange words through shared memory, before and behind barriers, so that each word
// depends on the order of all; middle is in a loop between two of them.
func between(rounds int, middle string) string {
	return fmt.Sprintf(`
	.shared .b32 s[1056];
	mov.u32 %%r2, %%tid.x;
	mad.lo.u32 %%r1, %%ctaid.x, 77, %%r2;
	mul.lo.u32 %%r3, %%r2, 4;
	mov.u32 %%r4, s;
	add.u32 %%r3, %%r3, %%r4;
	shr.u32 %%r20, %%r2, 5;
	mov.u32 %%r5, 0;
	st.shared.u32 [%%r3], %%r1;
ROUND:
	bar.sync 0;
	ld.shared.u32 %%r6, [%%r3+36];
	mad.lo.u32 %%r1, %%r1, 3, %%r6;
%s
	bar.sync 0;
	st.shared.u32 [%%r3], %%r1;
	add.u32 %%r5, %%r5, 1;
	setp.lt.u32 %%p1, %%r5, %d;
	@%%p1 bra ROUND;
`, middle, rounds)
}

// wait is a loop of n iterations.
func wait(label string, n int) string {
	return fmt.Sprintf("\tmov.u32 %%r9, 0;\n%[1]s:\n\tadd.u32 %%r9, %%r9, 1;\n\tsetp.lt.u32 %%p9, %%r9, %[2]d;\n\t@%%p9 bra %[1]s;\n", label, n)
}

// turnCases are kernels whose warps do not all do the same between barriers.
var turnCases = map[string]string{
	"nothing else": between(20, ""),
	"lanes diverge": between(20, `
	and.b32 %r7, %r1, 3;
	setp.eq.u32 %p2, %r7, 0;
	@%p2 bra EVEN;
	add.u32 %r1, %r1, %r2;
EVEN:
`),
	"time slices end": between(9, wait("L", 1000)),
	"one warp takes longer": between(9, `
	setp.ne.u32 %p2, %r20, 1;
	@%p2 bra SHORT;
`+wait("L", 3000)+`
SHORT:
`),
	"one warp leaves code": between(9, `
	setp.ne.u32 %p2, %r20, 1;
	@%p2 bra SHORT;
	shfl.sync.bfly.b32 %r1, %r1, 1, 31, -1;
SHORT:
`),
	"one warp ends first": between(9, `
	setp.eq.u32 %p2, %r20, 1;
	setp.eq.and.u32 %p2, %r5, 4, %p2;
	@%p2 bra OUT;
`) + "\tbra GOON;\nOUT:\n\tret;\nGOON:\n",
	"warps end one by one": between(9, `
	setp.eq.u32 %p2, %r20, %r5;
	@%p2 bra OUT;
`) + "\tbra GOON;\nOUT:\n\tret;\nGOON:\n",
	"some lanes end": between(9, `
	and.b32 %r7, %r2, 7;
	setp.eq.u32 %p2, %r7, %r5;
	@%p2 bra OUT;
`) + "\tbra GOON;\nOUT:\n\tret;\nGOON:\n",
	"another barrier": between(9, `
	setp.ne.u32 %p2, %r20, 0;
	@%p2 bra ELSE;
	bar.sync 3;
	add.u32 %r1, %r1, 5;
	bra JOIN;
ELSE:
	bar.sync 3;
JOIN:
`),
	"different barriers": between(9, `
	setp.ne.u32 %p2, %r20, 1;
	@%p2 bra ELSE;
	bar.sync 3;
ELSE:
	bar.sync 4;
`),
	"divergent barrier": between(9, `
	setp.ne.u32 %p2, %r2, 33;
	@%p2 barrier.sync 0;
	@!%p2 barrier.sync 0;
`),
	"arrivals": between(9, `
	setp.ne.u32 %p2, %r20, 0;
	@%p2 bra OTHERS;
	barrier.sync 5;
	bra JOIN;
OTHERS:
	barrier.arrive 5, %ntid.x;
JOIN:
`),
	"a fault": between(9, `
	setp.eq.u32 %p2, %r20, 1;
	setp.eq.and.u32 %p2, %r5, 4, %p2;
	@%p2 bra BAD;
	bra GOOD;
BAD:
	ld.shared.u32 %r1, [%r3+100000];
GOOD:
`),
	"registers live long": between(9, `
	add.u32 %r10, %r10, %ctaid.x;
	mad.lo.u32 %r11, %r5, 5, %r10;
	add.u32 %r12, %r2, %r11;
	shl.b32 %r13, %r2, 3;
	bar.sync 1;
	add.u32 %r1, %r1, %r11;
	setp.ne.u32 %p2, %r20, 1;
	@%p2 bra SHORT;
	shfl.sync.down.b32 %r1, %r13, 1, 31, -1;
SHORT:
	bar.sync 2;
	add.u32 %r1, %r1, %r12;
	add.u32 %r1, %r1, %r13;
`),
	"a lock": between(3, `
	.shared .b32 lock;
	setp.ne.u32 %p2, %laneid, 0;
	@%p2 bra DONE;
TRY:
	atom.shared.cas.b32 %r7, [lock], 0, 1;
	setp.ne.u32 %p3, %r7, 0;
	@%p3 bra TRY;
	ld.shared.u32 %r8, [s+1040];
	mad.lo.u32 %r8, %r8, 5, %r20;
	st.shared.u32 [s+1040], %r8;
	atom.shared.exch.b32 %r7, [lock], 0;
DONE:
`),
	"a call": between(5, "\tcall (%r1), twice, (%r1);"),
}

const twice = `
.func (.reg .u32 r) twice(.reg .u32 a)
{
	add.u32 r, a, a;
	ret;
}
`

// TestTurnsMatchLaneFunctions runs kernels whose warps take turns in compiled code: memory, counters and faults are
// those of lane functions.
func TestTurnsMatchLaneFunctions(t *testing.T) {
	for name, code := range turnCases {
		t.Run(name, func(t *testing.T) {
			for i, block := range []isa.Dim{kerneltest.Dim(96, 1), kerneltest.Dim(75, 1), kerneltest.Dim(16, 16), kerneltest.Dim(32, 1)} {
				for _, model := range []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack} {
					k := kerneltest.Kernel{Source: twice + wholeKernel(code), Grid: kerneltest.Dim(3, 1), Block: block, Words: []int{3 * 256},
						Config: interp.Config{Divergence: model, PathOrder: kerneltest.Orders[i%2], MaxSteps: 100000}}
					if diff := onBothBodies(t, k); diff != "" {
						t.Errorf("%v, %v (-lane functions +compiled):\n%s", block, model, diff)
					}
				}
			}
		})
	}
}

// TestTurnsStopAtLimits has warps run into the limit of their instructions at any place.
func TestTurnsStopAtLimits(t *testing.T) {
	for steps := uint64(2000); steps < 2000+30; steps++ {
		k := kerneltest.Kernel{Source: wholeKernel(between(2000, "")), Block: kerneltest.Dim(96, 1), Words: []int{96}, Config: interp.Config{MaxSteps: steps}}
		if diff := onBothBodies(t, k); diff != "" {
			t.Errorf("%d instructions (-lane functions +compiled):\n%s", steps, diff)
		}
	}
}

// TestRandomTurnsAgree puts the middles of cases behind each other, in random order and number.
func TestRandomTurnsAgree(t *testing.T) {
	for seed := range uint64(short.Of(60)) {
		r := rand.New(rand.NewPCG(seed, 7))
		code := randomMiddles(r)
		k := kerneltest.Kernel{Source: wholeKernel(between(1+r.IntN(200), code)), Grid: kerneltest.Dim(1+uint32(r.IntN(5)), 1),
			Block: kerneltest.Dim(33+uint32(r.IntN(200)), 1), Words: []int{5 * 256}, Config: interp.Config{Divergence: kerneltest.Models[seed%3], MaxSteps: 200000}}
		if diff := onBothBodies(t, k); diff != "" {
			t.Fatalf("seed %d, %v (-lane functions +compiled):\n%s\nin blocks of %d threads of\n%s", seed, k.Config.Divergence, diff, k.Block.X, k.Source)
		}
	}
}

// TestRandomStartsOfCTAsAgree has CTAs of such kernels start one in the place of the other, most of which code executes
// from their starts to their ends; some skip what others do.
func TestRandomStartsOfCTAsAgree(t *testing.T) {
	for seed := range uint64(short.Of(60)) {
		r := rand.New(rand.NewPCG(seed, 8))
		some := fmt.Sprintf("\trem.u32 %%r21, %%ctaid.x, %d;\n\tsetp.ne.u32 %%p8, %%r21, 1;\n\t@%%p8 bra SKIP;\n%s\nSKIP:\n", 1+r.IntN(9), randomMiddles(r))
		k := kerneltest.Kernel{Source: wholeKernel(between(1+r.IntN(3), some)), Grid: kerneltest.Dim(40, 1),
			Block: kerneltest.Dim(1+uint32(r.IntN(200)), 1), Words: []int{40 * 256},
			Config: interp.Config{Divergence: kerneltest.Models[seed%2], MaxSteps: 200000, Threads: 1 + int(seed/2%2)}}
		if diff := onBothBodies(t, k); diff != "" {
			t.Fatalf("seed %d, %v (-lane functions +compiled):\n%s\nin blocks of %d threads of\n%s", seed, k.Config.Divergence, diff, k.Block.X, k.Source)
		}
	}
}

// randomMiddles is the middles of some cases, with barriers between.
func randomMiddles(r *rand.Rand) string {
	var middles []string
	for _, name := range []string{"lanes diverge", "one warp takes longer", "one warp leaves code", "another barrier", "registers live long", "nothing else", "arrivals"} {
		_, code, _ := strings.Cut(turnCases[name], "%r1, 3, %r6;\n")
		middle, _, _ := strings.Cut(code, "\n\tbar.sync 0;\n\tst.shared")
		middles = append(middles, middle)
	}
	var code strings.Builder
	for n := range 1 + r.IntN(4) {
		middle := middles[r.IntN(len(middles))]
		for _, label := range []string{"EVEN", "SHORT", "ELSE", "JOIN", "OTHERS", "L"} {
			for _, use := range []string{"bra " + label + ";", "\n" + label + ":"} {
				middle = strings.ReplaceAll(middle, use, use[:len(use)-1]+fmt.Sprint(n)+use[len(use)-1:])
			}
		}
		code.WriteString(middle + "\n\tbar.sync 0;\n")
	}
	return code.String()
}
