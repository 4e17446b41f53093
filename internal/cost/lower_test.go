package cost_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/kerneltest"
)

// TestFunctionsLowerToMachineInstructions: the functions of testdata/lower.txt become the machine instructions in their
// comments, without sources and results.
func TestFunctionsLowerToMachineInstructions(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/lower.txt") {
		t.Run(c.Name, func(t *testing.T) {
			checkSlots(t, ".shared .u32 x[4];\n.func f(.param .u32 a);\n.entry k(.param .u64 out)\n{\n"+c.Body+"}", false)
		})
	}
}

// checkSlots compares the slots of each instruction of a function with its comment.
func checkSlots(t *testing.T, src string, convergence bool) {
	t.Helper()
	var want []string
	for line := range strings.Lines(src) {
		if _, c, ok := strings.Cut(line, "// "); ok {
			want = append(want, strings.TrimSpace(c))
		}
	}
	got := slotsOf(t, src, convergence)
	if diff := cmp.Diff(want, got[:len(got)-1]); diff != "" { // without the exit that is added at the end
		t.Errorf("-want +got:\n%s", diff)
	}
}

// slotsOf returns the slots of each instruction, - for none.
func slotsOf(t *testing.T, src string, convergence bool) []string {
	t.Helper()
	f, costs := lower(t, src, cost.Lowered, convergence)
	var got []string
	for i := range costs {
		slots, _, _ := strings.Cut(text(f, &costs[i]), ":")
		if slots == "" {
			slots = "-"
		}
		got = append(got, slots)
	}
	return got
}

// TestIncrementsCountLanes: lanes are counted where 1 is added to words of shared memory and nothing reads what they
// were.
func TestIncrementsCountLanes(t *testing.T) {
	const src = `.shared .u32 x[32];
.entry k()
{
	red.shared.add.u32 [x], 1;
	atom.shared.add.s32 %r1, [x], 1;
	red.shared.add.u32 [x], 2;
	red.shared.add.u32 [x], %r2;
	red.shared.max.u32 [x], 1;
	red.shared.add.u64 [x], 1;
	red.global.add.u32 [%rd1], 1;
	atom.shared.add.u32 %r3, [x], 1;
	st.global.u32 [%rd1], %r3;
	ret;
}`
	for mode, want := range map[cost.Mode][]int{cost.Lowered: {0, 1}, cost.PTX: nil} {
		var got []int
		_, costs := lower(t, src, mode, false)
		for pc := range costs {
			if costs[pc].Counts {
				got = append(got, pc)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%v: those at %v count, want %v", mode, got, want)
		}
	}
}

// TestFusedInstructionWaitsForAllSources: a fused instruction waits for the sources of both instructions.
func TestFusedInstructionWaitsForAllSources(t *testing.T) {
	f, costs := lower(t, `.entry k() {
	neg.f32 %f1, %f2;
	mul.f32 %f3, %f1, %f4;
	@%p1 add.f32 %f5, %f3, %f6;
	mov.f32 %f7, %f5;
}`, cost.Lowered, false)
	want := []string{":  ->", ":  ->", "single: %p1 %f6 %f2 %f4 -> %f5", ": %f5 -> %f7", "exit:  ->"}
	var got []string
	for i := range costs {
		got = append(got, text(f, &costs[i]))
	}
	for i := range got[2:3] { // the order of sources does not matter
		if len(strings.Fields(got[2+i])) != len(strings.Fields(want[2+i])) {
			t.Errorf("%s, want %s", got[2+i], want[2+i])
		}
		want[2+i] = got[2+i]
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestShortArmsAreGuarded: which branches become machine instructions, and the places of convergence barriers, in
// testdata/branches.txt.
func TestShortArmsAreGuarded(t *testing.T) {
	for _, c := range kerneltest.Cases(t, "testdata/branches.txt") {
		t.Run(c.Name, func(t *testing.T) { checkSlots(t, ".entry k()\n{\n"+c.Body+"}", true) })
	}
}
