package isa

import "github.com/simtrun/simtrun/internal/lanes"

const (
	WarpMatrixLoad Mod = iota + 1
	WarpMatrixStore
	WarpMatrixMMA
)

const (
	MatrixA Mod = iota + 1
	MatrixB
	MatrixC
	MatrixD
)

var wideShapes = []Mod{ShapeM16N16K16, ShapeM8N32K16, ShapeM32N8K16}

// warpProducts are the products of wmma.
var warpProducts = []productForm{
	{shapes: wideShapes, factors: []Mod{FactorF16}, sums: []Mod{SumF16, SumF32}},
	{shapes: wideShapes, factors: []Mod{FactorBF16}, sums: []Mod{SumF32}},
	{shapes: []Mod{ShapeM16N16K8}, factors: []Mod{FactorTF32}, sums: []Mod{SumF32}},
	{shapes: []Mod{ShapeM8N8K4}, factors: []Mod{FactorF64}, sums: []Mod{SumF64}},
	{shapes: wideShapes, factors: []Mod{FactorS8, FactorU8}, sums: []Mod{SumS32}, mixed: true},
	{shapes: []Mod{ShapeM8N8K32}, factors: []Mod{FactorS4, FactorU4}, sums: []Mod{SumS32}, mixed: true},
	{shapes: []Mod{ShapeM8N8K128}, factors: []Mod{FactorB1}, sums: []Mod{SumS32}},
}

// warpProductOf returns the product of a variant of wmma.mma; false if PTX does not have it. For .f16, the types of A
// and B are omitted: the mnemonic has only the types of D and C, and the parser assigns the second one to A, the
// first group that has the word.
func warpProductOf(m *Mods) (p lanes.Product, ok bool) {
	a, b, c := m[AType], m[BType], m[CType]
	if b == 0 {
		if a != 0 && (a != FactorF16 || c != 0) || a == 0 && c != SumF32 {
			return p, false
		}
		if a != 0 {
			c = SumF16
		}
		a, b = FactorF16, FactorF16
	} else if a == FactorF16 {
		return p, false
	}
	for i := range warpProducts {
		f := &warpProducts[i]
		bits, whole := f.factors[0] == FactorB1, f.factors[0] == FactorS4 || f.factors[0] == FactorB1
		switch {
		case !fits(m[MatrixShape], f.shapes, false), !fits(a, f.factors, false), !fits(b, f.factors, false), !fits(c, f.sums, false), !fits(m[DType], f.sums, false):
		case a != b && !f.mixed, m[SatFinite] != 0 && (f.sums[0] != SumS32 || bits), m[Rnd] != 0 && a != FactorF64:
		case bits != (m[BitOp] != 0), bits != (m[Popc] != 0), whole && (m[ALayout] != LayoutRow || m[BLayout] != LayoutCol):
		default:
			size := shapeSizes[m[MatrixShape]]
			return lanes.Product{M: size[0], N: size[1], K: size[2], A: factorTypes[a], B: factorTypes[b], C: sumTypes[c], D: sumTypes[m[DType]],
				And: m[BitOp] == BitAnd, Saturates: m[SatFinite] != 0}, true
		}
	}
	return p, false
}

// mayBeWarpProduct is the Syntax.possible of wmma.mma: it excludes illegal combinations of shapes and types.
func mayBeWarpProduct(m *Mods) bool {
	for i := range warpProducts {
		f := &warpProducts[i]
		if fits(m[MatrixShape], f.shapes, true) && fits(m[DType], f.sums, true) && fits(m[CType], f.sums, true) &&
			(fits(m[AType], f.factors, true) || m[AType] == FactorF16 && f.sums[0] == SumF16) && fits(m[BType], f.factors, true) {
			return true
		}
	}
	return false
}

// fragmentType returns the type of registers that hold elements of a matrix.
func fragmentType(t lanes.MatrixType) Type {
	switch t {
	case lanes.MatrixF32:
		return F32
	case lanes.MatrixF64:
		return F64
	}
	return B32
}

var fragmentNames = map[byte]int{'d': lanes.FragmentD, 'a': lanes.FragmentA, 'b': lanes.FragmentB, 'c': lanes.FragmentC}

// warpProductFragment is the Fragment of wmma.mma.
func warpProductFragment(m *Mods, operand byte) (registers int, t Type) {
	p, ok := warpProductOf(m)
	if !ok {
		return 0, NoType
	}
	matrix := fragmentNames[operand]
	return p.FragmentRegisters(matrix), fragmentType([...]lanes.MatrixType{p.D, p.A, p.B, p.C}[matrix])
}

