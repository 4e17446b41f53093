package trace

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/sorted"
	"github.com/simtrun/simtrun/interp"
)

// warpState is the state of a warp after the events so far.
type warpState struct {
	polled        polled
	threads, live lanes.Mask
	// groups partition the live lanes: the lanes of a group have not diverged.
	groups []lanes.Mask
	waits  []wait
	heat   *heat
}

// wait is lanes that wait for others.
type wait struct {
	m    lanes.Mask
	step step // where they began to wait
	what string
}

// state returns the state of the warp of s.
func (t *Tracer) state(s *step) *warpState { return t.warps[s.w.Slot()][s.at.warp] }

// diverge records that the lanes of a group continue at several places.
func (st *warpState) diverge(to []divergence.Group) {
	all := lanes.Mask(0)
	for _, g := range to {
		all |= g.Mask
	}
	st.take(all)
	for _, g := range to {
		st.groups = append(st.groups, g.Mask)
	}
}

// take removes the lanes of m from the groups, and returns those of each group, in the order of their lowest lanes.
func (st *warpState) take(m lanes.Mask) (parts []lanes.Mask) {
	var rest []lanes.Mask
	for _, g := range st.groups {
		if g&m != 0 {
			parts = append(parts, g&m)
		}
		if g&^m != 0 {
			rest = append(rest, g&^m)
		}
	}
	st.groups = rest
	sorted.By(parts, func(a, b lanes.Mask) int { return firstLane(a) - firstLane(b) })
	return parts
}

func (st *warpState) exit(m lanes.Mask) {
	st.take(m)
	st.live &^= m
}

// regroup makes the active lanes of s a group, and emits which lanes have reconverged, and whether they have left
// others of their group.
func (t *Tracer) regroup(s *step, st *warpState) {
	if slices.Contains(st.groups, s.active) {
		return
	}
	left := lanes.Mask(0) // inactive lanes in groups of active lanes
	for _, g := range st.groups {
		if g&s.active != 0 {
			left |= g &^ s.active
		}
	}
	parts := st.take(s.active)
	st.groups = append(st.groups, s.active)
	if left != 0 {
		t.emit(newSplit, s, s.active, fmt.Sprintf("without %08x", uint32(left)))
	}
	if len(parts) > 1 {
		t.emit(reconverge, s, s.active, fmt.Sprintf("from %s  depth %d", masksText(parts), s.w.Control().Depth()))
	}
}

// emitDivergence emits where the lanes of the branch s continue, and where they reconverge, which minpc does not
// determine.
func (t *Tracer) emitDivergence(s *step) {
	var parts []string
	for _, g := range s.to {
		side := fmt.Sprintf("%08x to %s", uint32(g.Mask), t.lineText(s.fn, g.PC))
		switch {
		case g.PC == s.pc+1:
			side = "fall-through " + side
		case s.in().Spec.Takes(isa.Target):
			side = "taken " + side
		}
		parts = append(parts, side)
	}
	_, textOrder := s.w.Control().(*divergence.MinPC)
	if at := s.activation.Graph.Reconvergence(s.pc); at != flow.None && !textOrder {
		parts = append(parts, "reconverge at "+t.lineText(s.fn, at))
	}
	parts = append(parts, fmt.Sprintf("depth %d", s.w.Control().Depth()))
	t.emit(diverge, s, s.active, strings.Join(parts, "  "))
}

// emitTransfer emits a call, or a return to the caller.
func (t *Tracer) emitTransfer(s *step) {
	in := s.in()
	switch {
	case in != nil && in.Spec.Kind == isa.CallKind && t.calls(in):
		callee := in.Args[0].Sym
		if in.Indirect() {
			callee = s.fn.Regs[in.Args[0].Reg].Name
		}
		t.emit(call, s, s.executing, callee)
	case s.returns():
		caller := t.fns[s.w.Frame(s.activation.Parent).Func]
		t.emit(returned, s, s.executing, "to "+t.lineText(caller, s.activation.Ret))
	}
}

// returns reports whether s is a return to a caller.
func (s *step) returns() bool {
	in := s.in()
	return s.activation.Parent != divergence.NoFrame && (in == nil || in.Spec.Kind == isa.Return)
}

// calls reports whether in calls a function of the program, not one that the system provides, such as vprintf.
func (t *Tracer) calls(in *isa.Instr) bool {
	return in.Indirect() || slices.ContainsFunc(t.fns, func(f *isa.Func) bool { return f.Name == in.Args[0].Sym })
}

// waiting returns the waits of the lanes that executed s.
func waiting(s *step) []interp.Waiting {
	return slices.DeleteFunc(s.w.Waiting(), func(w interp.Waiting) bool { return w.PC != s.pc || w.Lanes&s.executing == 0 })
}
