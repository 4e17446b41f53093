package flow_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/flow"
)

// TestLoops: blocks are numbered in text order; a comment names them.
func TestLoops(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want []flow.Loop
	}{
		"none": {"@%p1 bra A; mov.u32 %r1, 1; A: ret;", nil},
		"itself": {"mov.u32 %r1, 1; A: @%p1 bra A; ret;", // 0, A 1, 2
			[]flow.Loop{{Header: 1, Blocks: []int{1}}}},
		"two latches and a way out": {"A: @%p1 bra C; @%p2 bra A; mov.u32 %r1, 1; bra A; C: ret;", // A 0, 1, 2, C 3
			[]flow.Loop{{Header: 0, Blocks: []int{0, 1, 2}}}},
		"nested": {"A: mov.u32 %r1, 1; B: @%p1 bra B; @%p2 bra A; ret;", // A 0, B 1, 2, 3
			[]flow.Loop{{Header: 0, Blocks: []int{0, 1, 2}}, {Header: 1, Blocks: []int{1}}}},
		"not reached": {"ret; A: bra A;", nil},
	} {
		mod, err := asm.Parse("k.s", []byte(".entry k()\n{\n"+c.code+"\n}"))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(c.want, flow.New(mod.Funcs[0]).Loops()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}
