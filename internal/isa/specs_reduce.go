package isa

import "github.com/simtrun/simtrun/internal/lanes"

// asyncReductions are the operations of asynchronous reductions on elements of global memory.
var asyncReductions = map[Mod]map[Type]lanes.Reduce{
	AtomAdd: {U32: lanes.Reducing(lanes.Added[uint32]), S32: lanes.Reducing(lanes.Added[uint32]), U64: lanes.Reducing(lanes.Added[uint64]),
		F32: lanes.Reducing(lanes.AddedPreciseF32), F64: lanes.Reducing(lanes.AddedF64), F16: lanes.Reducing(lanes.AddedF16), BF16: lanes.Reducing(lanes.AddedBF16)},
	AtomMin: {U32: lanes.Reducing(lanes.Smaller[uint32]), S32: lanes.Reducing(lanes.Smaller[int32]), U64: lanes.Reducing(lanes.Smaller[uint64]), S64: lanes.Reducing(lanes.Smaller[int64]),
		F16: lanes.Reducing(lanes.MinF16Of), BF16: lanes.Reducing(lanes.MinBF16Of)},
	AtomMax: {U32: lanes.Reducing(lanes.Larger[uint32]), S32: lanes.Reducing(lanes.Larger[int32]), U64: lanes.Reducing(lanes.Larger[uint64]), S64: lanes.Reducing(lanes.Larger[int64]),
		F16: lanes.Reducing(lanes.MaxF16Of), BF16: lanes.Reducing(lanes.MaxBF16Of)},
	AtomInc: {U32: lanes.Reducing(lanes.CountedUp)},
	AtomDec: {U32: lanes.Reducing(lanes.CountedDown)},
	AtomAnd: {B32: lanes.Reducing(lanes.BitsOfBoth[uint32]), B64: lanes.Reducing(lanes.BitsOfBoth[uint64])},
	AtomOr:  {B32: lanes.Reducing(lanes.BitsOfEither[uint32]), B64: lanes.Reducing(lanes.BitsOfEither[uint64])},
	AtomXor: {B32: lanes.Reducing(lanes.BitsOfOne[uint32]), B64: lanes.Reducing(lanes.BitsOfOne[uint64])},
}

// reducedTypes are the types of asynchronous reductions.
var reducedTypes = []Type{B32, U32, S32, B64, U64, S64, F16, BF16, F32, F64}

// reducedInShared reports whether elements of shared memory can be reduced by an operation: integers and words of
// 32 bits, and sums of 64 (PTX ISA, cp.reduce.async.bulk and red.async).
func reducedInShared(op Mod, t Type) bool {
	return asyncReductions[op][t] != nil && (t == U32 || t == S32 || t == B32 || t == U64 && op == AtomAdd)
}

// reducesShared reports whether a combination of modifiers of cp.reduce.async.bulk is legal in shared memory.
func reducesShared(v *Variant) bool {
	m := v.Mods
	return m[SpaceG] == SpaceSharedCluster && m[From] == FromSharedCTA && m[Completion] == CompleteTx &&
		relaxedOrNot(m) && m[Scope] <= ScopeCluster && m[NoFtz] == 0 && reducedInShared(m[AtomOp], v.Type())
}

// reducesGlobal reports whether a combination of modifiers of cp.reduce.async.bulk is legal in global memory.
func reducesGlobal(v *Variant) bool {
	m, op, t := v.Mods, v.Mods[AtomOp], v.Type()
	switch {
	case m[SpaceG] != SpaceGlobal, m[From] != FromSharedCTA, m[Completion] != BulkGroup, !relaxedOrNot(m), asyncReductions[op][t] == nil:
		return false
	case op == AtomAdd && (t == F16 || t == BF16):
		return m[NoFtz] != 0
	}
	return m[NoFtz] == 0 || op == AtomAdd && t == F32
}

// relaxedOrNot reports whether there is neither an order nor a scope, or .relaxed and a scope.
func relaxedOrNot(m *Mods) bool {
	return m[Sem] == 0 && m[Scope] == 0 || m[Sem] == SemRelaxed && m[Scope] != 0
}

// Reduces reports whether the instruction is an asynchronous reduction.
func (in *Instr) Reduces() bool { return in.Spec.Kind == Copy && in.Mods[AtomOp] != 0 }

// Reduce returns the effect of an asynchronous reduction on memory; nil if the instruction is not a reduction, or
// reduces a tensor, because the tensor's map determines its elements.
func (in *Instr) Reduce() lanes.Reduce {
	if !in.Reduces() {
		return nil
	}
	return asyncReductions[in.Mods[AtomOp]][in.Types[0]]
}

// Reduction returns the effect of an operation on elements of a type in global memory; nil if the type does not have
// it.
func Reduction(op Mod, t Type) lanes.Reduce { return asyncReductions[op][t] }

// ofPeer reports whether an asynchronous store or reduction is in shared memory of the cluster.
func ofPeer(v *Variant) bool {
	return v.Mods[SpaceG] == 0 || v.Mods[SpaceG] == SpaceSharedCluster
}

