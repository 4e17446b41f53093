package isa

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/sorted"
)

// Rank returns the number of dimensions of the instruction's tensor.
func (m *Mods) Rank() int { return int(m[TensorDims]) }

// tensorForm are the forms with one of the modes: im2col needs at least three dimensions, and four rows need two.
func tensorForm(legal func(v *Variant) bool, modes ...Mod) func(v *Variant) bool {
	return func(v *Variant) bool {
		mode, dims := v.Mods[LoadMode], v.Mods[TensorDims]
		switch {
		case mode != 0 && !slices.Contains(modes, mode):
			return false
		case mode == ModeIm2col || mode == ModeIm2colNoOffsets:
			return dims >= Tensor3D && legal(v)
		case mode == ModeGather4 || mode == ModeScatter4:
			return dims == Tensor2D && legal(v)
		}
		return legal(v)
	}
}

// tensorCoords returns how many coordinates the instruction takes.
func (in *Instr) tensorCoords() int {
	if mode := in.Mods[LoadMode]; mode == ModeGather4 || mode == ModeScatter4 {
		return 5 // a column, and four rows
	}
	return in.Mods.Rank()
}

// openTensor inserts absent operands before others if the modifiers have none: offsets of pixels.
func (in *Instr) openTensor() {
	s := in.Spec
	if in.Mods[TensorG] == 0 {
		return
	}
	for i := range s.formals {
		has := s.formals[i].Kind != Pixels || in.Mods[LoadMode] == ModeIm2col
		if !has && i < len(in.Args) && len(in.Args) < len(s.formals) {
			in.Args = sorted.Insert(in.Args, i, Operand{Reg: NoReg})
		}
	}
}

// checkTensor checks a tensor map with coordinates.
func (in *Instr) checkTensor(n Names, a *Operand) string {
	if a.Kind != ImageOperand || len(a.Elems) < ImageCoords {
		return "write the tensor map in brackets with its coordinates: " + in.Spec.FormText()
	}
	switch t := &a.Elems[ImageName]; t.Kind {
	case RegOperand:
		if msg := checkPointer(n.Reg(t.Reg)); msg != "" {
			return msg
		}
	case SymOperand:
		if v := n.Var(t.Sym); v == nil || v.Space != Param && v.Space != Const && v.Space != Global {
			return fmt.Sprintf("%s is not a variable in .param, .const or .global space, where tensor maps are", t.Sym)
		}
	default:
		return "a tensor map is named by a register with its address, or is a variable"
	}
	coords := a.Elems[ImageCoords:]
	if want := in.tensorCoords(); len(coords) != want {
		return fmt.Sprintf("%s; it takes %d", plural(len(coords), "coordinate"), want)
	}
	p := Formal{Name: 'c'}
	for i := range coords {
		if msg := in.checkValue(n, &p, &coords[i], S32); msg != "" {
			return msg
		}
	}
	return ""
}

// checkPixels checks offsets of the coordinates of pixels.
func (in *Instr) checkPixels(n Names, p *Formal, a *Operand) string {
	want := in.Mods.Rank() - 2
	switch {
	case in.Mods[LoadMode] != ModeIm2col:
		return "offsets are for .im2col"
	case a.Kind != VecOperand || len(a.Elems) != want:
		return fmt.Sprintf("offsets are a vector {…} of %d", want)
	}
	for i := range a.Elems {
		if msg := in.checkValue(n, p, &a.Elems[i], U16); msg != "" {
			return msg
		}
	}
	return ""
}

// checkLoad checks the rest of a copy to shared memory.
func checkTensorLoad(in *Instr) string {
	i := slices.IndexFunc(in.Spec.formals, func(p Formal) bool { return p.Kind == Pixels })
	if in.Mods[LoadMode] == ModeIm2col && (len(in.Args) <= i || in.Args[i].Kind == NoOperand) {
		return fmt.Sprintf(".im2col needs offsets, a vector of %d", in.Mods.Rank()-2)
	}
	return cachePolicy(in)
}

