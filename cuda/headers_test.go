package cuda_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/internal/short"
)

// TestHeadersAreInlinedWithoutOptimisation: device code that is not optimised calls the user's functions, and none of
// the headers, in which findings and the debugger would have no line of the user's.
func TestHeadersAreInlinedWithoutOptimisation(t *testing.T) {
	short.Skip(t)
	short.Alternates(t, 1, 3)
	const source = `#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
__device__ int twice(int x) { return 2 * x; }
__global__ void k(int *p, half *h)
{
    __shared__ int s[32];
    __pipeline_memcpy_async(&s[threadIdx.x], &p[threadIdx.x], 4);
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncwarp();
    int v = __shfl_xor_sync(0xffffffff, twice(s[threadIdx.x]), 1);
    if (__any_sync(0xffffffff, v == 3))
        atomicMax(p, v);
    cooperative_groups::this_thread_block().sync();
    h[0] = __hadd(h[1], h[2]);
    p[1] = __ldg(p + 2);
    __threadfence();
}
`
	file := filepath.Join(t.TempDir(), "k.cu")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Chdir(os.TempDir()) // in a folder that has the headers', too, clang gives the headers' paths in two parts
	called := regexp.MustCompile(`call\.uni \([^)]*\),\s*(\w+)|call\.uni\s+(\w+)`)
	for _, options := range [][]string{{"-O0"}, {"-G"}} {
		ptx := devicePTX(t, file, options)
		names := make(map[string]bool)
		for _, m := range called.FindAllSubmatch(ptx, -1) {
			names[string(m[1])+string(m[2])] = true
		}
		var all []string
		for name := range names {
			all = append(all, name)
		}
		slices.Sort(all)
		if !slices.Equal(all, []string{"_Z5twicei"}) {
			t.Errorf("%v: calls of %v, want twice(int) alone", options, all)
		}
	}
}
