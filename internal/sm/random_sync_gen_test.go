package sm_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// syncGrower makes random kernels whose threads exchange values by every kind of copy, barrier, collective and atomic,
// and always in an order that the kernel ensures: what they leave in memory depends on nothing else. It executes each
// step, for one thread after the other, while it writes it.
//
// Each thread has registers and two slots of 4 words in shared memory, one in each half of tile. Steps follow each
// other after a barrier of the CTA, or of the cluster if they use other CTAs' shared memory.
type syncGrower struct {
	*rand.Rand
	text                      strings.Builder
	labels                    int
	ctas, size, threads, warp int // size is that of a cluster, warp the number of warps
	parity                    [numSyncBars]uint32
	subset                    int // threads that arrive at the mbarrier subsetBar
	regs                      [][][syncRegs]uint32
	tile                      [][]uint32 // by CTA
	in                        []uint32
	acc                       []uint64 // by accumulator
	copied                    []uint32 // by CTA, the slots of half 0 that bulk copies have left in global memory
	reduced                   []uint32 // the slots of a CTA, into which bulk copies reduce
	reduction                 string
	loop                      bool     // the step is in a loop
	effects                   []func() // of an iteration of that loop
	forgets, forgotten        bool     // threads do not wait for bulk copies to them; they have not waited
}

const (
	syncRegs  = 4
	inputs    = 1024 // words
	slotWords = 4
)

// The mbarriers of a CTA, by the arrivals that they expect.
const (
	allBar     = iota // every thread
	oneBar            // thread 0
	warpBar           // a lane of each warp
	copyBar           // every thread, when its copies are done
	peerBar           // thread 0; another CTA completes the transactions
	subsetBar         // threads of some warps
	sparingBar        // every thread, and a lane of each warp
	remoteBar         // every thread of another CTA
	numSyncBars
)

// syncAccumulators are the atomics of each accumulator: their order does not matter.
var syncAccumulators = []struct {
	op, typ string
	of      func(a, v uint64) uint64
}{
	{"add", "u32", func(a, v uint64) uint64 { return uint64(uint32(a + v)) }},
	{"min", "s32", func(a, v uint64) uint64 { return uint64(uint32(min(int32(a), int32(v)))) }},
	{"max", "u32", func(a, v uint64) uint64 { return max(a, v) }},
	{"and", "b32", func(a, v uint64) uint64 { return a & v }},
	{"or", "b32", func(a, v uint64) uint64 { return a | v }},
	{"xor", "b32", func(a, v uint64) uint64 { return a ^ v }},
	{"inc", "u32", nil},
	{"add", "u64", func(a, v uint64) uint64 { return a + v }},
	{"min", "s64", func(a, v uint64) uint64 { return uint64(min(int64(a), int64(v))) }},
	{"max", "u64", func(a, v uint64) uint64 { return max(a, v) }},
	{"xor", "b64", func(a, v uint64) uint64 { return a ^ v }},
	{"add", "f32", nil}, // of whole numbers, below
	{"add", "f64", nil},
}

// incBound is the operand of inc, and wholeBits are the bits of the whole numbers that float accumulators add.
const (
	incBound  = 6
	wholeBits = 15
)

// growSync makes a kernel. The buffer has what wantWords returns.
func growSync(seed uint64) *syncGrower {
	g := newSyncGrower(seed)
	g.grow()
	return g
}

func newSyncGrower(seed uint64) *syncGrower {
	return &syncGrower{Rand: rand.New(rand.NewPCG(seed, 13)), size: 1, acc: make([]uint64, len(syncAccumulators))}
}

func (g *syncGrower) grow() {
	g.warp = 1 + g.IntN(4)
	g.threads = 32 * g.warp
	if g.IntN(4) == 0 {
		g.threads -= g.IntN(31)
	}
	g.ctas = 1 + g.IntN(3)
	if g.IntN(2) == 0 {
		g.size = 2 << g.IntN(2)
		g.ctas = g.size * (1 + g.IntN(2))
	}
	g.subset = 32 * (1 + g.IntN(g.warp))
	if g.subset/32 == g.warp {
		g.subset = g.threads
	}
	for i := range inputs {
		g.in = append(g.in, uint32(i*i*2654435761>>7)^g.Uint32())
	}
	for c := range g.ctas {
		g.regs = append(g.regs, make([][syncRegs]uint32, g.threads))
		g.tile = append(g.tile, make([]uint32, 2*g.half()))
		for t := range g.threads {
			for r := range syncRegs {
				g.regs[c][t][r] = uint32(t*(2*r+1) + c*(99+r))
			}
		}
	}
	g.copied, g.reduced = make([]uint32, g.ctas*g.half()), make([]uint32, g.half())
	g.reduction = []string{"add", "max", "and", "or", "xor"}[g.IntN(5)]
	g.begin()
	for range 3 + g.IntN(6) {
		g.step()
	}
	g.end()
}

