package cuda_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/cudatest"
	"github.com/simtrun/simtrun/internal/short"
)

// Helpers that the tests of this package share with those of cuda/programs.
var (
	compiler      = cudatest.Compiler
	driverLibrary = cudatest.Library
	build         = cudatest.Build
	tryBuild      = cudatest.TryBuild
	execute       = cudatest.Execute
	executeIn     = cudatest.ExecuteIn
	modes         = cudatest.Modes
)

// TestSourcesOfAllLanguagesLink checks that sources of CUDA C++, C++ and C are compiled to objects and linked, in one
// step and in several. A C++ standard does not apply to C.
func TestSourcesOfAllLanguagesLink(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	library := driverLibrary(t)
	folder, dir := "testdata/several", t.TempDir()
	sources := []string{filepath.Join(folder, "main.cpp"), filepath.Join(folder, "first.cu"), filepath.Join(folder, "second.cu"), filepath.Join(folder, "plain.c")}
	program := filepath.Join(dir, "once")
	build(t, append([]string{"-I", folder, "-DFACTOR=3", "-O1", "-std=c++17", "-o", program}, sources...)...)
	if got := execute(t, library, program); got != "first 3 second 7 plain 5\n" {
		t.Errorf("printed %q", got)
	}
	if testing.Short() {
		return
	}
	var objects []string
	for _, source := range sources {
		object := filepath.Join(dir, filepath.Base(source)+".o")
		build(t, "-c", "-I"+folder, "-DFACTOR=4", source, "-o", object)
		objects = append(objects, object)
	}
	program = filepath.Join(dir, "twice")
	build(t, append([]string{"-o", program, "-lm", "-lcudart"}, objects...)...)
	if got := execute(t, library, program); got != "first 4 second 8 plain 5\n" {
		t.Errorf("printed %q", got)
	}
}

// TestXOptionSetsLanguage checks that -x sets the language of sources, but not of linked files.
func TestXOptionSetsLanguage(t *testing.T) {
	library, dir := driverLibrary(t), t.TempDir()
	for name, text := range map[string]string{
		"main.cpp": "#include <cstdio>\nint twice(int);\n__global__ void k(int *p) { *p = 21; }\nint main() { int *p; cudaMallocManaged(&p, 4); k<<<1, 1>>>(p); cudaDeviceSynchronize(); printf(\"%d\\n\", twice(*p)); }\n",
		"twice.c":  "int twice(int x) { return 2 * x; }\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	program, object := filepath.Join(dir, "program"), filepath.Join(dir, "twice.o")
	build(t, "-c", "-x", "c++", filepath.Join(dir, "twice.c"), "-o", object)
	build(t, "-x", "cu", filepath.Join(dir, "main.cpp"), object, "-lm", "-o", program)
	if got := execute(t, library, program); got != "42\n" {
		t.Errorf("printed %q", got)
	}
}

// TestOldCWarns checks that what C before 1999 permits, and mixed types of pointers, are warnings, and errors with
// -Werror.
func TestOldCWarns(t *testing.T) {
	dir := t.TempDir()
	source, object := filepath.Join(dir, "old.c"), filepath.Join(dir, "old.o")
	text := "twice(x) int x; { return 2 * x; }\nint four(void) { return thrice(1) + strlen(\"x\"); }\n" +
		"int address(int *p) { int a = p; return a; }\nvoid f(int *); void (*g)(char *) = f;\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for option, severity := range map[string]string{"-w": "", "-Wall": "warning", "-std=gnu11": "warning", "-Werror": "error"} {
		messages, err := tryBuild(t, "-c", "-Xcompiler", option, source, "-o", object)
		if (err != nil) != (severity == "error") {
			t.Errorf("%s: %v\n%s", option, err, messages)
		}
		for _, place := range []string{"1:1", "2:25", "2:37", "3:27", "4:23"} {
			if strings.Contains(messages, "old.c:"+place+": "+cmp.Or(severity, "warning")) != (severity != "") {
				t.Errorf("%s: messages about %s are not %q:\n%s", option, place, severity, messages)
			}
		}
	}
}

