package native_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// mixGrower makes random kernels of what compiled code treats specially: values that are affine, or become so, or
// cease to be so; guards; 64-bit values; contiguous and random accesses; branches that all lanes take the same way,
// or not.
type mixGrower struct {
	*rand.Rand
	b        strings.Builder
	labels   int
	room     int  // number of further statements
	loops    int  // number of loops around the statement
	together bool // all lanes of a CTA are here
	callee   bool // the function under construction is called
	faults   bool // some accesses may fault

	words32, words64, preds mixRegisters
	uniform                 bool // the statement computes scalars

	// For an access since the last label, if bytes is not 0: whether it is to shared memory, and the alignment of its
	// address.
	lastShared bool
	lastBytes  int
}

// mixRegisters is the number of registers of a kind, and how many of them, the first ones, hold only scalars. If
// scalars is 0, any register may hold a scalar.
type mixRegisters struct{ all, scalars int }

// Limits of a mix's kernels.
const (
	mixWords32   = 10 // registers of 32 bits
	mixWords64   = 6
	mixPreds     = 5
	mixData      = 1 << 15 // bytes of the buffer that all lanes access
	mixOut       = mixWords32 + 2*mixWords64 + 1
	mixMost      = 512 // threads of a launch
	mixShared    = 1 << 14
	mixBehind    = 256 // bytes after the memory that displacements may reach
	mixStatement = 24
)

func (g *mixGrower) emit(format string, args ...any) {
	if g.IntN(7) == 0 && !g.uniform {
		format = fmt.Sprintf("@%s%%%s ", among(g, "", "!"), g.pred()) + format
	}
	g.plain(format, args...)
}

// plain emits an instruction that has no guard.
func (g *mixGrower) plain(format string, args ...any) { fmt.Fprintf(&g.b, "\t"+format+";\n", args...) }

func among[T any](g *mixGrower, of ...T) T { return of[g.IntN(len(of))] }

func (g *mixGrower) r32() string  { return fmt.Sprintf("%%a%d", g.register(g.words32)) }
func (g *mixGrower) r64() string  { return fmt.Sprintf("%%w%d", g.register(g.words64)) }
func (g *mixGrower) pred() string { return fmt.Sprintf("%%q%d", g.register(g.preds)) }

// register returns the number of a register that suits the statement: a scalar if it is uniform.
func (g *mixGrower) register(of mixRegisters) int {
	switch {
	case of.scalars == 0:
		return g.IntN(of.all)
	case g.uniform:
		return g.IntN(of.scalars)
	}
	return of.scalars + g.IntN(of.all-of.scalars)
}

// s32 is a source of 32 bits.
func (g *mixGrower) s32() string {
	switch g.IntN(8) {
	case 0:
		return fmt.Sprint(among(g, 0, 1, 2, 3, 4, 7, 8, 31, 255, -1, -4, 1<<20, 1<<24, 1<<31-1))
	case 1:
		if g.uniform {
			return among(g, "%ctaid.x", "%ntid.x")
		}
		return among(g, "%tid.x", "%tid.y", "%laneid", "%ctaid.x", "%ntid.x", "%warpid")
	case 2:
		if g.loops > 0 {
			return fmt.Sprintf("%%c%d", g.IntN(g.loops))
		}
	case 3:
		if g.words32.scalars > 0 {
			return fmt.Sprintf("%%a%d", g.IntN(g.words32.scalars))
		}
	}
	return g.r32()
}

func (g *mixGrower) s64() string {
	if g.IntN(6) == 0 {
		return fmt.Sprint(among(g, 0, 1, 4, 8, 1000, -1, -8, 1<<32, 1<<40+3))
	}
	return g.r64()
}

