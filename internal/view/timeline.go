package view

import (
	"context"
	"fmt"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
)

// mostColumns limits the columns of a Timeline.
const mostColumns = 4096

// timeline returns the instructions that a warp executed.
func (s *Session) timeline(ctx context.Context, r *TimelineOf) (*Timeline, error) {
	if err := s.record.has(r.Launch, r.Warp); err != nil {
		return nil, err
	}
	if r.Columns < 1 || r.Columns > mostColumns {
		return nil, fmt.Errorf("%d columns: a timeline has 1 to %d", r.Columns, mostColumns)
	}
	l := &s.record.launches[r.Launch]
	of := l.warps[r.Warp]
	t := &Timeline{Launch: r.Launch, Warp: r.Warp, Total: len(of), From: min(max(r.From, 0), len(of)), Columns: []Column{}, Branches: []Branch{}}
	n := len(of) - t.From
	if r.Count > 0 {
		n = min(n, r.Count)
	}
	columns := min(n, r.Columns)
	for c := range columns {
		from, to := t.From+n*c/columns, t.From+n*(c+1)/columns
		t.Columns = append(t.Columns, s.column(r.Launch, l, of, from, to))
	}
	s.addBranches(t, l, of)
	if s.program.Clock != nil && s.program.Measure != nil {
		return t, s.addWaits(ctx, t, l)
	}
	return t, nil
}

// addWaits adds to the columns of a timeline what the warp waited for.
func (s *Session) addWaits(ctx context.Context, t *Timeline, l *launchRecord) error {
	m, err := s.measure(ctx)
	if err != nil {
		return err
	}
	if t.Launch >= len(m.report.Launches) || m.report.Launches[t.Launch].Time == nil {
		return nil
	}
	on, _ := m.activity.smOf(t.Launch, t.Warp/l.PerBlock)
	if on < 0 {
		return nil
	}
	start := m.report.Launches[t.Launch].Time.Start
	of, at := l.warps[t.Warp], 0
	last := func(c *Column) int64 { return l.all[of[c.Index+c.Count-1]].step }
	for i := range m.activity.sms[on].spells {
		p := &m.activity.sms[on].spells[i]
		if int(p.launch) != t.Launch || p.warp != t.Warp {
			continue
		}
		for at < len(t.Columns) && p.cycle-start > last(&t.Columns[at]) {
			at++
		}
		if at == len(t.Columns) {
			break
		}
		if t.From > 0 && at == 0 && p.cycle-start < t.Columns[0].Step {
			continue // of an instruction before those that are asked for
		}
		p.phases(func(state sm.State, first, end int64) {
			if state == sm.Selected {
				return
			}
			if t.Columns[at].Waited == nil {
				t.Columns[at].Waited = make(map[string]int64)
			}
			t.Columns[at].Waited[state.String()] += end - first
		})
	}
	return nil
}

// column sums up the instructions of a warp from one up to, but not including, another.
func (s *Session) column(launch int, l *launchRecord, of []int32, from, to int) Column {
	first := &l.all[of[from]]
	c := Column{Index: from, Count: to - from, Step: first.step, Low: 32}
	c.Line = l.place(s.d, int(first.fn), int(first.pc)).line
	var did debugger.Deed
	for _, i := range of[from:to] {
		p := &l.all[i]
		n := p.mask.Count()
		c.Low, c.High = min(c.Low, n), max(c.High, n)
		did |= s.record.deeds(launch, p)
	}
	if c.Count == 1 {
		c.Mask = uint32(first.mask)
	}
	c.Marks = marksOf(did)
	return c
}

// seek finds a moment of a warp.
func (s *Session) seek(r *Seek) (*Moment, error) {
	if err := s.record.has(r.Launch, r.Warp); err != nil {
		return nil, err
	}
	l := &s.record.launches[r.Launch]
	of := l.warps[r.Warp]
	i := 0
	if r.Index != nil {
		i = *r.Index
	} else {
		i = l.index(r.Warp, r.Step)
	}
	i = min(max(i, 0), len(of))
	at, is := i, true
	if r.Find != "" {
		wanted, ok := s.wanted(r.Launch, r.Find)
		if !ok {
			return nil, fmt.Errorf("cannot find %q; choose divergence, reconvergence, barrier, exit, access or finding", r.Find)
		}
		at, is = find(l, of, i, wanted, r.Back)
		if !is && r.Find == findingName && !r.Back && i < len(of) && s.record.foundAfter(r.Launch, r.Warp) {
			at, is = len(of), true
		}
	}
	return s.momentOf(r.Launch, r.Warp, at, is), nil
}

// accessName is the name of a memory access in Seek.Find.
const accessName = "access"

// wanted returns the condition for instructions of a launch that Seek.Find names; false if it names nothing.
func (s *Session) wanted(launch int, name string) (is func(*passage) bool, ok bool) {
	l := &s.record.launches[launch]
	if name == accessName {
		return func(p *passage) bool { return accesses(l.fns[p.fn], int(p.pc)) }, true
	}
	for _, one := range letters {
		if one.name == name {
			return func(p *passage) bool { return s.record.deeds(launch, p)&one.deed != 0 }, true
		}
	}
	return nil, false
}

// accesses reports whether an instruction accesses memory, other than parameters.
func accesses(fn *isa.Func, pc int) bool {
	if pc >= len(fn.Code) {
		return false
	}
	in := &fn.Code[pc]
	return in.Later == "" && (in.Is(isa.Load) || in.Is(isa.Store) || in.Is(isa.Atomic)) && in.Mods.MemSpace() != isa.Param
}

// find returns the next instruction of a warp, after one or backwards, with a property.
func find(l *launchRecord, of []int32, from int, is func(*passage) bool, back bool) (int, bool) {
	by := 1
	if back {
		by = -1
	}
	for i := from + by; i >= 0 && i < len(of); i += by {
		if is(&l.all[of[i]]) {
			return i, true
		}
	}
	return from, false
}

// momentOf returns the moment before an instruction of a warp, or after its last one.
func (s *Session) momentOf(launch int, warp int64, i int, is bool) *Moment {
	l := &s.record.launches[launch]
	of := l.warps[warp]
	m := &Moment{Launch: launch, Warp: warp, Index: i, Total: len(of), Found: is}
	switch {
	case i < len(of):
		p := &l.all[of[i]]
		m.Step, m.Marks = p.step, marksOf(s.record.deeds(launch, p))
	case len(of) > 0:
		m.Step = min(l.all[of[len(of)-1]].step+1, l.steps)
	}
	return m
}
