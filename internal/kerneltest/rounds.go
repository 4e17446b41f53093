package kerneltest

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// Rounds is a random kernel k of loops around barriers. The counts of loops come from memory, and most loops change
// nothing but their counter: in a register, in local or shared memory, in a vote of the block, or in a function. So a
// proof that a launch hangs has many states to confuse.
type Rounds struct {
	Source  string
	Blocks  uint32
	Threads uint32   // of a block
	Want    []uint32 // at the end, by thread: the argument is a buffer of as many words
}

// RandomRounds returns the kernel of a seed. If endless is set, one of its loops does not count, and so never ends.
func RandomRounds(seed uint64, endless bool) Rounds {
	g := &roundsGrower{Rand: rand.New(rand.NewPCG(seed, 37)), quiet: endless}
	r := Rounds{Blocks: 1 + uint32(seed%2), Threads: []uint32{32, 64, 96, 100}[g.IntN(4)]}
	g.threads = make([]roundsThread, r.Threads)
	g.live = len(g.threads)
	for t := range g.threads {
		g.threads[t].tid = uint32(t)
	}
	for n := 1 + g.IntN(3); n > 0; n-- {
		g.statement(0)()
		g.leave()
	}
	if endless {
		g.loop(0, true)
	}
	for range r.Blocks {
		for t := range g.threads {
			r.Want = append(r.Want, g.threads[t].sum)
		}
	}
	r.Source = fmt.Sprintf(roundsFrame, max(len(g.counts), 1), joined(append(g.counts, 0)[:max(len(g.counts), 1)]), g.text.String())
	return r
}

// roundsFrame has the functions that the loops call, the counts, and the kernel: %r10 is the thread, %r11 its sum, %rd1
// the place of its result.
const roundsFrame = `.global .u32 counts[%d] = {%s};
.global .u32 ticks[2];
.func (.reg .u32 r) next(.reg .u32 n, .reg .u32 by)
{
	bar.sync 4;
	add.u32 r, n, by;
	ret;
}
.func down(.reg .u32 n)
{
	.reg .u32 %%m; .reg .pred %%q;
	bar.sync 0;
	setp.eq.u32 %%q, n, 0;
	@%%q bra END;
	sub.u32 %%m, n, 1;
	call down, (%%m);
	bar.sync 0;
END:
	ret;
}
.entry k(.param .u64 out)
{
	.local .u32 own; .shared .u32 x;
	mov.u32 %%r10, %%tid.x;
	mov.u32 %%r11, 0;
	mov.u32 %%r12, %%ctaid.x;
	mov.u32 %%r13, %%ntid.x;
	mad.lo.u32 %%r14, %%r12, %%r13, %%r10;
	ld.param.u64 %%rd1, [out];
	mad.wide.u32 %%rd1, %%r14, 4, %%rd1;
	mov.u64 %%rd2, ticks;
	mad.wide.u32 %%rd2, %%r12, 4, %%rd2;
	setp.eq.u32 %%p1, %%r10, 0;
	and.b32 %%r15, %%r10, 32;
	setp.eq.u32 %%p2, %%r15, 0;
	and.b32 %%r15, %%r10, 1;
	setp.eq.u32 %%p3, %%r15, 0;
%s	st.global.u32 [%%rd1], %%r11;
	ret;
}
`

func joined(words []uint32) string {
	return strings.Trim(strings.ReplaceAll(fmt.Sprint(words), " ", ", "), "[]")
}

// roundsThread is a thread of the reference.
type roundsThread struct{ tid, sum uint32 }

// roundsGrower grows a kernel. Each method that writes a statement returns what the statement does to the threads.
type roundsGrower struct {
	*rand.Rand
	quiet   bool // no loop changes memory that threads share
	text    strings.Builder
	names   int
	counts  []uint32
	threads []roundsThread
	live    int // threads that have not ended, the first ones
}

func (g *roundsGrower) line(format string, args ...any) {
	fmt.Fprintf(&g.text, "\t"+format+"\n", args...)
}

func (g *roundsGrower) label(name string) { fmt.Fprintf(&g.text, "%s:\n", name) }

// name returns a new number of registers and labels.
func (g *roundsGrower) name() int {
	g.names++
	return 20 + g.names
}

