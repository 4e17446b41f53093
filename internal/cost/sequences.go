package cost

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// sequence is the machine instructions of a variant of a row: several, none, or one of another class than its row
// has.
type sequence struct {
	when predicate // nil: for the variants that no other sequence of the row is for
	// slots are classes in order of issue. > precedes an instruction that waits for the result of the previous one, and
	// a number is a count of instructions that do not wait for each other. "" means none, unless the PTX instruction is
	// guarded.
	slots string

	parsed []Slot
}

// own stands for one machine instruction of the class of the row.
const own = "own"

// rowSequences are the sequences of rows. Each variant has exactly one: at most one predicate chooses it, and if none
// does it has the sequence without a predicate.
type rowSequences struct {
	rows      string // titles, with blanks between them
	sequences []sequence
}

// wholeRows are the titles of rows with variants that all become one machine instruction, of the class of the row,
// unless lowering.slots overrides this.
const wholeRows = `
activemask alloca applypriority atom.cas bar bar.red bar.warp barrier barrier.cluster barrier.red bmsk bra
brkpt clusterlaunchcontrol.query_cancel.get_first_ctaid clusterlaunchcontrol.query_cancel.get_first_ctaid::x
clusterlaunchcontrol.query_cancel.get_first_ctaid::y clusterlaunchcontrol.query_cancel.get_first_ctaid::z
clusterlaunchcontrol.query_cancel.is_canceled clusterlaunchcontrol.try_cancel copysign cp.async
cp.async.bulk.bulk_group cp.async.bulk.commit_group cp.async.bulk.mbarrier::complete_tx::bytes
cp.async.bulk.mbarrier::complete_tx::bytes.multicast::cluster cp.async.bulk.prefetch
cp.async.bulk.prefetch.tensor cp.async.bulk.tensor.bulk_group cp.async.bulk.tensor.mbarrier::complete_tx::bytes
cp.async.bulk.tensor.mbarrier::complete_tx::bytes.multicast::cluster cp.async.bulk.wait_group
cp.async.commit_group cp.async.mbarrier cp.async.wait_all cp.async.wait_group cp.reduce.async.bulk.bulk_group
cp.reduce.async.bulk.mbarrier::complete_tx::bytes cp.reduce.async.bulk.tensor createpolicy createpolicy.cvt
createpolicy.range cvt.pack discard dp2a dp4a elect exit fence fence.mbarrier_init fence.proxy
fence.proxy.async::generic fence.proxy.tensormap::generic fma getctarank griddepcontrol isspacep istypep
ld ldmatrix ldu lop3 madc mapa match mbarrier.arrive mbarrier.arrive.expect_tx mbarrier.arrive.noComplete
mbarrier.arrive_drop mbarrier.arrive_drop.expect_tx mbarrier.arrive_drop.noComplete mbarrier.complete_tx
mbarrier.expect_tx mbarrier.init mbarrier.inval mbarrier.pending_count mbarrier.test_wait mbarrier.test_wait.parity
mbarrier.try_wait mbarrier.try_wait.parity membar membar.proxy mma.sp mma.sp::ordered_metadata mov movmatrix
nanosleep pmevent prefetch prefetch.tensormap prefetchu prmt red.async.release redux ret setmaxnreg shf
shfl st st.async st.async.release stackrestore stacksave stmatrix suld suq sured sust szext tcgen05.alloc
tcgen05.commit tcgen05.commit.multicast::cluster tcgen05.cp tcgen05.dealloc tcgen05.fence::after_thread_sync
tcgen05.fence::before_thread_sync tcgen05.ld tcgen05.mma tcgen05.mma.block_scale tcgen05.mma.ws
tcgen05.relinquish_alloc_permit tcgen05.st tcgen05.wait::ld tcgen05.wait::st tensormap.cp_fenceproxy
tensormap.replace tex tex.grad tex.level tld4 trap txq txq.level vote wgmma.commit_group wgmma.fence wgmma.mma_async
wgmma.mma_async.sp wgmma.wait_group wmma.load wmma.store`

