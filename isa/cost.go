package isa

import "slices"

// CostClass is what a machine instruction costs: its latency, and for how long which
// pipe is busy with it, are in a GPU's preset by class. An instruction of PTX
// becomes machine instructions of one or more classes, or none (package cost).
type CostClass uint8

const (
	CostNothing          CostClass = iota
	CostInteger                    // sums, logic, shifts, comparisons, selections, moves; comparison, min and max of .f32
	CostProduct                    // 32-bit integer products and dot products
	CostProductHigh                // high halves of 32-bit products
	CostProductWide                // 64-bit results of 32-bit products
	CostSingle                     // arithmetic on .f32
	CostHalf                       // arithmetic on halves
	CostDouble                     // arithmetic on .f64
	CostDoubleCompare              // comparison of .f64
	CostSpecialFunction            // rcp, rsqrt, ex2, lg2, sin, cos, tanh
	CostConversion                 // between integers and floats, to integral values
	CostDoubleConversion           // to and from .f64
	CostBitCount                   // popc, bfind, brev
	CostVote                       // vote, activemask
	CostMatch                      // match
	CostReduction                  // redux
	CostShuffle                    // shfl
	CostReadSpecial                // special registers that are not known before the launch
	CostReadClock                  // clocks
	CostLoadConstant               // constant memory, and parameters at addresses in registers
	CostLoadShared                 // shared memory
	CostStoreShared                // shared memory
	CostAtomicShared               // atomics on shared memory
	CostLoadGlobal                 // global memory, also by generic addresses
	CostStoreGlobal                // global memory, also by generic addresses
	CostAtomicGlobal               // atomics on global memory that return a value
	CostReductionGlobal            // atomics on global memory that return none
	CostLoadLocal                  // local memory
	CostStoreLocal                 // local memory
	CostFenceCTA                   // fences of scope .cta
	CostFenceGPU                   // fences of scopes .cluster and .gpu
	CostFenceSystem                // fences of scope .sys
	CostCTABarrier                 // barriers of a CTA
	CostWarpSync                   // barriers of a warp, and convergence barriers
	CostBranch                     // branches
	CostCall                       // calls and returns
	CostExit                       // exit
	CostSleep                      // nanosleep
	NumCostClasses
)

var costNames = [NumCostClasses]string{"none", "integer", "product", "product_high", "product_wide", "single", "half", "double", "double_compare",
	"special_function", "conversion", "double_conversion", "bit_count", "vote", "match", "reduction", "shuffle", "read_special", "read_clock",
	"load_constant", "load_shared", "store_shared", "atomic_shared", "load_global", "store_global", "atomic_global", "reduction_global",
	"load_local", "store_local", "fence_cta", "fence_gpu", "fence_system", "cta_barrier", "warp_sync", "branch", "call", "exit", "sleep"}

// String is the class's name in a preset.
func (c CostClass) String() string { return costNames[c] }

// CostByName is the class of that name; false if there is none.
func CostClassByName(name string) (c CostClass, ok bool) {
	i := slices.Index(costNames[:], name)
	return CostClass(max(i, 0)), i > 0
}
