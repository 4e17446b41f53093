package debugger

import (
	"regexp"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
)

// valuesOfTheUser are lines with variables of the debugger and printf, as in gdb, and what the answer must match. The
// session is at the start of work, of 64 threads, and y is a buffer of 64 words at 0x110200200.
var valuesOfTheUser = [][2]string{
	{"show convenience", `^no variables of the debugger; set \$i = 3 makes one$`},
	{"p $i", `^no register, parameter, buffer or variable \$i; set \$i = EXPR makes one of the debugger$`},
	{"set $i = 3", `^\$i set, a variable of the debugger$`},
	{"p $i", `^\$i = 3$`},
	{"p $i * 2 + 1", ` = 7$`},
	{"set var $i += 4", `^\$i set`},
	{"set $i++", `^\$i set`},
	{"p/x $i", ` = 0x8$`},
	{"set $mine = laneid * $i", `^\$mine set`},
	{"p $mine[3]", ` = 24$`},
	{"set y[1] = $i", `^y\[1\] set$`},
	{"p y[$i - 7]", ` = 8$`},
	{"print $j = 5", `^\$j = 5$`},
	{"p $j == 5", ` true$`},
	{"break 22 if laneid == $j", `^break 1 at L22`},
	{"p $bpnum", ` = 1$`},
	{"continue", `(?s)^break 1 at L22  b0.w0  lane 5\n`},
	{"show convenience", `(?s)^\$i = 8\n\$j = 5\n\$mine s64 `},
	{"show values", `\$1 = 3\n\$2 .*= 7\n\$3 = 8`},
	{"show args", `; info shows what there is$`},
	{"x/2xw y", `^y: 0x0 0x8$`},
	{"p $_", `^\$_ u64 = y\+4 \(0x110200204\)$`},
	{"p $__", `= 8$`},
	{"x/-2xw y+8", `^y: 0x0 0x8$`},
	{"x/-1s y", `^strings are shown forwards`},
	{"set $pc = 1", `^\$pc cannot be set`},
	{"set $r1 = 1", `^%r1 set in lanes`},
	{"set $_exitcode = 1", `^no \$_exitcode`},

	{`printf "%d\n", $i`, `^8$`},
	{`printf "%s is %5.2f, 0x%04x, %c, %u%%\n", "it", 2.5, 255, 'a', -1`, `^it is  2.50, 0x00ff, a, 4294967295%$`},
	{`printf "%ld %lu %p\n", -1, 5, y`, `^-1 5 0x110200200$`},
	{`printf "%-4d|%+d|%o\n", 7, 7, 8`, `^7   \|\+7\|10$`},
	{`lane 5 printf "%d %d\n", laneid, (1, 2)`, `is missing|does not continue`},
	{`printf "%d %d\n", 1`, `^the format takes 2 values, not 1$`},
	{`printf "%d\n", 1, 2`, `^the format takes 1 value, not 2$`},
	{`printf "%y\n"`, `^"%y\\n" is not a conversion; there are %d `},
	{`printf hello`, `^expected a format and its values`},
	{`printf "%d" 1`, `^a comma is missing before 1$`},
	{`printf "%d\n", "x"`, `^"x" is a string; %s prints it$`},
	{`printf "%d\n", nosuch`, `^no register`},
	{`lane 5 printf "%d\n", laneid`, `^5$`},
	{`printf "a\tb"`, "^a\tb$"},
	{"echo b\\n", `^b$`},
	{"output 5", ` = 5$`},
	{"call $i + 1", ` = 9$`},

	{"delete", `^deleted 1$`},
	{`dprintf 22,"lane %d: %d\n", laneid, $i`, `^dprintf 2 at L22: .*  prints "lane %d: %d\\n", laneid, \$i$`},
	{"cond 2 laneid > 3", `^dprintf 2 .* if laneid > 3$`},
	{`dprintf 22`, `^expected dprintf LOC,"FORMAT",EXPR`},
	{`dprintf 22,"%d\n",nosuch`, `^no register`},
	{"tbreak 23", `^tbreak 3`},
	{"run", `(?s)lane 4: 8\n.*tbreak 3 at L23`},
	{"info breakpoints", `dprintf 2 .*hits 1`},
	{"info tracepoints", `^no info tracepoints; info break shows traces, too$`},

	{"delete", `^deleted 1$`},
	{"break 22", `^break 4`},
	{"enable once 4", `^break 4  enabled$`},
	{"info break", `disabled after 1 stop$`},
	{"run", `\nbreak 4 `},
	{"info break", `hits 1  disabled$`},
	{"enable count 2 4", `^break 4  enabled$`},
	{"run", `\nbreak 4 `},
	{"continue", `^break 4 `},
	{"info break", `disabled$`},
	{"enable delete 4", `^break 4  enabled$`},
	{"run", `\nbreak 4 `},
	{"info break", `^no breakpoints`},
	{"enable once", `^enable once which\?`},
	{"enable count x 4", `^expected enable count STOPS N`},

	{"checkpoint", `^checkpoint 1`},
	{"delete checkpoint 1", `^$`},
	{"info checkpoints", `^no checkpoints`},
	{"with print pretty on -- p 7", `^7 = 7$`},
	{"with print pretty on", `^expected with SETTING -- COMMAND$`},
	{"thread apply 1-2 p laneid", `(?s)^thread 1\n.*thread 2\n`},
	{"thread apply all -s p 1", `(?s)^b0.w0\n1 = 1\nb0.w1\n1 = 1$`},
	{"thread apply 3-1 p 1", `^"3-1" is not a thread`},
	{"watch y[0] thread 3", `^a watchpoint is not one of a thread; watch y\[0\] if threadIdx.x == 3 stops for one$`},
	{"info symbol 0x10", `^no variable or buffer is at 0x10; `},
	{"target remote :1234", `^no command "target"; the kernel runs in this process, without a remote target; simtrun dap --listen`},
	{"set exec-direction reverse", `^set exec-direction: no setting; reverse-step`},
	{"set environment A=1", `^set environment: the only setting is listsize`},
	{"pipe p 1 | wc", `there is no shell`},
	{"| p 1 | wc", `there is no shell`},
	{"end", `commands N begins a list of commands`},
	{"break -1", `^break 5 at L21`},
	{"display/2i $pc", `(?s)^1: x/2i \$pc\n=> `},
	{"stepi", `(?s)\n1: x/2i \$pc\nLOW:\n +@6 `}, // where the lane in focus is
}

// TestValuesOfTheUser types them.
func TestValuesOfTheUser(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	for _, c := range valuesOfTheUser {
		if got := b.do(c[0]); !regexp.MustCompile(c[1]).MatchString(got) {
			t.Errorf("%s:\n%s\nwant a match of %s", c[0], got, c[1])
		}
	}
}

// TestChangesKeepTheirValues: a change that refers to a variable of the debugger, or to what print has shown, does the
// same when it is executed again, whatever these are by then.
func TestChangesKeepTheirValues(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	for _, line := range []string{"p 40", "set $i = 2", "step", "set y[0] = $ + $i", "p 1", "set $i = 3", "step", "rewind", "goto 2"} {
		if err := b.Execute(kerneltest.EndsAfter(1000), line); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if got := b.do("p y[0]"); got != "y[0] u32 = 42" {
		t.Errorf("%s, want 42 again", got)
	}
}
