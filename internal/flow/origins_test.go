package flow_test

import (
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
)

// TestOriginsFollowSums: by register, where its values come from.
func TestOriginsFollowSums(t *testing.T) {
	text, err := os.ReadFile("testdata/origins.s")
	if err != nil {
		t.Fatal(err)
	}
	mod, err := asm.Parse("k.s", text)
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Funcs[0]
	got := make(map[string]flow.Origins)
	for id, o := range flow.OriginsOf(f, flow.New(f)) {
		if name := f.Regs[id].Name; len(name) > 4 {
			got[name[4:]] = o
		}
	}
	const local, other = flow.FromLocal, flow.FromElse
	want := map[string]flow.Origins{
		"param": other, "local": other, "frame": local, "const": local, "index": other, "swapped": local, "wide": local, "mad": local,
		"copy": local, "both": local, "either": local | other, "twice": local | other, "back": other, "shared": other, "product": other,
		"loaded": other, "later": local, "next": local | other,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestOriginsAreNilWithoutLocalMemory: no work is done for functions that do not take its addresses.
func TestOriginsAreNilWithoutLocalMemory(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(".entry k(.param .u64 x) { ld.param.u64 %rd1, [x]; ld.u32 %r1, [%rd1]; ret; }"))
	if err != nil {
		t.Fatal(err)
	}
	f := mod.Funcs[0]
	if all := flow.OriginsOf(f, flow.New(f)); all != nil || flow.OriginsOfAddress(&f.Code[1], all) != flow.FromElse {
		t.Errorf("%v", all)
	}
}
