package gpu

import (
	"fmt"
	"math"
	"slices"
)

const warpThreads = 32

// Usage is what a CTA of a kernel uses of an SM.
type Usage struct {
	Threads   int   // at least 1
	Registers int   // of a thread, as ptxas counts them; 0 does not limit
	Static    int64 // bytes of static shared memory
	Dynamic   int64 // bytes of dynamic shared memory
	// OptIn is the bytes of dynamic shared memory to which the kernel has opted in
	// (cudaFuncAttributeMaxDynamicSharedMemorySize). If it is 0, all shared memory of a
	// CTA is at most Residency.SharedPerCTA.
	OptIn int64
	// Carveout is how much of an SM's shared memory the kernel prefers, in percent
	// (cudaFuncAttributePreferredSharedMemoryCarveout); nil is all of it.
	Carveout *int
	Barriers int // named barriers, as ptxas counts them; 0 does not limit
	// Idealised has registers and shared memory given out by the piece: without units,
	// sub-partitions, what the system reserves, and carve-outs.
	Idealised bool
}

// Warps is how many warps the CTA has.
func (u *Usage) Warps() int { return ceilDiv(u.Threads, warpThreads) }

// Resource is what CTAs use of an SM.
type Resource int

// What limits the CTAs that reside on an SM.
const (
	WarpSlots Resource = iota
	RegisterFile
	SharedMemory
	CTASlots
	NamedBarriers
	NumResources
)

// String is the word of Nsight Compute's launch__occupancy_limit metrics, shortened.
func (r Resource) String() string {
	return [NumResources]string{"warps", "registers", "shared", "blocks", "barriers"}[r]
}

// Unlimited is the limit of a resource of which a CTA uses nothing.
const Unlimited = math.MaxInt

// Occupancy is how many CTAs of a kernel reside on one SM.
type Occupancy struct {
	CTAs     int
	Warps    int               // of those CTAs
	MaxWarps int               // for which the SM has slots
	Limits   [NumResources]int // CTAs that each resource allows by itself, or Unlimited
	Capacity int64             // bytes of shared memory that the SM is configured to have
	// Refusal says why not even one CTA resides, as the launch fails with it; else "".
	Refusal string
}

// Fraction is the occupancy: warps that reside, of those for which there are slots, 0
// to 1.
func (o *Occupancy) Fraction() float64 { return float64(o.Warps) / float64(o.MaxWarps) }

// Limiters are the resources that allow no more CTAs than reside.
func (o *Occupancy) Limiters() (limiters []Resource) {
	for r, limit := range o.Limits {
		if limit == o.CTAs {
			limiters = append(limiters, Resource(r))
		}
	}
	return limiters
}

// Occupancy is how many CTAs that use so much of an SM reside on one, by the rules of
// the CUDA C++ Programming Guide and of cuda_occupancy.h (CUDA 12.6).
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

// rules are the units in which an SM gives itself out to CTAs. A rule's refusal says
// why its limit is 0.
type rules struct {
	Residency
	blockThreads int // of a CTA at most
	partitions   int // of the register file; a warp's registers are all in one
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
	toLaunch := perWarp * roundUp(u.Warps(), r.WarpUnit) // the number of warps is rounded up for this check alone
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

// sharedCeiling is the bytes of shared memory that a CTA may ask for.
func (r *rules) sharedCeiling(u *Usage) int64 {
	if u.OptIn > 0 {
		return r.SharedOptIn
	}
	return r.SharedPerCTA
}

// allocated is the bytes of shared memory that a CTA takes, with the system's.
func (r *rules) allocated(u *Usage) int64 {
	return roundUp(u.Static+u.Dynamic+r.SharedReserved, r.SharedUnit)
}

// capacity is the shared memory that the SM is configured to have: the least that can
// be configured and is no less than the kernel prefers, nor than one CTA takes.
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

// MostRegisters is the most registers that a thread may have so that as many CTAs
// reside as far as registers go; 0 if no number is low enough.
func (c *Config) MostRegisters(u Usage, ctas int) int {
	r := c.rules(u.Idealised)
	for u.Registers = r.RegistersPerThread; u.Registers > 0; u.Registers-- {
		if limit, _ := r.registerLimit(&u); limit >= ctas {
			break
		}
	}
	return u.Registers
}

// AvailableDynamic is the most bytes of dynamic shared memory that a CTA may have so
// that as many CTAs reside as far as shared memory goes; -1 if its static shared memory
// is too much already. cuOccupancyAvailableDynamicSMemPerBlock does not subtract what
// the system reserves for each CTA, so that not as many reside with what it says.
func (c *Config) AvailableDynamic(u Usage, ctas int) int64 {
	r := c.rules(u.Idealised)
	capacities := []int64{r.Shared}
	if u.Carveout != nil && r.Carveouts != nil {
		capacities = r.Carveouts
	}
	for _, capacity := range slices.Backward(capacities) {
		share := capacity / int64(ctas) / r.SharedUnit * r.SharedUnit
		u.Dynamic = min(share-r.SharedReserved, r.sharedCeiling(&u)) - u.Static
		if limit, _ := r.sharedLimit(&u); u.Dynamic >= 0 && limit >= ctas { // else so little would be configured to have less
			return u.Dynamic
		}
	}
	return -1
}

// BestBlock is the number of threads of a CTA, a multiple of 32 and no more than
// allowed, with which the most threads reside on an SM: the largest such number. It is
// 0 if no CTA fits.
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
