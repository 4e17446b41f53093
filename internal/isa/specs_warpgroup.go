package isa

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/lanes"
)

// The operations of wgmma.
const (
	WarpgroupMMA Mod = iota + 1
	WarpgroupFence
	WarpgroupCommit
	WarpgroupWait
)

// Actions of setmaxnreg.
const (
	RegistersInc Mod = iota + 1
	RegistersDec
)

const (
	warpgroupRows = 64
	// WarpRows is how many rows of A and D of a warpgroup's product each warp has.
	WarpRows = 16
	// RowBytes is the number of stored bytes of a row of A.
	RowBytes = 32
	// warpgroupWidths is the number of possible widths of B, which are multiples of 8.
	warpgroupWidths = 32
)

// warpgroupDepths are the depths of products of warpgroups: 32 bytes of a row, or 64 with a sparse A.
var warpgroupDepths = [...]int{8, 16, 32, 64, 256}

// groupShapeWords are the shapes by depth, then by width.
var groupShapeWords = func() (all []string) {
	for _, k := range warpgroupDepths {
		for i := range warpgroupWidths {
			all = append(all, fmt.Sprintf("m%dn%dk%d", warpgroupRows, 8*(i+1), k))
		}
	}
	return all
}()

// groupShape returns the columns of B and the depth of a shape.
func groupShape(m Mod) (n, k int) {
	i := int(m - 1)
	return 8 * (i%warpgroupWidths + 1), warpgroupDepths[i/warpgroupWidths]
}

// groupProduct is a set of warpgroup products with types in common.
type groupProduct struct {
	factors, sums []Mod
	depth         int
	mixed         bool // A and B may have different types
	scales        bool // elements of A and B may be negated
	transposes    bool // A and B may be transposed in shared memory
}

var groupProducts = []groupProduct{
	{factors: []Mod{FactorF16}, sums: []Mod{SumF16, SumF32}, depth: 16, scales: true, transposes: true},
	{factors: []Mod{FactorBF16}, sums: []Mod{SumF32}, depth: 16, scales: true, transposes: true},
	{factors: []Mod{FactorTF32}, sums: []Mod{SumF32}, depth: 8, scales: true},
	{factors: []Mod{FactorE4M3, FactorE5M2}, sums: []Mod{SumF16, SumF32}, depth: 32, mixed: true, scales: true},
	{factors: []Mod{FactorS8, FactorU8}, sums: []Mod{SumS32}, depth: 32, mixed: true},
	{factors: []Mod{FactorB1}, sums: []Mod{SumS32}, depth: 256},
}

// allows reports whether products of the form have these modifiers: all that they need or, if partial is true, some
// of them.
func (p *groupProduct) allows(m *Mods, partial bool) bool {
	a, b, integers, bits := m[AType], m[BType], p.sums[0] == SumS32, p.factors[0] == FactorB1
	depth := p.depth
	if m[Sparse] != 0 {
		depth *= 2
	}
	switch {
	case !fits(a, p.factors, partial), !fits(b, p.factors, partial), !fits(m[DType], p.sums, partial), m[GroupShape] == 0 && !partial:
		return false
	case a != b && a != 0 && b != 0 && !p.mixed, m[SatFinite] != 0 && (!integers || bits), bits && m[Sparse] != 0:
		return false
	case bits && !partial && (m[BitOp] == 0 || m[Popc] == 0), !bits && (m[BitOp] != 0 || m[Popc] != 0), m[BitOp] == BitXor:
		return false
	}
	if m[GroupShape] == 0 {
		return true
	}
	n, k := groupShape(m[GroupShape])
	return k == depth && (!integers || n <= 32 || n%16 == 0)
}

// groupProductOf returns the part of one warp in the product of a variant of wgmma.mma_async; false if PTX does not
// have it.
func groupProductOf(m *Mods) (p lanes.Product, of *groupProduct, ok bool) {
	for i := range groupProducts {
		of := &groupProducts[i]
		if !of.allows(m, false) {
			continue
		}
		p := lanes.Product{M: WarpRows, A: factorTypes[m[AType]], B: factorTypes[m[BType]], C: sumTypes[m[DType]], D: sumTypes[m[DType]],
			And: m[BitOp] == BitAnd, Saturates: m[SatFinite] != 0, Sparse: m[Sparse] != 0, Coarse: of.factors[0] == FactorE4M3}
		p.N, p.K = groupShape(m[GroupShape])
		return p, of, true
	}
	return p, nil, false
}

// GroupProduct returns the part of one warp in the product of a wgmma.mma_async.
func (in *Instr) GroupProduct() lanes.Product {
	p, _, _ := groupProductOf(in.Mods)
	return p
}

