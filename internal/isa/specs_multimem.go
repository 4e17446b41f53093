package isa

import (
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

const (
	MultiLoad Mod = iota + 1
	MultiStore
	MultiReduce
)

const (
	AccF32 Mod = iota + 1
	AccF16
)

// oneMember is the documentation that the rows of multimem share.
const oneMember = " a is an address in a multicast object, which stands for memory of all GPUs that are its members. In simtrun every address in global memory belongs to an object with one member, which is this memory itself."

// multiWords are types of memory behind a multicast address that others hold.
var multiWords = map[Type]Type{E4M3: B8, E5M2: B8, E4M3x2: B16, E5M2x2: B16, F16: B16, BF16: B16, E4M3x4: B32, E5M2x4: B32, F16x2: B32, BF16x2: B32}

// multicast returns a variant of multimem as that of ld or st with the same size; false if the size or the space is
// not legal: floating-point numbers take 32, 64 or 128 bits together.
func multicast(v *Variant) (*Variant, bool) {
	w := *v
	if t, ok := multiWords[v.Type()]; ok {
		w.Types[0] = t
	}
	bits := v.Type().Bits() * v.Mods.VecLen()
	switch s := v.Mods.MemSpace(); {
	case s != Global && s != Generic, v.Mods[Vec] != 0 && (v.Type().Class() != Float || v.Type() == F64):
		return nil, false
	}
	return &w, v.Type() == F64 || slices.Contains([]int{32, 64, 128}, bits)
}

// combinesMembers reports whether an operation combines elements of a type.
func combinesMembers(op Mod, t Type) bool {
	switch {
	case t == U32, t == S32, t == U64:
		return op <= AtomMax
	case t == S64:
		return op == AtomMin || op == AtomMax
	case t == B32, t == B64:
		return op >= AtomAnd
	case t == F32, t == F64:
		return op == AtomAdd
	}
	return multiWords[t] != NoType && op <= AtomMax
}

// accumulates reports whether the precision of a sum, if there is one, goes with the type.
func accumulates(v *Variant) bool {
	switch t := v.Type(); v.Mods[Precision] {
	case 0:
		return true
	case AccF32:
		return v.Mods[AtomOp] == AtomAdd && (t == F16 || t == BF16 || t.inHalves())
	default:
		return v.Mods[AtomOp] == AtomAdd && multiWords[t] != NoType && t != F16 && t != BF16 && !t.inHalves()
	}
}

func bindMultiLoad(v *Variant) lanes.MemFunc {
	w, ok := multicast(v)
	if !ok || v.Mods[Multi] != MultiLoad || !combinesMembers(v.Mods[AtomOp], v.Type()) || !accumulates(v) || v.Mods[Sem] == SemVolatile {
		return nil
	}
	return bindLoad(w)
}

func bindMultiStore(v *Variant) lanes.MemFunc {
	w, ok := multicast(v)
	if !ok || v.Mods[Multi] != MultiStore || v.Mods[Sem] == SemVolatile || !combinesMembers(AtomAdd, v.Type()) && !combinesMembers(AtomMin, v.Type()) && !combinesMembers(AtomAnd, v.Type()) {
		return nil
	}
	return bindStore(w)
}

func bindMultiReduction(v *Variant) lanes.MemFunc {
	op, t := v.Mods[AtomOp], v.Type()
	switch _, ok := multicast(v); {
	case !ok, v.Mods[Multi] != MultiReduce, v.Mods[Sem] != 0 && v.Mods[Sem] != SemRelaxed && v.Mods[Sem] != SemRelease, op == AtomInc, op == AtomDec, op == AtomExch, op == AtomCas:
		return nil
	case !combinesMembers(op, t), t.Class() == Float && op != AtomAdd, t.inBytes(), t.isFour(), t == E4M3, t == E5M2:
		return nil
	}
	if n := v.Mods.VecLen(); n > 1 {
		return atomicVector(v, n)
	}
	return atoms[op][t]
}

var multimemSpecs = []*Spec{
	{Name: "multimem", With: "ld_reduce", Mods: "multi [sem] [scope] [space] op [precision] [vec] type", Form: "d:v, [a]", Kind: Load, Cost: &Cost{unit: always(LSU), class: accessCost(Load)},
		Needs:    "8.1 sm_90; acc::f32 8.2; e4m3*/e5m2*/acc::f16 8.6 sm_100f sm_110f sm_120a sm_121a",
		Doc:      "d = the values at a of all members, combined by the operation. With one member it is the value itself." + oneMember,
		examples: []string{"multimem.ld_reduce.relaxed.sys.global.add.f32 %f1, [%rd1];", "multimem.ld_reduce.weak.global.add.acc::f32.v4.f16x2 {%r1, %r2, %r3, %r4}, [%rd1];"},
		Mem:      bindMultiLoad},
	{Name: "multimem", With: "st", Mods: "multi [sem] [scope] [space] [vec] type", Form: "[a], b:v", Needs: "8.1 sm_90; e4m3*/e5m2* 8.6 sm_100f sm_110f sm_120a sm_121a", Kind: Store, Cost: &Cost{unit: always(LSU), class: accessCost(Store)},
		Doc:      "Stores b at a in all members." + oneMember,
		examples: []string{"multimem.st.weak.global.v4.f32 [%rd1], {%f1, %f2, %f3, %f4};"},
		Mem:      bindMultiStore},
	{Name: "multimem", With: "red", Mods: "multi [sem] [scope] [space] op [vec] type", Form: "[a], b:v", Needs: "8.1 sm_90", Kind: Atomic, Cost: &Cost{unit: always(LSU), class: reductionCost},
		Doc:      "The new value at a of each member is (old op b)." + oneMember,
		examples: []string{"multimem.red.relaxed.sys.global.add.u32 [%rd1], %r1;", "multimem.red.relaxed.gpu.global.add.v2.f32 [%rd1], {%f1, %f2};"},
		Mem:      bindMultiReduction},
	{Name: "multimem", With: "cp.async.bulk", Mods: "multicp async bulk space from completion", Form: "[a], [b:from], c:u32", Needs: "9.1 sm_90", Kind: Copy, Cost: on(LSU, CostStoreGlobal),
		Doc:      "Copies c bytes from shared memory at b to a in all members. c is a multiple of 16." + oneMember,
		examples: []string{"multimem.cp.async.bulk.global.shared::cta.bulk_group [%rd1], [%r1], 64;"},
		Legal:    copiesToGlobal},
	{Name: "multimem", With: "cp.async.bulk.cp_mask", Mods: "multicp async bulk space from completion cpmask", Form: "[a], [b:from], c:u32, k:b16", Needs: "9.1 sm_100", Kind: Copy, Cost: on(LSU, CostStoreGlobal),
		Doc:      "multimem.cp.async.bulk for selected bytes: byte i of each 16 bytes is copied if bit i of k is set.",
		examples: []string{"multimem.cp.async.bulk.global.shared::cta.bulk_group.cp_mask [%rd1], [%r1], 64, %rs1;"},
		Legal:    copiesToGlobal},
	{Name: "multimem", With: "cp.reduce.async.bulk", Mods: "multicp reduce async bulk space from completion op [noftz] type", Form: "[a], [b:from], c:u32", Needs: "9.1 sm_90", Kind: Copy, Cost: on(LSU, CostReductionGlobal),
		Doc:      "Combines c bytes of shared memory at b with those at a in all members, as cp.reduce.async.bulk does." + oneMember,
		examples: []string{"multimem.cp.reduce.async.bulk.global.shared::cta.bulk_group.add.u32 [%rd1], [%r1], 64;"},
		Types:    reducedTypes, Legal: reducesGlobal},
}
