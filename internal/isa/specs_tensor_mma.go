package isa

import "fmt"

// scaleCounts are how many scales a row of A has, by kind and by the modifier for their number. PTX does not have the
// other combinations.
var scaleCounts = map[Mod]map[Mod]int{
	TensorMXF8F6F4: {0: 1, Scales1: 1, ScaleOf32: 1},
	TensorMXF4:     {0: 2, Scales2: 2, ScaleOf32: 2},
	TensorMXF4NVF4: {Scales2: 2, ScaleOf32: 2, Scales4: 4, ScaleOf16: 4},
}

// TensorScales returns how many scales a row of A and a column of B have in a product in tensor memory; 0 for none.
func (m *Mods) TensorScales() int { return scaleCounts[m[TensorKind]][m[ScaleCount]] }

// isPlainKind is the Legal of tcgen05.mma without scales.
func isPlainKind(v *Variant) bool { return scaleCounts[v.Mods[TensorKind]] == nil }

// maxScaleD is the largest exponent of 2 for dividing D.
const maxScaleD = 15

// checkScaleD checks the exponent of 2 for dividing D.
func checkScaleD(in *Instr) string {
	last := len(in.Spec.formals) - 1
	if len(in.Args) <= last || in.Args[last].Kind == NoOperand {
		return ""
	}
	switch k := in.Mods[TensorKind]; {
	case k != TensorF16 && k != TensorTF32:
		return "D is divided by a power of 2 with .kind::f16 and .kind::tf32 alone"
	case in.Args[last].Bits > maxScaleD:
		return fmt.Sprintf("D is divided by 2 to the power of 0 to %d", maxScaleD)
	}
	return ""
}

var tensorProductSpecs = func() []*Spec {
	plain := tensorRow("mma", "ctagroup tensorkind [collector]", "[a:tensor], b:factor, c:b64, e:b32, ?v:lanes, p:pred, ?i:imm", CostMatrix,
		"D = A * B + D, or A * B if p does not hold. D is in tensor memory at a; descriptor e gives its shape and the types. A is a matrix in shared memory with descriptor b, or is in tensor memory at b; B is a matrix in shared memory with descriptor c. "+
			"One thread executes it for the block, or for the pair of blocks, and simtrun completes it at once. Lanes of tensor memory whose bits are set in the four registers v keep their values. If i is given, D is first divided by 2^i. "+
			"An element of D of .f16 is in the lower half of a cell, and the upper half becomes 0. "+
			"Sums are those of mma: D and the 8, 16, 32 or 64 products of a row and a column are truncated 25 bits below the largest exponent. Their sum is exact, and is truncated to .f32 or rounded to .f16. "+
			"So each summand is off by less than 2^-25 of twice the largest one, and the sum by less than one unit in the last place. NVIDIA has not published where a B200 truncates, so only sums without such bits are known to be equal. "+
			"With .cta_group::2 the block with the even rank of a pair has the upper half of the rows of A and D and the left half of the columns of B, and the other block has the other halves, at the same addresses. Either block may execute it. "+
			"M is 256 or 128; with 128, lanes 64 to 127 have the right half of the columns of D. v has eight registers, the first four for the block with the even rank. A in tensor memory with an M of 128 is not supported yet. "+
			"Collectors have no effect on results. Elements of 4 and 6 bits are packed in shared memory, 16 in the first bytes of each 16 bytes. In tensor memory they are bytes; elements of 4 bits begin at bit 2. Swizzling mode 1 is supported for .tf32 only.").
		show("tcgen05.mma.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;", "tcgen05.mma.cta_group::1.kind::tf32 [%r1], [%r3], %rd2, %r2, {%r4, %r5, %r6, %r7}, %p1, 2;")
	plain.Needs += "; kind::i8 8.6 sm_100a sm_110a"
	plain.Legal, plain.Check = isPlainKind, checkScaleD
	scaled := tensorRow("mma.block_scale", "ctagroup tensorkind blockscale [scales] [collector]", "[a:tensor], b:factor, c:b64, e:b32, [f:tensor], [g:tensor], p:pred", CostMatrix,
		"tcgen05.mma with scales for the blocks of each row of A and each column of B, in tensor memory at f and g. The scales of row or column n are in lane n%32 of each warp and in column n/32; e names the byte of the first one. "+
			"A row has one block with .kind::mxf8f6f4, two with .kind::mxf4, and two or four with .kind::mxf4nvf4. Products with their scales are exact before they are truncated. "+
			"With .cta_group::2 the tensor memory of each block has the scales of its own rows of A and of all columns of B. M is 256; 128 is not supported yet.").
		show("tcgen05.mma.cta_group::1.kind::mxf4.block_scale.block32 [%r1], %rd1, %rd2, %r2, [%r3], [%r4], %p1;")
	scaled.Needs += "; kind::mxf4nvf4 8.7; scale_vec::1X/scale_vec::2X/scale_vec::4X 8.6 sm_100a sm_103a sm_110a; block16/block32 8.8"
	scaled.Legal = func(v *Variant) bool { return v.Mods.TensorScales() > 0 }
	stationary := tensorRow("mma.ws", "ws ctagroup tensorkind [collectorb]", "[a:tensor], b:factor, c:b64, e:b32, p:pred, ?f:b64", CostMatrix,
		"tcgen05.mma for D of 64 or 32 rows, which are spread over all lanes. With 64 rows, lanes 64 to 127 have the right half of the columns. With 32 rows, the lanes from 0, 32, 64 and 96 on have a quarter of the columns each. "+
			"The descriptor f says which columns of B are zero, and from which column B begins. A in tensor memory with fewer than 128 rows is not supported yet.").
		show("tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %rd1, %rd2, %r2, %p1;")
	stationary.Needs += "; kind::i8 8.6 sm_100a sm_110a"
	stationary.Legal = func(v *Variant) bool { return isPlainKind(v) && v.Mods[CTAGroup] != TwoCTAs }
	all := []*Spec{plain, scaled, stationary}
	for _, s := range all {
		s.ofOperation()
	}
	return all
}()
