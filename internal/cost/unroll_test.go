package cost

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
)

// loopOf returns the region of a loop of n iterations, each with some products that wait for each other; n is not
// known if it is 0.
func loopOf(t *testing.T, products, n int) *Region {
	t.Helper()
	limit := "%r2"
	if n > 0 {
		limit = fmt.Sprint(n)
	}
	text := fmt.Sprintf(`.entry k(.param .u32 n, .param .u64 p) {
    ld.param.u32 %%r2, [n];
    ld.param.u64 %%rd1, [p];
    mov.u32 %%r1, 0;
LOOP:
%s    add.u32 %%r1, %%r1, 1;
    setp.lt.u32 %%p1, %%r1, %s;
    @%%p1 bra LOOP;
    st.global.f32 [%%rd1], %%f1;
    ret;
}`, strings.Repeat("    fma.rn.f32 %f1, %f1, %f2, %f3;\n", products), limit)
	mod, err := asm.Parse("k.s", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Entry("k")
	g := flow.New(f)
	for _, r := range Regions(f, g, Lower(f, g, Lowered, true), h100()) {
		if f.Code[r.First].Pos.Line > 4 {
			return r
		}
	}
	t.Fatal("no region")
	return nil
}

// TestLoopsAreUnrolled compares the loops that are unrolled with what ptxas 12.4 does for sm_90.
func TestLoopsAreUnrolled(t *testing.T) {
	for _, c := range []struct {
		products, n, copies int
		whole               bool
		entry               bool // there is code for iterations that are left over
	}{
		{2, 100, 100, true, false}, {8, 32, 32, true, false}, {16, 16, 16, true, false}, {64, 4, 4, true, false}, {128, 2, 2, true, false},
		{64, 8, 4, false, false}, // 4 iterations in one, twice
		{16, 0, 4, false, true},
		{96, 6, 1, false, false}, {128, 4, 1, false, false}, {512, 2, 1, false, false}, {256, 0, 1, false, false},
	} {
		r := loopOf(t, c.products, c.n)
		if r.Copies != c.copies || r.Whole != c.whole || len(r.Entry) > 0 != c.entry {
			t.Errorf("%d products, %d iterations: %d in one, wholly: %v, %d instructions before it; want %d, %v, %v", c.products, c.n, r.Copies, r.Whole, len(r.Entry), c.copies, c.whole, c.entry)
		}
	}
}

// TestUnreadChainsStay checks that a chain whose result nothing reads is not removed from a loop that is unrolled
// wholly: a measuring loop is there for its time.
func TestUnreadChainsStay(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(`.entry k() {
    mov.u32 %r1, 0;
LOOP:
    add.f32 %f1, %f1, %f1;
    add.f32 %f1, %f1, %f1;
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, 8;
    @%p1 bra LOOP;
    ret;
}`))
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Entry("k")
	g := flow.New(f)
	for _, r := range Regions(f, g, Lower(f, g, Lowered, true), h100()) {
		if n := len(r.Body(r.Copies).Steps); r.Whole && n != 16 {
			t.Errorf("%d steps, want 16", n)
		}
	}
}

// TestOccupancyStepsAreLargest checks that each step is the largest number of registers with which so many warps fit on
// an SM.
func TestOccupancyStepsAreLargest(t *testing.T) {
	const registers, partitions, unit = 65536, 4, 256
	warps := func(perThread int) int {
		perWarp := (perThread*32 + unit - 1) / unit * unit
		return registers / partitions / perWarp * partitions
	}
	for _, n := range occupancySteps[:len(occupancySteps)-1] {
		if warps(n+1) == warps(n) {
			t.Errorf("%d registers: %d warps, as with one more", n, warps(n))
		}
	}
	for live := range 255 {
		if next := occupancyStep(live); next <= live || live >= 32 && warps(next) < warps(live+1) {
			t.Errorf("%d live registers: %d", live, next)
		}
	}
}
