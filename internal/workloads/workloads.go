// Package workloads has the kernels of the benchmark as launches, for tests and benchmarks of packages that execute
// kernels or observe them, and for the command in bench.
package workloads

import (
	"context"
	"embed"
	"encoding/binary"
	"math"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// modules has the modules, which clang has compiled from the files *.cu, compressed by gzip.
//
//go:embed *.ptx.gz
var modules embed.FS

// Set is a group of workloads that are measured together.
type Set struct {
	Name      string
	File      string // of the module
	Workloads []Workload
}

// Workload is a launch of a kernel of its set's module.
type Workload struct {
	Name        string
	Grid, Block isa.Dim
	inputs      func() *Inputs
	// Launches is how many launches follow each other, if more than one. The last argument, an int32, is then the number
	// of the launch, from 0.
	Launches int
}

func plane(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

// All are the ten workloads.
var All = []Workload{
	{Name: "saxpy_loop", Grid: plane(256, 1), Block: plane(256, 1), inputs: saxpyLoop},
	{Name: "vecadd", Grid: plane(4096, 1), Block: plane(256, 1), inputs: vecadd},
	{Name: "matmul_naive", Grid: plane(16, 16), Block: plane(16, 16), inputs: matmul},
	{Name: "matmul_tiled", Grid: plane(16, 16), Block: plane(16, 16), inputs: matmul},
	{Name: "reduce", Grid: plane(4096, 1), Block: plane(256, 1), inputs: reduce},
	{Name: "histogram", Grid: plane(256, 1), Block: plane(256, 1), inputs: histogram},
	{Name: "mandelbrot", Grid: plane(32, 32), Block: plane(16, 16), inputs: mandelbrot},
	{Name: "collatz", Grid: plane(256, 1), Block: plane(256, 1), inputs: collatz},
	{Name: "nbody", Grid: plane(8, 1), Block: plane(256, 1), inputs: nbody},
	{Name: "transpose", Grid: plane(64, 64), Block: plane(16, 16), inputs: transpose},
}

// Ten is the set of all ten.
var Ten = Set{"ten", "workloads.ptx", All}

// Sets are all sets.
var Sets = []*Set{&Ten, &Five, &Irregular}

// PTX returns the text of the module that the workloads are in.
func (s *Set) PTX() []byte {
	data, err := modules.ReadFile(s.File + ".gz")
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	text, err := packed.Text(data)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return text
}

// Parse parses that module.
func (s *Set) Parse() (*isa.Module, error) { return asm.Parse(s.File, s.PTX()) }

// Inputs makes the workload's inputs, the same each time.
func (w *Workload) Inputs() *Inputs { return w.inputs() }

// Prepared is a workload with its buffers in a machine's memory.
type Prepared struct {
	Machine *interp.Machine
	Launch  interp.Launch

	inputs   *Inputs
	buffers  map[int]*memory.Region // by argument
	launches int
}

// In makes a machine with the workload's buffers, filled. The module must be that of the workload's set.
func (w *Workload) In(mod *isa.Module, cfg interp.Config) (*Prepared, error) {
	m, err := interp.New(mod, cfg)
	if err != nil {
		return nil, err
	}
	fn := mod.Entry(w.Name)
	offsets, size := fn.ParamLayout()
	p := &Prepared{Machine: m, inputs: w.Inputs(), buffers: make(map[int]*memory.Region), launches: w.Launches,
		Launch: interp.Launch{Kernel: w.Name, Grid: w.Grid, Block: w.Block, Params: make([]byte, size)}}
	for i, a := range p.inputs.Args {
		at := p.Launch.Params[offsets[i]:]
		switch v := a.(type) {
		case int32:
			binary.LittleEndian.PutUint32(at, uint32(v))
		case float32:
			binary.LittleEndian.PutUint32(at, math.Float32bits(v))
		default:
			r, err := m.Alloc(fn.Params[i].Name, int64(binary.Size(v)))
			if err != nil {
				return nil, err
			}
			p.buffers[i] = r
			binary.LittleEndian.PutUint64(at, r.Base)
		}
	}
	p.Fill()
	return p, nil
}

// Fill sets the buffers to their contents at the start of a launch.
func (p *Prepared) Fill() {
	for i, r := range p.buffers {
		if _, err := binary.Encode(r.Data, binary.LittleEndian, p.inputs.Args[i]); err != nil {
			panic(err)
		}
	}
}

// Buffer returns the buffer of parameter i, or nil.
func (p *Prepared) Buffer(i int) *memory.Region { return p.buffers[i] }

// Out returns the contents of the result's buffer after the launch.
func (p *Prepared) Out() []byte { return p.buffers[p.inputs.Out].Data }

// Check compares the result of one launch with the reference.
func (p *Prepared) Check() error { return p.inputs.check(p.Out()) }

// Execute executes the launch, or all of them, and returns the sum of their counts.
func (p *Prepared) Execute() (interp.Stats, error) {
	if p.launches <= 1 {
		return functional.Run(context.Background(), p.Machine, p.Launch)
	}
	var sum interp.Stats
	for n := range p.launches {
		p.SetLaunch(n)
		stats, err := functional.Run(context.Background(), p.Machine, p.Launch)
		if err != nil {
			return stats, err
		}
		sum.WarpInstrs += stats.WarpInstrs
		sum.LaneInstrs += stats.LaneInstrs
		sum.DivergentBranches += stats.DivergentBranches
	}
	return sum, nil
}