// compute emits an instruction on registers.
func (g *mixGrower) compute() {
	switch g.IntN(22) {
	case 0, 1, 2:
		g.emit("%s %s, %s, %s", among(g, "add.u32", "sub.s32", "add.s32"), g.r32(), g.s32(), g.s32())
	case 3:
		g.emit("mul.lo.u32 %s, %s, %s", g.r32(), g.s32(), g.s32())
	case 4:
		g.emit("mad.lo.s32 %s, %s, %s, %s", g.r32(), g.s32(), g.s32(), g.s32())
	case 5:
		g.emit("shl.b32 %s, %s, %d", g.r32(), g.s32(), among(g, 0, 1, 2, 3, 5, 20, 24, 25, 31, 32))
	case 6:
		g.emit("%s %s, %s, %s", among(g, "shr.u32", "shr.s32", "shl.b32"), g.r32(), g.s32(), g.s32())
	case 7:
		g.emit("%s %s, %s, %s", among(g, "and.b32", "or.b32", "xor.b32", "min.s32", "max.u32"), g.r32(), g.s32(), g.s32())
	case 8:
		g.emit("mov.u32 %s, %s", g.r32(), g.s32())
	case 9:
		g.emit("selp.b32 %s, %s, %s, %s", g.r32(), g.s32(), g.s32(), g.pred())
	case 10, 11:
		g.setp()
	case 12:
		g.emit("%s.pred %s, %s, %s", among(g, "and", "or", "xor"), g.pred(), g.pred(), g.pred())
	case 13:
		g.emit("%s %s, %s, %s", among(g, "add.u64", "sub.u64", "mul.lo.u64", "xor.b64"), g.r64(), g.s64(), g.s64())
	case 14:
		g.emit("%s %s, %s, %s", among(g, "mul.wide.u32", "mul.wide.s32"), g.r64(), g.s32(), g.s32())
	case 15:
		g.emit("%s %s, %s, %s, %s", among(g, "mad.wide.u32", "mad.wide.s32"), g.r64(), g.s32(), g.s32(), g.s64())
	case 16:
		g.emit("cvt.%s %s, %s", among(g, "u64.u32", "s64.s32"), g.r64(), g.r32())
	case 17:
		g.emit("cvt.u32.u64 %s, %s", g.r32(), g.r64())
	case 18:
		g.emit("%s %s, %s, %d", among(g, "shl.b64", "shr.u64"), g.r64(), g.r64(), g.IntN(70))
	case 19:
		g.emit("selp.b64 %s, %s, %s, %s", g.r64(), g.s64(), g.s64(), g.pred())
	case 20:
		g.emit("%s %s, %s, %s", among(g, "add.f32", "mul.f32", "sub.f32"), g.r32(), g.r32(), g.r32())
	default:
		g.emit("fma.rn.f32 %s, %s, %s, %s", g.r32(), g.r32(), g.r32(), g.r32())
	}
}

func (g *mixGrower) setp() {
	c := among(g, "lt", "le", "eq", "ne", "gt", "ge")
	both := g.pred()
	if g.IntN(4) == 0 {
		if q := g.pred(); q != both {
			both += "|" + q
		}
	}
	switch g.IntN(4) {
	case 0:
		g.emit("setp.%s.f32 %s, %s, %s", c, both, g.r32(), g.r32())
	case 1:
		g.emit("setp.%s.%s %s, %s, %s", c, among(g, "u64", "s64"), both, g.r64(), g.s64())
	default:
		g.emit("setp.%s.%s %s, %s, %s", c, among(g, "u32", "s32"), both, g.s32(), g.s32())
	}
}