// statement writes a statement in as many loops.
func (g *roundsGrower) statement(depth int) (does func()) {
	switch n := g.IntN(8); {
	case n < 4 && depth < 3:
		return g.loop(depth, false)
	case n == 4:
		return g.descent()
	case n == 5:
		return g.divergence()
	case n == 6:
		return g.barrier()
	}
	return g.sum()
}

// sum adds to the sum of each thread, most often what further rounds do not change.
func (g *roundsGrower) sum() func() {
	by, n := g.Uint32N(1<<16), g.name()
	g.line("add.u32 %%r%d, %%r10, %d;", n, by)
	if g.quiet || g.IntN(4) > 0 {
		g.line("or.b32 %%r11, %%r11, %%r%d;", n)
		return g.each(func(t *roundsThread) { t.sum |= t.tid + by })
	}
	g.line("mad.lo.u32 %%r11, %%r11, 5, %%r%d;", n)
	return g.each(func(t *roundsThread) { t.sum = 5*t.sum + t.tid + by })
}

// each returns a statement of every live thread.
func (g *roundsGrower) each(do func(t *roundsThread)) func() {
	return func() {
		for t := range g.threads[:g.live] {
			do(&g.threads[t])
		}
	}
}

// barrier is a barrier of all threads. Warps may wait at two instructions.
func (g *roundsGrower) barrier() func() {
	n := g.name()
	switch g.IntN(4) {
	case 0:
		g.line("@%%p2 bra A%d;", n)
		g.line("bar.sync 2;")
		g.line("bra.uni B%d;", n)
		g.label(fmt.Sprint("A", n))
		g.line("bar.sync 2;")
		g.label(fmt.Sprint("B", n))
	case 1:
		g.line("bar.red.popc.u32 %%r%d, 1, %%p3;", n)
		g.line("or.b32 %%r11, %%r11, %%r%d;", n)
		return func() {
			even := uint32(g.live+1) / 2
			g.each(func(t *roundsThread) { t.sum |= even })()
		}
	case 2:
		g.line("barrier.sync 3;")
	default:
		g.line("bar.sync 0;")
	}
	return func() {}
}

// divergence is a loop without a barrier, in which lanes take different numbers of rounds.
func (g *roundsGrower) divergence() func() {
	n, rounds := g.name(), 1+g.Uint32N(4)
	g.line("and.b32 %%r%d, %%r10, 3;", n)
	g.label(fmt.Sprint("L", n))
	g.line("add.u32 %%r%d, %%r%d, 1;", n, n)
	g.line("setp.le.u32 %%p%d, %%r%d, %d;", n, n, rounds)
	g.line("@%%p%d bra L%d;", n, n)
	g.line("or.b32 %%r11, %%r11, %%r%d;", n)
	return g.each(func(t *roundsThread) { t.sum |= max(t.tid&3+1, rounds+1) })
}

// descent calls a function that calls itself, between barriers.
func (g *roundsGrower) descent() func() {
	n := g.name()
	g.count(n)
	g.line("call down, (%%r%d);", n)
	return func() {}
}

// count loads a new count from memory into a register.
func (g *roundsGrower) count(n int) uint32 {
	count := 1 + g.Uint32N(5)
	g.line("ld.global.u32 %%r%d, [counts+%d];", n, 4*len(g.counts))
	g.counts = append(g.counts, count)
	return count
}

// leave ends the last threads, after a statement outside of loops.
func (g *roundsGrower) leave() {
	if g.live <= 32 || g.IntN(4) > 0 {
		return
	}
	n := g.name()
	g.live -= 1 + g.IntN(g.live-32)
	g.line("setp.ge.u32 %%p%d, %%r10, %d;", n, g.live)
	g.line("@!%%p%d bra L%d;", n, n)
	g.line("st.global.u32 [%%rd1], %%r11;")
	g.line("ret;")
	g.label(fmt.Sprint("L", n))
}

// counter is how a loop counts: text before the loop, and at the end of each round.
type counter struct {
	begin, round []string
	loud         bool // changes memory that threads share
}