// checkReplace checks the rest of a tensormap.replace.
func checkReplace(in *Instr) string {
	field := in.Mods[MapField]
	ordered := field >= FieldBoxDim && field <= FieldElementStride
	switch has := in.Args[1].Kind != NoOperand; {
	case ordered && !has:
		return fmt.Sprintf("no ordinal; .%s takes [a], ordinal, b", MapField.word(field))
	case !ordered && has:
		return fmt.Sprintf("an ordinal; .%s takes [a], b", MapField.word(field))
	case ordered && in.Args[1].Bits >= 5, field == FieldGlobalStride && in.Args[1].Bits >= 4:
		return fmt.Sprintf("ordinal %d; a tensor has at most 5 dimensions, and one stride less", int64(in.Args[1].Bits))
	case field >= FieldElemType && in.Args[2].Kind != ImmOperand:
		return fmt.Sprintf("the value of .%s is an integer constant", MapField.word(field))
	}
	return ""
}

var tensorCopySpecs = []*Spec{
	{Name: "cp", With: "async.bulk.tensor.mbarrier::complete_tx::bytes", Mods: "async bulk tensor tensordims space from [loadmode] completion [ctagroup] [hint]", Form: "[a], t:map, [g:mbar], ?o:pixels, ?e:b64", Kind: Copy, Cost: on(LSU, CostLoadGlobal),
		Needs: "8.0 sm_90; shared::cta !shared::cluster 8.6 sm_90; tile::gather4 8.6 sm_100; tile::gather4 shared::cluster 8.6 sm_100f sm_110f; im2col::w* 8.6 sm_100; cta_group::* 8.6 sm_100f sm_110f",
		Doc: "Copies a box of a tensor in global memory to shared memory at a, and then subtracts its bytes from the tx-count of the mbarrier at g. The tensor map at the generic address t describes the tensor and the size of a box. " +
			"The coordinates, of type .s32, are the box's beginning. With .im2col the box consists of pixels, and the offsets are added to their coordinates. " +
			".tile::gather4 copies four rows of a tensor of two dimensions: the coordinates are a column and four rows. The policy e has no effect.",
		examples: []string{"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3}], [%r4];",
			"cp.async.bulk.tensor.4d.shared::cta.global.im2col.mbarrier::complete_tx::bytes [%r1], [%rd1, {%r2, %r3, %r4, %r5}], [%r6], {%rs1, %rs2};"},
		Legal: tensorForm(func(v *Variant) bool {
			to := v.Mods[SpaceG]
			return v.Mods[Completion] == CompleteTx && v.Mods[From] == FromGlobal && (to == SpaceSharedCluster || to == SpaceSharedCTA)
		}, ModeTile, ModeIm2col, ModeGather4), Check: checkTensorLoad},
	{Name: "cp", With: "async.bulk.tensor.mbarrier::complete_tx::bytes.multicast::cluster", Mods: "async bulk tensor tensordims space from [loadmode] completion multicast [ctagroup] [hint]", Form: "[a], t:map, [g:mbar], ?o:pixels, h:u16, ?e:b64", Kind: Copy, Cost: on(LSU, CostLoadGlobal),
		Needs: "8.0 sm_90; tile::gather4 8.6 sm_100; tile::gather4 shared::cluster 8.6 sm_100f sm_110f; im2col::w* 8.6 sm_100; cta_group::* 8.6 sm_100f sm_110f",
		Doc: "Copies a box of a tensor in global memory to the shared memory of each CTA of the cluster whose bit in h is set: bit n stands for rank n. The destination in each CTA has the same offset as a in the executing CTA. " +
			"The mbarrier that is notified in each CTA has the same offset as g in the executing CTA. " +
			"With .cta_group::2 it is notified in one CTA of each pair of ranks 2n and 2n+1: the one with an even rank if g's CTA has an even rank, else the one with an odd rank.",
		examples: []string{"cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes.multicast::cluster [%r1], [%rd1, {%r2, %r3}], [%r4], %rs1;"},
		Legal: tensorForm(func(v *Variant) bool {
			return v.Mods[Completion] == CompleteTx && v.Mods[From] == FromGlobal && v.Mods[SpaceG] == SpaceSharedCluster
		}, ModeTile, ModeIm2col, ModeGather4), Check: checkTensorLoad},
	{Name: "cp", With: "async.bulk.tensor.bulk_group", Mods: "async bulk tensor tensordims space from [loadmode] completion [hint]", Form: "t:map, [b:from], ?e:b64", Kind: Copy, Cost: on(LSU, CostStoreGlobal),
		Needs: "8.0 sm_90; tile::scatter4 8.6 sm_100f sm_110f; im2col::w* 8.6 sm_100",
		Doc: "Copies a box of shared memory at b to a tensor in global memory; elements outside the tensor are omitted. The copy belongs to the thread's current bulk group. .im2col_no_offs copies pixels, .tile::scatter4 four rows. " +
			"The policy e has no effect.",
		examples: []string{"cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%rd1, {%r1, %r2}], [%r3];"},
		Legal: tensorForm(func(v *Variant) bool {
			return v.Mods[Completion] == BulkGroup && v.Mods[SpaceG] == SpaceGlobal && v.Mods[From] == FromSharedCTA
		}, ModeTile, ModeIm2colNoOffsets, ModeScatter4), Check: cachePolicy},
	{Name: "cp", With: "reduce.async.bulk.tensor", Mods: "reduce async bulk tensor tensordims space from op [loadmode] completion [hint]", Form: "t:map, [b:from], ?e:b64", Needs: "8.0 sm_90; im2col::w* 8.6 sm_100", Kind: Copy, Cost: on(LSU, CostReductionGlobal),
		Doc: "Combines a box of a tensor in global memory with a box of shared memory at b, element by element, and stores the results in the tensor. Each element is an atomic, of the type in the tensor map at t. " +
			"The copy belongs to the thread's current bulk group. The policy e has no effect.",
		examples: []string{"cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%rd1, {%r1, %r2}], [%r3];"},
		Legal: tensorForm(func(v *Variant) bool {
			return v.Mods[Completion] == BulkGroup && v.Mods[SpaceG] == SpaceGlobal && v.Mods[From] == FromSharedCTA && asyncReductions[v.Mods[AtomOp]] != nil
		}, ModeTile, ModeIm2colNoOffsets), Check: cachePolicy},
	{Name: "cp", With: "async.bulk.prefetch.tensor", Mods: "async bulk prefetchg tensor tensordims oflevel space [loadmode] [hint]", Form: "t:map, ?o:pixels, ?e:b64", Kind: Nop, Cost: on(LSU, CostStoreGlobal),
		Needs:    "8.0 sm_90; tile::gather4 8.6 sm_100; im2col::w* 8.6 sm_100",
		Doc:      "A hint, which simtrun accepts and ignores.",
		examples: []string{"cp.async.bulk.prefetch.tensor.2d.L2.global.tile [%rd1, {%r1, %r2}];"},
		Legal:    tensorForm(func(v *Variant) bool { return v.Mods.MemSpace() == Global }, ModeTile, ModeIm2col, ModeGather4), Check: checkTensorLoad},
	{Name: "tensormap", With: "replace", Mods: "replace loadmode field [space] mapsize type", Form: "[a], ?i:imm, b", Needs: "8.3 sm_90a sm_100f sm_110f sm_120f; swizzle_atomicity 8.6 sm_100f sm_110f sm_120f", Kind: Copy, Cost: on(LSU, CostStoreShared), Types: []Type{B32, B64},
		Doc:      "Sets a field of the tensor map at a to b; for a field with dimensions, i selects the dimension. The rank is written as rank minus 1. Types, layouts and modes are constants with the numbers of the PTX ISA.",
		examples: []string{"tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r1], %rd1;", "tensormap.replace.tile.box_dim.global.b1024.b32 [%rd1], 0, 64;"},
		Legal: func(v *Variant) bool {
			s, f := v.Mods[SpaceG], v.Mods[MapField]
			return v.Mods[LoadMode] == ModeTile && (s == 0 || s == SpaceGlobal || s == SpaceSharedCTA) && (v.Type() == B64) == (f == FieldAddress || f == FieldGlobalStride)
		}, Check: checkReplace},
	{Name: "tensormap", With: "cp_fenceproxy", Mods: "fencecopy space from tensormap sem scope sync aligned", Form: "[a], [b:from], i:imm", Needs: "8.3 sm_90", Kind: Copy, Cost: on(LSU, CostStoreGlobal),
		Doc:      "Copies the tensor map of 128 bytes from shared memory at b to global memory at a. Other threads see it after fence.proxy.tensormap::generic.acquire.",
		examples: []string{"tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned [%rd1], [%r1], 128;"},
		Legal: func(v *Variant) bool {
			return v.Mods[SpaceG] == SpaceGlobal && v.Mods[From] == FromSharedCTA && v.Mods[TensorMapG] == TensorMapGeneric && v.Mods[Sem] == SemRelease
		},
		Check: func(in *Instr) string {
			if in.Args[2].Bits != mapBytes {
				return "a tensor map has 128 bytes"
			}
			return ""
		}},
}
