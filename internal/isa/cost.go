package isa

import "slices"

// CostClass is the cost class of a machine instruction. A GPU's preset gives each class its latency, its pipe and for
// how long the pipe is busy. A PTX instruction becomes machine instructions of one or more classes, or none (package
// cost).
type CostClass uint8

const (
	CostNothing          CostClass = iota
	CostInteger                    // sums, logic, shifts, comparisons, selections, moves; comparison, min and max of .f32
	CostProduct                    // 32-bit integer products and dot products
	CostProductHigh                // high halves of 32-bit products
	CostProductWide                // 64-bit results of 32-bit products
	CostSingle                     // arithmetic on .f32
	CostHalf                       // arithmetic on halves, of .f16 and .bf16
	CostDouble                     // arithmetic on .f64
	CostDoubleCompare              // comparison of .f64
	CostSpecialFunction            // rcp, rsqrt, ex2, lg2, sin, cos, tanh
	CostSingleConversion           // 32-bit integers to .f32
	CostConversion                 // other conversions between integers and floats, to integral values
	CostDoubleConversion           // to and from .f64
	CostBitCount                   // popc, bfind, brev
	CostVote                       // vote, activemask
	CostMatch                      // match
	CostReduction                  // redux
	CostShuffle                    // shfl
	CostReadSpecial                // special registers that are not known before the launch
	CostReadClock                  // clocks
	CostLoadConstant               // constant memory, and parameters of 64 bits
	CostUniformConstant            // parameters of 32 bits, which go to uniform registers
	CostLoadShared                 // shared memory
	CostStoreShared                // shared memory
	CostAtomicShared               // atomics on shared memory
	CostLoadGlobal                 // global memory, also by generic addresses
	CostStoreGlobal                // global memory, also by generic addresses
	CostAtomicGlobal               // atomics on global memory that return a value
	CostReductionGlobal            // atomics on global memory that return none
	CostLoadLocal                  // local memory
	CostStoreLocal                 // local memory
	CostTexture                    // loads of textures and surfaces
	CostStoreSurface               // stores to surfaces, and atomics, which return no value
	CostFenceCTA                   // fences of scope .cta
	CostFenceGPU                   // fences of scopes .cluster and .gpu
	CostFenceSystem                // fences of scope .sys
	CostCTABarrier                 // barriers of a CTA
	CostWarpSync                   // barriers of a warp, and convergence barriers
	CostBranch                     // branches
	CostIndirectBranch             // branches to an address in a register
	CostCall                       // calls and returns
	CostExit                       // exit
	CostSleep                      // nanosleep
	CostMatrix                     // products of matrices with 32 bytes of a row of A: m16n8k16 on .f16
	CostMatrixSmall                // products of matrices with 16 bytes, or fewer rows
	CostMatrixDouble               // products of matrices of .f64, m8n8k4
	CostMatrixGroup                // wgmma: a warp's part for each 8 columns
	NumCostClasses
)

var costNames = [NumCostClasses]string{"none", "integer", "product", "product_high", "product_wide", "single", "half", "double", "double_compare",
	"special_function", "single_conversion", "conversion", "double_conversion", "bit_count", "vote", "match", "reduction", "shuffle", "read_special", "read_clock",
	"load_constant", "uniform_constant", "load_shared", "store_shared", "atomic_shared", "load_global", "store_global", "atomic_global", "reduction_global",
	"load_local", "store_local", "texture", "store_surface", "fence_cta", "fence_gpu", "fence_system", "cta_barrier", "warp_sync", "branch", "indirect_branch", "call", "exit", "sleep", "matrix", "matrix_small", "matrix_double", "matrix_group"}

// String returns the class's name in a preset.
func (c CostClass) String() string { return costNames[c] }

// CostClassByName returns the class with a name; false if there is none.
func CostClassByName(name string) (c CostClass, ok bool) {
	i := slices.Index(costNames[:], name)
	return CostClass(max(i, 0)), i > 0
}

// CostClass returns the class of the machine instruction that does most of the work of a legal variant: the variant's
// cost if it becomes only that instruction.
func (s *Spec) CostClass(v *Variant) CostClass {
	if s.Cost.class != nil {
		return s.Cost.class(v)
	}
	switch s.Unit(v) {
	case ALU:
		return CostInteger
	case FMA:
		return CostSingle
	case FMAHeavy:
		return productCost(v)
	case FP16:
		return CostHalf
	case FP64:
		return CostDouble
	case XU:
		return CostSpecialFunction
	case CBU:
		return CostBranch
	}
	return CostNothing
}

// productCost returns the class of an integer product by the part that is used. Products of 16 bits are computed in
// 32 bits.
func productCost(v *Variant) CostClass {
	switch part := v.Mods[Part]; {
	case part == Hi && v.Type().Bits() >= 32:
		return CostProductHigh
	case part == WidePart && v.Type().Bits() == 32:
		return CostProductWide
	}
	return CostProduct
}

// comparingCost returns the class of a comparison or a min or max, by the type of its sources: halves take as long as
// integers (HMNMX2 on an H100; HSETP2 is assumed to).
func comparingCost(v *Variant) CostClass {
	if comparing(v) == FP64 {
		return CostDoubleCompare
	}
	return CostInteger
}

// conversionCost returns the class of cvt.
func conversionCost(v *Variant) CostClass {
	to, from := v.Types[0], v.Types[1]
	switch conversion(v) {
	case ALU:
		return CostInteger
	case FMA:
		return CostSingle
	case FP16:
		return CostHalf
	case FP64:
		return CostDouble
	}
	switch {
	case to.Bits() == 64 || from.Bits() == 64:
		return CostDoubleConversion
	case to == F32 && (from == U32 || from == S32):
		return CostSingleConversion
	}
	return CostConversion
}

// accessCosts are the classes of loads, stores and atomics by state space.
var accessCosts = map[Kind]map[Space]CostClass{
	Load: {Generic: CostLoadGlobal, Global: CostLoadGlobal, Shared: CostLoadShared, Local: CostLoadLocal,
		SharedCluster: CostLoadShared, Const: CostLoadConstant, Param: CostLoadConstant},
	Store: {Generic: CostStoreGlobal, Global: CostStoreGlobal, Shared: CostStoreShared, Local: CostStoreLocal,
		SharedCluster: CostStoreShared, Param: CostStoreLocal},
	Atomic: {Generic: CostAtomicGlobal, Global: CostAtomicGlobal, Shared: CostAtomicShared, SharedCluster: CostAtomicShared},
}

// accessCost returns the class of a row that accesses memory.
func accessCost(k Kind) func(*Variant) CostClass {
	return func(v *Variant) CostClass { return accessCosts[k][v.Mods.MemSpace()] }
}

// reductionCost returns the class of an atomic without a result. Shared memory does not have a class for it.
func reductionCost(v *Variant) CostClass {
	if s := v.Mods.MemSpace(); s == Shared || s == SharedCluster {
		return CostAtomicShared
	}
	return CostReductionGlobal
}

// fenceCost returns the class of a fence, by its scope.
func fenceCost(v *Variant) CostClass {
	switch {
	case v.Mods[Scope] == ScopeCTA, v.Mods[Level] == LevelCTA:
		return CostFenceCTA
	case v.Mods[Scope] == ScopeSys, v.Mods[Level] == LevelSys:
		return CostFenceSystem
	}
	return CostFenceGPU
}