// sequenceRows are the sequences. Each is the machine code of the assembler for the form (testdata/assembled.csv),
// without code that is only for special operands: subnormal divisors, infinities. If the code calls a function, the
// sequence has the function's path for usual numbers.
var sequenceRows = []rowSequences{
	// Integers of 64 bits are done in halves, with a carry.
	{"add", []sequence{
		{when: int64s, slots: "integer, product"},
		{when: all(sat, of(isa.S32)), slots: "product > integer > integer > integer, integer"},
		{slots: own},
	}},
	{"addc subc", []sequence{
		{when: int64s, slots: "integer, product"},
		{slots: own},
	}},
	{"sub", []sequence{
		{when: int64s, slots: "integer, product"},
		{when: all(sat, of(isa.S32)), slots: "product > integer > integer > integer, integer"},
		{when: int16s, slots: "integer > integer > integer"},
		{slots: own},
	}},
	{"neg", []sequence{
		{when: of(isa.S64), slots: "integer, product"},
		{when: of(isa.S16), slots: "integer > integer"},
		{slots: own},
	}},
	{"abs", []sequence{
		{when: of(isa.S64), slots: "integer, product, integer > integer, integer"},
		{when: of(isa.S16), slots: "integer > integer > integer"},
		{slots: own},
	}},
	{"mul", []sequence{
		{when: all(lo, int64s), slots: "product_wide, product > product > integer"},
		{when: all(hi, of(isa.U64)), slots: high64},
		{when: all(hi, of(isa.S64)), slots: signedHigh64},
		{when: all(hi, of(isa.U16)), slots: "product > integer"},
		{when: all(hi, of(isa.S16)), slots: "2 integer > product > integer"},
		{when: all(not(hi), of(isa.S16)), slots: "2 integer > product"},
		{slots: own},
	}},
	{"mad", []sequence{
		{when: all(wide, int32s), slots: "product_wide > integer > product"},
		{when: all(lo, int64s, not(carrying)), slots: "product_wide, product > product > integer"},
		{when: all(hi, of(isa.U64), not(carrying)), slots: high64},
		{when: all(hi, of(isa.S64), not(carrying)), slots: signedHigh64},
		{when: all(hi, of(isa.S32), sat), slots: "product_high > product > integer > integer > integer, integer"},
		{when: all(hi, of(isa.U16)), slots: "product > integer"},
		{when: all(not(wide), of(isa.S16)), slots: "3 integer > product"},
		{when: all(wide, of(isa.S16)), slots: "2 integer > product"},
		{slots: own},
	}},
	{"mul24", []sequence{
		{when: lo, slots: "2 integer > product"},
		{when: hi, slots: "2 integer > product_wide > integer > integer, integer"},
	}},
	{"mad24", []sequence{
		{when: lo, slots: "2 integer > product"},
		{when: all(hi, not(sat)), slots: "2 integer > product_wide > integer > integer, integer > integer"},
		{when: all(hi, sat), slots: "2 integer > product_wide > integer > integer, integer > integer > integer > integer > integer, integer"},
	}},
	{"sad", []sequence{
		{when: int64s, slots: "integer > integer, integer, product, integer, product > integer, integer > integer, product"},
		{when: of(isa.S16), slots: "3 integer > integer"},
		{slots: own},
	}},
	{"min max", []sequence{
		{when: int64s, slots: "integer > integer > integer, integer"},
		{when: of(isa.S16), slots: "2 integer > integer"},
		{when: of(isa.F64), slots: "2 product, double_compare > integer, integer > integer > product"},
		{slots: own},
	}},

	// Video instructions are estimated, apart from absolute differences of bytes (VABSDIFF4): they extract parts of a
	// and b, compute, clamp, and combine elements.
	{"vadd2 vsub2 vavrg2 vabsdiff2 vmin2 vmax2 vset2", []sequence{
		{slots: "4 integer > 2 integer > 2 integer"},
	}},
	{"vadd4 vsub4 vavrg4 vmin4 vmax4 vset4", []sequence{
		{slots: "8 integer > 4 integer > 4 integer"},
	}},
	{"vabsdiff4", []sequence{
		{when: all(of(isa.U32), with(isa.TypeA, isa.TypeU32), with(isa.TypeB, isa.TypeU32), not(sat)), slots: "integer"},
		{slots: "8 integer > 4 integer > 4 integer"},
	}},
	{"vadd vsub vabsdiff vmin vmax vshl vshr", []sequence{
		{when: sat, slots: "2 integer > integer > integer > integer"},
		{when: not(sat), slots: "2 integer > integer"},
	}},
	{"vset", []sequence{
		{slots: "2 integer > integer"},
	}},
	{"vmad", []sequence{
		{slots: "2 integer > product_wide > integer, integer"},
	}},

	// Division: of integers by a reciprocal in .f32 and two corrections.
	{"div", []sequence{
		{when: int16s, slots: "conversion, product, conversion, integer, integer > integer > integer > single > special_function > single > integer > single > conversion > integer"},
		{when: all(of(isa.U32), constant(2)), slots: "product_high > product > integer > integer > integer, integer > integer"},
		{when: all(of(isa.S32), constant(2)), slots: "integer > product_high > product > integer > integer > integer, integer > integer, 3 integer"},
		{when: all(of(isa.U32), not(constant(2))), slots: "integer, product, conversion > special_function > integer > conversion > integer > product > product_high > product_high > integer > product > integer > integer, integer > integer > integer > integer"},
		{when: all(of(isa.S32), not(constant(2))), slots: "2 integer, conversion > special_function > integer > conversion > integer > product, product > product_high > product_high > product, 2 integer > product > integer > integer, integer > integer > integer, 3 integer > integer"},
		{when: int64s, slots: division64},
		{when: all(approx, of(isa.F32), not(ftz)), slots: "integer > single > special_function > single > single"},
		{when: all(approx, of(isa.F32), ftz), slots: "special_function > single"},
		{when: all(with(isa.Prec, isa.Full), not(ftz)), slots: "2 integer > single, single > special_function > single > single, single"},
		{when: all(with(isa.Prec, isa.Full), ftz), slots: "integer > single, single > special_function > single"},
		{when: all(rounded, of(isa.F32)), slots: "warp_sync, special_function, special_function > single > single > single > single > single > branch > warp_sync"},
		{when: all(rounded, of(isa.F64)), slots: "product, warp_sync, special_function > double > double > double > double > double > double > double > double > single > integer, integer > branch > warp_sync"},
	}},
	{"rem", []sequence{
		{when: int16s, slots: "conversion, product, conversion, integer, integer > integer > integer > single > special_function > single > integer > single > conversion > product"},
		{when: all(of(isa.U32), constant(2)), slots: "product_high > product > integer > integer > integer > integer"},
		{when: all(of(isa.S32), constant(2)), slots: "integer > product_high > product > integer > integer > integer > integer, 2 integer"},
		{when: all(of(isa.U32), not(constant(2))), slots: "integer, product, conversion > special_function > integer > conversion > integer > product > product_high > product_high > integer > product > integer > integer > integer > integer > integer"},
		{when: all(of(isa.S32), not(constant(2))), slots: "2 integer, conversion > special_function > integer > conversion > integer > product, product > product_high > product_high > product, 2 integer > product > integer > integer > integer > integer, 2 integer > integer"},
		{when: int64s, slots: division64},
	}},

	// Products of matrices: wmma as its mma products; .f64 as products of 8 rows and a depth of 4 each.
	{"wmma.mma", []sequence{
		{when: with(isa.MatrixShape, isa.ShapeM16N16K16, isa.ShapeM16N16K8, isa.ShapeM8N32K16), slots: "2 matrix_small"},
		{when: all(with(isa.MatrixShape, isa.ShapeM32N8K16), with(isa.CType, isa.SumS32), not(with(isa.SatFinite))), slots: "2 matrix_small"},
		{slots: own},
	}},
	{"mma", []sequence{
		{when: all(with(isa.MatrixShape, isa.ShapeM16N8K4), with(isa.CType, isa.SumF64)), slots: "2 matrix_double"},
		{when: all(with(isa.MatrixShape, isa.ShapeM16N8K8), with(isa.CType, isa.SumF64)), slots: "4 matrix_double"},
		{when: all(with(isa.MatrixShape, isa.ShapeM16N8K16), with(isa.CType, isa.SumF64)), slots: "8 matrix_double"},
		{slots: own},
	}},

	// Functions of the special function unit, with the reduction of their operands.
	{"rcp", []sequence{
		{when: all(approx, of(isa.F32), not(ftz)), slots: "2 integer > integer, integer > single > special_function > single"},
		{when: all(rounded, of(isa.F32)), slots: "warp_sync, integer > integer > integer > branch > special_function > single > single > single > warp_sync"},
		{when: all(rounded, of(isa.F64)), slots: "warp_sync, special_function, integer > integer > double > double > double > double > double > branch > warp_sync"},
		{slots: own},
	}},
	{"sqrt", []sequence{
		{when: all(approx, of(isa.F32), not(ftz)), slots: "integer > single > special_function > single"},
		{when: all(rounded, of(isa.F32)), slots: "warp_sync, integer > integer, special_function > branch > single, single > single > single > warp_sync"},
		{when: all(rounded, of(isa.F64)), slots: "2 product, warp_sync, integer, special_function > integer > double > double > double > double > double > double, integer, product > double > double > branch > warp_sync"},
		{slots: own},
	}},
	{"rsqrt", []sequence{
		{when: all(of(isa.F32), not(ftz)), slots: "integer > single > special_function > single"},
		{when: all(of(isa.F64), not(ftz)), slots: "3 product, warp_sync, integer, special_function > integer > double > double > double > double > double > branch > warp_sync"},
		{slots: own},
	}},
	{"lg2", []sequence{
		{when: not(ftz), slots: "integer > single > special_function > single"},
		{slots: own},
	}},
	{"ex2", []sequence{
		{when: all(of(isa.F32), not(ftz)), slots: "integer > single > special_function > single"},
		{when: of(isa.F16x2), slots: "2 special_function > integer"},
		{slots: own},
	}},
	{"tanh", []sequence{
		{when: of(isa.F16x2), slots: "2 special_function > integer"},
		{slots: own},
	}},
	{"sin cos", []sequence{
		{slots: "single > special_function"},
	}},

	// Bits.
	{"and or xor not", []sequence{
		{when: of(isa.B64), slots: "2 integer"},
		{slots: own},
	}},
	{"cnot", []sequence{
		{when: of(isa.B16), slots: "integer > integer > integer > integer"},
		{when: of(isa.B32), slots: "integer > integer > integer"},
		{when: of(isa.B64), slots: "integer > integer > integer > integer, integer"},
	}},
	{"shl", []sequence{
		{when: all(of(isa.B16), constant(2)), slots: "integer"},
		{when: all(of(isa.B16), not(constant(2))), slots: "integer > integer > integer > integer"},
		{when: of(isa.B64), slots: "integer > integer"},
		{slots: own},
	}},
	{"shr", []sequence{
		{when: all(of(isa.B16, isa.U16), constant(2)), slots: "integer"},
		{when: all(of(isa.S16), constant(2)), slots: "integer > integer"},
		{when: all(of(isa.B16, isa.U16), not(constant(2))), slots: "integer > integer > integer > integer"},
		{when: all(of(isa.S16), not(constant(2))), slots: "integer > integer > integer > integer > integer"},
		{when: bits64, slots: "integer > integer"},
		{slots: own},
	}},
	{"popc", []sequence{
		{when: of(isa.B64), slots: "2 bit_count > integer"},
		{slots: own},
	}},
	{"clz", []sequence{
		{when: of(isa.B32), slots: "bit_count > integer"},
		{when: of(isa.B64), slots: "integer > integer > bit_count > integer > integer, integer"},
	}},
	{"brev", []sequence{
		{when: of(isa.B64), slots: "2 bit_count"},
		{slots: own},
	}},
	{"bfind", []sequence{
		{when: all(of(isa.U64), not(with(isa.Shiftamt))), slots: "warp_sync, integer > branch, bit_count, bit_count > integer, warp_sync"},
		{when: all(of(isa.S64), not(with(isa.Shiftamt))), slots: "warp_sync, integer > branch > integer, warp_sync > branch, branch, 2 bit_count > bit_count > integer, 2 warp_sync"},
		{when: all(of(isa.U64), with(isa.Shiftamt)), slots: "2 bit_count, integer, integer > integer > integer, product"},
		{when: all(of(isa.S64), with(isa.Shiftamt)), slots: "warp_sync, integer > branch > 3 bit_count, branch, 2 integer > integer > integer, product, warp_sync"},
		{slots: own},
	}},
	{"bfe", []sequence{
		{when: all(int32s, constant(2, 3)), slots: "integer > integer"},
		{when: all(int32s, not(constant(2, 3))), slots: "3 integer > integer > integer"},
		{when: all(of(isa.U64), constant(2, 3)), slots: "integer, integer > integer"},
		{when: all(of(isa.S64), constant(2, 3)), slots: "3 integer > integer > integer > integer, integer"},
		{when: all(of(isa.U64), not(constant(2, 3))), slots: "2 integer, integer, integer > integer, integer > integer, integer"},
		{when: all(of(isa.S64), not(constant(2, 3))), slots: "4 integer > integer > integer, integer > integer, integer > integer > integer > integer > integer, 3 integer"},
	}},
	{"bfi", []sequence{
		{when: all(of(isa.B32), constant(3, 4)), slots: "integer > integer"},
		{when: all(of(isa.B32), not(constant(3, 4))), slots: "3 integer > integer, integer > integer"},
		{when: all(of(isa.B64), constant(3, 4)), slots: "integer, integer > 3 integer"},
		{when: all(of(isa.B64), not(constant(3, 4))), slots: "3 integer, 3 integer > integer, integer > 4 integer"},
	}},
	{"fns", []sequence{
		{slots: "10 integer, 4 bit_count > 10 integer > 10 integer > 10 integer, 3 branch, bit_count > 3 integer, 2 warp_sync"},
	}},

	// Comparisons.
	{"setp", []sequence{
		{when: bits64, slots: "integer > integer"},
		{when: of(isa.S16), slots: "2 integer > integer"},
		{slots: own},
	}},
	{"set", []sequence{
		{when: either(from(isa.F16x2), all(of(isa.F32), from(isa.F32)), all(of(isa.F16, isa.U16, isa.S16), from(isa.F16))), slots: "integer"},
		{when: all(int32s, from(isa.F16)), slots: "integer > integer > integer"},
		{when: all(of(isa.F16), from(isa.F64)), slots: "double_compare > integer > integer > conversion"},
		{when: all(of(isa.F16), from(isa.S16)), slots: "2 integer > integer > integer > integer > integer > integer > conversion"},
		{when: all(of(isa.F16), from(isa.B16, isa.U16)), slots: "2 integer > integer > integer > integer > conversion"},
		{when: all(of(isa.F16), from(isa.B64, isa.U64, isa.S64)), slots: "integer > integer > integer > integer > conversion"},
		{when: all(of(isa.F16), from(isa.B32, isa.U32, isa.S32, isa.F32, isa.BF16)), slots: "integer > integer > integer > conversion"},
		{when: all(not(of(isa.F16)), from(isa.F64)), slots: "double_compare > integer"},
		{when: all(not(of(isa.F16)), from(isa.B64, isa.U64, isa.S64)), slots: "integer > integer > integer"},
		{when: all(int32s, from(isa.S16)), slots: "2 integer > integer > integer > integer"},
		{when: all(of(isa.F32), from(isa.S16)), slots: "2 integer > integer > integer"},
		{when: all(int32s, from(isa.B16, isa.U16)), slots: "integer > integer > integer"},
		{slots: "integer > integer"},
	}},
	{"selp", []sequence{
		{when: either(bits64, of(isa.F64)), slots: "2 integer"},
		{slots: own},
	}},
	{"slct", []sequence{
		{when: either(bits64, of(isa.F64)), slots: "integer > integer, integer"},
		{slots: "integer > integer"},
	}},
	{"testp", []sequence{
		{when: all(of(isa.F64), with(isa.TestpMode, isa.TestpNormal)), slots: "integer > integer > integer > integer > integer > integer > integer"},
		{when: all(of(isa.F64), with(isa.TestpMode, isa.TestpSubnormal)), slots: "integer > integer > integer > integer > integer"},
		{when: all(of(isa.F32), with(isa.TestpMode, isa.TestpNormal)), slots: "integer > integer > integer > integer"},
		{when: all(of(isa.F32), with(isa.TestpMode, isa.TestpSubnormal)), slots: "integer > integer > integer"},
		{when: all(of(isa.F64), not(with(isa.TestpMode, isa.TestpNormal, isa.TestpSubnormal))), slots: "integer > integer > integer"},
		{slots: "integer > integer"},
	}},

	// Conversions. A conversion to a width that a register of 32 bits has already, or that combines registers, only
	// renames registers.
	{"cvta", []sequence{
		{when: all(not(with(isa.To)), with(isa.SpaceG, isa.SpaceShared, isa.SpaceLocal)), slots: "integer, product"},
		{slots: ""},
	}},
	{"cvt", slices.Concat(plainConversions, saturatingIntegers, saturatingFloats, []sequence{
		{when: all(of(isa.U8, isa.S8), from(isa.F64)), slots: "double_conversion > integer"},
		{slots: own},
	})},

	// Shared memory lacks some atomics. They are a loop, which usually ends after one
	// iteration: load, operation, exchange, comparison, branch.
	{"atom red", []sequence{
		{when: all(inShared, adds, of(isa.F32)), slots: "2 warp_sync, integer, branch, load_shared > single > atomic_shared"},
		{when: all(inShared, adds, of(isa.F16, isa.F16x2, isa.BF16, isa.BF16x2)), slots: "2 warp_sync, integer, branch, load_shared > half > atomic_shared"},
		{when: all(inShared, adds, of(isa.F64)), slots: "2 warp_sync, 2 integer, product, branch, load_shared > double > atomic_shared"},
		{when: all(inShared, adds, int64s), slots: add64InShared},
		{when: all(inShared, with(isa.AtomOp, isa.AtomAnd, isa.AtomOr, isa.AtomXor), of(isa.B64)), slots: "2 warp_sync, 2 integer, product, branch, load_shared > 2 integer > atomic_shared"},
		{when: all(inShared, with(isa.AtomOp, isa.AtomMin, isa.AtomMax), int64s), slots: "2 warp_sync, 5 integer, product, branch, branch, load_shared > integer > integer > atomic_shared"},
		{slots: own},
	}},
	{"red.async", []sequence{
		{when: all(inShared, adds, int64s), slots: add64InShared},
		{slots: own},
	}},

	// Control. The return address is passed in a register; brx takes its target from a table.
	{"call", []sequence{
		{slots: "integer, call"},
	}},
	{"brx", []sequence{
		{slots: "product > load_constant > integer > indirect_branch"},
	}},
}

