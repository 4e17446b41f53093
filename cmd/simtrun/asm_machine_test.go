package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestMachineShowsOrder checks that asm --machine lists machine instructions with stall counts and lines of the source,
// loads before what does not need them.
func TestMachineShowsOrder(t *testing.T) {
	got := typed(t, "asm", "../../programs/vecadd.s", "--machine", "vecadd")
	want := regexp.MustCompile(`(?s)^vecadd  \d+ machine instructions\n *1  read_special +L\d+ +mov\.u32 .*load_global +L70 .*load_global +L72 .*\n +4  single +L73 +add\.f32 %f3, %f1, %f2;\n +1  store_global`)
	if got.code != 0 || got.stderr != "" || !want.MatchString(got.stdout) {
		t.Errorf("%+v", got)
	}
}

// TestMachineListingNamesKernels checks that asm --machine names the kernels, and goes with no other listing.
func TestMachineListingNamesKernels(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  string
	}{
		{[]string{"--machine", "vecsub"}, `simtrun: --machine vecsub: no kernel "vecsub" in ../../programs/vecadd.s; there is vecadd`},
		{[]string{"--machine", "vecadd", "--ptx"}, `simtrun: --machine cannot be combined with --ptx, --cfg or --code`},
	} {
		got := typed(t, append([]string{"asm", "../../programs/vecadd.s"}, c.flags...)...)
		if got.code != 2 || !strings.HasPrefix(got.stderr, c.want) {
			t.Errorf("%v: exit status %d, %s", c.flags, got.code, got.stderr)
		}
	}
}
