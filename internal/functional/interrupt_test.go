package functional_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// tickets has 6 CTAs of 2 warps, which take a ticket each, execute more than a time slice, and take another one. The
// second warp of every second CTA has only the first part.
var tickets = kerneltest.Kernel{Source: kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	shr.u32 %r1, %r1, 5;
	mov.u32 %r2, %ctaid.x;
	mad.lo.u32 %r3, %r2, 2, %r1;
	mad.wide.u32 %rd2, %r3, 8, %rd1;
	mov.u32 %r4, %laneid;
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra MEET;
	atom.global.add.u32 %r5, [%rd1], 1;
	st.global.u32 [%rd2+8], %r5;
MEET:
	and.b32 %r6, %r2, %r1;
	setp.ne.u32 %p2, %r6, 0;
	@%p2 bra END;
	mov.u32 %r7, 0;
LOOP:
	add.u32 %r7, %r7, 1;
	setp.lt.u32 %p3, %r7, 9000;
	@%p3 bra LOOP;
	@%p1 bra END;
	atom.global.add.u32 %r5, [%rd1], 1;
	st.global.u32 [%rd2+12], %r5;
END:
	ret;
}`, Grid: kerneltest.Dim(6, 1), Block: kerneltest.Dim(64, 1), Words: []int{2 + 2*12}, Config: interp.Config{Threads: 1}}

// cancelledAt is a context that ends where it is asked for the nth time whether it has ended.
type cancelledAt struct {
	context.Context
	n int
}

func (c *cancelledAt) Err() error {
	if c.n--; c.n <= 0 {
		return context.Canceled
	}
	return nil
}

// TestInterruptionsKeepTheOrder: a launch that its context has interrupted, wherever that is, goes on as it would have.
func TestInterruptionsKeepTheOrder(t *testing.T) {
	k := tickets
	want, wantStats, err := k.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	for n := 2; n < 6; n++ {
		interruptions := 0
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := functional.Begin(m, l)
			for err == nil && !s.Done() {
				if err = s.Continue(&cancelledAt{t.Context(), n}); err != nil && !s.Done() {
					interruptions++
					err = nil
				}
			}
			return s.Stats(), err
		}
		got, stats, err := k.Run(t)
		if err != nil || interruptions == 0 {
			t.Errorf("ends with %v after %d interruptions", err, interruptions)
		}
		if diff := cmp.Diff(want, got) + cmp.Diff(wantStats, stats); diff != "" {
			t.Errorf("interrupted at every question %d (-want +got):\n%s", n, diff)
		}
	}
}

// haltsAt is a Stepper that halts after a number of instructions of the launch.
type haltsAt struct {
	s *functional.Session
	n uint64
}

func (h *haltsAt) Step(interp.Warp, divergence.Split) bool { return h.s.Stats().WarpInstrs >= h.n }

// TestPausesAreHalts: where PauseAt halts a launch, the resident warps are those of a launch that a Stepper halts after
// as many instructions, also where a CTA has just ended and another starts.
func TestPausesAreHalts(t *testing.T) {
	k := tickets
	k.Source = strings.ReplaceAll(k.Source, "9000", "100")
	halted := k
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		l.Precise = true
		s, err := functional.Begin(m, l)
		if err != nil {
			return interp.Stats{}, err
		}
		for n := uint64(1); ; n = s.Stats().WarpInstrs + 1 {
			s.PauseAt(n)
			if err := s.Continue(t.Context()); err != nil || s.Done() {
				return s.Stats(), err
			}
			if got, want := warpsText(s), haltedText(t, halted, s.Stats().WarpInstrs); got != want {
				t.Errorf("paused after %d instructions:\n%s", s.Stats().WarpInstrs, cmp.Diff(want, got))
			}
		}
	}
	if _, _, err := k.Run(t); err != nil {
		t.Error(err)
	}
}

// haltedText runs a kernel up to a number of instructions, and describes its warps there.
func haltedText(t *testing.T, k kerneltest.Kernel, n uint64) (text string) {
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		h := &haltsAt{n: n}
		l.Observe(h)
		var err error
		if h.s, err = functional.Begin(m, l); err == nil {
			err = h.s.Continue(t.Context())
		}
		text = warpsText(h.s)
		return h.s.Stats(), err
	}
	if _, _, err := k.Run(t); err != nil {
		t.Error(err)
	}
	return text
}

// warpsText describes the resident warps of a launch.
func warpsText(s *functional.Session) string {
	var b strings.Builder
	for _, w := range s.Warps() {
		fmt.Fprintf(&b, "%v %d: %d instructions, live %08x\n", w.CTA(), w.ID(), w.Executed(), uint32(w.Control().Live()))
	}
	return b.String()
}
