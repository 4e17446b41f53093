package interp

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/warp"
)

// Role is the part that lanes have in a hang or a warning.
type Role string

// The roles.
const (
	Waits   Role = "waits"   // at a barrier, or for lanes of the warp
	Spins   Role = "spins"   // in a loop that repeats its state
	Beside  Role = "beside"  // other lanes of their warp spin
	Arrived Role = "arrived" // at the instruction that the finding is about
	Absent  Role = "absent"  // lanes that have arrived wait for these
	Affects Role = "who"     // the finding is about them
	Uses    Role = "used"    // they use the undefined value of the finding
	Reads   Role = "read"    // they read the unwritten place
	Follows Role = "after"   // they have executed this before
)

// Involved is a group of lanes of one warp that have a role in a hang or a warning.
type Involved struct {
	Role  Role
	Where Where
	Place source.Place // of the instruction at which the lanes are or will continue; not valid if that is unknown or irrelevant
	Text  string       // the instruction
	// For names the event that waiting lanes wait for.
	For string
	// Barrier is the number of the CTA's barrier at which the lanes wait, or -1.
	Barrier int
	// Missing is the lanes of their warp for which the lanes wait.
	Missing lanes.Mask
}

// String returns one line of a report.
func (p *Involved) String() string {
	text := fmt.Sprintf("%-7s %s", p.Role, p.Where)
	switch {
	case !p.Place.IsValid():
	case p.Role == Waits:
		text += fmt.Sprintf(" at %s, %s", p.Place, p.For)
	case p.Role == Spins, p.Role == Uses, p.Role == Reads, p.Role == Follows:
		text += fmt.Sprintf(" at %s: %s", p.Place, p.Place.Text(p.Text))
	default:
		text += fmt.Sprintf(", to go on at %s", p.Place)
	}
	return text
}

func involved(role Role, where Where) Involved {
	return Involved{Role: role, Where: where, Barrier: -1}
}

// fault returns the fault of lanes at the instruction at pc, where the split stays.
func (e *Engine) fault(pc int, at lanes.Mask, err error) error {
	e.warp.Control.Advance(e.split.ID, pc)
	return e.faultOf(pc, at, err)
}

// faultOf returns a fault without keeping the split at pc.
func (e *Engine) faultOf(pc int, at lanes.Mask, err error) *Fault {
	return &Fault{Place: e.placeAt(pc), Text: e.fn.Src.Text(pc), Where: e.where(at), Rule: ruleOf(err), Err: err}
}

// where returns the location of lanes of the running warp.
func (e *Engine) where(m lanes.Mask) Where { return Where{e.cta.At, e.warp.ID, m} }

// Deadlock returns the hang of a CTA in which all lanes wait, as do those of the other CTAs of its cluster.
func (e *Engine) Deadlock(c *CTA) *Hang {
	h := &Hang{Rule: RuleDeadlock, Msg: "no warp of the block can go on"}
	if len(c.Cluster.CTAs) > 1 {
		h.Msg = "no warp of the cluster can go on"
	}
	for _, one := range c.Cluster.CTAs {
		h.Involved = append(h.Involved, e.Waiting(one)...)
		h.ExplainPool(one)
	}
	if len(h.Involved) > 0 {
		h.Place, h.Where = h.Involved[0].Place, h.Involved[0].Where
	}
	return h
}

// Waiting lists the lanes of a CTA that wait.
func (e *Engine) Waiting(c *CTA) (all []Involved) {
	add := func(a *arrival, p Involved) {
		fn := e.p.Funcs[a.fn].Src
		p.Role, p.Where, p.Place, p.Text = Waits, Where{c.At, a.warp, a.mask}, e.placeIn(c.Warps[a.warp], a.frame, a.pc), fn.Text(a.pc)
		all = append(all, p)
	}
	for _, w := range c.Warps {
		for id := range c.barriers {
			for _, a := range c.waitingAt(id, w) {
				add(&a, Involved{For: BarrierName(id), Barrier: id})
			}
		}
		for _, a := range c.atClusterBarrier(w) {
			add(&a, Involved{For: BarrierName(ClusterBarrier), Barrier: ClusterBarrier})
		}
		c.eachSupply(w, func(a *arrival, what string) { add(a, Involved{For: what, Barrier: -1}) })
		for _, r := range c.rendezvous[w.ID] {
			missing := r.members & w.Live &^ r.arrived
			what := fmt.Sprintf("%s with mask %08x, for %s", r.mnemonic, uint32(r.members), LanesText(missing))
			for i := range r.arrivals {
				add(&r.arrivals[i], Involved{For: what, Barrier: -1, Missing: missing})
			}
		}
	}
	return all
}

// eachSupply calls f for each wait of a warp for something other than an arrival that other warps must provide; what
// names it.
func (c *CTA) eachSupply(w *warp.State, f func(a *arrival, what string)) {
	for _, a := range c.waitingForTensor(w) {
		f(&a.arrival, fmt.Sprintf("for %d columns of tensor memory; %s", a.n, c.tensor.takenText()))
	}
	for _, a := range c.waitingForRegisters(w) {
		f(&a.arrival, c.pool.wanted(&a))
	}
	if a, missing, ok := c.awaitsGroup(w); ok {
		f(a, "for products of the warpgroup, which "+warpsText(missing)+" yet to execute")
	}
}