// plainConversions are the sequences of cvt without modifiers.
var plainConversions = []sequence{
	{when: all(only(), either(
		all(int16s, from(isa.U16, isa.S16, isa.U32, isa.S32, isa.U64, isa.S64)),
		all(int32s, from(isa.U32, isa.S32, isa.U64, isa.S64)),
		all(int64s, from(isa.U32, isa.U64, isa.S64)),
		all(of(isa.F32), from(isa.F32)),
		all(of(isa.F64), from(isa.F64)))), slots: ""},
	{when: all(only(), either(
		all(int64s, from(isa.U8, isa.S8, isa.S16)),
		all(int16s, from(isa.S8)))), slots: "integer > integer"},
}

// saturatingIntegers are the sequences of cvt.sat between integers, with their clamping.
var saturatingIntegers = []sequence{
	{when: all(sat, of(isa.U8, isa.S8), from(isa.S32)), slots: "conversion > integer"},
	{when: all(sat, int16s, from(isa.S32)), slots: "conversion"},
	{when: all(sat, of(isa.U8, isa.S8), from(isa.S64)), slots: "integer > integer > integer > integer, integer > integer > integer, integer"},
	{when: all(sat, int16s, from(isa.S64)), slots: "integer > integer > integer > integer, integer > integer > integer"},
	{when: all(sat, either(
		all(of(isa.U8, isa.S8), from(isa.S8, isa.S16, isa.U64)),
		all(of(isa.S32), from(isa.S64)))), slots: "integer > integer > integer, integer > integer > integer"},
	{when: all(sat, either(
		all(of(isa.U8, isa.S8), from(isa.U32)),
		all(of(isa.S16), from(isa.U16)),
		all(of(isa.U32), from(isa.S8, isa.S16, isa.U64)),
		all(of(isa.U64), from(isa.S8, isa.S16)))), slots: "integer > integer > integer"},
	{when: all(sat, either(
		all(of(isa.U16), from(isa.S8, isa.S16, isa.U64)),
		all(of(isa.S16, isa.S32), from(isa.U64)),
		all(of(isa.U32), from(isa.S64)),
		all(int64s, from(isa.U64, isa.S64)))), slots: "integer > integer > integer, integer > integer"},
	{when: all(sat, either(
		all(int16s, from(isa.U32)),
		all(either(int32s, int64s), from(isa.U32, isa.S32)))), slots: "integer > integer"},
	{when: all(sat, either(
		all(of(isa.U8, isa.S8, isa.U16, isa.U32, isa.U64), from(isa.U8, isa.U16)),
		all(of(isa.S16), from(isa.U8, isa.S8, isa.S16)),
		all(of(isa.S32, isa.S64), from(isa.U8, isa.S8, isa.U16, isa.S16)))), slots: "integer > integer > integer > integer"},
}

