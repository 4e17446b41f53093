package simtrun

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// Kernel is a kernel of a machine, ready to launch.
type Kernel struct {
	m     *Machine
	fn    *isa.Func
	attrs Attributes
}

// Attributes are the resources that a kernel needs in any launch.
type Attributes struct {
	Registers    int   // per thread, estimated
	StaticShared int64 // bytes per CTA
	Local        int64 // bytes per thread, without the functions that the kernel calls
	Const        int64 // bytes of the program's constants
	MaxThreads   int   // largest CTA that the GPU launches, in threads
	// MaxDynamicShared is the most bytes of dynamic shared memory that a CTA can have in addition to the static.
	MaxDynamicShared int64
	PTXVersion       string // such as "8.0"; "" if the source has none
	Target           string // such as "sm_90"
}

// Param is the place of a parameter in the parameter block.
type Param struct {
	Name         string
	Offset, Size int64 // bytes
	Align        int64 // bytes
	Pointer      bool  // the source declares it as an address (.ptr)
}

// Kernel returns the kernel of that name. If it cannot run, the error says why: an *isa.Error if something is not
// supported, otherwise an error as Launch returns it.
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

// maxThreads returns the most threads of a CTA, limited by the kernel's directives, the GPU, and the register file.
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

// Name returns the kernel's name.
func (k *Kernel) Name() string { return k.fn.Name }

// Attributes returns the resources that the kernel needs.
func (k *Kernel) Attributes() Attributes { return k.attrs }

// Params returns the kernel's parameters, in order.
func (k *Kernel) Params() []Param {
	offsets, _ := k.fn.ParamLayout()
	all := make([]Param, len(offsets))
	for i, p := range k.fn.Params {
		all[i] = Param{Name: p.Name, Offset: offsets[i], Size: p.Size(), Align: int64(max(p.Align, 1)), Pointer: p.Ptr != nil}
	}
	return all
}

// ParamBytes returns the size of the parameter block.
func (k *Kernel) ParamBytes() int64 {
	_, size := k.fn.ParamLayout()
	return size
}

// Occupancy says how many CTAs of a kernel reside on an SM at a time.
type Occupancy struct {
	CTAs     int      // resident on an SM
	Warps    int      // resident on an SM
	Fraction float64  // Warps over the most warps that an SM holds, 0 to 1
	Limits   []string // the limiting resources: warps, registers, shared, blocks, barriers
	Refusal  string   // why not even one CTA fits; otherwise ""
}

// Occupancy computes how many CTAs fit on an SM. shared is the bytes of dynamic shared memory per CTA.
func (k *Kernel) Occupancy(block Dim, shared int64) Occupancy {
	return occupancyOf(k.m.mem.cfg.GPU.Occupancy(k.usageOf(block, shared)))
}

func (k *Kernel) usageOf(block Dim, shared int64) gpu.Usage {
	u, _, err := k.m.m.Usage(interp.Launch{Kernel: k.fn.Name, Block: atLeastOne(block), Shared: shared})
	if err != nil {
		panic("simtrun bug: " + err.Error()) // checked when k was made
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

// BestBlock returns the number of threads per CTA with which the most threads reside on an SM: a multiple of 32, and at
// most atMost unless that is 0. shared returns the bytes of dynamic shared memory for a CTA of a number of threads; nil
// means none. threads is 0 if no CTA fits.
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