// groupFragment is the Fragment of wgmma.mma_async: of D, and of A if it is in registers.
func groupFragment(m *Mods, operand byte) (registers int, t Type) {
	p, _, ok := groupProductOf(m)
	if !ok {
		return 0, NoType
	}
	if operand == 'd' {
		return p.Registers(lanes.FragmentD), fragmentType(p.D)
	}
	return p.Registers(lanes.FragmentA), B32
}

// GroupOperand has the indices in Args of the operands of wgmma.mma_async.
type GroupOperand struct{ D, A, B, Metadata, Selector, ScaleD, Immediates int }

// GroupOperands returns the indices in Args of the operands of a wgmma.mma_async. Immediates is the first of the
// immediate operands at the end.
func (in *Instr) GroupOperands() GroupOperand {
	if in.Mods[Sparse] != 0 {
		return GroupOperand{D: 0, A: 1, B: 2, Metadata: 3, Selector: 4, ScaleD: 5, Immediates: 6}
	}
	return GroupOperand{D: 0, A: 1, B: 2, ScaleD: 3, Immediates: 4}
}

// GroupImmediates returns the values of the immediate operands of a wgmma.mma_async.
func (in *Instr) GroupImmediates() (negateA, negateB, transposeA, transposeB bool) {
	_, of, _ := groupProductOf(in.Mods)
	at := in.GroupOperands()
	if !of.scales {
		return
	}
	negateA, negateB = in.Args[at.Immediates].Bits != 1, in.Args[at.Immediates+1].Bits != 1
	if !of.transposes {
		return
	}
	if in.Args[at.A].Kind == VecOperand {
		return negateA, negateB, false, in.Args[at.Immediates+2].Bits == 1
	}
	return negateA, negateB, in.Args[at.Immediates+2].Bits == 1, in.Args[at.Immediates+3].Bits == 1
}

// checkGroupProduct checks the immediate operands of wgmma.mma_async: their number and values.
func checkGroupProduct(in *Instr) string {
	p, of, _ := groupProductOf(in.Mods)
	at := in.GroupOperands()
	names := []string{}
	if of.scales {
		names = append(names, "imm-scale-a", "imm-scale-b")
	}
	if of.transposes && in.Args[at.A].Kind != VecOperand {
		names = append(names, "imm-trans-a")
	}
	if of.transposes {
		names = append(names, "imm-trans-b")
	}
	if have := in.given() - at.Immediates; have != len(names) {
		what := "none"
		if len(names) > 0 {
			what = fmt.Sprint(names)
		}
		return fmt.Sprintf("%s after scale-d; it takes %s", plural(have, "operand"), what)
	}
	for i, name := range names {
		switch v := int64(in.Args[at.Immediates+i].Bits); {
		case i < 2 && v != 1 && v != -1:
			return fmt.Sprintf("%s is %d; it must be 1 or -1", name, v)
		case i >= 2 && v != 0 && v != 1:
			return fmt.Sprintf("%s is %d; it must be 0 or 1", name, v)
		}
	}
	if p.Sparse {
		return checkSelectorOf(&p, in.Args[at.Selector].Bits)
	}
	return ""
}

// startsAnew reports whether the old value of D is ignored: scale-d is false, and a constant.
func startsAnew(in *Instr) bool {
	a := &in.Args[in.GroupOperands().ScaleD]
	return a.Kind == ImmOperand && (a.Bits == 0) != a.Not
}

// groupFLOPs is the Cost.perWarp of wgmma.mma_async.
func groupFLOPs(in *Instr) int {
	p := in.GroupProduct()
	switch {
	case p.C == lanes.MatrixS32:
		return 0
	case p.Sparse:
		return p.M * p.N * p.K
	}
	return 2 * p.M * p.N * p.K
}

// groupProductRow is the row of wgmma.mma_async with one of the modifiers, or without, since a version of PTX.
func groupProductRow(with string, since Needs, sparse Mod, mods, form, doc string) *Spec {
	return &Spec{Name: "wgmma", With: with, Mods: mods, Form: form, Needs: since + " sm_90a; u8 s8 8.4", Kind: Warpgroup, Cost: &Cost{unit: always(Tensor), class: always(CostMatrixGroup), perWarp: groupFLOPs}, Doc: doc,
		Legal: func(v *Variant) bool {
			_, _, ok := groupProductOf(v.Mods)
			return ok && v.Mods[WarpgroupG] == WarpgroupMMA && v.Mods[Sparse] == sparse
		},
		Syntax: Syntax{possible: func(m *Mods) bool {
			if !fits(m[WarpgroupG], []Mod{WarpgroupMMA}, true) || sparse != 0 && !fits(m[Sparse], []Mod{sparse}, true) {
				return false
			}
			set := *m
			set[Sparse] = sparse
			for i := range groupProducts {
				if groupProducts[i].allows(&set, true) {
					return true
				}
			}
			return false
		}, fragment: groupFragment},
		Facts: Facts{WholeWarp: true, Accumulates: func(in *Instr) bool { return !startsAnew(in) }}, Check: checkGroupProduct}
}

