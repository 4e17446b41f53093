package isa

import (
	"unsafe"

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

// known remembers what variants mean: long kernels have many instructions of few variants. The latest variants have
// places of their own, where they are found in less time than in a map.
type known[T any] struct {
	latest [latestVariants]struct {
		key   variantKey
		value T
	}
	all map[variantKey]T
}

const latestVariants = 64

// of returns the value of a variant, which find computes.
func (k *known[T]) of(key variantKey, find func() T) T {
	at := uintptr(unsafe.Pointer(key.mods))
	latest := &k.latest[(at>>4^at>>10^uintptr(key.dst>>5)^uintptr(key.src>>4))%latestVariants]
	if latest.key == key {
		return latest.value
	}
	value, ok := k.all[key]
	if !ok {
		if k.all == nil {
			k.all = make(map[variantKey]T)
		}
		value = find()
		k.all[key] = value
	}
	latest.key, latest.value = key, value
	return value
}

// Templates remembers the templates of variants. The zero Templates is ready to use.
type Templates struct{ known known[template] }

type template struct {
	*jit.Template
	types []Type
}

// Of returns Instr.Template and, if there is one, the types of the row's operands.
func (t *Templates) Of(in *Instr, v Variant) (*jit.Template, []Type) {
	found := t.known.of(in.keyOf(&v), func() (found template) {
		if found.Template = in.Template(v); found.Template == nil {
			return found
		}
		for i := range in.Spec.formals {
			found.types = append(found.types, in.Spec.formals[i].Type(in.Types, in.Mods))
		}
		return found
	})
	return found.Template, found.types
}

// Bindings remembers the meanings of variants. The zero Bindings is ready to use.
type Bindings struct{ known known[binding] }

type binding struct {
	fn  lanes.Func
	mem lanes.MemFunc
	imm uint64
}

// Of returns Instr.Bind.
func (b *Bindings) Of(in *Instr, v Variant) (fn lanes.Func, mem lanes.MemFunc, imm uint64) {
	found := b.known.of(in.keyOf(&v), func() (found binding) {
		found.fn, found.mem, found.imm = in.Bind(v)
		return found
	})
	return found.fn, found.mem, found.imm
}
