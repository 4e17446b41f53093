package isa

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/lanes"
)

// Shapes of matrices, as modifiers.
const (
	ShapeM8N8 Mod = iota + 1
	ShapeM8N8K4
	ShapeM16N8K4
	ShapeM16N8K8
	ShapeM16N8K16
	ShapeM8N8K16
	ShapeM16N8K32
	ShapeM8N8K32
	ShapeM16N8K64
	ShapeM8N8K128
	ShapeM16N8K128
	ShapeM16N8K256
	ShapeM16N16K16
	ShapeM8N32K16
	ShapeM32N8K16
	ShapeM16N16K8
	ShapeM16N16
	ShapeM8N16
	ShapeM16N8
)

// Types of the elements of C and D, as modifiers.
const (
	SumF16 Mod = iota + 1
	SumF32
	SumF64
	SumS32
)

// Types of the elements of A and B, as modifiers.
const (
	FactorF16 Mod = iota + 1
	FactorBF16
	FactorTF32
	FactorF64
	FactorE4M3
	FactorE5M2
	FactorS8
	FactorU8
	FactorS4
	FactorU4
	FactorB1
	FactorE3M2
	FactorE2M3
	FactorE2M1
)

// Numbers of block scales of a row or column, and their type, as modifiers.
const (
	ScaleVec1X Mod = iota + 1
	ScaleVec2X
	ScaleVec4X
)

const (
	ScaleUE8M0 Mod = iota + 1
	ScaleUE4M3
)

// Kinds of the formats of A and B, as modifiers.
const (
	KindF8F6F4 Mod = iota + 1
	KindMXF8F6F4
	KindMXF4
	KindMXF4NVF4
)

const (
	LayoutRow Mod = iota + 1
	LayoutCol
)

const (
	SparseAny Mod = iota + 1
	SparseOrdered
)

const (
	BitXor Mod = iota + 1
	BitAnd
)

var (
	shapeWords = words("m8n8", "m8n8k4", "m16n8k4", "m16n8k8", "m16n8k16", "m8n8k16", "m16n8k32", "m8n8k32", "m16n8k64", "m8n8k128", "m16n8k128", "m16n8k256",
		"m16n16k16", "m8n32k16", "m32n8k16", "m16n16k8", "m16n16", "m8n16", "m16n8")
	// Sums have only the first four types, so that the first suitable type of a mnemonic is that of D.
	sumWords    = words("f16", "f32", "f64", "s32")
	factorWords = words("f16", "bf16", "tf32", "f64", "e4m3", "e5m2", "s8", "u8", "s4", "u4", "b1", "e3m2", "e2m3", "e2m1")
	layoutWords = words("row", "col")
)

var (
	sumTypes    = [...]lanes.MatrixType{SumF16: lanes.MatrixF16, SumF32: lanes.MatrixF32, SumF64: lanes.MatrixF64, SumS32: lanes.MatrixS32}
	factorTypes = [...]lanes.MatrixType{FactorF16: lanes.MatrixF16, FactorBF16: lanes.MatrixBF16, FactorTF32: lanes.MatrixTF32, FactorF64: lanes.MatrixF64,
		FactorE4M3: lanes.MatrixE4M3, FactorE5M2: lanes.MatrixE5M2, FactorS8: lanes.MatrixS8, FactorU8: lanes.MatrixU8, FactorS4: lanes.MatrixS4, FactorU4: lanes.MatrixU4, FactorB1: lanes.MatrixB1,
		FactorE3M2: lanes.MatrixE3M2, FactorE2M3: lanes.MatrixE2M3, FactorE2M1: lanes.MatrixE2M1Byte}
)

// shapeSizes are the rows of A, the columns of B and the depth of products.
var shapeSizes = [...][3]int{ShapeM8N8K4: {8, 8, 4}, ShapeM16N8K4: {16, 8, 4}, ShapeM16N8K8: {16, 8, 8}, ShapeM16N8K16: {16, 8, 16}, ShapeM8N8K16: {8, 8, 16},
	ShapeM16N8K32: {16, 8, 32}, ShapeM8N8K32: {8, 8, 32}, ShapeM16N8K64: {16, 8, 64}, ShapeM8N8K128: {8, 8, 128}, ShapeM16N8K128: {16, 8, 128}, ShapeM16N8K256: {16, 8, 256},
	ShapeM16N16K16: {16, 16, 16}, ShapeM8N32K16: {8, 32, 16}, ShapeM32N8K16: {32, 8, 16}, ShapeM16N16K8: {16, 16, 8}}