// groupOrder is the row of a wgmma instruction that orders others.
func groupOrder(with string, op Mod, form, doc string) *Spec {
	return &Spec{Name: "wgmma", With: with, Mods: "wgmma sync aligned", Form: form, Needs: "8.0 sm_90a", Kind: Warpgroup, Cost: on(CBU, CostWarpSync), Doc: doc,
		Legal: func(v *Variant) bool { return v.Mods[WarpgroupG] == op }, Facts: Facts{WholeWarp: true}}
}

var warpgroupSpecs = []*Spec{
	groupProductRow("mma_async", "8.0", 0, "wgmma sync aligned gshape [satfinite] dtype atype btype [bitop] [popc]", "d:frag, a:matrix, b:b64, p:pred, ?x:imm, ?y:imm, ?u:imm, ?v:imm",
		"d = a * b + d, or a * b if the predicate p does not hold, for matrices of 64 rows. A warpgroup computes it: warps 4*i to 4*i+3 of the CTA. All of their lanes must execute it, with the same descriptors. "+
			"Warp w has the 16 rows of d from row w%4*16 on, and the same rows of a if a is in registers, in the fragments of mma.m16n8 of the same depth; the fragments of d stand next to each other. "+
			"If a is a register of 64 bits, it is the descriptor of a matrix in shared memory; b always is one. For floating-point types x and y are 1, or -1 to negate a and b. "+
			"For .f16 and .bf16, u (if a is in shared memory) and v are 0 if the matrix is K-major; 1 means M-major for a and N-major for b. For other types both are K-major. "+
			"Products and sums are those of mma, with one difference: for .e4m3 and .e5m2, as on an H100, summands are truncated 13 bits below the largest exponent, and the sum to 13 bits of .f32. "+
			"In PTX it is asynchronous; simtrun completes it at once. --check race and --check sync find missing waits.").
		show("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%f1, %f2, %f3, %f4}, %rd1, %rd2, %p1, 1, 1, 0, 0;",
			"wgmma.mma_async.sync.aligned.m64n16k8.f32.tf32.tf32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4}, %rd1, 1, 1, -1;"),
	groupProductRow("mma_async.sp", "8.2", SparseAny, "wgmma sp sync aligned gshape [satfinite] dtype atype btype", "d:frag, a:matrix, b:b64, e:b32, f:imm, p:pred, ?x:imm, ?y:imm, ?u:imm, ?v:imm",
		"d = a * b + d as in wgmma.mma_async, with a sparse matrix a as in mma.sp: half of the elements of each row are stored. The metadata e and the selector f are those of mma.sp for the 16 rows of the warp.").
		show("wgmma.mma_async.sp.sync.aligned.m64n8k64.s32.s8.u8 {%r1, %r2, %r3, %r4}, %rd1, %rd2, %r5, 0, %p1;"),
	groupOrder("fence", WarpgroupFence, "", "Orders accesses to registers before wgmma.mma_async. PTX requires it before the first wgmma.mma_async, and after other instructions have changed registers of d or a. simtrun executes in order, so it has no effect."),
	groupOrder("commit_group", WarpgroupCommit, "", "Makes a group of the wgmma.mma_async that the warpgroup has issued since its previous wgmma.commit_group."),
	groupOrder("wait_group", WarpgroupWait, "i:imm", "Waits until all groups of wgmma.mma_async except the latest i are complete, which requires that all four warps have executed them."),
	{Name: "setmaxnreg", Mods: "registers sync aligned type", Form: "i:imm", Needs: "8.0 sm_90a sm_100f sm_110f sm_120f", Kind: Warpgroup, Cost: on(CBU), Types: []Type{U32}, Facts: Facts{WholeWarp: true},
		Doc: "Sets the number of registers that each thread of the warp owns to i (24 to 256, a multiple of 8). All four warps of the warpgroup must execute it. " +
			".dec releases registers to the block's pool; .inc takes registers from it, and waits until the pool has them. Warps that end release their registers. " +
			"It has no effect in a kernel without a directive or an option that limits its registers.",
		examples: []string{"setmaxnreg.dec.sync.aligned.u32 64;"},
		Check: func(in *Instr) string {
			if n := in.Args[0].Bits; n < 24 || n > 256 || n%8 != 0 {
				return "a number of registers is a multiple of 8 from 24 to 256"
			}
			return ""
		}},
}
