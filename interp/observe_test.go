package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// everything observes all events, and lists them.
type everything struct{ lines []string }

func (e *everything) add(at *interp.Place, format string, args ...any) {
	e.lines = append(e.lines, fmt.Sprintf("slot %d b%d.w%d ", at.Slot, at.CTA.X, at.Warp)+fmt.Sprintf(format, args...))
}

func (e *everything) Started(at *interp.Place, m lanes.Mask) { e.add(at, "started %x", m) }
func (e *everything) Ended(at *interp.Place)                 { e.add(at, "ended") }
func (e *everything) Ran(at *interp.Place, first, end int, m lanes.Mask) {
	e.add(at, "ran %d-%d %x", first, end-1, m)
}
func (e *everything) Accessed(at *interp.Place, a *interp.Access) {
	stored := ""
	if values := a.Stored(); values != nil {
		stored = fmt.Sprintf(" stores %d", binary.LittleEndian.Uint32(values))
	}
	e.add(at, "access %d %x: %d of %s region %d at %#x%s", a.PC, a.Lanes, a.Size, isa.Space(a.Space), a.Region, a.Base+a.At(0), stored)
}
func (e *everything) Diverged(at *interp.Place, pc int, to []divergence.Group) {
	e.add(at, "diverged %d %x", pc, to)
}
func (e *everything) Exited(at *interp.Place, pc int, m lanes.Mask) { e.add(at, "exited %d %x", pc, m) }
func (e *everything) Arrived(at *interp.Place, pc, id int, m lanes.Mask) {
	e.add(at, "arrived %d at %d %x", pc, id, m)
}
func (e *everything) Released(at *interp.Place, id int)             { e.add(at, "released %d", id) }
func (e *everything) Synced(at *interp.Place, m lanes.Mask)         { e.add(at, "synced %x", m) }
func (e *everything) Met(at *interp.Place, m lanes.Mask)            { e.add(at, "met %x", m) }
func (e *everything) Fenced(at *interp.Place, pc int, m lanes.Mask) { e.add(at, "fenced %d %x", pc, m) }

// launchOf returns a launch of one warp for each block of a kernel with a buffer, on a GPU that holds one block at a
// time.
func launchOf(t *testing.T, src string, blocks uint32) (*interp.Machine, interp.Launch) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	one := gpu.H100()
	one.SMs, one.Residency.CTAs = 1, 1
	m, err := kerneltest.New(mod, interp.Config{GPU: one})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Alloc("out", 1024)
	if err != nil {
		t.Fatal(err)
	}
	return m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(blocks, 1), Block: kerneltest.Dim(32, 1), Params: binary.LittleEndian.AppendUint64(nil, r.Base)}
}

// TestObserversSeeEveryEventOnce: every event is notified once, where it happens, and the second block takes the slot
// of the first. Regions count from 0: the parameters, which are constants, so that a load of them is not an access; the
// buffer; the shared memory of slot 0.
func TestObserversSeeEveryEventOnce(t *testing.T) {
	m, l := launchOf(t, kerneltest.Source(t, "testdata/kernels/observe.txt", "eventful"), 2)
	all, other := &everything{}, &everything{}
	l.Observe(all)
	l.Observe(other)
	if _, err := functional.Run(context.Background(), m, l); err != nil {
		t.Fatal(err)
	}
	buffer := l.Params[:8]
	block := fmt.Sprintf(`started ffffffff
access 3 1: 4 of global region 1 at %#x stores 7
access 4 ffffffff: 4 of shared region 2 at 0x0
ran 0-5 ffffffff
arrived 5 at 3 ffffffff
released 3
ran 6-6 ffffffff
synced ffffffff
ran 7-7 ffffffff
fenced 7 ffffffff
ran 8-8 ffffffff
diverged 8 [{a 1} {9 fffffffe}]
ran 9-9 fffffffe
ran 10-10 ffffffff
exited 10 ffffffff
ended`, binary.LittleEndian.Uint64(buffer)+4)
	var want []string
	for b := range 2 {
		for line := range strings.SplitSeq(block, "\n") {
			want = append(want, fmt.Sprintf("slot 0 b%d.w0 %s", b, line))
		}
	}
	if diff := cmp.Diff(want, all.lines); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(all.lines, other.lines); diff != "" {
		t.Errorf("the other observer (-first +second):\n%s", diff)
	}
}

// TestObserverNeedsMethod: a value without a method of any observer is refused, because a wrong signature would
// otherwise go unnoticed.
func TestObserverNeedsMethod(t *testing.T) {
	m, l := launchOf(t, kerneltest.Entry+"ret;\n}", 1)
	l.Observe(struct{}{})
	defer func() {
		if recover() == nil {
			t.Error("it was taken")
		}
	}()
	functional.Begin(m, l)
}

// TestObserveLeavesCopies: observing a copy of a launch does not affect the original.
func TestObserveLeavesCopies(t *testing.T) {
	_, l := launchOf(t, kerneltest.Entry+"ret;\n}", 1)
	l.Observers = make([]interp.Observer, 0, 4)
	a, b := l, l
	a.Observe(&everything{})
	b.Observe(&follower{})
	if _, ok := a.Observers[0].(*everything); !ok || len(l.Observers) != 0 {
		t.Errorf("observers %v of one launch, %v of the other", a.Observers, l.Observers)
	}
}
