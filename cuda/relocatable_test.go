package cuda_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/internal/short"
)

const relocatableFolder = "testdata/relocatable"

// TestRelocatableCodeLinks checks device code of several files, of a static library, and of an ordinary object,
// compiled and linked in one step, in several, and linked by a compiler without knowledge of CUDA.
func TestRelocatableCodeLinks(t *testing.T) {
	short.Alternates(t, 1, 3)
	if testing.Short() {
		t.Skip("runs clang many times; TestLinkErrorsNameTheirFiles links objects")
	}
	library, dir := driverLibrary(t), t.TempDir()
	in := func(names ...string) []string {
		for i, name := range names {
			names[i] = filepath.Join(dir, name)
		}
		return names
	}
	for _, name := range []string{"add", "multiply"} {
		build(t, "-dc", filepath.Join(relocatableFolder, name+".cu"), "-odir", dir)
	}
	archive := filepath.Join(dir, "libops.a")
	build(t, append(in("add.o", "multiply.o"), "-lib", "-o", archive)...)
	build(t, "-c", filepath.Join(relocatableFolder, "ordinary.cu"), "-odir", dir)

	var sources, objects []string
	for _, name := range []string{"main", "tables", "shapes"} {
		sources = append(sources, filepath.Join(relocatableFolder, name+".cu"))
		objects = append(objects, in(name+".o")...)
		build(t, "-rdc=true", "-c", sources[len(sources)-1], "-odir", dir)
	}
	objects = append(objects, in("ordinary.o")...)

	check := func(program string, modes ...string) {
		t.Helper()
		for _, mode := range modes {
			mode = strings.Replace(mode, "race,api", "race", 1) // a constructor copies before its variables exist, and fails
			if got := executeIn(t, []string{"LD_LIBRARY_PATH=" + library, mode}, program); got != "calls 12\nok\n" {
				t.Errorf("%s: printed %q", mode, got)
			}
		}
	}
	program := in("once")[0]
	build(t, append(append(sources, in("ordinary.o")...), "-rdc=true", "-L"+dir, "-lops", "-o", program)...)
	check(program, modes...)

	program = in("steps")[0]
	build(t, append([]string{archive, "-o", program}, objects...)...) // a library before the object that needs it
	check(program, "")

	program = in("linked")[0]
	build(t, append(objects, archive, "-dlink", "-o", in("link.o")[0])...)
	args := append(objects, in("link.o")[0], archive, "-L"+library, "-lcudart", "-lm", "-o", program)
	if out, err := exec.Command("c++", args...).CombinedOutput(); err != nil {
		t.Fatalf("c++: %v\n%s", err, out)
	}
	check(program, "")
}

// writeSources writes sources by name.
func writeSources(t *testing.T, texts map[string]string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestLinkErrorsNameTheirFiles checks that linking reports undefined and duplicate names with their files, and that a
// fault names the line in its file.
func TestLinkErrorsNameTheirFiles(t *testing.T) {
	short.Alternates(t, 2, 3)
	library := driverLibrary(t)
	dir := writeSources(t, map[string]string{
		"user.cu": "extern __device__ int number;\n__device__ int twice(int x);\n__device__ void put(int *p);\n" +
			"__global__ void k(int *p) { *p = twice(number); }\n__global__ void fault() { put(nullptr); }\n" +
			"int main() {\n\tfault<<<1, 1>>>();\n\treturn cudaDeviceSynchronize() == cudaErrorLaunchFailure || cudaGetLastError() != cudaSuccess ? 0 : 1;\n}\n",
		"first.cu":  "__device__ int number = 1;\n__device__ int twice(int x) { return x + x; }\n",
		"second.cu": "__device__ int twice(int x) { return 2 * x; }\n__device__ void put(int *p) {\n\t*p = 1;\n}\n",
		"third.cu":  "__device__ void put(int *p) {\n\t*p = 1;\n}\n",
	})
	path := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"user", "first", "second", "third"} {
		build(t, "-dc", path(name+".cu"), "-o", path(name+".o"))
	}
	for _, tt := range []struct {
		objects []string
		want    []string
	}{
		{[]string{"user.o", "third.o"}, []string{"user.o", "undefined reference to `twice(int)", "undefined reference to `number.device'"}},
		{[]string{"user.o", "first.o", "second.o"}, []string{"second.o", "multiple definition of `twice(int)", "first.o", "first defined here"}},
	} {
		args := []string{"-o", path("program")}
		for _, object := range tt.objects {
			args = append(args, path(object))
		}
		messages, err := tryBuild(t, args...)
		if err == nil {
			t.Errorf("%v: linked", tt.objects)
		}
		for _, want := range tt.want {
			if !strings.Contains(messages, want) {
				t.Errorf("%v: no %q in:\n%s", tt.objects, want, messages)
			}
		}
	}
	build(t, path("user.o"), path("first.o"), path("third.o"), "-o", path("program"))
	if got := execute(t, library, path("program")); !strings.Contains(got, filepath.Join(dir, "third.cu")+":2:") {
		t.Errorf("printed %q", got)
	}
}

