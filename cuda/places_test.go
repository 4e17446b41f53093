package cuda_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// TestAllocationsNameSourceLine checks that messages name memory by the source line that allocated it, for every
// allocating function and overload. A C function called through a pointer gives no line.
func TestAllocationsNameSourceLine(t *testing.T) {
	short.Alternates(t, 1, 3)
	library, dir := driverLibrary(t), t.TempDir()
	calls := []struct{ call, name string }{
		{"cudaMalloc(&p, 4)", "allocation"},
		{"cudaMalloc((void **)&p, 4)", "allocation"},
		{"cudaMallocAsync(&p, 4, 0)", "allocation"},
		{"cudaMallocAsync((void **)&p, 4, 0)", "allocation"},
		{"cudaMallocPitch(&p, &pitch, 512, 1)", "allocation"},
		{"cudaMallocPitch((void **)&p, &pitch, 512, 1)", "allocation"},
		{"cudaMallocManaged(&p, 4)", "managed memory"},
		{"cudaMallocManaged((void **)&p, 4, cudaMemAttachGlobal)", "managed memory"},
		{"cudaMallocHost(&p, 4)", "host memory"},
		{"cudaMallocHost((void **)&p, 4)", "host memory"},
		{"cudaHostAlloc(&p, 4, cudaHostAllocMapped)", "host memory"},
		{"cudaHostAlloc((void **)&p, 4, cudaHostAllocMapped)", "host memory"},
		{"in_c((void **)&p, 4)", ""},
	}
	source := `#include <cstdlib>
__global__ void beyond(int *p, size_t i) { p[i] = 1; }
int main(int, char **argv) {
	int *p;
	size_t pitch = 4;
	cudaError_t error = cudaSuccess, (*in_c)(void **, size_t) = cudaMalloc;
	switch (atoi(argv[1])) {
`
	first := strings.Count(source, "\n") + 1
	for i, c := range calls {
		source += fmt.Sprintf("\tcase %d: error = %s; break;\n", i, c.call)
	}
	source += `	}
	if (error != cudaSuccess)
		return 2;
	beyond<<<1, 1>>>(p, pitch / 4);
	return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 3;
}
`
	file, program := filepath.Join(dir, "places.cu"), filepath.Join(dir, "places")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	build(t, file, "-o", program)
	for i, c := range calls {
		want := fmt.Sprintf("past the end of %s 1 (%s:%d) [", c.name, file, first+i)
		if c.name == "" {
			want = "past the end of allocation 1 ["
		}
		if got := execute(t, library, program, fmt.Sprint(i)); !strings.Contains(got, want) {
			t.Errorf("%s: no %q in\n%s", c.call, want, got)
		}
	}
}
