package debugger

import (
	"regexp"
	"testing"

	"github.com/simtrun/simtrun/divergence"
)

// callingKernel is a kernel with a function in which lanes 0 to 3 exit.
const callingKernel = `.func (.reg .u32 r) twice(.reg .u32 a)
{
	.reg .pred p;
	setp.lt.u32 p, a, 4;
	@p exit;
	add.u32 r, a, a;
	ret;
}
.entry k(.param .u64 out)
{
	mov.u32 %r3, %tid.x;
	call (%r2), twice, (%r3);
	ld.param.u64 %rd1, [out];
	st.global.u32 [%rd1], %r2;
	ret;
}
`

// TestGDBCommandsWorkOrAreExplained checks commands of gdb and cuda-gdb: they work as there, or the answer names the
// replacement. Each line begins in the state that the previous one has left.
func TestGDBCommandsWorkOrAreExplained(t *testing.T) {
	b := newBench(t, callingKernel, 40, divergence.IndependentThreads)
	for _, c := range [][2]string{
		{"info b", `^no breakpoints`},
		{"b twice", `^break 1 at L4: setp`},
		{"b k.s:13", `^break 2 at L13: ld.param`},
		{"tbreak 6", `^tbreak 3 at L6`},
		{"hbreak 7", `^break 4 at L7`},
		{"i b", `(?s)^break 1 .*break 2 .*tbreak 3 .*break 4 at L7: ret   hits 0$`},
		{"d 4", `^$`},
		{"start", `=> 11 `},
		{"run", `^break 1 at L4 .*\n=> 4 `},
		{"bt", `(?s)^\* #0  twice at L4: setp.*\n  #1  k at L12: call .*\nits, `},
		{"where 1", `and 1 caller more`},
		{"backtrace", `#1  k at L12`},
		{"info frame", `back to L13 of k`},
		{"up", `^#1  k at L12`},
		{"info registers $r3", `^%r3 u32   0-31: lane$`},
		{"p r3[7]", `= 7$`},
		{"set var $r3[20] = 20", `^%r3 set in lane 20$`},
		{"down", `^#0  twice`},
		{"frame 1", `^#1  k`},
		{"f", `^focus b0.w0.l0 `},
		{"frame 0", `^#0  twice`},
		{"info locals", `^r u32`},
		{"info args", `^  out u64 = out$`},
		{"args", `^  out u64 = out$`},
		{"locals", `^r u32`},
		{"info launch", `(?s)out u64 = out.*divergence its`},
		{"info devices", `^\* 0  h100 .*  sm_90  SMs 132  warps of an SM 64$`},
		{"info cuda devices", `^\* 0  h100 `},
		{"info registers rip", `PC is not a register`},
		{"info reg %zz", `^no register of twice begins with %zz; there are `},
		{"print /x %r1", `no register`},
		{"print /x 20", `= 0x14$`},
		{"print  /x 20", `= 0x14$`},
		{"x /2xw out", `^out: 0x0`},
		{"p 1/0", `^division by zero$`},
		{"p 1%0", `^division by zero$`},
		{"p \"abc\"", `^unexpected "\\"": expressions have no strings$`},
		{"p 'a'", `^'a' char = 97 'a'$`},
		{"p ;", `^unexpected ";"$`},
		{"p * 3", `^3 is not a pointer of C\+\+; global:\(ADDR\) is the memory at an address$`},
		{"p threadIdx.x[7]", `= 7$`},
		{"p blockDim.x", `all: 40$`},
		{"p threadIdx", `(?s)^threadIdx\n  .x u32   0-31: lane\n  .y u32   all: 0\n  .z u32   all: 0$`},
		{"!ls", `^no command "!ls"; there is no shell`},
		{"echo hello\\n", `^hello$`},
		{"b k.s:99", `^k.s:99: no code of k belongs to this line or a later one$`},
		{"b j.s:1", `^j.s:1: no code of k comes from a file of this name; it comes from k.s$`},
		{"b k.s:x", `^k.s:x: "x" is not a line$`},
		{"cuda kernel 0 block 0,0,0 thread 2,0,0", `^focus b0.w0.l2 `},
		{"cuda device 0 block (0,0,0) thread (0,0,0)", `^focus b0.w0.l0 `},
		{"cuda kernel 1 block 0", `^no kernel 1 here; there is kernel 0$`},
		{"cuda sm 0", `^the focus is a block, warp or lane, not an SM; info schedulers shows SMs, with a clock$`},
		{"list", `(?s)^       1 .*=>     4    32  .*10 .*[{]$`},
		{"list", `^      11 `},
		{"l k.s:1", `^       1 `},
		{"list 1,2", `^       1 .*\n       2 .*\{$`},
		{"l twice", `setp`},
		{"disassemble", `(?s)^twice\n=>    @0    32  L4 .*@3 `},
		{"info line 6", `^k.s:6 in twice, instruction @2`},
		{"info source", `^k.s:4 in twice`},
		{"info code", `(?m)^  without a debugger, (machine code of the host executes it|launches like this one have no machine code)$`},
		{"info functions", `k  5 instructions\n.*twice`},
		{"x/2i $pc", `(?s)^=>    @0    32  L4     setp.* @1 .*[}]?;$`},
		{"display/i $pc", `^1: x/i \$pc\n=>    @0    32  L4     setp`},
		{"info display", `^1: x/i \$pc$`},
		{"undisplay 1", `^$`},
		{"p $pc", `^\$pc u32   all: 0$`},
		{"info symbol out", `^out$`},
		{"info sharedlibrary", `info functions`},
		{"bt full", `(?s)^\* #0  twice at .*r u32.*\n  #1  k at .*%r3 u32 `},
		{"bt x", `"x" is not a count; bt N .* bt full `},
		{"cuda grid 1", `^focus b0.w0.l0 `},
		{"cuda grid 2", `^no grid 2 here; there is grid 1$`},
		{"disas /r", `(?s)^twice\n=>    @0 `},
		{"disas /x", `^no format /x; /s shows the lines`},
		{"p a = 3", `^an expression changes nothing; set PLACE = EXPR does`},
		{"p *(@shared int*)0", `^nothing is at shared 0x0$`},
		{"p @shared 0", `^@ stands between a value and a count, .*shared:\(ADDR\)`},
		{"info sources", `^k.s$`},
		{"info scope k", `info regs`},
		{"info types", `^the program has no types of the source; ptype `},
		{"watch -k out", `^no flag -k; `},
		{"set pagination off", `^pagination off: it always is$`},
		{"set pagination on", `^set pagination: the only setting is listsize; `},
		{"thread", `^focus b0.w0.l0 `},
		{"cuda block thread", `^focus b0.w0.l0 `},
		{"run 1 2", `^run takes no arguments`},
		{"si", `=> 5 .*in twice$`},
		{"stepi 1", `exit     L5: @p exit   lanes 0-3`},
		{"lane 2 bt", `lane 2 is in no function: exited at L5`},
		{"info lanes", `(?s)0-3 .*exited at L5.*4-31 .*active at L6`},
		{"ni", `^=> 7 `},
		{"finish", `=> 13 `},
		{"nexti", `=> 14 `},
		{"info threads", `^\* \(0,0,0\) *- \(3,0,0\)  *4  exited at L5\n  \(4,0,0\) `},
		{"heat", `(?s) l0-3   ####xxx\n l4-31  #######$`},
		{"thread 37", `^focus b0.w1.l5 `},
		{"lane 20 lstep", `^lane 20: no thread: the block has 40$`},
		{"thread apply all p laneid", `(?s)^b0.w0\n.*\nb0.w1\n.*0-7: lane`},
		{"thread apply 5 33 p laneid", `^thread 5\n.* 5: 5\nthread 33\n.* 1: 1$`},
		{"thread apply x p 1", `^expected thread apply all COMMAND`},
		{"thread apply all", `^thread apply all COMMAND carries out`},
		{"cuda block 0 thread 9", `^focus b0.w0.l9 `},
		{"cuda thread (10,0,0)", `^focus b0.w0.l10 `},
		{"info cuda warps", `^\* w0 .*\n  w1 `},
		{"info cuda kernels", `^k  grid 1x1x1`},
		{"watch out", `^watch 5 out`},
		{"rwatch out", `^watch 6 out`},
		{"delete 5-6", `^$`},
		{"ignore 1 3", `^break 1 ignores 3 hits to come`},
		{"condition 1 a > 3", `^break 1 .* if a > 3$`},
		{"disable 1", `^break 1  disabled`},
		{"enable 1", `^break 1  enabled`},
		{"clear twice", `^deleted break 1`},
		{"display/x r3", `^2: r3 u32`},
		{"info display", `^2: /x r3$`},
		{"undisplay 2", `^$`},
		{"x/4xw out", `^out: 0x0`},
		{"print/x r3[20]", `= 0x14`},
		{"inspect r3[20]", `= 20`},
		{"advance 15", `=> 15 `},
		{"until", `exit     L15`},
		{"commands 9", `^no break, watch or trace 9; info break lists them$`},
		{"jump 13", `until LOC`},
		{"call twice(3)", `^twice is a function of the program, which expressions cannot call`},
		{"return", `cannot be made to go on elsewhere`},
		{"ptype r3", `^type = u32, of PTX$`},
		{"whatis r3", `^type = u32, of PTX$`},
		{"layout asm", `list shows the source`},
		{"shell ls", `source FILE`},
		{"python 1", `source FILE`},
		{"define x", `^x is a command of the debugger; define takes another name$`},
		{"catch throw", `break on EVENT`},
		{"handle SIGINT stop", `Ctrl-C`},
		{"attach 1", `restart starts over, quit ends`},
		{"file a.out", `restart starts over, quit ends`},
		{"record", `everything is recorded`},
		{"generate-core-file", `--save`},
		{"show version", `info shows`},
		{"apropos watchpoint", `(?s)^continue\n.*\ndelete\n.*\ninfo break\n`},
		{"apropos zebra", `^no command is about "zebra"`},
		{"complete info chec", `^info checkpoints$`},
		{"printf \"%d\", 1", `^1$`},
		{"continue", `^tbreak 3 at L6  b0.w1 `},
		{"continue", `^break 2 at L13  b0.w1 `},
		{"info break", `^break 2 .*hits 1$`},
		{"continue", `k ended`},
		{"info registers", `no launch is under way`},
		{"heat", `^heat b0.w1  instructions 0-`},
		{"l 4", `^       1 `},
		{"delete", `^deleted 1`},
		{"r", `k ended`},
		{"start", `=> 11 `},
		{"k", `^k was ended; run starts it again$`},
		{"kill", `no launch is under way`},
		{"r", `k ended`},
		{"help x", `^x `},
		{"exit", `^quit$`},
	} {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}

// TestOnlySomeCommandsRepeat checks which commands an empty line repeats, and that list and x continue.
func TestOnlySomeCommandsRepeat(t *testing.T) {
	for _, c := range [][3]string{
		{"step", "^=> 12 ", "^=> 4 "},
		{"list 1,4", "^       1 ", "^       5 "},
		{"list", "^       6 ", "^      16 "},
		{"break twice", "^break 1", "^$"},
		{"watch r3", "^watch 1", "^$"},
		{"trace twice", "^trace 1", "^$"},
		{"display r3", "^1: ", "^$"},
		{"run", "ended", "^$"},
		{"start", "=> 11", "^$"},
	} {
		b := newBench(t, callingKernel, 40, divergence.IndependentThreads)
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s", c[0], got)
		}
		if got := b.do(""); !regexp.MustCompile(c[2]).MatchString(got) {
			t.Errorf("Enter after %s:\n%s", c[0], got)
		}
	}
}

