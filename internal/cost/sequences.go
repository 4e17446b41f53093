package cost

import (
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
)

// sequence is what instructions become that are several machine instructions, none, or one
// of another class than their row has.
type sequence struct {
	forms string // as form has them
	// slots are classes in order of issue; > is before one that waits for the result of
	// the one before, and a number says how many there are of one that do not wait for
	// each other. "" is nothing, unless the instruction is guarded.
	slots string

	match []form
}

// sequenceRows are the sequences; of those that match an instruction the first counts. Each
// is the machine code of the assembler for the form (testdata/assembled.csv), less what it
// does only with special operands: subnormal divisors, infinities. Where it calls a
// function, this is the function on the path that usual numbers take.
var sequenceRows = []sequence{
	// Integers of 64 bits are done in halves, with a carry.
	{forms: "add.[us]64 add.cc.[us]64", slots: "integer, product"},
	{forms: "add.sat.s32", slots: "product > integer > integer > integer, integer"},
	{forms: "addc.*64", slots: "integer, product"},
	{forms: "sub.[us]64 sub.cc.[us]64", slots: "integer, product"},
	{forms: "sub.sat.s32", slots: "product > integer > integer > integer, integer"},
	{forms: "sub.[us]16", slots: "integer > integer > integer"},
	{forms: "subc.*64", slots: "integer, product"},
	{forms: "neg.s64", slots: "integer, product"},
	{forms: "neg.s16", slots: "integer > integer"},
	{forms: "abs.s64", slots: "integer, product, integer > integer, integer"},
	{forms: "abs.s16", slots: "integer > integer > integer"},
	{forms: "mul.lo.[us]64", slots: "product_wide, product > product > integer"},
	{forms: "mul.hi.u64", slots: "product_wide > product_wide > integer > product_wide > integer > integer > product_wide"},
	{forms: "mul.hi.s64", slots: "4 integer, 2 product > 4 integer > product_wide > product_wide > integer > product_wide > integer > product_wide, product"},
	{forms: "mul.hi.u16", slots: "product > integer"},
	{forms: "mul.hi.s16", slots: "2 integer > product > integer"},
	{forms: "mul.*.s16", slots: "2 integer > product"},
	{forms: "mad.wide.[us]32", slots: "product_wide > integer > product"},
	{forms: "mad.lo.[us]64", slots: "product_wide, product > product > integer"},
	{forms: "mad.hi.u64", slots: "product_wide > product_wide > integer > product_wide > integer > integer > product_wide"},
	{forms: "mad.hi.s64", slots: "4 integer, 2 product > 4 integer > product_wide > product_wide > integer > product_wide > integer > product_wide, product"},
	{forms: "mad.hi.sat.s32", slots: "product_high > product > integer > integer > integer, integer"},
	{forms: "mad.hi.u16", slots: "product > integer"},
	{forms: "mad.lo.s16 mad.hi.s16", slots: "3 integer > product"},
	{forms: "mad.*.s16", slots: "2 integer > product"},
	{forms: "mul24.lo.*", slots: "2 integer > product"},
	{forms: "mul24.hi.*", slots: "2 integer > product_wide > integer > integer, integer"},
	{forms: "mad24.lo.*", slots: "2 integer > product"},
	{forms: "mad24.hi.[us]32", slots: "2 integer > product_wide > integer > integer, integer > integer"},
	{forms: "mad24.hi.sat.s32", slots: "2 integer > product_wide > integer > integer, integer > integer > integer > integer > integer, integer"},
	{forms: "sad.[us]64", slots: "integer > integer, integer, product, integer, product > integer, integer > integer, product"},
	{forms: "sad.s16", slots: "3 integer > integer"},
	{forms: "min.[us]64", slots: "integer > integer > integer, integer"},
	{forms: "min.s16", slots: "2 integer > integer"},
	{forms: "min.f64", slots: "2 product, double_compare > integer, integer > integer > product"},
	{forms: "max.[us]64", slots: "integer > integer > integer, integer"},
	{forms: "max.s16", slots: "2 integer > integer"},
	{forms: "max.f64", slots: "2 product, double_compare > integer, integer > integer > product"},

	// Video instructions, but for absolute differences of bytes (VABSDIFF4), are estimated: to take parts
	// out of a and b, to compute, to clamp, and to put elements together.
	{forms: "vabsdiff4.u32.u32.u32 vabsdiff4.u32.u32.u32.add", slots: "integer"},
	{forms: ofAll("2.*", "vadd vsub vavrg vabsdiff vmin vmax vset"), slots: "4 integer > 2 integer > 2 integer"},
	{forms: ofAll("4.*", "vadd vsub vavrg vabsdiff vmin vmax vset"), slots: "8 integer > 4 integer > 4 integer"},
	{forms: ofAll(".*.sat*", "vadd vsub vabsdiff vmin vmax vshl vshr"), slots: "2 integer > integer > integer > integer"},
	{forms: ofAll(".*", "vadd vsub vabsdiff vmin vmax vshl vshr vset"), slots: "2 integer > integer"},
	{forms: "vmad.*", slots: "2 integer > product_wide > integer, integer"},

	// Division: of integers by a reciprocal in .f32 and two corrections.
	{forms: "div.[us]16", slots: "conversion, product, conversion, integer, integer > integer > integer > single > special_function > single > integer > single > conversion > integer"},
	{forms: "div.u32=2", slots: "product_high > product > integer > integer > integer, integer > integer"},
	{forms: "div.s32=2", slots: "integer > product_high > product > integer > integer > integer, integer > integer, 3 integer"},
	{forms: "div.u32", slots: "integer, product, conversion > special_function > integer > conversion > integer > product > product_high > product_high > integer > product > integer > integer, integer > integer > integer > integer"},
	{forms: "div.s32", slots: "2 integer, conversion > special_function > integer > conversion > integer > product, product > product_high > product_high > product, 2 integer > product > integer > integer, integer > integer > integer, 3 integer > integer"},
	{forms: "div.[us]64", slots: division64},
	{forms: "div.approx.f32", slots: "integer > single > special_function > single > single"},
	{forms: "div.approx.ftz.f32", slots: "special_function > single"},
	{forms: "div.full.f32", slots: "2 integer > single, single > special_function > single > single, single"},
	{forms: "div.full.ftz.f32", slots: "integer > single, single > special_function > single"},
	{forms: "div.r?.*f32", slots: "warp_sync, special_function, special_function > single > single > single > single > single > branch > warp_sync"},
	{forms: "div.r?.f64", slots: "product, warp_sync, special_function > double > double > double > double > double > double > double > double > single > integer, integer > branch > warp_sync"},
	{forms: "rem.[us]16", slots: "conversion, product, conversion, integer, integer > integer > integer > single > special_function > single > integer > single > conversion > product"},
	{forms: "rem.u32=2", slots: "product_high > product > integer > integer > integer > integer"},
	{forms: "rem.s32=2", slots: "integer > product_high > product > integer > integer > integer > integer, 2 integer"},
	{forms: "rem.u32", slots: "integer, product, conversion > special_function > integer > conversion > integer > product > product_high > product_high > integer > product > integer > integer > integer > integer > integer"},
	{forms: "rem.s32", slots: "2 integer, conversion > special_function > integer > conversion > integer > product, product > product_high > product_high > product, 2 integer > product > integer > integer > integer > integer, 2 integer > integer"},
	{forms: "rem.[us]64", slots: division64},

	{forms: "wmma.mma*m16n16k* wmma.mma*m8n32k* wmma.mma*m32n8k*.s32", slots: "2 matrix_small"},
	// Products of matrices of .f64: of 8 rows and k4 each.
	{forms: "mma.*m16n8k4*.f64", slots: "2 matrix_double"},
	{forms: "mma.*m16n8k8*.f64", slots: "4 matrix_double"},
	{forms: "mma.*m16n8k16*.f64", slots: "8 matrix_double"},

	// Functions of the special function unit, with what brings their operands into range.
	{forms: "rcp.approx.f32", slots: "2 integer > integer, integer > single > special_function > single"},
	{forms: "rcp.r?.*f32", slots: "warp_sync, integer > integer > integer > branch > special_function > single > single > single > warp_sync"},
	{forms: "rcp.r?.f64", slots: "warp_sync, special_function, integer > integer > double > double > double > double > double > branch > warp_sync"},
	{forms: "sqrt.approx.f32", slots: "integer > single > special_function > single"},
	{forms: "sqrt.r?.*f32", slots: "warp_sync, integer > integer, special_function > branch > single, single > single > single > warp_sync"},
	{forms: "sqrt.r?.f64", slots: "2 product, warp_sync, integer, special_function > integer > double > double > double > double > double > double, integer, product > double > double > branch > warp_sync"},
	{forms: "rsqrt.approx.f32", slots: "integer > single > special_function > single"},
	{forms: "rsqrt.approx.f64", slots: "3 product, warp_sync, integer, special_function > integer > double > double > double > double > double > branch > warp_sync"},
	{forms: "lg2.approx.f32", slots: "integer > single > special_function > single"},
	{forms: "ex2.approx.f32", slots: "integer > single > special_function > single"},
	{forms: "ex2.approx.f16x2", slots: "2 special_function > integer"},
	{forms: "tanh.approx.f16x2", slots: "2 special_function > integer"},
	{forms: "sin.*", slots: "single > special_function"},
	{forms: "cos.*", slots: "single > special_function"},

	// Bits.
	{forms: "and.b64", slots: "2 integer"},
	{forms: "or.b64", slots: "2 integer"},
	{forms: "xor.b64", slots: "2 integer"},
	{forms: "not.b64", slots: "2 integer"},
	{forms: "cnot.b16", slots: "integer > integer > integer > integer"},
	{forms: "cnot.b32", slots: "integer > integer > integer"},
	{forms: "cnot.b64", slots: "integer > integer > integer > integer, integer"},
	{forms: "shl.b16=2", slots: "integer"},
	{forms: "shl.b16", slots: "integer > integer > integer > integer"},
	{forms: "shl.b64", slots: "integer > integer"},
	{forms: "shr.[bu]16=2", slots: "integer"},
	{forms: "shr.s16=2", slots: "integer > integer"},
	{forms: "shr.[bu]16", slots: "integer > integer > integer > integer"},
	{forms: "shr.s16", slots: "integer > integer > integer > integer > integer"},
	{forms: "shr.?64", slots: "integer > integer"},
	{forms: "popc.b64", slots: "2 bit_count > integer"},
	{forms: "clz.b32", slots: "bit_count > integer"},
	{forms: "clz.b64", slots: "integer > integer > bit_count > integer > integer, integer"},
	{forms: "brev.b64", slots: "2 bit_count"},
	{forms: "bfind.u64", slots: "warp_sync, integer > branch, bit_count, bit_count > integer, warp_sync"},
	{forms: "bfind.s64", slots: "warp_sync, integer > branch > integer, warp_sync > branch, branch, 2 bit_count > bit_count > integer, 2 warp_sync"},
	{forms: "bfind.shiftamt.u64", slots: "2 bit_count, integer, integer > integer > integer, product"},
	{forms: "bfind.shiftamt.s64", slots: "warp_sync, integer > branch > 3 bit_count, branch, 2 integer > integer > integer, product, warp_sync"},
	{forms: "bfe.[us]32=23", slots: "integer > integer"},
	{forms: "bfe.[us]32", slots: "3 integer > integer > integer"},
	{forms: "bfe.u64=23", slots: "integer, integer > integer"},
	{forms: "bfe.s64=23", slots: "3 integer > integer > integer > integer, integer"},
	{forms: "bfe.u64", slots: "2 integer, integer, integer > integer, integer > integer, integer"},
	{forms: "bfe.s64", slots: "4 integer > integer > integer, integer > integer, integer > integer > integer > integer > integer, 3 integer"},
	{forms: "bfi.b32=34", slots: "integer > integer"},
	{forms: "bfi.b32", slots: "3 integer > integer, integer > integer"},
	{forms: "bfi.b64=34", slots: "integer, integer > 3 integer"},
	{forms: "bfi.b64", slots: "3 integer, 3 integer > integer, integer > 4 integer"},
	{forms: "fns.*", slots: "10 integer, 4 bit_count > 10 integer > 10 integer > 10 integer, 3 branch, bit_count > 3 integer, 2 warp_sync"},

	// Comparisons.
	{forms: "setp.*[bus]64", slots: "integer > integer"},
	{forms: "setp.*s16", slots: "2 integer > integer"},
	{forms: "set.*.f16.f16 set.*.[us]16.f16 set.*.f16x2 set.*.f32.f32", slots: "integer"},
	{forms: "set.*.[us]32.f16", slots: "integer > integer > integer"},
	{forms: "set.*.f16.f64", slots: "double_compare > integer > integer > conversion"},
	{forms: "set.*.f16.s16", slots: "2 integer > integer > integer > integer > integer > integer > conversion"},
	{forms: "set.*.f16.[bu]16", slots: "2 integer > integer > integer > integer > conversion"},
	{forms: "set.*.f16.[bus]64", slots: "integer > integer > integer > integer > conversion"},
	{forms: "set.*.f16.*", slots: "integer > integer > integer > conversion"},
	{forms: "set.*.f64", slots: "double_compare > integer"},
	{forms: "set.*.[bus]64", slots: "integer > integer > integer"},
	{forms: "set.*.[us]32.s16", slots: "2 integer > integer > integer > integer"},
	{forms: "set.*.f32.s16", slots: "2 integer > integer > integer"},
	{forms: "set.*.[us]32.[bu]16", slots: "integer > integer > integer"},
	{forms: "set.*", slots: "integer > integer"},
	{forms: "selp.[busf]64", slots: "2 integer"},
	{forms: "slct.*[busf]64.?32", slots: "integer > integer, integer"},
	{forms: "slct.*", slots: "integer > integer"},
	{forms: "testp.normal.f64", slots: "integer > integer > integer > integer > integer > integer > integer"},
	{forms: "testp.subnormal.f64", slots: "integer > integer > integer > integer > integer"},
	{forms: "testp.normal.f32", slots: "integer > integer > integer > integer"},
	{forms: "testp.subnormal.f32 testp.*.f64", slots: "integer > integer > integer"},
	{forms: "testp.*", slots: "integer > integer"},

	// Conversions: to other widths, of which registers of 32 bits are already or, put together,
	// only need a name; and what clamping adds.
	{forms: "cvta.shared.* cvta.local.*", slots: "integer, product"},
	{forms: "cvta.*", slots: ""},
	{forms: "cvt.[us]16.[us]16 cvt.[us]16.[us]32 cvt.[us]16.[us]64 cvt.[us]32.[us]32 cvt.[us]32.[us]64 cvt.[us]64.[us]64 cvt.[us]64.u32 cvt.f32.f32 cvt.f64.f64", slots: ""},
	{forms: "cvt.[us]64.s8 cvt.[us]64.s16 cvt.[us]64.u8", slots: "integer > integer"},
	{forms: "cvt.[us]16.s8", slots: "integer > integer"},
	{forms: "cvt.r*[us]8.f64", slots: "double_conversion > integer"},
	{forms: "cvt.sat.[us]8.s32", slots: "conversion > integer"},
	{forms: "cvt.sat.[us]16.s32", slots: "conversion"},
	{forms: "cvt.sat.[us]8.s64", slots: "integer > integer > integer > integer, integer > integer > integer, integer"},
	{forms: "cvt.sat.[us]16.s64", slots: "integer > integer > integer > integer, integer > integer > integer"},
	{forms: "cvt.sat.[us]8.u64 cvt.sat.[us]8.s8 cvt.sat.[us]8.s16 cvt.sat.s32.s64", slots: "integer > integer > integer, integer > integer > integer"},
	{forms: "cvt.sat.u32.u64 cvt.sat.u32.s8 cvt.sat.u32.s16 cvt.sat.u64.s8 cvt.sat.u64.s16 cvt.sat.s16.u16 cvt.sat.[us]8.u32", slots: "integer > integer > integer"},
	{forms: "cvt.sat.[us]*.[us]64 cvt.sat.u16.s8 cvt.sat.u16.s16", slots: "integer > integer > integer, integer > integer"},
	{forms: "cvt.sat.[us]*.[us]32", slots: "integer > integer"},
	{forms: "cvt.sat.[us]*.[us]*", slots: "integer > integer > integer > integer"},
	{forms: "cvt.sat.f32.f32", slots: "single"},
	{forms: "cvt.sat.f16.f16 cvt.sat.f32.f16", slots: "half > single"},
	{forms: "cvt.*sat.f64.f64", slots: "5 product, 2 double_compare > 2 integer, 2 integer > 2 integer"},
	{forms: "cvt.*sat.f64.*", slots: "4 product, double_conversion > double_compare, double_compare > 2 integer, 2 integer > 2 integer"},
	{forms: "cvt.rn.sat.f32.[us]64 cvt.rn.sat.f32.f64", slots: "double_conversion > single"},
	{forms: "cvt.*sat.f32.*", slots: "conversion > single"},
	{forms: "cvt.*sat.f16.f32", slots: "integer > half"},
	{forms: "cvt.*sat.f16.*", slots: "conversion > half"},

	// Atomics that shared memory does not have are a loop, which ends as a rule after one
	// iteration: load, operation, exchange, comparison, branch.
	{forms: "atom.*shared*.add.*f32 red.*shared*.add.*f32", slots: "2 warp_sync, integer, branch, load_shared > single > atomic_shared"},
	{forms: "atom.*shared*.add.*f16* red.*shared*.add.*f16*", slots: "2 warp_sync, integer, branch, load_shared > half > atomic_shared"},
	{forms: "atom.*shared*.add.*f64 red.*shared*.add.*f64", slots: "2 warp_sync, 2 integer, product, branch, load_shared > double > atomic_shared"},
	{forms: "atom.*shared*.add.[us]64 red.*shared*.add.[us]64", slots: "2 warp_sync, 2 integer, product, branch, load_shared > integer, product > atomic_shared"},
	{forms: "atom.*shared*.and.b64 atom.*shared*.or.b64 atom.*shared*.xor.b64 red.*shared*.and.b64 red.*shared*.or.b64 red.*shared*.xor.b64", slots: "2 warp_sync, 2 integer, product, branch, load_shared > 2 integer > atomic_shared"},
	{forms: "atom.*shared*.m??.[us]64 red.*shared*.m??.[us]64", slots: "2 warp_sync, 5 integer, product, branch, branch, load_shared > integer > integer > atomic_shared"},

	// Control. The return address is passed in a register; brx takes its target from a table.
	{forms: "call call.uni", slots: "integer, call"},
	{forms: "brx.idx brx.idx.uni", slots: "product > load_constant > integer > branch"},
}

