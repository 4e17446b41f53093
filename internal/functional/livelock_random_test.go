package functional_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// relay is a program that ends by construction. Its threads belong to agents: CTAs, warps, or lanes of one warp. In
// each of its rounds one agent, the leader, works and then sets a flag on which the others spin. The work is short
// loops and calls that leave the registers of the loop's function unchanged, so that they look endless; the change is
// in a caller, in memory, or in the time. Every thread sums the results of its work.
type relay struct {
	*rand.Rand
	agents relayAgents
	n      int // number of agents
	rounds int
	text   strings.Builder
	labels int
	want   []uint32 // sum by agent
}

type relayAgents uint8

const (
	relayCTAs relayAgents = iota
	relayWarps
	relayLanes // each agent is every n-th lane of one warp
	numRelayAgents
)

// relayFuncs are what the agents call: leaf gives n after a loop of n rounds,
// tree adds up 2^d leaves of 4, chain calls itself d times and counts its calls,
// now reads a clock, and took polls a word once.
const relayFuncs = `
.func (.reg .u32 r) leaf(.reg .u32 n)
{
	.reg .u32 %i; .reg .pred %q;
	mov.u32 %i, 0;
L:	add.u32 %i, %i, 1;
	setp.lt.u32 %q, %i, n;
	@%q bra L;
	mov.u32 r, %i;
	ret;
}
.func (.reg .u32 r) tree(.reg .u32 d)
{
	.reg .u32 %a, %b, %m; .reg .pred %q;
	setp.eq.u32 %q, d, 0;
	@%q bra LEAF;
	sub.u32 %m, d, 1;
	call (%a), tree, (%m);
	call (%b), tree, (%m);
	add.u32 r, %a, %b;
	ret;
LEAF:
	mov.u32 %m, 4;
	call (r), leaf, (%m);
	ret;
}
.func (.reg .u32 r) chain(.reg .u32 d)
{
	.reg .u32 %a, %m; .reg .pred %q;
	mov.u32 %m, 3;
	call (%a), leaf, (%m);
	setp.eq.u32 %q, d, 0;
	@%q bra END;
	sub.u32 %m, d, 1;
	call (%a), chain, (%m);
	add.u32 r, %a, 1;
	ret;
END:
	mov.u32 r, 1;
	ret;
}
.func (.reg .u32 r) now()
{
	mov.u32 r, %clock;
	ret;
}
.func (.reg .u32 r) took(.reg .u64 at)
{
	ld.volatile.global.u32 r, [at];
	ret;
}
`

// newRelay makes the program of a seed.
func newRelay(seed uint64) *relay {
	g := &relay{Rand: rand.New(rand.NewPCG(seed, 11))}
	g.agents, g.n, g.rounds = relayAgents(seed%uint64(numRelayAgents)), 2+g.IntN(2), 1+g.IntN(3)
	g.want = make([]uint32, g.n)
	id := map[relayAgents]string{
		relayCTAs:  "mov.u32 %id, %ctaid.x;",
		relayWarps: "mov.u32 %id, %warpid;",
		relayLanes: fmt.Sprintf("mov.u32 %%id, %%laneid;\n\trem.u32 %%id, %%id, %d;", g.n),
	}[g.agents]
	g.line(`.global .u32 flags[64];
.entry k(.param .u64 out)
{
	.reg .u32 %%id, %%sum, %%v, %%fuel, %%mine, %%arg, %%zero; .reg .u64 %%flag, %%aim; .reg .pred %%p, %%q;
	.shared .u32 own[1024]; .local .u32 spilt;
	%s
	mov.u32 %%sum, 0;
	mov.u32 %%zero, 0;
	mov.u32 %%mine, %%tid.x;
	shl.b32 %%mine, %%mine, 2;
	mov.u32 %%v, own;
	add.u32 %%mine, %%mine, %%v;`, id)
	for round := range g.rounds {
		g.round(round)
	}
	g.line("\tmov.u32 %%r1, %%sum;%s%s", kerneltest.StoreR1, relayFuncs)
	return g
}

func (g *relay) line(format string, args ...any) { fmt.Fprintf(&g.text, format+"\n", args...) }

func (g *relay) label() string { g.labels++; return fmt.Sprint("L", g.labels) }