// TestFilesOfSameNameAreDistinct checks that files of the same name, and a file compiled twice, are distinguished.
func TestFilesOfSameNameAreDistinct(t *testing.T) {
	short.Alternates(t, 2, 3)
	if testing.Short() {
		t.Skip("runs clang many times; TestLinkErrorsNameTheirFiles links objects")
	}
	library := driverLibrary(t)
	const part = "static __device__ int value = VALUE;\nstatic __global__ void add() { value += VALUE; }\n" +
		"int NAME() {\n\tint v = 0;\n\tadd<<<1, 1>>>();\n\treturn cudaMemcpyFromSymbol(&v, value, sizeof(v)) == cudaSuccess ? v : -1;\n}\n"
	dir := writeSources(t, map[string]string{
		"a/part.cu": part, "b/part.cu": part,
		"main.cu": "#include <cstdio>\nint one();\nint two();\nint three();\nint main() { printf(\"%d %d %d\\n\", one(), two(), three()); }\n",
	})
	t.Chdir(filepath.Join(dir, "a"))
	build(t, "-dc", "-DNAME=one", "-DVALUE=1", "part.cu", "-o", "../one.o")
	build(t, "-dc", "-DNAME=two", "-DVALUE=2", "part.cu", "-o", "../two.o")
	t.Chdir(filepath.Join(dir, "b"))
	build(t, "-dc", "-DNAME=three", "-DVALUE=3", "part.cu", "-o", "../three.o")
	build(t, "-rdc=true", "../main.cu", "../one.o", "../two.o", "../three.o", "-o", "program")
	if got := execute(t, library, "./program"); got != "2 4 6\n" {
		t.Errorf("printed %q", got)
	}
}

// TestSharedLibrariesLinkSeparately checks that the code of a shared library is linked separately from that of the
// program, which has other functions of the same names.
func TestSharedLibrariesLinkSeparately(t *testing.T) {
	short.Alternates(t, 0, 3)
	if testing.Short() {
		t.Skip("runs clang many times; TestLinkErrorsNameTheirFiles links objects")
	}
	library := driverLibrary(t)
	const (
		user = "__device__ int number();\n#define JOIN(a, b) a##b\n#define KERNEL(f) JOIN(f, Kernel)\n" +
			"__global__ void KERNEL(FUNCTION)(int *p) { *p = number(); }\n" +
			"int FUNCTION() {\n\tint *d, h = 0;\n\tcudaMalloc(&d, sizeof(h));\n\tKERNEL(FUNCTION)<<<1, 1>>>(d);\n\tcudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);\n\tcudaFree(d);\n\treturn h;\n}\n"
		number = "__device__ int number() { return NUMBER; }\n"
	)
	dir := writeSources(t, map[string]string{"user.cu": user, "number.cu": number,
		"main.cu": "#include <cstdio>\nint one();\nint two();\nint main() { printf(\"%d %d\\n\", one(), two()); }\n"})
	path := func(name string) string { return filepath.Join(dir, name) }
	build(t, "-rdc=true", "-shared", "-Xcompiler", "-fPIC", "-DFUNCTION=one", "-DNUMBER=1", path("user.cu"), path("number.cu"), "-o", path("libone.so"))
	build(t, "-rdc=true", "-DFUNCTION=two", "-DNUMBER=2", path("main.cu"), path("user.cu"), path("number.cu"), path("libone.so"), "-Xlinker", "-rpath="+dir, "-o", path("program"))
	if got := execute(t, library, path("program")); got != "1 2\n" {
		t.Errorf("printed %q", got)
	}
	if messages, err := tryBuild(t, "-rdc=true", "-shared", "-Xcompiler", "-fPIC", "-DFUNCTION=one", path("user.cu"), "-o", path("libtwo.so")); err == nil || !strings.Contains(messages, "number()") {
		t.Errorf("%v %s", err, messages)
	}
}