// index makes %ix a multiple of size within the first bytes of memory, with an occasional mistake.
func (g *mixGrower) index(size, bytes int) {
	room := bytes - 1024*size
	at := 256*size + g.IntN(max(1, room/size))*size
	stride := size * among(g, 1, 1, 1, 1, 0, 2, 3, -1, 4)
	wrong := g.faults && g.IntN(15) == 0
	if wrong {
		at += among(g, 0, 0, 1, size/2, bytes)
		stride += among(g, 0, 1, size/2)
	}
	switch {
	case room <= 0, g.IntN(3) == 0 && !wrong:
		g.plain("and.b32 %%ix, %s, %d", g.s32(), bytes-size)
	case g.IntN(3) == 0:
		g.plain("mad.lo.u32 %%ix, %s, %d, %d", among(g, "%ctaid.x", "%tid.y", "%warpid"), size, at)
	case g.loops > 0 && g.IntN(2) == 0:
		g.plain("mad.lo.u32 %%ix, %%c%d, %d, %d", g.IntN(g.loops), stride, at)
	default:
		g.plain("mad.lo.u32 %%ix, %s, %d, %d", among(g, "%laneid", "%laneid", "%tid.x"), stride, at)
	}
}

// address makes %ix an address in shared memory, or %wx one in global memory, for accesses of a size.
func (g *mixGrower) address(shared bool, size int) {
	bytes := mixData
	if shared {
		bytes = mixShared
	}
	if g.IntN(6) > 0 { // else the old address
		g.index(size, bytes)
	} else {
		g.plain("and.b32 %%ix, %%ix, %d", bytes-size)
	}
	switch {
	case shared:
	case g.IntN(3) == 0:
		g.plain("cvt.u64.u32 %%wx, %%ix")
		g.plain("add.u64 %%wx, %%wx, %%data")
	default:
		g.plain("mad.wide.u32 %%wx, %%ix, 1, %%data")
	}
	g.lastShared, g.lastBytes = shared, size
}

// access emits an access to memory.
func (g *mixGrower) access() {
	shared := g.IntN(3) == 0
	size, elems := among(g, 4, 4, 4, 1, 2, 8), among(g, 1, 1, 1, 2, 4)
	if size*elems > 16 {
		elems = 1
	}
	again := g.lastBytes > 0 && g.IntN(2) == 0
	if again {
		shared = g.lastShared
		for size*elems > g.lastBytes {
			size, elems = max(size/2, 1), max(elems/2, 1)
		}
	} else {
		g.address(shared, size*elems)
	}
	at, space := "%wx", "global"
	if shared {
		at, space = "%ix", "shared"
	}
	at = fmt.Sprintf("[%s+%d]", at, size*elems*among(g, 0, 0, 0, 1, 2, 3, 8))
	if !shared && g.IntN(6) == 0 {
		space = ""
	} else {
		space = "." + space
	}
	vec := map[int]string{1: "", 2: ".v2", 4: ".v4"}[elems]
	typ := map[int][]string{1: {"u8", "s8"}, 2: {"u16", "s16"}, 4: {"u32", "b32"}, 8: {"u64", "b64"}}[size][g.IntN(2)]
	reg := g.r32
	if size == 8 {
		reg = g.r64
	}
	var regs []string
	for len(regs) < elems {
		if r := reg(); !strings.Contains(strings.Join(regs, ",")+",", r+",") {
			regs = append(regs, r)
		}
	}
	list := strings.Join(regs, ", ")
	if elems > 1 {
		list = "{" + list + "}"
	}
	switch {
	case elems == 1 && size >= 4 && g.IntN(4) == 0:
		bits := 8 * size
		op := among(g, "add.u", "add.u", "and.b", "or.b", "xor.b", "exch.b", "cas.b", "min.u", "max.s")
		src := g.s32
		if size == 8 {
			src = g.s64
		}
		sources := src()
		if op == "cas.b" {
			sources += ", " + src()
		}
		if op != "cas.b" && op != "exch.b" && g.IntN(2) == 0 {
			g.emit("red%s.%s%d %s, %s", space, op, bits, at, sources)
		} else {
			g.emit("atom%s.%s%d %s, %s, %s", space, op, bits, list, at, sources)
		}
	case g.IntN(2) == 0:
		g.emit("ld%s%s.%s %s, %s", space, vec, typ, list, at)
	default:
		g.emit("st%s%s.%s %s, %s", space, vec, typ, at, list)
	}
}