// MovedMatrix returns the matrix that a variant of wmma.load or wmma.store moves, one of lanes.FragmentD to FragmentC
// of a product; false if PTX does not have the variant.
func (m *Mods) MovedMatrix() (p lanes.Product, matrix int, ok bool) {
	a, c := m[AType], m[CType]
	if (a == 0) == (c == 0) {
		return p, 0, false
	}
	factor := m[MatrixOf] == MatrixA || m[MatrixOf] == MatrixB
	matrix = [...]int{MatrixA: lanes.FragmentA, MatrixB: lanes.FragmentB, MatrixC: lanes.FragmentC, MatrixD: lanes.FragmentD}[m[MatrixOf]]
	if (m[WarpMatrix] == WarpMatrixStore) != (matrix == lanes.FragmentD) {
		return p, 0, false
	}
	if !factor { // the parser assigns words that both groups have to the type of A
		switch a {
		case FactorF16:
			c = SumF16
		case FactorF64:
			c = SumF64
		case 0:
			if c == SumF16 || c == SumF64 {
				return p, 0, false
			}
		default:
			return p, 0, false
		}
	} else if c != 0 {
		return p, 0, false
	}
	for i := range warpProducts {
		f := &warpProducts[i]
		if !fits(m[MatrixShape], f.shapes, false) || factor && !fits(a, f.factors, false) || !factor && !fits(c, f.sums, false) {
			continue
		}
		if f.factors[0] == FactorS4 || f.factors[0] == FactorB1 {
			if matrix == lanes.FragmentA && m[ALayout] != LayoutRow || matrix == lanes.FragmentB && m[ALayout] != LayoutCol {
				continue
			}
		}
		size := shapeSizes[m[MatrixShape]]
		p = lanes.Product{M: size[0], N: size[1], K: size[2], A: factorTypes[f.factors[0]], B: factorTypes[f.factors[0]], C: sumTypes[f.sums[0]], D: sumTypes[f.sums[0]]}
		if factor {
			p.A, p.B = factorTypes[a], factorTypes[a]
		} else {
			p.C, p.D = sumTypes[c], sumTypes[c]
		}
		return p, matrix, true
	}
	return p, 0, false
}

// movedFragment is the Fragment of wmma.load and wmma.store.
func movedFragment(m *Mods, _ byte) (registers int, t Type) {
	p, matrix, ok := m.MovedMatrix()
	if !ok {
		return 0, NoType
	}
	return p.FragmentRegisters(matrix), fragmentType([...]lanes.MatrixType{p.D, p.A, p.B, p.C}[matrix])
}

// movesMatrix is the Mem of wmma.load and wmma.store; the pieces of a matrix have their own functions.
func movesMatrix(op Mod) func(v *Variant) lanes.MemFunc {
	return func(v *Variant) lanes.MemFunc {
		_, _, ok := v.Mods.MovedMatrix()
		if s := v.Mods.MemSpace(); !ok || v.Mods[WarpMatrix] != op || s != Generic && s != Global && s != Shared {
			return nil
		}
		return func(*lanes.File, *lanes.Op, lanes.Mask, *lanes.Access) {
			panic("simtrun bug: a matrix is moved in pieces")
		}
	}
}

