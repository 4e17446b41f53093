package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/warp"
)

// Role is what lanes do that a hang or a warning tells of.
type Role string

// The roles.
const (
	Waits   Role = "waits"   // at a barrier, or for lanes of the warp
	Spins   Role = "spins"   // in a loop that repeats its state
	Beside  Role = "beside"  // other lanes of a warp that spins
	Arrived Role = "arrived" // at the instruction that the finding is about
	Absent  Role = "absent"  // whom those that arrived wait for
	Affects Role = "who"     // lanes that the finding is about
)

// Involved is lanes of one warp that have a role in a hang or a warning.
type Involved struct {
	Role  Role
	Where Where
	// Pos and Text are the instruction at which the lanes are, or go on; Pos is
	// not valid if that is not known or not of interest.
	Pos  isa.Pos
	Text string
	// For is what the lanes wait for, in words.
	For string
	// Barrier is the number of the CTA's barrier at which they wait, or -1.
	Barrier int
	// Missing is the lanes of their warp for which they wait.
	Missing lanes.Mask
}

// String is a line of text.
func (p *Involved) String() string {
	text := fmt.Sprintf("%-7s %s", p.Role, p.Where)
	switch {
	case !p.Pos.IsValid():
	case p.Role == Waits:
		text += fmt.Sprintf(" at %s, %s", p.Pos, p.For)
	case p.Role == Spins:
		text += fmt.Sprintf(" at %s: %s", p.Pos, p.Text)
	default:
		text += fmt.Sprintf(", to go on at %s", p.Pos)
	}
	return text
}

func involved(role Role, where Where) Involved {
	return Involved{Role: role, Where: where, Barrier: -1}
}

// deadlock reports that all lanes of c wait.
func (x *executor) deadlock(c *cta) error {
	h := &Hang{Rule: RuleDeadlock, Msg: "no warp of the block can go on"}
	add := func(at *party, p Involved) {
		p.Role, p.Where, p.Pos, p.Text = Waits, Where{c.at, at.w.ID, at.mask}, at.in().Pos, at.fn.Src.Text(at.pc)
		h.Involved = append(h.Involved, p)
	}
	for _, w := range c.warps {
		for id := range c.barriers {
			for _, p := range c.barriers[id].at(x, w) {
				add(&p, Involved{For: fmt.Sprintf("barrier %d", id), Barrier: id})
			}
		}
		for _, mt := range c.meetings[w.ID] {
			missing := mt.members & w.Live &^ mt.came
			what := fmt.Sprintf("%s with mask %08x, for lanes %s", mt.what, uint32(mt.members), missing.Ranges())
			for i := range mt.parts {
				add(&mt.parts[i], Involved{For: what, Barrier: -1, Missing: missing})
			}
		}
	}
	if len(h.Involved) > 0 {
		h.Pos, h.Where = h.Involved[0].Pos, h.Involved[0].Where
	}
	return h
}

// warnDiverged notes that only lanes here of w came to the barrier at pc, which
// is for whole warps.
func (x *executor) warnDiverged(c *cta, w *warp.State, pc int, here, missing lanes.Mask) {
	x.warn(c, w, pc, here, RuleDiverged, "barrier inside divergent code; it counts lanes as they come, as since Volta", func() []Involved {
		return []Involved{involved(Arrived, Where{c.at, w.ID, here}), x.absent(c, w, missing)}
	})
}

// warn notes something that lanes here of w got away with at pc: of the first
// time also who was involved.
func (x *executor) warn(c *cta, w *warp.State, pc int, here lanes.Mask, rule Rule, msg string, who func() []Involved) {
	in := &x.fn.Src.Code[pc]
	n, again := x.warned[in.Pos]
	if !again {
		if x.warned == nil {
			x.warned = make(map[isa.Pos]int)
		}
		n = len(x.stats.Warnings)
		x.warned[in.Pos] = n
		x.stats.Warnings = append(x.stats.Warnings, Warning{Pos: in.Pos, Where: Where{c.at, w.ID, here}, Rule: rule, Text: x.fn.Src.Text(pc), Msg: msg, Involved: who()})
	}
	warning := &x.stats.Warnings[n]
	warning.Count++
	if addOnce(&c.warned, n) {
		warning.Blocks++
	}
	if addOnce(&w.Warned, n) {
		warning.Warps++
	}
}

// addOnce adds n to a set, a bit each, and reports whether it was not in it.
func addOnce(set *[]uint64, n int) bool {
	for len(*set) <= n/64 {
		*set = append(*set, 0)
	}
	word, bit := &(*set)[n/64], uint64(1)<<(n%64)
	isNew := *word&bit == 0
	*word |= bit
	return isNew
}

