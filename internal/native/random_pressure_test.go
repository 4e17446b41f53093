package native_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// Kernels with high register pressure resemble LLVM's code for unrolled loops: loops carry many scalars, such as
// indices and pointers, and per-lane 64-bit values and predicates; there are chains of phis and loads from 64-bit
// addresses.
const (
	pressureScalars   = 40 // of 32 bits, at most
	pressureVectors   = 12
	pressurePointers  = 12 // scalars of 64 bits
	pressureVectors64 = 20
	pressurePreds     = 20
	pressureSteps     = 58 // instructions of a loop that may keep values in registers
)

// growPressure returns the kernel of a seed.
func growPressure(seed uint64) *mix {
	g := &mixGrower{Rand: rand.New(rand.NewPCG(seed, 12)), callee: true, together: true, room: 3}
	of := func(scalars, vectors int) mixRegisters {
		scalars = 1 + g.IntN(scalars)
		return mixRegisters{scalars + 4 + g.IntN(vectors-3), scalars} // a vector that is loaded takes 4
	}
	g.words32, g.words64, g.preds = of(pressureScalars, pressureVectors), of(pressurePointers, pressureVectors64), of(pressurePreds/2, pressurePreds/2)
	fmt.Fprintf(&g.b, ".global .align 16 .b8 elsewhere[4];\n.shared .align 16 .b8 s[%d];\n", mixShared+mixBehind)
	g.leaves(false)
	g.b.WriteString(".entry k(.param .u64 out, .param .u64 data, .param .u32 n)\n{\n")
	g.registers()
	g.startUnderPressure()
	for range 1 + g.IntN(3) {
		if g.IntN(3) == 0 {
			g.statement(3)
		}
		g.tight(0)
	}
	g.showAll()
	return &mix{text: g.b.String(), grid: kerneltest.Dim(1+uint32(g.IntN(3)), 1), block: g.pressureBlock(), checked: seed%8 == 0}
}

// pressureBlock returns the size of a CTA. Often its last warp is not full.
func (g *mixGrower) pressureBlock() isa.Dim {
	switch g.IntN(5) {
	case 0:
		return kerneltest.Dim(32, 1)
	case 1:
		return kerneltest.Dim(64, 1)
	case 2:
		return kerneltest.Dim(32+uint32(g.IntN(10)), 1)
	case 3:
		return kerneltest.Dim(1+uint32(g.IntN(20)), 1+uint32(g.IntN(6)))
	}
	return kerneltest.Dim(1+uint32(g.IntN(120)), 1)
}

// startUnderPressure initialises all registers, the first ones of each kind with scalars.
func (g *mixGrower) startUnderPressure() {
	g.plain("mov.u32 %%ix, s")
	g.plain("ld.param.u64 %%out, [out]")
	g.plain("ld.param.u64 %%data, [data]")
	for r := range g.words32.all {
		switch {
		case r < g.words32.scalars:
			g.plain("mad.lo.u32 %%a%d, %%ctaid.x, %d, %d", r, g.IntN(9), int32(g.Uint32()>>g.IntN(32)))
		case g.IntN(3) == 0:
			g.plain("mad.lo.u32 %%a%d, %s, %s, %d", r, among(g, "%tid.x", "%laneid"), among(g, "4", "-4", "1", "12"), g.IntN(1000))
		default:
			g.plain("mul.lo.u32 %%a%d, %%tid.x, %d", r, int32(g.Uint32()|1))
			g.plain("xor.b32 %%a%d, %%a%[1]d, %%laneid", r)
		}
	}
	for r := range g.words64.all {
		if g.uniform = r < g.words64.scalars; g.uniform {
			g.plain("mad.wide.u32 %%w%d, %s, 4, %%data", r, g.r32())
		} else {
			g.plain("mad.wide.u32 %%w%d, %s, %s, %d", r, g.r32(), among(g, "4", "8", "7"), g.IntN(1000))
		}
	}
	for r := range g.preds.all {
		g.uniform = r < g.preds.scalars
		g.plain("setp.lt.s32 %%q%d, %s, %s", r, g.r32(), g.r32())
	}
	g.uniform = false
}

