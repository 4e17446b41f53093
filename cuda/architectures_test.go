package cuda_test

import (
	"os"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/short"
)

// otherClangs selects the tests that run with each tested version of clang: at least one for each file of kernels,
// and those of the interface between host and device code, and of differences between versions. With SIMTRUN_CLANG
// all tests run with one version.
var otherClangs = []string{"Indices", "OnePercent", "Shared", "Aggregate", "Warp", "Atomics", "Integers", "Overloads", "Functions", "Halves",
	"Groups", "System", "Copies", "Textures", "RelocatableNames", "NotSupported"}

// TestEveryTestedClangPasses runs tests with each version of clang that Find prefers, except the one that the other
// tests use. If tests take turns, an eighth of them runs with each commit.
func TestEveryTestedClangPasses(t *testing.T) {
	short.Skip(t)
	tests := otherClangs
	if testing.Short() {
		tests = []string{"Textures", "NotSupported"}
	}
	cudatest.WithOtherClangs(t, nowOf(tests))
}

// nowOf returns a pattern of the tests whose turn it is.
func nowOf(tests []string) string {
	var now []string
	for i, name := range tests {
		if !short.Waits(i, 8) {
			now = append(now, name)
		}
	}
	return "^Test(" + strings.Join(now, "|") + ")$"
}

// TestOlderClangCompilesTests runs tests of what clang 15 to 17 compile with one of them: code that they must not move,
// and textures. If tests take turns, an eighth of them runs with each commit.
func TestOlderClangCompilesTests(t *testing.T) {
	if os.Getenv("SIMTRUN_CLANG") != "" {
		t.Skip("SIMTRUN_CLANG names the clang")
	}
	tests := []string{"OnePercent", "Aggregate", "Warp", "Textures"}
	if testing.Short() {
		tests = []string{"Warp"}
	}
	cudatest.WithClang(t, 16, nowOf(tests))
}

// TestNewerClangHeadersDoNotConflict checks that functions that the headers of a newer clang define, too, are not
// redefinitions, and that calls use simtrun's.
func TestNewerClangHeadersDoNotConflict(t *testing.T) {
	short.Alternates(t, 2, 3)
	library := driverLibrary(t)
	t.Chdir(writeSources(t, map[string]string{
		"newer.h": `inline __device__ int __ldcg(const int *p) { return -1; }
extern "C" __device__ inline int mulhi(int a, int b) { return -1; }
static __device__ inline int __dp4a(int a, int b, int c) { return -1; }
inline __host__ __device__ unsigned __vimax3_u32(unsigned a, unsigned b, unsigned c) { return -1; }
inline __device__ int atomicAdd(int *p, int v) { return -1; }
`,
		"newer.cu": `__global__ void k(int *p) {
	p[0] = __ldcg(p + 5) + mulhi(1 << 20, 1 << 20) + __dp4a(0x01010101, 0x02020202, 1) + (int)__vimax3_u32(1, 2, 3) + atomicAdd(p + 6, 2);
}
int main() {
	int *p;
	cudaMallocManaged(&p, 32);
	p[5] = 10000, p[6] = 1000;
	k<<<1, 1>>>(p);
	return cudaDeviceSynchronize() || p[0] != 10000 + 256 + 9 + 3 + 1000 || p[6] != 1002;
}
`}))
	build(t, "newer.cu", "-include", "newer.h", "-DSIMTRUN_NEWEST_CLANG=1", "-o", "newer")
	execute(t, library, "./newer")
}

// A program that uses the value of __CUDA_ARCH__ in kernels and device functions without #ifdef, and a helper that
// only device code has.
const architectureProgram = `#include <cstdio>
#ifdef __CUDA_ARCH__
__device__ int helper() { return 1; }
#endif
static_assert(sizeof("__CUDA_ARCH__") == 14, "");
__device__ int half() { return __CUDA_ARCH__ / 2; }
template <int N> __device__ int twice() { return 2 * N; }
__global__ void __launch_bounds__(32) k(int *out) {
	static_assert(__CUDA_ARCH__ >= 700, "");
	const char *text = R"(} unbalanced " )";
	if (text[0] == '}')
		*out = half() + twice<__CUDA_ARCH__>() / 4 + helper() - 1;
}
template <class T> __global__ void other(T *out);
template <class T> __global__ void other(T *out) { *out = __CUDA_ARCH__ + 1'000; }
int main() {
	int *d, h[2] = {};
	cudaMalloc(&d, 8);
	k<<<1, 1>>>(d);
	other<<<1, 1>>>(d + 1);
	cudaMemcpy(h, d, 8, cudaMemcpyDeviceToHost);
	printf("%d %d\n", h[0], h[1]);
}
`

// TestEveryArchitectureIsKept checks that a program has code for each of several architectures, that the driver loads
// the newest that the GPU runs, and that the host compilation ignores the bodies of kernels.
func TestEveryArchitectureIsKept(t *testing.T) {
	short.Skip(t)
	library := driverLibrary(t)
	t.Chdir(writeSources(t, map[string]string{"arch.cu": architectureProgram}))
	several := []string{"-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_80,code=[sm_80,compute_80]", "--generate-code", "arch=compute_90,code=sm_90"}
	for i, options := range [][]string{several, {"-rdc=true", "--offload-arch=sm_70,sm_80,sm_90"}} {
		if short.Skips(i) || short.Waits(i, 3) {
			continue
		}
		build(t, append(options, "arch.cu", "-o", "arch")...)
		for name, want := range map[string]string{"v100": "700 1700\n", "a100": "800 1800\n", "a6000": "800 1800\n", "h100": "900 1900\n", "b200": "900 1900\n"} {
			if got := executeIn(t, []string{"LD_LIBRARY_PATH=" + library, cuda.EnvGPU + "=" + name}, "./arch"); got != want {
				t.Errorf("%v, %s: printed %q, want %q", options, name, got, want)
			}
		}
	}
	if short.Waits(2, 3) {
		return
	}
	build(t, append(several, "-fatbin", "arch.cu", "-o", "arch.fatbin")...)
	if file, err := os.ReadFile("arch.fatbin"); err != nil || strings.Count(string(file), ".target sm_") != 3 {
		t.Errorf("the fat binary has %d targets (%v)", strings.Count(string(file), ".target sm_"), err)
	}
}

// TestHostCodeHasNoArchitecture checks that host code that uses __CUDA_ARCH__, or another undeclared name, is still an
// error, in the words of the source.
func TestHostCodeHasNoArchitecture(t *testing.T) {
	short.Skip(t)
	for i, tt := range []struct{ text, want string }{
		{"int main() { return __CUDA_ARCH__; }\n", "a.cu:1:21: error: "},
		{"__global__ void k(int *p) { *p = missing; }\nint main() {}\n", "a.cu:1:34: error: use of undeclared identifier 'missing'"},
		{"#define CALL missing()\nint main() {\n\treturn CALL;\n}\n", "expanded from macro 'CALL'"},
		{"__global__ void k(int *p) { *p = __CUDA_ARCH__; }\nint main() { k(); }", "a.cu:2:"},
	} {
		if short.Skips(i) || short.Waits(i, 4) {
			continue
		}
		t.Chdir(writeSources(t, map[string]string{"a.cu": tt.text}))
		if messages, err := tryBuild(t, "a.cu", "-o", "a"); err == nil || !strings.Contains(messages, tt.want) {
			t.Errorf("%s%v\n%s", tt.text, err, messages)
		}
	}
}
