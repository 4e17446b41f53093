package debugger

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/interp"
)

// test is the instruction that set a branch's guard, and its operands.
type test struct {
	code   codeAt
	names  []string
	values []value
}

// guardTest finds the instruction that set the guard of the instruction of s, in the same block; nil if none did.
func (d *Debugger) guardTest(w interp.Warp, s *divergence.Split) *test {
	fn, fl := w.Func(s.Frame), d.graphs[w.Frame(s.Frame).Func]
	guard := fn.Code[s.PC].Guard
	if guard == isa.NoReg {
		return nil
	}
	for pc := s.PC - 1; pc >= fl.Blocks()[fl.BlockOf(s.PC)].Start; pc-- {
		if writes(&fn.Code[pc], guard) {
			t := &test{code: codeAt{w.Frame(s.Frame).Func, pc}}
			t.addSources(fn, w, s)
			return t
		}
	}
	return nil
}

// writes reports whether in may write a register.
func writes(in *isa.Instr, reg isa.RegID) bool {
	for ref := range in.Refs {
		if ref.Reg == reg && ref.Role.Writes() {
			return true
		}
	}
	return false
}

// addSources records the registers that the test read, except those written since.
func (t *test) addSources(fn *isa.Func, w interp.Warp, s *divergence.Split) {
	for ref := range fn.Code[t.code.pc].Refs {
		r := fn.Regs[ref.Reg]
		if ref.Role != isa.ReadSource || r.Type == isa.Pred {
			continue
		}
		unchanged := true
		for pc := t.code.pc; pc < s.PC; pc++ {
			unchanged = unchanged && !writes(&fn.Code[pc], ref.Reg)
		}
		if unchanged && !slices.Contains(t.names, r.Name) {
			t.names = append(t.names, r.Name)
			t.values = append(t.values, value{typ: shownAs(r.Type), bits: w.Reg(s.Frame, ref.Reg)})
		}
	}
}

// goneText says why a lane executes nothing more.
func (d *Debugger) goneText(w interp.Warp, lane int) string {
	if w.Threads()>>lane&1 == 0 {
		return fmt.Sprintf("lane %d: %s", lane, d.laneState(w, lane))
	}
	return fmt.Sprintf("lane %d has exited", lane)
}

// laneState describes the state of a lane in a few words.
func (d *Debugger) laneState(w interp.Warp, lane int) string {
	at := placeOf(w)
	s, lives := splitOf(w, lane)
	switch {
	case w.Threads()>>lane&1 == 0:
		return fmt.Sprintf("no thread: the block has %d", d.launch().Block.Count())
	case !lives:
		if code, seen := d.log.exits[at][lane]; seen {
			return "exited at " + d.lineText(code)
		}
		return "exited"
	case parked(w)>>lane&1 != 0:
		wait := waitOf(w, lane)
		code := codeAt{wait.Func, wait.PC}
		return fmt.Sprintf("waiting at %s: %s", d.lineText(code), d.codeText(code))
	case d.atReconvergence(w, &s):
		return "waiting to reconverge at " + d.lineText(codeOf(w, &s))
	}
	if now, ok := running(w); ok && now.Mask>>lane&1 != 0 {
		return "active at " + d.lineText(codeOf(w, &s))
	}
	return "masked, to go on at " + d.lineText(codeOf(w, &s))
}

// atReconvergence reports whether the lanes of s wait at the reconvergence PC for others.
func (d *Debugger) atReconvergence(w interp.Warp, s *divergence.Split) bool {
	if s.PC == s.Stop {
		return true
	}
	for o := range w.Control().Splits() {
		if o.Frame == s.Frame && o.Stop == s.PC && o.Mask&s.Mask == 0 {
			return true
		}
	}
	return false
}

// waitOf returns what a parked lane waits for.
func waitOf(w interp.Warp, lane int) interp.Waiting {
	all := w.Waiting()
	i := slices.IndexFunc(all, func(wait interp.Waiting) bool { return wait.Lanes>>lane&1 != 0 })
	return all[i]
}

// whyCommand says why the lane in focus does not execute, or that it does.
func (d *Debugger) whyCommand(*call) error {
	w, err := d.warp()
	if err != nil {
		return err
	}
	lane := d.focus.lane
	s, lives := splitOf(w, lane)
	d.printf("lane %d: %s\n", lane, d.laneState(w, lane))
	switch {
	case !lives:
	case parked(w)>>lane&1 != 0:
		d.whyParked(w, waitOf(w, lane))
	case d.atReconvergence(w, &s):
		d.whyOff(w, lane, &s)
		d.whyReconverging(w, &s)
	default:
		now, ok := running(w)
		if ok && now.Mask>>lane&1 != 0 {
			d.whyActive(w, lane, &now)
			break
		}
		d.whyOff(w, lane, &s)
		if ok {
			d.printf("  %s run first, at %s; %s\n", lanesText(now.Mask), d.lineText(codeOf(w, &now)), orderText(w))
		}
	}
	d.showStall(w)
	return nil
}

// orderText says when inactive lanes will execute.
func orderText(w interp.Warp) string {
	switch w.Control().(type) {
	case *divergence.Stack:
		return "the others run when those are at the reconvergence PC, or have exited"
	case *divergence.MinPC:
		return "of the places where lanes are, the one with the lowest PC runs"
	}
	return "the others run when those reconverge, wait, exit or end their time slice"
}

