package flowgraph

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
)

// parse assembles the body of a kernel k, or a whole module.
func parse(t testing.TB, src string) *isa.Module {
	t.Helper()
	if !strings.Contains(src, ".entry") && !strings.Contains(src, ".func") {
		src = ".entry k()\n{\n" + src + "\n}\n"
	}
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

// graphs are functions with graphs that were worked out by hand. A block is written
//
//	B0 @0-@1 region 1 ipdom B3 -> B2 taken, B1 falls through; @1 reconverges 5 barrier 5
//
// with the edges in the order that divergence gives them, and then the places where lanes may diverge.
var graphs = []struct{ name, src, want string }{
	{"if else", `
		setp.eq.u32 %p1, %r1, 0;
		@%p1 bra ELSE;
		mov.u32 %r2, 1;
		bra END;
	ELSE:	mov.u32 %r2, 2;
	END:	ret;`, `
		B0 @0-@1 region 1 ipdom B3 -> B2 taken, B1 falls through; @1 reconverges 5 barrier 5
		B1 @2-@3 region 1 ipdom B3 -> B3 taken
		B2 @4 region 1 ipdom B3 -> B3 falls through
		B3 @5 region 1`},
	{"loop with break", `
	LOOP:	@%p1 bra OUT;
		@%p2 bra LOOP;
	OUT:	ret;`, `
		B0 @0 region 1 ipdom B2 -> B2 taken, B1 falls through; @0 reconverges 2 barrier 2
		B1 @1 region 1 ipdom B2 -> B0 taken retreats, B2 falls through; @1 reconverges 2 barrier 2
		B2 @2 region 1`},
	{"switch with fall-through", `
	T:	.branchtargets A, B, A, D;
		brx.idx %r1, T;
	A:	mov.u32 %r2, 1;
	B:	mov.u32 %r2, 2;
		bra D;
	D:	ret;`, `
		B0 @0 region 1 ipdom B3 -> B1 [0 2], B2 [1], B3 [3]; @0 reconverges 4 barrier 4
		B1 @1 region 1 ipdom B2 -> B2 falls through
		B2 @2-@3 region 1 ipdom B3 -> B3 taken
		B3 @4 region 1`},
	{"guarded switch", `
	T:	.branchtargets A, B;
		@%p1 brx.idx %r1, T;
	A:	mov.u32 %r2, 1;
	B:	ret;`, `
		B0 @0 region 1 ipdom B2 -> B1 [0] falls through, B2 [1]; @0 reconverges 2 barrier 2
		B1 @1 region 1 ipdom B2 -> B2 falls through
		B2 @2 region 1`},
	{"guarded exit in an arm", `
		@%p1 bra J;
		@%p2 exit;
		mov.u32 %r1, 1;
	J:	ret;`, `
		B0 @0 region 1 ipdom B2 -> B2 taken, B1 falls through; @0 reconverges 3 barrier 3
		B1 @1-@2 region 1 ipdom B2 -> B2 falls through; @1 exited
		B2 @3 region 1`},
	// 3 instructions precede the block of the exit, 5 that of the ret.
	{"early exit in a block of its own", `
		@%p1 bra J;
		@%p2 bra R;
		bra J;
	R:	exit;
	J:	mov.u32 %r1, 1;
		ret;`, `
		B0 @0 region 1 ipdom B4 -> B4 taken, B1 falls through; @0 reconverges 4 barrier 4
		B1 @1 region 1 ipdom B2 -> B3 taken leaves, B2 falls through; @1 reconverges 2 staying 1
		B2 @2 region 1 ipdom B4 -> B4 taken
		B3 @3 region 2
		B4 @4-@5 region 1`},
	{"assertion with trap", `
		@%p1 bra OK;
		trap;
	OK:	mov.u32 %r1, 1;
		ret;`, `
		B0 @0 region 1 ipdom B2 -> B2 taken, B1 falls through leaves; @0 reconverges 2 staying 1
		B1 @1 region 2
		B2 @2-@3 region 1`},
	{"goto into a loop", `
		@%p1 bra IN;
	LOOP:	mov.u32 %r1, 1;
	IN:	mov.u32 %r2, 1;
		@%p2 bra LOOP;
		ret;`, `
		B0 @0 region 1 ipdom B2 -> B2 taken, B1 falls through; @0 reconverges 2 barrier 2
		B1 @1 region 1 ipdom B2 -> B2 falls through
		B2 @2-@3 region 1 ipdom B3 -> B1 taken retreats, B3 falls through; @3 reconverges 4 barrier 4
		B3 @4 region 1`},
	// The first call is guarded. Neither it nor the ret ends a block.
	{"recursion", `
	.func f()
	{
		@%p1 ret;
		@%p2 call f;
		@%p3 bra E;
		call f;
	E:	ret;
	}`, `
		return point
		B0 @0-@2 region 1 ipdom B2 -> B2 taken, B1 falls through; @0 returned; @1 called barrier 2; @2 reconverges 4 barrier 4
		B1 @3 region 1 ipdom B2 -> B2 falls through
		B2 @4 region 1`},
	{"function in which nobody parts", `
	.func f()
	{
		bra END;
	END:	ret;
	}`, `
		B0 @0 region 1 ipdom B1 -> B1 taken
		B1 @1 region 1`},
	// Lanes never reconverge in an endless loop, except on their way to its sink, the last block.
	{"endless loop", `
	T:	.branchtargets A, B;
	A:	mov.u32 %r1, 1;
	B:	mov.u32 %r2, 1;
		brx.idx %r1, T;`, `
		B0 @0 region 1 ipdom B1 -> B1 falls through
		B1 @1-@2 region 1 -> B0 [0] retreats, B1 [1] retreats; @2 reconverges nowhere`},
	{"unreachable code, and off the end", `
		bra END;
		@%p1 bra END;
		mov.u32 %r1, 1;
	END:`, `
		B0 @0 region 1 ipdom B3 -> B3 taken
		B1 @1 region 0 -> B3 taken, B2 falls through
		B2 @2 region 0 -> B3 falls through
		B3 @3 end of the code region 1`},
	{"branch to the next instruction", `
		@%p1 bra J;
	J:	ret;`, `
		B0 @0 region 1 ipdom B1 -> B1 taken falls through
		B1 @1 region 1`},
	{"no code", ` `, `
		B0 @0 end of the code region 1`},
	// At a barrier and a .sync instruction with a guard, only some lanes wait; lanes with masks in registers may wait
	// for different lanes.
	{"waiting", `
		bar.sync 0;
		@%p1 bar.sync 0;
		@%p1 bar.arrive 0, 64;
		vote.sync.any.pred %p2, %p1, -1;
		vote.sync.any.pred %p2, %p1, %r1;
		@%p1 shfl.sync.idx.b32 %r2, %r3, 0, 31, -1;
		bar.warp.sync -1;
		bar.warp.sync %r1;
		ret;`, `
		B0 @0-@8 region 1; @1 waited barrier 2; @4 waited barrier 5; @5 waited barrier 6; @7 waited barrier 8`},
	{"calls and ways out", `
	.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 v);
	.func g() { ret; }
	.entry k()
	{
	P:	.callprototype _ ();
		.param .b64 a;
		.param .b32 r;
		@%p1 call (r), vprintf, (a, a);
		@%p1 call g;
		call %rd1, (), P;
		@%p1 ret;
		@%p1 trap;
		ret;
	}`, `
		B0 @0-@5 region 1; @1 called barrier 2; @2 called barrier 3; @3 exited`},
}

func TestGraphsHaveExpectedEdges(t *testing.T) {
	for _, tt := range graphs {
		t.Run(tt.name, func(t *testing.T) {
			all := New(parse(t, tt.src))
			var want []string
			for line := range strings.Lines(strings.TrimSpace(tt.want)) {
				want = append(want, strings.TrimSpace(line))
			}
			if diff := cmp.Diff(want, summary(all[len(all)-1])); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// summary returns a graph in the notation of TestGraphsHaveExpectedEdges.
func summary(g *Graph) []string {
	var lines []string
	if g.addsReturnBarrier() {
		lines = append(lines, "return point")
	}
	for b := range g.Blocks {
		block := &g.Blocks[b]
		line := fmt.Sprintf("B%d %s region %d", b, block.extent(), block.Region)
		if block.Postdominator != none {
			line += fmt.Sprintf(" ipdom B%d", block.Postdominator)
		}
		var edges []string
		for _, e := range block.Edges {
			edges = append(edges, edgeSummary(&e))
		}
		if len(edges) > 0 {
			line += " -> " + strings.Join(edges, ", ")
		}
		for i := range block.Divergences {
			line += "; " + divergenceSummary(&block.Divergences[i])
		}
		lines = append(lines, line)
	}
	return lines
}

func edgeSummary(e *Edge) string {
	s := fmt.Sprintf("B%d", e.To)
	if e.Cases != nil {
		s += fmt.Sprint(" ", e.Cases)
	} else if e.Taken {
		s += " taken"
	}
	for _, mark := range []struct {
		on   bool
		text string
	}{{e.FallsThrough, " falls through"}, {e.Retreating, " retreats"}, {e.Leaves, " leaves"}} {
		if mark.on {
			s += mark.text
		}
	}
	return s
}

func divergenceSummary(p *Divergence) string {
	s := fmt.Sprintf("@%d ", p.PC)
	switch {
	case p.Cause != Branched:
		s += [...]string{Called: "called", Returned: "returned", Exited: "exited", Waited: "waited"}[p.Cause]
	case p.Reconvergence == flow.None:
		s += "reconverges nowhere"
	case p.Staying < 2:
		s += fmt.Sprintf("reconverges %d staying %d", p.Reconvergence, p.Staying)
	default:
		s += fmt.Sprintf("reconverges %d", p.Reconvergence)
	}
	if p.Barrier != flow.None {
		s += fmt.Sprintf(" barrier %d", p.Barrier)
	}
	return s
}
