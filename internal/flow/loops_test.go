package flow_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

// TestCountingLoopsAreFound: the loops that count, and their steps, found by reading the code.
func TestCountingLoopsAreFound(t *testing.T) {
	const head = ".entry k() { .reg .u32 %a, %b, %c, %s, %u; .reg .u16 %h, %g, %k; .reg .u64 %w, %v; .reg .pred %p, %q, %r, %s1; .reg .f32 %f, %e; "
	for _, c := range []struct{ name, src, want string }{
		{"no loop", "bra L; L: exit;", ""},
		{"nothing", "L: bra L;", "no"},
		{"a counter", "L: add.u32 %a, %a, 1; @%p bra L;", "yes"},
		{"a counter down", "L: sub.s32 %a, %a, 1; @%p bra L;", "yes"},
		{"a constant in front", "L: add.u32 %a, 7, %a; @%p bra L;", "yes"},
		{"what is subtracted from a constant", "L: sub.u32 %a, 7, %a; @%p bra L;", "no"},
		{"a sum of 0", "L: add.u32 %a, %a, 0; @%p bra L;", "no"},
		{"a sum that saturates", "L: add.sat.s32 %a, %a, 1; @%p bra L;", "no"},
		{"a sum that carries", "L: add.cc.u32 %a, %a, 1; @%p bra L;", "yes"},
		{"a sum with carry", "L: addc.u32 %a, %a, 1; @%p bra L;", "no"},
		{"a float", "L: add.f32 %f, %f, 0f3f800000; @%p bra L;", "no"},
		{"a counter that is set back", "L: add.u32 %a, %a, 1; @%p mov.u32 %a, 0; @%q bra L;", "no"},
		{"a counter that is loaded", "L: add.u32 %a, %a, 1; ld.global.u32 %a, [0]; @%q bra L;", "no"},
		{"a counter under a guard", "L: @%p add.u32 %a, %a, 1; @%q bra L;", "no"},
		{"one under a guard beside it", "L: @%p add.u32 %a, %a, 2; add.u32 %a, %a, 1; @%q bra L;", "yes"},
		{"one that cancels it", "L: add.u32 %a, %a, 1; @%p sub.u32 %a, %a, 1; @%q bra L;", "no"},
		{"two that cancel", "L: @%p bra M; add.u32 %a, %a, 1; bra L; M: add.u32 %a, %a, -1; bra L;", "no"},
		{"two of one sign", "L: @%p bra M; add.u32 %a, %a, 1; bra L; M: add.u32 %a, %a, 5; bra L;", "yes"},
		{"two of which each is passed", "L: @%p bra M; add.u32 %a, %a, 1; bra L; M: add.u32 %b, %b, -1; bra L;", "yes"},
		{"a way without a counter", "L: @%p bra M; add.u32 %a, %a, 1; M: @%q bra L;", "no"},
		{"a counter of 16 bits", "L: add.u16 %h, %h, 1; @%p bra L;", "yes"},
		{"8,192 rounds of 7", "L: add.u16 %h, %h, 7; @%p bra L;", "yes"},
		{"8,192 rounds of 8 are 65,536", "L: add.u16 %h, %h, 8; @%p bra L;", "no"},
		{"a large step", "L: add.u32 %a, %a, 524287; @%p bra L;", "yes"},
		{"a step that may come round", "L: add.u32 %a, %a, 524288; @%p bra L;", "no"},
		{"a step down", "L: add.u32 %a, %a, 0xfffffff0; @%p bra L;", "yes"},
		{"an address", "L: add.s64 %w, %w, 4; @%p bra L;", "yes"},
		{"the upper half of an address", "L: add.s64 %w, %w, 4294967296; @%p bra L;", "no"},
		{"several in a round", "L: add.u16 %h, %h, 1; add.u16 %h, %h, 1; add.u16 %h, %h, 1; add.u16 %h, %h, 1; add.u16 %h, %h, 1; add.u16 %h, %h, 1; add.u16 %h, %h, 1; add.u16 %h, %h, 1; @%p bra L;", "no"},

		{"a copy", "L: add.u32 %b, %a, 1; mov.u32 %a, %b; @%p bra L;", "yes"},
		{"a copy that a way leaves out", "L: add.u32 %b, %a, 1; @%q bra M; mov.u32 %a, %b; M: @%p bra L;", "no"},
		{"a copy of what was before", "L: mov.u32 %b, %a; add.u32 %a, %b, 1; @%p bra L;", "yes"},
		{"a copy of something else", "L: add.u32 %b, %a, 1; mov.u32 %a, %c; @%p bra L;", "no"},
		{"two that change places", "L: mov.u32 %c, %a; mov.u32 %a, %b; mov.u32 %b, %c; @%p bra L;", "no"},
		{"two that change places and grow", "L: mov.u32 %c, %a; add.u32 %a, %b, 1; add.u32 %b, %c, 1; @%p bra L;", "yes"},
		{"two that change places, of which one grows", "L: mov.u32 %c, %a; add.u32 %a, %b, 1; mov.u32 %b, %c; @%p bra L;", "no"}, // it does, but the argument is by edges
		{"two of 16 bits that change places, 8,192 rounds of 3", "L: mov.u16 %k, %h; add.u16 %h, %g, 3; add.u16 %g, %k, 3; @%p bra L;", "yes"},
		{"and of 4: what comes round may take twice as many", "L: mov.u16 %k, %h; add.u16 %h, %g, 4; add.u16 %g, %k, 4; @%p bra L;", "no"},
		{"either of two that grow", "L: add.u32 %b, %a, 1; add.u32 %c, %a, 2; selp.u32 %a, %b, %c, %q; @%p bra L;", "yes"},
		{"one that grows, or as it was", "L: add.u32 %b, %a, 1; selp.u32 %a, %b, %a, %q; @%p bra L;", "no"},
		{"through another width", "L: cvt.u64.u32 %w, %a; add.s64 %w, %w, 1; cvt.u32.u64 %a, %w; @%p bra L;", "yes"},
		{"through the upper half", "L: cvt.u64.u32 %w, %a; add.s64 %w, %w, 4294967296; cvt.u32.u64 %a, %w; @%p bra L;", "no"},
		{"through 16 bits", "L: cvt.u16.u32 %h, %a; add.u16 %h, %h, 1; cvt.u32.u16 %a, %h; @%p bra L;", "yes"},
		{"through 8 bits", "L: cvt.u8.u32 %h, %a; add.u16 %h, %h, 1; cvt.u32.u16 %a, %h; @%p bra L;", "no"},

		{"tested twice", "L: setp.gt.f32 %p, %f, %e; @%p bra M; add.u32 %a, %a, 1; ld.global.f32 %e, [0]; setp.gt.f32 %p, %f, %e; M: setp.leu.f32 %q, %f, %e; @%q bra L;", "yes"},
		{"tested twice, but not for the contrary", "L: setp.gt.f32 %p, %f, %e; @%p bra M; add.u32 %a, %a, 1; M: setp.le.u32 %q, %a, 9; @%q bra L;", "no"},
		{"tested twice, with other values", "L: setp.gt.u32 %p, %a, 9; @%p bra M; add.u32 %b, %b, 1; M: ld.global.u32 %c, [0]; setp.le.u32 %q, %c, 9; @%q bra L;", "no"},
		{"tested twice, with a value that was there before", "L: setp.gt.u32 %p, %a, 9; @%p bra M; add.u32 %b, %b, 1; M: ld.global.u32 %a, [0]; setp.le.u32 %q, %a, 9; @%q bra L;", "yes"},
		{"tested for what follows from it", "L: setp.gt.f32 %p, %f, %e; @%p bra M; add.u32 %a, %a, 1; M: setp.le.f32 %q, %f, %e; @%q bra L;", "no"}, // only the contrary is known
		{"the contrary of an ordered comparison is unordered", "L: setp.le.f32 %p, %f, %e; @%p bra M; add.u32 %a, %a, 1; bra N; M: setp.gtu.f32 %q, %f, %e; @%q bra L; exit; N: bra L;", "yes"},
		{"tested twice, of values loaded one after the other", "L: ld.global.u32 %a, [0]; setp.gt.u32 %p, %a, 9; @%p bra M; add.u32 %b, %b, 1; M: ld.global.u32 %a, [0]; setp.le.u32 %q, %a, 9; @%q bra L;", "no"},
		{"a value loaded between test and branch", "L: ld.global.u32 %a, [0]; setp.gt.u32 %p, %a, 9; ld.global.u32 %a, [0]; @%p bra M; add.u32 %b, %b, 1; M: setp.le.u32 %q, %a, 9; @%q bra L;", "no"},
		{"a predicate that says something else later", "L: setp.gt.u32 %p, %a, 9; @%p bra M; add.u32 %b, %b, 1; bra L; M: ld.global.u32 %c, [0]; setp.eq.and.u32 %p, %c, 0, %q; @!%p bra L;", "no"},
		{"tested by a copy of the predicate", "L: ld.global.u32 %b, [0]; setp.gt.u32 %p, %b, 9; mov.pred %q, %p; @%q bra M; add.u32 %a, %a, 1; M: setp.le.u32 %r, %b, 9; @%r bra L;", "yes"},
		{"one predicate tested twice", "L: ld.global.u32 %b, [0]; setp.eq.u32 %p, %b, 0; @%p bra M; add.u32 %a, %a, 1; M: @!%p bra L;", "yes"},
		{"the second result of a test", "L: ld.global.u32 %b, [0]; setp.eq.u32 %p|%q, %b, 0; @%p bra M; add.u32 %a, %a, 1; M: @%q bra L;", "yes"},
		{"one register for both results", "L: ld.global.u32 %b, [0]; setp.eq.u32 %p|%p, %b, 0; @%p bra M; add.u32 %a, %a, 1; M: setp.ne.u32 %q, %b, 0; @%q bra L;", "no"},
		{"a flag", "L: mov.pred %p, 1; ld.global.u32 %b, [0]; setp.eq.u32 %q, %b, 0; @%q bra M; mov.pred %p, 0; add.u32 %a, %a, 1; M: @%p bra E; bra L; E: exit;", "yes"},
		{"a flag that says to go on", "L: mov.pred %p, 1; ld.global.u32 %b, [0]; setp.eq.u32 %q, %b, 0; @%q bra M; mov.pred %p, 0; add.u32 %a, %a, 1; M: @!%p bra E; bra L; E: exit;", "no"},
		{"two rounds", "mov.pred %q, 1; L: mov.pred %p, %q; mov.pred %q, 0; @%p bra L;", "yes"},
		{"two rounds, of an inner loop too", "mov.pred %q, 1; L: mov.pred %p, %q; mov.pred %r, 1; M: mov.pred %s1, %r; mov.pred %r, 0; @%s1 bra M; mov.pred %q, 0; @%p bra L;", "yes"},
		{"rounds without end", "L: mov.pred %p, %q; mov.pred %q, 1; @%p bra L;", "no"},
		{"a flag that is set under a guard", "L: @%p mov.pred %q, 0; @%q bra L;", "no"},
		{"a predicate that nothing sets", "L: @%p bra E; @%p bra L; E: exit;", "yes"},
		{"a test of constants", "L: mov.u32 %a, 3; setp.lt.u32 %p, %a, 2; @%p bra L;", "yes"},
		{"a test of constants that holds", "L: mov.u32 %a, 3; setp.lt.u32 %p, %a, 4; @%p bra L;", "no"},
		{"a sum of constants", "L: mov.u32 %a, 3; add.u32 %b, %a, -4; setp.lt.s32 %p, %b, 0; @!%p bra L;", "yes"},
		{"a constant that was loaded over", "L: mov.u32 %a, 3; ld.global.u32 %a, [0]; setp.lt.u32 %p, %a, 2; @%p bra L;", "no"},
		{"one of two constants", "L: mov.u32 %a, 3; ld.global.u32 %b, [0]; setp.eq.u32 %q, %b, 0; @%q bra M; mov.u32 %a, 1; M: setp.lt.u32 %p, %a, 2; @%p bra L;", "no"},
		{"the other of two constants", "L: mov.u32 %a, 1; ld.global.u32 %b, [0]; setp.eq.u32 %q, %b, 0; @%q bra M; mov.u32 %a, 3; M: setp.lt.u32 %p, %a, 2; @%p bra L;", "no"},
		{"neither of two constants", "L: mov.u32 %a, 4; ld.global.u32 %b, [0]; setp.eq.u32 %q, %b, 0; @%q bra M; mov.u32 %a, 3; M: setp.eq.u32 %p, %a, 0; @%p bra L;", "yes"},
		{"a test under a guard", "L: mov.u32 %a, 3; @%q setp.lt.u32 %p, %a, 2; @%p bra L;", "no"},

		{"halves", "L: shr.u32 %a, %a, 1; setp.ne.u32 %p, %a, 0; @%p bra L;", "yes"},
		{"halves, tested before", "L: setp.lt.u32 %p, %a, 2; shr.u32 %a, %a, 1; @!%p bra L;", "yes"},
		{"halves, through a copy", "L: shr.u32 %b, %a, 1; setp.lt.u32 %p, %a, 4; mov.u32 %a, %b; @!%p bra L;", "yes"},
		{"halves, of which nothing is tested", "L: shr.u32 %a, %a, 1; @%p bra L;", "no"},
		{"halves, in a loop that goes on with 0", "L: shr.u32 %a, %a, 1; setp.eq.u32 %p, %a, 0; @%p bra L;", "no"},
		{"halves of negative numbers stay at -1", "L: shr.s32 %a, %a, 1; setp.ne.s32 %p, %a, 0; @%p bra L;", "no"},
		{"halves while positive", "L: shr.s32 %a, %a, 1; setp.gt.s32 %p, %a, 0; @%p bra L;", "yes"},
		{"a shift by 0", "L: shr.u32 %a, %a, 0; setp.ne.u32 %p, %a, 0; @%p bra L;", "no"},
		{"a shift by a register", "L: shr.u32 %a, %a, %b; setp.ne.u32 %p, %a, 0; @%p bra L;", "no"},
		{"digits", "L: div.u32 %a, %a, 10; setp.ne.u32 %p, %a, 0; @%p bra L;", "yes"},
		{"digits of signed numbers", "L: div.s32 %a, %a, 10; setp.ne.s32 %p, %a, 0; @%p bra L;", "yes"},
		{"a quotient by 1", "L: div.u32 %a, %a, 1; setp.ne.u32 %p, %a, 0; @%p bra L;", "no"},
		{"a quotient by -1", "L: div.s32 %a, %a, -1; setp.ne.s32 %p, %a, 0; @%p bra L;", "no"},
		{"halves under a guard", "L: @%q shr.u32 %a, %a, 1; setp.ne.u32 %p, %a, 0; @%p bra L;", "no"},
		{"halves that grow", "L: shr.u32 %a, %a, 1; @%q add.u32 %a, %a, 1; setp.ne.u32 %p, %a, 0; @%p bra L;", "no"},
		{"halves of half a register", "L: cvt.u64.u32 %w, %a; shr.u64 %w, %w, 1; cvt.u32.u64 %a, %w; setp.ne.u32 %p, %a, 0; @%p bra L;", "no"}, // it does, but widths are not followed
		{"halves of what was extended stay all ones", "L: setp.eq.u32 %q, %a, 0; @%q bra E; cvt.s64.s32 %w, %a; shr.u64 %w, %w, 1; cvt.u32.u64 %a, %w; bra L; E: exit;", "no"},
		{"halves in a loop that counts", "L: add.u32 %b, %b, 1; mov.u32 %a, 64; M: shr.u32 %a, %a, 1; setp.ne.u32 %p, %a, 0; @%p bra M; @%q bra L;", "yes"},
		{"a loop that counts in one of halves", "L: mov.u32 %b, 0; M: add.u32 %b, %b, 1; setp.lt.u32 %p, %b, 9; @%p bra M; shr.u32 %a, %a, 1; setp.gt.u32 %q, %a, 1; @%q bra L;", "yes"},
		{"halves beside a way without", "L: ld.global.u32 %b, [0]; setp.eq.u32 %q, %b, 0; @%q bra M; shr.u32 %a, %a, 1; M: setp.ne.u32 %p, %a, 0; @%p bra L;", "no"},

		{"an inner loop alone", "L: mov.u32 %a, 0; M: add.u32 %a, %a, 1; @%p bra M; @%q bra L;", "no"},
		{"an outer loop alone", "L: add.u32 %a, %a, 1; M: mov.u32 %b, 0; @%p bra M; @%q bra L;", "no"},
		{"an inner loop with a counter that is set back", "L: add.u32 %a, %a, 1; mov.u32 %b, 0; M: add.u32 %b, %b, 1; @%p bra M; @%q bra L;", "yes"},
		{"two loops", "L: add.u32 %a, %a, 1; @%p bra L; M: mov.u32 %a, 0; @%q bra M;", "yes no"},
		{"a loop that is left from its middle", "L: @%p bra E; add.u32 %a, %a, 1; bra L; E: exit;", "yes"},
		{"with two ways in", "@%p bra M; L: add.u32 %a, %a, 1; M: @%q bra L;", "yes"},
		{"with two ways in, and a way without a counter", "@%p bra M; L: add.u32 %a, %a, 1; M: @%p bra M; @%q bra L;", "no"},
		{"irreducible, with two counters", "@%p bra M; L: add.u32 %a, %a, 1; @%q bra M; exit; M: add.u32 %b, %b, 1; @%p bra L; bra L;", "yes"},
		{"a branch by index", "T: .branchtargets L, M, E; L: add.u32 %a, %a, 1; brx.idx %b, T; M: add.u32 %a, %a, 2; brx.idx %b, T; E: exit;", "yes"},
		{"a branch by index, one of them back to itself", "T: .branchtargets L, M, E; L: add.u32 %a, %a, 1; brx.idx %b, T; M: brx.idx %b, T; E: exit;", "no"},
		{"an atomic", "L: add.u32 %a, %a, 1; atom.global.add.u32 %b, [0], 1; @%p bra L;", "no"},

		{"a step", "L: add.u32 %a, %a, %s; @%p bra L;", "yes: %s has 18 zeros at most"},
		{"a step in front", "L: add.u32 %a, %s, %a; @%p bra L;", "yes: %s has 18 zeros at most"},
		{"a step that is taken away", "L: sub.u32 %a, %a, %s; @%p bra L;", "yes: %s has 18 zeros at most"},
		{"a step twice", "L: add.u32 %a, %a, %s; add.u32 %a, %a, %s; @%p bra L;", "yes: %s has 17 zeros at most"},
		{"a step there and back", "L: add.u32 %a, %a, %s; @%q sub.u32 %a, %a, %s; @%p bra L;", "no"},
		{"a step thrice back", "L: mad.lo.u32 %a, %s, 3, %a; mad.lo.u32 %a, %s, -3, %a; @%p bra L;", "no"},
		{"two steps", "L: add.u32 %a, %a, %s; add.u32 %a, %a, %u; @%p bra L;", "no"},
		{"a step and a constant", "L: add.u32 %a, %a, %s; add.u32 %a, %a, 1; @%p bra L;", "no"},
		{"a step, and a constant elsewhere", "L: add.u32 %a, %a, %s; add.u32 %b, %b, 1; @%p bra L;", "yes"},
		{"a step that changes", "L: add.u32 %a, %a, %s; shl.b32 %s, %s, 1; @%p bra L;", "no"},
		{"a step that changes outside", "L: mov.u32 %s, %b; ld.global.u32 %b, [0]; add.u32 %c, %c, 1; M: add.u32 %a, %a, %s; @%q bra M; @%p bra L;", "no"},
		{"a product", "L: mad.lo.u32 %a, %s, %u, %a; @%p bra L;", "yes: %s*%u has 18 zeros at most"},
		{"a product with a constant", "L: mad.lo.u32 %a, %s, 12, %a; @%p bra L;", "yes: %s has 16 zeros at most"},
		{"a product with 0", "L: mad.lo.u32 %a, %s, 0, %a; @%p bra L;", "no"},
		{"a product of constants", "L: mad.lo.u32 %a, 3, 4, %a; @%p bra L;", "yes"},
		{"the upper half of a product", "L: mad.hi.u32 %a, %s, %u, %a; @%p bra L;", "no"},
		{"a step of 16 bits", "L: add.u16 %h, %h, %g; @%p bra L;", "yes: %g has 2 zeros at most"},
		{"a step of 64 bits", "L: add.u64 %w, %w, %v; @%p bra L;", "yes: %v has 18 zeros at most"},
		{"two steps in two loops", "L: add.u32 %a, %a, %s; mov.u32 %b, 0; M: add.u32 %b, %b, %u; @%q bra M; @%p bra L;", "yes: %s has 18 zeros at most, %u has 18 zeros at most"},
	} {
		if got := loopsOf(parse(t, head+c.src+" }")); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// loopsOf returns flow.Graph.Loops of a function as text, in the order of the source.
func loopsOf(fn *isa.Func) string {
	var all []string
	var last *flow.Loop
	for _, l := range flow.New(fn).Loops(fn, func(pc int) bool { return fn.Code[pc].Is(isa.Atomic) }) {
		if l != nil && l != last {
			all = append(all, loopText(fn, l))
			last = l
		}
	}
	return strings.Join(all, " ")
}

func loopText(fn *isa.Func, l *flow.Loop) string {
	if !l.Counts {
		return "no"
	}
	var steps []string
	for _, s := range l.Steps {
		var factors []string
		for _, r := range s.Factors {
			factors = append(factors, fn.Regs[r].Name)
		}
		steps = append(steps, fmt.Sprintf("%s has %d zeros at most", strings.Join(factors, "*"), s.Zeros))
	}
	if len(steps) == 0 {
		return "yes"
	}
	return "yes: " + strings.Join(steps, ", ")
}

// TestCountingLoopsRepeatNoState takes random paths through random code, which is executed one lane at a time, and must
// not find a state twice in a loop that counts.
func TestCountingLoopsRepeatNoState(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	counting, others, repeats := 0, 0, 0
	for range short.Of(6000) {
		src := randomLoops(rnd)
		fn := parse(t, src)
		w := newWalker(rnd, fn)
		for _, l := range w.loops {
			if l != nil && l.Counts {
				counting++
			} else if l != nil {
				others++
			}
		}
		for range 10 {
			if loop, way := w.walk(400); loop != nil && loop.Counts && w.stepsHold(loop) {
				t.Fatalf("a loop that counts (%s) is in one state twice, on the way %v of\n%s", loopText(fn, loop), way, src)
			} else if loop != nil {
				repeats++
			}
		}
	}
	if counting < 50 || others < 50 || repeats < 50 {
		t.Errorf("%d blocks in loops that count, %d in others, %d states twice", counting, others, repeats)
	}
}

// randomLoops returns a kernel with forward and backward branches. Its registers count, shrink, are copied, reset and
// compared. %s and %g keep their values.
func randomLoops(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString(".entry k() { .reg .u32 %a<3>, %s; .reg .u16 %h<2>, %g; .reg .u64 %w<2>; .reg .f32 %f<2>; .reg .pred %p<3>;\n")
	n := 4 + rnd.IntN(10)
	pick := func(texts ...string) string { return texts[rnd.IntN(len(texts))] }
	a, h, w := func() string { return pick("%a0", "%a1", "%a2") }, func() string { return pick("%h0", "%h1") }, func() string { return pick("%w0", "%w1") }
	p := func() string { return pick("%p0", "%p1", "%p2") }
	constant := func() string { return pick("1", "1", "1", "2", "-1", "-1", "0", "3", "268435456", "4294967296") }
	for i := range n {
		guard := pick("", "", "", "@"+p()+" ", "@!"+p()+" ")
		fmt.Fprintf(&b, "L%d: ", i)
		switch rnd.IntN(20) {
		case 0, 1, 2, 3:
			fmt.Fprintf(&b, "@%s%s bra L%d;\n", pick("", "!"), p(), rnd.IntN(n))
		case 4:
			fmt.Fprintf(&b, "bra L%d;\n", rnd.IntN(n))
		case 5:
			r := a()
			fmt.Fprintf(&b, "%sadd.u32 %s, %s, %s;\n", guard, r, r, constant())
		case 6:
			fmt.Fprintf(&b, "%sadd.s32 %s, %s, %s;\n", guard, a(), a(), constant())
		case 7:
			fmt.Fprintf(&b, "%s%s.u32 %s, %s, %%s;\n", guard, pick("add", "add", "sub"), a(), a())
		case 8:
			fmt.Fprintf(&b, "%smov.u32 %s, %s;\n", guard, a(), a())
		case 9:
			fmt.Fprintf(&b, "%smov.u32 %s, %s;\n", guard, a(), pick("0", "3", "-1"))
		case 10:
			fmt.Fprintf(&b, "%sselp.u32 %s, %s, %s, %s;\n", guard, a(), a(), a(), p())
		case 11:
			fmt.Fprintf(&b, "%sadd.u16 %s, %s, %s;\n", guard, h(), h(), pick("1", "1", "-1", "%g", "0"))
		case 12:
			fmt.Fprintf(&b, "%sadd.s64 %s, %s, %s;\n", guard, w(), w(), constant())
		case 13:
			fmt.Fprintf(&b, "%s%s;\n", guard, pick("cvt.u64.u32 "+w()+", "+a(), "cvt.u32.u64 "+a()+", "+w(), "cvt.u16.u32 "+h()+", "+a(), "cvt.u32.u16 "+a()+", "+h(), "cvt.s64.s32 "+w()+", "+a()))
		case 14:
			fmt.Fprintf(&b, "%smad.lo.u32 %s, %%s, %s, %s;\n", guard, a(), pick("1", "-1", "2"), a())
		case 15:
			fmt.Fprintf(&b, "%s%s %s, %s, %s;\n", guard, pick("shr.u32", "shr.s32", "div.u32", "div.s32"), a(), a(), pick("1", "2"))
		case 16:
			fmt.Fprintf(&b, "%ssetp.%s %s%s, %s, %s;\n", guard, pick("lt.u32", "ge.u32", "eq.u32", "ne.u32", "gt.s32", "le.s32"), p(), pick("", "|"+p()), a(), pick("0", "2", a()))
		case 17:
			fmt.Fprintf(&b, "%ssetp.%s.f32 %s, %%f0, %%f1;\n", guard, pick("lt", "geu", "gt", "leu", "le"), p())
		case 18:
			fmt.Fprintf(&b, "%smov.pred %s, %s;\n", guard, p(), pick("0", "1", p()))
		case 19:
			fmt.Fprintf(&b, "%s%s, [0];\n", guard, pick("ld.global.u32 "+a(), "ld.global.f32 %f0", "ld.global.f32 %f1"))
		}
	}
	b.WriteString("}\n")
	return b.String()
}

// walker executes a function of randomLoops one lane at a time. Loads return random values.
type walker struct {
	*rand.Rand
	fn    *isa.Func
	g     *flow.Graph
	loops []*flow.Loop
	live  []registers
	regs  []uint64
}

func newWalker(rnd *rand.Rand, fn *isa.Func) *walker {
	g := flow.New(fn)
	return &walker{rnd, fn, g, g.Loops(fn, func(int) bool { return false }), liveBySets(g, fn), make([]uint64, len(fn.Regs))}
}

// walk takes a random path from a random place, and returns the path's PCs and the first loop that is in one state
// twice without having been left.
func (w *walker) walk(steps int) (*flow.Loop, []int) {
	for r := range w.regs {
		w.set(isa.RegID(r), w.Uint64()>>(w.IntN(2)*60)<<(w.IntN(4)*8))
	}
	seen := make(map[string]bool)
	pc := w.IntN(len(w.fn.Code))
	in := w.loops[w.g.BlockOf(pc)]
	var way []int
	for range steps {
		if pc == len(w.fn.Code) {
			return nil, nil
		}
		way = append(way, pc)
		next := w.step(pc)
		loop := w.loops[w.g.BlockOf(next)]
		if loop == nil || loop != in {
			clear(seen)
			in = loop
		}
		if next <= pc && loop != nil {
			state := w.state(next)
			if seen[state] {
				return loop, way
			}
			seen[state] = true
		}
		pc = next
	}
	return nil, nil
}

// state returns the values that determine what a lane at pc does.
func (w *walker) state(pc int) string {
	var b strings.Builder
	fmt.Fprint(&b, pc)
	for _, r := range slices.Sorted(maps.Keys(w.live[pc])) {
		fmt.Fprint(&b, " ", w.regs[r])
	}
	return b.String()
}

// set sets a register to the low bits of a value.
func (w *walker) set(r isa.RegID, v uint64) {
	w.regs[r] = v & (1<<w.fn.Regs[r].Type.Bits() - 1)
}

// value returns the value of an operand.
func (w *walker) value(a *isa.Operand) uint64 {
	if a.Kind == isa.RegOperand {
		return w.regs[a.Reg]
	}
	return a.Bits
}

// step executes the instruction at pc and returns the PC of the next one.
func (w *walker) step(pc int) int {
	in := &w.fn.Code[pc]
	if in.Guard != isa.NoReg && (w.regs[in.Guard] != 0) == in.GuardNot {
		return pc + 1
	}
	arg := func(i int) uint64 { return w.value(&in.Args[i]) }
	signed := in.Types[0].Class() == isa.Signed
	var v uint64
	switch in.Spec.Name {
	case "bra":
		return w.fn.Labels[in.Args[0].Label()].PC
	case "add":
		v = arg(1) + arg(2)
	case "sub":
		v = arg(1) - arg(2)
	case "mad":
		v = arg(1)*arg(2) + arg(3)
	case "mov":
		v = arg(1)
	case "selp":
		if v = arg(2); arg(3) != 0 {
			v = arg(1)
		}
	case "cvt":
		if v = arg(1); in.Types[1] == isa.S32 {
			v = uint64(int64(int32(v)))
		}
	case "shr":
		if v = arg(1) >> arg(2); signed {
			v = uint64(int32(arg(1)) >> arg(2))
		}
	case "div":
		if v = arg(1) / arg(2); signed {
			v = uint64(int32(arg(1)) / int32(arg(2)))
		}
	case "ld":
		if v = uint64(w.IntN(3)); in.Types[0] == isa.F32 {
			v = uint64(math.Float32bits([]float32{1, 2, float32(math.NaN())}[w.IntN(3)]))
		}
	case "setp":
		holds := w.compare(in.Mnemonic(), arg(2), arg(3))
		v = map[bool]uint64{true: 1}[holds]
		if q := &in.Args[1]; q.Kind == isa.RegOperand {
			w.set(q.Reg, 1-v)
		}
	default:
		panic(in.Spec.Name)
	}
	w.set(in.Args[0].Reg, v)
	return pc + 1
}

// compare returns whether a comparison holds.
func (w *walker) compare(mnemonic string, a, b uint64) bool {
	f, g := math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b))
	switch strings.TrimPrefix(mnemonic, "setp.") {
	case "lt.u32":
		return uint32(a) < uint32(b)
	case "ge.u32":
		return uint32(a) >= uint32(b)
	case "eq.u32":
		return uint32(a) == uint32(b)
	case "ne.u32":
		return uint32(a) != uint32(b)
	case "gt.s32":
		return int32(a) > int32(b)
	case "le.s32":
		return int32(a) <= int32(b)
	case "lt.f32":
		return f < g
	case "le.f32":
		return f <= g
	case "gt.f32":
		return f > g
	case "geu.f32":
		return !(f < g)
	case "leu.f32":
		return !(f > g)
	}
	panic(mnemonic)
}

// stepsHold reports whether all steps of a loop count with the registers' present values.
func (w *walker) stepsHold(l *flow.Loop) bool {
	for _, s := range l.Steps {
		product := uint64(1)
		for _, r := range s.Factors {
			product *= w.regs[r]
		}
		if product<<(63-s.Zeros) == 0 {
			return false
		}
	}
	return true
}
