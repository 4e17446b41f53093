package debugger

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// testdata/cells-clang19.ptx and cells-clang22.ptx are what simtrun cc -G makes of testdata/cells.cu in folder /src,
// cells-O2.ptx is what simtrun cc -g makes of it with clang 19; with another folder for simtrun's headers.

// returns-clang19.ptx is what simtrun cc -G makes of returns.cu, and pointers-clang19.ptx of pointers.cu.

// newCells begins a launch of the kernel in a file, as in cells(in, out, n): 2 blocks of 64 threads, in = 0, 1, 2 …,
// out = 0, n = 64.
func newCells(t testing.TB, file string) *bench {
	t.Helper()
	return newCompiled(t, file, func(in, out uint64) interp.Launch {
		params := make([]byte, 20)
		store(params, in)
		store(params[8:], out)
		params[16] = 64
		return interp.Launch{Grid: isa.Dim{X: 2, Y: 1, Z: 1}, Block: isa.Dim{X: 64, Y: 1, Z: 1}, Params: params}
	})
}

// newCompiled begins a launch of the kernel in a file, with the addresses of buffers in and out.
func newCompiled(t testing.TB, file string, launch func(in, out uint64) interp.Launch) *bench {
	t.Helper()
	ptx, err := packed.ReadFile("testdata/" + file + ".gz")
	if err != nil {
		t.Fatal(err)
	}
	name, _, _ := strings.Cut(file, "-")
	src, err := os.ReadFile("testdata/" + name + ".cu")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse(file, ptx)
	if err != nil {
		t.Fatal(err)
	}
	source.NameParams(mod)
	b := &bench{t: t}
	b.Debugger, err = New(Config{Out: &b.out, Sources: map[string][]string{"/src/" + name + ".cu": strings.Split(string(src), "\n")}, Prepare: func() (*Program, error) {
		m, err := interp.New(mod, interp.Config{Divergence: divergence.IndependentThreads, MaxSteps: 1e6})
		if err != nil {
			return nil, err
		}
		in, err := m.Alloc("in", 256)
		if err != nil {
			return nil, err
		}
		out, err := m.Alloc("out", 512)
		if err != nil {
			return nil, err
		}
		for i := range 64 {
			store(in.Data[4*i:], uint64(i)) // the rest of the word is written next
		}
		l := launch(in.Base, out.Base)
		l.Kernel = mod.Entries()[0].Name
		buffers := []Buffer{{Region: in, Elem: isa.S32}, {Region: out, Elem: isa.S32}}
		for _, name := range []string{"table", "message", "_ZN3sim5scaleE"} {
			if array := m.Var(name); array != nil {
				buffers = append(buffers, Buffer{Region: array, Elem: isa.U8})
			}
		}
		if counter := m.Var("counter"); counter != nil {
			buffers = append(buffers, Buffer{Region: counter, Elem: isa.U32, Scalar: true})
		}
		return &Program{Machine: m, Launches: []interp.Launch{l}, Buffers: buffers}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	b.out.Reset()
	return b
}

// habits are what users of cuda-gdb type, in a session, and what the answer must match. Values are worked out from
// cells.cu: s[t] is 2t, table[t & 3] is 10, 20, 30 or 40.
var habits = [][2]string{
	{"break 51", `^break 1 at L51: int &r = out\[g\];$`},
	{"run", `(?m)^break 1 at L51  b0.w0  lanes 0-31\n=> 51   int &r = out\[g\];  +active ffffffff$`},
	{"list", `(?m)^=>    51    32      int &r = out\[g\];$`},
	{"list 37,39", `^      37        __global__ void cells\(const int \*in, int \*out, int n\)\n      38        \{\n      39            __shared__ int s\[64\];$`},
	{"info locals", `(?s)^s int \[64\] = \{0, 2, 4, 6, .*\ngrid float \[2\]\[4\] = \{\{0, 1, 2, 3\}, \{0, 1, 2, 3\}\}\nt int   0-31: lane\ng int   0-31: lane\ncell Cell  lane 0: \{value = 0, where = \{a = 0, b = 0\}, kind = Even, history = \{0, 1.5, -1\}, next = &cell\}\nr int &  r is a reference that has not been set yet\nlast bool .*\nsum int `},
	{"info args", `^in const int \*   all: in\nout int \*   all: out\nn int   all: 64$`},
	{"print t", `^t int   0-31: lane$`},
	{"p -t", `^-t int   0-31: -lane$`},
	{"p ~t", `^~t int `},
	{"p warpSize / 2", `^warpSize / 2 int = 16$`},
	{"bt full", `(?s)^\* #0  cells .*\ns int \[64\] = .*\nt int   0-31: lane`},
	{"disas /s", `(?s)^cells\n.*\nL51  int &r = out\[g\];\n.*   @\d+ `},
	{"watch -l", `^watch what`},
	{"p cell.where.a * 2", `^cell.where.a \* 2 int   0-31: 2\*lane$`},
	{"p cell", `(?s)^cell Cell\n  .value int   0-31: lane\n.*\n  .kind Kind   0-30 by 2: Even   1-31 by 2: Odd\n.*  .history\[1\] float   all: 1.5\n  .history\[2\] float   all: -1\n  .next Cell \*   all: &cell$`},
	{"lane 3 p cell", `^cell Cell = \{value = 3, where = \{a = 3, b = 1.5\}, kind = Odd, history = \{3, 1.5, -1\}, next = &cell\}$`},
	{"p cell.next->where.a", `^cell.next->where.a int   0-31: lane$`},
	{"p (*cell.next).history[1]", `float   all: 1.5$`},
	{"p s[5]", `^s\[5\] int = 10$`},
	{"p s[threadIdx.x]", `int   0-31: 2\*lane$`},
	{"p s[2:5]", `^s\[2:5\] int\[3\] = 4 6 8$`},
	{"p grid[1][2]", `^grid\[1\]\[2\] float = 2$`},
	{"p *in@4", `^\*in@4 const int\[4\] = 0 1 2 3$`},
	{"p in[3]", `^in\[3\] const int = 3$`},
	{"p in + t", `const int \*   0-31: &in\[lane\]$`},
	{"p &s[3]", `^&s\[3\] int \* = &s\[3\] `},
	{"p *&cell.where.a", `int   0-31: lane$`},
	{"p/x t", `(?s)^t int\n   0: 0x0  0x1 .* 0x1f$`},
	{"p/t s[5]", `= 0b1010$`},
	{"p (float)t / 2", `(?s)^\(float\)t / 2 float\n   0: 0    0.5  1 `},
	{"p (char)98", `^\(char\)98 char = 98 'b'$`},
	{"p t == 5 || last", `00000020   5$`},
	{"p cell.kind == Odd", `aaaaaaaa   1-31 by 2$`},
	{"p 5 % 3 + (1 << 4)", `= 18$`},
	{"p threadIdx", `(?s)^threadIdx\n  .x unsigned int   0-31: lane\n  .y unsigned int   all: 0\n`},
	{"p blockIdx.x * blockDim.x + threadIdx.x", `unsigned int   0-31: lane$`},
	{"p table", `^table int\[4\] = 10 20 30 40$`},
	{"p counter", `^counter int = 0$`},
	{"info variables", `(?m)^local    the stack frame  .* of cells  at 0x0$(.|\n)*^shared   s  u8\[256\]  256 bytes  of cells  at 0x0$`},
	{"p min(t, 3)", `^min\(t, 3\) int   0-3: lane   4-31: 3$`},
	{"p max(in[3], 2u)", `unsigned int = 3$`},
	{"p $ + 1", `unsigned int = 4$`},
	{"p $$ * 10", `unsigned int = 30$`},
	{"p $1 == t", `^\$1 == t pred   ffffffff   all$`},
	{"p $$9999", `^no value \$\$9999; print has shown \d+ values$`},
	{"p abs(t - 9)", `int   0-9: 9-lane   10-31: lane-9$`},
	{"p abs(-4)", `int = 4$`},
	{"p fabs(-4)", `double = 4$`},
	{"p sqrtf(2.0f)", `float = 1.4142135$`},
	{"p sqrt(cell.history[1] + 2.5)", `double   all: 2$`},
	{"p sqrt(cell.history[1])", `float   all: 1.2247449$`},
	{"p fmaxf(cell.where.b, 1.0f)", `float\n   0: 1    1    1    1.5 `},
	{"p __popc(s[5])", `int = 2$`},
	{"p __popc(-1)", `int = 32$`},
	{"p __clz(t)", `int   0-2: 32-lane   3: 30   4-7: 29   8-15: 28   16-31: 27$`},
	{"p __ffs(0) + __ffsll(8)", `int = 4$`},
	{"p/x __brev(1)", `= 0x80000000$`},
	{"p/x __float_as_int(1.0f)", `= 0x3f800000$`},
	{"p __int_as_float(0x40000000)", `float = 2$`},
	{"p t < 2 ? s[t] : -1", `int   0: 0   1: 2   2-31: -1$`},
	{"p s[t > 3 ? 3 : t]", `int   0-3: 2\*lane   4-31: 6$`},
	{"p min(1)", `^min takes 2 arguments, not 1$`},
	{"p min(1, 2", `^a \) is missing$`},
	{"p t ? 1", `^a : is missing after the \?$`},
	{"p sinf(1)", `^no function sinf`},
	{"p sqrtt(1)", `^no function sqrtt; did you mean sqrt`},
	{"p twice(3)", `^no function twice|which expressions cannot call`},
	{"p sm", `^no register, parameter, buffer or variable sm`},
	{"p celll", `^no register, parameter, buffer or variable celll; did you mean cell\?$`},
	{"b celss", `^no place "celss"; did you mean cells\?$`},
	{"b cells.cuu:3", `^cells.cuu:3: no code of cells comes from a file of this name; it comes from cells.cu$`},
	{"x/3dw in", `^in: 0 1 2$`},
	{"x/2dw &in[3]", `^in\+12: 3 4$`},
	{"p sizeof(Cell)", `size_t = 40$`},
	{"whatis cell.history", `^type = float \[3\]$`},
	{"ptype in", `^type = const int \*$`},
	{"ptype cell", `(?s)^type = class Cell \{\n    int value;\n    Pair where;\n    Kind kind;\n    float history\[3\];\n    Cell \*next;\n\}$`},
	{"ptype Kind", `^type = enum Kind \{Even, Odd\}$`},
	{"p u", `^no register, parameter, buffer or variable u here; it is one of other lines or functions`},
	{"info address t", `^t is at local 0x[0-9a-f]+, 4 bytes$`},
	{"info symbol &s[3]", `^s\+12$`},
	{"x/4dw &s[2]", `^s\+8: 4 6 8 10$`},
	{"x/i $pc", `^=>   +@\d+    32  L51 `},
	{"info line 56", `^/src/cells.cu:56 in cells, instruction @\d+: r = u \+ cell.grow\(table\[t & 3\]\);$`},
	{"display t + 1", `^1: t \+ 1 int   0-31: lane\+1$`},
	{"next", `^=> 52   bool last = t == n - 1;  +active ffffffff\n1: t \+ 1 int   0-31: lane\+1$`},
	{"p r", `^r int   all: 0$`},
	{"p &r", `^&r int \*   0-31: &out\[lane\]$`},
	{"undisplay 1", `^$`},
	{"until 54", `^=> 54   if \(t < 16\) \{`},
	{"tbreak clamp", `^tbreak 2 at L33: int low = x < 0 \? 0 : x;$`},
	{"continue", `^tbreak 2 at L33  b0.w0  lanes 0-15\n=> 33 .*active 0000ffff  in clamp$`},
	{"backtrace", `^\* #0  clamp \(x=126, most=100\) at cells.cu:33: int low = x < 0 \? 0 : x;\n  #1  cells \(in=in, out=out, n=64\) at cells.cu:55: int u = clamp\(s\[63 - t\], 100\);\n`},
	{"info locals", `^low int `},
	{"p x", `^x int   0-15: -2\*lane\+126   \[16-31: 0\]$`},
	{"up", `^#1  cells \(in=in, out=out, n=64\) at cells.cu:55`},
	{"p t", `^t int   0-15: lane `},
	{"down", `^#0  clamp `},
	{"finish", `^=> 55 `},
	{"next", `^=> 56   r = u \+ cell.grow`},
	{"p u", `^u int   0-13: 100   14: 98   15: 96 `},
	{"step", `^=> 13   value \+= by;  +active 0000ffff  in Cell::grow$`},
	{"bt", `^\* #0  Cell::grow \(this=&cell, by=10\) at cells.cu:13: value \+= by;\n  #1  cells `},
	{"p value", `^value int   0-15: lane$`},
	{"p this->where.a", `^this->where.a int   0-15: lane$`},
	{"watch value", `^watch 3 value in b0.w0 lanes 0-15$`},
	{"continue", `^break 1 at L51  b0.w1 `},
	{"continue", `(?s)^watch 3  value in b0.w0 lanes 0-15  b0.w0  L13: value \+= by;\n  lanes 0-15 write value\n  old 0-15: lane\n  new 0-3: 11\*lane\+10 `},
	{"delete 3", `^$`},
	{"condition 1 blockIdx.x == 1", `if blockIdx.x == 1$`},
	{"break cells.cu:65 if t == 40", `^break 4 at L65: atomicAdd\(&counter, 1\); if t == 40$`},
	{"watch out[5]", `^watch 5 out\[5\]$`},
	{"continue", firstEvent}, // which warp comes first depends on the version of clang
	{"continue", firstEvent},
	{"rwatch s[7]", `^watch 6 s\[7\] in b0$`},
	{"delete 6", `^$`},
	{"info watchpoints", `(?m)^watch 5 out\[5\]   hits 1$`},
	{"delete 5", `^$`},
	{"p out[40]", `^out\[40\] int = 420$`}, // -1 + 246 + 'o' + 64
	{"p out[33]", `= 371$`},                // -1 + 204 + 'h' + 64
	{"set var out[33] = 7", `^out\[33\] set$`},
	{"p out[33]", `= 7$`},
	{"set var cell.history[1] = 2.5", `^cell.history\[1\] in lanes 0-(15|31) set$`},
	{"p cell.history[1]", ` (all|0-15): 2.5`},
	{"stepi", `(?s)=> [56]\d .*\n   @\d+  `},
	{"disassemble", `(?s)^cells\n`},
	{"info breakpoints", `(?m)^break 1 at L51: .* if blockIdx.x == 1   hits `},
	{"cuda thread 5", `^focus b0.w0.l5  block \(0,0,0\) thread \(5,0,0\)  \(`},
	{"cuda kernel 0 block 0,0,0 thread 34,0,0", `^focus b0.w1.l2  block \(0,0,0\) thread \(34,0,0\)  \(`},
	{"cuda warp 0 lane 3", `^focus b0.w0.l3 `},
	{"cuda kernel block thread", `^focus b0.w0.l3  block \(0,0,0\) thread \(3,0,0\)`},
	{"cuda block 1 thread 2", `^(focus b1.w0.l2 |block 1 has not started yet; tbreak cells if blockIdx.x == 1, and then continue, stop in it$)`},
	{"cuda block 7", `^"7" is not a block; they are 0 to 1$`},
	{"cuda sm 0", `^the focus is a block, warp or lane, not an SM; `},
	{"info cuda kernels", `^cells  grid 2x1x1  block 64x1x1 `},
	{"info cuda blocks", `^\* b0 +\(0,0,0\)  `},
	{"info cuda threads", `(?m)^\* \(0,0,0\) .*L[56]\d`},
	{"info cuda warps", `(?m)^\* w0 .*L[56]\d`},
	{"info cuda lanes", `^\* 0-31 `},
	{"info cuda devices", `^\* 0  h100 `},
	{"info frame", `^#0  cells \(in=in, out=out, n=64\) at cells.cu:[56]\d`},
	{"delete 4", `^$`},
	{"continue", `^break 1 at L51  b1.w0 `},
	{"cuda block 0", `^block 0 has ended, or not started yet; `},
	{"delete", `^deleted 1$`},
	{"continue", `^cells ended `},
	{"p out[5]", `= 327$`}, // 100 + 25 + 36 + 'f' + 64
	{"p counter", `= 128$`},
}

// firstEvent matches the stop of one warp at a line, or that of the other one at its write to memory.
const firstEvent = `(?s)^(break 4 at L65  b0.w1  lane 8\n|watch 5  out\[5\]  b0.w0  L56: r = u .*\n  lane 5 writes out\[5\]\n  old 5: 0\n  new 5: 125\n)`

// TestCUDAGDBCommandsWork types what users of cuda-gdb type into a program that each tested version of clang compiled.
func TestCUDAGDBCommandsWork(t *testing.T) {
	for _, file := range []string{"cells-clang19.ptx", "cells-clang22.ptx"} {
		b := newCells(t, file)
		for _, c := range habits {
			if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
				t.Errorf("%s: %s:\n%s\nwant %s", file, c[0], got, c[1])
			}
		}
	}
}

// TestOptimisedCodeSaysWhatIsGone: clang names no place for variables of optimised code. What has one all the same is
// shown: memory with a name, and parameters of the kernel, as they were passed.
func TestOptimisedCodeSaysWhatIsGone(t *testing.T) {
	b := newCells(t, "cells-O2.ptx")
	for _, c := range [][2]string{
		{"break 65", `^break 1 at L65: atomicAdd`},
		{"run", `^break 1 at L65 `},
		{"info locals", `(?s)^s int \[64\] = \{0, 2, 4, .*\nt int  optimised out\n`},
		{"info args", `^in const int \* = in \(0x[0-9a-f]+\)\nout int \* = out .*\nn int = 64$`},
		{"p t", `^t: optimised out here: .*simtrun cc -G does not optimise$`},
		{"p s[5]", `^s\[5\] int = 10$`},
		{"p n", `^n int = 64$`},
		{"p in[3]", `^in\[3\] const int = 3$`},
		{"whatis t", `^type = int$`},
		{"bt", `^\* #0  cells \(in=in, out=out, n=64\) at cells.cu:65`},
		{"break clamp", `^break 2 at L`},
		{"watch t", `^t: optimised out here`},
	} {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}

// TestPointersToFunctionsHaveNames: in tables of the device's memory and in variables, and calls through them are
// entered.
func TestPointersToFunctionsHaveNames(t *testing.T) {
	b := newCells(t, "pointers-clang19.ptx")
	for _, c := range [][2]string{
		{"p table", `^table op\[2\] = &plus &minus$`},
		{"p table[1]", `^table\[1\] op = &minus \(0x[0-9a-f]+\)$`},
		{"break 10", `^break 1 at L10: if \(i < n\)$`},
		{"run", `^break 1 at L10 `},
		{"p f", `(?s)&plus.*&minus`},
		{"p table[threadIdx.x % 2]", `(?s)&plus.*&minus`},
		{"whatis f", `^type = op$`},
		{"break minus", `^break 2 at L3: `},
		{"delete 1", `^$`},
		{"continue", `(?s)^break 2 at L3 .* in minus`},
		{"bt", `(?s)^\* #0  minus \(a=\d+\) at pointers.cu:3.*#1  apply \(in=in, out=out, n=64\) at pointers.cu:11`},
	} {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}

// FuzzSourceCommands is FuzzCommands for a program of C++.
func FuzzSourceCommands(f *testing.F) {
	var all []string
	for _, c := range slices.Concat(habits, manual) {
		all = append(all, c[0])
	}
	for i := 0; i < len(all); i += 20 {
		f.Add(false, strings.Join(all[i:min(i+30, len(all))], "\n"))
		f.Add(true, strings.Join(all[i:min(i+30, len(all))], "\n"))
	}
	begun := make(map[bool]*reusable)
	f.Fuzz(func(t *testing.T, optimised bool, lines string) {
		if begun[optimised] == nil {
			begun[optimised] = newReusable(newCells(t, map[bool]string{true: "cells-O2.ptx", false: "cells-clang19.ptx"}[optimised]))
		}
		executeAll(begun[optimised].again(t), lines)
	})
}
