package check

import (
	"slices"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/interp"
)

// Shuffles finds uses of shuffle results that PTX leaves undefined. The result of a lane is undefined if the lane that
// it reads is not in its member mask, or has exited. A reduction over part of a warp usually reads such lanes, which is
// harmless if no result depends on their values. So undefined values are followed through registers, lane by lane: the
// result of an operation on an undefined value is undefined, unless it does not depend on that value (a select, a
// logical operation with a constant). A branch, an address or a store to global memory that depends on one is a
// finding.
//
// Undefined values are not followed through memory, ballots, matrix products and calls of functions other than
// libdevice's, so that some uses are missed.
type Shuffles struct {
	warps    map[warpAt]*values
	warnings []interp.Warning
	known    map[use]int // index in warnings
}

// warpAt is the position of a resident warp.
type warpAt struct{ slot, warp int }

// values holds the undefined values of a warp, by activation and register.
type values struct {
	frames  map[divergence.FrameID]*undefinedIn
	count   int // registers with undefined lanes
	waiting []*atShuffle
}

// atShuffle is the lanes of one split that have arrived at a shuffle with the same member mask. Other lanes of the mask
// may arrive later, at another instruction of the same kind. The operands are those at the arrival.
type atShuffle struct {
	in      *isa.Instr
	text    string
	place   source.Place
	where   interp.Where
	members lanes.Mask
	sources [lanes.Width]int // by lane, the lane that it reads
	operand undefined
	regs    map[isa.RegID]undefined // of the activation
	guard   undefined
}

// undefinedIn has the registers of an activation that hold undefined values.
type undefinedIn struct {
	serial uint64
	regs   map[isa.RegID]undefined
	params map[string]undefined // .param variables of the function
}

// undefined is the lanes in which a register holds an undefined value, and the shuffle from which it comes.
type undefined struct {
	lanes lanes.Mask
	from  *origin
}

// origin is a shuffle with undefined results.
type origin struct {
	in      *isa.Instr
	text    string
	place   source.Place
	where   interp.Where // lanes with undefined results
	sources lanes.Mask   // the lanes that they read
	members lanes.Mask
	ended   lanes.Mask // sources that have exited
	absent  lanes.Mask // sources that the block does not have
}

// AttachShuffles adds a Shuffles to the observers of a launch; nil if the kernel has no shuffles. A Stepper has each
// instruction executed by itself, without compiled code.
func AttachShuffles(m *interp.Machine, l *interp.Launch) (*Shuffles, error) {
	fns, err := m.Functions(l.Kernel)
	if err != nil {
		return nil, err
	}
	for _, fn := range fns {
		for i := range fn.Code {
			if fn.Code[i].Is(isa.Shuffle) {
				s := &Shuffles{warps: make(map[warpAt]*values), known: make(map[use]int)}
				l.Observe(s)
				return s, nil
			}
		}
	}
	return nil, nil
}

// Warnings returns the findings in the order of their first occurrence.
func (s *Shuffles) Warnings() []interp.Warning {
	if s == nil {
		return nil
	}
	return s.warnings
}

// Started implements interp.StartObserver.
func (s *Shuffles) Started(at *interp.Place, _ lanes.Mask) { delete(s.warps, warpAt{at.Slot, at.Warp}) }

// Step implements interp.Stepper.
func (s *Shuffles) Step(w interp.Warp, split divergence.Split) (halt bool) {
	fn := w.Func(split.Frame)
	if split.PC >= len(fn.Code) {
		return false
	}
	in, at := &fn.Code[split.PC], warpAt{w.Slot(), w.ID()}
	v := s.warps[at]
	if v == nil {
		if !in.Is(isa.Shuffle) {
			return false
		}
		v = &values{frames: make(map[divergence.FrameID]*undefinedIn)}
		s.warps[at] = v
	}
	v.goOn(w, in, split.Mask)
	if v.count == 0 && !in.Is(isa.Shuffle) {
		return false
	}
	t := &step{Shuffles: s, w: w, split: &split, fn: fn, in: in, values: v, active: w.Active(&split)}
	f := v.in(w, split.Frame)
	t.regs, t.params = f.regs, f.params
	t.follow()
	return false
}