// saturatingFloats are the sequences of cvt.sat to floats, with their clamping to the range 0 to 1.
var saturatingFloats = []sequence{
	{when: all(sat, only(isa.Sat), of(isa.F32), from(isa.F32)), slots: "single"},
	{when: all(sat, only(isa.Sat), of(isa.F16, isa.F32), from(isa.F16)), slots: "half > single"},
	{when: all(sat, of(isa.F64), from(isa.F64)), slots: "5 product, 2 double_compare > 2 integer, 2 integer > 2 integer"},
	{when: all(sat, of(isa.F64), not(from(isa.F64))), slots: "4 product, double_conversion > double_compare, double_compare > 2 integer, 2 integer > 2 integer"},
	{when: toSingle, slots: "double_conversion > single"},
	{when: all(sat, of(isa.F32), not(toSingle), not(all(only(isa.Sat), from(isa.F16, isa.F32)))), slots: "conversion > single"},
	{when: all(sat, of(isa.F16), from(isa.F32)), slots: "integer > half"},
	{when: all(sat, of(isa.F16), not(from(isa.F32)), not(all(only(isa.Sat), from(isa.F16)))), slots: "conversion > half"},
}

// toSingle chooses conversions from 64 bits to .f32, rounding to nearest.
var toSingle = all(sat, with(isa.Rnd, isa.RN), only(isa.Rnd, isa.Sat), of(isa.F32), from(isa.U64, isa.S64, isa.F64))