// sequences are sequenceRows with their forms, which are read when a launch first has a clock.
var sequences = sync.OnceValue(func() []sequence {
	rows := slices.Clone(sequenceRows)
	for i := range rows {
		rows[i].match = parseForms(rows[i].forms)
	}
	return rows
})

// division64 is what the function that divides integers of 64 bits executes: a reciprocal,
// two steps that double its precision, a product and two corrections, with the call.
const division64 = "integer, call, double_conversion > special_function > integer > double_conversion" +
	" > product_wide > product > product > integer > product_high > product" + twice64 + " > product_wide > product > product > integer > product_high > integer" + twice64 +
	" > product_high > integer > product_wide, product > product_high > product_high > integer > product > product_wide > integer" +
	", product > integer > product > integer > product, integer, integer > integer > product, integer > 4 integer" +
	" > integer, integer, integer > integer, integer, integer > integer, product, integer, integer > 2 integer, call, 2 product"

// ofAll are several opcodes with the same suffixes.
func ofAll(suffix, opcodes string) string {
	return strings.Join(strings.Fields(opcodes), suffix+" ") + suffix
}

// twice64 is a step of it: the product of two numbers of 64 bits, its high half.
const twice64 = ", product, product > product_wide, product_high > product_high > integer > product"

// parseSlots is a list of slots as a sequence has it; nil for "".
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

// slots are the slots of the instruction at pc by itself. The result is shared.
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

// moves is the number of machine instructions of a mov that is one: one for each register
// of 32 bits, or to put one together, one less than it has parts.
func moves(in *isa.Instr) int {
	words := max(1, in.Types[0].Bits()/32) * in.Mods.VecLen()
	for i := range in.Args {
		if n := len(in.Args[i].Elems); in.Mods[isa.Vec] == 0 && n > words {
			return n - words
		}
	}
	return words
}

// fences are the classes of fences by scope.
var fences = map[isa.Mod]isa.CostClass{isa.ScopeCTA: isa.CostFenceCTA, isa.ScopeCluster: isa.CostFenceGPU, isa.ScopeGPU: isa.CostFenceGPU, isa.ScopeSys: isa.CostFenceSystem}
