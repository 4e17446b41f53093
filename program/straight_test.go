package program

import "testing"

// TestStraightTo: where lanes at a label L come to without anything that others see, as the label M; found by looking at the code.
func TestStraightTo(t *testing.T) {
	for _, c := range []struct {
		name, code string
		want       bool
	}{
		{"a branch", "L: bra M; ret; M:", true},
		{"nothing between", "@%p1 bra M; L: mov.u32 %r1, 1; M:", true},
		{"registers, and a branch", "L: mov.u32 %r1, 1; @%p1 add.u32 %r1, %r1, 2; bra M; ret; M:", true},
		{"a branch for some", "L: @%p1 bra M; ret; M:", false},
		{"a load", "@%p1 bra M; L: ld.global.u32 %r1, [0]; M:", false},
		{"a store behind something else", "@%p1 bra M; L: mov.u32 %r1, 1; st.global.u32 [0], %r1; M:", false},
		{"the end", "L: ret; M:", false},
		{"another block", "@%p1 bra N; L: mov.u32 %r1, 1; bra N; ret; N: add.u32 %r1, %r1, 1; M: @%p1 bra M;", false},
		{"itself", "L: bra L; M:", false},
	} {
		k := lowered(t, ".entry k() {\n"+c.code+"\nret; }", false).Kernel()
		at := map[string]int{}
		for _, l := range k.Src.Labels {
			at[l.Name] = l.PC
		}
		if got := k.StraightTo(at["L"]); (got == at["M"]) != c.want {
			t.Errorf("%s: %d, M is at %d, want that they are the same: %v", c.name, got, at["M"], c.want)
		}
	}
}

// TestMayPoll: whether lanes at a label L may come to wait for others, found by looking at the code.
func TestMayPoll(t *testing.T) {
	const poll = "ld.volatile.global.u32 %r2, [0]; setp.eq.u32 %p1, %r2, 0;"
	for _, c := range []struct {
		name, code string
		want       bool
	}{
		{"no loop", "L: " + poll, false},
		{"a loop", "L: " + poll + "@%p1 bra L;", true},
		{"before it", "L: mov.u32 %r1, 1; N: " + poll + "@%p1 bra N;", true},
		{"behind it", "N: " + poll + "@%p1 bra N; L: mov.u32 %r1, 1;", false},
		{"a loop that does not", "N: " + poll + "@%p2 bra N; L: add.u32 %r1, %r1, 1; @%p1 bra L;", false},
		{"a loop around it", "N: " + poll + "L: add.u32 %r1, %r1, 1; @%p1 bra L; @%p2 bra N;", true},
		{"a plain load", "L: ld.global.u32 %r2, [0]; @%p1 bra L;", false},
		{"a reduction", "L: red.global.add.u32 [0], 1; @%p1 bra L;", false},
		{"a call of what polls", "L: call (%r2), asks, (); @%p1 bra L;", true},
		{"on the other side", "@%p1 bra N; L: ret; N: " + poll + "@%p1 bra N;", false},
	} {
		p := lowered(t, ".entry k() {\n"+c.code+"\nret; }\n.func (.reg .u32 r) asks() { ld.volatile.global.u32 r, [0]; ret; }", false)
		k := p.Kernel()
		for _, l := range k.Src.Labels {
			if l.Name == "L" && p.MayPoll(k, l.PC) != c.want {
				t.Errorf("%s: want %v", c.name, c.want)
			}
		}
		for _, f := range p.Funcs {
			if f != k && !p.MayPoll(f, 0) {
				t.Errorf("%s: a function that is called cannot wait", c.name)
			}
		}
	}
}
