package trace

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// Tracer writes the trace of one launch.
type Tracer struct {
	out     io.Writer
	err     error // of writing
	options Options
	emits   *[numEvents]bool
	machine *interp.Machine
	fns     []*isa.Func
	grid    isa.Dim
	warps   [][]*warpState // by the slot of the CTA and the number in it
	step    step           // the current instruction
	under   bool           // a traced warp is executing step
	heats   []*heat
}

// Interfaces that a Tracer implements.
var (
	_ interp.Stepper            = (*Tracer)(nil)
	_ interp.StartObserver      = (*Tracer)(nil)
	_ interp.RunObserver        = (*Tracer)(nil)
	_ interp.AccessObserver     = (*Tracer)(nil)
	_ interp.DivergenceObserver = (*Tracer)(nil)
	_ interp.ExitObserver       = (*Tracer)(nil)
	_ interp.ArrivalObserver    = (*Tracer)(nil)
	_ interp.ClusterObserver    = (*Tracer)(nil)
	_ interp.CopyObserver       = (*Tracer)(nil)
)

// warpAt identifies a warp.
type warpAt struct {
	cta  isa.Dim
	warp int
}

// step is one instruction that a warp executes.
type step struct {
	w          interp.Warp
	at         warpAt
	frame      divergence.FrameID
	activation divergence.Frame // of frame, before the instruction
	fn         *isa.Func
	pc         int // len(fn.Code) at the end of the code, which ends or returns
	active     lanes.Mask
	executing  lanes.Mask // active lanes for which the guard is true
	ran        bool
	to         []divergence.Group // groups into which its lanes diverged
	arrived    bool               // lanes arrived at a barrier,
	barrier    int                // this one
	atCluster  bool               // it waits for the barrier of the cluster
	mbarriers  []mbarrierAt
	atBarrier  lanes.Mask // lanes of the warp that wait at one; for Heat
}

// in returns the instruction, or nil at the end of the code.
func (s *step) in() *isa.Instr {
	if s.pc == len(s.fn.Code) {
		return nil
	}
	return &s.fn.Code[s.pc]
}

// Step implements interp.Stepper. It halts when the trace cannot be written.
func (t *Tracer) Step(w interp.Warp, split divergence.Split) (halt bool) {
	t.finish()
	if t.err != nil {
		return true
	}
	at := warpAt{w.CTA(), w.ID()}
	if !t.options.Blocks.Has(t.number(at.cta)) || !t.options.Warps.Has(int64(at.warp)) {
		return false
	}
	t.step = step{w: w, at: at, frame: split.Frame, activation: *w.Frame(split.Frame), fn: w.Func(split.Frame), pc: split.PC,
		active: split.Mask, executing: w.Active(&split)}
	if t.options.Kind == Heat {
		t.step.atBarrier = atBarrier(w)
	}
	t.under = true
	t.begin(&t.step)
	return false
}

// number returns the number of a CTA, counted with x fastest.
func (t *Tracer) number(cta isa.Dim) int64 { return t.grid.Number(cta) }

// begin emits the events before s is executed.
func (t *Tracer) begin(s *step) {
	st := t.state(s)
	t.release(s, st)
	t.regroup(s, st)
	if t.emits[instruction] {
		t.emit(instruction, s, s.active, fmt.Sprintf("%08x", uint32(s.executing)))
	}
	if s.executing != 0 {
		t.emitTransfer(s)
		t.emitFence(s)
	}
}

// finish emits the events after the current instruction. An instruction that faulted emits nothing.
func (t *Tracer) finish() {
	s := &t.step
	if !t.under {
		return
	}
	t.under = false
	if !s.ran {
		return
	}
	st := t.state(s)
	if t.options.Kind == Heat {
		t.column(s, st)
	}
	if s.to != nil {
		t.emitDivergence(s)
	}
	t.emitMbarriers(s)
	if waiting := t.park(s, st); waiting == 0 {
		t.emitWrites(s, s.executing)
	}
}

// End writes the rest. Call it when the launch has ended. It returns the first write error.
func (t *Tracer) End() error {
	t.finish()
	for _, h := range t.heats {
		t.write(h.picture(t.number(h.at.cta)))
	}
	return t.err
}

func (t *Tracer) write(text string) {
	if t.err == nil {
		_, t.err = io.WriteString(t.out, text)
	}
}

// emit writes one line about lanes of s.
func (t *Tracer) emit(e event, s *step, m lanes.Mask, detail string) {
	if !t.emits[e] || !t.options.Lines.Has(s.line()) {
		return
	}
	if detail != "" {
		detail = "  " + detail
	}
	if shown[e] {
		detail += "  " + s.text()
	}
	t.write(fmt.Sprintf("b%d.w%d  %-10s  %-4s  %08x%s\n", t.number(s.at.cta), s.at.warp, e, t.lineText(s.fn, s.pc), uint32(m), detail))
}

// text returns the instruction.
func (s *step) text() string {
	return source.Text(s.fn, s.pc)
}

func (s *step) line() int64 { return int64(source.At(s.fn, s.pc).Pos().Line) }

func (t *Tracer) lineText(fn *isa.Func, pc int) string {
	return PlaceText(source.At(fn, pc).Pos(), source.File(t.fns[0]))
}

// PlaceText returns "L7", or "b.s:7" in a file other than the kernel's.
func PlaceText(pos isa.Pos, file string) string {
	if pos.File != file {
		return fmt.Sprintf("%s:%d", filepath.Base(pos.File), pos.Line)
	}
	return fmt.Sprintf("L%d", pos.Line)
}

// Started implements interp.StartObserver. A warp begins as one group.
func (t *Tracer) Started(at *interp.Place, m lanes.Mask) {
	t.finish()
	for len(t.warps) <= at.Slot {
		t.warps = append(t.warps, nil)
	}
	of := &t.warps[at.Slot]
	for len(*of) <= at.Warp {
		*of = append(*of, nil)
	}
	(*of)[at.Warp] = &warpState{threads: m, live: m, groups: []lanes.Mask{m}}
}

// Ran implements interp.RunObserver.
func (t *Tracer) Ran(*interp.Place, int, int, lanes.Mask) { t.step.ran = true }

// Accessed implements interp.AccessObserver.
func (t *Tracer) Accessed(_ *interp.Place, a *interp.Access) {
	if t.under {
		t.emitAccess(&t.step, a)
		t.noteMbarriers(&t.step, a)
	}
}

// Diverged implements interp.DivergenceObserver.
func (t *Tracer) Diverged(_ *interp.Place, _ int, to []divergence.Group) {
	if t.under {
		t.step.to = append([]divergence.Group(nil), to...)
		t.state(&t.step).diverge(to)
	}
}

// Exited implements interp.ExitObserver.
func (t *Tracer) Exited(_ *interp.Place, _ int, m lanes.Mask) {
	if t.under {
		st := t.state(&t.step)
		st.exit(m)
		t.emit(exit, &t.step, m, fmt.Sprintf("left %08x", uint32(st.live)))
	}
}

// Arrived implements interp.ArrivalObserver.
func (t *Tracer) Arrived(_ *interp.Place, _, id int, _ lanes.Mask) {
	t.step.arrived, t.step.barrier = true, id
}

// masksText returns masks separated by blanks.
func masksText(masks []lanes.Mask) string {
	var words []string
	for _, m := range masks {
		words = append(words, fmt.Sprintf("%08x", uint32(m)))
	}
	return strings.Join(words, " ")
}
