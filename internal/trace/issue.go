package trace

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/internal/source"
)

// Issues writes the trace of launches with a clock: a line for each machine instruction that a warp issues, in the
// order of cycle, SM and scheduler. A line has the cycle, the SM and the scheduler, the warp and the source line, and
// the states of the warp since its previous issue, with their cycles:
//
//	12  sm0.1    b0.w5     L17   long_scoreboard 8, not_selected 2     add.f32 %f3, %f1, %f2
//
// For an instruction with several machine instructions, (product_wide 1/2) says which one, with its cost class. In
// concurrent launches the warp is l0.b0.w5.
type Issues struct {
	out        io.Writer
	err        error // of writing
	options    Options
	beside     bool   // there are several concurrent launches
	file       string // of the kernel
	schedulers int    // per SM
	sms        []issuesOfSM
	lines      []issued // for reuse
}

// issuesOfSM observes an SM.
type issuesOfSM struct {
	*Issues
	lines []issued // not yet written
}

// issued is a line of the trace.
type issued struct {
	cycle int64
	unit  int // number of the scheduler in the GPU
	text  string
}

func (a issued) compare(b issued) int {
	return cmp.Or(cmp.Compare(a.cycle, b.cycle), cmp.Compare(a.unit, b.unit))
}

var _ sm.Recorder = (*Issues)(nil)

// NewIssues returns a trace that writes to out. Call End when all launches have ended.
func NewIssues(out io.Writer, o Options) *Issues { return &Issues{out: out, options: o} }

// Begin implements sm.Recorder.
func (t *Issues) Begin(ls []sm.Launch, on *gpu.Config) {
	t.beside = len(ls) > 1
	if fns, err := ls[0].Machine.Functions(ls[0].Kernel); err == nil {
		t.file = source.File(fns[0])
	}
	t.schedulers = on.Schedulers
	t.sms = make([]issuesOfSM, on.SMs)
	for i := range t.sms {
		t.sms[i].Issues = t
	}
}

// Observer implements sm.Recorder.
func (t *Issues) Observer(id int) sm.Observer {
	if !t.options.SMs.Has(int64(id)) {
		return nil
	}
	return &t.sms[id]
}

// Passed implements sm.Recorder.
func (t *Issues) Passed(cycle int64) {
	for i := range t.sms {
		o := &t.sms[i]
		n, _ := slices.BinarySearchFunc(o.lines, cycle, func(l issued, c int64) int { return cmp.Compare(l.cycle, c) })
		t.lines = append(t.lines, o.lines[:n]...)
		o.lines = slices.Delete(o.lines, 0, n)
	}
	sorted.Stable(t.lines, issued.compare)
	for _, l := range t.lines {
		if t.err == nil {
			_, t.err = io.WriteString(t.out, l.text)
		}
	}
	clear(t.lines)
	t.lines = t.lines[:0]
}

// End returns the first write error.
func (t *Issues) End() error { return t.err }

// Started implements sm.Observer.
func (*issuesOfSM) Started(*sm.Residence) {}

// Left implements sm.Observer.
func (*issuesOfSM) Left(*sm.Leaving) {}

// Issued implements sm.Observer.
func (t *issuesOfSM) Issued(i *sm.Issue) {
	o, pos := &t.options, source.At(i.Func, i.PC).Pos()
	if !o.Blocks.Has(i.CTA) || !o.Warps.Has(int64(i.Warp)) || !o.Lines.Has(int64(pos.Line)) || !o.Cycles.Has(i.Cycle) || t.err != nil {
		return
	}
	warp := fmt.Sprintf("b%d.w%d", i.CTA, i.Warp)
	if t.beside {
		warp = fmt.Sprintf("l%d.%s", i.Launch, warp)
	}
	text := fmt.Sprintf("%8d  %-7s  %-8s  %-5s  %-36s  %s\n", i.Cycle, fmt.Sprintf("sm%d.%d", i.SM, i.Scheduler), warp, PlaceText(pos, t.file), stalls(i), instructionOf(i))
	t.lines = append(t.lines, issued{i.Cycle, i.SM*t.schedulers + i.Scheduler, text})
}

// stalls returns the states before an issue, with their cycles; "-" if there are none.
func stalls(i *sm.Issue) string {
	var all []string
	for _, s := range []struct {
		state  sm.State
		cycles int64
	}{{sm.AtBarrier, i.Held}, {i.State, i.Waited}, {i.Throttle, i.Throttled}, {sm.NotSelected, i.NotSelected}} {
		if s.cycles > 0 {
			all = append(all, fmt.Sprintf("%s %d", s.state, s.cycles))
		}
	}
	if len(all) == 0 {
		return "-"
	}
	return strings.Join(all, ", ")
}

// instructionOf returns the issued instruction, and which of its machine instructions it is.
func instructionOf(i *sm.Issue) string {
	text := source.Text(i.Func, i.PC)
	if i.Paired {
		text += "  (paired)"
	}
	switch {
	case i.Op < 0:
		return fmt.Sprintf("%s  (%s, before it)", text, i.Class)
	case i.Ops > 1:
		return fmt.Sprintf("%s  (%s %d/%d)", text, i.Class, i.Op+1, i.Ops)
	}
	return text
}