// aside emits code that is not straight-line.
func (g *mixGrower) aside() {
	g.lastBytes = 0
	switch g.IntN(8) {
	case 0:
		g.emit("%s.%s %s, %s, %s", among(g, "div", "rem"), among(g, "u32", "s32"), g.r32(), g.s32(), among(g, "3", "%ntid.x", g.s32(), g.s32()))
	case 1:
		g.emit("popc.b32 %s, %s", g.r32(), g.r32())
	case 2:
		g.plain("and.b32 %%ix, %s, %d", g.r32(), mixData-4)
		g.plain("cvt.u64.u32 %%wx, %%ix")
		g.plain("add.u64 %%wx, %%wx, %%data")
		g.emit("atom.global.%s.u32 %s, [%%wx], %s", among(g, "add", "add", "max", "min", "inc"), g.r32(), g.s32())
	case 3:
		g.emit("add.cc.u32 %s, %s, %s", g.r32(), g.r32(), g.s32())
		g.emit("addc.u32 %s, %s, 0", g.r32(), g.r32())
	case 4:
		if g.together {
			g.plain("bar.sync 0")
		}
	case 5:
		if !g.together || g.IntN(2) == 0 { // the lanes that are here
			g.plain("activemask.b32 %%ix")
			for range 1 + g.IntN(3) {
				g.plain("shfl.sync.%s.b32 %s|%s, %s, %s, %s, %%ix", among(g, "bfly", "idx", "up", "down"), g.r32(), g.pred(), g.r32(), among(g, "1", "3", "16", g.s32()), among(g, "31", "0x1807", "0x1c00", g.s32()))
				g.plain("vote.sync.ballot.b32 %s, %s%s, %%ix", g.r32(), among(g, "", "!"), g.pred())
				g.plain("vote.sync.%s.pred %s, %s%s, %%ix", among(g, "all", "any", "uni"), g.pred(), among(g, "", "!"), g.pred())
			}
		}
		if g.together {
			g.plain("activemask.b32 %%ix")
			g.plain("shfl.sync.%s.b32 %s, %s, %d, 31, %%ix", among(g, "bfly", "idx", "up"), g.r32(), g.r32(), g.IntN(32))
			for range 1 + g.IntN(3) {
				result, segment := g.r32(), among(g, "31", "0x1807", "0x1c00", "0x101f", "0x1f1f", g.s32())
				if g.IntN(2) == 0 {
					result += "|" + g.pred()
				}
				g.plain("shfl.sync.%s.b32 %s, %s, %s, %s, -1", among(g, "bfly", "idx", "up", "down"), result, g.s32(), among(g, "1", "2", "8", "16", "31", g.s32()), segment)
				g.plain("vote.sync.ballot.b32 %s, %s%s, -1", g.r32(), among(g, "", "!"), g.pred())
				g.plain("vote.sync.%s.pred %s, %s%s, -1", among(g, "all", "any", "uni"), g.pred(), among(g, "", "!"), g.pred())
				g.plain(among(g, "bar.warp.sync -1", "activemask.b32 %%ix", "membar.gl", "fence.acq_rel.cta"))
				g.plain("redux.sync.%s %s, %s, -1", among(g, "add.u32", "add.s32", "and.b32", "or.b32", "xor.b32", "min.u32", "min.s32", "max.u32", "max.s32"), g.r32(), g.s32())
				g.plain("match.any.sync.b32 %s, %s, -1", g.r32(), g.s32())
				g.plain("match.all.sync.b32 %s|%s, %s, -1", g.r32(), g.pred(), g.s32())
			}
		}
	case 6:
		g.plain("st.local.u32 [spare], %s", g.r32())
		g.emit("ld.local.u32 %s, [spare]", g.r32())
		if g.IntN(2) == 0 { // as debug builds do
			g.plain("cvta.local.u64 %%wl, spare; st.%s [%%wl], %s", among(g, "u32", "b8", "u16"), g.r32())
			g.emit("ld.u32 %s, [%%wl]", g.r32())
		}
		if g.IntN(2) == 0 { // lanes elsewhere
			g.plain("cvta.local.u64 %%wl, spare; selp.b64 %%wx, %%wl, %%data, %s", g.pred())
			g.emit("ld.%s %s, [%%wx]", among(g, "u32", "u8", "s16"), g.r32())
		}
	default:
		if !g.callee {
			g.emit("call (%s, %s), f, (%s, %s)", "%a0", "%w0", g.r32(), g.r64())
		}
	}
}

