package source

import (
	"slices"

	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
)

// ElementType returns the type of a variable of the source, by its name in PTX; of an array, that of its elements. It
// returns isa.NoType if debug information does not describe the variable, or for a type without one in PTX.
func ElementType(mod *isa.Module, symbol string) isa.Type {
	if len(mod.Funcs) == 0 {
		return isa.NoType
	}
	info := debuginfo.Of(mod.Funcs[0])
	if info == nil {
		return isa.NoType
	}
	all := info.Globals()
	i := slices.IndexFunc(all, func(v *debuginfo.Variable) bool { return v.Symbol == symbol })
	if i < 0 || all[i].Type == nil {
		return isa.NoType
	}
	t := all[i].Type.Bare()
	for t.Kind == debuginfo.Array && t.To != nil {
		t = t.To.Bare()
	}
	switch {
	case !t.IsScalar() || t.Format != debuginfo.IEEE:
		return isa.NoType
	case t.Kind == debuginfo.Float:
		return map[int64]isa.Type{2: isa.F16, 4: isa.F32, 8: isa.F64}[t.Size]
	case t.IsSigned():
		return map[int64]isa.Type{1: isa.S8, 2: isa.S16, 4: isa.S32, 8: isa.S64}[t.Size]
	}
	return map[int64]isa.Type{1: isa.U8, 2: isa.U16, 4: isa.U32, 8: isa.U64}[t.Size]
}
