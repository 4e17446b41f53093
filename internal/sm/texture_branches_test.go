package sm_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// growBranchyTextures makes a kernel as growTextures does. Some of its lines are executed only by the lanes that take a
// divergent branch. Coordinates and texels may become scalars on one side of a branch, and are used after it.
func growBranchyTextures(t *testing.T, seed uint64) (source string, all images) {
	t.Helper()
	rnd := rand.New(rand.NewPCG(seed, 14))
	all = textureImages(rnd)
	lines := textureBody(rnd)
	var body []string
	for branches := 0; len(lines) > 0; {
		n := min(1+rnd.IntN(4), len(lines))
		if rnd.IntN(2) == 0 {
			branches++
			body = append(body, branchAround(rnd, branches, lines[:n]))
		} else {
			body = append(body, lines[:n]...)
		}
		lines = lines[n:]
	}
	for _, texel := range []int{6, 1, 2} {
		body = append(body, fmt.Sprintf("\tadd.f32 %%f3, %%f3, %%f%d;\n", texel))
	}
	return textureKernel(t, body), all
}

// branchAround returns lines in branch number n, with another side or without one.
func branchAround(rnd *rand.Rand, n int, lines []string) string {
	var b strings.Builder
	emit := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	redefine := func() { // as a scalar
		if rnd.IntN(2) == 0 {
			emit("\tmov.f32 %%f%d, 0f%08X;", 1+rnd.IntN(7), math.Float32bits(1+float32(rnd.IntN(9))/8))
		}
	}
	emit("\tand.b32 %%r20, %%r5, %d;\n\tsetp.ne.u32 %%p9, %%r20, 0;\n\t@%%p9 bra E%d;", 1+rnd.IntN(31), n)
	redefine()
	emit("%s", strings.Join(lines, ""))
	if rnd.IntN(2) == 0 {
		emit("\tbra.uni J%d;\nE%[1]d:", n)
		redefine()
		emit("\tadd.f32 %%f3, %%f3, %%f5;\n\ttex.1d.v4.f32.f32 {%%f4, %%f5, %%f6, %%f7}, [t1, {%%f2}];\nJ%d:", n)
	} else {
		emit("E%d:", n)
	}
	emit("\tadd.f32 %%f3, %%f3, %%f5;")
	return b.String()
}

// TestTexturesInBranchesAgree: kernels that fetch in divergent branches leave the same memory if they are compiled as
// by lane functions, under each model of divergence.
func TestTexturesInBranchesAgree(t *testing.T) {
	for seed := range uint64(short.Of(240)) {
		if short.Waits(int(seed), 12) {
			continue
		}
		r := racing{ctas: 1 + uint32(seed%7), block: 32 * (1 + uint32(seed%4)), words: 1 << 12,
			cfg: interp.Config{Divergence: kerneltest.Models[seed%3], PathOrder: kerneltest.Orders[seed/3%3], Compile: interp.CompileNever}}
		r.source, r.images = growBranchyTextures(t, seed)
		want := r.untimed(t)
		r.cfg.Lanes, r.cfg.Compile = kerneltest.LevelOf(seed), kerneltest.CompilationOf(seed)
		if diff := kerneltest.Diff(want, r.untimed(t)); diff != "" {
			t.Fatalf("seed %d (-lane functions +compiled):\n%.3000s\nof %s", seed, diff, r.source)
		}
	}
}
