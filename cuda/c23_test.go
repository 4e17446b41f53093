package cuda_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/short"
)

// TestHeadersCompileWithNewerGlibc compiles a program that uses functions of CUDA which C23 has, too, with a C library
// that declares those of C23: glibc 2.41 has sinpi and cospi, and 2.42 rsqrt. A <cmath> in front of the system's
// stands for them, because the systems of the tests have older ones. Without _GNU_SOURCE glibc declares none of them.
func TestHeadersCompileWithNewerGlibc(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	c := compiler(t)
	one := "#define F(n) extern double n(double) noexcept; extern float n##f(float) noexcept;\n"
	two := "#define G(n) extern double n(double, double) noexcept; extern float n##f(float, float) noexcept;\n"
	power := "#define H(n) extern double n(double, long long) noexcept; extern float n##f(float, long long) noexcept;\n"
	for minor, declared := range map[int]string{
		40: "",
		41: one + two + "F(acospi) F(asinpi) F(atanpi) F(cospi) F(sinpi) F(tanpi) G(atan2pi)\n",
		42: one + two + power + "F(acospi) F(asinpi) F(atanpi) F(cospi) F(sinpi) F(tanpi) G(atan2pi) F(rsqrt) G(powr) H(compoundn) H(pown) H(rootn)\n",
		43: "", // newer than all, without _GNU_SOURCE
	} {
		dir := t.TempDir()
		use := 0
		if declared != "" {
			use = 1
		}
		files := map[string]string{
			"cmath": fmt.Sprintf("#include_next <cmath>\n#ifndef NEWER\n#define NEWER\n#undef __GLIBC_MINOR__\n#define __GLIBC_MINOR__ %d\n"+
				"#undef __GLIBC_USE_IEC_60559_FUNCS_EXT_C23\n#define __GLIBC_USE_IEC_60559_FUNCS_EXT_C23 %d\nextern \"C\" {\n%s}\n#endif\n", minor, use, declared),
			"m.cu": `#include <math.h>
#include <cmath>
__host__ __device__ double all(double x) { double s, c; sincospi(x, &s, &c); return sinpi(x) + cospi(x) + s + c + rsqrt(x) + rcbrt(x) + normcdf(x); }
__host__ __device__ float allf(float x) { float s, c; sincospif(x, &s, &c); return sinpif(x) + cospif(x) + s + c + rsqrtf(x) + rsqrt(x) + rcbrtf(x); }
__global__ void k(double *d, float *f) { *d = all(*d); *f = allf(*f); }
int main() { return all(0.5) + allf(0.5f) > 100; }
`,
		}
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		o, err := cuda.Parse([]string{"-c", filepath.Join(dir, "m.cu"), "-I", dir, "-o", filepath.Join(dir, "m.o")})
		if err != nil {
			t.Fatal(err)
		}
		var said bytes.Buffer
		if err := c.Build(t.Context(), o, &said, &said); err != nil || said.Len() > 0 {
			t.Errorf("glibc 2.%d, C23 %d: %v\n%s", minor, use, err, &said)
		}
	}
}