// productForm is a set of PTX products with types in common.
type productForm struct {
	shapes, factors, sums []Mod
	mixed                 bool // A and B may have different types
	sparse                bool // A is sparse
	kinds                 []Mod
}

// smallFactors are the types of .kind::f8f6f4 and .kind::mxf8f6f4: an element is in a byte.
var smallFactors = []Mod{FactorE4M3, FactorE5M2, FactorE3M2, FactorE2M3, FactorE2M1}

// scaledProducts are the products of mma with .block_scale.
var scaledProducts = []productForm{
	{shapes: []Mod{ShapeM16N8K32}, factors: smallFactors, sums: []Mod{SumF32}, mixed: true, kinds: []Mod{KindMXF8F6F4}},
	{shapes: []Mod{ShapeM16N8K64}, factors: []Mod{FactorE2M1}, sums: []Mod{SumF32}, kinds: []Mod{KindMXF4, KindMXF4NVF4}},
}

// sparseScaledProducts are the scaled products of mma.sp::ordered_metadata.
var sparseScaledProducts = []productForm{
	{shapes: []Mod{ShapeM16N8K64}, factors: smallFactors, sums: []Mod{SumF32}, mixed: true, sparse: true, kinds: []Mod{KindMXF8F6F4}},
	{shapes: []Mod{ShapeM16N8K128}, factors: []Mod{FactorE2M1}, sums: []Mod{SumF32}, sparse: true, kinds: []Mod{KindMXF4, KindMXF4NVF4}},
}

// products are the products of mma.
var products = []productForm{
	{shapes: []Mod{ShapeM8N8K4, ShapeM16N8K8, ShapeM16N8K16}, factors: []Mod{FactorF16}, sums: []Mod{SumF16, SumF32}},
	{shapes: []Mod{ShapeM16N8K8, ShapeM16N8K16}, factors: []Mod{FactorBF16}, sums: []Mod{SumF32}},
	{shapes: []Mod{ShapeM16N8K4, ShapeM16N8K8}, factors: []Mod{FactorTF32}, sums: []Mod{SumF32}},
	{shapes: []Mod{ShapeM16N8K16, ShapeM16N8K32}, factors: []Mod{FactorE4M3, FactorE5M2}, sums: []Mod{SumF16, SumF32}, mixed: true},
	{shapes: []Mod{ShapeM16N8K32}, factors: smallFactors, sums: []Mod{SumF16, SumF32}, mixed: true, kinds: []Mod{KindF8F6F4}},
	{shapes: []Mod{ShapeM8N8K4, ShapeM16N8K4, ShapeM16N8K8, ShapeM16N8K16}, factors: []Mod{FactorF64}, sums: []Mod{SumF64}},
	{shapes: []Mod{ShapeM8N8K16, ShapeM16N8K16, ShapeM16N8K32}, factors: []Mod{FactorS8, FactorU8}, sums: []Mod{SumS32}, mixed: true},
	{shapes: []Mod{ShapeM8N8K32, ShapeM16N8K32, ShapeM16N8K64}, factors: []Mod{FactorS4, FactorU4}, sums: []Mod{SumS32}, mixed: true},
	{shapes: []Mod{ShapeM8N8K128, ShapeM16N8K128, ShapeM16N8K256}, factors: []Mod{FactorB1}, sums: []Mod{SumS32}},
}

