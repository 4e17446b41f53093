package cuda_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// TestFailedCallsAreNamedByLine: --check api names a failed call of the runtime by its line, its function, and the
// error that the program gets from it, as cudaGetErrorName has it; and kernels as they are called in the source.
func TestFailedCallsAreNamedByLine(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 2, 3)
	library, dir := driverLibrary(t), t.TempDir()
	calls := []struct{ call, function, reason string }{
		{"cudaFree((void *)0x1234)", "cudaFree", "nothing is allocated at 0x1234"},
		{"cudaFree(d + 1)", "cudaFree", "is byte 4 of allocation 1"},
		{"cudaFreeHost(d)", "cudaFreeHost", "which this call does not free"},
		{"cudaMemcpy(h, d, 4096, cudaMemcpyDeviceToHost)", "cudaMemcpy", "which has only 400 bytes"},
		{"cudaMemset(d, 0, 404)", "cudaMemset", "which has only 400 bytes"},
		{"cudaMalloc(&p, 1ull << 50)", "cudaMalloc", "of the GPU's memory are free, not 1125899906842624 bytes"},
		{"cudaSetDevice(77)", "cudaSetDevice", "device 77; the devices are 0 to 0"},
		{"cudaMemcpy(d, h, 400, cudaMemcpyDeviceToHost)", "cudaMemcpy", " is in the GPU's memory, and the call copies from or to the host's"},
		{"cudaMemcpy(d, h, 400, (cudaMemcpyKind)9)", "cudaMemcpy", "kind 9; the kinds are 0"},
		{"cudaMemcpy2D(d, 8, h, 8, 16, 4, cudaMemcpyHostToDevice)", "cudaMemcpy2D", "rows of 16 bytes, with a pitch of 8 and 8 bytes"},
		{"cudaMemcpyToSymbol(table, h, 400)", "cudaMemcpyToSymbol", "400 bytes at byte 0 of a variable, which has only 16 bytes"},
		{"(cudaEventCreate(&e), cudaEventElapsedTime(&ms, e, e))", "cudaEventElapsedTime", "an event was not recorded"},
		{"(cudaHostRegister(h, 400, 0), cudaHostRegister(h, 400, 0))", "cudaHostRegister", " is in registered memory"},
		{"cudaLaunchCooperativeKernel((void *)twice<int>, 1 << 20, 32, args)", "cudaLaunchCooperativeKernel", "twice<int>: 1048576 blocks; the GPU holds "},
		{"cudaStreamDestroy((cudaStream_t)0x99990)", "cudaStreamDestroy", ""},
		{"cudaEventRecord((cudaEvent_t)0x1230, 0)", "cudaEventRecord", ""},
		{"cudaFuncSetAttribute(twice<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, 1 << 30)", "cudaFuncSetAttribute", "1073741824 bytes of dynamic shared memory; the kernel can have "},
		{"(twice<int><<<1, 2048>>>(d), cudaGetLastError())", "cudaLaunchKernel", "twice<int>: 2048 threads in a block; at most 1024"},
		{"(twice<int><<<0, 32>>>(d), cudaGetLastError())", "cudaLaunchKernel", "twice<int>: grid 0x1x1, block 32x1x1; each has at least 1 in every dimension"},
		{"(twice<int><<<dim3(1, 70000), 32>>>(d), cudaGetLastError())", "cudaLaunchKernel", "twice<int>: grid 1x70000x1: at most"},
		{"(twice<int><<<1, dim3(1, 1, 65)>>>(d), cudaGetLastError())", "cudaLaunchKernel", "twice<int>: block 1x1x65: at most 1024x1024x64"},
		{"([=](auto kernel) { kernel(d); }(twice<int>), cudaGetLastError())", "cudaLaunchKernel", "a kernel was called as a function, without <<<grid, block>>>"},
		{"(large<<<1, 512>>>(d), cudaGetLastError())", "cudaLaunchKernel", "; use at most 384 threads, or __launch_bounds__(512)"},
		{"cudaMalloc((void **)nullptr, 4)", "cudaMalloc", "p is a null pointer"},
		{"(twice<int><<<1, 32, 1 << 20>>>(d), cudaGetLastError())", "cudaLaunchKernel", "twice<int>: 1048576 bytes of dynamic shared memory"},
	}
	source := `#include <cstdio>
__constant__ int table[4];
template <typename T> __global__ void twice(T *p) { p[threadIdx.x] *= 2 + table[0]; }
__global__ void large(volatile int *p) {
	int values[240];
#pragma unroll
	for (int &value : values) value = *p;
#pragma unroll
	for (int value : values) *p = value;
}
int main() {
	int *d, *p, h[100];
	void *args[] = {&d};
	cudaEvent_t e;
	float ms;
	if (cudaMalloc(&d, sizeof h)) return 1;
`
	first := strings.Count(source, "\n") + 1
	for _, c := range calls {
		source += "\tputs(cudaGetErrorName(" + c.call + "));\n"
	}
	path, program := filepath.Join(dir, "misuse.cu"), filepath.Join(dir, "misuse")
	if err := os.WriteFile(path, []byte(source+"}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	build(t, "-g", path, "-o", program)
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LD_LIBRARY_PATH="+library, "SIMTRUN_CHECK=api")
	var messages bytes.Buffer
	cmd.Stderr = &messages
	out, _ := cmd.Output() // the exit status says that calls failed
	names := strings.Fields(string(out))
	if len(names) != len(calls) {
		t.Fatalf("printed %q and %q", out, &messages)
	}
	for i, c := range calls {
		want := fmt.Sprintf("simtrun: misuse.cu:%d: error: %s returned %s", first+i, c.function, names[i])
		_, rest, ok := strings.Cut(messages.String(), want)
		if rest, _, _ = strings.Cut(rest, "\n"); !ok || !strings.Contains(rest, c.reason) || names[i] == "cudaSuccess" {
			t.Errorf("%s: want %q and %q in\n%s", c.call, want, c.reason, &messages)
		}
	}
}

// TestRefusedLaunchesAreNotRepeated: a program that repeats a launch that is not possible gets one message for it.
func TestRefusedLaunchesAreNotRepeated(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	library, dir := driverLibrary(t), t.TempDir()
	path, program := filepath.Join(dir, "refused.cu"), filepath.Join(dir, "refused")
	const source = `__global__ void k(int *p) { *p = 1; }
int main() {
	for (int threads : {2000, 2000, 2000, 3000, 3000})
		k<<<1, threads>>>(nullptr);
}
`
	if err := os.WriteFile(path, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	build(t, path, "-o", program)
	cmd := exec.Command(program)
	cmd.Env = append(os.Environ(), "LD_LIBRARY_PATH="+library)
	out, _ := cmd.CombinedOutput()
	const want = "simtrun: k: 2000 threads in a block; at most 1024\nsimtrun: k: 3000 threads in a block; at most 1024\n"
	if string(out) != want {
		t.Errorf("printed %q", out)
	}
}

// TestMemoryOfGraphsHasTheLineOfItsCall: memory that a captured stream allocates has the line of the call as its name,
// although the memory exists only when the graph runs; to name it before is not a failed call of the program.
func TestMemoryOfGraphsHasTheLineOfItsCall(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	library, dir := driverLibrary(t), t.TempDir()
	path, program := filepath.Join(dir, "captured.cu"), filepath.Join(dir, "captured")
	const source = `__global__ void beyond(int *p) { p[100 + threadIdx.x] = 1; }
int main() {
	cudaStream_t s;
	cudaGraph_t g;
	cudaGraphExec_t e;
	int *p;
	cudaStreamCreate(&s);
	cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
	cudaMallocAsync(&p, 400, s);
	beyond<<<1, 32, 0, s>>>(p);
	cudaStreamEndCapture(s, &g);
	cudaGraphInstantiate(&e, g, 0);
	cudaGraphLaunch(e, s);
}
`
	if err := os.WriteFile(path, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	build(t, "-g", path, "-o", program)
	cmd := exec.Command(program)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "LD_LIBRARY_PATH="+library, "SIMTRUN_CHECK=api")
	out, _ := cmd.CombinedOutput() // the exit status says that the kernel failed
	if strings.Contains(string(out), "captured.cu:9: error") || !strings.Contains(string(out), "captured.cu:9): 400 bytes at") {
		t.Errorf("%s", out)
	}
}
