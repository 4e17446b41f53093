package cuda_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDebugInformationHasNoUnusedMembers: with -g, PTX has hardly more text for a type with many member functions and
// template parameters that no code of the kernel is from, which is most of the debug information of CUB's types.
func TestDebugInformationHasNoUnusedMembers(t *testing.T) {
	size := func(unused int) int {
		var members strings.Builder
		for i := range unused {
			fmt.Fprintf(&members, "    __device__ T unused_member_%d(T by, int n) const { return value * by + n; }\n", i)
		}
		source := "template <typename T, int N> struct Box {\n    T value;\n    __device__ T twice() const { return 2 * value; }\n" + members.String() +
			"};\n__global__ void k(Box<float, 3> b, float *out) { *out = b.twice(); }\n"
		file := filepath.Join(t.TempDir(), "k.cu")
		if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		return len(devicePTX(t, file, []string{"-g"}))
	}
	few, many := size(0), size(50)
	if many > few+few/20 {
		t.Errorf("%d bytes with 50 members that are not used, %d without", many, few)
	}
}
