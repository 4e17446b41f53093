package cuda_test

import (
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

// vectors returns the n-bit direction vectors of a dimension of Sobol's sequence, in the upper bits of 64-bit
// numbers. The primitive polynomial has degree s and inner coefficients a; m are its first numbers. The first
// dimension has no polynomial.
func vectors(n, s int, a uint64, m ...uint64) []uint64 {
	for k := len(m); k < n; k++ {
		if s == 0 {
			m = append(m, 1)
			continue
		}
		v := m[k-s]<<s ^ m[k-s]
		for i := 1; i < s; i++ {
			v ^= a >> (s - 1 - i) & 1 * m[k-i] << i
		}
		m = append(m, v)
	}
	var v []uint64
	for k := range n {
		v = append(v, m[k]<<(63-k))
	}
	return v
}

// TestSobolMatchesPublishedPoints compares the points in three dimensions with the first ones of the list that Joe and
// Kuo have published with their direction numbers.
func TestSobolMatchesPublishedPoints(t *testing.T) {
	d := newDevice(t, "sobol")
	published := [][3]float64{{0, 0, 0}, {0.5, 0.5, 0.5}, {0.75, 0.25, 0.25}, {0.25, 0.75, 0.75}, {0.375, 0.375, 0.625}, {0.875, 0.875, 0.125},
		{0.625, 0.125, 0.875}, {0.125, 0.625, 0.375}, {0.1875, 0.3125, 0.9375}, {0.6875, 0.8125, 0.4375}}
	var narrow []uint32
	var wide []uint64
	for _, dimension := range [][]uint64{vectors(64, 0, 0), vectors(64, 1, 0, 1), vectors(64, 2, 1, 1, 3)} {
		wide = append(wide, dimension...)
		for _, v := range dimension[:32] {
			narrow = append(narrow, uint32(v>>32))
		}
	}
	n := len(published)
	a, b := buffer(d, narrow), buffer(d, wide)
	out := buffer(d, make([]uint64, 3*4*n))
	launch := func(kernel string, threads uint32, args ...any) {
		t.Helper()
		d.launch(simtrun.Launch{Kernel: kernel, Grid: simtrun.Dim{X: 1}, Block: simtrun.Dim{X: threads}, Args: append([]any{a, b}, args...)})
	}
	launch("points", 3, uint32(n), out)
	var want []uint64
	for dimension := range 3 {
		for _, p := range published {
			x := uint64(p[dimension] * (1 << 63) * 2)
			want = append(want, x>>32, x, x>>32^0xdeadbeef, x^0xdeadbeefcafef00d)
		}
	}
	compare(t, "points", simtrun.Read[uint64](out), want)

	same := buffer(d, make([]uint64, 2*4))
	launch("ways", 1, same)
	pairs := simtrun.Read[uint64](same)
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i] != pairs[i+1] {
			t.Errorf("the ways of pair %d lead to %#x and %#x", i/2, pairs[i], pairs[i+1])
		}
	}

	numbers := buffer(d, make([]float64, 10*n))
	launch("distributions", uint32(n), numbers)
	got := simtrun.Read[float64](numbers)
	for i, p := range published {
		x := p[0] + 0x1p-33 // the middle of the interval of the 32 bits
		normal, narrowest := math.Sqrt2*math.Erfinv(2*x-1), math.Sqrt2*math.Erfinv(2*(p[0]+0x1p-54)-1)
		want := []float64{x, x, x, p[0] + 0x1p-54, normal, normal, math.Exp(1 + normal/2), math.Exp(1 + narrowest/2), quantile(x, 4.5), quantile(p[0]+0x1p-54, 2000)}
		for k, tolerance := range []float64{1e-7, 0, 1e-7, 0, 2e-6, 1e-12, 2e-6, 1e-12, 0, 1} {
			scale := 1.0
			if k < 8 {
				scale = math.Max(math.Abs(want[k]), 1e-3)
			}
			if g := got[10*i+k]; math.Abs(g-want[k]) > tolerance*scale {
				t.Errorf("distribution %d of point %d is %v, want %v", k, i, g, want[k])
			}
		}
	}
}

// quantile returns the least number of events at which Poisson's cumulative distribution reaches p.
func quantile(p, mean float64) float64 {
	sum := 0.0
	for k := 0.0; ; k++ {
		gamma, _ := math.Lgamma(k + 1)
		if sum += math.Exp(k*math.Log(mean) - mean - gamma); sum >= p {
			return k
		}
	}
}

// joeKuo has s, a and m of the dimensions after the first, as published by Joe and Kuo.
var joeKuo = [][]uint64{{1, 0, 1}, {2, 1, 1, 3}, {3, 1, 1, 3, 1}, {3, 2, 1, 1, 1}, {4, 1, 1, 1, 3, 3}, {4, 4, 1, 3, 5, 13},
	{5, 2, 1, 1, 5, 5, 17}, {5, 4, 1, 1, 5, 5, 5}, {5, 7, 1, 1, 7, 11, 19}, {5, 11, 1, 1, 5, 1, 1}, {5, 13, 1, 1, 1, 3, 11}}