// half is the words of half a tile.
func (g *syncGrower) half() int { return g.threads * slotWords }

// wantWords returns the words that the kernel leaves in its buffer: the threads' registers, the accumulators, and the
// results of bulk copies.
func (g *syncGrower) wantWords() (all []uint32) {
	for c := range g.ctas {
		for t := range g.threads {
			all = append(all, g.regs[c][t][:]...)
		}
	}
	for _, v := range g.acc {
		all = append(all, uint32(v), uint32(v>>32))
	}
	for len(all)%4 != 0 {
		all = append(all, 0)
	}
	return append(append(all, g.copied...), g.reduced...)
}

// offsets returns where accumulators and copies begin in the buffer, in bytes.
func (g *syncGrower) offsets() (acc, copied, reduced int) {
	acc = 4 * g.ctas * g.half()
	copied = (acc + 8*len(g.acc) + 15) &^ 15
	return acc, copied, copied + 4*g.ctas*g.half()
}

func (g *syncGrower) begin() {
	g.text.WriteString(".version 8.6\n.target sm_90a\n.address_size 64\n.global .align 128 .u32 inputs[1024] = {")
	for i, v := range g.in {
		if i > 0 {
			g.text.WriteString(", ")
		}
		fmt.Fprint(&g.text, v)
	}
	g.text.WriteString("};\n")
	g.text.WriteString(".func await(.param .b32 bar, .param .b32 parity)\n{\n\t.reg .pred %p<3>;\n\t.reg .b32 %r<3>;\n")
	g.emit("ld.param.b32 %%r1, [bar]")
	g.emit("ld.param.b32 %%r2, [parity]")
	g.text.WriteString("W:\n")
	g.emit("mbarrier.try_wait.parity.shared::cta.b64 %%p1, [%%r1], %%r2")
	g.emit("@!%%p1 bra W")
	g.emit("ret")
	g.text.WriteString("}\n.visible .entry k(.param .u64 out)\n")
	if g.size > 1 {
		fmt.Fprintf(&g.text, ".reqnctapercluster %d\n", g.size)
	}
	fmt.Fprintf(&g.text, "{\n\t.reg .pred %%p<64>;\n\t.reg .b16 %%rs<4>;\n\t.reg .b32 %%r<128>;\n\t.reg .b64 %%rd<64>;\n\t.reg .f32 %%f<4>;\n\t.reg .f64 %%fd<4>;\n"+
		"\t.shared .align 128 .b32 tile[%d];\n\t.shared .align 8 .b64 bars[%d];\n", 2*g.half(), numSyncBars)
	g.emit("ld.param.u64 %%rd1, [out]")
	g.emit("mov.u64 %%rd2, inputs")
	g.emit("cvta.global.u64 %%rd2, %%rd2")
	g.emit("mov.u32 %%r10, %%tid.x")
	g.emit("mov.u32 %%r11, %%ctaid.x")
	g.emit("mov.u32 %%r12, tile")
	g.emit("mov.u32 %%r13, %%laneid")
	g.emit("mov.u32 %%r14, %%cluster_ctarank")
	g.emit("shr.u32 %%r15, %%r10, 5")
	g.emit("mov.u32 %%r16, bars")
	g.emit("activemask.b32 %%r60")
	g.emit("mad.lo.u32 %%r17, %%r10, 16, %%r12") // the thread's slot
	g.emit("setp.eq.u32 %%p1, %%r10, 0")
	for r := range syncRegs {
		g.emit("mul.lo.u32 %%r20, %%r11, %d", 99+r)
		g.emit("mad.lo.u32 %%r%d, %%r10, %d, %%r20", r, 2*r+1)
	}
	g.emit("@!%%p1 bra BEGIN")
	for bar, n := range []int{g.threads, 1, g.warp, g.threads, 1, g.subset, g.threads + g.warp, g.threads} {
		g.emit("mbarrier.init.shared::cta.b64 [bars+%d], %d", 8*bar, n)
	}
	g.emit("fence.mbarrier_init.release.cluster")
	g.text.WriteString("BEGIN:\n")
	g.emit("mov.u32 %%r20, 0")
	g.emit("st.shared.v4.u32 [%%r17], {%%r20, %%r20, %%r20, %%r20}")
	g.emit("st.shared.v4.u32 [%%r17+%d], {%%r20, %%r20, %%r20, %%r20}", 4*g.half())
	if g.size > 1 {
		g.joinCluster()
	} else {
		g.emit("bar.sync 0")
	}
}