func (g *mixGrower) label() string {
	g.labels++
	return fmt.Sprint("L", g.labels)
}

func (g *mixGrower) place(l string) {
	fmt.Fprintf(&g.b, "%s:\n", l)
	g.lastBytes = 0
}

func (g *mixGrower) list(depth int) {
	for range 1 + g.IntN(5) {
		g.statement(depth)
	}
}

func (g *mixGrower) statement(depth int) {
	if g.room--; g.room < 0 {
		return
	}
	switch n := g.IntN(20); {
	case n < 2 && depth < 4:
		g.branch(depth)
	case n < 4 && depth < 4:
		g.loop(depth)
	case n < 6:
		g.aside()
	case n < 11:
		for range 1 + g.IntN(4) {
			g.access()
			if g.IntN(2) == 0 {
				g.compute()
			}
		}
	case n == 12 && !g.uniform:
		g.callLeaf()
	case n == 11 && g.IntN(6) == 0:
		g.together = false
		g.plain("@%s%s %s", among(g, "", "!"), g.pred(), among(g, "exit", "ret"))
	default:
		for range 1 + g.IntN(8) {
			g.compute()
		}
	}
}

// decide sets a predicate that is the same in all lanes of a CTA, if same is set, and else holds in some.
func (g *mixGrower) decide(same bool) string {
	p := g.pred()
	switch {
	case same:
		g.plain("setp.%s.u32 %s, %s, %d", among(g, "lt", "eq", "ge"), p, among(g, "%ctaid.x", "%ntid.x"), g.IntN(4))
	case g.IntN(3) == 0:
		g.plain("setp.%s.u32 %s, %s, %d", among(g, "lt", "eq", "ge"), p, among(g, "%laneid", "%tid.x", "%warpid"), g.IntN(34))
	case g.IntN(2) == 0:
		g.plain("setp.%s.u32 %s, %s, %s", among(g, "lt", "eq", "ge"), p, g.s32(), g.s32())
	}
	return p
}

func (g *mixGrower) branch(depth int) {
	same, together := g.IntN(3) == 0, g.together
	g.together = together && same
	alt, end := g.label(), g.label()
	p := g.decide(same)
	if g.IntN(3) == 0 {
		g.access()
		g.setp()
	}
	g.plain("@%s%s bra %s", among(g, "", "!"), p, alt)
	g.list(depth + 1)
	if g.IntN(2) == 0 {
		g.plain("bra %s", end)
		g.place(alt)
		g.list(depth + 1)
	} else {
		g.place(alt)
	}
	g.place(end)
	g.together = together && g.together || together && !g.left()
}

// left reports whether lanes may have left.
func (g *mixGrower) left() bool {
	s := g.b.String()
	return strings.Contains(s, " exit;") || strings.Contains(s, " ret;")
}

