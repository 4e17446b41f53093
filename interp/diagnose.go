package interp

import (
	"fmt"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
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

// Deadlock is that all lanes of c wait.
func (e *Engine) Deadlock(c *CTA) *Hang {
	h := &Hang{Rule: RuleDeadlock, Msg: "no warp of the block can go on"}
	add := func(a *arrival, p Involved) {
		p.Role, p.Where, p.Pos, p.Text = Waits, Where{c.At, a.warp, a.mask}, a.instr(e.grid).Pos, e.p.Funcs[a.fn].Src.Text(a.pc)
		h.Involved = append(h.Involved, p)
	}
	for _, w := range c.Warps {
		for id := range c.barriers {
			for _, a := range c.waitingAt(e.grid, id, w) {
				add(&a, Involved{For: fmt.Sprintf("barrier %d", id), Barrier: id})
			}
		}
		for _, r := range c.rendezvous[w.ID] {
			missing := r.members & w.Live &^ r.arrived
			what := fmt.Sprintf("%s with mask %08x, for lanes %s", r.what, uint32(r.members), missing.Ranges())
			for i := range r.arrivals {
				add(&r.arrivals[i], Involved{For: what, Barrier: -1, Missing: missing})
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
func (e *Engine) warnDiverged(pc int, here, missing lanes.Mask) {
	e.warn(pc, here, RuleDiverged, "barrier inside divergent code; it counts lanes as they come, as since Volta", func() []Involved {
		return []Involved{involved(Arrived, e.where(here)), e.absent(missing)}
	})
}

// warn notes something that lanes here of w got away with at pc: of the first
// time also who was involved.
func (e *Engine) warn(pc int, here lanes.Mask, rule Rule, msg string, who func() []Involved) {
	in := &e.fn.Src.Code[pc]
	n, again := e.warned[in.Pos]
	if !again {
		if e.warned == nil {
			e.warned = make(map[isa.Pos]int)
		}
		n = len(e.Stats.Warnings)
		e.warned[in.Pos] = n
		e.Stats.Warnings = append(e.Stats.Warnings, Warning{Pos: in.Pos, Where: e.where(here), Rule: rule, Text: e.fn.Src.Text(pc), Msg: msg, Involved: who()})
	}
	warning := &e.Stats.Warnings[n]
	warning.Count++
	if addOnce(&e.cta.warned, n) {
		warning.Blocks++
	}
	if addOnce(&e.warp.Warned, n) {
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
func (e *Engine) neverMet(pc int, here, missing lanes.Mask, rule Rule, msg string) error {
	arrived := e.where(here)
	return &Hang{Pos: e.fn.Src.Code[pc].Pos, Where: arrived, Rule: rule, Msg: msg, Text: e.fn.Src.Text(pc),
		Involved: []Involved{involved(Arrived, arrived), e.absent(missing)}, Fix: OtherModel(e.m.cfg.Divergence)}
}

// OtherModel says that lanes which wait for each other across a branch need not.
func OtherModel(m divergence.Model) string {
	return fmt.Sprintf("under --divergence %s lanes that wait keep the others of their warp from running; --divergence %s gives each of them time slices", m, divergence.IndependentThreads)
}

// absent is lanes of the warp that are waited for, and where the first of them go
// on.
func (e *Engine) absent(missing lanes.Mask) Involved {
	return e.Inspect(e.cta, e.warp).Involved(Absent, missing)
}

// Involved is lanes of the warp in a role, and where the first of them go on.
func (w Warp) Involved(role Role, m lanes.Mask) Involved {
	p := involved(role, Where{w.c.At, w.w.ID, m})
	for s := range w.w.Control.Splits() {
		if fn := w.Func(s.Frame); s.Mask&m != 0 && s.PC < len(fn.Code) {
			p.Pos, p.Text = fn.Code[s.PC].Pos, fn.Text(s.PC)
			break
		}
	}
	return p
}
