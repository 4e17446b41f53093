package check_test

import (
	"context"
	"encoding/binary"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// applyAdvice makes the edits that the advice for a program's races contains. It reports whether there were any.
func applyAdvice(src string, fs []check.Finding) (string, bool) {
	var edits []check.Edit
	for _, f := range fs {
		for _, e := range f.Advice.Edits {
			if !slices.Contains(edits, e) {
				edits = append(edits, e)
			}
		}
	}
	pos := func(e check.Edit) isa.Pos { return e.Func.Code[e.PC].Pos }
	slices.SortStableFunc(edits, func(a, b check.Edit) int { // the last first, so that positions stay valid
		if n := int(pos(b).Line - pos(a).Line); n != 0 {
			return n
		}
		return int(pos(b).Col - pos(a).Col)
	})
	lines := strings.Split(src, "\n")
	for _, e := range edits {
		line := &lines[pos(e).Line-1]
		at := int(pos(e).Col) - 1
		if e.Func.Code[e.PC].Guard != isa.NoReg { // the guard is before the opcode
			at = strings.LastIndexByte((*line)[:at], '@')
		}
		before, rest := (*line)[:at], (*line)[at:]
		if e.Instead {
			_, rest, _ = strings.Cut(rest, ";")
		}
		*line = before + e.Text + " " + rest
	}
	return strings.Join(lines, "\n"), len(edits) > 0
}

// runSource runs the kernel k of a program, and returns its races and the contents of its buffer.
func runSource(t *testing.T, src string, grid, block isa.Dim) ([]check.Finding, []byte) {
	t.Helper()
	mod := parsed(t, src)
	m, l, buffer := launchOf(t, mod, interp.Config{MaxSteps: 1e6}, grid, block)
	races, err := check.Attach(m, &l)
	if err != nil {
		t.Fatal(err)
	}
	stats, err := functional.Run(context.Background(), m, l)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	for _, w := range stats.Warnings {
		t.Errorf("%v\n%s", w, src)
	}
	return races.Findings(), buffer.Data
}

// mended applies the advice for a program until there is none left, and returns the findings and the memory of the
// last run.
func mended(t *testing.T, src string, grid, block isa.Dim) (string, []check.Finding, []byte) {
	t.Helper()
	for range 4 {
		fs, data := runSource(t, src, grid, block)
		next, changed := applyAdvice(src, fs)
		if !changed {
			return src, fs, data
		}
		src = next
	}
	t.Fatalf("the advice goes on and on\n%s", src)
	return "", nil, nil
}

// TestAdviceRemovesRaces applies the advice for every case of a race. The remaining races must have the advice that no
// local change helps, and the program must still end.
func TestAdviceRemovesRaces(t *testing.T) {
	followed := make(map[check.AdviceKind]int)
	cases := races(t, raceFiles...)
	for _, c := range mendCases {
		cases = append(cases, raceCase{c.name, c.grid, c.block, c.body, nil})
	}
	for _, c := range cases {
		fs, _ := runSource(t, c.source(), c.grid, c.block)
		for _, f := range fs {
			followed[f.Advice.Kind]++
		}
		src, left, _ := mended(t, c.source(), c.grid, c.block)
		for _, f := range left {
			if len(f.Advice.Edits) > 0 {
				t.Errorf("%s: followed, it is still there\n%s", c.name, src)
			}
		}
	}
	for kind := range check.AdviceKind(check.NumAdviceKinds) {
		if followed[kind] == 0 {
			t.Errorf("no case has advice of kind %s", kind)
		}
	}
}

// mendCase is a program with a race that changes its result, and the correct result: the words of the buffer, from
// the first.
type mendCase struct {
	name        string
	grid, block isa.Dim
	body        string
	kind        check.AdviceKind
	advice      string
	want        func(i int) uint32
	words       int
}

var mendCases = []mendCase{
	{"a barrier before the result of atomics is read", dim(1, 1, 1), dim(128, 1, 1), `
mov.u32 %r10, s; setp.eq.u32 %p1, %r1, 0;
@%p1 st.shared.u32 [%r10], 0;
bar.sync 0;
red.shared.add.u32 [%r10], 1;
@!%p1 bra END;
ld.shared.u32 %r11, [%r10];
st.global.u32 [%rd1], %r11;
END:
`, check.Barrier, "bar.sync before line 5 (different warps; bar.warp.sync is not enough)", func(int) uint32 { return 128 }, 1},
	{"one barrier for a swap of warps", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5; xor.b32 %r11, %r5, 128; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
st.shared.u32 [%r10], %r1;
ld.shared.u32 %r13, [%r12];
st.global.u32 [%rd2], %r13;
`, check.Barrier, "bar.sync before line 3 (different warps; bar.warp.sync is not enough)", func(i int) uint32 { return uint32(i) ^ 32 }, 64},
	// A sum by halves; clang lays out what follows such a loop before it.
	{"after a loop that comes later in the text", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; add.u32 %r11, %r10, %r5; mov.u32 %r14, 64;
st.shared.u32 [%r11], 1;
bra.uni LOOP;
AFTER:
ld.shared.u32 %r13, [%r10];
st.global.u32 [%rd2], %r13;
ret;
LOOP:
shr.u32 %r14, %r14, 1;
bar.sync 0;
setp.ge.u32 %p1, %r1, %r14;
@%p1 bra NEXT;
shl.b32 %r12, %r14, 2; add.u32 %r12, %r12, %r11; ld.shared.u32 %r15, [%r11]; ld.shared.u32 %r16, [%r12]; add.u32 %r15, %r15, %r16;
st.shared.u32 [%r11], %r15;
NEXT:
setp.gt.u32 %p2, %r14, 1;
@%p2 bra LOOP;
bra.uni AFTER;
`, check.Barrier, "bar.sync before line 5 (different warps; bar.warp.sync is not enough)", func(int) uint32 { return 64 }, 64},
	// The threads from 40 on have ended: barriers do not wait for them.
	{"behind the end of some threads", dim(1, 1, 1), dim(64, 1, 1), `
setp.ge.u32 %p1, %r1, 40; @%p1 bra OUT;
mov.u32 %r10, s; add.u32 %r10, %r10, %r5; sub.u32 %r11, 156, %r5; mov.u32 %r12, s; add.u32 %r12, %r12, %r11;
st.shared.u32 [%r10], %r1;
ld.shared.u32 %r13, [%r12];
st.global.u32 [%rd2], %r13; ret;
OUT:
`, check.Barrier, "bar.sync before line 4 (different warps; bar.warp.sync is not enough)", func(i int) uint32 { return 39 - uint32(i) }, 40},
	// Threads sort 128 words, 127 at the front and 0 at the end: neighbours, even and odd
	// pairs in turn. Only iterations race with each other.
	{"the iterations of a sort, by warps", dim(1, 1, 1), dim(64, 1, 1), sortLoop, check.Barrier,
		"bar.sync at the head of the loop, before line 3 (different warps; bar.warp.sync is not enough)", func(i int) uint32 { return uint32(i) }, 128},
	{"the iterations of a sort, by lanes", dim(1, 1, 1), dim(32, 1, 1), strings.Replace(sortLoop, ", 64;", ", 32;", 1), check.WarpBarrier,
		"bar.warp.sync at the head of the loop, before line 3", func(i int) uint32 { return 64 + uint32(i) }, 64},
	// Each iteration adds the neighbour's value.
	{"the second barrier of a loop", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; add.u32 %r11, %r10, %r5; xor.b32 %r12, %r5, 128; add.u32 %r12, %r12, %r10; mov.u32 %r14, 0; mov.u32 %r15, %r1;
LOOP: st.shared.u32 [%r11], %r15;
bar.sync 0;
ld.shared.u32 %r13, [%r12];
add.u32 %r15, %r15, %r13; add.u32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, 3;
@%p1 bra LOOP;
st.global.u32 [%rd2], %r15;
`, check.Barrier, "bar.sync at the head of the loop, before line 2 (different warps; bar.warp.sync is not enough)",
		func(i int) uint32 { return 4 * (uint32(i) + uint32(i^32)) }, 64},
	{"both barriers of a loop", dim(1, 1, 1), dim(64, 1, 1), `
mov.u32 %r10, s; add.u32 %r11, %r10, %r5; xor.b32 %r12, %r5, 128; add.u32 %r12, %r12, %r10; mov.u32 %r14, 0; mov.u32 %r15, %r1;
LOOP: st.shared.u32 [%r11], %r15;
ld.shared.u32 %r13, [%r12];
add.u32 %r15, %r15, %r13; add.u32 %r14, %r14, 1; setp.lt.u32 %p1, %r14, 3;
@%p1 bra LOOP;
st.global.u32 [%rd2], %r15;
`, check.Barrier, "bar.sync before line 3, and another at the head of the loop, before line 2 (different warps; bar.warp.sync is not enough)",
		func(i int) uint32 { return 4 * (uint32(i) + uint32(i^32)) }, 64},
	{"a sum with loads and stores", dim(4, 1, 1), dim(64, 1, 1), `
ld.global.u32 %r10, [%rd1];
add.u32 %r11, %r10, 3;
st.global.u32 [%rd1], %r11;
`, check.MakeAtomic, "red.global.add.u32 [%rd1], 3; instead of the load in line 1 and the store in line 3: other threads may access it in between", func(int) uint32 { return 768 }, 1},
	{"the tail of a reduction", dim(1, 1, 1), dim(32, 1, 1), `
mov.u32 %r10, s; add.u32 %r10, %r10, %r5; st.shared.u32 [%r10], %r1;
setp.lt.u32 %p1, %r2, 16; @!%p1 bra END;
ld.shared.u32 %r13, [%r10+64];
add.u32 %r13, %r13, %r1;
st.global.u32 [%rd2], %r13;
END:
`, check.WarpBarrier, "bar.warp.sync before line 2", func(i int) uint32 { return 16 + 2*uint32(i) }, 16},
	{"a flag without fences", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 1; @%p1 bra READ;
st.global.u32 [%rd1+64], 42;
st.volatile.global.u32 [%rd1], 1;
bra END;
READ: ld.volatile.global.u32 %r12, [%rd1]; setp.ne.u32 %p2, %r12, 1; @%p2 bra READ;
ld.global.u32 %r11, [%rd1+64];
st.global.u32 [%rd1+4], %r11;
END:
`, check.AddFences, "membar.gl before line 3, which tells others, and after line 5, which finds out: both sides need one", func(i int) uint32 { return []uint32{1, 42}[i] }, 2},
	{"a flag of plain accesses", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 1; @%p1 bra READ;
st.global.u32 [%rd1+64], 42;
st.global.u32 [%rd1], 1;
bra END;
READ: ld.global.u32 %r12, [%rd1]; setp.ne.u32 %p2, %r12, 1; @%p2 bra READ;
ld.global.u32 %r11, [%rd1+64];
st.global.u32 [%rd1+4], %r11;
END:
`, check.MakeStrong, "a flag is for strong accesses on both sides: st.release.gpu in line 3, ld.acquire.gpu in line 5", func(i int) uint32 { return []uint32{1, 42}[i] }, 2},
	{"a flag of accesses that are weak in so many words", dim(2, 1, 1), dim(1, 1, 1), `
setp.eq.u32 %p1, %r3, 1; @%p1 bra READ;
st.global.u32 [%rd1+64], 42;
st.weak.global.u32 [%rd1], 1;
bra END;
READ: ld.weak.global.cg.u32 %r12, [%rd1]; setp.ne.u32 %p2, %r12, 1; @%p2 bra READ;
ld.global.u32 %r11, [%rd1+64];
st.global.u32 [%rd1+4], %r11;
END:
`, check.MakeStrong, "a flag is for strong accesses on both sides: st.release.gpu in line 3, ld.acquire.gpu in line 5", func(i int) uint32 { return []uint32{1, 42}[i] }, 2},
	{"a lock without fences", dim(4, 1, 1), dim(1, 1, 1), `
TAKE: atom.relaxed.gpu.global.cas.b32 %r10, [%rd1], 0, 1; setp.ne.u32 %p1, %r10, 0; @%p1 bra TAKE;
ld.global.u32 %r11, [%rd1+4]; add.u32 %r11, %r11, 1;
st.global.u32 [%rd1+4], %r11;
atom.relaxed.gpu.global.exch.b32 %r12, [%rd1], 0;
`, check.AddFences, "membar.gl before line 4, which releases the lock, and after line 1, which takes it: both sides need one", func(i int) uint32 { return []uint32{0, 4}[i] }, 2},
	{"a counter of scope cta", dim(4, 1, 1), dim(64, 1, 1), `
red.relaxed.cta.global.add.u32 [%rd1], 1;
`, check.WidenScope, "scope gpu on both", func(int) uint32 { return 256 }, 1},
}

const sortLoop = `
mov.u32 %r10, s; shl.b32 %r11, %r1, 3; add.u32 %r11, %r10, %r11; shl.b32 %r12, %r1, 1; sub.u32 %r12, 127, %r12; sub.u32 %r13, %r12, 1;
st.shared.v2.u32 [%r11], {%r12, %r13}; mov.u32 %r6, 0;
ROUND: and.b32 %r7, %r6, 1; mad.lo.u32 %r8, %r7, 4, %r11; add.u32 %r9, %r1, %r7; setp.lt.u32 %p5, %r9, 64;
@!%p5 bra NEXT;
ld.shared.u32 %r20, [%r8];
ld.shared.u32 %r21, [%r8+4];
setp.gt.u32 %p6, %r20, %r21;
@!%p6 bra NEXT;
st.shared.u32 [%r8], %r21;
st.shared.u32 [%r8+4], %r20;
NEXT: add.u32 %r6, %r6, 1; setp.lt.u32 %p1, %r6, 128; @%p1 bra ROUND;
bar.sync 0;
ld.shared.v2.u32 {%r12, %r13}, [%r11]; add.u64 %rd3, %rd2, 0; sub.u64 %rd3, %rd3, %rd1; add.u64 %rd3, %rd3, %rd2;
st.global.v2.u32 [%rd3], {%r12, %r13};
`

func TestAdviceMakesPrograms(t *testing.T) {
	for _, c := range mendCases {
		t.Run(c.name, func(t *testing.T) {
			rc := raceCase{body: c.body}
			src := rc.source()
			fs, _ := runSource(t, src, c.grid, c.block)
			i := slices.IndexFunc(fs, func(f check.Finding) bool { return f.Advice.Kind == c.kind })
			if i < 0 || fs[i].Fix != c.advice {
				for _, f := range fs {
					t.Errorf("%s %d %d: %s", f.Rule, f.Earlier.Instr().Pos.Line, f.Later.Instr().Pos.Line, f.Fix)
				}
				return
			}
			var want []uint32
			for i := range c.words {
				want = append(want, c.want(i))
			}
			leavesWhenMended(t, src, c.grid, c.block, want)
		})
	}
}

// leavesWhenMended checks that a program, with the advice applied, has no race and leaves these words in g.
func leavesWhenMended(t *testing.T, src string, grid, block isa.Dim, want []uint32) {
	t.Helper()
	src, fs, data := mended(t, src, grid, block)
	if len(fs) > 0 {
		t.Errorf("there is still %v\n%s", summary(fs), src)
	}
	var got []uint32
	for i := range want {
		got = append(got, binary.LittleEndian.Uint32(data[4*i:]))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("memory (-want +got):\n%s\n%s", diff, src)
	}
}

// TestAdviceFencesHandovers checks the advice for locks and flags that lack a fence, and applies it.
func TestAdviceFencesHandovers(t *testing.T) { checkAdvice(t, "testdata/handovers.txt") }

// TestAdviceTellsIterationsOfOuterLoops: an inner loop between two accesses does not hide whether they race in one
// iteration of the outer loop or in two.
func TestAdviceTellsIterationsOfOuterLoops(t *testing.T) { checkAdvice(t, "testdata/loops.txt") }

// checkAdvice checks the races and the advice for the cases of a file, and applies the advice.
func checkAdvice(t *testing.T, file string) {
	t.Helper()
	for _, c := range kerneltest.Cases(t, file, "grid", "block", "finds", "advises", "leaves") {
		t.Run(c.Name, func(t *testing.T) {
			rc := raceCase{body: c.Body}
			grid, block := c.Dim(t, "grid"), c.Dim(t, "block")
			fs, _ := runSource(t, rc.source(), grid, block)
			if want := c.Values("finds"); want != nil {
				if diff := cmp.Diff(want, summary(fs)); diff != "" {
					t.Errorf("findings (-want +got):\n%s", diff)
				}
			}
			for _, advice := range c.Values("advises") {
				if !slices.ContainsFunc(fs, func(f check.Finding) bool { return f.Fix == advice }) {
					t.Errorf("no finding has the advice %q", advice)
				}
			}
			for _, f := range fs {
				if !slices.Contains(c.Values("advises"), f.Fix) {
					t.Errorf("a finding has the advice %q", f.Fix)
				}
			}
			var want []uint32
			for _, v := range c.Values("leaves") {
				for _, word := range strings.Fields(v) {
					n, err := strconv.ParseUint(word, 0, 32)
					if err != nil {
						t.Fatal(err)
					}
					want = append(want, uint32(n))
				}
			}
			leavesWhenMended(t, rc.source(), grid, block, want)
		})
	}
}

// TestEditsReplaceOrderAndScope: the edited accesses to a flag or a counter have their new order or scope in place of
// the old one, and no modifiers that conflict with it.
func TestEditsReplaceOrderAndScope(t *testing.T) {
	const flag = `
setp.eq.u32 %p1, %r3, 1; @%p1 bra READ;
STORE
bra END;
READ: LOAD
setp.ne.u32 %p2, %r12, 1; @%p2 bra READ;
END:
`
	for _, tt := range []struct {
		store, load string
		want        []string
	}{
		{"st.global.u32 [%rd1], 1;", "ld.global.u32 %r12, [%rd1];", []string{"st.release.gpu.global.u32 [%rd1], 1;", "ld.acquire.gpu.global.u32 %r12, [%rd1];"}},
		{"st.weak.u32 [%rd1], 1;", "ld.weak.u32 %r12, [%rd1];", []string{"st.release.gpu.u32 [%rd1], 1;", "ld.acquire.gpu.u32 %r12, [%rd1];"}},
		{"@!%p1 st.global.wb.u32 [%rd1], 1;", "@%p1 ld.global.cg.u32 %r12, [%rd1];", []string{"@!%p1 st.release.gpu.global.u32 [%rd1], 1;", "@%p1 ld.acquire.gpu.global.u32 %r12, [%rd1];"}},
		{"st.weak.global.L1::evict_last.u32 [%rd1], 1;", "ld.global.nc.L1::no_allocate.u32 %r12, [%rd1];",
			[]string{"st.release.gpu.global.L1::evict_last.u32 [%rd1], 1;", "ld.acquire.gpu.global.L1::no_allocate.u32 %r12, [%rd1];"}},
		{"st.volatile.global.u32 [%rd1], 1;", "ldu.global.u32 %r12, [%rd1];", []string{"ld.acquire.gpu.global.u32 %r12, [%rd1];"}},
		{"st.relaxed.cta.global.u32 [%rd1], 1;", "ld.relaxed.cluster.global.u32 %r12, [%rd1];", []string{"st.relaxed.gpu.global.u32 [%rd1], 1;", "ld.relaxed.gpu.global.u32 %r12, [%rd1];"}},
	} {
		c := raceCase{body: strings.NewReplacer("STORE", tt.store, "LOAD", tt.load).Replace(flag)}
		src := c.source()
		fs, _ := runSource(t, src, dim(2, 1, 1), dim(1, 1, 1))
		var got []string
		for _, f := range fs {
			for _, e := range f.Advice.Edits {
				got = append(got, e.Text)
			}
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%s and %s (-want +got):\n%s", tt.store, tt.load, diff)
		}
		if next, changed := applyAdvice(src, fs); changed {
			runSource(t, next, dim(2, 1, 1), dim(1, 1, 1)) // parses the program
		}
	}
}