// loop emits a loop that all lanes leave together, or separately.
func (g *mixGrower) loop(depth int) {
	same, together := g.IntN(2) == 0, g.together
	g.together = together && same
	c := fmt.Sprintf("%%c%d", g.loops)
	head, end := g.label(), g.label()
	from, to := "0", fmt.Sprint(1+g.IntN(5))
	if !same {
		g.plain("and.b32 %s, %s, %d", c, among(g, "%laneid", g.s32()), among(g, 1, 3, 7))
		to = fmt.Sprint(1 + g.IntN(9))
	} else {
		g.plain("mov.u32 %s, %s", c, from)
	}
	g.loops++
	g.place(head)
	early := g.IntN(2) == 0
	if early {
		g.plain("setp.ge.u32 %%l%d, %s, %s", g.loops-1, c, to)
		g.plain("@%%l%d bra %s", g.loops-1, end)
	}
	g.list(depth + 1)
	if g.IntN(3) == 0 {
		g.together = false
		g.plain("@%s bra %s", g.decide(false), end)
	}
	if g.IntN(4) == 0 {
		g.list(depth + 1)
	}
	g.plain("add.u32 %s, %s, 1", c, c)
	if early {
		g.plain("bra %s", head)
	} else {
		g.plain("setp.lt.u32 %%l%d, %s, %s", g.loops-1, c, to)
		g.plain("@%%l%d bra %s", g.loops-1, head)
	}
	g.place(end)
	g.loops--
	g.together = together && !g.left()
}

// registers declares those that every function has.
func (g *mixGrower) registers() {
	fmt.Fprintf(&g.b, "\t.reg .b32 %%a<%d>, %%c<8>, %%ix;\n\t.reg .b64 %%w<%d>, %%wx, %%wl, %%data, %%out;\n\t.reg .pred %%q<%d>, %%l<8>;\n\t.local .b32 spare;\n",
		g.words32.all, g.words64.all, g.preds.all)
}

// mix is a random kernel with its launch.
type mix struct {
	text        string
	grid, block isa.Dim
	checked     bool // the effects of compiled code are checked at each exit
	cut         int  // see interp.Machine.CutEvery
}

func growMix(seed uint64) *mix {
	g := &mixGrower{Rand: rand.New(rand.NewPCG(seed, 11)), words32: mixRegisters{all: mixWords32}, words64: mixRegisters{all: mixWords64}, preds: mixRegisters{all: mixPreds}}
	g.faults = g.IntN(3) == 0
	fmt.Fprintf(&g.b, ".shared .align 16 .b8 s[%d];\n", mixShared+mixBehind)
	g.leaves(true)
	g.function()
	g.kernel()
	m := &mix{text: g.b.String()}
	m.block = among(g, isa.Dim{X: 32, Y: 1, Z: 1}, isa.Dim{X: 32, Y: 1, Z: 1}, isa.Dim{X: 64, Y: 1, Z: 1}, isa.Dim{X: 128, Y: 1, Z: 1}, isa.Dim{X: 8, Y: 8, Z: 1},
		isa.Dim{X: 16, Y: 4, Z: 1}, isa.Dim{X: 4, Y: 4, Z: 4}, isa.Dim{X: 33, Y: 1, Z: 1}, isa.Dim{X: 100, Y: 1, Z: 1}, isa.Dim{X: 1, Y: 1, Z: 1}, isa.Dim{X: 1, Y: 64, Z: 1},
		isa.Dim{X: 24, Y: 3, Z: 1}, isa.Dim{X: 2, Y: 16, Z: 1})
	m.grid = kerneltest.Dim(1+uint32(g.IntN(4)), 1)
	return m
}

// function makes a function that kernels call.
func (g *mixGrower) function() {
	g.callee, g.room, g.lastBytes = true, mixStatement/3, 0
	g.b.WriteString(".func (.reg .b32 %r, .reg .b64 %s) f(.reg .b32 %x, .reg .b64 %y)\n{\n")
	g.registers()
	g.plain("mov.u32 %%a1, %%x")
	g.plain("mov.u64 %%w1, %%y")
	g.plain("mov.u64 %%data, elsewhere")
	for g.room > 0 {
		g.statement(2)
	}
	g.plain("mov.u32 %%r, %s", g.r32())
	g.plain("mov.u64 %%s, %s", g.r64())
	g.plain("ret")
	g.b.WriteString("}\n")
}

