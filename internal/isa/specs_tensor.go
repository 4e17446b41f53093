package isa

import (
	"strings"

	"github.com/simtrun/simtrun/internal/lanes"
)

// tensorRegisters returns how many registers of a lane a load or store of tensor memory has: the shape's, multiplied
// by the count. It returns 0 for combinations that PTX does not have.
func tensorRegisters(m *Mods) int {
	const most = 128
	n := 0
	switch m[TensorShape] {
	case Tensor32x32b, Tensor16x64b, Tensor16x32bx2:
		n = 1
	case Tensor16x128b:
		n = 2
	case Tensor16x256b:
		n = 4
	}
	if n <<= m[TensorCount] - 1; m[TensorCount] == 0 || n > most {
		return 0
	}
	return n
}

// tensorFragment is the Fragment of tcgen05.ld and tcgen05.st.
func tensorFragment(m *Mods, _ byte) (registers int, t Type) { return tensorRegisters(m), B32 }

// tensorReduction returns how a tcgen05.ld.red combines the columns of a lane; false if PTX does not have it.
func tensorReduction(m *Mods, t Type) (min, ok bool) {
	floats := t == F32
	switch op := m[AtomOp]; {
	case m[TensorShape] != Tensor32x32b && m[TensorShape] != Tensor16x32bx2, tensorRegisters(m) < 2, op != AtomMin && op != AtomMax:
		return false, false
	default:
		return op == AtomMin, floats || (t == U32 || t == S32) && m[AbsG] == 0 && m[NaN] == 0
	}
}

// TensorReduction returns how a tcgen05.ld combines the columns of a lane; nil if it does not.
func (in *Instr) TensorReduction() *lanes.TensorReduction {
	if in.Mods[TensorRed] == 0 {
		return nil
	}
	least, _ := tensorReduction(in.Mods, in.Types[0])
	return &lanes.TensorReduction{Min: least, Float: in.Types[0] == F32, Signed: in.Types[0] == S32, Abs: in.Mods[AbsG] != 0, NaN: in.Mods[NaN] != 0}
}

// movesTensor is the Legal of tcgen05.ld and tcgen05.st, which each have their own word for packing halves.
func movesTensor(pack Mod) func(v *Variant) bool {
	return func(v *Variant) bool {
		return tensorRegisters(v.Mods) > 0 && (v.Mods[TensorPack] == 0 || v.Mods[TensorPack] == pack)
	}
}

// checkHalfOffset checks that there is a distance of halves if and only if the shape needs it.
func checkHalfOffset(in *Instr) string {
	given := false
	for i := range in.Args {
		given = given || in.Spec.formals[i].Kind == Immediate && in.Args[i].Kind != NoOperand
	}
	switch halves := in.Mods[TensorShape] == Tensor16x32bx2; {
	case halves && !given:
		return "no distance of the second half, an integer constant, which .16x32bx2 has"
	case !halves && given:
		return "the distance of the second half is for .16x32bx2 alone"
	}
	return ""
}

// legalTensorCopy is the Legal of tcgen05.cp: shapes of fewer than 128 lanes must have a modifier for the other lanes
// that receive the copy.
func legalTensorCopy(v *Variant) bool {
	if (v.Mods[Expanded] != 0) != (v.Mods[Narrow] != 0) {
		return false
	}
	twice := v.Mods[CopyTwice]
	switch v.Mods[CopyShape] {
	case Copy64x128b:
		return twice == CopyWarps02And13 || twice == CopyWarps01And23
	case Copy32x128b:
		return twice == CopyWarpsAll
	}
	return twice == 0
}

// tensorRow is a row of tcgen05 for tensor memory.
func tensorRow(op, mods, form string, cost CostClass, doc string) *Spec {
	return &Spec{Name: "tcgen05", With: op, Mods: "tensorop " + mods, Form: form, Needs: "8.6 sm_100f sm_110f", Kind: TensorMemory, Cost: on(Tensor, cost), Doc: doc, Types: []Type{B32}}
}

// wholeWarpRow is a tensorRow of an instruction that all lanes of a warp execute together.
func wholeWarpRow(op, mods, form string, cost CostClass, doc string) *Spec {
	separator := " "
	if strings.Contains(doc, "\n- ") {
		separator = "\n" // after the list
	}
	s := tensorRow(op, mods, form, cost, doc+separator+"All 32 lanes must execute it together, with the same operands, except data registers.")
	s.WholeWarp = true
	return s
}