// Atomics on shared memory, and the additions among them.
var (
	inShared = with(isa.SpaceG, isa.SpaceShared, isa.SpaceSharedCTA, isa.SpaceSharedCluster)
	adds     = with(isa.AtomOp, isa.AtomAdd)
)

const (
	// high64 is the high half of a product of 64 bits.
	high64 = "product_wide > product_wide > integer > product_wide > integer > integer > product_wide"
	// signedHigh64 is high64 of signed numbers.
	signedHigh64 = "4 integer, 2 product > 4 integer > product_wide > product_wide > integer > product_wide > integer > product_wide, product"
	// add64InShared is a loop that adds to 64 bits of shared memory.
	add64InShared = "2 warp_sync, 2 integer, product, branch, load_shared > integer, product > atomic_shared"
)

// division64 is the executed path of the function that divides integers of 64 bits, including the call: a reciprocal,
// two steps that double its precision, a product and two corrections.
const division64 = "integer, call, double_conversion > special_function > integer > double_conversion" +
	" > product_wide > product > product > integer > product_high > product" + twice64 + " > product_wide > product > product > integer > product_high > integer" + twice64 +
	" > product_high > integer > product_wide, product > product_high > product_high > integer > product > product_wide > integer" +
	", product > integer > product > integer > product, integer, integer > integer > product, integer > 4 integer" +
	" > integer, integer, integer > integer, integer, integer > integer, product, integer, integer > 2 integer, call, 2 product"