// round has one agent work and set the flag, and the others wait.
func (g *relay) round(round int) {
	leader := g.IntN(g.n)
	wait, end := g.label(), g.label()
	g.line("\tmov.u64 %%flag, flags+%d;\n\tsetp.ne.u32 %%p, %%id, %d;\n\t@%%p bra %s;", 4*round, leader, wait)
	for range 1 + g.IntN(3) {
		g.want[leader] += g.work()
	}
	g.line("\tst.volatile.global.u32 [%%flag], 1;\n\tbra %s;\n%s:", end, wait)
	for range g.IntN(2) {
		v := g.work()
		for agent := range g.want {
			if agent != leader {
				g.want[agent] += v
			}
		}
	}
	g.poll(leader)
	g.line("%s:", end)
}

// work emits code that ends, and returns what it adds to the sum.
func (g *relay) work() uint32 {
	n := uint32(1 + g.IntN(5)) // rounds of a leaf
	leaf := fmt.Sprintf("mov.u32 %%arg, %d;\n\tcall (%%v), leaf, (%%arg);", n)
	add := "add.u32 %sum, %sum, %v;"
	loop, fuel := g.label(), uint32(100+g.IntN(2000))
	switch g.IntN(9) {
	case 0: // the same call repeatedly in a straight line: the caller is at another PC
		for range 50 + g.IntN(300) {
			g.line("\t%s", leaf)
		}
		g.line("\t%s", add)
		return n
	case 1: // the leaves have other callers
		d := 5 + g.IntN(6)
		g.line("\tmov.u32 %%arg, %d;\n\tcall (%%v), tree, (%%arg);\n\t%s", d, add)
		return 4 << d
	case 2:
		d := uint32(50 + g.IntN(200))
		g.line("\tmov.u32 %%arg, %d;\n\tcall (%%v), chain, (%%arg);\n\t%s", d, add)
		return d + 1
	case 3: // the counter is the caller's
		g.line("\tmov.u32 %%fuel, %d;\n%s:\n\t%s\n\tsub.u32 %%fuel, %%fuel, 1;\n\tsetp.ne.u32 %%q, %%fuel, 0;\n\t@%%q bra %s;\n\t%s", fuel, loop, leaf, loop, add)
		return n
	case 4: // in local memory
		g.line("\tst.local.u32 [spilt], %d;\n%s:\n\t%s\n\tld.local.u32 %%fuel, [spilt];\n\tsub.u32 %%fuel, %%fuel, 1;\n\tst.local.u32 [spilt], %%fuel;\n\tsetp.ne.u32 %%q, %%fuel, 0;\n\tmov.u32 %%fuel, 0;\n\t@%%q bra %s;\n\t%s", fuel, loop, leaf, loop, add)
		return n
	case 5: // in shared memory, changed by an atomic
		g.line("\tst.shared.u32 [%%mine], %d;\n%s:\n\t%s\n\tatom.shared.add.u32 %%fuel, [%%mine], -1;\n\tsetp.ne.u32 %%q, %%fuel, 1;\n\tmov.u32 %%fuel, 0;\n\t@%%q bra %s;\n\t%s", fuel, loop, leaf, loop, add)
		return n
	case 6: // in the time
		g.line("\tcall (%%fuel), now;\n%s:\n\tcall (%%arg), now;\n\tsub.u32 %%arg, %%arg, %%fuel;\n\tsetp.lt.u32 %%q, %%arg, %d;\n\tmov.u32 %%arg, 0;\n\t@%%q bra %s;\n\tmov.u32 %%v, 1;\n\t%s", loop, 20*fuel, loop, add)
		return 1
	case 7: // in a .param variable
		g.line("\t{\n\t.param .b32 left;\n\tst.param.b32 [left], %d;\n%s:\n\t%s\n\tld.param.b32 %%fuel, [left];\n\tsub.u32 %%fuel, %%fuel, 1;\n\tst.param.b32 [left], %%fuel;\n\tsetp.ne.u32 %%q, %%fuel, 0;\n\tmov.u32 %%fuel, 0;\n\t@%%q bra %s;\n\t}\n\t%s", fuel, loop, leaf, loop, add)
		return n
	default: // a call through a register, of who is called next
		g.line("\tmov.u64 %%aim, leaf;\n\tmov.u32 %%fuel, %d;\n%s:\n\tmov.u32 %%arg, %d;\n\tcall (%%v), %%aim, (%%arg), T%s;\n\tsub.u32 %%fuel, %%fuel, 1;\n\tsetp.ne.u32 %%q, %%fuel, 0;\n\t@%%q bra %s;\n\t%s", fuel, loop, n, loop, loop, add)
		g.line("T%s:\t.callprototype (.reg .u32 _) _ (.reg .u32 _);", loop)
		return n
	}
}