// TestErrorOnEitherSideStopsOther checks that an error in the code of one side is reported, and stops the other side's
// compiler, whether it has begun to read the PTX or not. A source without kernels does not read the PTX.
func TestErrorOnEitherSideStopsOther(t *testing.T) {
	short.Alternates(t, 2, 3)
	dir := t.TempDir()
	large := "__device__ int large[] = {" + strings.Repeat("1234567,", 40000) + "};\n" // more than a pipe's buffer
	for i, c := range []struct{ name, text, message string }{
		{"device", "#ifdef __CUDA_ARCH__\n#error on the device\n#endif\nint main() {}\n", "on the device"},
		{"host", large + "#ifndef __CUDA_ARCH__\n#error on the host\n#endif\nint main() {}\n", "on the host"},
		{"neither", "int main() {}\n", ""},
		{"large", large + "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n", ""},
	} {
		if short.Skips(i) {
			continue
		}
		source := filepath.Join(dir, c.name+".cu")
		if err := os.WriteFile(source, []byte(c.text), 0o666); err != nil {
			t.Fatal(err)
		}
		messages, err := tryBuild(t, source, "-o", filepath.Join(dir, c.name))
		if (err != nil) != (c.message != "") || !strings.Contains(messages, c.message) || c.message == "" && messages != "" {
			t.Errorf("%s: %v\n%s", c.name, err, messages)
		}
	}
}

