package cuda

import (
	"slices"
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