// twice64 is such a step: the high half of a product of two numbers of 64 bits.
const twice64 = ", product, product > product_wide, product_high > product_high > integer > product"

// sequencesByRow are sequenceRows and wholeRows by row, with their slots parsed. They are parsed when a launch first
// has a clock.
var sequencesByRow = sync.OnceValue(func() map[*isa.Spec][]sequence {
	m := make(map[*isa.Spec][]sequence)
	add := func(titles string, sequences []sequence) {
		for _, s := range rowsOf(titles) {
			if m[s] != nil {
				panic("simtrun bug: two lists of sequences for " + s.Title())
			}
			m[s] = sequences
		}
	}
	for _, r := range sequenceRows {
		all := slices.Clone(r.sequences)
		for i := range all {
			if all[i].slots != own {
				all[i].parsed = parseSlots(all[i].slots)
			}
		}
		add(r.rows, all)
	}
	add(wholeRows, []sequence{{slots: own}})
	return m
})

// sequenceOf returns the sequence of a variant.
func sequenceOf(v *variant) *sequence {
	var other *sequence
	for i, all := 0, sequencesByRow()[v.spec]; i < len(all); i++ {
		switch {
		case all[i].when == nil:
			other = &all[i]
		case all[i].when(v):
			return &all[i]
		}
	}
	return other
}