// allocates is the Legal of tcgen05.alloc.
func allocates(v *Variant) bool {
	s := v.Mods[SpaceG]
	return s == 0 || s == SpaceShared || s == SpaceSharedCTA
}

// tellsMbarrier is the Legal of tcgen05.commit.
func tellsMbarrier(v *Variant) bool {
	s := v.Mods[SpaceG]
	return v.Type() == B64 && (s == 0 || s == SpaceSharedCluster)
}

// MbarrierOp returns the operation of an instruction on an mbarrier; 0 if it has none, or is a copy that signals its
// bytes to one.
func (in *Instr) MbarrierOp() Mod {
	if in.Mods[TensorOp] == TensorCommit {
		return MbarArrive
	}
	return in.Mods[MbarOp]
}

var tensorSpecs = func() []*Spec {
	alloc := wholeWarpRow("alloc", "ctagroup sync aligned [space] type", "[a], b:u32", CostAtomicShared,
		"Allocates b columns (32, 64, 128, 256 or 512) of the block's tensor memory, and stores the address of the first one in shared memory at a. The warp waits until b adjacent columns are free, and gets the first such columns. "+
			"The block must free them before it ends. With .cta_group::2 a warp of each block of a pair executes it, and both wait for each other; they get the first columns that are free in both blocks. "+
			"A pair is two blocks of a cluster whose ranks differ only in the last bit.").
		show("tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%r1], 64;")
	alloc.Legal = allocates
	load := wholeWarpRow("ld", "sync aligned tensorshape times [halves] type", "d:frag, [a:tensor], ?i:imm", CostLoadShared,
		"d = the contents of tensor memory from address a on. The shape gives the number of lanes and the bits per lane; the repetition repeats it in the columns to the right. Warp w of a block has lanes w%4*32 to w%4*32+31. "+
			"With .pack::16b a register has the lower halves of two adjacent columns, and the columns are twice as many. simtrun completes it at once; PTX requires tcgen05.wait::ld before the registers are used. "+
			"For each shape, lane i of the warp receives:"+
			"\n- .32x32b: the columns of lane i."+
			"\n- .16x64b: column i/2%2 of lane i/4+i%2*8."+
			"\n- .16x128b: column i%4 of lanes i/4 and i/4+8."+
			"\n- .16x256b: columns i%4*2 and i%4*2+1 of lanes i/4 and i/4+8."+
			"\n- .16x32bx2: the columns from a on for lanes 0 to 15, and from a+i on, where i is the operand, for lanes 16 to 31.").
		show("tcgen05.ld.sync.aligned.32x32b.x2.b32 {%r1, %r2}, [%r3];", "tcgen05.ld.sync.aligned.16x32bx2.x1.b32 {%r1}, [%r3], 16;")
	load.Syntax.fragment, load.Legal, load.Check = tensorFragment, movesTensor(PackHalves), checkHalfOffset
	reduce := wholeWarpRow("ld.red", "tensorred sync aligned tensorshape times op [abs] [nan] type", "d:frag, z:b32, [a:tensor], ?i:imm", CostLoadShared,
		"Loads d as tcgen05.ld does, from two columns or more. z = the smallest or largest of the lane's numbers in d, or of their magnitudes (.abs). NaN is ignored; with .NaN the result is NaN. -0 is less than +0.").
		show("tcgen05.ld.red.sync.aligned.32x32b.x2.min.f32 {%r1, %r2}, %r3, [%r4];", "tcgen05.ld.red.sync.aligned.16x32bx2.x2.max.u32 {%r1, %r2}, %r3, [%r4], 16;")
	reduce.Needs = "8.8 sm_103f sm_110f"
	reduce.Types, reduce.Syntax.fragment, reduce.Check = []Type{U32, S32, F32}, tensorFragment, checkHalfOffset
	reduce.Legal = func(v *Variant) bool {
		_, ok := tensorReduction(v.Mods, v.Type())
		return ok
	}
	store := wholeWarpRow("st", "sync aligned tensorshape times [halves] type", "[a:tensor], ?i:imm, b:frag", CostStoreShared,
		"Stores b to tensor memory from address a on, the reverse of tcgen05.ld. With .unpack::16b the halves of a register go to the lower halves of two adjacent columns. PTX leaves their upper halves open; in simtrun they become 0. "+
			"simtrun completes it at once; PTX requires tcgen05.wait::st before the contents are used.").
		show("tcgen05.st.sync.aligned.32x32b.x2.b32 [%r3], {%r1, %r2};")
	store.Syntax.fragment, store.Legal, store.Check = tensorFragment, movesTensor(UnpackHalves), checkHalfOffset
	copies := tensorRow("cp", "ctagroup copyshape [warps] [expanded] [narrow]", "[a:tensor], b:b64", CostMatrixSmall,
		"Copies the matrix that descriptor b describes from shared memory to tensor memory from address a on, one row to each lane. The shape gives the number of rows and the bits per row. The matrix is K-major. "+
			"With .cta_group::2 each block of the pair receives the matrix from its own shared memory. "+
			"With .b8x16 the 16 elements of 6 or 4 bits at the start of each 16 bytes become bytes, where tcgen05.mma expects them: in the lower six bits with .b6x16_p32, in the middle four with .b4x16_p64. simtrun completes the copy at once. "+
			"Some shapes have special destinations:"+
			"\n- .4x256b: row i goes to the lane 32*i below that of a."+
			"\n- .64x128b.warpx2::02_13: rows 0 to 31 go to the lanes of warps 0 and 2, rows 32 to 63 to those of warps 1 and 3."+
			"\n- .64x128b.warpx2::01_23: rows 0 to 31 go to the lanes of warps 0 and 1, rows 32 to 63 to those of warps 2 and 3."+
			"\n- .32x128b.warpx4: the rows go to the lanes of each warp.").
		show("tcgen05.cp.cta_group::1.128x256b [%r1], %rd1;", "tcgen05.cp.cta_group::1.32x128b.warpx4 [%r1], %rd1;")
	copies.Legal = legalTensorCopy
	fence := func(when string) *Spec {
		return &Spec{Name: "tcgen05", With: "fence::" + when, Mods: "tensorop", Needs: "8.6 sm_100f sm_110f", Kind: Nop, Cost: on(CBU, CostWarpSync),
			Doc: "Orders operations of tcgen05 and synchronisation between threads. simtrun executes everything in order, so this has no effect."}
	}
	all := []*Spec{
		alloc, load, reduce, store, copies,
		wholeWarpRow("dealloc", "ctagroup sync aligned type", "a:u32, b:u32", CostAtomicShared, "Frees the b columns at address a, which tcgen05.alloc has allocated. With .cta_group::2 a warp of each block of a pair executes it for its own block, and does not wait for the other.").
			show("tcgen05.dealloc.cta_group::1.sync.aligned.b32 %r1, 64;"),
		wholeWarpRow("relinquish_alloc_permit", "ctagroup sync aligned", "", CostAtomicShared, "Gives up the block's right to allocate more tensor memory."),
		wholeWarpRow("wait::ld", "sync aligned", "", CostWarpSync, "Waits until all tcgen05.ld of the threads are complete."),
		wholeWarpRow("wait::st", "sync aligned", "", CostWarpSync, "Waits until all tcgen05.st of the threads are complete."),
		fence("before_thread_sync"), fence("after_thread_sync"),
		{Name: "tcgen05", With: "commit", Mods: "tensorop ctagroup arrival [space] type", Form: "[a]", Needs: "8.6 sm_100f sm_110f", Kind: Atomic, Cost: on(Tensor, CostAtomicShared),
			Doc:      "Arrives once at the mbarrier at a when all tcgen05.cp and tcgen05.mma of the thread are complete. simtrun completes them immediately, so the arrival is also immediate.",
			examples: []string{"tcgen05.commit.cta_group::1.mbarrier::arrive::one.shared::cluster.b64 [%r1];"},
			Types:    []Type{B64}, Legal: tellsMbarrier},
		{Name: "tcgen05", With: "commit.multicast::cluster", Mods: "tensorop ctagroup arrival [space] multicast type", Form: "[a], c:u16", Needs: "8.6 sm_100f sm_110f", Kind: Atomic, Cost: on(Tensor, CostAtomicShared),
			Doc:      "tcgen05.commit for an mbarrier in each block of the cluster whose bit in c is set: bit n stands for rank n. The mbarrier in each block has the same offset as a in the executing block.",
			examples: []string{"tcgen05.commit.cta_group::2.mbarrier::arrive::one.shared::cluster.multicast::cluster.b64 [%r1], %rs1;"},
			Types:    []Type{B64}, Legal: tellsMbarrier},
	}
	for _, s := range all {
		s.ofOperation()
	}
	return all
}()

// ofOperation restricts a row of tcgen05 to its own operation.
func (s *Spec) ofOperation() {
	word, _, _ := strings.Cut(s.With, ".")
	op, _ := groups[TensorOp].find(word)
	legal := s.Legal
	s.Legal = func(v *Variant) bool { return v.Mods[TensorOp] == op && (legal == nil || legal(v)) }
}