// sparseProducts are the products of mma.sp.
var sparseProducts = []productForm{
	{shapes: []Mod{ShapeM16N8K16, ShapeM16N8K32}, factors: []Mod{FactorF16}, sums: []Mod{SumF16, SumF32}, sparse: true},
	{shapes: []Mod{ShapeM16N8K16, ShapeM16N8K32}, factors: []Mod{FactorBF16}, sums: []Mod{SumF32}, sparse: true},
	{shapes: []Mod{ShapeM16N8K8, ShapeM16N8K16}, factors: []Mod{FactorTF32}, sums: []Mod{SumF32}, sparse: true},
	{shapes: []Mod{ShapeM16N8K64}, factors: []Mod{FactorE4M3, FactorE5M2}, sums: []Mod{SumF32}, mixed: true, sparse: true},
	{shapes: []Mod{ShapeM16N8K64}, factors: smallFactors, sums: []Mod{SumF16, SumF32}, mixed: true, sparse: true, kinds: []Mod{KindF8F6F4}},
	{shapes: []Mod{ShapeM16N8K32, ShapeM16N8K64}, factors: []Mod{FactorS8, FactorU8}, sums: []Mod{SumS32}, mixed: true, sparse: true},
	{shapes: []Mod{ShapeM16N8K64, ShapeM16N8K128}, factors: []Mod{FactorS4, FactorU4}, sums: []Mod{SumS32}, mixed: true, sparse: true},
}

// productsOf returns the products of the row with modifiers for block scales or sparsity, or without them.
func productsOf(m *Mods) []productForm {
	switch {
	case m[BlockScale] != 0 && m[Sparse] != 0:
		return sparseScaledProducts
	case m[BlockScale] != 0:
		return scaledProducts
	case m[Sparse] != 0:
		return sparseProducts
	}
	return products
}

// fits reports whether a modifier is one of several; if partial is true, it may also be absent.
func fits(m Mod, among []Mod, partial bool) bool {
	for _, one := range among {
		if m == one {
			return true
		}
	}
	return partial && m == 0
}

// allows reports whether products of the form have these modifiers: all that they need or, if partial is true, some
// of them.
func (p *productForm) allows(m *Mods, partial bool) bool {
	a, b, c, d := m[AType], m[BType], m[CType], m[DType]
	quads := m[MatrixShape] == ShapeM8N8K4 && p.factors[0] == FactorF16
	integers := p.sums[0] == SumS32
	bits := p.factors[0] == FactorB1
	switch {
	case !fits(m[MatrixShape], p.shapes, partial), !fits(a, p.factors, partial), !fits(b, p.factors, partial), !fits(c, p.sums, partial), !fits(d, p.sums, partial):
		return false
	case len(p.kinds) == 0 && m[ProductKind] != 0, len(p.kinds) > 0 && !fits(m[ProductKind], p.kinds, partial):
		return false
	case a != b && a != 0 && b != 0 && !p.mixed:
		return false
	case c != d && c != 0 && d != 0 && !(d == SumF32 && (quads || partial && m[MatrixShape] == 0)):
		return false
	case m[SatFinite] != 0 && (!integers || bits):
		return false
	case bits && !partial && (m[BitOp] == 0 || m[Popc] == 0), !bits && (m[BitOp] != 0 || m[Popc] != 0):
		return false
	case quads:
		return true
	}
	return m[ALayout] != LayoutCol && m[BLayout] != LayoutRow || partial && m[MatrixShape] == 0
}

// productOf returns the product of a variant of mma; false if PTX does not have it.
func productOf(m *Mods) (lanes.Product, bool) {
	forms := productsOf(m)
	for i := range forms {
		if !forms[i].allows(m, false) {
			continue
		}
		p := lanes.Product{A: factorTypes[m[AType]], B: factorTypes[m[BType]], C: sumTypes[m[CType]], D: sumTypes[m[DType]],
			And: m[BitOp] == BitAnd, Saturates: m[SatFinite] != 0, Sparse: forms[i].sparse, Ordered: m[Sparse] == SparseOrdered}
		size := shapeSizes[m[MatrixShape]]
		p.M, p.N, p.K = size[0], size[1], size[2]
		if m[ProductKind] >= KindMXF4 {
			p.A, p.B = lanes.MatrixE2M1, lanes.MatrixE2M1
		}
		if m[BlockScale] != 0 {
			if p.Scaling, _ = scalingOf(m); p.Blocks == 0 {
				return lanes.Product{}, false
			}
		}
		if p.Quads = p.A == lanes.MatrixF16 && p.K == 4; p.Quads {
			p.ColA, p.RowB = m[ALayout] == LayoutCol, m[BLayout] == LayoutRow
		}
		return p, true
	}
	return lanes.Product{}, false
}