// counters are those of loops of N rounds. C and D are registers, W, V and X wide ones. The predicate P says if
// there is another round. BY is what a round adds, 0 in an endless loop.
var counters = []counter{
	{begin: []string{"mov.u32 C, 0;"}, round: []string{"add.u32 C, C, BY;", "bar.sync 0;", "setp.lt.u32 P, C, N;"}},
	{begin: []string{"mov.u32 C, 0;"}, round: []string{"add.u32 C, C, BY;", "setp.lt.u32 P, C, N;", "bar.red.or.pred P, 5, P;"}},
	{begin: []string{"mov.u32 C, 0;"}, round: []string{"@%p1 add.u32 C, C, BY;", "setp.ge.u32 P, C, N;", "bar.red.or.pred P, 0, P;", "not.pred P, P;"}},
	{begin: []string{"mov.u32 C, 0;"}, round: []string{"add.u32 C, C, BY;", "setp.lt.u32 P, C, N;", "bar.red.popc.u32 D, 1, P;", "setp.ne.u32 P, D, 0;", "mov.u32 D, 0;"}},
	{begin: []string{"st.local.u32 [own], 0;"}, round: []string{"ld.local.u32 C, [own];", "add.u32 C, C, BY;", "st.local.u32 [own], C;", "bar.sync 0;",
		"setp.lt.u32 P, C, N;", "mov.u32 C, 0;"}},
	{begin: []string{"mov.f32 C, 0f00000000;"}, round: []string{"cvt.rn.f32.u32 D, BY;", "add.f32 C, C, D;", "bar.sync 0;", "cvt.rn.f32.u32 D, N;", "setp.lt.f32 P, C, D;"}},
	{begin: []string{"mov.u64 W, 4294967295;", "cvt.u64.u32 V, N;", "add.u64 V, V, W;"}, round: []string{"cvt.u64.u32 X, BY;", "add.u64 W, W, X;", "bar.sync 0;", "setp.lt.u64 P, W, V;"}},
	{begin: []string{"mov.u32 C, 0;"}, round: []string{"call (C), next, (C, BY);", "setp.lt.u32 P, C, N;"}},
	{begin: []string{"mov.u32 C, 0;"}, round: []string{"call (C), next, (C, BY);", "bar.sync 6;", "setp.lt.u32 P, C, N;"}},
	{begin: []string{"bar.sync 0;", "@%p1 st.shared.u32 [x], 0;", "bar.sync 0;"}, loud: true,
		round: []string{"@%p1 ld.shared.u32 C, [x];", "@%p1 add.u32 C, C, BY;", "@%p1 st.shared.u32 [x], C;", "bar.sync 0;", "ld.shared.u32 C, [x];", "bar.sync 0;",
			"setp.lt.u32 P, C, N;", "mov.u32 C, 0;"}},
	{begin: []string{"bar.sync 0;", "@%p1 st.global.u32 [%rd2], 0;", "bar.sync 0;"}, loud: true,
		round: []string{"@%p1 red.global.add.u32 [%rd2], BY;", "bar.sync 0;", "ld.global.u32 C, [%rd2];", "bar.sync 0;", "setp.lt.u32 P, C, N;", "mov.u32 C, 0;"}},
}

// loop writes a loop around barriers, in as many loops.
func (g *roundsGrower) loop(depth int, endless bool) func() {
	n, c := g.name(), counters[g.IntN(len(counters))]
	for c.loud && g.quiet || depth > 0 && g.uses(&c) {
		c = counters[g.IntN(len(counters))]
	}
	by, limit, d := g.name(), g.name(), g.name()
	rounds := g.count(limit)
	step := 1
	if endless {
		step = 0
	}
	g.line("mov.u32 %%r%d, %d;", by, step)
	name := func(kind string, n int) string { return "%" + kind + strconv.Itoa(n) }
	names := strings.NewReplacer("BY", name("r", by), "N;", name("r", limit)+";", "C", name("r", n), "D", name("r", d),
		"P", name("p", n), "W", name("rd", n), "V", name("rd", by), "X", name("rd", d))
	write := func(lines []string) {
		for _, l := range lines {
			g.line("%s", names.Replace(l))
		}
	}
	write(c.begin)
	g.label(fmt.Sprint("L", n))
	var body []func()
	for k := 1 + g.IntN(2); k > 0; k-- {
		body = append(body, g.statement(depth+1))
	}
	write(c.round)
	g.line("@%%p%d bra L%d;", n, n)
	return func() {
		for range rounds {
			for _, does := range body {
				does()
			}
		}
	}
}

// uses reports whether a loop with a counter may spoil that of an outer loop: there is one word of each memory.
func (g *roundsGrower) uses(c *counter) bool {
	text := strings.Join(c.round, "")
	return strings.Contains(text, "[own]") || strings.Contains(text, "[x]") || strings.Contains(text, "[%rd2]")
}
