package explore

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
)

// Schedule is an order of execution. After the last segment the default order follows: the running thread goes on as
// long as it can, then the first one that can.
type Schedule []Segment

// Segment is instructions that one thread executes.
type Segment struct {
	Launch int // number, from 0
	Block  isa.Dim
	Thread int // in the block
	Instrs uint64

	// Next is the place of the thread's next instruction, and Text that instruction; "" if the thread has ended.
	Next source.Place
	Text string
}

// segments records the schedule of an execution.
type segments struct {
	run *run
	all Schedule
	of  int32 // thread of the last segment
}

// add records that a thread executes an instruction.
func (s *segments) add(t int32) {
	n := len(s.all)
	if n > 0 && s.of == t && s.all[n-1].Launch == s.run.launch {
		s.all[n-1].Instrs++
		return
	}
	if n > 0 && s.all[n-1].Launch == s.run.launch {
		s.end()
	}
	th := &s.run.threads[t]
	w := s.run.warps[th.warp]
	s.all = append(s.all, Segment{Launch: s.run.launch, Block: w.CTA(), Thread: w.ID()*lanes.Width + th.lane, Instrs: 1})
	s.of = t
}

// end records where the thread of the last segment goes on.
func (s *segments) end() {
	t, last := &s.run.threads[s.of], &s.all[len(s.all)-1]
	if t.warp < 0 {
		return
	}
	for split := range s.run.warps[t.warp].Control().Splits() {
		if f := s.run.warps[t.warp].Func(split.Frame); split.Mask>>t.lane&1 != 0 && split.PC < len(f.Code) {
			last.Next, last.Text = source.At(f, split.PC), f.Text(split.PC)
		}
	}
}

// follower makes an execution follow a schedule.
type follower struct {
	schedule Schedule
	segment  int    // the present one
	done     uint64 // instructions of it
	err      error  // why the schedule could not be followed
}

// next returns the thread of the present segment, or -1 if the default order applies.
func (f *follower) next(r *run, can bits) int32 {
	f.skip(r)
	if f.segment >= len(f.schedule) || f.schedule[f.segment].Launch > r.launch {
		return -1
	}
	seg := &f.schedule[f.segment]
	t := r.number(seg.Block, seg.Thread/lanes.Width, seg.Thread%lanes.Width)
	if int(t) < len(r.threads) && t >= 0 && can.has(t) {
		return t
	}
	f.err = fmt.Errorf("segment %d cannot be followed: thread %d of block (%d,%d,%d) cannot run there", f.segment+1, seg.Thread, seg.Block.X, seg.Block.Y, seg.Block.Z)
	f.segment = len(f.schedule)
	return -1
}

// skip passes over segments of earlier launches.
func (f *follower) skip(r *run) {
	for f.segment < len(f.schedule) && f.schedule[f.segment].Launch < r.launch {
		f.segment, f.done = f.segment+1, 0
	}
}

// executes counts an instruction of the running thread.
func (f *follower) executes(r *run) {
	if f != nil && f.segment < len(f.schedule) && f.schedule[f.segment].Launch == r.launch {
		f.done++
	}
}

// over reports whether the present segment has been executed.
func (f *follower) over() bool {
	return f != nil && f.segment < len(f.schedule) && f.done >= f.schedule[f.segment].Instrs
}

// interrupts begins the next segment if the present one has been executed, and reports whether it has.
func (f *follower) interrupts() bool {
	over := f.over()
	if over {
		f.segment, f.done = f.segment+1, 0
	}
	return over
}

// end returns why the schedule was not followed to its end, or nil.
func (f *follower) end() error {
	if f.interrupts(); f.err == nil && f.segment < len(f.schedule) {
		return fmt.Errorf("the program ended in segment %d of the schedule", f.segment+1)
	}
	return f.err
}