// TestOneLetterAbbreviatesCommands checks one-letter abbreviations of commands and of topics of info.
func TestOneLetterAbbreviatesCommands(t *testing.T) {
	b := newBench(t, callingKernel, 32, divergence.IndependentThreads)
	for letter, want := range map[string]string{
		"b": "break", "c": "continue", "d": "delete", "f": "focus", "h": "help", "i": "info", "l": "list", "n": "next",
		"p": "print", "q": "quit", "r": "run", "s": "step", "t": "trace", "u": "until", "w": "watch", "x": "x",
	} {
		if c, err := b.lookUp(letter); err != nil || c.name != want {
			t.Errorf("%s: %v, %v, want %s", letter, c, err, want)
		}
	}
	for letter, want := range map[string]string{
		"b": "break", "d": "display", "f": "frame", "l": "lanes", "r": "regs", "s": "stack", "t": "threads", "w": "warps",
	} {
		if topic, err := topicNamed(letter); err != nil || topic.name != want {
			t.Errorf("info %s: %v, want %s", letter, err, want)
		}
	}
}

// TestCommandNamesAreDistinct checks that no name belongs to two commands, or to a command and an entry of instead.
func TestCommandNamesAreDistinct(t *testing.T) {
	b := newBench(t, callingKernel, 32, divergence.IndependentThreads)
	seen := make(map[string]string)
	for i := range b.table {
		c := &b.table[i]
		for _, name := range c.names() {
			if seen[name] != "" || instead[name] != "" {
				t.Errorf("%s is %s and %s", name, c.name, seen[name]+instead[name])
			}
			seen[name] = c.name
		}
	}
	for _, name := range later {
		if seen[name] != "" {
			t.Errorf("%s is %s, and not supported", name, seen[name])
		}
	}
}
