package isa

import (
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// variantKey is an instruction's row and variant. Instructions of a mnemonic share their modifiers, so that their
// address stands for them.
type variantKey struct {
	spec                     *Spec
	mods                     *Mods
	types                    [2]Type
	dst, src, packed, unpack uint8
	third                    bool
	choice                   Choice
}

func (in *Instr) keyOf(v *Variant) variantKey {
	return variantKey{in.Spec, in.Mods, in.Types, uint8(v.DstBits), uint8(v.SrcBits), uint8(v.Pack), uint8(v.Unpack), len(in.Args) == 4, v.Choice}
}

// Templates remembers the templates of variants: long kernels have many instructions of few variants. The zero
// Templates is ready to use.
type Templates struct{ known map[variantKey]*jit.Template }

// Of returns Instr.Template.
func (t *Templates) Of(in *Instr, v Variant) *jit.Template {
	key := in.keyOf(&v)
	found, ok := t.known[key]
	if !ok {
		if t.known == nil {
			t.known = make(map[variantKey]*jit.Template)
		}
		found = in.Template(v)
		t.known[key] = found
	}
	return found
}

// Bindings remembers the meanings of variants. The zero Bindings is ready to use.
type Bindings struct{ known map[variantKey]binding }

type binding struct {
	fn  lanes.Func
	mem lanes.MemFunc
	imm uint64
}

// Of returns Instr.Bind.
func (b *Bindings) Of(in *Instr, v Variant) (fn lanes.Func, mem lanes.MemFunc, imm uint64) {
	key := in.keyOf(&v)
	found, ok := b.known[key]
	if !ok {
		if b.known == nil {
			b.known = make(map[variantKey]binding)
		}
		found.fn, found.mem, found.imm = in.Bind(v)
		b.known[key] = found
	}
	return found.fn, found.mem, found.imm
}