// parseSlots parses the slots of a sequence; it returns nil for "".
func parseSlots(text string) []Slot {
	var slots []Slot
	for _, chain := range strings.Split(text, ",") {
		for i, item := range strings.Split(chain, ">") {
			count, name, several := strings.Cut(strings.TrimSpace(item), " ")
			if !several {
				count, name = "1", count
			}
			n, err := strconv.Atoi(count)
			class, known := isa.CostClassByName(name)
			if text != "" && (err != nil || !known) {
				panic("simtrun bug: no slots are " + item)
			}
			for k := range n {
				if known {
					slots = append(slots, Slot{Class: class, Waits: i > 0 && k == 0})
				}
			}
		}
	}
	return slots
}

// slots returns the slots of the instruction at pc by itself. The result is shared.
func (l *lowering) slots(pc int) []Slot {
	in, own := &l.f.Code[pc], l.costs[pc].Slots
	switch {
	case in.Later != "" || in.Spec == nil:
		return own
	case l.nothing(in):
		return nil
	case in.Is(isa.Return) && !l.f.Entry: // the return address comes first
		return append([]Slot{{Class: isa.CostInteger}}, own...)
	case own[0].Class == isa.CostAtomicGlobal && len(l.values.uses[pc]) == 0 && !l.values.escapes[pc]: // nothing waits for it
		own = []Slot{{Class: isa.CostReductionGlobal}}
	}
	if sem := in.Mods[isa.Sem]; in.MbarrierOp() == 0 && (in.Is(isa.Store) || in.Is(isa.Atomic)) && (sem == isa.SemRelease || sem == isa.SemAcqRel) {
		return append([]Slot{{Class: fences[in.Mods[isa.Scope]]}}, own...)
	}
	switch {
	case in.Spec.Takes(isa.AnyMove) && own[0].Class == isa.CostInteger:
		return slices.Repeat(own, moves(in))
	}
	if row := l.lowered(in); row.sequence && (row.slots != nil || in.Guard == isa.NoReg) {
		return row.slots
	}
	return own
}

