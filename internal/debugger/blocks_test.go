package debugger

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
)

// TestBlocksFollowConditions: if, else and while execute their lines at the prompt and in defined commands, nested, and
// as gdb does; a condition holds if any active lane satisfies it.
func TestBlocksFollowConditions(t *testing.T) {
	for script, want := range map[string]string{
		"if 1\necho yes\nelse\necho no\nend": "yes",
		"if 0\necho yes\nelse\necho no\nend": "no",
		"if 0\necho yes\nend":                "",
		"if laneid == 31\necho some\nend":    "some",
		"if laneid == 32\necho some\nelse\nif 1\necho inner\nelse\necho never\nend\nend":                                               "inner",
		"set $i = 0\nwhile $i < 3\nset $i = $i + 1\nif $i == 2\nloop_continue\nend\necho turn\nend\nprint $i":                          "turn|turn|$i = 3",
		"set $i = 0\nwhile 1\nset $i++\nif $i > 4\nloop_break\nend\nend\nprint $i":                                                     "$i = 5",
		"define say\nif $argc == 1\necho $arg0\nelse\nset $n = 0\nwhile $n < $argc\nset $n++\nend\nprint $n\nend\nend\nsay a\nsay a b": "a|$n = 2",
		"while 1\nend":                    "lists of commands execute more than 10000 lines",
		"if 1\nwhile 0\nend\nnosuch\nend": "nosuch: no command \"nosuch\"; help lists them",
		"if":                              "a condition is missing: if EXPR, while EXPR",
		"while )":                         "expected an operand, found \")\"",
		"else":                            "no command \"else\"; if EXPR begins a list that may have an else",
		"loop_break":                      "loop_break stands in the list of a while",
		"if 1\nloop_continue\nend":        "loop_continue: loop_continue stands in the list of a while",
		"break LOW\ncommands\nsilent\nif r1 > 40\necho second\nelse\necho first\nend\nend\nrun\ncontinue": "first|second",
	} {
		b := newSeveral(t, divergence.IndependentThreads, 64, "work")
		var got []string
		for line := range strings.SplitSeq(script, "\n") {
			shown := b.do(line)
			for text := range strings.SplitSeq(shown, "\n") {
				if text != "" && !strings.HasPrefix(text, "break 1 at") && !strings.Contains(text, "of the debugger") {
					got = append(got, text)
				}
			}
		}
		for i, line := range got { // values of $i have their type, as in "$i s64   all: 3"
			if strings.HasPrefix(line, "$") {
				words := strings.Fields(line)
				got[i] = words[0] + " = " + words[len(words)-1]
			}
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%q answers %q, want %q", script, text, want)
		}
	}
}

// TestEndOfBlockMayExecute: only the end of an if or while at the prompt executes something.
func TestEndOfBlockMayExecute(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	for _, c := range []struct {
		line string
		may  bool
	}{{"if 1", false}, {"if 1", false}, {"step", false}, {"end", false}, {"end", true}, {"define mine", false}, {"while 0", false}, {"end", false}, {"end", false}, {"mine", true}} {
		if may := b.MayExecute(c.line); may != c.may {
			t.Errorf("%s may execute something: %v", c.line, may)
		}
		b.do(c.line)
	}
}

// TestContinueCountsHits: continue N stops at the Nth hit from now on of the breakpoint that has stopped, as in gdb.
func TestContinueCountsHits(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	const advice = "continue 3 ignores hits of the breakpoint that has stopped, and none has; continue L3 runs to line 3, and so does until 3"
	for _, c := range [][2]string{
		{"continue 3", advice},
		{"break LOW", "break 1 at L25: mov.u32 %r3, box"},
		{"run", "break 1 at L25  b0.w0  lanes 0-31\n=> 25   mov.u32 %r3, box                         active ffffffff"},
		{"continue 3", "break 1 ignores 2 hits to come\nbreak 1 at L25  b1.w1  lanes 0-31\n=> 25   mov.u32 %r3, box                         active ffffffff"},
		{"reverse-continue", "break 1 at L25  b1.w0  lanes 0-31\n=> 25   mov.u32 %r3, box                         active ffffffff"},
		{"continue 1", "break 1 at L25  b1.w1  lanes 0-31\n=> 25   mov.u32 %r3, box                         active ffffffff"},
		{"stepi", "=> 26   mad.lo.u32 %r3, %r1, 4, %r3              active ffffffff"},
		{"continue 3", advice},
	} {
		if got := b.do(c[0]); got != c[1] {
			t.Errorf("%s: %s\nwant %s", c[0], got, c[1])
		}
	}
}

// TestRbreakStopsInMatchingFunctions: rbreak makes a breakpoint in each function with a name that matches.
func TestRbreakStopsInMatchingFunctions(t *testing.T) {
	b := newSeveral(t, divergence.IndependentThreads, 64, "work")
	for _, c := range [][2]string{
		{"rbreak ^tw.*e$", "break 1 at L9: cvt.u16.u32 %h1, a"},
		{"rbreak w", "break 2 at L18: mov.u32 %r1, %tid.x\nbreak 3 at L9: cvt.u16.u32 %h1, a"},
		{"rbreak (", "rbreak REGEXP: expected a regular expression for names of functions"},
		{"rbreak none", "no function that the kernel can reach has a name that matches none; info functions lists all"},
	} {
		if got := b.do(c[0]); got != c[1] {
			t.Errorf("%s: %s\nwant %s", c[0], got, c[1])
		}
	}
}

// TestLanesOfOnePathKeepTheFrame: a command in another lane of the same path is executed in the selected frame.
func TestLanesOfOnePathKeepTheFrame(t *testing.T) {
	b := inState(t, 2, divergence.IndependentThreads) // in a call
	b.do("up")
	for _, c := range [][2]string{{"lane 3 print r1", "r1 u32   3: 3"}, {"print r1[4]", "r1[4] u32 = 4"}} {
		if got := b.do(c[0]); got != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got, c[1])
		}
	}
}