func (g *mixGrower) kernel() {
	before := g.b.String()
	g.b.Reset()
	g.callee, g.room, g.together, g.lastBytes = false, mixStatement, true, 0
	g.b.WriteString(".entry k(.param .u64 out, .param .u64 data, .param .u32 n)\n{\n")
	g.registers()
	g.plain("mov.u32 %%ix, s") // else the kernel would have no shared memory
	g.plain("ld.param.u64 %%out, [out]")
	g.plain("ld.param.u64 %%data, [data]")
	for r := range mixWords32 {
		switch g.IntN(6) {
		case 0: // none
		case 1:
			g.plain("mov.u32 %%a%d, %d", r, int32(g.Uint32()))
		case 2:
			g.plain("ld.param.u32 %%a%d, [n]", r)
		case 3:
			g.plain("mad.lo.u32 %%a%d, %s, %s, %d", r, among(g, "%tid.x", "%laneid"), among(g, "4", "-4", "1", "12"), g.IntN(1000))
		default:
			g.plain("mul.lo.u32 %%a%d, %%tid.x, %d", r, int32(g.Uint32()|1))
		}
	}
	for r := range mixWords64 {
		g.plain("mad.wide.u32 %%w%d, %s, %s, %d", r, g.r32(), among(g, "4", "8", "7"), g.IntN(1000))
	}
	for g.room > 0 {
		g.statement(0)
	}
	// All registers are shown.
	g.plain("mad.lo.u32 %%ix, %%tid.z, %%ntid.y, %%tid.y")
	g.plain("mad.lo.u32 %%ix, %%ix, %%ntid.x, %%tid.x")
	g.plain("mad.lo.u32 %%ix, %%ctaid.x, 128, %%ix")
	g.plain("mad.wide.u32 %%out, %%ix, %d, %%out", 4*mixOut)
	for r := range mixWords32 {
		g.plain("st.global.u32 [%%out+%d], %%a%d", 4*r, r)
	}
	for r := range mixWords64 {
		g.plain("st.global.v2.u32 [%%out+%d], {%%ix, %%ix}", 0*r)
	}
	g.b.WriteString("\tret;\n}\n")
	text := strings.ReplaceAll(g.b.String(), "\tst.global.v2.u32 [%out+0], {%ix, %ix};\n", "")
	for r := range mixWords64 {
		i := strings.LastIndex(text, "\tret;")
		text = text[:i] + fmt.Sprintf("\tcvt.u32.u64 %%ix, %%w%d;\n\tst.global.u32 [%%out+%d], %%ix;\n\tshr.u64 %%wx, %%w%[1]d, 32;\n\tcvt.u32.u64 %%ix, %%wx;\n\tst.global.u32 [%%out+%d], %%ix;\n",
			r, 4*(mixWords32+2*r), 4*(mixWords32+2*r+1)) + text[i:]
	}
	g.b.Reset()
	g.b.WriteString(".global .align 16 .b8 elsewhere[" + fmt.Sprint(mixData+mixBehind) + "];\n" + before + text)
}

// mixResult is the result of a launch.
type mixResult struct {
	Stats                interp.Stats
	Err                  string
	Out, Data, Elsewhere []uint32
}

// from describes how the result differs from another one, or returns "".
func (r *mixResult) from(want *mixResult) string {
	if reflect.DeepEqual(r.Stats, want.Stats) && r.Err == want.Err && slices.Equal(r.Out, want.Out) && slices.Equal(r.Data, want.Data) && slices.Equal(r.Elsewhere, want.Elsewhere) {
		return "" // usually, in a hundredth of the time
	}
	return kerneltest.Diff(*want, *r, cmpopts.EquateEmpty())
}

// parse returns the kernel for launches, which lower it once.
func (x *mix) parse(t testing.TB) *interp.Code {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(x.text))
	var code *interp.Code
	if err == nil {
		code, err = interp.NewCode(mod, true)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, x.text)
	}
	return code
}

