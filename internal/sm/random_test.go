package sm_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
)

// grower makes random kernels. Their threads read and write the same memory of all kinds, and call functions, diverge
// and wait for each other. Results depend on the time of each access. Each kernel ends by storing its registers.
type grower struct {
	*rand.Rand
	text   strings.Builder
	labels int
	depth  int  // of loops and branches
	alone  bool // not all threads of a warp are active
	size   int  // CTAs of a cluster; 0 without clusters
}

// grownRegisters is how many registers such a kernel computes with, in addition to those for addresses.
const grownRegisters = 10

// grow makes a kernel for a buffer of words; their number is a power of two.
func grow(seed uint64, words int) string {
	g := &grower{Rand: rand.New(rand.NewPCG(seed, 11))}
	return g.kernel(words)
}

// growCluster makes such a kernel for clusters of size CTAs, whose threads also use each other's shared memory.
func growCluster(seed uint64, words, size int) string {
	g := &grower{Rand: rand.New(rand.NewPCG(seed, 12)), size: size}
	return ".version 8.0\n.target sm_90\n" + strings.Replace(g.kernel(words), "seed)\n{", fmt.Sprintf("seed)\n.reqnctapercluster %d\n{", size), 1)
}

var globalLoad = regexp.MustCompile(`ld\.global\.u32 (%r\d+), \[%rd6\];`)

// generically returns such a kernel with generic loads in the place of plain loads from global memory: warps of every
// other CTA, or in every other iteration of a loop, load from shared memory.
func generically(source string) string {
	return globalLoad.ReplaceAllString(source, `and.b32 %r26, $1, 1023;
	mul.wide.u32 %rd8, %r26, 4;
	add.u64 %rd8, %rd8, %rd2;
	cvta.shared.u64 %rd8, %rd8;
	xor.b32 %r26, %r41, %r21;
	and.b32 %r26, %r26, 1;
	setp.eq.u32 %p3, %r26, 0;
	selp.b64 %rd6, %rd6, %rd8, %p3;
	ld.u32 $1, [%rd6];`)
}

func (g *grower) kernel(words int) string {
	fmt.Fprintf(&g.text, `
.const .b32 table[64] = {3, 1, 4, 1, 5, 9, 2, 6};
.func (.param .b32 r) callee(.param .b32 a, .param .b64 p)
{
	ld.param.u32 %%r1, [a];
	ld.param.u64 %%rd1, [p];
	add.u32 %%r2, %%r1, 3;
	ld.global.u32 %%r3, [%%rd1];
	mov.u32 %%r4, %%r3;
	xor.b32 %%r5, %%r2, 5;
	st.param.b32 [r], %%r4;
	ret;
}
.entry k(.param .u64 out, .param .u32 seed)
{
	.shared .b32 tile[1024];
	.local .b32 own[8];
	.param .b32 a, r;
	.param .b64 p;
	ld.param.u64 %%rd1, [out];
	mov.u32 %%r20, %%tid.x;
	mov.u32 %%r21, %%ctaid.x;
	mov.u64 %%rd2, tile;
	mov.u64 %%rd3, own;
	mov.u64 %%rd4, table;
	mov.u32 %%r22, %d;
`, words-1)
	for r := range grownRegisters {
		g.emit("mad.lo.u32 %%r%d, %%r20, %d, %%r21", r, 1+g.IntN(9))
	}
	if g.size > 0 {
		g.emit("mov.u32 %%r50, tile")
		g.emit("barrier.cluster.arrive")
		g.emit("barrier.cluster.wait") // the other CTAs have started
	}
	g.list(12 + g.IntN(20))
	if g.size > 0 {
		g.emit("barrier.cluster.arrive")
		g.emit("barrier.cluster.wait") // none ends before others have used its memory
	}
	g.emit("mov.u32 %%r30, %%ntid.x")
	g.emit("mad.lo.u32 %%r31, %%r21, %%r30, %%r20")
	for r := range grownRegisters {
		g.address("%rd9", "%r31")
		g.emit("atom.global.add.u32 %%r29, [%%rd9], %%r%d", r)
	}
	g.text.WriteString("\tret;\n}\n")
	return g.text.String()
}

func (g *grower) emit(format string, args ...any) { fmt.Fprintf(&g.text, "\t"+format+";\n", args...) }

func (g *grower) reg() string { return fmt.Sprintf("%%r%d", g.IntN(grownRegisters)) }

// address puts the address of the word of the buffer with the index in a register into another register.
func (g *grower) address(to, word string) {
	g.emit("and.b32 %%r25, %s, %%r22", word)
	g.emit("mul.wide.u32 %s, %%r25, 4", to)
	g.emit("add.u64 %s, %s, %%rd1", to, to)
}

// place puts an address in another space, with words that start at a register, into %rd8.
func (g *grower) place(base string, words int, align int) {
	g.emit("and.b32 %%r26, %s, %d", g.reg(), words-align)
	g.emit("mul.wide.u32 %%rd8, %%r26, 4")
	g.emit("add.u64 %%rd8, %%rd8, %s", base)
}

func (g *grower) list(n int) {
	for range n {
		g.statement()
	}
}

func (g *grower) label() string {
	g.labels++
	return fmt.Sprint("L", g.labels)
}

