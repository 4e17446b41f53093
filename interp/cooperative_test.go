package interp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// gridSync is grid.sync() as compiled by NVIDIA's compiler: block 0 adds a number such that the highest bit of the
// word flips when all other blocks have added 1; the first thread of each block waits for that.
const gridSync = kerneltest.Entry + `
	mov.u32 %r10, %envreg2;
	mov.u32 %r11, %envreg1;
	mov.b64 %rd2, {%r11, %r10};
	setp.eq.u64 %p1, %rd2, 0;
	@%p1 trap;
	ld.param.u64 %rd1, [out];
	mov.u32 %r4, %tid.x;
	setp.ne.u32 %p2, %r4, 0;
	mov.u32 %r5, 0;
AGAIN:
	red.global.add.u32 [%rd1+4096], 1;
	bar.sync 0;
	@%p2 bra DONE;
	mov.u32 %r6, %nctaid.x;
	sub.u32 %r6, 0x80000001, %r6;
	mov.u32 %r7, %ctaid.x;
	setp.eq.u32 %p3, %r7, 0;
	selp.u32 %r6, %r6, 1, %p3;
	fence.acq_rel.gpu;
	atom.global.add.u32 %r8, [%rd2+4], %r6;
SPIN:
	ld.volatile.global.u32 %r9, [%rd2+4];
	xor.b32 %r9, %r9, %r8;
	setp.ge.s32 %p4, %r9, 0;
	@%p4 bra SPIN;
	fence.acq_rel.gpu;
DONE:
	bar.sync 0;
	add.u32 %r5, %r5, 1;
	setp.lt.u32 %p5, %r5, 3;
	@%p5 bra AGAIN;
	ld.volatile.global.u32 %r1, [%rd1+4096];
` + kerneltest.StoreR1

// TestCooperativeWorkspace: grid.sync() of NVIDIA's compiler works three times in a cooperative launch, with and
// without a clock, and traps in a launch that is not cooperative.
func TestCooperativeWorkspace(t *testing.T) {
	cooperative := func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Cooperative = true
		return functional.Run(context.Background(), m, l)
	}
	timed := func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Cooperative = true
		return withClock(m, l)
	}
	k := kerneltest.Kernel{Source: gridSync, Grid: kerneltest.Dim(8, 1), Block: kerneltest.Dim(64, 1), Words: []int{1025}}
	for name, driver := range map[string]func(*interp.Machine, interp.Launch) (interp.Stats, error){"functional": cooperative, "timed": timed, "again": func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		if _, err := cooperative(m, l); err != nil {
			return interp.Stats{}, err
		}
		clear(m.Regions()[len(m.Regions())-2].Data) // the buffer; the last is the workspace, which each launch initialises
		return cooperative(m, l)
	}} {
		t.Run(name, func(t *testing.T) {
			k.Driver = driver
			k.Want(t, func(i int) uint32 {
				switch {
				case i < 8*64:
					return 3 * 8 * 64
				case i == 1024:
					return 3 * 8 * 64
				}
				return 0
			})
		})
	}
	k.Driver = nil
	_, _, err := k.Run(t)
	if fault, ok := errors.AsType[*interp.Fault](err); !ok || fault.Rule != interp.RuleTrap || !strings.Contains(err.Error(), "use cudaLaunchCooperativeKernel") {
		t.Errorf("not cooperative: got %v, want a trap", err)
	}
	k.Driver, k.Grid, k.Block = cooperative, kerneltest.Dim(265, 1), kerneltest.Dim(1024, 1)
	if _, _, err := k.Run(t); err == nil || !strings.Contains(err.Error(), "a cooperative launch of 265 blocks: the GPU holds 264 of these at once") {
		t.Errorf("too many blocks: %v", err)
	}
}
