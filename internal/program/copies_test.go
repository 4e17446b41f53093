package program

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
)

// lowered is the kernel of a source with the variables v and tex in global memory.
func lowered(t *testing.T, src string, precise bool) *Program {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m := newModule(t, mod)
	p, err := m.Lower(mod.Entries()[0], Env{
		Address: func(name string) (uint64, bool) {
			if addr, ok := map[string]uint64{"v": 0x1000, "tex": 0x1100}[name]; ok {
				return addr, true
			}
			n, ok := m.FuncNumber(name)
			return 0x2000 + uint64(n), ok
		},
		Precise: precise,
	})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestCopiesOfWhatDoesNotChange names the registers that are copies: r1 and so on, in the order in
// which the code has them.
func TestCopiesOfWhatDoesNotChange(t *testing.T) {
	for name, c := range map[string]struct {
		code string
		want []string
	}{
		"what does not change": {`mov.u32 %r1, 7; mov.u32 %r2, %tid.x; mov.u64 %rd1, v; ld.param.u32 %r3, [a];`,
			[]string{"%r1", "%r2", "%rd1", "%r3"}},
		"a copy of a copy":                 {`mov.u32 %r1, 7; mov.b32 %r2, %r1; cvta.to.global.u64 %rd1, %rd2;`, []string{"%r1", "%r2"}},
		"a pointer":                        {`ld.param.u64 %rd1, [p]; cvta.to.global.u64 %rd2, %rd1;`, []string{"%rd1", "%rd2"}},
		"the address in a window":          {`mov.u64 %rd1, 8; cvta.shared.u64 %rd2, %rd1;`, []string{"%rd1"}},
		"a clock":                          {`mov.u32 %r1, %clock;`, nil},
		"what is computed":                 {`mov.u32 %r1, 7; add.u32 %r2, %r1, 1; mov.u32 %r3, %r2;`, []string{"%r1"}},
		"set twice":                        {`mov.u32 %r1, 7; mov.u32 %r1, 8;`, nil},
		"guarded":                          {`@%p1 mov.u32 %r1, 7;`, nil},
		"read before":                      {`L: add.u32 %r2, %r1, 1; mov.u32 %r1, 7; @%p1 bra L;`, nil},
		"a predicate":                      {`mov.pred %p1, 1;`, nil},
		"another width":                    {`mov.u32 %r1, 7; cvt.u64.u32 %rd1, %r1;`, []string{"%r1"}},
		"a parameter, at an address":       {`mov.u64 %rd1, p; ld.param.u64 %rd2, [%rd1];`, []string{"%rd1"}},
		"two halves of a parameter":        {`ld.param.v2.u32 {%r1, %r2}, [p];`, nil},
		"a parameter, as a narrower value": {`ld.param.u8 %r1, [a];`, []string{"%r1"}},
	} {
		t.Run(name, func(t *testing.T) {
			src := ".global .u32 v;\n.entry k(.param .u32 a, .param .u64 p) {\n" + c.code + "\nret; }"
			k := lowered(t, src, false).Kernel()
			var got []string
			for id, copied := range k.copies.regs {
				if copied {
					got = append(got, k.Src.Regs[id].Name)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("copies (-want +got):\n%s", diff)
			}
			if precise := lowered(t, src, true).Kernel(); precise.copies.regs != nil {
				t.Error("precise code has copies")
			}
		})
	}
}

// TestPreciseCodeSharesNoSlots: in precise code no two registers share a slot.
func TestPreciseCodeSharesNoSlots(t *testing.T) {
	const code = ".entry k() { mov.u32 %r1, 7; mov.u32 %r2, 7; add.u32 %r3, %r1, %r2; add.u32 %r4, %r3, 1; add.u32 %r5, %r4, 1; ret; }"
	distinct := func(p *Program) int {
		slots := make(map[uint32]bool)
		for _, off := range p.Kernel().Layout.regs {
			slots[off] = true
		}
		return len(slots)
	}
	if n := distinct(lowered(t, code, true)); n != 5 {
		t.Errorf("5 registers have %d slots in precise code", n)
	}
	if n := distinct(lowered(t, code, false)); n != 3 { // one for the constant, two for the sums in turn
		t.Errorf("they have %d slots in optimised code, want 3", n)
	}
}

func newModule(t *testing.T, src *isa.Module) *Module {
	t.Helper()
	m, err := NewModule(src, true)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