// TestProgramStartsWithoutDriver checks that a program starts without a driver, and reports what is missing when it
// calls the runtime.
func TestProgramStartsWithoutDriver(t *testing.T) {
	short.Alternates(t, 0, 3)
	program := filepath.Join(t.TempDir(), "program")
	build(t, "programs/testdata/programs/vector_add.cu", "-o", program)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+t.TempDir())
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "simtrun: no CUDA driver") || !strings.Contains(string(out), "\n  start the program with: simtrun host "+program+"\n") || !strings.Contains(string(out), "cudaErrorInsufficientDriver") {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestHeaderLibrariesNeedNoLinking checks that a library that has only a header is not required by the linker.
func TestHeaderLibrariesNeedNoLinking(t *testing.T) {
	short.Alternates(t, 0, 3)
	build(t, "programs/testdata/programs/vector_add.cu", "-lcurand", "-lnvToolsExt", "-o", filepath.Join(t.TempDir(), "program"))
}

// TestRuntimeCompilesWithoutWarnings checks that the runtime compiles without warnings.
func TestRuntimeCompilesWithoutWarnings(t *testing.T) {
	short.Alternates(t, 2, 3)
	c := compiler(t)
	sources, err := filepath.Glob("rt/*.c")
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude"}
	if out, err := exec.Command(c.Path, append(args, sources...)...).CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestNVCCMacroCanBeUndefined checks that __NVCC__ is defined on both sides, and on neither on request.
func TestNVCCMacroCanBeUndefined(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	dir := t.TempDir()
	source := filepath.Join(dir, "named.cu")
	const text = "#if defined(WITHOUT) == defined(__NVCC__) || !defined(__CUDACC__)\n#error other than asked for\n#endif\n__global__ void k() {}\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	build(t, "-c", source, "-o", filepath.Join(dir, "named.o"))
	build(t, "-c", "-DWITHOUT", "-DSIMTRUN_NO_NVCC", source, "-o", filepath.Join(dir, "named.o"))
}

// TestAlignasMayFollowShared checks alignas after __shared__; clang's message differs between names of types and
// keywords.
func TestAlignasMayFollowShared(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	dir := t.TempDir()
	source, output := filepath.Join(dir, "aligned.cu"), filepath.Join(dir, "aligned.ptx")
	const text = "#include <cuda_fp16.h>\n__global__ void k(half *o) {\n\t__shared__ alignas(128) half v[2];\n\tv[threadIdx.x] = o[0];\n\t__syncthreads();\n\to[1] = v[1];\n}\n" +
		"template <class T, int n> __global__ void of(T *o) {\n\t__shared__ alignas(T) char v[64];\n\t__shared__ alignas(n) char w[64];\n\tv[threadIdx.x] = w[threadIdx.x] = 1;\n\t" +
		"__syncthreads();\n\t*o = *(T *)(v + o->x) + *(T *)(w + o->x);\n}\n" +
		"struct alignas(32) wide { int x; __device__ wide operator+(wide o) { return {x + o.x}; } };\ntemplate __global__ void of<wide, 64>(wide *);\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	build(t, "-ptx", source, "-o", output)
	ptx, err := os.ReadFile(output)
	for _, align := range []string{"128", "32", "64"} { // of v; of a type, of a template argument
		if err != nil || !bytes.Contains(ptx, []byte(".shared .align "+align+" ")) {
			t.Errorf("no alignment by %s: %v\n%s", align, err, ptx)
		}
	}
}

// TestMacrosOfOneLetterDoNotReachHeaders compiles a kernel with each letter as a macro, by the compiler's options. The
// kernel has to be preprocessed, for its alignas.
func TestMacrosOfOneLetterDoNotReachHeaders(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	source := filepath.Join(t.TempDir(), "letters.cu")
	if err := os.WriteFile(source, []byte("__global__ void sum(int *out) {\n\t__shared__ alignas(64) int first[2];\n\tfirst[0] = *out;\n\tout[first[0]] = A + z;\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	args := []string{"-ptx", source, "-o", source + ".ptx"}
	for letter := 'A'; letter <= 'Z'; letter++ {
		args = append(args, fmt.Sprintf("-D%c=%d", letter, letter), fmt.Sprintf("-D%c=%d", letter|' ', letter))
	}
	build(t, args...)
	if ptx, err := os.ReadFile(source + ".ptx"); err != nil || !bytes.Contains(ptx, []byte(", 155;")) { // 65 and 90
		t.Errorf("%v\n%s", err, ptx)
	}
}

// TestHostProgramsIncludeHeaders checks that C and C++ programs include the headers without warnings, with any
// compiler, and cuda.h within extern "C", too.
func TestHostProgramsIncludeHeaders(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	c := compiler(t)
	const text = "#include <cuda.h>\n#include <cuda_runtime.h>\n#include <cuComplex.h>\n#include <math_constants.h>\n#include <curand_kernel.h>\n#include <cublas_v2.h>\n#include <cublasLt.h>\n" +
		"#ifdef __cplusplus\n#include <cuda_fp16.h>\n#include <cuda_bf16.h>\ncurandState *states;\n#endif\n" +
		"int main(void) { dim3 d = {1, 2, 3}; float4 v = make_float4(1, 2, 3, 4); return (int)(d.x + v.x) + (int)cudaDeviceSynchronize(); }\n"
	for _, in := range [][2]string{{"c", text}, {"c++", text}, {"c++", "extern \"C\" {\n#include <cuda.h>\n}\n" + text}} {
		cmd := exec.Command(c.Path, "-x", in[0], "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-Iinclude", "-")
		cmd.Stdin = strings.NewReader(in[1])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", in[0], err, out)
		}
	}
}

// TestOpenMPHostCodeRuns checks that a program with OpenMP in its host code is built and runs, with and without clang's
// library, and when linked with GCC's.
func TestOpenMPHostCodeRuns(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 0, 3)
	library, dir := driverLibrary(t), t.TempDir()
	source, program := filepath.Join(dir, "omp.cu"), filepath.Join(dir, "omp")
	const text = "#include <cstdio>\n#include <omp.h>\n__global__ void k() {}\n" +
		"int main() {\n\tint n = 0;\n\tk<<<1, 1>>>();\n#pragma omp parallel for reduction(+ : n)\n\tfor (int i = 0; i < 10; i++)\n\t\tn += i;\n" +
		"\tprintf(\"%d %d\\n\", n, omp_get_max_threads() > 0);\n}\n"
	if err := os.WriteFile(source, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{source, "-o", program}, {"-c", source, "-o", program + ".o"}} {
		if messages, err := tryBuild(t, append(args, "-Xcompiler", "-fopenmp")...); err != nil {
			t.Fatalf("%v\n%s", err, messages)
		}
	}
	build(t, program+".o", "-lgomp", "-o", program+"2")
	for _, program := range []string{program, program + "2"} {
		if got := execute(t, library, program); got != "45 1\n" {
			t.Errorf("%s: printed %q", program, got)
		}
	}
}

// TestHeadersNeedNoCacheFolder checks that the headers are in the folder for temporary files if the user's cache is not
// writable.
func TestHeadersNeedNoCacheFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other systems have other variables")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	temporary := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", file)
	t.Setenv("TMPDIR", temporary)
	folder, err := cuda.Folder()
	if err != nil || !strings.HasPrefix(folder, temporary) {
		t.Fatal(folder, err)
	}
	if _, err := os.Stat(filepath.Join(folder, "include", "cuda_runtime.h")); err != nil {
		t.Error(err)
	}
}