// end stores the registers.
func (g *syncGrower) end() {
	g.emit("mov.u32 %%r20, %%ntid.x")
	g.emit("mad.lo.u32 %%r20, %%r11, %%r20, %%r10")
	g.emit("mad.wide.u32 %%rd10, %%r20, 16, %%rd1")
	g.emit("st.global.v4.u32 [%%rd10], {%%r0, %%r1, %%r2, %%r3}")
	g.emit("ret")
	g.text.WriteString("}\n")
}

func (g *syncGrower) emit(format string, args ...any) {
	fmt.Fprintf(&g.text, "\t"+format+";\n", args...)
}

func (g *syncGrower) label() string {
	g.labels++
	return fmt.Sprint("L", g.labels)
}

// do executes a part of a step.
func (g *syncGrower) do(f func()) {
	if f(); g.loop {
		g.effects = append(g.effects, f)
	}
}

// each executes f for each thread of each CTA.
func (g *syncGrower) each(f func(c, t int)) {
	g.do(func() {
		for c := range g.ctas {
			for t := range g.threads {
				f(c, t)
			}
		}
	})
}

// peer returns the CTA of c's cluster with the rank after c's by d.
func (g *syncGrower) peer(c, d int) int { return c - c%g.size + (c%g.size+d)%g.size }

// pick returns one of the texts.
func (g *syncGrower) pick(all ...string) string { return all[g.IntN(len(all))] }

// step writes a step, or a loop of steps that need no mbarrier with a parity.
func (g *syncGrower) step() {
	inLoop := []func(){g.throughSlots, g.named, g.reduceAtBarrier, g.sharedAtomics}
	all := append([]func(){g.copies, g.bulkIn, g.bulkIn, g.bulkOut, g.someWarps, g.repeat}, inLoop...)
	if g.size > 1 {
		inLoop = append(inLoop, g.readPeer, g.writePeer)
		all = append(all, g.readPeer, g.writePeer, g.storeAsync, g.reduceAsync, g.bulkToPeer, g.multicast, g.arriveAtPeer)
	}
	if g.loop {
		all = inLoop
	}
	all[g.IntN(len(all))]()
	for range g.IntN(3) {
		g.diverge(0, "%r60", g.all())
	}
}

// repeat writes a loop.
func (g *syncGrower) repeat() {
	l, n, before := g.label(), 2+g.IntN(3), g.parity
	g.emit("mov.u32 %%r99, %d", n)
	fmt.Fprintf(&g.text, "%s:\n", l)
	g.loop = true
	for range 1 + g.IntN(3) {
		g.step()
	}
	effects := g.effects
	g.loop, g.effects = false, nil
	g.emit("sub.u32 %%r99, %%r99, 1")
	g.emit("setp.ne.u32 %%p9, %%r99, 0")
	g.emit("@%%p9 bra %s", l)
	for range n - 1 {
		for _, f := range effects {
			f()
		}
	}
	if n%2 == 0 {
		g.parity = before
	}
}

// wait waits for the present phase of an mbarrier.
func (g *syncGrower) wait(bar int) {
	l, parity, order := g.label(), g.parity[bar], g.pick("", ".acquire.cta", ".acquire.cluster")
	if bar == peerBar && order == ".acquire.cta" { // which orders nothing of another CTA
		order = ""
	}
	g.parity[bar] ^= 1
	if g.IntN(4) == 0 && order == "" {
		g.text.WriteString("\t{\n\t.param .b32 bar, parity;\n")
		g.emit("add.u32 %%r20, %%r16, %d", 8*bar)
		g.emit("st.param.b32 [bar], %%r20")
		g.emit("st.param.b32 [parity], %d", parity)
		g.emit("call.uni await, (bar, parity)")
		g.text.WriteString("\t}\n")
		return
	}
	fmt.Fprintf(&g.text, "%s:\n", l)
	g.emit("mbarrier.%s.parity%s.shared::cta.b64 %%p2, [bars+%d], %d", g.pick("try_wait", "test_wait"), order, 8*bar, parity)
	g.emit("@!%%p2 bra %s", l)
}

