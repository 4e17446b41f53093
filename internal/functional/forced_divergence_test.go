package functional_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// warpSum adds up 0 to 31 in shared memory, in steps separated by sync. Without sync it assumes that the lanes of a
// warp run together.
func warpSum(sync string) string {
	var b strings.Builder
	b.WriteString(kerneltest.Entry + `
	.shared .u32 s[64];
	mov.u32 %r1, %laneid;
	shl.b32 %r2, %r1, 2;
	mov.u32 %r3, s;
	add.u32 %r2, %r2, %r3;
	st.shared.u32 [%r2+128], 0;
	st.shared.u32 [%r2], %r1;
`)
	for _, distance := range []int{16, 8, 4, 2, 1} {
		fmt.Fprintf(&b, "%s\tld.shared.u32 %%r4, [%%r2+%d];\n%s\tadd.u32 %%r1, %%r1, %%r4;\n\tst.shared.u32 [%%r2], %%r1;\n", sync, 4*distance, sync)
	}
	b.WriteString("\tld.param.u64 %rd1, [out];\n\tsetp.ne.u32 %p1, %r3, %r2;\n\t@%p1 exit;\n\tst.global.u32 [%rd1], %r1;\n\tret;\n}\n")
	return b.String()
}

// TestForcedDivergenceBreaksLockStep forces divergence: a sum which relies on the lanes of a warp running together is
// wrong for some seeds, and the same sum with bar.warp.sync for none.
func TestForcedDivergenceBreaksLockStep(t *testing.T) {
	const want = 31 * 32 / 2
	wrong := func(sync string, seeds uint64) (n int) {
		for seed := range seeds {
			out, _, err := kerneltest.Kernel{Source: warpSum(sync), Words: []int{1}, Config: interp.Config{Split: seed}}.Run(t)
			if err != nil {
				t.Fatal(err)
			}
			if out[0][0] != want {
				n++
			}
		}
		return n
	}
	if wrong("", 1) != 0 {
		t.Error("wrong where lanes stay together")
	}
	if n := wrong("", 32); n < 10 {
		t.Errorf("wrong for %d of 31 seeds, want most", n)
	}
	if n := wrong("\tbar.warp.sync -1;\n", 256); n != 0 {
		t.Errorf("wrong for %d seeds, with bar.warp.sync", n)
	}
}

// TestShatterIsReproducible: the same seed gives the same instructions, whether or not the launch is halted before
// each of them; and seed 0 forces no divergence.
func TestShatterIsReproducible(t *testing.T) {
	counts := make(map[uint64]int)
	for seed := range uint64(8) {
		k := kerneltest.Kernel{Source: warpSum(""), Grid: kerneltest.Dim(3, 1), Block: kerneltest.Dim(96, 1), Words: []int{1}, Config: interp.Config{Split: seed}}
		out, stats, err := k.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		counts[stats.WarpInstrs]++
		if unshattered := uint64(9 * (6 + 3*5 + 5)); seed == 0 && stats.WarpInstrs != unshattered {
			t.Errorf("%d instructions, want %d", stats.WarpInstrs, unshattered)
		}
		k.Driver = new(halter).run
		haltedOut, halted, err := k.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(stats, halted) + cmp.Diff(out, haltedOut); diff != "" {
			t.Errorf("seed %d (-run +halted):\n%s", seed, diff)
		}
	}
	if len(counts) < 4 {
		t.Errorf("8 seeds give %d different runs", len(counts))
	}
}

// TestShatteredLanesAreNotAbsent: there is no warning about a barrier that lanes reach separately only because of the
// seed, but there is one, with every seed, about a barrier in code where lanes have diverged.
func TestShatteredLanesAreNotAbsent(t *testing.T) {
	steps := strings.Repeat("\tadd.u32 %r1, %r1, 1;\n", 12)
	for name, tt := range map[string]struct {
		src    string
		warned bool
	}{
		"straight":            {steps + "\tbar.sync 0;\n" + steps + "\tbar.sync 0;\n\tbarrier.cta.red.popc.aligned.u32 %r3, 0, %p1;\n" + steps, false},
		"behind the arms":     {kerneltest.Source(t, "testdata/kernels/forced_divergence.txt", "behind the arms", "$steps", steps), false},
		"in a function":       {"\tcall f;\n" + steps + "\tbar.sync 0;\n", false},
		"in a loop":           {kerneltest.Source(t, "testdata/kernels/forced_divergence.txt", "in a loop", "$steps", steps), false},
		"in an arm":           {kerneltest.Source(t, "testdata/kernels/forced_divergence.txt", "in an arm", "$steps", steps), true},
		"before the arms end": {kerneltest.Source(t, "testdata/kernels/forced_divergence.txt", "before the arms end", "$steps", steps), true},
	} {
		src := kerneltest.Source(t, "testdata/kernels/forced_divergence.txt", "shattered lanes are not absent", "$steps", steps, "$src", tt.src)
		for seed := range uint64(64) {
			_, stats, err := kerneltest.Kernel{Source: src, Block: kerneltest.Dim(64, 1), Words: []int{64}, Config: interp.Config{Split: seed}}.Run(t)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if (len(stats.Warnings) > 0) != tt.warned {
				t.Errorf("%s, seed %d: %+v", name, seed, stats.Warnings)
				break
			}
		}
	}
}

// TestShatterWholeWarps: lanes that were forced to diverge execute instructions of whole warps together, in a loop,
// and after a call, to which they go together.
func TestShatterWholeWarps(t *testing.T) {
	source := kerneltest.Source(t, "testdata/kernels/forced_divergence.txt", "shatter whole warps")
	var want []uint32
	for seed := range uint64(64) {
		for _, model := range []divergence.Model{divergence.IndependentThreads, divergence.LowestPC} {
			out, _, err := kerneltest.Kernel{Source: source, Words: []int{32}, Config: interp.Config{Divergence: model, Split: seed}}.Run(t)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			if want == nil {
				want = out[0]
			}
			if diff := cmp.Diff(want, out[0]); diff != "" {
				t.Fatalf("seed %d (-together +apart):\n%s", seed, diff)
			}
		}
	}
}
