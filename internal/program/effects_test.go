package program

import "testing"

// TestWaitingLoopsHaveTheirSize: the size of the loop at a label L in which lanes may wait for others, found by looking
// at the code.
func TestWaitingLoopsHaveTheirSize(t *testing.T) {
	const poll = "ld.volatile.global.u32 %r2, [0]; setp.eq.u32 %p1, %r2, 0;"
	for _, c := range []struct {
		name, code string
		want       int
	}{
		{"no loop", "L: " + poll, 0},
		{"a flag", "L: " + poll + "@%p1 bra L;", 3},
		{"a lock", "L: atom.global.cas.b32 %r2, [0], 0, 1; setp.ne.u32 %p1, %r2, 0; @%p1 bra L;", 3},
		{"a lock with a delay", "M: mov.u32 %r3, 9; L: sub.u32 %r3, %r3, 1; setp.ne.u32 %p2, %r3, 0; @%p2 bra L;" + poll + "@%p1 bra M;", 7},
		{"a lock that counts its tries", "L: add.u32 %r1, %r1, 1;" + poll + "@%p1 bra L;", 0},
		{"a call of what polls", "L: call (%r2), asks, (); setp.eq.u32 %p1, %r2, 0; @%p1 bra L;", 3},
		{"a plain load", "L: ld.global.u32 %r2, [0]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L;", 0},
		{"edges of a graph", "L: ld.global.u32 %r2, [%rd1]; atom.global.cas.b32 %r3, [%rd2], 0, 1; add.u64 %rd1, %rd1, 4; setp.ne.u64 %p1, %rd1, %rd3; @%p1 bra L;", 0},
		{"a list in a work list", "M: atom.global.add.u32 %r2, [0], 1; L: ld.global.u32 %r2, [%rd1]; setp.eq.u32 %p1, %r2, 0; @%p1 bra L; setp.lt.u32 %p1, %r2, 9; @%p1 bra M;", 0},
		{"a work list", "L: atom.global.add.u32 %r2, [0], 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;", 0},
		{"a sum with nothing", "L: atom.global.add.u32 %r2, [0], 0; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;", 3},
		{"a sum under a guard", "L: @%p2 atom.global.add.u32 %r2, [0], 1; setp.lt.u32 %p1, %r2, 9; @%p1 bra L;", 3},
		{"a sum on one of two paths", "L: @%p2 bra M;" + poll + "@%p1 bra L; bra N; M: atom.global.add.u32 %r2, [0], 1; bra L; N:", 4},
		{"a stack that others push", "L: ld.global.u32 %r1, [0]; st.global.u32 [8], %r1; atom.global.cas.b32 %r2, [0], %r1, 4; setp.ne.u32 %p1, %r2, %r1; @%p1 bra L;", 5},
		{"behind the loop", "M: " + poll + "@%p1 bra M; L: mov.u32 %r1, 1;", 0},
	} {
		p := lowered(t, ".entry k() {\n"+c.code+"\nret; }\n.func (.reg .u32 r) asks() { ld.volatile.global.u32 r, [0]; ret; }", false)
		k := p.Kernel()
		for _, l := range k.Src.Labels {
			if l.Name != "L" {
				continue
			}
			if got := p.WaitingLoop(k, l.PC); got != c.want {
				t.Errorf("%s: %d instructions, want %d", c.name, got, c.want)
			}
		}
	}
}

// TestInstructionsHaveExpectedEffects: which instructions may change memory, or learn from it.
func TestInstructionsHaveExpectedEffects(t *testing.T) {
	for _, c := range []struct {
		in            string
		change, learn bool
	}{
		{"add.u32 %r1, %r1, 1;", false, false},
		{"@%p1 div.u32 %r1, %r2, %r3;", false, false},
		{"ld.global.u32 %r1, [%rd1];", false, false},
		{"ld.volatile.global.u32 %r1, [%rd1];", false, true},
		{"st.global.u32 [%rd1], %r1;", true, false},
		{"@%p1 st.shared.u32 [%r2], %r1;", true, false},
		{"st.local.u32 [%r2], %r1;", true, false},
		{"red.global.add.u32 [%rd1], 1;", true, false},
		{"atom.global.cas.b32 %r1, [%rd1], 0, 1;", true, true},
		{"bar.warp.sync -1;", false, false},
		{"bar.sync 0;", true, false},
		{"shfl.sync.bfly.b32 %r1, %r2, 1, 31, -1;", false, false},
		{"membar.gl;", false, false},
		{"call f, ();", true, false},
		{"cp.async.ca.shared.global [%r1], [%rd1], 4;", true, false},
		{"mbarrier.arrive.shared.b64 %rd1, [%r1];", true, false},
	} {
		// The result of the atomic must be read.
		p := lowered(t, ".version 8.0\n.target sm_80\n.address_size 64\n.entry k() {\n"+c.in+"\nst.global.u32 [%rd1], %r1;\nret; }\n.func f() { ret; }", false)
		if change, learn := p.Kernel().Effects(0, 1); change != c.change || learn != c.learn {
			t.Errorf("%s: may change memory %t, learns %t; want %t, %t", c.in, change, learn, c.change, c.learn)
		}
		if change, learn := p.Kernel().Effects(1, 1); change || learn {
			t.Errorf("%s: nothing has an effect", c.in)
		}
	}
}