// join lets the threads of a CTA wait for each other.
func (g *syncGrower) join() {
	kinds := []int{0, 1, 2, 3, 4, 5, 6}
	if g.loop {
		kinds = []int{0, 1, 2, 4}
	}
	switch kinds[g.IntN(len(kinds))] {
	case 0:
		g.emit("bar.sync 0")
	case 1:
		g.emit("barrier.cta.sync.aligned %d, %d", 1+g.IntN(15), 32*g.warp)
	case 2:
		g.emit("barrier.cta.sync 0")
	case 3:
		g.emit("mbarrier.arrive.shared::cta.b64 %%rd9, [bars+%d]", 8*allBar)
		g.wait(allBar)
	case 4: // by state
		l := g.label()
		g.emit("mbarrier.arrive.shared::cta.b64 %%rd9, [bars+%d]", 8*allBar)
		fmt.Fprintf(&g.text, "%s:\n", l)
		g.emit("mbarrier.try_wait.shared::cta.b64 %%p2, [bars+%d], %%rd9", 8*allBar)
		g.emit("@!%%p2 bra %s", l)
		g.parity[allBar] ^= 1
	case 5:
		g.emit("bar.warp.sync %%r60")
		g.emit("elect.sync _|%%p3, %%r60")
		g.emit("@%%p3 mbarrier.arrive.shared::cta.b64 _, [bars+%d]", 8*warpBar)
		g.wait(warpBar)
	case 6:
		g.emit("mbarrier.arrive.noComplete.release.cta.shared::cta.b64 %%rd9, [bars+%d], 1", 8*sparingBar)
		g.emit("bar.warp.sync %%r60")
		g.emit("elect.sync _|%%p3, %%r60")
		g.emit("@%%p3 mbarrier.arrive.shared::cta.b64 _, [bars+%d]", 8*sparingBar)
		g.wait(sparingBar)
	}
}

// joinCluster lets the threads of a cluster wait for each other.
func (g *syncGrower) joinCluster() {
	aligned := g.pick("", ".aligned")
	g.emit("barrier.cluster.arrive%s%s", g.pick("", ".release"), aligned)
	if g.IntN(3) == 0 {
		g.diverge(1, "%r60", g.all())
	}
	g.emit("barrier.cluster.wait%s%s", g.pick("", ".acquire"), aligned)
}

// place returns the word of a thread's own slot in a half.
func (g *syncGrower) place(half, t, word int) int { return half*g.half() + t*slotWords + word }

// other puts the address, in the CTA, of a word of another thread's slot into %r20, and returns the thread.
func (g *syncGrower) other(half, word int) func(t int) int {
	m, d := 1+g.IntN(7), g.IntN(g.threads)
	g.emit("mad.lo.u32 %%r20, %%r10, %d, %d", m, d)
	g.emit("rem.u32 %%r20, %%r20, %d", g.threads)
	g.emit("mad.lo.u32 %%r20, %%r20, 16, %%r12")
	if at := 4 * g.place(half, 0, word); at > 0 {
		g.emit("add.u32 %%r20, %%r20, %d", at)
	}
	return func(t int) int { return (t*m + d) % g.threads }
}

// addTile adds what each thread reads at %r20 to a register; word has the places in the tile.
func (g *syncGrower) addTile(load string, word func(c, t int) (cta, at int)) {
	r := g.IntN(syncRegs)
	g.emit("%s.u32 %%r21, [%%r20]", load)
	g.emit("add.u32 %%r%d, %%r%d, %%r21", r, r)
	g.each(func(c, t int) {
		cta, at := word(c, t)
		g.regs[c][t][r] += g.tile[cta][at]
	})
}

// store stores a register of each thread at its slot.
func (g *syncGrower) store(half, word int) {
	r := g.IntN(syncRegs)
	g.emit("st.shared.u32 [%%r17+%d], %%r%d", 4*g.place(half, 0, word), r)
	g.each(func(c, t int) { g.tile[c][g.place(half, t, word)] = g.regs[c][t][r] })
}

// throughSlots exchanges values.
func (g *syncGrower) throughSlots() {
	half, word := g.IntN(2), g.IntN(slotWords)
	g.store(half, word)
	g.join()
	other := g.other(half, word)
	g.addTile("ld.shared", func(c, t int) (int, int) { return c, g.place(half, other(t), word) })
	g.join()
}
