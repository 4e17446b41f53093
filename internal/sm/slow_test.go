package sm_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// slowKernel writes a kernel that ends, and fills a GPU of two SMs. In each round one thread of one block, the
// leader, works so long that a hang of the spinning GPU is suspected, and changes no memory until it sets the round's
// flag. All other threads wait for the flag in one way, or at a barrier of their block.
type slowKernel struct {
	*rand.Rand
	text   strings.Builder
	labels int
}

const slowBlocks, slowThreads = 4, 1024 // as many as reside

func (g *slowKernel) label() string { g.labels++; return fmt.Sprint("L", g.labels) }

// line writes instructions, in which A and B stand for labels.
func (g *slowKernel) line(text string, args ...any) {
	a, b := g.label(), g.label()
	if len(args) > 0 {
		text = fmt.Sprintf(text, args...)
	}
	g.text.WriteString(strings.NewReplacer("LOOP", a, "DONE", b).Replace(text) + "\n")
}

func (g *slowKernel) pick(of ...string) string { return of[g.IntN(len(of))] }

func (g *slowKernel) source() string {
	g.line("ld.param.u64 %rd1, [out];\nmov.u32 %r20, 0;\nmov.u32 %r21, buffer;\nmov.u32 %r22, barrier;\nmov.u32 %r23, %tid.x;\nmov.u32 %r24, %ctaid.x;")
	for round := range 1 + g.IntN(2) {
		flag := 4 * (1 + round)
		work, end := g.label(), g.label()
		fmt.Fprintf(&g.text, "setp.eq.u32 %%p1, %%r23, %d;\nsetp.eq.and.u32 %%p1, %%r24, %d, %%p1;\n@%%p1 bra %s;\n", 32*g.IntN(32), g.IntN(slowBlocks), work)
		if g.IntN(3) == 0 { // one warp of each block polls, and the others wait for it
			fmt.Fprintf(&g.text, "setp.ge.u32 %%p2, %%r23, 32;\n@%%p2 bra %s;\n", end)
		}
		g.wait(flag)
		fmt.Fprintf(&g.text, "bra %s;\n%s:\n", end, work)
		for range 1 + g.IntN(2) {
			g.work()
		}
		fmt.Fprintf(&g.text, "st.release.gpu.global.u32 [%%rd1+%d], 1;\n%s:\nbar.sync 0;\n", flag, end)
	}
	g.line("atom.global.add.u32 %r1, [%rd1], 1;\nret;")
	return ".version 8.0\n.target sm_90a\n.entry k(.param .u64 out) {\n.shared .align 128 .b8 buffer[2048];\n.shared .align 8 .b64 barrier;\n" +
		g.text.String() + "}\n"
}

// wait waits for a flag.
func (g *slowKernel) wait(flag int) {
	at := fmt.Sprintf("[%%rd1+%d]", flag)
	read := strings.ReplaceAll(g.pick("ld.volatile.global.u32 %r1, AT;", "ld.acquire.gpu.global.u32 %r1, AT;", "atom.global.or.b32 %r1, AT, 0;",
		"atom.global.cas.b32 %r1, AT, 9, 9;", "st.volatile.global.u32 [%rd1+128], 0;\nld.relaxed.gpu.global.u32 %r1, AT;"), "AT", at)
	switch g.IntN(5) {
	case 0: // backs off
		g.line("mov.u32 %r2, 8;\nLOOP:\n" + read + "\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra DONE;\nnanosleep.u32 %r2;\nshl.b32 %r2, %r2, 1;\nmin.u32 %r2, %r2, 256;\nbra LOOP;\nDONE:")
	case 1: // counts its attempts
		g.line("LOOP:\n" + read + "\nadd.u32 %r20, %r20, 1;\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra LOOP;")
	case 2: // reads the flag again after a delay
		g.line("LOOP:\nmov.u64 %rd2, %clock64;\nDONE:\nmov.u64 %rd3, %clock64;\nsub.u64 %rd3, %rd3, %rd2;\nsetp.lt.u64 %p2, %rd3, 200;\n@%p2 bra DONE;\n" + read + "\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra LOOP;")
	default:
		g.line("LOOP:\n" + read + "\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra LOOP;")
	}
}