// scalingOf returns how the modifiers of a mma with .block_scale scale A and B; false if PTX does not have them
// together (PTX ISA 9.7.14, block scaling for mma.sync).
func scalingOf(m *Mods) (s lanes.Scaling, ok bool) {
	scales, fine := m[ScaleCount], m[ScaleType] == ScaleUE4M3
	switch kind := m[ProductKind]; {
	case kind == KindMXF8F6F4 && (scales == 0 || scales == ScaleVec1X) && !fine:
		s.Blocks = 1
	case kind == KindMXF4 && (scales == 0 || scales == ScaleVec2X) && !fine, kind == KindMXF4NVF4 && scales == ScaleVec2X && !fine:
		s.Blocks = 2
	case kind == KindMXF4NVF4 && scales == ScaleVec4X:
		s.Blocks, s.Fine = 4, fine
	}
	return s, s.Blocks > 0
}

// scaledFragment is the Fragment of mma with .block_scale: matrices, scales, and the two numbers that choose among
// these.
func scaledFragment(m *Mods, operand byte) (registers int, t Type) {
	if _, ok := productOf(m); !ok {
		return 0, NoType
	}
	switch operand {
	case 'e', 'g', 's', 'u':
		return 1, B32
	case 'f', 'h', 't', 'v':
		return 2, U16
	}
	return productFragment(m, operand)
}

// checkScales checks the constants that choose scales.
func checkScales(in *Instr) string {
	s, _ := scalingOf(in.Mods)
	after := len(in.Args) - 4 // the scales are the last operands
	for i, threads := range map[int]uint64{after + 1: 2, after + 3: 4} {
		first, thread := &in.Args[i].Elems[0], &in.Args[i].Elems[1]
		switch {
		case first.Kind == ImmOperand && (first.Bits > 3 || first.Bits%uint64(s.Blocks) != 0):
			return fmt.Sprintf("the first of %d scales is byte %d of a register; it is a multiple of %d below 4", s.Blocks, first.Bits, s.Blocks)
		case thread.Kind == ImmOperand && thread.Bits >= threads:
			return fmt.Sprintf("the scales of operand %c are those of thread %d; it is one of %d", in.Spec.formals[i].Name, thread.Bits, threads)
		}
	}
	return ""
}

// mayBeProduct reports whether a product has at least these modifiers.
func mayBeProduct(m *Mods) bool { return mayBeOneOf(products, m) }

func mayBeOneOf(forms []productForm, m *Mods) bool {
	return slices.ContainsFunc(forms, func(p productForm) bool { return p.allows(m, true) })
}

// checkSelector checks the sparsity selector.
func checkSelector(in *Instr) string {
	p, _ := productOf(in.Mods)
	return checkSelectorOf(&p, in.Args[5].Bits)
}

func checkSelectorOf(p *lanes.Product, selector uint64) string {
	if n := p.Selectors(); selector >= uint64(n) {
		return fmt.Sprintf("the sparsity selector is %d; it must be %s", int64(selector), []string{1: "0", 2: "0 or 1", 4: "0, 1, 2 or 3"}[n])
	}
	return ""
}

// checkSparseScales checks the sparsity selector, and the constants that choose scales.
func checkSparseScales(in *Instr) string {
	if msg := checkSelector(in); msg != "" {
		return msg
	}
	return checkScales(in)
}

// sparse is the row of mma with one of the modifiers, since a version of PTX.
func sparse(with string, since Needs, mod Mod, doc string) *Spec {
	return &Spec{Name: "mma", With: with, Mods: "sp sync aligned shape alayout blayout [kind] [satfinite] dtype atype btype ctype", Form: "d:frag, a:frag, b:frag, c:frag, e:b32, f:imm", Kind: Matrix,
		Needs: since + " sm_80; e4m3/e5m2 8.4 sm_89; e4m3/e5m2 f16 8.7; e3m2/e2m3/e2m1/kind::*/block_scale 8.7 sm_120f",
		Cost:  &Cost{unit: always(Tensor), class: matrixCost, perWarp: productFLOPs}, Doc: doc,
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Sparse] != mod {
				return nil
			}
			return bindProduct(v)
		},
		Syntax: Syntax{possible: func(m *Mods) bool { return fits(m[Sparse], []Mod{mod}, true) && mayBeOneOf(sparseProducts, m) }, fragment: productFragment},
		Facts:  Facts{WholeWarp: true}, Lower: Lower{product: productOf}, Check: checkSelector}
}

