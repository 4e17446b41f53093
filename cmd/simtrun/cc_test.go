package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/needs"
	"github.com/simtrun/simtrun/internal/short"
)

// needsClang skips a test if there is no compiler of CUDA C++.
func needsClang(t *testing.T) {
	t.Helper()
	cudatest.UseCache(t.Setenv)
	if _, err := cuda.Find(); errors.Is(err, cuda.ErrNoClang) {
		needs.Skip(t, "clang")
	}
}

const sines = `//sim:grid 2
//sim:block 64
//sim:arg 0 = iota:128:f32
//sim:arg 1 = zeros:128:f32
//sim:arg 2 = 128
//sim:expect sines_param_1[0:2] == 0 0.84147096
extern "C" __global__ void sines(const float *x, float *y, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n)
		y[i] = sinf(x[i]);
}
`

func cudaFolder(t *testing.T, source string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "k.cu"), []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	return dir
}

// TestCUDAFileRunsWithHeader checks that a CUDA C++ file runs with its own header, and that a fault names its line.
func TestCUDAFileRunsWithHeader(t *testing.T) {
	needsClang(t)
	dir := cudaFolder(t, sines)
	got := simtrunIn(t.Context(), dir, "k.cu")
	if got.code != 0 || !strings.Contains(got.stdout, "1 passed") {
		t.Errorf("%+v", got)
	}
	got = simtrunIn(t.Context(), dir, "run", "k.cu", "--arg", "2=70000", "--grid", "1100", "--expect", "none")
	if got.code != 4 || !strings.Contains(got.stderr, "k.cu:10:") {
		t.Errorf("%+v", got)
	}
}

// TestSeveralCUDAFilesAreLinked checks that device code of several files is linked.
func TestSeveralCUDAFilesAreLinked(t *testing.T) {
	short.Skip(t)
	needsClang(t)
	dir := cudaFolder(t, "//sim:block 4\n//sim:arg 0 = zeros:4:s32\n//sim:expect k_param_0 == 10 11 12 13\n"+
		"extern __device__ int offset;\n__device__ int shifted(int x);\nextern \"C\" __global__ void k(int *p) { p[threadIdx.x] = shifted(threadIdx.x); }\n")
	const other = "__device__ int offset = 10;\nstatic __device__ int sum(int a, int b) { return a + b; }\n__device__ int shifted(int x) { return sum(x, offset); }\n"
	if err := os.WriteFile("other.cu", []byte(other), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"k.cu", "other.cu"}, {"other.cu", "k.cu", "--kernel", "k"}} {
		if got := simtrunIn(t.Context(), dir, args...); got.code != 0 || !strings.Contains(got.stdout, "1 passed") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// TestWrongCUDAShowsMessagesOfClang checks that the user sees clang's messages.
func TestWrongCUDAShowsMessagesOfClang(t *testing.T) {
	short.Alternates(t, 1, 3)
	needsClang(t)
	got := simtrunIn(t.Context(), cudaFolder(t, "__global__ void k() { y = 1; }\n"), "k.cu")
	if got.code != 3 || !strings.HasPrefix(got.stderr, "k.cu:1:23: error: use of undeclared identifier 'y'\n") {
		t.Errorf("%+v", got)
	}
}

// TestMissingClangIsExplained checks that the message says what to install.
func TestMissingClangIsExplained(t *testing.T) {
	dir := cudaFolder(t, sines)
	t.Setenv("SIMTRUN_CLANG", filepath.Join(dir, "clang"))
	for _, args := range [][]string{{"k.cu"}, {"cc", "k.cu"}} {
		got := simtrunIn(t.Context(), dir, args...)
		if got.code != 2 || !strings.Contains(got.stderr, "clang: there is no such file") {
			t.Errorf("%v: %+v", args, got)
		}
	}
}

// TestCCWritesRunnablePTX checks that cc writes PTX that runs.
func TestCCWritesRunnablePTX(t *testing.T) {
	short.Skip(t)
	needsClang(t)
	dir := cudaFolder(t, sines)
	for _, tt := range []struct {
		args []string
		file string
		has  string
	}{
		{[]string{"k.cu", "-o", "a.ptx"}, "a.ptx", ".target sm_80"},
		{[]string{"-ptx", "-arch=sm_90", "k.cu"}, "k.ptx", ".target sm_90"},
		{[]string{"--ptx", "-gencode", "arch=compute_70,code=sm_70", "-gencode=arch=compute_86,code=sm_86", "-O1", "-o", "b.ptx", "k.cu"}, "b.ptx", ".target sm_86"},
	} {
		if got := simtrunIn(t.Context(), dir, append([]string{"cc"}, tt.args...)...); got.code != 0 || got.stdout+got.stderr != "" {
			t.Errorf("%v: %+v", tt.args, got)
			continue
		}
		text, err := os.ReadFile(filepath.Join(dir, tt.file))
		if err != nil || !strings.Contains(string(text), tt.has) {
			t.Errorf("%v: %v, no %q in %s", tt.args, err, tt.has, tt.file)
		}
	}
	got := simtrunIn(t.Context(), dir, "a.ptx", "--grid", "2", "--block", "64", "--arg", "0=iota:128:f32", "--arg", "1=zeros:128:f32", "--arg", "2=128", "--dump", "sines_param_1:f32:2")
	if got.code != 0 || !strings.Contains(got.stdout, "= 0 0.84147096") {
		t.Errorf("%+v", got)
	}
}

// TestInvalidCommandsOfCCAreRefused checks invalid command lines of cc.
func TestInvalidCommandsOfCCAreRefused(t *testing.T) {
	needsClang(t)
	for _, tt := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "simtrun: no file; expected simtrun cc FILE"},
		{[]string{"-rdc=yes", "k.cu"}, 2, "simtrun: -rdc=yes: it is true or false"},
		{[]string{"-dlink", "k.cu"}, 2, "simtrun: -dlink k.cu: it takes objects, which -dc makes of sources"},
		{[]string{"-ptx", "k.cu", "k.cu", "-o", "x"}, 2, "it names the output of one file"},
		{[]string{"-arch=volta", "k.cu"}, 2, "simtrun: -arch volta: expected an architecture such as sm_80"},
		{[]string{"k.cu", "-o"}, 2, "simtrun: -o: it has a value"},
		{[]string{"--nosuch", "k.cu"}, 2, "simtrun: --nosuch: no such option"},
		{[]string{"-ptx", "none.cu"}, 2, "simtrun: no file none.cu\nsee 'simtrun help cc'\n"},
	} {
		got := simtrunIn(t.Context(), cudaFolder(t, sines), append([]string{"cc"}, tt.args...)...)
		if got.code != tt.code || !strings.Contains(got.stderr, tt.says) {
			t.Errorf("%v: %+v", tt.args, got)
		}
	}
}

