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
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestHangOfAFullGPU: a hang of a GPU full of warps is found after few instructions, in whatever way the warps poll.
// A launch that is only slow is not reported.
func TestHangOfAFullGPU(t *testing.T) {
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
		{"barrier of the grid", first + "red.global.add.u32 [%rd1], 1;\nL: ld.volatile.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p2, %r1, %nctaid.x;\n@%p2 bra L;\nALL:", true, 200_000},
		{"barrier of the grid with nanosleep", first + "red.global.add.u32 [%rd1], 1;\nL: nanosleep.u32 20;\natom.global.add.u32 %r1, [%rd1], 0;\nsetp.lt.u32 %p2, %r1, %nctaid.x;\n@%p2 bra L;\nALL:", true, 200_000},
		{"all threads spin", first + "red.global.add.u32 [%rd1], 1;\nALL: ld.acquire.gpu.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p2, %r1, %nctaid.x;\n@%p2 bra ALL;", true, 200_000},
		{"lock", leader + "L: atom.global.cas.b32 %r1, [%rd1], 0, 1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra L;\nbra END;\nALL:", true, 400_000},
		{"lock by exchange", leader + "L: atom.global.exch.b32 %r1, [%rd1], 1;\nsetp.ne.u32 %p2, %r1, 0;\n@%p2 bra L;\nbra END;\nALL:", true, 400_000},
		{"stores the same value again", first + "red.global.add.u32 [%rd1], 1;\nL: st.volatile.global.u32 [%rd1+4], 7;\nld.volatile.global.u32 %r1, [%rd1];\nsetp.lt.u32 %p2, %r1, %nctaid.x;\n@%p2 bra L;\nALL:", true, 400_000},
		{"flag in shared memory", first + "L: ld.volatile.shared.u32 %r1, [flag];\nsetp.eq.u32 %p2, %r1, 0;\n@%p2 bra L;\nALL:", true, 400_000},
		{"no memory", "L: bra L;", true, 3_000_000},
		{"a late store", `mov.u32 %r1, %ctaid.x;
			or.b32 %r1, %r1, %tid.x;
			setp.ne.u32 %p1, %r1, 0;
			@%p1 bra SPIN;
			mov.u32 %r2, 0;
			L: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 20000; @%p2 bra L;
			st.volatile.global.u32 [%rd1], 1;
			SPIN: ld.volatile.global.u32 %r1, [%rd1]; setp.eq.u32 %p2, %r1, 0; @%p2 bra SPIN;`, false, 0},
	} {
		if testing.Short() && c.most > 1_000_000 {
			continue
		}
		t.Run(c.name, func(t *testing.T) {
			var s *sm.Session
			body := strings.NewReplacer("; ", ";\n", "L: ", "L:\n", "SPIN: ", "SPIN:\n").Replace(c.body)
			k := kerneltest.Kernel{Source: kerneltest.Entry + "\t.shared .u32 flag;\n\tld.param.u64 %rd1, [out];\n" + body + "\n\tbar.sync 0;\nEND:\n\tret;\n}\n",
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