// bindProduct is the Bind of mma.
func bindProduct(v *Variant) lanes.Func {
	p, ok := productOf(v.Mods)
	if !ok {
		return nil
	}
	return p.Func()
}

// productFragment is the Fragment of mma.
func productFragment(m *Mods, operand byte) (registers int, t Type) {
	p, ok := productOf(m)
	if !ok {
		return 0, NoType
	}
	matrix := fragmentNames[operand]
	return p.Registers(matrix), fragmentType([...]lanes.MatrixType{p.D, p.A, p.B, p.C}[matrix])
}

// productFLOPs is the Cost.perWarp of mma on floating-point types: a product and a sum for each element of D and each
// of K. For a sparse A only stored elements count.
func productFLOPs(in *Instr) int {
	p, _ := productOf(in.Mods)
	switch {
	case p.C == lanes.MatrixS32:
		return 0
	case p.Quads:
		return 4 * 2 * p.M * p.N * p.K
	case p.Sparse:
		return p.M * p.N * p.K
	}
	return 2 * p.M * p.N * p.K
}

// rowsFragment is the Fragment of ldmatrix and stmatrix: a register for each matrix, or two for 16 by 16 bytes.
func rowsFragment(m *Mods, _ byte) (registers int, t Type) {
	if m[MatrixShape] == ShapeM16N16 {
		return 2 * m.Matrices(), B32
	}
	return m.Matrices(), B32
}

// MatrixRows returns how many lanes have addresses of rows for ldmatrix or stmatrix.
func (m *Mods) MatrixRows() int {
	if m[MatrixShape] == ShapeM16N16 {
		return 16 * m.Matrices()
	}
	return 8 * m.Matrices()
}

// NarrowBits returns how many bits elements in memory have that become bytes; 0 if none do.
func (m *Mods) NarrowBits() int { return [...]int{0, Narrow6: 6, Narrow4: 4}[m[Narrow]] }

// Matrices returns how many matrices ldmatrix or stmatrix moves.
func (m *Mods) Matrices() int { return 1 << m[MatrixCount] >> 1 }

// movesRows is the Mem of a row that moves rows of matrices in shared memory; those of bytes have a shape.
func movesRows(plain, transposed, ofBytes lanes.MemFunc, bytes Mod) func(v *Variant) lanes.MemFunc {
	return func(v *Variant) lanes.MemFunc {
		shape, trans := v.Mods[MatrixShape], v.Mods[Trans] != 0
		switch s := v.Mods.MemSpace(); {
		case s != Shared && s != Generic:
			return nil
		case v.Type() == B8 && shape == bytes && trans && v.Mods.MatrixRows() <= lanes.Width:
			return ofBytes
		case v.Type() != B16 || shape != ShapeM8N8:
			return nil
		case trans:
			return transposed
		}
		return plain
	}
}

// bindExpanded is the Mem of ldmatrix of elements that become bytes.
func bindExpanded(v *Variant) lanes.MemFunc {
	shape, trans := v.Mods[MatrixShape], v.Mods[Trans] != 0
	if s := v.Mods.MemSpace(); s != Shared && s != Generic || v.Mods.MatrixRows() > lanes.Width {
		return nil
	}
	switch {
	case shape == ShapeM16N16 && trans && v.Mods[Narrow] == Narrow6:
		return lanes.LdMatrixTrans6
	case shape == ShapeM16N16 && trans:
		return lanes.LdMatrixTrans4
	case shape == ShapeM8N16 && !trans && v.Mods[Narrow] == Narrow6:
		return lanes.LdMatrix6
	case shape == ShapeM8N16 && !trans:
		return lanes.LdMatrix4
	}
	return nil
}

var matrixSpecs = slices.Concat(productSpecs, warpMatrixSpecs, warpgroupSpecs)

