package gpu

import (
	"fmt"
	"math"
	"slices"
)

const warpThreads = 32

// Usage is the resources of an SM that a CTA of a kernel uses.
type Usage struct {
	Threads   int   // at least 1
	Registers int   // per thread, as ptxas counts them; 0: no limit
	Static    int64 // bytes of static shared memory
	Dynamic   int64 // bytes of dynamic shared memory
	// OptIn is the bytes of dynamic shared memory to which the kernel has opted in
	// (cudaFuncAttributeMaxDynamicSharedMemorySize). If it is 0, all shared memory of a
	// CTA is at most Residency.SharedPerCTA.
	OptIn int64
	// Carveout is how much of an SM's shared memory the kernel prefers, in percent
	// (cudaFuncAttributePreferredSharedMemoryCarveout); nil is all of it.
	Carveout *int
	Barriers int // named barriers, as ptxas counts them; 0: no limit
	// Idealised allocates registers and shared memory exactly: without allocation units, sub-partitions, reserved memory
	// and carve-outs.
	Idealised bool
}

// Warps returns the number of warps of the CTA.
func (u *Usage) Warps() int { return ceilDiv(u.Threads, warpThreads) }

// Resource is a resource of an SM that limits its CTAs.
type Resource int

// The resources that limit the CTAs that reside on an SM.
const (
	WarpSlots Resource = iota
	RegisterFile
	SharedMemory
	CTASlots
	NamedBarriers
	NumResources
)

// String returns the resource as in Nsight Compute's launch__occupancy_limit metrics, shortened.
func (r Resource) String() string {
	return [NumResources]string{"warps", "registers", "shared", "blocks", "barriers"}[r]
}

// Unlimited is the limit of a resource that a CTA does not use.
const Unlimited = math.MaxInt

// Occupancy is how many CTAs of a kernel reside on one SM.
type Occupancy struct {
	CTAs     int
	Warps    int               // of those CTAs
	MaxWarps int               // the SM's slots for warps
	Limits   [NumResources]int // CTAs that each resource allows, or Unlimited
	Capacity int64             // bytes of shared memory that the SM is configured to have
	// Refusal is the launch error if not even one CTA can reside, else "".
	Refusal string
}

// Fraction returns the occupancy, 0 to 1: resident warps divided by slots for warps.
func (o *Occupancy) Fraction() float64 { return float64(o.Warps) / float64(o.MaxWarps) }

// Limiters returns the resources that allow no more CTAs than reside.
func (o *Occupancy) Limiters() (limiters []Resource) {
	for r, limit := range o.Limits {
		if limit == o.CTAs {
			limiters = append(limiters, Resource(r))
		}
	}
	return limiters
}

// Occupancy returns how many CTAs with this usage reside on one SM, by the rules of the CUDA C++ Programming Guide
// and of cuda_occupancy.h (CUDA 12.6).
func (c *Config) Occupancy(u Usage) Occupancy {
	r := c.rules(u.Idealised)
	o := Occupancy{MaxWarps: r.Warps, Capacity: r.capacity(&u), CTAs: r.CTAs}
	o.Limits[CTASlots] = r.CTAs
	for resource, rule := range [NumResources]func(*Usage) (ctas int, refusal string){
		WarpSlots: r.warpLimit, RegisterFile: r.registerLimit, SharedMemory: r.sharedLimit, NamedBarriers: r.barrierLimit,
	} {
		if rule == nil {
			continue
		}
		limit, refusal := rule(&u)
		o.Limits[resource] = limit
		o.CTAs = min(o.CTAs, limit)
		if o.Refusal == "" {
			o.Refusal = refusal
		}
	}
	o.Warps = o.CTAs * u.Warps()
	return o
}

// rules are the limits and allocation units of an SM. The refusal of a rule is the reason for a limit of 0.
type rules struct {
	Residency
	blockThreads int // maximum per CTA
	partitions   int // of the register file; all of a warp's registers are in one
	barriers     int // named barriers that the CTAs of an SM share, or Unlimited
}

func (c *Config) rules(idealised bool) *rules {
	r := &rules{Residency: c.Residency, blockThreads: int(c.Limits.BlockThreads), partitions: c.Schedulers, barriers: Unlimited}
	if c.Capability[0] >= 9 {
		r.barriers = max(2*r.CTAs, r.Barriers)
	}
	if idealised {
		r.partitions, r.RegisterUnit, r.WarpUnit = 1, 1, 1
		r.SharedUnit, r.SharedReserved, r.Carveouts = 1, 0, nil
	}
	return r
}

func (r *rules) warpLimit(u *Usage) (ctas int, refusal string) {
	switch limit := r.Warps / u.Warps(); {
	case u.Threads > r.blockThreads:
		return 0, fmt.Sprintf("%d threads per block, at most %d", u.Threads, r.blockThreads)
	case limit == 0:
		return 0, fmt.Sprintf("%d warps per block, an SM has slots for %d", u.Warps(), r.Warps)
	default:
		return limit, ""
	}
}

