package sm_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestHangOfFullGPUIsFoundEarly: a hang of a GPU full of warps is found after few instructions, in whatever way the
// warps poll. A launch that is only slow is not reported.
func TestHangOfFullGPUIsFoundEarly(t *testing.T) {
	short.Alternates(t, 0, 3)
	const (
		sms, threads = 4, 1024
		blocks       = 2*sms + 1 // one too many
		first        = "setp.ne.u32 %p1, %tid.x, 0;\n@%p1 bra ALL;\n"
		leader       = "and.b32 %r9, %tid.x, 31;\nsetp.ne.u32 %p1, %r9, 0;\n@%p1 bra ALL;\n"
	)
	for _, c := range []struct {
		name, body string
		fix        bool
		most       uint64 // warp instructions before the hang is found; 0 if there is no hang
	}{
		{"barrier of the grid", kerneltest.Source(t, "testdata/kernels/hang.txt", "barrier of the grid"), true, 200_000},
		{"barrier of the grid with nanosleep", kerneltest.Source(t, "testdata/kernels/hang.txt", "barrier of the grid with nanosleep"), true, 200_000},
		{"all threads spin", kerneltest.Source(t, "testdata/kernels/hang.txt", "all threads spin"), true, 200_000},
		{"lock", kerneltest.Source(t, "testdata/kernels/hang.txt", "lock"), true, 400_000},
		{"lock by exchange", kerneltest.Source(t, "testdata/kernels/hang.txt", "lock by exchange"), true, 400_000},
		{"stores the same value again", kerneltest.Source(t, "testdata/kernels/hang.txt", "stores the same value again"), true, 400_000},
		{"flag in shared memory", kerneltest.Source(t, "testdata/kernels/hang.txt", "flag in shared memory"), true, 400_000},
		{"no memory", "L: bra L;", true, 3_000_000},
		{"a late store", kerneltest.Source(t, "testdata/kernels/hang.txt", "a late store"), false, 0},
	} {
		if testing.Short() && c.most > 1_000_000 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			var s *sm.Session
			body := strings.NewReplacer("; ", ";\n", "L: ", "L:\n", "SPIN: ", "SPIN:\n").Replace(c.body)
			k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/hang.txt", "hang of a full GPU", "$body", body),
				Grid: kerneltest.Dim(blocks, 1), Block: kerneltest.Dim(threads, 1), Words: []int{4}}
			k.Config.GPU = gpu.H100()
			k.Config.GPU.SMs = sms
			k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
				var err error
				if s, err = sm.Begin(m, l, sm.Options{Prove: new(functional.Prover).Prove}); err != nil {
					return interp.Stats{}, err
				}
				err = s.Continue(context.Background())
				return s.Stats(), err
			}
			_, stats, err := k.Run(t)
			if c.most == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			hang, ok := errors.AsType[*interp.Hang](err)
			if !ok || hang.Rule != interp.RuleLivelock {
				t.Fatalf("got %v, want a hang", err)
			}
			if stats.WarpInstrs > c.most {
				t.Errorf("found after %d instructions, want at most %d", stats.WarpInstrs, c.most)
			}
			if want := fmt.Sprintf("launch at most %d blocks", 2*sms); c.fix && !strings.HasPrefix(hang.Fix, want) {
				t.Errorf("the fix is %q, want one that begins with %q", hang.Fix, want)
			}
		})
	}
}
