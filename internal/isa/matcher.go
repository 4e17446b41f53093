package isa

import "slices"

// Matcher chooses variants of a row. Functions that make matchers are not inlined: the initialiser of the rows calls
// them hundreds of times, which would take 280 kB more of the command.
type Matcher func(v *Variant) bool

// All chooses the variants that every matcher chooses.
//
//go:noinline
func All(ps ...Matcher) Matcher {
	return func(v *Variant) bool {
		return !slices.ContainsFunc(ps, func(p Matcher) bool { return !p(v) })
	}
}

// either chooses the variants that at least one matcher chooses.
//
//go:noinline
func either(ps ...Matcher) Matcher {
	return func(v *Variant) bool {
		return slices.ContainsFunc(ps, func(p Matcher) bool { return p(v) })
	}
}

// Not chooses the variants that p does not choose.
//
//go:noinline
func Not(p Matcher) Matcher { return func(v *Variant) bool { return !p(v) } }

// OfType chooses by the first type, which is that of the result.
//
//go:noinline
func OfType(types ...Type) Matcher {
	return func(v *Variant) bool { return slices.Contains(types, v.Types[0]) }
}

// FromType chooses by the second type, which is that of the source.
//
//go:noinline
func FromType(types ...Type) Matcher {
	return func(v *Variant) bool { return slices.Contains(types, v.Types[1]) }
}

// With chooses variants with a modifier of the group: one of mods, or any if there are none.
//
//go:noinline
func With(g Group, mods ...Mod) Matcher {
	return func(v *Variant) bool {
		return v.Mods[g] != 0 && (len(mods) == 0 || slices.Contains(mods, v.Mods[g]))
	}
}

// Only chooses variants that have no modifiers but those of the groups, which may be absent.
//
//go:noinline
func Only(groups ...Group) Matcher {
	return func(v *Variant) bool { return v.only(groups...) }
}

// Constant chooses variants with constants as all of the operands, which are counted from 0 and include results.
//
//go:noinline
func Constant(operands ...int) Matcher {
	var places uint16
	for _, i := range operands {
		places |= 1 << i
	}
	return func(v *Variant) bool { return places&^v.Constants == 0 }
}

// Matchers that many rows share.
var (
	int16s = OfType(U16, S16)
	int32s = OfType(U32, S32)
	int64s = OfType(U64, S64)
	bits64 = OfType(B64, U64, S64)

	lo   = With(Part, Lo)
	hi   = With(Part, Hi)
	wide = With(Part, WidePart)

	sat      = With(Sat)
	ftz      = With(Ftz)
	carrying = With(CC)
	approx   = With(Prec, Approx)
	rounded  = With(Rnd)
)