// warpsText names warps as a subject, with "has" or "have".
func warpsText(ids []int) string {
	if len(ids) == 1 {
		return fmt.Sprintf("warp %d has", ids[0])
	}
	var all []string
	for _, id := range ids {
		all = append(all, strconv.Itoa(id))
	}
	return "warps " + strings.Join(all, ", ") + " have"
}

// findings are the engine's findings in the launch.
type findings struct {
	warned map[warningKey]int     // by position: index in Stats.Warnings
	shown  map[codeKey]shownPlace // places of instructions with warnings, which take long to find
	fates  map[fateKey]fate       // found so far
	firsts []int64                // by index in Stats.Warnings: Engine.position at which the warning first occurred
}

// codeKey is an instruction.
type codeKey struct {
	fn *isa.Func
	pc int
}

// shownAt returns the position that is shown for an instruction: instructions of one place in a loop that a compiler
// has unrolled share it.
func (e *Engine) shownAt(fn *isa.Func, pc int) isa.Pos {
	key := codeKey{fn, pc}
	pos, known := e.shown[key]
	if !known {
		if e.shown == nil {
			e.shown = make(map[codeKey]shownPlace)
		}
		pos.at = source.At(fn, pc)
		pos.foreign = pos.at.IsForeign()
		e.shown[key] = pos
	}
	if pos.foreign {
		return e.placeAt(pc).Pos()
	}
	return pos.at.Pos()
}

// shownPlace is the place of an instruction, and whether it is in no file of the user's.
type shownPlace struct {
	at      source.Place
	foreign bool
}

// placeAt returns the place of the instruction at pc of the running split.
func (e *Engine) placeAt(pc int) source.Place { return e.placeIn(e.warp, e.split.Frame, pc) }

// placeIn returns the place of an instruction of a warp. That of a function in a header of a compiler or library, or in
// libdevice, is in its caller.
func (e *Engine) placeIn(w *warp.State, in divergence.FrameID, pc int) source.Place {
	frames := w.Control.Frames()
	f := frames.At(in)
	p := source.At(e.p.Funcs[f.Func].Src, pc)
	for f.Parent != divergence.NoFrame && p.IsForeign() {
		caller := frames.At(f.Parent)
		p, f = p.CalledBy(source.At(e.p.Funcs[caller.Func].Src, f.Ret-1)), caller
	}
	return p
}

// warningKey is the same for all occurrences of a warning.
type warningKey struct {
	pos   isa.Pos
	rule  Rule
	error bool
}

func (w *Warning) key() warningKey { return warningKey{w.Place.Pos(), w.Rule, w.Error} }

// warn records a warning about lanes of m at pc. It counts repeated ones; involved is only called for the first.
func (e *Engine) warn(pc int, m lanes.Mask, rule Rule, msg string, involved func() []Involved) {
	e.report(pc, &Warning{Where: e.where(m), Rule: rule, Msg: msg}, involved)
}

// report is warn for a warning that is complete except for its place and the lanes involved.
func (e *Engine) report(pc int, new *Warning, involved func() []Involved) {
	key := warningKey{e.shownAt(e.fn.Src, pc), new.Rule, new.Error}
	n, again := e.warned[key]
	if !again {
		if e.warned == nil {
			e.warned = make(map[warningKey]int)
		}
		n = len(e.Stats.Warnings)
		e.warned[key] = n
		new.Place = e.placeAt(pc)
		e.firsts = append(e.firsts, e.position())
		new.Text, new.Involved = e.fn.Src.Text(pc), involved()
		e.Stats.Warnings = append(e.Stats.Warnings, *new)
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

// addOnce adds n to a bit set and reports whether it was not in the set.
func addOnce(set *[]uint64, n int) bool {
	for len(*set) <= n/64 {
		*set = append(*set, 0)
	}
	word, bit := &(*set)[n/64], uint64(1)<<(n%64)
	isNew := *word&bit == 0
	*word |= bit
	return isNew
}

// hangDiverged returns the hang of lanes at pc that wait for absent lanes of their warp, which have diverged and
// under the launch's model cannot run first.
func (e *Engine) hangDiverged(pc int, arrived, absent lanes.Mask, rule Rule, msg string) error {
	where := e.where(arrived)
	return &Hang{Place: e.placeAt(pc), Where: where, Rule: rule, Msg: msg, Text: e.fn.Src.Text(pc),
		Involved: []Involved{involved(Arrived, where), e.absent(absent)}, Fix: OtherModel(e.m.cfg.Divergence)}
}

// OtherModel returns the Fix of a hang in which diverged lanes wait for each other under model m.
func OtherModel(m divergence.Model) string {
	return fmt.Sprintf("under --divergence %s lanes that wait keep the others of their warp from running; --divergence %s gives each of them time slices", m, divergence.IndependentThreads)
}

// absent returns the lanes of the warp for which others wait.
func (e *Engine) absent(m lanes.Mask) Involved {
	return e.Inspect(e.cta, e.warp).Involved(Absent, m)
}

// Involved returns lanes of the warp in a role, with the instruction at which the first of them that can run will
// continue.
func (w Warp) Involved(role Role, m lanes.Mask) Involved {
	p := involved(role, Where{w.c.At, w.w.ID, m})
	for s := range w.w.Control.Splits() {
		if fn := w.Func(s.Frame); s.Mask&m != 0 && s.PC < len(fn.Code) {
			p.Place, p.Text = w.e.placeIn(w.w, s.Frame, s.PC), fn.Text(s.PC)
			break
		}
	}
	return p
}
