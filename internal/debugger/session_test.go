package debugger

import (
	"regexp"
	"testing"
)

// firstSession is what users of cuda-gdb type in a first session, at testdata/manual.cu. Expectations are worked out
// from the source, as for manual: s[i] is 2i, so that the loop adds 2i, 2(i+1), 2(i+2) and 2(i+3) to sum, which is
// set to 100 after the first.
var firstSession = [][2]string{
	{"info cuda devices", `^\* 0  h100 .* sm_90  SMs 132`},
	{"set cuda memcheck on", `^cuda memcheck on: it always is; every access is always checked`},
	{"set cuda api_failures stop", `^set cuda api_failures: no setting; .*catch error`},
	{"set cuda break_on_launch application", `^set cuda break_on_launch: no setting; .*break kernel`},
	{"set cuda launch_blocking on", `^cuda launch_blocking on: it always is; launches run one at a time`},
	{"set cuda software_preemption on", `^set cuda software_preemption: no setting; `},
	{"set cuda no_such_thing on", `^set cuda: the only setting is listsize; `},
	{"set print pretty on", `^print pretty on: it always is`},
	{"break manual", `^break 1 at L31: int i = `},
	{"break ::weigh", `^break 2 at L23: int w = `},
	{"tbreak manual.cu:39", `^tbreak 3 at L39`},
	{"info breakpoints", `(?s)^break 1 .*break 2 .*tbreak 3 at L39`},
	{"run", `^(break 1 at L31|=> 31)`},
	{"delete 1", `^$`},
	{"continue", `^tbreak 3 at L39  b0.w0 `},
	{"info cuda kernels", `^manual  grid 2x1x1  block 64x1x1`},
	{"info cuda blocks", `^\* b0    \(0,0,0\)  2 of 2 warps live`},
	{"info cuda sms", `^\* b0    \(0,0,0\)  2 of 2 warps live`},
	{"info cuda warps", `(?s)^\* w0  ffffffff  L39 .*\n  w1  ffffffff `},
	{"info cuda lanes", `^\* 0-31 +active at L39$`},
	{"info cuda threads", `^\* \(0,0,0\) +- \(31,0,0\) +32  active at L39\n  \(32,0,0\) `},
	{"info cuda contexts", `info launch shows what runs$`},
	{"info threads", `^\* \(0,0,0\) `},
	{"thread", `^focus b0.w0.l0  block \(0,0,0\) thread \(0,0,0\)`},
	{"cuda kernel block thread", `^focus b0.w0.l0  block \(0,0,0\) thread \(0,0,0\)`},
	{"cuda lane 5", `^focus b0.w0.l5  block \(0,0,0\) thread \(5,0,0\)`},
	{"cuda lane", `^focus b0.w0.l5 `},
	{"cuda warp 1", `^focus b0.w1.l5 .* thread \(37,0,0\)`},
	{"cuda block 0 thread 40", `^focus b0.w1.l8 `},
	{"cuda kernel 0 block 0,0,0 thread 3,0,0", `^focus b0.w0.l3 `},
	{"print threadIdx", `^threadIdx\n  .x unsigned int   0-31: lane\n  .y unsigned int   all: 0`},
	{"print $1", `^\$1 was a struct`},
	{"print blockIdx.x * blockDim.x + threadIdx.x", `unsigned int   0-31: lane$`},
	{"print gridDim.x", `all: 2$`},
	{"print warpSize", `^warpSize int = 32$`},
	{"print i", `^i int   0-31: lane$`},
	{"print/x n", `all: 0x40$`},
	{"print s", `(?s)^s int\[64\]\n +0: +0 +2 +4 +6 .* 126$`},
	{"print s[3]@2", `^s\[3\]@2 int\[2\] = 6 8$`},
	{"print &s[3]", `^&s\[3\] int \* = &s\[3\] \(0xc\)$`},
	{"print *(@shared int*)12", `int = 6$`},
	{"print *(@global int*)in@3", `int\[3\] = 0 1 2$`},
	{"print in[threadIdx.x]", `const int   0-31: lane$`},
	{"output i", `^i int   0-31: lane$`},
	{"ptype in", `^type = const int \*$`},
	{"whatis s", `^type = int \[64\]$`},
	{"x/4dw in", `^in: 0 1 2 3$`},
	{"x/2xw (@shared int*)8", `^s\+8: 0x4 0x6$`},
	{"x/2i $pc", `(?m)^=> +@\d+ +32  L39 .*\n +@\d+ +L39 `},
	{"info line", `^/src/manual.cu:39 in manual`},
	{"info line 42", `^/src/manual.cu:42 in manual`},
	{"info registers r1", `^%r1 u32 [^\n]*$`},
	{"info registers pc", `^the PC is not a register; `},
	{"info locals", `(?s)\bs int \[64\] = \{0, 2, 4, .*\bi int   0-31: lane`},
	{"info args", `(?s)^in const int \* +all: in\nout int \* +all: out\nn int +all: 64`},
	{"info functions weigh", `^L23 +weigh  \d+ instructions$`},
	{"info functions nothing", `^no function that the kernel can reach has nothing in its name`},
	{"info variables counter", `^global +counter  u32  4 bytes  at 0x[0-9a-f]+$`},
	{"info sharedlibrary", `^no info sharedlibrary; info functions shows all that the kernel can reach$`},
	{"info source", `^/src/manual.cu:39 in manual`},
	{"list 38,39", `^      38 .*\n=> +39 +32 .*sum \+= s`},
	{"list weigh", `(?m)^ +21 .*weigh\(const sim::Item`},
	{"bt", `^\* #0  manual \(in=in, out=out, n=64\) at manual.cu:39: `},
	{"up", `^this is the kernel, which has no caller$`},
	{"frame", `^#0  manual `},
	{"display sum", `^1: sum int   all: 0$`},
	{"next", `(?s)^=> 40 .*\n1: sum int   0-31: 2\*lane$`},
	{"info display", `^1: sum$`},
	{"undisplay 1", `^$`},
	{"set var sum = 100", `^sum in lanes 0-31 set$`},
	{"print sum = 3", `^an expression changes nothing; set PLACE = EXPR does`},
	{"watch counter", `^watch 4 counter$`},
	{"info watchpoints", `(?m)^watch 4 counter   hits 0$`},
	{"until 42", `^=> 42 `},
	{"print sum", `^sum int   0-31: 6\*lane\+112$`},
	{"advance 23", `^(break 2 at L23|=> 23).*`},
	{"bt", `^\* #0  weigh \(.*k=.*\) at manual.cu:23: .*\n  #1  manual .* at manual.cu:42: `},
	{"up", `^#1  manual `},
	{"down", `^#0  weigh `},
	{"step", `^=> 24 `},
	{"stepi", `^=> 24 `},
	{"finish", `^=> 42 `},
	{"delete 2", `^$`},
	{"disable 4", `^watch 4  disabled$`},
	{"enable 4", `^watch 4  enabled$`},
	{"continue", `^watch 4  counter  b0.w\d  L43: atomicAdd\(&counter, 1\);`},
	{"delete", `^deleted 1`},
	{"info cuda exceptions", `^no findings so far; `},
	{"maint info sections", `^no command "maint"; info and disas`},
	{"frobnicate", `^no command "frobnicate"; help lists them$`},
	{"help info cuda", `^info `},
	{"continue", `^manual ended `},
}

// TestSessionOfCUDAGDBWorks types these: each works as in cuda-gdb, or the answer says what does.
func TestSessionOfCUDAGDBWorks(t *testing.T) {
	b := newCells(t, "manual-clang19.ptx")
	for _, c := range firstSession {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