func (d *Debugger) whyActive(w interp.Warp, lane int, s *divergence.Split) {
	at := codeOf(w, s)
	if w.Active(s)>>lane&1 != 0 {
		d.printf("  it executes %s next\n", d.codeText(at))
		return
	}
	fn := d.fns[at.fn]
	guard := fn.Code[at.pc].Guard
	d.printf("  it executes %s next, which does nothing in it: %s = %v\n", d.codeText(at), fn.Regs[guard].Name, w.Reg(s.Frame, guard)[lane] != 0)
}

// whyOff names the branch at which the lane diverged from others.
func (d *Debugger) whyOff(w interp.Warp, lane int, s *divergence.Split) {
	p := d.divergenceOf(w, lane, s)
	if p == nil {
		d.printf("  %s\n", d.guessText(w, s))
		return
	}
	in := &d.fns[p.code.fn].Code[p.code.pc]
	way := "did not take"
	for _, g := range p.to {
		if g.Mask>>lane&1 != 0 && (g.PC != p.code.pc+1 || in.Guard == isa.NoReg) {
			way = "took"
		}
	}
	line := fmt.Sprintf("  it %s the branch at %s: %s", way, d.lineText(p.code), d.codeText(p.code))
	if in.Guard != isa.NoReg {
		taken := way == "took"
		line += fmt.Sprintf("   %s = %v", d.fns[p.code.fn].Regs[in.Guard].Name, taken != in.GuardNot)
	}
	d.printf("%s\n", line)
	if t := p.test; t != nil {
		var parts []string
		for i := range t.names {
			parts = append(parts, fmt.Sprintf("%s = %s", t.names[i], d.text(&t.values[i], "", lane)))
		}
		d.printf("  by %s: %s   %s\n", d.lineText(t.code), d.codeText(t.code), strings.Join(parts, ", "))
	}
}

// divergenceOf returns the branch at which the lane diverged from those with which it will reconverge, or the last
// branch at which it diverged from any; nil if none is recorded.
func (d *Debugger) divergenceOf(w interp.Warp, lane int, s *divergence.Split) *divergenceAt {
	all := d.log.divergences[placeOf(w)]
	var last *divergenceAt
	for i := len(all) - 1; i >= 0; i-- {
		p := &all[i]
		if !slices.ContainsFunc(p.to, func(g divergence.Group) bool { return g.Mask>>lane&1 != 0 }) {
			continue
		}
		if p.code.fn == w.Frame(s.Frame).Func && p.reconvergence == s.Stop {
			return p
		}
		if last == nil {
			last = p
		}
	}
	return last
}

// guessText names the branch at which lanes diverged while the launch ran at full speed, if only one is possible.
func (d *Debugger) guessText(w interp.Warp, s *divergence.Split) string {
	number := w.Frame(s.Frame).Func
	fn, fl := d.fns[number], d.graphs[number]
	found := -1
	for pc := range fn.Code {
		in := &fn.Code[pc]
		if in.Spec != nil && in.Spec.Kind == isa.Branch && in.Guard != isa.NoReg && fl.Reconvergence(pc) == s.Stop && s.Stop != flow.None {
			if found >= 0 {
				found = -1
				break
			}
			found = pc
		}
	}
	if found < 0 {
		return "where it left the others was not seen: the launch ran at full speed; step, or break on diverge"
	}
	code := codeAt{number, found}
	return fmt.Sprintf("it left the others at %s: %s", d.lineText(code), d.codeText(code))
}

// whyReconverging names the lanes for which others wait at a reconvergence PC.
func (d *Debugger) whyReconverging(w interp.Warp, s *divergence.Split) {
	others := lanes.Mask(0)
	if p := d.divergenceOf(w, firstLane(s.Mask), s); p != nil {
		for _, g := range p.to {
			others |= g.Mask
		}
	}
	for split := range w.Control().Splits() {
		if split.Frame == s.Frame && split.Stop == s.PC {
			others |= split.Mask
		}
	}
	others &= w.Control().Live() &^ s.Mask
	for split := range w.Control().Splits() {
		if m := split.Mask & others; m != 0 {
			d.printf("  for %s, at %s: %s\n", lanesText(m), d.lineText(codeOf(w, &split)), d.codeText(codeOf(w, &split)))
		}
	}
}

// whyParked names the lanes for which others wait at a barrier, or at an instruction that several lanes execute
// together.
func (d *Debugger) whyParked(w interp.Warp, wait interp.Waiting) {
	if wait.For != "" {
		d.printf("  %s\n", wait.For)
		return
	}
	if wait.Barrier < 0 {
		d.whereabouts(w, wait.Missing)
		return
	}
	for _, o := range d.block(w.CTA()) {
		if m := notAt(o, wait.Barrier); m != 0 {
			d.whereabouts(o, m)
		}
	}
	if wait.Barrier != interp.ClusterBarrier {
		return
	}
	for _, o := range w.Peers() {
		if m := notAt(o, wait.Barrier); m != 0 {
			d.whereabouts(o, m)
		}
	}
}

// whereabouts prints the positions of the lanes that others wait for.
func (d *Debugger) whereabouts(w interp.Warp, missing lanes.Mask) {
	for s := range w.Control().Splits() {
		if m := s.Mask & missing; m != 0 {
			state := d.laneState(w, firstLane(m))
			d.printf("  for %s %s: %s\n", d.warpText(placeOf(w)), lanesText(m), state)
		}
	}
}

// waitsText says what the lanes of a warp wait for, if none can run.
func (d *Debugger) waitsText(w interp.Warp) string {
	var parts []string
	for s := range w.Control().Splits() {
		parts = append(parts, fmt.Sprintf("%s %s", lanesText(s.Mask), d.laneState(w, firstLane(s.Mask))))
	}
	return strings.Join(parts, "; ")
}