var warpMatrixSpecs = []*Spec{
	{Name: "wmma", With: "load", Mods: "wmma matrix sync [aligned] alayout shape [space] [atype] [ctype]", Form: "d:frag, [a], ?b:u32", Kind: Load, Cost: &Cost{unit: always(LSU), class: accessCost(Load)},
		Needs: "6.0 sm_70; m8n32k16/m32n8k16 6.1; s8/u8/s32 6.3 sm_72; s4/u4/b1 6.3 sm_75; f64/bf16/tf32/m16n16k8/m8n8k4 7.0 sm_80",
		Doc: "d = the matrix at a. The starts of its rows (of its columns with .col) are b elements apart in memory; without b they are contiguous. " +
			"PTX leaves open which lane has which elements, so only wmma.mma and wmma.store of the same shape and type can use d. " +
			"a must be a multiple of the size of a lane's fragment, and b elements a multiple of 16 bytes, or of the fragment's size if that is less. All 32 lanes must execute it together, with the same a and b.",
		examples: []string{"wmma.load.a.sync.aligned.row.m16n16k16.shared.f16 {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, [%rd1], %r9;"},
		Mem:      movesMatrix(WarpMatrixLoad), Syntax: Syntax{fragment: movedFragment}, Facts: Facts{WholeWarp: true}},
	{Name: "wmma", With: "store", Mods: "wmma matrix sync [aligned] alayout shape [space] [atype] [ctype]", Form: "[a], b:frag, ?c:u32", Kind: Store, Cost: &Cost{unit: always(LSU), class: accessCost(Store)},
		Needs:    "6.0 sm_70; m8n32k16/m32n8k16 6.1; s8/u8/s32 6.3 sm_72; f64/bf16/tf32/m16n16k8/m8n8k4 7.0 sm_80",
		Doc:      "Stores b as the matrix at a, the reverse of wmma.load. The starts of its rows, or of its columns, are c elements apart.",
		examples: []string{"wmma.store.d.sync.aligned.row.m16n16k16.global.f32 [%rd1], {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, %r9;"},
		Mem:      movesMatrix(WarpMatrixStore), Syntax: Syntax{fragment: movedFragment}, Facts: Facts{WholeWarp: true}},
	{Name: "wmma", With: "mma", Mods: "wmma [bitop] [popc] sync [aligned] alayout blayout shape [rnd] dtype [atype] [btype] [ctype] [satfinite]", Form: "d:frag, a:frag, b:frag, c:frag", Kind: Matrix,
		Needs: "6.0 sm_70; m8n32k16/m32n8k16 6.1; s8/u8/s32 6.3 sm_72; s4/u4/b1 6.3 sm_75; f64/bf16/tf32/m16n16k8/m8n8k4 7.0 sm_80; and 7.1 sm_80",
		Cost: (&Cost{unit: always(Tensor), class: warpMatrixCost, perWarp: func(in *Instr) int {
			p, _ := warpProductOf(in.Mods)
			if p.C == lanes.MatrixS32 {
				return 0
			}
			return 2 * p.M * p.N * p.K
		}}).becomes( // its mma products
			when(With(MatrixShape, ShapeM16N16K16, ShapeM16N16K8, ShapeM8N32K16)).then("2 matrix_small"),
			when(With(MatrixShape, ShapeM32N8K16), With(CType, SumS32), Not(With(SatFinite))).then("2 matrix_small"),
			otherwise(Own)),
		Doc: "d = a * b + c for matrices from wmma.load, with the sums of mma. For .f16 the types of a and b are omitted. For .f64 the rounding is as named, or to nearest.",
		examples: []string{"wmma.mma.sync.aligned.row.col.m16n16k16.f32.f32 {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8}, {%r1, %r2, %r3, %r4, %r5, %r6, %r7, %r8}, {%r11, %r12, %r13, %r14, %r15, %r16, %r17, %r18}, {%f1, %f2, %f3, %f4, %f5, %f6, %f7, %f8};",
			"wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%fd1, %fd2}, {%fd3}, {%fd4}, {%fd1, %fd2};"},
		Bind: func(v *Variant) lanes.Func {
			p, ok := warpProductOf(v.Mods)
			if !ok || v.Mods[WarpMatrix] != WarpMatrixMMA {
				return nil
			}
			return p.Func()
		},
		Syntax: Syntax{possible: mayBeWarpProduct, fragment: warpProductFragment}, Facts: Facts{WholeWarp: true}, Lower: Lower{product: warpProductOf}},
}

// warpMatrixCost is the Cost.class of wmma.mma.
func warpMatrixCost(v *Variant) CostClass {
	p, _ := warpProductOf(v.Mods)
	switch {
	case p.A == lanes.MatrixF64:
		return CostMatrixDouble
	case p.K*p.A.Bits() == 32*8:
		return CostMatrix
	}
	return CostMatrixSmall
}

// Element returns the type of the elements that an access to memory moves: its first type; for wmma the type of the
// matrix's elements, or bytes for several; for a copy words.
func (in *Instr) Element() Type {
	switch {
	case in.Types[0] != NoType:
		return in.Types[0]
	case in.Mods[WarpMatrix] == 0:
		return B32
	}
	p, matrix, _ := in.Mods.MovedMatrix()
	switch t := [...]lanes.MatrixType{p.D, p.A, p.B, p.C}[matrix]; {
	case t == lanes.MatrixF32, t == lanes.MatrixTF32:
		return F32
	case t == lanes.MatrixF64:
		return F64
	case t == lanes.MatrixS32:
		return S32
	case t.Bits() == 16:
		return B16
	}
	return B8
}