// TestVersionIsThatOfHeaders checks that the text has the version of the headers, in the words that build systems look
// for.
func TestVersionIsThatOfHeaders(t *testing.T) {
	text, err := tryBuild(t, "--version")
	header, _ := os.ReadFile("include/simtrun/version.h")
	if err != nil || !strings.Contains(text, "release 12.8, V12.8") || !strings.Contains(string(header), "CUDA_VERSION 12080") {
		t.Errorf("%v %s", err, text)
	}
}

// TestMissingLibrariesAreExplained checks the messages about missing libraries, by header and by linker argument, about
// one that is not built, and about launches from kernels.
func TestMissingLibrariesAreExplained(t *testing.T) {
	short.Alternates(t, 2, 3)
	t.Setenv("LD_LIBRARY_PATH", "")
	source := filepath.Join(t.TempDir(), "a.cu")
	for i, tt := range []struct{ text, option, want string }{
		{"#include <cusolverDn.h>\n", "-c", "cusolverDn.h: simtrun does not have this library of NVIDIA's"},
		{"int main() {}\n", "-lcublasLt", "libcublasLt.so is not there; make -C cuda in simtrun's sources builds it"},
		{"#include <curand.h>\nint main() { return curandDestroyGenerator(nullptr); }\n", "-g", "curandDestroyGenerator needs the option -lcurand, as with nvcc"},
		{"#include <omp.h>\nint main() { return omp_get_num_threads(); }\n", "-g", "omp_get_num_threads needs the option -Xcompiler -fopenmp, as with nvcc"},
		{"int main() {}\n", "-lcusparse", "cusparse: simtrun does not have this library of NVIDIA's"},
		{"__global__ void child() {}\n__global__ void parent() { child<<<1, 1>>>(); }\n", "-c", "kernels that launch kernels (dynamic parallelism) are not supported"},
		{"template <int> __global__ void child() {}\n__device__ void parent() { child<3><<<1, 1>>>(); }\n", "-c", "kernels that launch kernels (dynamic parallelism) are not supported"},
		{"#include <other.h>\n", "-c", "exit status 1"},
	} {
		if short.Skips(i) {
			continue
		}
		if err := os.WriteFile(source, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		_, err := tryBuild(t, source, tt.option, "-o", filepath.Join(t.TempDir(), "a"))
		if failed := (*cuda.CompileError)(nil); !errors.As(err, &failed) || !strings.HasSuffix(err.Error(), tt.want) {
			t.Errorf("%q %s: %v, want %s", tt.text, tt.option, err, tt.want)
		}
	}
}