// neverMet reports that lanes wait at pc for others that cannot come.
func (x *executor) neverMet(c *cta, w *warp.State, pc int, here, missing lanes.Mask, rule Rule, msg string) error {
	arrived := Where{c.at, w.ID, here}
	return &Hang{Pos: x.fn.Src.Code[pc].Pos, Where: arrived, Rule: rule, Msg: msg, Text: x.fn.Src.Text(pc),
		Involved: []Involved{involved(Arrived, arrived), x.absent(c, w, missing)}, Fix: otherModel(x.m.cfg.Divergence)}
}

// otherModel says that lanes which wait for each other across a branch need not.
func otherModel(m divergence.Model) string {
	return fmt.Sprintf("under --divergence %s lanes that wait keep the others of their warp from running; --divergence %s gives each of them time slices", m, divergence.IndependentThreads)
}

// absent is lanes of w that are waited for, and where the first of them go on.
func (x *executor) absent(c *cta, w *warp.State, missing lanes.Mask) Involved {
	p := involved(Absent, Where{c.at, w.ID, missing})
	x.findNext(&p, w)
	return p
}

// findNext finds the instruction at which the first lanes of p go on.
func (x *executor) findNext(p *Involved, w *warp.State) {
	for s := range w.Control.Splits() {
		if fn := x.p.Funcs[s.Frame.Func].Src; s.Mask&p.Where.Lanes != 0 && s.PC < len(fn.Code) {
			p.Pos, p.Text = fn.Code[s.PC].Pos, fn.Text(s.PC)
			return
		}
	}
}

// mostSpinning is how many splits that spin a hang names.
const mostSpinning = 8

// endless reports that no warp of the launch makes progress: all wait, or do the
// same over and over.
func (x *executor) endless(resident []*cta, waiting int64) error {
	h := &Hang{Rule: RuleLivelock, Msg: "no warp makes progress: every spinning warp repeats its state"}
	spinning, diverged := 0, false
	for _, c := range resident {
		for _, w := range c.warps {
			for s := range w.Control.Splits() {
				fn := x.p.Funcs[s.Frame.Func].Src
				if s.PC >= len(fn.Code) || s.Pace != divergence.Spinning {
					continue
				}
				if spinning++; spinning > mostSpinning {
					continue
				}
				p := involved(Spins, Where{c.at, w.ID, s.Mask})
				p.Pos, p.Text = fn.Code[s.PC].Pos, fn.Text(s.PC)
				h.Involved = append(h.Involved, p)
				if others := w.Live &^ s.Mask; others != 0 {
					diverged = true
					p := involved(Beside, Where{c.at, w.ID, others})
					x.findNext(&p, w)
					h.Involved = append(h.Involved, p)
				}
			}
		}
	}
	if len(h.Involved) > 0 {
		h.Pos, h.Where = h.Involved[0].Pos, h.Involved[0].Where
	}
	if more := spinning - mostSpinning; more > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("and     %d more", more))
	}
	if waiting > 0 {
		h.Notes = append(h.Notes, fmt.Sprintf("waiting %d blocks have not started: the GPU holds %d of these at once", waiting, len(resident)))
	}
	if diverged && x.m.cfg.Divergence != divergence.IndependentThreads {
		h.Fix = otherModel(x.m.cfg.Divergence)
	}
	return h
}

// tooLong reports that w has used up its steps.
func (x *executor) tooLong(c *cta, w *warp.State) error {
	var split divergence.Split
	w.Control.Next(&split)
	pc, at := min(split.PC, len(x.fn.Src.Code)-1), Where{c.at, w.ID, split.Mask}
	return stepLimit(x.fn.Src.Code[pc].Pos, x.fn.Src.Text(pc), at,
		fmt.Sprintf("step limit: a warp executed %d instructions and is not done; --max-steps sets the limit", w.Steps))
}

// stepLimit is a launch that ends before the instruction at pos.
func stepLimit(pos isa.Pos, text string, at Where, msg string) *Hang {
	return &Hang{Pos: pos, Where: at, Rule: RuleSteps, Msg: msg, Next: text, Involved: []Involved{involved(Affects, at)}}
}

// tooLong reports that the launch has executed n instructions since a CTA was
// done last, which is what it may.
func (s *Session) tooLong(n uint64) error {
	next, at, ok := s.somewhere()
	h := stepLimit(next.Pos, next.text, at, fmt.Sprintf("step limit: the warps executed %d instructions since a block was last done; --max-launch-steps sets the limit", n))
	if !ok {
		h.Next, h.Involved = "", nil
	}
	h.Notes = append(h.Notes, fmt.Sprintf("blocks  %d of %d are done, %d under way", s.x.m.done.Load(), s.total, s.underWay()))
	return h
}
