package interp

import (
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/program"
)

// TestSameAddressesShareProgram: machines of one Code share a program if the addresses that it uses are the same, and
// no machine has one with the addresses of another.
func TestSameAddressesShareProgram(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(`
.global .u32 v;
.func f() { ret; }
.entry plain(.param .u64 p) { ld.param.u64 %rd1, [p]; st.global.u32 [%rd1], 1; ret; }
.entry names() { st.global.u32 [v], 1; ret; }
.entry takes(.param .u64 p) { ld.param.u64 %rd1, [p]; mov.u64 %rd2, f; st.global.u64 [%rd1], %rd2; ret; }
`))
	if err != nil {
		t.Fatal(err)
	}
	code, err := NewCode(mod, true)
	if err != nil {
		t.Fatal(err)
	}
	shared := NewMemory(64, nil)
	var programs [3]map[string]*program.Program
	for i, mem := range []*Memory{shared, shared, NewMemory(64, nil)} {
		m, err := mem.Load(code, Config{})
		if err != nil {
			t.Fatal(err)
		}
		programs[i] = make(map[string]*program.Program)
		for _, kernel := range []string{"plain", "names", "takes"} {
			if programs[i][kernel], err = m.program(kernel, false); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, kernel := range []string{"plain", "names", "takes"} {
		first, beside, elsewhere := programs[0][kernel], programs[1][kernel], programs[2][kernel]
		if (first == beside) != (kernel == "plain") {
			t.Errorf("%s: one program for two machines in one memory: %v", kernel, first == beside)
		}
		if first != elsewhere {
			t.Errorf("%s: lowered again for a machine in another memory", kernel)
		}
	}
}