// poll emits a loop that ends when the leader has set the flag.
func (g *relay) poll(leader int) {
	again, agree := g.label(), ""
	g.line("%s:", again)
	if g.IntN(3) == 0 { // the waiting lanes stay together
		group := uint32(0)
		for lane := range 32 {
			if g.agents != relayLanes || lane%g.n != leader {
				group |= 1 << lane
			}
		}
		sync := g.IntN(3)
		if sync < 2 { // they may read the flag one after the other: either all continue, or none
			agree = fmt.Sprintf("\n\tvote.sync.any.pred %%q, %%q, 0x%x;", group)
		}
		g.line("\t%s", [...]string{
			fmt.Sprintf("bar.warp.sync 0x%x;", group),
			fmt.Sprintf("setp.eq.u32 %%q, %%zero, 0;\n\tvote.sync.ballot.b32 %%v, %%q, 0x%x;", group),
			"activemask.b32 %v;",
		}[sync])
	}
	switch g.IntN(6) {
	case 0:
		g.line("\tcall (%%v), took, (%%flag);")
	case 1:
		g.line("\tmov.u32 %%arg, 4;\n\tcall (%%v), leaf, (%%arg);\n\tld.volatile.global.u32 %%v, [%%flag];")
	case 2:
		g.line("\tatom.global.cas.b32 %%v, [%%flag], 7, 7;")
	case 3:
		g.line("\tadd.u32 %%fuel, %%fuel, 1;\n\tld.volatile.global.u32 %%v, [%%flag];")
	case 4:
		g.line("\tmov.u32 %%arg, 3;\n\tcall (%%v), tree, (%%arg);\n\tcall (%%v), took, (%%flag);")
	default:
		g.line("\tld.volatile.global.u32 %%v, [%%flag];")
	}
	g.line("\tsetp.eq.u32 %%q, %%v, 0;%s\n\t@%%q bra %s;", agree, again)
}

// wrong runs the program under a model, and returns an error text, or "".
func (g *relay) wrong(t *testing.T, cfg interp.Config) string {
	k := kerneltest.Kernel{Source: g.text.String(), Config: cfg, Words: []int{32 * g.n}, Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(32, 1)}
	switch g.agents {
	case relayCTAs:
		k.Grid.X = uint32(g.n)
	case relayWarps:
		k.Block.X = uint32(32 * g.n)
	}
	out, _, err := k.Run(t)
	var hang *interp.Hang
	switch {
	case g.agents == relayLanes && cfg.Divergence != divergence.IndependentThreads && errors.As(err, &hang):
		return "" // lanes that wait for others of their warp may wait for ever
	case err != nil:
		return err.Error()
	}
	for i, sum := range out[0] {
		agent := i / 32
		if g.agents == relayLanes {
			if agent = i % g.n; i >= 32 {
				break
			}
		}
		if sum != g.want[agent] {
			return fmt.Sprintf("thread %d comes to %d, want %d", i, sum, g.want[agent])
		}
	}
	return ""
}

// compileWhen is when functions of random programs are compiled.
var compileWhen = []interp.Compilation{interp.CompileAlways, interp.CompileWanted, interp.CompileHot}

func checkRelay(t *testing.T, seed uint64) {
	t.Helper()
	g := newRelay(seed)
	for _, cfg := range []interp.Config{
		{Divergence: divergence.ReconvergenceStack}, {Divergence: divergence.LowestPC}, {Divergence: divergence.IndependentThreads}, {Divergence: divergence.IndependentThreads, Split: seed + 1},
	} {
		cfg.PathOrder, cfg.MaxSteps, cfg.Compile = kerneltest.Orders[seed%3], 1e7, compileWhen[seed/3%3]
		if msg := g.wrong(t, cfg); msg != "" {
			t.Fatalf("seed %d, %v, %v, %v, split %d: %s\nin %d agents of\n%s", seed, cfg.Divergence, cfg.PathOrder, cfg.Compile, cfg.Split, msg, g.n, g.text.String())
		}
	}
}

// TestNoEndingProgramHangs: programs that end by construction do, and are not reported as hanging, under all models.
// Only if lanes wait for others of their warp may the models without forward progress of every lane report a hang.
func TestNoEndingProgramHangs(t *testing.T) {
	t.Parallel()
	for seed := range uint64(short.Of(120)) {
		if short.Waits(int(seed), 12) {
			continue
		}
		checkRelay(t, seed)
	}
}

// FuzzEndingPrograms is TestNoEndingProgramHangs for further seeds.
func FuzzEndingPrograms(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkRelay)
}