// in returns the undefined registers of an activation.
func (v *values) in(w interp.Warp, id divergence.FrameID) *undefinedIn {
	serial, f := w.Frame(id).Serial, v.frames[id]
	if f == nil || f.serial != serial {
		if f != nil {
			v.count -= len(f.regs) + len(f.params)
		}
		f = &undefinedIn{serial: serial, regs: make(map[isa.RegID]undefined), params: make(map[string]undefined)}
		v.frames[id] = f
	}
	return f
}

// goOn is called before lanes execute an instruction: the shuffles at which they have waited are complete. A shuffle at
// this instruction is not: another Stepper has halted the warp before it.
func (v *values) goOn(w interp.Warp, in *isa.Instr, m lanes.Mask) {
	v.waiting = slices.DeleteFunc(v.waiting, func(a *atShuffle) bool { return a.in == in && a.where.Lanes&m != 0 })
	for i := 0; i < len(v.waiting); i++ {
		first := v.waiting[i]
		if first.where.Lanes&m == 0 {
			continue
		}
		var group []*atShuffle
		v.waiting = slices.DeleteFunc(v.waiting, func(a *atShuffle) bool {
			with := a.members == first.members && a.in.Mnemonic() == first.in.Mnemonic()
			if with {
				group = append(group, a)
			}
			return with
		})
		v.exchange(w, group)
		i = -1
	}
}

// exchange executes a shuffle of all the lanes that have arrived at it. The result is undefined in lanes that read an
// undefined value, or a lane that is not in their mask, has exited or does not exist.
func (v *values) exchange(w interp.Warp, group []*atShuffle) {
	var arrived lanes.Mask
	var operand undefined
	for _, a := range group {
		arrived |= a.where.Lanes
		operand = undefined{operand.lanes | a.operand.lanes, firstOrigin(operand.from, a.operand.from)}
	}
	live := w.Control().Live()
	for _, a := range group {
		var bad, passed, read, ended, absent lanes.Mask
		for left := a.where.Lanes; left != 0; left &= left - 1 {
			lane := firstLane(left)
			switch from := a.sources[lane]; {
			case from != lane && arrived>>from&1 == 0:
				bad, read = bad|1<<lane, read|1<<from
				switch {
				case w.Threads()>>from&1 == 0:
					absent |= 1 << from
				case a.members>>from&1 != 0 || live>>from&1 == 0:
					ended |= 1 << from
				}
			case operand.lanes>>from&1 != 0:
				passed |= 1 << lane
			}
		}
		result := undefined{passed, operand.from}
		if bad != 0 {
			where := a.where
			where.Lanes = bad
			result = undefined{bad | passed, &origin{in: a.in, text: a.text, place: a.place, where: where, sources: read, members: a.members, ended: ended, absent: absent}}
		}
		if a.guard.lanes != 0 {
			result = undefined{result.lanes | a.guard.lanes, firstOrigin(result.from, a.guard.from)}
		}
		if d := &a.in.Args[0]; d.Kind == isa.RegOperand {
			setIn(v, a.regs, d.Reg, a.where.Lanes, result)
		}
	}
}

// sourceLane returns the lane that a lane reads (PTX ISA 9.7.9.6): itself if its segment has no such lane.
func sourceLane(mode isa.Mod, lane, b, c int) int {
	b, segment := b&31, c>>8&31
	most, from := lane&segment|c&31&^segment, lane
	exists := false
	switch mode {
	case isa.ShflUp:
		from = lane - b
		exists = from >= most
	case isa.ShflDown:
		from = lane + b
		exists = from <= most
	case isa.ShflBfly:
		from = lane ^ b
		exists = from <= most
	case isa.ShflIdx:
		from = lane&segment | b&^segment
		exists = from <= most
	}
	if !exists {
		return lane
	}
	return from
}