// counts reports whether the instruction at pc adds 1 to words of shared memory, and nothing reads what they were.
func (l *lowering) counts(pc int) bool {
	in := &l.f.Code[pc]
	if !in.Is(isa.Atomic) || in.Mods.MemSpace() != isa.Shared || in.Mods[isa.AtomOp] != isa.AtomAdd || in.Mods.VecLen() > 1 || in.MbarrierOp() != 0 {
		return false
	}
	one := &in.Args[len(in.Args)-1]
	word := in.Types[0] == isa.U32 || in.Types[0] == isa.S32
	return word && one.Kind == isa.ImmOperand && one.Bits == 1 && len(l.values.uses[pc]) == 0 && !l.values.escapes[pc]
}

// moves returns the number of machine instructions of a mov: one for each register of 32 bits or, to combine one from
// parts, one less than its parts.
func moves(in *isa.Instr) int {
	words := max(1, in.Types[0].Bits()/32) * in.Mods.VecLen()
	for i := range in.Args {
		if n := len(in.Args[i].Elems); in.Mods[isa.Vec] == 0 && n > words {
			return n - words
		}
	}
	return words
}

// fences has the classes of fences by scope.
var fences = map[isa.Mod]isa.CostClass{isa.ScopeCTA: isa.CostFenceCTA, isa.ScopeCluster: isa.CostFenceGPU, isa.ScopeGPU: isa.CostFenceGPU, isa.ScopeSys: isa.CostFenceSystem}