func (g *grower) statement() {
	if g.size > 0 && g.IntN(6) == 0 {
		g.peer(g.reg(), g.reg())
		return
	}
	switch a, b, c := g.reg(), g.reg(), g.reg(); g.IntN(24) {
	case 0, 1:
		g.emit("add.u32 %s, %s, %s", a, b, c)
	case 2:
		g.emit("mul.lo.u32 %%r23, %s, %s", b, c)
		g.emit("add.u32 %s, %%r23, %s", a, b)
	case 3, 4:
		g.emit("mov.u32 %s, %s", a, b)
	case 5:
		g.emit("mov.b64 %%rd7, {%s, %s}", b, c)
		g.emit("mov.b64 {%s, %s}, %%rd7", c, a)
	case 6, 7, 8:
		g.address("%rd6", b)
		g.emit("ld%s.global%s.u32 %s, [%%rd6]", []string{"", "", "", ".relaxed.gpu", ".volatile"}[g.IntN(5)], "", a)
	case 9:
		g.address("%rd6", b)
		g.emit("ld.global.%s.u32 %s, [%%rd6]", []string{"ca", "cg", "cv", "nc"}[g.IntN(4)], a)
	case 10:
		g.emit("and.b32 %%r25, %s, %%r22", b)
		g.emit("and.b32 %%r25, %%r25, -4")
		g.emit("mul.wide.u32 %%rd6, %%r25, 4")
		g.emit("add.u64 %%rd6, %%rd6, %%rd1")
		g.emit("ld.global.v4.u32 {%s, %%r27, %%r28, %%r24}, [%%rd6]", a)
		g.emit("add.u32 %s, %%r28, %%r24", b)
	case 11, 12:
		g.address("%rd6", b)
		g.emit("st%s.global.u32 [%%rd6], %s", []string{"", "", ".volatile"}[g.IntN(3)], a)
	case 13:
		g.address("%rd6", b)
		g.emit("atom.global.%s.u32 %s, [%%rd6], %s", []string{"add", "min", "max"}[g.IntN(3)], a, c)
	case 14:
		g.address("%rd6", b)
		g.emit("red.global.add.u32 [%%rd6], %s", c)
	case 15:
		g.place("%rd2", 1024, 1)
		g.emit("%s", []string{"ld.shared.u32 " + a + ", [%rd8]", "st.shared.u32 [%rd8], " + a, "atom.shared.add.u32 " + a + ", [%rd8], " + b}[g.IntN(3)])
	case 16:
		g.place("%rd3", 8, 1)
		g.emit("%s", []string{"ld.local.u32 " + a + ", [%rd8]", "st.local.u32 [%rd8], " + a}[g.IntN(2)])
	case 17:
		g.place("%rd4", 64, 1)
		g.emit("ld.const.u32 %s, [%%rd8]", a)
	case 18:
		g.emit("mov.u32 %s, %%clock", a)
	case 19:
		g.address("%rd6", b)
		g.emit("st.param.b32 [a], %s", c)
		g.emit("st.param.b64 [p], %%rd6")
		g.emit("add.u32 %s, %s, 1", b, b)
		g.emit("call (r), callee, (a, p)")
		g.emit("ld.param.u32 %s, [r]", a)
	case 20, 21:
		g.branch(b)
	case 22:
		g.loop()
	default:
		if g.alone {
			return
		}
		if g.IntN(2) == 0 {
			g.emit("bar.sync 0")
			return
		}
		g.emit("shfl.sync.bfly.b32 %s, %s, %d, 31, 0xffffffff", a, b, 1<<g.IntN(5))
	}
}

// peer uses the shared memory of a CTA of the cluster, or waits for all of them.
func (g *grower) peer(a, b string) {
	if !g.alone && g.IntN(4) == 0 {
		g.emit("barrier.cluster.arrive")
		g.alone = true // between the two no thread may arrive again
		g.list(g.IntN(2))
		g.alone = false
		g.emit("barrier.cluster.wait")
		return
	}
	g.emit("and.b32 %%r51, %s, 1023", b)
	g.emit("shl.b32 %%r51, %%r51, 2")
	g.emit("add.u32 %%r51, %%r51, %%r50")
	g.emit("mapa.shared::cluster.u32 %%r52, %%r51, %d", g.IntN(g.size))
	g.emit("%s", []string{"ld.shared::cluster.u32 " + a + ", [%r52]", "st.shared::cluster.u32 [%r52], " + a, "atom.shared::cluster.add.u32 " + a + ", [%r52], " + b}[g.IntN(3)])
}

// branch makes some lanes execute statements.
func (g *grower) branch(on string) {
	if g.depth > 1 {
		return
	}
	was, end := g.alone, g.label()
	g.depth++
	g.alone = true
	g.emit("and.b32 %%r23, %s, %d", on, 1<<g.IntN(5))
	g.emit("setp.eq.u32 %%p1, %%r23, 0")
	g.emit("@%%p1 bra %s", end)
	g.list(1 + g.IntN(5))
	g.text.WriteString(end + ":\n")
	g.alone = was
	g.depth--
}

// loop repeats statements.
func (g *grower) loop() {
	if g.depth > 1 {
		return
	}
	g.depth++
	top, counter := g.label(), fmt.Sprintf("%%r%d", 40+g.depth)
	g.emit("mov.u32 %s, %d", counter, 2+g.IntN(4))
	g.text.WriteString(top + ":\n")
	g.list(1 + g.IntN(5))
	g.emit("sub.u32 %s, %s, 1", counter, counter)
	g.emit("setp.ne.u32 %%p2, %s, 0", counter)
	g.emit("@%%p2 bra %s", top)
	g.depth--
}
