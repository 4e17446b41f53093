package sm_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// clocked is a driver of kerneltest that runs a launch with a clock.
func clocked(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
	s, err := sm.Begin(m, l, sm.Options{})
	if err != nil {
		return interp.Stats{}, err
	}
	return interp.Stats{}, s.Continue(context.Background())
}

// steps are the register counts that a warpgroup requests, one after the other. It ends after the last.
type steps []int

// source returns a kernel in which each warpgroup executes its steps and each thread then stores 1.
func source(directives string, groups []steps) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".version 8.0\n.target sm_90a\n.entry k(.param .u64 out) %s {\n\tmov.u32 %%r2, %%warpid;\n\tshr.u32 %%r2, %%r2, 2;\n", directives)
	for i, g := range groups {
		fmt.Fprintf(&b, "\tsetp.ne.u32 %%p1, %%r2, %d;\n\t@%%p1 bra NEXT%d;\n", i, i)
		owned := 0
		for step, n := range g {
			if step > 0 {
				fmt.Fprintf(&b, "\tbar.sync %d, 128;\n", 1+i)
			}
			action := "dec"
			if n > owned && owned > 0 || owned == 0 && n > 128 {
				action = "inc"
			}
			fmt.Fprintf(&b, "\tsetmaxnreg.%s.sync.aligned.u32 %d;\n", action, n)
			owned = n
		}
		fmt.Fprintf(&b, "\tbra END;\nNEXT%d:\n", i)
	}
	b.WriteString("END:\n\tmov.u32 %r1, 1;\n" + strings.TrimSuffix(kerneltest.StoreR1, "}") + "}\n")
	return b.String()
}

// completes reports whether all warps end if each starts with 128 registers per thread. It grants requests that fit, in
// any order, until none fits. The order does not matter: a request for more registers is the last step of a warp, which
// then ends and releases all its registers.
func completes(groups []steps) bool {
	const perGroup = 4
	free, left := 0, []steps{}
	var owned []int
	for _, g := range groups {
		for range perGroup {
			left, owned = append(left, g), append(owned, 128)
		}
	}
	for moved := true; moved; {
		moved = false
		for i := range left {
			for len(left[i]) > 0 && left[i][0]-owned[i] <= free {
				free -= left[i][0] - owned[i]
				owned[i], left[i], moved = left[i][0], left[i][1:], true
			}
			if len(left[i]) == 0 && owned[i] > 0 {
				free += owned[i]
				owned[i], moved = 0, true
			}
		}
	}
	return !slices.ContainsFunc(left, func(s steps) bool { return len(s) > 0 })
}

// TestRegisterRequestsEndIfGrantable: a kernel with warpgroups that release and take registers ends if and only if the
// pool of its block can grant every request, with a clock and without one. A block that follows in the same slot starts
// with a new pool.
func TestRegisterRequestsEndIfGrantable(t *testing.T) {
	rng, hangs := rand.New(rand.NewPCG(1, 2)), 0
	for range short.Of(60) {
		groups := make([]steps, 2+rng.IntN(3))
		for i := range groups {
			if rng.IntN(2) == 0 {
				groups[i] = append(groups[i], 24+8*rng.IntN(14))
			}
			if rng.IntN(3) > 0 {
				groups[i] = append(groups[i], 136+8*rng.IntN(16))
			}
		}
		want := completes(groups)
		if !want {
			hangs++
		}
		for name, driver := range map[string]func(*interp.Machine, interp.Launch) (interp.Stats, error){"functional": nil, "clock": clocked} {
			threads := 128 * len(groups)
			k := kerneltest.Kernel{Source: source(".maxnreg 128", groups), Grid: kerneltest.Dim(2, 1), Block: kerneltest.Dim(uint32(threads), 1), Words: []int{2 * threads}, Driver: driver}
			k.Config.GPU = oneSM()
			out, _, err := k.Run(t)
			hang, ok := errors.AsType[*interp.Hang](err)
			switch {
			case want && err != nil, !want && (!ok || hang.Rule != interp.RuleDeadlock || !strings.Contains(err.Error(), fmt.Sprintf("has %d registers", threads*128))):
				t.Errorf("%s, %v: completes: %v, got %v", name, groups, want, err)
			case want && !allOnes(out[0]):
				t.Errorf("%s, %v: not all threads ended", name, groups)
			}
		}
	}
	if hangs == 0 && !testing.Short() {
		t.Error("no random kernel hung")
	}
}

// oneSM returns an H100 with one SM.
func oneSM() *gpu.Config {
	g := gpu.H100()
	g.SMs = 1
	return g
}

func allOnes(words []uint32) bool {
	for _, w := range words {
		if w != 1 {
			return false
		}
	}
	return true
}
