package isa

import "github.com/simtrun/simtrun/lanes"

// elems are the element types of conversions.
var elems = map[Type]lanes.Elem{
	U8: lanes.U8, U16: lanes.U16, U32: lanes.U32, U64: lanes.U64,
	S8: lanes.S8, S16: lanes.S16, S32: lanes.S32, S64: lanes.S64,
	F16: lanes.F16, F32: lanes.F32, F64: lanes.F64,
}

// Elem is the element type for lanes.Op; 0 for types that are never converted.
func (t Type) Elem() lanes.Elem { return elems[t] }

var moveSpecs = []*Spec{
	{Name: "mov", Mods: "type", Form: "d:mov, a:mov", Latency: ALU,
		Doc: "d = a: a register, constant, special register, or the address of a variable in its space. A vector on one side packs or unpacks .b16, .b32 or .b64, the first element lowest.",
		Bind: func(v *Variant) lanes.Func {
			switch {
			case v.Pack > 0 && v.Type().Bits() == 64 && v.Pack == 2:
				return lanes.Pack[uint64, uint32]
			case v.Pack > 0 && v.Type().Bits() == 64:
				return lanes.Pack[uint64, uint32]
			case v.Pack > 0:
				return lanes.Pack[uint32, uint32]
			case v.Unpack > 0 && v.Type().Bits() == 64:
				return lanes.Unpack[uint64, uint32]
			case v.Unpack > 0:
				return lanes.Unpack[uint32, uint32]
			case v.Type() == Pred:
				return lanes.MovPred
			}
			return words3(lanes.Mov[uint32], lanes.Mov[uint64])[v.Type()]
		},
		Imm: func(v *Variant) uint64 {
			if n := v.Pack + v.Unpack; n > 0 {
				return uint64(v.Type().Bits()/n) | uint64(n)<<8
			}
			return 0
		}},
	{Name: "cvt", Mods: "[rnd] [irnd] [ftz] [sat] type type", Form: "d, a:1", Latency: Conversion, Wide: true,
		Doc: "d = a in another type. Floats that become integers are rounded as asked and clamped to the type; integers are cut or extended, or clamped with .sat.",
		Bind: func(v *Variant) lanes.Func {
			to, ok := elems[v.Types[0]]
			from, ok2 := elems[v.Types[1]]
			if !ok || !ok2 || v.Mods[Rnd] != 0 && v.Mods[IRnd] != 0 {
				return nil
			}
			return lanes.CvtFor(to, from, v.Mods.Mode(), cvtImm(v))
		},
		Imm:   cvtImm,
		Later: []Type{F16x2}},
	{Name: "cvta", Mods: "[to] space type", Form: "d, a", Latency: ALU,
		Doc: "d = the generic address of address a in the space, or the reverse with .to.",
		Bind: func(v *Variant) lanes.Func {
			switch v.Type() {
			case U32:
				return lanes.AddImm[uint32]
			case U64:
				return lanes.AddImm[uint64]
			}
			return nil
		},
		Imm: func(v *Variant) uint64 {
			w := v.Mods.MemSpace().Window()
			if v.Mods[To] != 0 {
				return -w
			}
			return w
		}},
}

func cvtImm(v *Variant) uint64 {
	imm := uint64(0)
	if v.DstBits == 64 && v.Types[0].Bits() < 64 {
		imm |= lanes.CvtDstWide
	}
	if v.DstBits == 16 {
		imm |= lanes.CvtDst16
	}
	if v.SrcBits == 64 && v.Types[1].Bits() < 64 {
		imm |= lanes.CvtSrcWide
	}
	if v.Mods[IRnd] != 0 {
		imm |= lanes.CvtIntegral
	}
	if v.Mods[Rnd] != 0 {
		imm |= lanes.CvtRounded
	}
	return imm
}