// run launches the kernel.
func (x *mix) run(t testing.TB, code *interp.Code, cfg interp.Config) mixResult {
	t.Helper()
	cfg.Verify = x.checked
	m, err := interp.NewMemory(code.Module().AddressSize, nil).Load(code, kerneltest.Config(cfg))
	if err != nil {
		t.Fatal(err)
	}
	m.CutEvery(x.cut)
	l := interp.Launch{Kernel: "k", Grid: x.grid, Block: x.block}
	out, err := m.Alloc("out", mixMost*mixOut*4)
	if err != nil {
		t.Fatal(err)
	}
	data, err := m.Alloc("data", mixData+mixBehind)
	if err != nil {
		t.Fatal(err)
	}
	for i := range data.Data {
		data.Data[i] = byte(i * i >> 3)
	}
	l.Params = binary.LittleEndian.AppendUint64(l.Params, out.Base)
	l.Params = binary.LittleEndian.AppendUint64(l.Params, data.Base)
	l.Params = binary.LittleEndian.AppendUint32(l.Params, 77)
	s, err := functional.Begin(m, l)
	if err != nil {
		t.Fatal(err)
	}
	if cfg.Threads > 1 {
		s.Alone, s.WorthHelp = 0, 0
	}
	if wrong := kerneltest.Miscompilation(func() { err = s.Continue(context.Background()) }); wrong != nil {
		t.Fatalf("%v\nin %v CTAs of %v threads of\n%s", wrong, x.grid, x.block, x.text)
	}
	for _, u := range s.Uncompiled() {
		t.Errorf("%v\n%s\nin %v CTAs of %v threads of\n%s", &u, u.Stack, x.grid, x.block, x.text)
	}
	return mixResult{s.Stats(), fmt.Sprint(err), kerneltest.WordsOf(out), kerneltest.WordsOf(data), kerneltest.WordsOf(m.Var("elsewhere"))}
}

// checkMix runs the kernel of a seed by lane functions and as compiled code.
func checkMix(t *testing.T, seed uint64) {
	t.Helper()
	checkMixIn(t, seed, 0)
}

// checkMixIn is checkMix for code in parts of the given number of instructions, or whole if it is 0.
func checkMixIn(t *testing.T, seed uint64, cut int) {
	t.Helper()
	x := growMix(seed)
	x.cut = cut
	code := x.parse(t)
	cfg := interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], MaxSteps: 20000}
	if seed%5 == 0 {
		cfg.MaxSteps = 1 + seed/5%400
	}
	cfg.Compile = interp.CompileNever
	want := x.run(t, code, cfg)
	cfg.Compile, cfg.Lanes = kerneltest.CompilationOf(seed), kerneltest.LevelOf(seed)
	x.checked = seed%4 == 0
	got := x.run(t, code, cfg)
	if diff := got.from(&want); diff != "" {
		t.Fatalf("seed %d, %v, %v, %d steps (-lane functions +%v):\n%s\n%v CTAs of %v threads of\n%s", seed, cfg.Divergence, cfg.PathOrder, cfg.MaxSteps, cfg.Lanes, diff, x.grid, x.block, x.text)
	}
}

// TestCompiledMixAgrees runs random kernels by lane functions alone, and compiled from the first instruction on: memory
// and counters, or the fault, are the same.
func TestCompiledMixAgrees(t *testing.T) {
	const kernels = 400
	for seed := range uint64(short.Of(kernels)) {
		if !short.Waits(int(seed), 4) {
			checkMix(t, seed)
		}
	}
}

// TestCompiledPartsAgree is TestCompiledMixAgrees for code in parts of some instructions, as that of long functions.
func TestCompiledPartsAgree(t *testing.T) {
	short.Alternates(t, 1, 3)
	const kernels = 400
	for seed := range uint64(short.Of(kernels)) {
		checkMixIn(t, seed, 1+int(seed%50))
	}
}

// FuzzCompiledMix is TestCompiledMixAgrees for further seeds.
func FuzzCompiledMix(f *testing.F) {
	f.Add(uint64(1))
	f.Fuzz(checkMix)
}