// work takes a long time.
func (g *slowKernel) work() {
	n := 1000 + g.IntN(3000)
	switch g.IntN(8) {
	case 0: // computes
		g.line("mov.u32 %%r2, 0;\nLOOP:\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, %d;\n@%%p2 bra LOOP;", n)
	case 1: // reads memory that nothing changes
		g.line("mov.u32 %%r2, 0;\nLOOP:\nld.%s.u32 %%r3, [%%rd1];\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, %d;\n@%%p2 bra LOOP;", g.pick("volatile.global", "global", "relaxed.gpu.global"), n/8)
	case 2: // for a time
		clock := g.pick("%clock64", "%globaltimer")
		g.line("mov.u64 %%rd2, %s;\nLOOP:\nmov.u64 %%rd3, %s;\nsub.u64 %%rd3, %%rd3, %%rd2;\nsetp.lt.u64 %%p2, %%rd3, %d;\n@%%p2 bra LOOP;", clock, clock, 4*n)
	case 3: // polls a flag that is never set, with a limit
		g.line("mov.u64 %%rd2, %%clock64;\nLOOP:\nld.volatile.global.u32 %%r3, [%%rd1+120];\nsetp.ne.u32 %%p2, %%r3, 0;\n@%%p2 bra DONE;\nmov.u64 %%rd3, %%clock64;\nsub.u64 %%rd3, %%rd3, %%rd2;\nsetp.lt.u64 %%p2, %%rd3, %d;\n@%%p2 bra LOOP;\nDONE:", 4*n)
	case 4: // sleeps
		g.line("mov.u32 %%r2, 0;\nLOOP:\nnanosleep.u32 %d;\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, %d;\n@%%p2 bra LOOP;", n, 2+g.IntN(5))
	case 5: // tries an atomic that changes nothing
		g.line("mov.u32 %%r2, 0;\nLOOP:\natom.global.cas.b32 %%r3, [%%rd1+124], 1, 2;\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, %d;\n@%%p2 bra LOOP;", n/16)
	case 6: // waits for copies, which it starts again to the same memory: they change nothing
		g.line("mbarrier.init.shared.b64 [%r22], 1;\nmov.u32 %r2, 0;\nLOOP:\nmbarrier.arrive.expect_tx.shared.b64 %rd4, [%r22], 1024;\n" +
			"cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r21], [%rd1+256], 1024, [%r22];\nDONE:\nmbarrier.try_wait.shared.b64 %p2, [%r22], %rd4;\n@!%p2 bra DONE;")
		g.line("add.u32 %r2, %r2, 1;\nmbarrier.inval.shared.b64 [%r22];")
	default: // in a function with a counter of its caller
		g.line("mov.u32 %%r2, 0;\nLOOP:\nmov.u32 %%r3, 0;\nDONE:\nadd.u32 %%r3, %%r3, 1;\nsetp.lt.u32 %%p2, %%r3, 5;\n@%%p2 bra DONE;\nmov.u32 %%r3, 0;\nadd.u32 %%r2, %%r2, 1;\nsetp.lt.u32 %%p2, %%r2, %d;\n@%%p2 bra LOOP;", n/5)
	}
}

// TestSlowKernelsEnd: a kernel that changes no memory for a long time, while all other threads spin, is not a hang.
func TestSlowKernelsEnd(t *testing.T) {
	short.Alternates(t, 0, 3)
	asked := 0
	for seed := range uint64(short.Of(8)) {
		asked += checkSlowKernel(t, seed)
	}
	if asked == 0 {
		t.Error("no kernel was slow enough to be suspected")
	}
	t.Logf("proofs were tried %d times", asked)
}

// FuzzSlowKernels is TestSlowKernelsEnd for any seed.
func FuzzSlowKernels(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { checkSlowKernel(t, seed) })
}

// checkSlowKernel runs one random kernel. It returns how often a proof of a hang was tried.
func checkSlowKernel(t *testing.T, seed uint64) (asked int) {
	g := slowKernel{Rand: rand.New(rand.NewPCG(seed, 4))}
	k := kerneltest.Kernel{Source: g.source(), Grid: kerneltest.Dim(slowBlocks, 1), Block: kerneltest.Dim(slowThreads, 1), Words: []int{1024}}
	k.Config.GPU, k.Config.Lanes, k.Config.Compile = gpu.H100(), kerneltest.LevelOf(seed), kerneltest.CompilationOf(seed)
	k.Config.GPU.SMs = 2
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		p := new(functional.Prover)
		s, err := sm.Begin(m, l, sm.Options{Prove: func(g *interp.Grid, ctas []*interp.CTA, waiting int64, steps uint64) error {
			asked++
			return p.Prove(g, ctas, waiting, steps)
		}})
		if err != nil {
			return interp.Stats{}, err
		}
		err = s.Continue(context.Background())
		return s.Stats(), err
	}
	out, stats, err := k.Run(t)
	if err != nil || out[0][0] != slowBlocks*slowThreads {
		t.Errorf("seed %d, after %d instructions: %v; %d threads have ended\n%s", seed, stats.WarpInstrs, err, out[0][0], k.Source)
	}
	return asked
}
