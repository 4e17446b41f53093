package programs_test

import (
	"hash/fnv"
	"os"
	"reflect"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/trace"
	"github.com/simtrun/simtrun/interp"
)

// observed is the result of a run with a profile, a race check and a trace.
type observed struct {
	Error    string
	Stats    []interp.Stats
	Profiles []*profile.Profile
	Races    [][]check.Finding
	Passed   int
	Memory   uint64 // a hash of all buffers
	Trace    uint64 // a hash of its text
}

// observe runs a program with the module mod on its own machine.
func observe(t *testing.T, mod *isa.Module, file string, src []byte, model string) (o observed) {
	fail := func(err error) observed { return observed{Error: err.Error()} }
	header, err := launch.ParseHeader(file, "", src)
	if err != nil {
		return fail(err)
	}
	flags := launch.NewFlags()
	if err := flags.Set("divergence", model, launch.Origin{}); err != nil {
		return fail(err)
	}
	p, err := launch.NewPlan(mod, header, flags)
	if err != nil {
		return fail(err)
	}
	text := fnv.New64()
	p.Profile, p.Races = true, true
	p.Attach = func(m *interp.Machine, l *interp.Launch) (func() error, error) {
		tracer, err := trace.Attach(m, l, text, trace.Options{Kind: trace.Mask})
		if err != nil {
			return nil, err
		}
		return tracer.End, nil
	}
	res, err := p.Run(t.Context())
	if err != nil {
		o.Error = err.Error()
	}
	for _, l := range res.Launches {
		o.Stats = append(o.Stats, l.Stats)
		o.Profiles = append(o.Profiles, l.Profile)
		o.Races = append(o.Races, l.Races)
	}
	memory := fnv.New64()
	for _, b := range res.Buffers {
		memory.Write(b.Data)
	}
	o.Passed, o.Memory, o.Trace = res.Passed, memory.Sum64(), text.Sum64()
	return o
}

// TestProgramsRunConcurrently runs every program on two machines concurrently, which share only a module, under two
// divergence models. Each must have the results of a run alone. It is meant to run under the race detector: see
// .ci/steps/31-race.
func TestProgramsRunConcurrently(t *testing.T) {
	for i, file := range sources(t) {
		if short.Skips(i) || short.Waits(i, 4) {
			continue
		}
		t.Run(file, func(t *testing.T) {
			src, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parse := func() *isa.Module {
				mod, err := asm.Parse(file, src)
				if err != nil {
					t.Fatal(err)
				}
				return mod
			}
			models := []string{"its", "stack"}
			want, got := make([]observed, len(models)), make([]observed, len(models))
			for k, model := range models {
				want[k] = observe(t, parse(), file, src, model)
			}
			mod := parse()
			var both sync.WaitGroup
			for k, model := range models {
				both.Go(func() { got[k] = observe(t, mod, file, src, model) })
			}
			both.Wait()
			for k, model := range models {
				if diff := cmp.Diff(want[k], got[k], cmp.Comparer(sameFunc), everyField); diff != "" {
					t.Errorf("%s (-alone +side by side):\n%s", model, diff)
				}
			}
		})
	}
}

// everyField lets cmp compare unexported fields.
var everyField = cmp.Exporter(func(reflect.Type) bool { return true })

// sameFunc compares functions of two parses of a file.
func sameFunc(a, b *isa.Func) bool { return a.Name == b.Name }
