package accuracy

import (
	"context"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Prepared is a launch that is ready to run.
type Prepared struct {
	Module  *isa.Module
	Machine *interp.Machine
	Launch  interp.Launch
	Buffers []*memory.Region // in global memory
}

// Prepare makes a launch ready from its line of internal/gpu/measure/cases.txt.
func Prepare(ctx context.Context, line string) (*Prepared, error) {
	words := strings.Fields(line)
	if words[0] == "workload" {
		return prepareWorkload(words[1])
	}
	p, err := prepareProgram(ctx, words[1], words[2:])
	if err != nil {
		return nil, fmt.Errorf("%s: %w", line, err)
	}
	return p, nil
}

func prepareWorkload(name string) (*Prepared, error) {
	i := slices.IndexFunc(workloads.All, func(w workloads.Workload) bool { return w.Name == name })
	if i < 0 {
		return nil, fmt.Errorf("no workload %s", name)
	}
	mod, err := workloads.Ten.Parse()
	if err != nil {
		return nil, err
	}
	w, err := workloads.All[i].In(mod, interp.Config{})
	if err != nil {
		return nil, err
	}
	p := &Prepared{Module: mod, Machine: w.Machine, Launch: w.Launch}
	// A parameter of 8 bytes is the address of a buffer.
	fn := mod.Entry(name)
	offsets, _ := fn.ParamLayout()
	for j, at := range offsets {
		if fn.Params[j].Size() == 8 {
			p.Buffers = append(p.Buffers, p.Machine.Region(binary.LittleEndian.Uint64(p.Launch.Params[at:])))
		}
	}
	return p, nil
}

func prepareProgram(ctx context.Context, name string, directives []string) (*Prepared, error) {
	src, err := kernels.Read(name + ".s")
	if err != nil {
		return nil, err
	}
	mod, err := asm.Parse(name+".s", src)
	if err != nil {
		return nil, err
	}
	// The header's expectations and dumps apply only to its own sizes.
	lines := slices.DeleteFunc(launch.HeaderLines(src), func(l string) bool {
		return strings.HasPrefix(l, "//sim:expect") || strings.HasPrefix(l, "//sim:dump")
	})
	header, err := launch.ParseHeader(name+".s", ".", []byte(strings.Join(lines, "\n")))
	if err != nil {
		return nil, err
	}
	flags := launch.NewFlags()
	for _, d := range directives {
		key, value, _ := strings.Cut(d, "=")
		if err := flags.Set(key, value, launch.Origin{}); err != nil {
			return nil, err
		}
	}
	plan, err := launch.NewPlan(mod, header, flags)
	if err != nil {
		return nil, err
	}
	ready, err := plan.Prepare(ctx)
	if err != nil {
		return nil, err
	}
	p := &Prepared{Module: mod, Machine: ready.Machine, Launch: ready.Launches[0]}
	for _, b := range ready.Buffers {
		if b.Base>>32 != 0 { // not a constant
			p.Buffers = append(p.Buffers, b.Region)
		}
	}
	return p, nil
}

// Result is a launch with simtrun's figures.
type Result struct {
	*Launch
	Cycles float64 // as Measured.Cycles
	Issued float64 // machine instructions
	States sm.States
}

// ratio returns simtrun's cycles divided by the GPU's.
func (r *Result) ratio() float64 { return r.Cycles / r.Measured.Cycles }

// instructionRatio returns simtrun's machine instructions divided by the GPU's.
func (r *Result) instructionRatio() float64 { return r.Issued / r.Measured.Issued }

// mainStalls returns the states other than selected in which warps spent most time, on the GPU and in simtrun.
func (r *Result) mainStalls() (there, here sm.State) {
	there, here = sm.NotSelected, sm.NotSelected
	for s := sm.NotSelected; s < sm.NumStates; s++ {
		if r.Stalls[s] > r.Stalls[there] {
			there = s
		}
		if r.States[s] > r.States[here] {
			here = s
		}
	}
	return there, here
}

// run runs a launch with cold caches.
func (l *Launch) run(ctx context.Context) (*Result, error) { return l.runWith(ctx, nil) }

// runWith is Run with other options than the GPU's defaults, which change sets unless it is nil.
func (l *Launch) runWith(ctx context.Context, change func(*sm.Options)) (*Result, error) {
	p, err := Prepare(ctx, l.Line)
	if err != nil {
		return nil, err
	}
	o := sm.DefaultOptions(p.Machine.Config().GPU)
	if change != nil {
		change(&o)
	}
	s, err := sm.Begin(p.Machine, p.Launch, o)
	if err == nil {
		err = s.Continue(ctx)
	}
	if err == nil {
		err = s.Timing().Check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", l.Line, err)
	}
	total := s.Timing().Total()
	return &Result{Launch: l, Cycles: float64(total.Active) / float64(len(s.Timing().SMs)), Issued: float64(total.Schedulers[0].Issued), States: total.States}, nil
}

// Run runs launches, jobs of them at a time, and returns their results in order.
func Run(ctx context.Context, launches []Launch, jobs int) ([]*Result, error) {
	results, errs := make([]*Result, len(launches)), make([]error, len(launches))
	next := make(chan int)
	var workers sync.WaitGroup
	for range min(jobs, len(launches)) {
		workers.Go(func() {
			for i := range next {
				results[i], errs[i] = launches[i].run(ctx)
			}
		})
	}
	for i := range launches {
		next <- i
	}
	close(next)
	workers.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return results, nil
}