// arch stores the architecture for which it is compiled, plus 1 if that has architecture-specific features.
const arch = `extern "C" __global__ void k(int *p) {
	*p = __CUDA_ARCH__;
#if defined(__CUDA_ARCH_FEAT_SM90_ALL) || defined(__CUDA_ARCH_FEAT_SM100_ALL)
	*p += 1;
#endif
}
`

// TestRunCompilesForGPU checks the target of a source: the GPU of a flag, a script, the header or the default, and
// the oldest if there are several. --arch, which may have one dash as in nvcc, overrides it.
func TestRunCompilesForGPU(t *testing.T) {
	short.Skip(t)
	needsClang(t)
	dir := cudaFolder(t, arch)
	for name, text := range map[string]string{"header.cu": "//sim:gpu v100\n" + arch, "matrix.cu": "//sim:matrix gpu=h100,a100\n" + arch, "script": "gpu rtx4090\n"} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range []struct{ words, want string }{
		{"k.cu", "901"},
		{"k.cu --gpu v100", "700"},
		{"k.cu --gpu a100", "800"},
		{"k.cu --gpu=h100", "901"},
		{"header.cu", "700"},
		{"header.cu --gpu a100", "800"},
		{"matrix.cu", "800"},
		{"k.cu --script script", "890"},
		{"k.cu -arch=sm_75", "750"},
		{"k.cu -arch sm_90", "900"},
		{"k.cu --arch=sm_86 --gpu a100", "860"},
	} {
		if short.Waits(i, 4) {
			continue // clang takes 0.25 s for each
		}
		got := simtrunIn(t.Context(), dir, append(append([]string{"run"}, strings.Fields(c.words)...), "--block", "1", "--arg", "0=zeros:1:s32", "--dump", "0", "-q")...)
		if got.code != 0 || got.stdout != "p[0:1] s32 = "+c.want+"\n" {
			t.Errorf("%s: %+v, want %s", c.words, got, c.want)
		}
	}
}

// TestNewerGPURunsOlderCode checks that code is compiled for an older GPU, with a note, if the compiler does not know
// the GPU. --arch with such an architecture is an error.
func TestNewerGPURunsOlderCode(t *testing.T) {
	needsClang(t)
	if c, err := cuda.Find(); err != nil || c.Version >= 20 {
		t.Skip("this clang knows the GPU")
	} else {
		t.Setenv("SIMTRUN_CLANG", c.Path)
	}
	dir := cudaFolder(t, arch)
	flags := []string{"--block", "1", "--arg", "0=zeros:1:s32", "--dump", "0", "-q"}
	got := simtrunIn(t.Context(), dir, append([]string{"k.cu", "--gpu", "b200"}, flags...)...)
	if got.code != 0 || got.stdout != "p[0:1] s32 = 900\n" || !strings.Contains(got.stderr, "note: k.cu: the code is compiled for sm_90, and the GPU is sm_100: ") {
		t.Errorf("%+v", got)
	}
	got = simtrunIn(t.Context(), dir, append([]string{"k.cu", "-arch=sm_100a"}, flags...)...)
	if got.code != 2 || !strings.Contains(got.stderr, "-arch=sm_100a: ") || !strings.Contains(got.stderr, "clang 20 or newer is needed") {
		t.Errorf("%+v", got)
	}
}

// TestInputsMayBeQuoted: an input may be quoted, as Meson does with the program to run.
func TestInputsMayBeQuoted(t *testing.T) {
	writeFiles(t, map[string]string{"a prog": ""})
	if err := refuse([]string{`"a prog"`}, false); err != nil {
		t.Error(err)
	}
	if err := refuse([]string{`"no prog"`}, false); err == nil {
		t.Error("a missing file is accepted")
	}
}
