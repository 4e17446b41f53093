package launch

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// owned is the name of a buffer or variable, and of the process that owns it; "" if no process is given.
type owned struct{ process, name string }

// parseOwned parses NAME or PROCESS/NAME, where NAME may be a parameter's number; ok is false if text is neither.
func parseOwned(text string) (owned, bool) {
	process, name, ok := strings.Cut(text, "/")
	if !ok {
		return owned{name: text}, isLabel(text)
	}
	return owned{process, name}, isLabel(process) && isLabel(name)
}

// isLabel reports whether text is a valid name of a stream or a process.
func isLabel(text string) bool {
	return text != "" && (strings.Trim(text, "0123456789") == "" || isName(text))
}

// setPercent parses the percentage of a GPU's threads that a process may use.
func (f *form) setPercent(text string, at Origin) error {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > 100 {
		return fmt.Errorf("%q is not a percentage from 1 to 100", text)
	}
	return f.percent.set(n, at)
}

// setProcess parses the name, or the number, of a process.
func (f *form) setProcess(text string, at Origin) error {
	if !isLabel(text) {
		return fmt.Errorf("%q cannot name a process; names are letters, digits, _ and $, or numbers", text)
	}
	return f.process.set(text, at)
}

// setProcesses records the processes of the launches. Each process has its own memory with all buffers and variables.
func (p *Plan) setProcesses(launches []form) error {
	for i := range launches {
		if err := launches[i].checkPercent(launches[:i]); err != nil {
			return err
		}
		f := &launches[i].process
		if slices.Contains(p.processes, f.value) {
			continue
		}
		if len(p.processes) == sm.MaxProcesses {
			return f.at.errorf("%d processes can share a GPU", sm.MaxProcesses)
		}
		p.processes = append(p.processes, f.value)
	}
	return nil
}

// checkPercent checks the percentage of a launch after others.
func (f *form) checkPercent(before []form) error {
	if !f.percent.given {
		return nil
	}
	if !f.process.given {
		return f.percent.at.errorf("percent= is for the launches of a process; process= names it")
	}
	for i := range before {
		if b := &before[i]; b.process.value == f.process.value && b.percent.given && b.percent.value != f.percent.value {
			return f.percent.at.errorf("percent=%d, but process %s has percent=%d at %v", f.percent.value, f.process.value, b.percent.value, b.percent.at)
		}
	}
	return nil
}

// processesOf returns the numbers of the processes to which o applies.
func (p *Plan) processesOf(o owned) ([]int, error) {
	var all []int
	for i, name := range p.processes {
		if o.process == "" || o.process == name {
			all = append(all, i)
		}
	}
	if len(all) > 0 {
		return all, nil
	}
	if p.processes[0] == "" && len(p.processes) == 1 {
		return nil, fmt.Errorf("no process %s: no launch has process=%s", o.process, o.process)
	}
	// without the process of launches without process=
	named := slices.DeleteFunc(slices.Clone(p.processes), func(name string) bool { return name == "" })
	return nil, fmt.Errorf("no process %s; %s", o.process, isa.Instead(o.process, named))
}

// qualified returns the name of a process's buffer: PROCESS/NAME if there are several processes.
func (p *Plan) qualified(process int, name string) string {
	if owner := p.processes[process]; len(p.processes) > 1 && owner != "" {
		return owner + "/" + name
	}
	return name
}

// process is a process of a plan under way: a machine with the buffers.
type process struct {
	plan    *Plan
	number  int
	machine *interp.Machine
	regions map[string]*memory.Region // by the object's name
	handles map[string]uint64         // of textures, surfaces and samplers, by name
}

// launch returns l with the addresses of the buffers in its parameters.
func (r *process) launch(l *Launch) sm.Launch {
	return sm.Launch{Launch: interp.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Shared: l.Shared, Cooperative: l.Cooperative, Params: r.patched(&l.params)},
		Machine: r.machine, Process: l.Process, Percent: l.Percent, Stream: l.Stream}
}

// allocate allocates and fills the buffers and overwrites the variables.
func (r *process) allocate(ctx context.Context) error {
	for _, o := range r.plan.objects {
		if o.symbol != nil {
			r.regions[o.name] = r.machine.Var(o.name)
			continue
		}
		region, err := r.allocateOne(o)
		if err != nil {
			return o.at.wrap(err)
		}
		if err := o.content.fill(ctx, region.Data); err != nil {
			return o.at.placed(ctx, err)
		}
		if o.content.unwritten && r.plan.Init {
			region.SetUnwritten()
		}
		r.regions[o.name] = region
	}
	if h := r.plan.heap; h.given {
		r.machine.SetHeap(h.value.bytes)
		r.machine.SetHeapAt(h.value.addr)
	}
	if err := r.addImages(); err != nil {
		return err
	}
	for i := range r.plan.symbols {
		im := &r.plan.symbols[i]
		to := r.regions[im.object.name].Data
		if im.content == nil {
			copy(to, r.patched(im))
			continue
		}
		if err := im.content.overwrite(ctx, to); err != nil {
			return im.at.placed(ctx, err)
		}
	}
	return nil
}

// allocateOne allocates a buffer.
func (r *process) allocateOne(o *object) (*memory.Region, error) {
	name := r.plan.qualified(r.number, o.name)
	switch at := o.address; {
	case at == nil:
		return r.machine.Alloc(name, o.size)
	case at.heap:
		return r.machine.AllocHeap(name, at.addr, o.size)
	default:
		return r.machine.AllocAt(name, at.addr, o.size)
	}
}

// patched returns the bytes of im with the addresses of buffers.
func (r *process) patched(im *image) []byte {
	data := append([]byte(nil), im.data...)
	for _, at := range im.patches {
		address := r.handles[at.target.name]
		if !at.handle {
			address = r.regions[at.target.name].Base + at.target.offset
		}
		if at.width == 4 {
			binary.LittleEndian.PutUint32(data[at.at:], uint32(address))
		} else {
			binary.LittleEndian.PutUint64(data[at.at:], address)
		}
	}
	return data
}
