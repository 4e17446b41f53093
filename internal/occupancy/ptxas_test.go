package occupancy_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/occupancy"
)

// TestPTXASLinesAreParsed parses lines of several versions of ptxas.
func TestPTXASLinesAreParsed(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []occupancy.Compiled
	}{
		{"CUDA 13", `ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z6reducePfi' for 'sm_90'
ptxas info    : Function properties for _Z6reducePfi
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]
ptxas info    : Compile time = 3.1 ms
ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Used 8 registers, used 0 barriers
`, []occupancy.Compiled{{Kernel: "_Z6reducePfi", Target: "sm_90", Registers: 40, Static: 4096, Barriers: 1}, {Kernel: "k", Target: "sm_90", Registers: 8}}},
		{"CUDA 11", "ptxas info    : Compiling entry function 'k' for 'sm_80'\nptxas info    : Used 32 registers, 360 bytes cmem[0]\n",
			[]occupancy.Compiled{{Kernel: "k", Target: "sm_80", Registers: 32}}},
		{"sm_1x", "ptxas info    : Used 10 registers, 1024+16 bytes smem, 8 bytes cmem[1]\n", []occupancy.Compiled{{Registers: 10, Static: 1040}}},
		{"one line", "Used 40 registers, 4096 bytes smem", []occupancy.Compiled{{Registers: 40, Static: 4096}}},
		{"a device function between", `ptxas info    : Compiling entry function 'k' for 'sm_90'
ptxas info    : Function properties for f
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 24 registers
`, []occupancy.Compiled{{Kernel: "k", Target: "sm_90", Registers: 24}}},
		{"something else", "nvlink info    : 0 bytes gmem\n", nil},
	} {
		if diff := cmp.Diff(c.want, occupancy.ParsePTXAS(c.text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.name, diff)
		}
	}
}

func TestFindTakesTheNamedOrOnlyKernel(t *testing.T) {
	a, b, nameless := occupancy.Compiled{Kernel: "a"}, occupancy.Compiled{Kernel: "b"}, occupancy.Compiled{Registers: 3}
	for _, c := range []struct {
		all    []occupancy.Compiled
		kernel string
		want   occupancy.Compiled
		err    string
	}{
		{[]occupancy.Compiled{a, b}, "b", b, ""},
		{[]occupancy.Compiled{a}, "", a, ""},
		{[]occupancy.Compiled{nameless}, "k", nameless, ""},
		{[]occupancy.Compiled{a, b}, "", occupancy.Compiled{}, "it has 2 kernels; --kernel says which: a, b"},
		{[]occupancy.Compiled{a, b}, "c", occupancy.Compiled{}, `no kernel "c"; there are a, b`},
		{[]occupancy.Compiled{a}, "c", occupancy.Compiled{}, `no kernel "c"; there is a`},
		{nil, "", occupancy.Compiled{}, "no line as in: Used 40 registers, 4096 bytes smem; ptxas -v prints one for each kernel"},
	} {
		got, err := occupancy.Find(c.all, c.kernel)
		text := ""
		if err != nil {
			text = err.Error()
		}
		if got != c.want || text != c.err {
			t.Errorf("%q of %v: %v, %q, want %v, %q", c.kernel, c.all, got, text, c.want, c.err)
		}
	}
}
