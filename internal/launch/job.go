package launch

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/ongpu"
)

// Module returns the module whose kernels the plan launches.
func (p *Plan) Module() *isa.Module { return p.mod }

// Job returns the run as the CUDA driver can execute it on a GPU, without the PTX. Call it before any launch, because
// it has the present contents of memory. Launches of several streams follow one another. It returns an error for
// features that a Job cannot express.
func (r *Prepared) Job() (*ongpu.Job, error) {
	p := r.runner.plan
	switch {
	case len(p.images) > 0:
		return nil, fmt.Errorf("textures, surfaces and samplers are not supported on a GPU yet")
	case len(p.maps) > 0:
		return nil, fmt.Errorf("tensor maps are not supported on a GPU yet")
	case p.heap.given:
		return nil, fmt.Errorf("a heap with a size or an address is not supported on a GPU yet")
	}
	job := &ongpu.Job{}
	for _, o := range p.objects {
		if o.address != nil {
			return nil, o.at.errorf("buffer %s has a fixed address, but a GPU has buffers at addresses of its own", o.name)
		}
		b := ongpu.Buffer{Name: o.name, Symbol: o.symbol != nil, Data: bytes.Clone(r.runner.processes[0].regions[o.name].Data)}
		if b.Symbol {
			k := slices.IndexFunc(p.symbols, func(im image) bool { return im.object == o })
			if b.Keep = k < 0; !b.Keep {
				b.Patches = patchesOf(p, p.symbols[k].patches)
			}
		}
		job.Buffers = append(job.Buffers, b)
	}
	for i := range p.Launches {
		l := &p.Launches[i]
		job.Launches = append(job.Launches, ongpu.Launch{Kernel: l.Kernel, Grid: threeOf(l.Grid), Block: threeOf(l.Block), Cluster: threeOf(l.Cluster),
			Shared: uint32(l.Shared), Cooperative: l.Cooperative, Params: l.params.data, Patches: patchesOf(p, l.params.patches)})
	}
	return job, nil
}

// patchesOf names the buffers of patches by their numbers in the job.
func patchesOf(p *Plan, all []patch) (patches []ongpu.Patch) {
	for _, at := range all {
		n := slices.IndexFunc(p.objects, func(o *object) bool { return o.name == at.target.name })
		patches = append(patches, ongpu.Patch{At: int(at.at), Width: at.width, Buffer: n, Offset: at.target.offset})
	}
	return patches
}

func threeOf(d isa.Dim) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }
