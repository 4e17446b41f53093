package asm

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/isa"
)

const outlined = `.global .u32 table[2] = {1, 2}; // a table
.func (.reg .b32 r) f(.param .b32 x);
.entry k(.param .u64 out, .param .u32 n)
{
	.reg .b32 %r<3>, sum;
	.reg .pred p;
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
LOOP:
	@p add.u32 sum, sum, %r1;
	{
		.reg .b32 sum;
		mov.u32 sum, table;
		call (sum), f, (%r1);
	}
	@!p bra LOOP;
	st.global.u32 [%rd1+4], nothing;
	ret;
}
.func (.reg .b32 r) f(.param .b32 x)
{
	ld.param.b32 r, [x];
	ret;
}
`

// TestOutlineListsAllUses compares the names of a source with all their places, as line:column.
func TestOutlineListsAllUses(t *testing.T) {
	out := OutlineOf("k.s", []byte(outlined))
	var got []string
	for _, n := range out.Names {
		var uses []string
		for _, p := range n.Uses {
			uses = append(uses, fmt.Sprintf("%d:%d", p.Line, p.Col))
		}
		got = append(got, fmt.Sprintf("%s %s: %s", n.Text, strings.Join(uses, " "), n.Declaration))
	}
	want := []string{
		"table 1:14 13:16: .global .u32 table[2]",
		"r 2:18: .func (.reg .b32 r) f(.param .b32 x)",
		"x 2:35: .func (.reg .b32 r) f(.param .b32 x)",
		"k 3:8: .entry k(.param .u64 out, .param .u32 n)",
		"out 3:22 7:22: .entry k(.param .u64 out, .param .u32 n)",
		"n 3:39: .entry k(.param .u64 out, .param .u32 n)",
		"%r 5:12: .reg .b32 %r<3>, sum",
		"%r1 8:10 10:23 14:19: .reg .b32 %r<3>, sum",
		"sum 5:19 10:13 10:18: .reg .b32 %r<3>, sum",
		"p 6:13 10:3 16:4: .reg .pred p",
		"%rd1 7:15 17:17: ",
		"LOOP 9:1 16:10: ",
		"sum 12:13 13:11 14:9: .reg .b32 sum",
		"r 20:18 22:15: .func (.reg .b32 r) f(.param .b32 x)",
		"f 2:21 14:15 20:21: .func (.reg .b32 r) f(.param .b32 x)",
		"x 20:35 22:19: .func (.reg .b32 r) f(.param .b32 x)",
	}
	slices.Sort(got)
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestOutlineHasKindsOfWords checks kinds of words.
func TestOutlineHasKindsOfWords(t *testing.T) {
	want := map[string]WordKind{"// a table": CommentWord, ".entry": DirectiveWord, "mov.u32": OpcodeWord, "%tid.x": SpecialWord, "nothing": NameWord, "2": NumberWord, "LOOP": NameWord}
	for _, w := range OutlineOf("k.s", []byte(outlined)).Words {
		if kind, ok := want[w.Text]; ok && kind != w.Kind {
			t.Errorf("%s in line %d has kind %d, not %d", w.Text, w.Pos.Line, w.Kind, kind)
		}
		if w.Text == "nothing" && w.Name != nil {
			t.Errorf("a name that is not declared is %+v", w.Name)
		}
	}
}

// TestOutlineAgreesWithParse: in programs that Parse accepts, every word is known, and stands where the outline says.
func TestOutlineAgreesWithParse(t *testing.T) {
	forEachFile(t, func(file string, src []byte) { checkOutline(t, file, src) }, "../programs/*.s", "testdata/habits/*.ptx")
}

func checkOutline(t *testing.T, file string, src []byte) {
	t.Helper()
	_, err := Parse(file, src)
	lines := strings.Split(string(src), "\n")
	last := isa.Pos{}
	for _, w := range OutlineOf(file, src).Words {
		if line := lines[w.Pos.Line-1]; w.Kind != CommentWord && !strings.HasPrefix(line[w.Pos.Col-1:], w.Text) {
			t.Fatalf("%s:%d:%d is not %s", file, w.Pos.Line, w.Pos.Col, w.Text)
		}
		if comparePos(last, w.Pos) >= 0 {
			t.Fatalf("%s: %s of line %d is out of order", file, w.Text, w.Pos.Line)
		}
		last = w.Pos
		if err == nil && w.Kind == NameWord && w.Name == nil {
			t.Errorf("%s:%d:%d: %s is not known", file, w.Pos.Line, w.Pos.Col, w.Text)
		}
	}
}