// TestRelocatablePTXKeepsForeignNames checks that PTX refers to names of other files, and that they are kept.
func TestRelocatablePTXKeepsForeignNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tables.ptx")
	build(t, "-rdc=true", filepath.Join(relocatableFolder, "tables.cu"), "-o", file)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{".extern .func  (.param .b32 func_retval0) _Z3addii", ".visible .global .align 4 .u32 calls = 1;", ".visible .const .align 4 .b8 weights[16];"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %q", want)
		}
	}
}

// TestRelocatableOptionsSelectProduct checks the options for relocatable code.
func TestRelocatableOptionsSelectProduct(t *testing.T) {
	for _, tt := range []struct {
		args        string
		product     cuda.Product
		relocatable bool
	}{
		{"-rdc=true a.cu", cuda.Program, true},
		{"--relocatable-device-code true a.cu", cuda.Program, true},
		{"-rdc true -c a.cu", cuda.Object, true},
		{"-fgpu-rdc -c a.cu", cuda.Object, true},
		{"-fgpu-rdc -fno-gpu-rdc -c a.cu", cuda.Object, false},
		{"-dc a.cu", cuda.Object, true},
		{"--device-c a.cu", cuda.Object, true},
		{"-dw a.cu", cuda.Object, false},
		{"-rdc=false a.cu", cuda.Program, false},
		{"-dlink a.o", cuda.DeviceLinked, false},
		{"--device-link -rdc=true a.o", cuda.DeviceLinked, true},
		{"-lib a.o -o a.a", cuda.StaticLibrary, false},
	} {
		o, err := cuda.Parse(strings.Fields(tt.args))
		if err != nil || o.Product != tt.product || o.Relocatable != tt.relocatable {
			t.Errorf("%s: %v, %+v", tt.args, err, o)
		}
	}
	for _, args := range []string{"-rdc=maybe a.cu", "-rdc"} {
		if _, err := cuda.Parse(strings.Fields(args)); err == nil {
			t.Errorf("%s: taken", args)
		}
	}
	if _, err := tryBuild(t, "-dlink", "a.cu"); err == nil || !strings.Contains(err.Error(), "it takes objects") {
		t.Errorf("-dlink a.cu: %v", err)
	}
}

// TestFilesShareTextureReferences checks that files share texture references, and can have static ones of the same
// name.
func TestFilesShareTextureReferences(t *testing.T) {
	short.Alternates(t, 0, 3)
	if testing.Short() {
		t.Skip("runs clang many times; TestLinkErrorsNameTheirFiles links objects")
	}
	library := driverLibrary(t)
	dir := writeSources(t, map[string]string{
		"main.cu": `#include <cstdio>
texture<float, 1> values;
static texture<int, 1> own;
extern __device__ float other(int i);
void bindOther(const int *p);
__global__ void sum(float *out) { int i = threadIdx.x; out[i] = tex1Dfetch(values, i) + tex1Dfetch(own, i) + other(i); }
int main() {
	float f[32], *values_, *out;
	int n[64], *own_;
	for (int i = 0; i < 32; i++)
		f[i] = i, n[i] = 100 * i, n[32 + i] = 10000 * i;
	cudaMalloc(&values_, 128), cudaMalloc(&out, 128), cudaMalloc(&own_, 1024);
	cudaMemcpy(values_, f, 128, cudaMemcpyHostToDevice);
	cudaMemcpy(own_, n, 128, cudaMemcpyHostToDevice);
	cudaMemcpy(own_ + 128, n + 32, 128, cudaMemcpyHostToDevice);
	cudaBindTexture(0, values, values_, 128);
	cudaBindTexture(0, own, own_, 128);
	bindOther(own_ + 128);
	sum<<<1, 32>>>(out);
	cudaMemcpy(f, out, 128, cudaMemcpyDeviceToHost);
	for (int i = 0; i < 32; i++)
		if (f[i] != 3 * i + 100 * i + 10000 * i)
			printf("%d: %g\n", i, f[i]);
	puts(cudaGetErrorName(cudaGetLastError()));
}
`,
		"other.cu": `extern texture<float, 1> values;
static texture<int, 1> own;
__device__ float other(int i) { return 2 * tex1Dfetch(values, i) + tex1Dfetch(own, i); }
void bindOther(const int *p) { cudaBindTexture(0, own, p, 128); }
`})
	program := filepath.Join(dir, "program")
	for _, order := range [][]string{{"main.cu", "other.cu"}, {"other.cu", "main.cu"}} {
		build(t, "-rdc=true", filepath.Join(dir, order[0]), filepath.Join(dir, order[1]), "-o", program)
		if got := execute(t, library, program); got != "cudaSuccess\n" {
			t.Errorf("%v: printed %q", order, got)
		}
	}
}