// directionNumbers returns a file in Joe and Kuo's format. Dimensions that are not known here have the numbers of the
// second one.
func directionNumbers() string {
	text := "d s a m_i\n"
	for d := 2; d <= 20000; d++ {
		line := joeKuo[0]
		if d-2 < len(joeKuo) {
			line = joeKuo[d-2]
		}
		text += fmt.Sprintln(d, strings.Trim(fmt.Sprint(line), "[]"))
	}
	return text
}

// TestDirectionVectorsMatchPublishedOnes checks that libcurand has the direction vectors of a file with Joe and Kuo's
// numbers, for the first lines, and that it reports an error without such a file.
func TestDirectionVectorsMatchPublishedOnes(t *testing.T) {
	short.Alternates(t, 1, 3)
	if testing.Short() {
		t.Skip("builds the library")
	}
	needs.Tool(t, "cc")
	dir := t.TempDir()
	program, library, table := filepath.Join(dir, "program"), filepath.Join(dir, "libcurand.so.10"), filepath.Join(dir, "numbers")
	for _, args := range [][]string{
		{"make", "LIB=" + dir, library},
		{"cc", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-o", program, "testdata/curand/vectors.c", library},
	} {
		if out, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	text := directionNumbers()
	want := "0 wrong, 20000 scrambled\n"
	for d := range 12 {
		v := vectors(64, 0, 0)
		if d > 0 {
			v = vectors(64, int(joeKuo[d-1][0]), joeKuo[d-1][1], joeKuo[d-1][2:]...)
		}
		for _, x := range v {
			want += fmt.Sprintf("%x\n", x)
		}
	}
	says := func(why string) string {
		return "simtrun: curandGetDirectionVectors32: " + why + "\nsimtrun: curandGetDirectionVectors64: " + why + "\n203 203\n"
	}
	wrong := table + " is not the file of direction numbers of Joe and Kuo for 20000 dimensions and more"
	for _, c := range []struct{ name, text, variable, want string }{
		{"numbers", text, "SIMTRUN_SOBOL=" + table, want},
		{"unnamed", text, "SIMTRUN_SOBOL=", says("the direction numbers of Joe and Kuo do not come with simtrun: SIMTRUN_SOBOL has to name their file new-joe-kuo-6.21201")},
		{"missing", text, "SIMTRUN_SOBOL=" + table + "s", says(table + "s: No such file or directory")},
		{"short", text[:1000], "SIMTRUN_SOBOL=" + table, says(wrong)},
		{"even", strings.Replace(text, "3 2 1 1 3\n", "3 2 1 1 2\n", 1), "SIMTRUN_SOBOL=" + table, says(wrong)},
		{"long", strings.Replace(text, "3 2 1 1 3\n", "3 2 1 1 5\n", 1), "SIMTRUN_SOBOL=" + table, says(wrong)},
		{"degree", strings.Replace(text, "3 2 1 1 3\n", "3 19 1 1 3\n", 1), "SIMTRUN_SOBOL=" + table, says(wrong)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if err := os.WriteFile(table, []byte(c.text), 0o666); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, executeIn(t, []string{"LD_LIBRARY_PATH=" + dir, c.variable}, program)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestHostGeneratorsGiveExpectedNumbers runs testdata/curand/generators.c, which checks the numbers of libcurand's
// generators.
func TestHostGeneratorsGiveExpectedNumbers(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	library, dir := driverLibrary(t), t.TempDir()
	program, table := filepath.Join(dir, "program"), filepath.Join(dir, "numbers")
	if out, err := exec.Command("cc", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-o", program, "testdata/curand/generators.c", "-L"+library, "-lcurand", "-lcuda", "-lm").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.WriteFile(table, []byte(directionNumbers()), 0o666); err != nil {
		t.Fatal(err)
	}
	want := "ok\nsimtrun: curandCreateGenerator: generators MTGP32 and MT19937 are not supported\n"
	if got := executeIn(t, []string{"LD_LIBRARY_PATH=" + library, "SIMTRUN_SOBOL=" + table}, program); got != want {
		t.Errorf("printed %q", got)
	}
}

// TestHostCompilerKnowsStates checks that code for a plain C++ compiler has the types of states, and can detect that
// curand.h was included.
func TestHostCompilerKnowsStates(t *testing.T) {
	for _, c := range []struct{ compiler, text string }{
		{"c++", "#include <curand_kernel.h>\ncurandState a; curandStatePhilox4_32_10_t b; curandStateMRG32k3a c; curandStateSobol32_t d; curandStateScrambledSobol64 e;\n"},
		{"cc", "#include <curand_kernel.h>\ncurandGenerator_t g;\n#ifndef CURAND_H_\n#error\n#endif\n"},
	} {
		cmd := exec.Command(c.compiler, "-Wall", "-Wextra", "-Werror", "-Iinclude", "-fsyntax-only", "-x", strings.Replace(c.compiler, "cc", "c", 1), "-")
		cmd.Stdin = strings.NewReader(c.text)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", c.compiler, err, out)
		}
	}
}
