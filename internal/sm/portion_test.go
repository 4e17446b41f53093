package sm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
)

// TestPercentageLimitsSMs: a process with a percentage of the threads has CTAs on so many SMs at a time, rounded up,
// and lets the launches of others pass. Of four SMs with room for two CTAs each, process a fills its part; its launch
// of 24 CTAs takes three waves with the whole GPU, and 4, 6 or 12 with three SMs, two or one. A CTA takes 118 cycles,
// and the next one starts in its place 50 cycles later.
func TestPercentageLimitsSMs(t *testing.T) {
	on := small(2)
	on.SMs, on.Residency.CTAs = 4, 2
	run := func(t *testing.T, on *gpu.Config, order sm.Order, percent int) (*sm.Session, int64) {
		a, b := of("k30", 24, "s"), of("k10", 8, "s")
		a.Process, a.Percent, b.Process = "a", percent, "b"
		s, _ := inProcesses(t, chain("k10", 10)+chain("k30", 30), interp.Config{GPU: on}, sm.Options{Order: order}, a, b)
		used := int64(0)
		for i := range s.TimingOf(0).SMs {
			if s.TimingOf(0).SMs[i].CTAs > 0 {
				used++
			}
		}
		return s, used
	}
	whole, _ := run(t, on, sm.MostRoom, 0)
	if start := whole.TimingOf(1).Start; start == 0 {
		t.Error("without a percentage the second launch starts at once, though the first one fills the GPU")
	}
	for _, name := range sm.OrderNames() {
		order, err := sm.ParseOrder(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			percent, waves int
			sms            int64
		}{{100, 3, 4}, {75, 4, 3}, {51, 4, 3}, {50, 6, 2}, {25, 12, 1}, {1, 12, 1}} {
			t.Run(fmt.Sprint(name, " ", c.percent), func(t *testing.T) {
				s, used := run(t, on, order, c.percent)
				if used != c.sms {
					t.Errorf("CTAs of the process are on %d SMs, want %d", used, c.sms)
				}
				if got, want := s.TimingOf(0).Cycles, int64(c.waves*(118+50)-50); got != want {
					t.Errorf("the launch takes %d cycles, want %d", got, want)
				}
				if got, want := s.TimingOf(0).AtOnce(), 2*c.sms; got != want {
					t.Errorf("%d CTAs reside at once, want %d", got, want)
				}
				if start := s.TimingOf(1).Start; (start == 0) != (c.percent <= 75) {
					t.Errorf("the other process starts in cycle %d", start)
				}
			})
		}
	}
	mod, err := asm.Parse("k.s", []byte(chain("k10", 10)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{GPU: on})
	if err != nil {
		t.Fatal(err)
	}
	a := of("k10", 4, "s")
	a.Machine, a.Block, a.Params, a.Process, a.Percent, a.Cooperative = m, kerneltest.Dim(32, 1), make([]byte, 8), "a", 50, true
	if _, err := sm.BeginAll([]sm.Launch{a}, sm.Options{}); err == nil || !strings.Contains(err.Error(), "not supported yet") {
		t.Errorf("a cooperative launch of a process with a percentage: %v", err)
	}
}
