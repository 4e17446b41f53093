package interp_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestRegisterPoolFaults: uses of setmaxnreg that PTX leaves undefined are faults. In some kernels it has no effect.
func TestRegisterPoolFaults(t *testing.T) {
	for _, c := range []struct {
		threads          uint32
		directives, body string
		want             string // of a fault; "" if the kernel ends
	}{
		{128, ".maxnreg 64", "setmaxnreg.dec.sync.aligned.u32 64;", ""},
		{128, ".maxnreg 64", "setmaxnreg.inc.sync.aligned.u32 64;", ""},
		{128, ".maxnreg 60", "setmaxnreg.inc.sync.aligned.u32 64;", ""}, // a warp is given registers in units of 8 a thread
		{128, ".maxnreg 64", "setmaxnreg.dec.sync.aligned.u32 72;", "setmaxnreg.dec to 72 registers, and each thread of the warp has only 64 [sync-registers]"},
		{128, ".maxnreg 64", "setmaxnreg.inc.sync.aligned.u32 56;", "setmaxnreg.inc to 56 registers, and each thread of the warp has 64 already [sync-registers]"},
		{64, ".maxnreg 64", "setmaxnreg.dec.sync.aligned.u32 24;", "its threads must be a multiple of 128 [sync-warpgroup]"},
		{128, ".maxnreg 64", "setp.lt.u32 %p1, %tid.x, 32; @%p1 bra END; setmaxnreg.dec.sync.aligned.u32 24; END:", "execute this together, and warp 0 has ended [sync-warpgroup]"},
		{128, ".maxnreg 64", "setp.lt.u32 %p1, %tid.x, 32; @%p1 bra END; setmaxnreg.dec.sync.aligned.u32 24; bra END; END: setmaxnreg.dec.sync.aligned.u32 24;", "warp 0 of the warpgroup has executed setmaxnreg.dec.sync.aligned.u32 at"},
		{128, ".maxnreg 64", "setp.lt.u32 %p1, %tid.x, 4; @%p1 bra END; setmaxnreg.dec.sync.aligned.u32 24; END:", "all 32 lanes of a warp execute this together"},
		{32, "", "setmaxnreg.inc.sync.aligned.u32 240;", ""},
		{100, ".maxntid 128", "setmaxnreg.inc.sync.aligned.u32 240;", ""},
	} {
		src := ".version 8.0\n.target sm_90a\n.entry k() " + c.directives + " {\n" + strings.ReplaceAll(c.body, "; ", ";\n") + "\nret;\n}"
		for name, driver := range map[string]func(*interp.Machine, interp.Launch) (interp.Stats, error){"functional": nil, "timed": withClock} {
			_, _, err := kerneltest.Kernel{Source: src, Block: isa.Dim{X: c.threads, Y: 1, Z: 1}, Driver: driver}.Run(t)
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
				t.Errorf("%s, %d threads, %s %s: got %v, want %q", name, c.threads, c.directives, c.body, err, c.want)
			}
		}
	}
}

// halts is a Stepper that halts before each instruction.
type halts struct{ halted bool }

func (h *halts) Step(interp.Warp, divergence.Split) bool {
	h.halted = !h.halted
	return h.halted
}

// TestRegisterPoolIsSaved goes back from each instruction to the one before, in a kernel in which warpgroup 0 releases
// late the registers that warpgroup 1 takes: if a saved state shared the pool or lacked it, too many or too few would
// be granted.
func TestRegisterPoolIsSaved(t *testing.T) {
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/registerpool.txt", "register pool is saved")))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	step := new(halts)
	s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(256, 1), Observers: []interp.Observer{step}})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Continue(context.Background()); err != nil { // to the first instruction
		t.Fatal(err)
	}
	var st functional.State
	blocked := 0
	for !s.Done() {
		if err := s.Save(&st); err != nil {
			t.Fatal(err)
		}
		for range 2 { // the second time from the saved state
			s.Restore(&st)
			step.halted = true
			if err := s.Continue(context.Background()); err != nil {
				t.Fatal(err)
			}
		}
		for _, w := range s.Warps() {
			for _, wait := range w.Waiting() {
				if strings.Contains(wait.For, "registers") {
					blocked++
				}
			}
		}
	}
	if blocked == 0 {
		t.Error("no warp was blocked")
	}
}

// TestHangNamesPool: a hang in which warps spin while others are blocked at setmaxnreg names the pool.
func TestHangNamesPool(t *testing.T) {
	_, _, err := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/registerpool.txt", "hang names pool"), Block: kerneltest.Dim(256, 1)}.Run(t)
	hang, ok := errors.AsType[*interp.Hang](err)
	if !ok || hang.Rule != interp.RuleLivelock {
		t.Fatalf("got %v, want a hang by spinning", err)
	}
	for _, want := range []string{
		"for 2304 registers (128 to 200 a thread); 0 are free in the pool of the block",
		"pool    block (0,0,0) has 32768 registers (256 threads of 128); with those that setmaxnreg.inc waits for its warps would have 41984",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the message lacks %q:\n%v", want, err)
		}
	}
}