var productSpecs = []*Spec{
	{Name: "ldmatrix", Mods: "sync aligned shape num [trans] [space] type", Form: "d:frag, [a]", Needs: "6.5 sm_75; m16n16/m8n16/b8 8.6 sm_100f sm_110f sm_120f", Kind: Load, Cost: on(LSU, CostLoadShared),
		Doc: "d = 1, 2 or 4 matrices from shared memory, with one register per lane and matrix. A matrix has 8 rows of 16 bytes. Lane i has the address of row i%8 of matrix i/8; addresses of other lanes are ignored. Lane i receives the elements in columns i%4*2 and i%4*2+1 of row i/4; with .trans, those in rows i%4*2 and i%4*2+1 of column i/4. A matrix of .b8 has 16 rows of 16 bytes and two registers per lane. " +
			"Lane i has the address of row i%16 of matrix i/16, and receives four bytes from row i%4*4 on, in column i/4 and in column i/4+8. All 32 lanes must execute it together.",
		examples: []string{"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];", "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%r1, %r2}, [%r5];", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8 {%r1, %r2}, [%r5];"},
		Mem:      movesRows(lanes.LdMatrix, lanes.LdMatrixTrans, lanes.LdMatrixTrans8, ShapeM16N16), Syntax: Syntax{fragment: rowsFragment}, Facts: Facts{WholeWarp: true}},
	{Name: "ldmatrix", With: "b8x16", Mods: "sync aligned shape num [trans] [space] expanded narrow", Form: "d:frag, [a]", Needs: "8.6 sm_100f sm_110f sm_120f", Kind: Load, Cost: on(LSU, CostLoadShared),
		Doc:      "ldmatrix for rows of 16 elements of 6 or 4 bits, followed by 4 or 8 unused bytes. Each element becomes a byte; its upper bits are 0. A matrix with .m16n16 is like one of .b8. A matrix with .m8n16 has 8 rows and one register per lane, in which lane i receives four elements from column i%4*4 on of row i/4.",
		examples: []string{"ldmatrix.sync.aligned.m8n16.x2.shared.b8x16.b4x16_p64 {%r1, %r2}, [%r5];", "ldmatrix.sync.aligned.m16n16.x1.trans.shared.b8x16.b6x16_p32 {%r1, %r2}, [%r5];"},
		Mem:      bindExpanded, Syntax: Syntax{fragment: rowsFragment}, Facts: Facts{WholeWarp: true}},
	{Name: "stmatrix", Mods: "sync aligned shape num [trans] [space] type", Form: "[a], b:frag", Needs: "7.8 sm_90; m16n8/b8 8.6 sm_100f sm_110f sm_120f", Kind: Store, Cost: on(LSU, CostStoreShared),
		Doc:      "Stores b to the matrices at a, the reverse of ldmatrix. If several lanes give the same row address, the highest lane's row is stored. A matrix of .b8 has 8 rows of 16 bytes in memory and one register per lane. Lane i has the elements of rows i%4*2 and i%4*2+1 in column i/4, and then those in column i/4+8.",
		examples: []string{"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r5], {%r1, %r2, %r3, %r4};", "stmatrix.sync.aligned.m16n8.x1.trans.shared.b8 [%r5], {%r1};"},
		Mem:      movesRows(lanes.StMatrix, lanes.StMatrixTrans, lanes.StMatrixTrans8, ShapeM16N8), Syntax: Syntax{fragment: rowsFragment}, Facts: Facts{WholeWarp: true}},
	{Name: "movmatrix", Mods: "sync aligned shape trans type", Form: "d:b32, a:b32", Needs: "7.8 sm_75", Kind: Matrix, Cost: on(LSU, CostShuffle),
		Doc: "d = the transpose of matrix a, which has 8 rows of 16 bytes. Lane i has the elements in columns i%4*2 and i%4*2+1 of row i/4. All 32 lanes must execute it together.",
		Bind: func(v *Variant) lanes.Func {
			if v.Type() != B16 || v.Mods[MatrixShape] != ShapeM8N8 {
				return nil
			}
			return lanes.MovMatrixTrans
		}, Facts: Facts{WholeWarp: true}},
	{Name: "mma", Mods: "sync aligned shape alayout blayout [kind] [satfinite] dtype atype btype ctype [bitop] [popc]", Form: "d:frag, a:frag, b:frag, c:frag", Kind: Matrix,
		Needs: "6.4 sm_70; m16n8k8 6.5 sm_75; m8n8k16/m8n8k32 6.5 sm_75; m8n8k128 7.0 sm_75; f64/bf16/tf32 7.0 sm_80; m16n8k4/m16n8k16/m16n8k32/m16n8k64/m16n8k128/m16n8k256 7.0 sm_80; and 7.1 sm_80; f64 m16n8k4/m16n8k8/m16n8k16 7.8 sm_90; e4m3/e5m2 8.4 sm_89; e4m3/e5m2 m16n8k16 8.7; e4m3/e5m2 f16 8.7; e3m2/e2m3/e2m1/kind::*/block_scale 8.7 sm_120f",
		Cost: (&Cost{unit: always(Tensor), class: matrixCost, perWarp: productFLOPs}).becomes( // of .f64: products of 8 rows and a depth of 4
			when(With(MatrixShape, ShapeM16N8K4), With(CType, SumF64)).then("2 matrix_double"),
			when(With(MatrixShape, ShapeM16N8K8), With(CType, SumF64)).then("4 matrix_double"),
			when(With(MatrixShape, ShapeM16N8K16), With(CType, SumF64)).then("8 matrix_double"),
			otherwise(Own)),
		Doc: "d = a * b + c for matrices that the lanes hold in fragments, with the layouts of the PTX ISA. All 32 lanes must execute it together. Floating-point products are exact. PTX leaves the summation open; simtrun follows an H100. c and all products of a row and a column are truncated towards zero, 25 bits below the largest exponent, where a product's exponent is the sum of its factors' exponents. " +
			"Their sum is exact, and is truncated to .f32 or rounded to the nearest .f16. So each summand is off by less than 2^-25 of twice the largest one, and the sum by less than one unit in the last place. Sums beyond the largest number are infinite, a sum of zeros is +0, and NaN is 0x7fffffff, or 0x7fff for .f16. For .tf32 only the upper 19 bits are read. For .f64 the sum is a chain of fma in the order of k. Integers wrap, or the exact sum is clamped with .satfinite. For .b1 the bits that differ (.xor), or that are set in both (.and), are counted.",
		examples: []string{"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4};",
			"mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10}, {%r1, %r2, %r3, %r4};",
			"mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};"},
		Bind: bindProduct, Syntax: Syntax{possible: mayBeProduct, fragment: productFragment}, Facts: Facts{WholeWarp: true}, Lower: Lower{product: productOf}},
	{Name: "mma", With: "block_scale", Mods: "sync aligned shape alayout blayout kind blockscale [scales] dtype atype btype ctype stype", Form: "d:frag, a:frag, b:frag, c:frag, e:frag, f:frag, g:frag, h:frag", Needs: "8.7 sm_120f", Kind: Matrix,
		Cost: &Cost{unit: always(Tensor), class: matrixCost, perWarp: productFLOPs},
		Doc: "d = a * b + c as in mma, where the rows of a and the columns of b consist of one, two or four blocks. Each block is multiplied by a scale: a power of two (.ue8m0) or a number without a sign (.ue4m3). Products with their scales are exact before they are truncated. With .kind::mxf8f6f4 each element occupies a byte, and .e2m1 its middle four bits; with the other kinds a register holds eight elements. The selectors f and h (the values of lane 0) locate the scales:" +
			"\n- e: a register with scales of a, one byte for each block of a row." + "\n- g: a register with scales of b, one byte for each block of a column." +
			"\n- f: two numbers. The first is the first byte of e that is used. The second is 0 if the first two lanes of each four hold the scales, and 1 if the last two do: lane i, the first of the two, has the scales of row i/4, and its neighbour those of row i/4+8." +
			"\n- h: two numbers. The first is the first byte of g that is used. The second (0 to 3) is the lane of each four that holds the scales: lane i has those of column i/4.",
		examples: []string{"mma.sync.aligned.m16n8k32.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e4m3.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, %r7, {0, 0}, %r8, {1, 3};",
			"mma.sync.aligned.m16n8k64.row.col.kind::mxf4nvf4.block_scale.scale_vec::4X.f32.e2m1.e2m1.f32.ue4m3 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6}, {%f1, %f2, %f3, %f4}, %r7, {0, 0}, %r8, {0, 1};"},
		Bind: bindProduct, Syntax: Syntax{possible: func(m *Mods) bool { return mayBeOneOf(scaledProducts, m) }, fragment: scaledFragment}, Facts: Facts{WholeWarp: true}, Lower: Lower{product: productOf}, Check: checkScales},
	{Name: "mma", With: "sp::ordered_metadata.block_scale", Mods: "sp sync aligned shape alayout blayout kind blockscale [scales] dtype atype btype ctype stype", Form: "d:frag, a:frag, b:frag, c:frag, e:b32, f:imm, s:frag, t:frag, u:frag, v:frag", Needs: "8.7 sm_120f; kind::mxf4* 8.7 sm_120a sm_121a", Kind: Matrix,
		Cost:     &Cost{unit: always(Tensor), class: matrixCost, perWarp: productFLOPs},
		Doc:      "d = a * b + c as in mma.sp::ordered_metadata, with the metadata e and the selector f. s has the scales of a, which t selects, and u those of b, which v selects, as in mma.block_scale. The blocks are those of whole rows of a, including elements that are not stored.",
		examples: []string{"mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.kind::mxf8f6f4.block_scale.scale_vec::1X.f32.e3m2.e2m1.f32.ue8m0 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0, %r10, {0, 0}, %r11, {0, 1};"},
		Bind: func(v *Variant) lanes.Func {
			if v.Mods[Sparse] != SparseOrdered {
				return nil
			}
			return bindProduct(v)
		},
		Syntax: Syntax{possible: func(m *Mods) bool {
			return fits(m[Sparse], []Mod{SparseOrdered}, true) && mayBeOneOf(sparseScaledProducts, m)
		}, fragment: scaledFragment}, Facts: Facts{WholeWarp: true}, Lower: Lower{product: productOf}, Check: checkSparseScales},
	sparse("sp", "7.1", SparseAny, "d = a * b + c as in mma, with a sparse matrix a: its fragment has only the stored elements, two of four adjacent elements of a row, one of two for .tf32, and two of four pairs for .s4 and .u4. The metadata e has four bits for each such chunk, with the first chunk lowest. They are the positions of the two stored elements, the first in the lower two bits. The positions must differ; for .tf32 the four bits are 0b0100 for the first element and 0b1110 for the second. "+
		"f, from 0 on, selects the lanes with the metadata among the four lanes of a row: one lane if the row has 4 chunks, two adjacent lanes if it has 8, all four if it has 16. For elements of 8 or 4 bits, the register of lane 4*i has the first 8 chunks of row i, and that of lane 4*i+1 those of row i+8; the next two lanes have the next 8 chunks. For larger elements, the lower half of a register has 4 chunks of row i, and the upper half 4 chunks of row i+8. Elements of b that would be multiplied by elements that are not stored are ignored. "+
		"Floating-point operations are counted for stored elements only.").
		show("mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f1, %f2, %f3, %f4}, {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%f1, %f2, %f3, %f4}, %r9, 0;"),
	sparse("sp::ordered_metadata", "8.5", SparseOrdered, "d = a * b + c as in mma.sp. The two positions of a chunk must be in ascending order.").
		show("mma.sp::ordered_metadata.sync.aligned.m16n8k64.row.col.satfinite.s32.s8.s8.s32 {%r1, %r2, %r3, %r4}, {%r5, %r6, %r7, %r8}, {%r9, %r10, %r11, %r12}, {%r1, %r2, %r3, %r4}, %r13, 0;"),
}

// matrixCost is the Cost.class of mma.
func matrixCost(v *Variant) CostClass {
	p, _ := productOf(v.Mods)
	switch {
	case p.A == lanes.MatrixF64:
		return CostMatrixDouble
	case p.M*p.K*p.A.Bits() == 16*32*8 && !p.Sparse, p.M*p.K*p.A.Bits() == 2*16*32*8:
		return CostMatrix
	}
	return CostMatrixSmall
}
