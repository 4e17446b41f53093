package simtrun

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Kernel is a kernel of a machine that can be launched.
type Kernel struct {
	m     *Machine
	fn    *isa.Func
	attrs Attributes
}

// Attributes are what a kernel takes, whatever its launch.
type Attributes struct {
	Registers    int   // of a thread, estimated
	StaticShared int64 // bytes of a CTA
	Local        int64 // bytes of a thread, without those of functions that it calls
	Const        int64 // bytes of the program's constants
	MaxThreads   int   // of a CTA that the GPU launches
	// MaxDynamicShared is the bytes of dynamic shared memory that a CTA can have beside the static.
	MaxDynamicShared int64
	PTXVersion       string // as in "8.0"; "" if the source does not say
	Target           string // as in "sm_90"
}

// Param is where a parameter lies in the parameter block.
type Param struct {
	Name         string
	Offset, Size int64 // bytes
	Align        int64 // bytes
	Pointer      bool  // the source says that it is an address (.ptr)
}

// Kernel is the kernel of that name, or says what of it cannot be run: an *isa.Error for what is not supported, or an
// error as Launch has it.
func (m *Machine) Kernel(name string) (*Kernel, error) {
	fn := m.mod.Entry(name)
	if fn == nil {
		return nil, fmt.Errorf("no kernel %q", name)
	}
	r, err := m.m.Resources(name)
	if err != nil {
		return nil, err
	}
	k, on := &Kernel{m: m, fn: fn}, m.mem.cfg.GPU
	k.attrs = Attributes{Registers: r.Registers, StaticShared: r.Static, Local: r.Local,
		MaxThreads: k.maxThreads(on), MaxDynamicShared: max(0, on.Residency.SharedOptIn-r.Static),
		PTXVersion: m.mod.Version, Target: m.mod.Target}
	for _, v := range m.mod.Vars {
		if v.Space == isa.Const && v.Linkage != isa.Extern {
			k.attrs.Const += v.Size()
		}
	}
	return k, nil
}

// maxThreads is the most threads of a CTA: what the kernel says, no more than the GPU launches, and of them no more than have registers.
func (k *Kernel) maxThreads(on *gpu.Config) int {
	most := int(on.Limits.BlockThreads)
	for _, d := range []isa.Dim{k.fn.ReqNTID, k.fn.MaxNTID} {
		if n := d.Count(); d != (isa.Dim{}) && n < int64(most) {
			most = int(n)
		}
	}
	for ; most > Width; most -= Width {
		if o := on.Occupancy(k.usageOf(Dim{X: uint32(most)}, 0)); o.Limits[gpu.RegisterFile] > 0 {
			break
		}
	}
	return most
}

// Name is the kernel's name.
func (k *Kernel) Name() string { return k.fn.Name }

// Attributes are what the kernel takes.
func (k *Kernel) Attributes() Attributes { return k.attrs }

// Params are the kernel's parameters, in order.
func (k *Kernel) Params() []Param {
	offsets, _ := k.fn.ParamLayout()
	all := make([]Param, len(offsets))
	for i, p := range k.fn.Params {
		all[i] = Param{Name: p.Name, Offset: offsets[i], Size: p.Size(), Align: int64(max(p.Align, 1)), Pointer: p.Ptr != nil}
	}
	return all
}

// ParamBytes is the size of the parameter block.
func (k *Kernel) ParamBytes() int64 {
	_, size := k.fn.ParamLayout()
	return size
}

// Occupancy is how full an SM is with CTAs of a kernel.
type Occupancy struct {
	CTAs     int      // that reside on an SM
	Warps    int      // of those
	Fraction float64  // Warps of those for which an SM has places, 0 to 1
	Limits   []string // what allows no more: warps, registers, shared, blocks, barriers
	Refusal  string   // why not even one CTA resides; else ""
}

// Occupancy is how full an SM is with CTAs of so many threads and bytes of dynamic shared memory.
func (k *Kernel) Occupancy(block Dim, shared int64) Occupancy {
	return occupancyOf(k.m.mem.cfg.GPU.Occupancy(k.usageOf(block, shared)))
}

func (k *Kernel) usageOf(block Dim, shared int64) gpu.Usage {
	u, _, err := k.m.m.Usage(interp.Launch{Kernel: k.fn.Name, Block: atLeastOne(block), Shared: shared})
	if err != nil {
		panic("simtrun bug: " + err.Error()) // it was found when k was made
	}
	return u
}

func occupancyOf(o gpu.Occupancy) Occupancy {
	public := Occupancy{CTAs: o.CTAs, Warps: o.Warps, Fraction: o.Fraction(), Refusal: o.Refusal}
	for _, r := range o.Limiters() {
		public.Limits = append(public.Limits, r.String())
	}
	return public
}

// BestBlock is the number of threads of a CTA, a multiple of 32 and no more than atMost unless that is 0, with which the most threads reside on an SM;
// shared is the bytes of dynamic shared memory of a CTA of so many threads, nil for none. It is 0 if no CTA fits.
func (k *Kernel) BestBlock(atMost int, shared func(threads int) int64) (threads int, best Occupancy) {
	most := k.attrs.MaxThreads
	if atMost > 0 {
		most = min(most, atMost)
	}
	for n := most / Width * Width; n > 0; n -= Width {
		bytes := int64(0)
		if shared != nil {
			bytes = shared(n)
		}
		if o := k.Occupancy(Dim{X: uint32(n)}, bytes); o.Warps > best.Warps {
			threads, best = n, o
		}
	}
	return threads, best
}