// tight emits a loop that is short enough for the compiler to keep values in registers, or a little longer.
func (g *mixGrower) tight(depth int) {
	c, limit, together := fmt.Sprintf("%%c%d", g.loops), fmt.Sprint(1+g.IntN(5)), g.together
	same := g.IntN(3) > 0
	if same {
		g.plain("mov.u32 %s, 0", c)
	} else {
		g.plain("and.b32 %s, %s, %d", c, among(g, "%laneid", g.r32()), among(g, 1, 3, 7))
		limit = fmt.Sprint(1 + g.IntN(9))
		g.together = false
	}
	head, end := g.label(), g.label()
	g.loops++
	g.place(head)
	first := g.IntN(3) == 0
	if first {
		g.plain("setp.ge.u32 %%l%d, %s, %s", g.loops-1, c, limit)
		g.plain("@%%l%d bra %s", g.loops-1, end)
	}
	for left := pressureSteps + g.IntN(8) - 3; left > 0; {
		left -= g.section(c, same, left)
		if g.IntN(24) == 0 {
			g.callLeaf()
		}
	}
	if depth < 1 && g.IntN(12) == 0 {
		g.tight(depth + 1)
	}
	g.plain("add.u32 %s, %s, 1", c, c)
	if first {
		g.plain("bra %s", head)
	} else {
		g.plain("setp.lt.u32 %%l%d, %s, %s", g.loops-1, c, limit)
		g.plain("@%%l%d bra %s", g.loops-1, head)
	}
	g.place(end)
	g.loops--
	g.together = together
}

// section emits at most most instructions of a loop with counter c, which is a scalar if uniform, and returns their
// number.
func (g *mixGrower) section(c string, uniform bool, most int) (steps int) {
	emit := func(format string, args ...any) bool {
		if steps == most {
			return false
		}
		g.plain(format, args...)
		steps++
		return true
	}
	defer func() { g.uniform = false }()
	switch g.IntN(9) {
	case 0: // scalars that the loop carries
		g.uniform = true
		for r, n := g.IntN(2), g.words32.scalars; r < n; r++ {
			emit("%s %%a%d, %%a%[2]d, %s", among(g, "add.u32", "add.u32", "sub.u32", "xor.b32", "mul.lo.u32"), r, among(g, fmt.Sprint(r+1), g.s32()))
		}
	case 1: // scalars that are live together, and then used
		g.uniform = true
		first := g.IntN(g.words32.scalars)
		live := min(g.words32.scalars-first, most/2)
		for r := range live {
			op := among(g, "mad.lo.u32 %%a%d, %s, %s, %s", "mad.lo.u32 %%a%d, %s, %s, %s", "mul.hi.u32 %%a%d, %s, %s", "mul.hi.s32 %%a%d, %s, %s", "mul24.hi.u32 %%a%d, %s, %s")
			args := []any{first + r, g.pressureSource(c, uniform), g.s32(), g.s32()}
			if op[:3] != "mad" {
				args = args[:3]
			}
			emit(op, args...)
		}
		g.uniform = false
		sum := g.r32()
		for r := range live {
			emit("%s %s, %[2]s, %%a%d", among(g, "xor.b32", "add.u32"), sum, first+live-1-r)
		}
	case 2: // 64-bit values of each lane
		for r := g.words64.scalars; r < g.words64.all; r++ {
			switch g.IntN(4) {
			case 0:
				emit("mad.wide.%s %%w%d, %s, %s, %%w%[2]d", among(g, "u32", "s32"), r, g.r32(), g.s32())
			case 1:
				emit("%s %%w%d, %s, %s, %%w%[2]d", among(g, "fma.rn.f64", "mad.lo.u64"), r, g.r64(), g.r64())
			case 2:
				emit("%s %%w%d, %%w%[2]d, %s", among(g, "add.f64", "mul.f64"), r, g.r64())
			default:
				emit("%s %%w%d, %%w%[2]d, %s", among(g, "add.u64", "sub.u64", "xor.b64", "mul.lo.u64"), r, g.s64())
			}
		}
	case 3: // pointers, all carried, and loads by them
		for r := range g.words64.scalars {
			emit("add.u64 %%w%d, %%w%[1]d, %d", r, among(g, 4, 8, 128, -4))
			if g.IntN(2) == 0 && steps+4 <= most {
				emit("sub.u64 %%wx, %%w%d, %%data", r)
				emit("and.b64 %%wx, %%wx, %d", mixData-4)
				emit("add.u64 %%wx, %%wx, %%data")
				g.uniform = g.IntN(2) == 0
				emit("ld.global.%s %s, [%%wx]", among(g, "u32", "b32", "f32"), g.r32())
				g.uniform = false
			}
		}
	case 4: // predicates
		for r := range g.preds.all {
			g.uniform = r < g.preds.scalars
			if g.IntN(2) == 0 {
				emit("setp.%s.%s %%q%d, %s, %s", among(g, "lt", "le", "eq", "ne", "gt", "ge"), among(g, "u32", "s32"), r, g.r32(), g.pressureSource(c, uniform))
			} else {
				emit("%s.pred %%q%d, %%q%[2]d, %s", among(g, "and", "or", "xor"), r, g.pred())
			}
		}
	case 5: // a chain of phis
		g.uniform = g.IntN(3) > 0
		emit("mov.u32 %%ix, %s", g.r32())
		first, n := 0, g.words32.scalars
		if !g.uniform {
			first, n = g.words32.scalars, g.words32.all
		}
		for r := first; r+1 < n; r++ {
			emit("mov.u32 %%a%d, %%a%d", r, r+1)
		}
		emit("mov.u32 %%a%d, %%ix", n-1)
	case 6: // shuffles
		shfl := "shfl.sync.%s.b32 %s, %s, %s, %s, -1"
		if !g.together {
			if !emit("activemask.b32 %%ix") {
				break
			}
			shfl = "shfl.sync.%s.b32 %s, %s, %s, %s, %%ix"
		}
		emit(shfl, among(g, "bfly", "idx", "up", "down"), g.r32(), g.r32(), among(g, "1", "16", "31", g.s32()), among(g, "31", "31", "0x1807", g.s32()))
	case 7: // some of the lanes
		if g.IntN(2) == 0 && steps+8 <= most {
			end, n := g.label(), 1+g.IntN(5)
			emit("@%s%s bra %s", among(g, "", "!"), g.pred(), end)
			for range n {
				g.compute()
			}
			g.place(end)
			steps += n
			break
		}
		for range 1 + g.IntN(2) {
			g.access()
			steps += 3
		}
	default:
		g.uniform = g.IntN(2) == 0
		for range 1 + g.IntN(8) {
			g.compute()
			steps++
		}
	}
	return max(steps, 1)
}

