package debugger

import (
	"regexp"
	"testing"
)

// linesOfGDB are lines that users of gdb and cuda-gdb type at testdata/manual.cu, and what the answer must match. The
// session is at line 30, the first one, until run; then at line 39 in lane 3. item.key is {i, 2i}, i being the thread.
var linesOfGDB = [][2]string{
	// The type of a variable is known before it has a value.
	{"print item", `^item has no value before the first line of the function has begun$`},
	{"whatis item.key", `^type = int \[2\]$`},
	{"ptype item.key[1]", `^type = int$`},
	{"ptype item.weight", `^type = float$`},
	{"whatis &item.weight", `^type = float \*$`},
	{"whatis i + 1.0", `^type = double$`},
	{"ptype &item", `^type = struct sim::Item \{\n    int key\[2\];\n    float weight;\n    char name\[8\];\n\} \*$`},

	// Functions have the parameters of the source.
	{"break weigh(const sim::Item &, int)", `^break 1 at L23: `},
	{"break weigh(sim::Item const&, int)", `^break 2 at L23: `},
	{"break weigh(const sim::Item &)", `^no place "weigh\(const sim::Item &\)"`},
	{"break sim::twice(float)", `^no place `},
	{"print twice(3)", `^twice is a function of the program, which expressions cannot call`},
	{"x/1i &weigh", `^b? +@\d+ +L23 `},
	{"delete", `^deleted 2$`},

	// Addresses of code.
	{"disas $pc,$pc+2", `(?s)^manual\n=>    @0 .*\n      @1 .*\n      @2 [^\n]*$`},
	{"disas $pc + 1, $pc + 2", `(?s)^manual\n      @1 .*\n      @2 [^\n]*$`},
	{"x/1i $pcs", `^no place "\$pcs"; \$pc\+3 is the third instruction from here$`},
	{"break *$pc+k", `^no place "\$pc\+k"; `},
	{"x/1i $pc+2", `^      @2 `},

	// The source, by 10 lines or another number.
	{"search atomicAdd", `^      43        +atomicAdd\(&counter, 1\);$`},
	{"search atomicAdd", `^no line of .*manual.cu after that matches atomicAdd$`},
	{"reverse-search int sum", `^      37        +int sum = 0;$`},
	{"fo sum.*level", `^      42 `},
	{"search", `^search for what\?`},
	{"search [", `^error parsing regexp`},
	{"set listsize 3", `^$`},
	{"show listsize", `^list shows 3 lines$`},
	{"list 20", `^      19 .*\n      20\n      21 .*$`},
	{"list", `^      22 .*\n      23 .*\n      24 .*$`},
	{"list -", `^      19 .*\n      20\n      21 .*$`},
	{"with listsize 1 -- list 12", `^      12 .*$`},
	{"list 12", `^      11 .*\n      12 .*\n      13 .*$`},
	{"set listsize x", `^expected set listsize N`},
	{"set listsize 0", `^expected set listsize N`},
	{"set listsize unlimited", `^$`},
	{"show listsize", `^list shows 1000 lines$`},

	// Settings that hold anyway, and others.
	{"set confirm off", `^confirm off: it always is$`},
	{"set cuda  memcheck on", `^cuda memcheck on: it always is; every access is always checked`},
	{"set cuda memcheck off", `^set cuda memcheck: no setting; every access is always checked`},
	{"set cuda step_divergent_lanes off", `^set cuda step_divergent_lanes: no setting; step goes by the lane in focus`},
	{"set print elements 3", `^set print: the only setting is listsize`},
	{"set max-value-size 3", `; the only setting is listsize$`},

	// Expressions change nothing.
	{"print ++counter", `^an expression changes nothing; set PLACE = EXPR does$`},
	{"print --counter", `^an expression changes nothing; set PLACE = EXPR does$`},
	{"print 5 - -3", `= 8$`},
	{"print - -3", `= 3$`},

	// Displays can be disabled.
	{"break 39 if threadIdx.x == 3", `^break 3 `},
	{"run", `^break 3 at L39  b0.w0  lane 3\n`},
	{"display/x j", `^1: j int   all: 0x0$`},
	{"display level", `^1: j .*\n2: level `},
	{"disable display 1", `^$`},
	{"display", `^2: level `},
	{"info display", `^1: /x j  disabled\n2: level$`},
	{"enable display 1", `^$`},
	{"disable display 2", `^$`},
	{"display", `^1: j int   all: 0x0$`},
	{"disable display", `^$`},
	{"display", `^$`},
	{"enable display", `^$`},
	{"display", `^1: j .*\n2: level `},
	{"disable display 9", `^no display 9; info display lists them$`},
	{"delete display 1", `^$`},
	{"info display", `^2: level$`},

	{"info locals no", `^no name begins with no here$`},
	{"print $_siginfo._sifields", `^no \$_siginfo._sifields; info findings shows`},
	{"delete checkpoint", `^delete which checkpoint\? info checkpoints lists them$`},
	{"delete breakpoints", `^deleted 1$`},
	{"continue", `^manual ended `},
	{"print s", `gone`},
	{"print s[0]", `gone`},
}

// TestLinesOfGDBWork types lines that users of gdb know.
func TestLinesOfGDBWork(t *testing.T) {
	b := newCells(t, "manual-clang19.ptx")
	for _, c := range linesOfGDB {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant %s", c[0], got, c[1])
		}
	}
}
