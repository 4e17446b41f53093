package cuda

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The first type is that of a kernel of CUTLASS 4, shortened; clang 19 writes names of template instances in quotes.
const definitions = `define dso_local void @_Z1kPf(ptr noundef byval(%"struct.lib::Params<lib::Tile<int, 8>, (lib::Mode)2>::Arguments") align 64 %0, ptr noundef %1, ptr noundef byval(%struct.S) align 8 %2) #0 !dbg !5 {
  ret void
}
define dso_local void @"_Z1g@1"(i32 noundef %0, ptr noundef byval(%"struct.T<(a, b)>") %1) {
  ret void
}
define void @none() {
  ret void
}
`

func TestParametersThatArePassedAsBytes(t *testing.T) {
	want := map[string][]string{"_Z1kPf": {"0", "2"}, `"_Z1g@1"`: {"1"}, "none": nil}
	all := functions([]byte(definitions))
	if len(all) != len(want) {
		t.Fatalf("%d functions, want %d", len(all), len(want))
	}
	for _, f := range all {
		if !slices.Equal(f.bytes, want[f.name]) {
			t.Errorf("%s: parameters %v, want %v", f.name, f.bytes, want[f.name])
		}
	}
}

// TestParametersOfAnyTypeAreFound draws kernels whose parameters have types with any names, which clang writes in
// quotes unless they are identifiers.
func TestParametersOfAnyTypeAreFound(t *testing.T) {
	const characters = "abcXYZ059_:<>(),{}[]&*%@#'= -"
	r := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var all, want []string
		for i := range 1 + r.IntN(6) {
			if r.IntN(3) == 0 {
				all = append(all, fmt.Sprintf("ptr noundef %%%d", i))
				continue
			}
			var name strings.Builder
			for range r.IntN(40) {
				name.WriteByte(characters[r.IntN(len(characters))])
			}
			all = append(all, fmt.Sprintf(`ptr noundef byval(%%"struct.%s") align %d %%%d`, &name, 1<<r.IntN(7), i))
			want = append(want, strconv.Itoa(i))
		}
		ir := "define dso_local void @_Z1kv(" + strings.Join(all, ", ") + ") #0 !dbg !7 {\n  ret void\n}\n"
		if found := functions([]byte(ir)); len(found) != 1 || !slices.Equal(found[0].bytes, want) {
			t.Fatalf("%s%+v, want %v", ir, found, want)
		}
	}
}