func (r *rules) registerLimit(u *Usage) (ctas int, refusal string) {
	switch {
	case u.Registers == 0:
		return Unlimited, ""
	case u.Registers > r.RegistersPerThread:
		return 0, fmt.Sprintf("%d registers per thread, at most %d", u.Registers, r.RegistersPerThread)
	}
	perWarp := roundUp(u.Registers*warpThreads, r.RegisterUnit)
	toLaunch := perWarp * roundUp(u.Warps(), r.WarpUnit) // only this check rounds up the number of warps
	resident := r.partitions * (r.Registers / r.partitions / perWarp)
	switch limit := resident / u.Warps(); {
	case toLaunch > r.RegistersPerCTA:
		return 0, fmt.Sprintf("%d threads of %d registers take %d registers per block, at most %d", u.Threads, u.Registers, toLaunch, r.RegistersPerCTA)
	case limit == 0:
		return 0, fmt.Sprintf("%d warps of %d registers per thread, an SM has registers for %d", u.Warps(), u.Registers, resident)
	default:
		return limit, ""
	}
}

// sharedCeiling returns the maximum bytes of shared memory that a CTA may request.
func (r *rules) sharedCeiling(u *Usage) int64 {
	if u.OptIn > 0 {
		return r.SharedOptIn
	}
	return r.SharedPerCTA
}

// allocated returns the bytes of shared memory allocated for a CTA, including the system's.
func (r *rules) allocated(u *Usage) int64 {
	return roundUp(u.Static+u.Dynamic+r.SharedReserved, r.SharedUnit)
}

// capacity returns the shared memory that the SM is configured to have: the smallest configuration with at least what
// the kernel prefers and one CTA needs.
func (r *rules) capacity(u *Usage) int64 {
	if u.Carveout == nil {
		return r.Shared
	}
	want := max(r.Shared*int64(*u.Carveout)/100, r.allocated(u))
	for _, capacity := range r.Carveouts {
		if capacity >= want {
			return capacity
		}
	}
	return r.Shared
}

func (r *rules) sharedLimit(u *Usage) (ctas int, refusal string) {
	asked, alloc := u.Static+u.Dynamic, r.allocated(u)
	switch ceiling := r.sharedCeiling(u); {
	case asked > ceiling:
		return 0, fmt.Sprintf("%d bytes of shared memory per block, at most %d", asked, ceiling)
	case u.OptIn > 0 && u.Dynamic > u.OptIn:
		return 0, fmt.Sprintf("%d bytes of dynamic shared memory per block, the kernel has opted in to %d", u.Dynamic, u.OptIn)
	case alloc > r.Shared:
		return 0, fmt.Sprintf("%d bytes of shared memory per block, an SM has %d", alloc, r.Shared)
	case alloc == 0:
		return Unlimited, ""
	default:
		return int(r.capacity(u) / alloc), ""
	}
}

func (r *rules) barrierLimit(u *Usage) (ctas int, refusal string) {
	switch {
	case u.Barriers == 0 || r.barriers == Unlimited:
		return Unlimited, ""
	case u.Barriers > r.Barriers:
		return 0, fmt.Sprintf("%d named barriers per block, at most %d", u.Barriers, r.Barriers)
	default:
		return r.barriers / u.Barriers, ""
	}
}

// MostRegisters returns the maximum number of registers per thread with which this many CTAs can reside, considering
// only registers; 0 if no number is low enough.
func (c *Config) MostRegisters(u Usage, ctas int) int {
	r := c.rules(u.Idealised)
	for u.Registers = r.RegistersPerThread; u.Registers > 0; u.Registers-- {
		if limit, _ := r.registerLimit(&u); limit >= ctas {
			break
		}
	}
	return u.Registers
}

// FittingRegisters returns the maximum number of registers per thread with which a CTA fits an SM, if it is at most
// fewer less than u's, considering only registers; otherwise u's.
func (c *Config) FittingRegisters(u Usage, fewer int) int {
	r, most := c.rules(u.Idealised), u.Registers
	for ; u.Registers > max(0, most-fewer-1); u.Registers-- {
		if limit, _ := r.registerLimit(&u); limit > 0 {
			return u.Registers
		}
	}
	return most
}

// AvailableDynamic returns the maximum bytes of dynamic shared memory per CTA with which this many CTAs can reside,
// considering only shared memory; -1 if the static shared memory is already too much.
// cuOccupancyAvailableDynamicSMemPerBlock does not subtract the memory that the system reserves for each CTA, so that
// fewer CTAs reside with its result.
func (c *Config) AvailableDynamic(u Usage, ctas int) int64 {
	r := c.rules(u.Idealised)
	capacities := []int64{r.Shared}
	if u.Carveout != nil && r.Carveouts != nil {
		capacities = r.Carveouts
	}
	for _, capacity := range slices.Backward(capacities) {
		share := capacity / int64(ctas) / r.SharedUnit * r.SharedUnit
		u.Dynamic = min(share-r.SharedReserved, r.sharedCeiling(&u)) - u.Static
		// With less, the SM would be configured to have less.
		if limit, _ := r.sharedLimit(&u); u.Dynamic >= 0 && limit >= ctas {
			return u.Dynamic
		}
	}
	return -1
}

// BestBlock returns the number of threads per CTA, a multiple of 32 and at most atMost, with which the most threads
// reside on an SM: the largest such number. It is 0 if no CTA fits.
func (c *Config) BestBlock(u Usage, atMost int) (threads int, best Occupancy) {
	for u.Threads = min(atMost, int(c.Limits.BlockThreads)) / warpThreads * warpThreads; u.Threads > 0; u.Threads -= warpThreads {
		if o := c.Occupancy(u); o.Warps > best.Warps {
			threads, best = u.Threads, o
		}
	}
	return threads, best
}

func ceilDiv[T int | int64](n, by T) T {
	if n%by == 0 {
		return n / by
	}
	return n/by + 1
}

func roundUp[T int | int64](n, unit T) T { return ceilDiv(n, unit) * unit }