// bindAsyncStore is the Mem of st.async.
func bindAsyncStore(v *Variant) lanes.MemFunc {
	bits := v.Type().Bits()
	switch {
	case !ofPeer(v), v.Mods[Completion] != CompleteTx, v.Mods[Sem] != 0 && v.Mods[Sem] != SemWeak, bits < 32, bits*v.Mods.VecLen() > 128:
		return nil
	}
	return bindStore(v)
}

// bindAsyncReduction is a Mem that stores the sources of red.async.
func bindAsyncReduction(v *Variant) lanes.MemFunc {
	m := v.Mods
	if !ofPeer(v) || m[Completion] == BulkGroup || m[Sem] != SemRelaxed || m[Scope] != ScopeCluster || !reducedInShared(m[AtomOp], v.Type()) {
		return nil
	}
	if v.Type().Bits() == 64 {
		return lanes.Store[uint64, uint64]
	}
	return lanes.Store[uint32, uint32]
}

// releasesToGPU reports whether an asynchronous store or reduction is to global memory, with .release and a scope of at
// least .gpu.
func releasesToGPU(v *Variant) bool {
	return (v.Mods[SpaceG] == 0 || v.Mods[SpaceG] == SpaceGlobal) && v.Mods[Sem] == SemRelease && v.Mods[Scope] >= ScopeGPU
}

var reduceSpecs = []*Spec{
	{Name: "cp", With: "reduce.async.bulk.mbarrier::complete_tx::bytes", Mods: "reduce async bulk [sem] [scope] space from completion op type", Form: "[a], [b:from], c:u32, [g:mbar]", Needs: "8.0 sm_90", Kind: Copy, Cost: on(LSU, CostLoadGlobal),
		Doc: "Combines c bytes at a, in shared memory of a CTA of the cluster, with those at b in shared memory, element by element, and stores the results at a. c is a multiple of 16. " +
			"Then c is subtracted from the tx-count of the mbarrier at g.",
		examples: []string{"cp.reduce.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes.add.u32 [%r1], [%r2], 512, [%r3];"},
		Types:    reducedTypes, Legal: reducesShared},
	{Name: "cp", With: "reduce.async.bulk.bulk_group", Mods: "reduce async bulk [sem] [scope] space from completion [hint] op [noftz] type", Form: "[a], [b:from], c:u32, ?e:b64", Needs: "8.0 sm_90", Kind: Copy, Cost: on(LSU, CostReductionGlobal),
		Doc: "Combines c bytes at a in global memory with those at b in shared memory, element by element, and stores the results at a. c is a multiple of 16. Each element is an atomic. " +
			"Subnormal numbers are never flushed, with .noftz or without. The copy belongs to the thread's current bulk group.",
		examples: []string{"cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%rd1], [%r1], 512;"},
		Types:    reducedTypes, Legal: reducesGlobal, Check: cachePolicy},
	{Name: "st", With: "async", Mods: "async [sem] [space] completion [vec] type", Form: "[a], b:v, [g:mbar]", Needs: "8.1 sm_90; b128 8.3; mmio/global 8.7 sm_100", Kind: Copy, Cost: on(LSU, CostStoreShared).of(OpAccess),
		Doc:      "Stores b at a, in shared memory of a CTA of the cluster. Then the size of b is subtracted from the tx-count of the mbarrier at g, in shared memory of the same CTA.",
		examples: []string{"st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%r1], %r2, [%r3];"},
		Mem:      bindAsyncStore},
	{Name: "st", With: "async.release", Mods: "async sem scope [space] type", Form: "[a], b", Needs: "8.7 sm_100", Kind: Store, Cost: &Cost{unit: always(LSU), class: accessCost(Store)},
		Doc: "Stores b at a in global memory, as st.release does.",
		Mem: func(v *Variant) lanes.MemFunc {
			if v.Type() == B128 || !releasesToGPU(v) {
				return nil
			}
			return bindStore(v)
		}},
	{Name: "red", With: "async", Mods: "async sem scope [space] [completion] op type", Form: "[a], b, [g:mbar]", Needs: "8.1 sm_90; mmio/global/gpu/sys 8.7 sm_100", Kind: Copy,
		Cost:     on(LSU, CostStoreShared).of(OpAccess).becomes(add64InShared, otherwise(Own)),
		Doc:      "The new value at a, in shared memory of a CTA of the cluster, is (old op b). Then the size of b is subtracted from the tx-count of the mbarrier at g, in shared memory of the same CTA.",
		examples: []string{"red.async.relaxed.cluster.shared::cluster.mbarrier::complete_tx::bytes.add.u32 [%r1], %r2, [%r3];"},
		Mem:      bindAsyncReduction},
	{Name: "red", With: "async.release", Mods: "async sem scope [space] op type", Form: "[a], b", Needs: "8.7 sm_100", Kind: Atomic, Cost: &Cost{unit: always(LSU), class: reductionCost},
		Doc: "Adds b to the value at a in global memory, as red.release does.",
		Mem: func(v *Variant) lanes.MemFunc {
			switch t := v.Type(); {
			case v.Mods[AtomOp] != AtomAdd || !releasesToGPU(v):
				return nil
			case t == S64: // the same sum
				return atoms[AtomAdd][U64]
			case t == U32, t == S32, t == U64:
				return atoms[AtomAdd][t]
			}
			return nil
		}},
}
