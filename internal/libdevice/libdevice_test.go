package libdevice

import (
	"fmt"
	"testing"

	"github.com/simtrun/simtrun/asm"
)

// declared returns a module that declares f as clang does.
func declared(f *Func) string {
	bits := func(t Type) int {
		if t == I16 {
			return 32
		}
		return int(8 * types[t].bytes)
	}
	text := ".version 8.4\n.target sm_90\n.address_size 64\n.extern .func "
	if len(f.Results) > 0 {
		text += fmt.Sprintf("(.param .b%d r) ", bits(f.Results[0]))
	}
	text += f.Name + "("
	for i, p := range f.Params {
		if i > 0 {
			text += ", "
		}
		text += fmt.Sprintf(".param .b%d p%d", bits(p), i)
	}
	return text + ");\n"
}

// TestEveryFunctionIsProvided: every function can be obtained by a declaration, in modules of both address sizes.
func TestEveryFunctionIsProvided(t *testing.T) {
	for _, f := range Functions() {
		mod, err := asm.Parse("k.ptx", []byte(declared(f)))
		if err != nil {
			t.Fatal(err)
		}
		p, err := Provide(mod.Funcs[0], mod.AddressSize, mod.Target)
		if err != nil {
			t.Error(err)
			continue
		}
		if p.PTX == nil && len(p.Served) != 1 {
			t.Errorf("%s: neither PTX nor Go", f.Name)
		}
		for pc := range codeOf(p) {
			in := &p.PTX.Code[pc]
			if in.Later != "" || in.Pos != mod.Funcs[0].Pos {
				t.Errorf("%s: instruction %d at %v: %s", f.Name, pc, in.Pos, in.Later)
			}
		}
	}
}

func codeOf(p *Provided) int {
	if p.PTX == nil {
		return 0
	}
	return len(p.PTX.Code)
}