// pressureSource returns the counter c if the statement may read it, or another source.
func (g *mixGrower) pressureSource(c string, uniform bool) string {
	if (uniform || !g.uniform) && g.IntN(2) == 0 {
		return c
	}
	return g.s32()
}

// showAll stores hashes of all registers.
func (g *mixGrower) showAll() {
	g.plain("mad.lo.u32 %%ix, %%tid.y, %%ntid.x, %%tid.x")
	g.plain("mad.lo.u32 %%ix, %%ctaid.x, 128, %%ix")
	g.plain("mad.wide.u32 %%out, %%ix, 16, %%out")
	g.plain("mov.u32 %%ix, 1")
	g.plain("mov.u64 %%wx, 1")
	for r := range g.words32.all {
		g.plain("mad.lo.u32 %%ix, %%ix, 31, %%a%d", r)
	}
	for r := range g.words64.all {
		g.plain("mad.lo.u64 %%wx, %%wx, 31, %%w%d", r)
	}
	for r := range g.preds.all {
		g.plain("@%%q%d mad.lo.u32 %%ix, %%ix, 29, %d", r, r+1)
	}
	g.plain("st.global.u32 [%%out], %%ix")
	g.plain("st.global.u64 [%%out+8], %%wx")
	g.b.WriteString("\tret;\n}\n")
}

// checkPressure runs the kernel of a seed with lane functions, and compiled for every instruction set, on one and on
// two host threads.
func checkPressure(t *testing.T, seed uint64) {
	t.Helper()
	x := growPressure(seed)
	code := x.parse(t)
	cfg := interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], MaxSteps: 20000, Compile: interp.CompileNever}
	checked := x.checked
	x.checked = false
	want := x.run(t, code, cfg)
	for i, level := range kerneltest.Levels() {
		if level == jit.None {
			return
		}
		cfg.Compile, cfg.Lanes, cfg.Threads = kerneltest.CompilationOf(seed), level, 1+int(seed/2+uint64(i))%2
		x.checked = checked && cfg.Threads == 1
		got := x.run(t, code, cfg)
		if diff := got.from(&want); diff != "" {
			t.Fatalf("seed %d, %v, %v, %v, %d threads (-lane functions +%v):\n%s\n%v CTAs of %v threads of\n%s", seed, cfg.Divergence, cfg.PathOrder, cfg.Compile, cfg.Threads, cfg.Lanes, diff, x.grid, x.block, x.text)
		}
	}
}

var (
	pressureKernels = flag.Int("pressure", 300, "`N` kernels of TestCompiledCodeUnderPressureAgrees")
	pressureFirst   = flag.Uint64("first", 0, "`SEED` of the first kernel")
)

// TestCompiledCodeUnderPressureAgrees: random kernels with many live values have the same memory and counters
// afterwards whether lane functions execute them or code compiled for any instruction set. -pressure 100000 -timeout 0
// takes 8 minutes of CPU with GOGC=1600.
func TestCompiledCodeUnderPressureAgrees(t *testing.T) {
	short.Alternates(t, 2, 3)
	for seed := range uint64(short.Of(*pressureKernels)) {
		checkPressure(t, *pressureFirst+seed)
	}
}

// FuzzPressure is TestCompiledCodeUnderPressureAgrees for other seeds.
func FuzzPressure(f *testing.F) {
	f.Add(uint64(1))
	f.Add(uint64(26010188)) // an arm with five predicates, one of which is the guard of another in it
	f.Fuzz(checkPressure)
}
