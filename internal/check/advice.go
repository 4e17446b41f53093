package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/internal/isa"
)

// Advice is a change that orders the two sides of a race, or makes the race harmless.
type Advice struct {
	Kind AdviceKind
	// Edits are the changes to the program that implement the advice; none if it requires more than edits.
	Edits []Edit
	text  string
}

// String returns the advice in one sentence.
func (a *Advice) String() string { return a.text }

// AdviceKind is the kind of an advised change.
type AdviceKind uint8

const (
	Redesign    AdviceKind = iota // no local change helps
	Barrier                       // bar.sync at a place that all threads of the CTA execute
	WarpBarrier                   // bar.warp.sync at a place that all lanes of the warp execute
	MakeAtomic                    // one atomic in place of a load, arithmetic and a store
	MakeStrong                    // strong accesses for a flag written or polled by weak ones
	AddFences                     // fences before writing a flag or lock, or after reading it
	WidenScope                    // scope gpu
	OneSize                       // strong accesses of one size
	OneWriter                     // several lanes write at once: let one write
	MoveBehind                    // move an access after the launch, or to the last block
	NumAdviceKinds
)

// String returns the name of the kind.
func (k AdviceKind) String() string {
	return [...]string{"redesign", "barrier", "warp-barrier", "make-atomic", "make-strong", "add-fences", "widen-scope", "one-size", "one-writer", "move-behind"}[k]
}

// Texts of advised barriers.
const (
	ctaBarrier  = "bar.sync 0;"
	warpBarrier = "bar.warp.sync 0xffffffff;"
)

// Edit is a change to the text of a program.
type Edit struct {
	Func    *isa.Func
	PC      int    // of the instruction
	Instead bool   // Text replaces the instruction; otherwise it is inserted before
	Text    string // may be empty
}

// race is a race to be reported.
type race struct {
	r             *Races
	first, second *site // in program order, if they have one
	of            *instances
	worst         rank
	evidence
}

// between returns why the two accesses are not ordered.
func (c *race) between() string {
	both, either := c.first.class&c.second.class&strong, (c.first.class|c.second.class)&strong
	switch {
	case c.completesLater():
		return "the write is complete when the phase of its mbarrier is, and no wait for that phase comes in between"
	case c.sameInstr:
		return "lanes of one instruction: their order is not defined"
	case both != 0 && c.first.class>>sizeShift != c.second.class>>sizeShift:
		return "both are atomic or strong, but of different sizes"
	case both != 0 && c.worst == lockstep:
		return "one warp, and no " + c.words().warpBarrier + " at which both lanes arrived: strong accesses do not race, but only lock step orders them"
	case both != 0:
		return "both are atomic or strong, but scope cta does not include the other block"
	case either != 0:
		return "only one of them is atomic or strong; " + c.missing()
	}
	return c.missing()
}

// missing names the missing barrier, fence or scope that would have ordered two accesses.
func (c *race) missing() string {
	switch {
	case c.blocks && c.narrowFence:
		return "different blocks, and a fence of scope cta: it orders nothing between blocks"
	case c.blocks && c.inShared():
		return "different blocks of a cluster, and no barrier.cluster on either path"
	case c.blocks:
		return "different blocks: a barrier does not order them"
	case c.warps:
		return "no barrier on either path"
	case c.worst == lockstep:
		return "one warp, and no " + c.words().warpBarrier + " at which both lanes arrived: only lock step orders them"
	}
	return "lanes of one warp that execute neither of the two together, and no " + c.words().warpBarrier + " at which both lanes arrived"
}

// advice returns the change that orders the accesses, or makes them harmless. For weak accesses of one block it is a
// barrier, if there is a place for one. Taken are the barriers advised for other races.
func (c *race) advice(taken []Edit) *Advice {
	both := c.first.class & c.second.class & strong
	switch {
	case both != 0 && c.first.class>>sizeShift != c.second.class>>sizeShift:
		return &Advice{Kind: OneSize, text: "access it with one size"}
	case both != 0 && c.worst != lockstep:
		return c.widenScope()
	}
	if c.completesLater() {
		return &Advice{Kind: Redesign, text: c.second.phaseWait(c.first)}
	}
	if a := c.fenceLock(); a != nil {
		return a
	}
	if a := c.makeAtomic(); a != nil {
		return a
	}
	if c.sameInstr {
		return &Advice{Kind: OneWriter, text: "let one lane write, or use an atomic"}
	}
	if a := c.fenceStrongData(); a != nil {
		return a
	}
	if a := c.makeStrong(); a != nil {
		return a
	}
	oneSite := c.first == c.second && c.sameIteration && (c.blocks || c.warps)
	if a := c.addFences(); a != nil && (c.blocks || oneSite) {
		return a
	}
	if oneSite {
		return &Advice{Kind: OneWriter, text: "let one thread write it, or use an atomic: a barrier cannot order an instruction with itself"}
	}
	if c.blocks {
		return &Advice{Kind: MoveBehind, text: c.acrossBlocks()}
	}
	if a := c.barrier(taken); a != nil {
		return a
	}
	if a := c.addFences(); a != nil {
		return a
	}
	return &Advice{Kind: Redesign, text: c.noPlace()}
}

// makeStrong is for a flag or lock, which orders other accesses, with accesses that are not strong on both sides.
func (c *race) makeStrong() *Advice {
	write, read := c.first, c.second
	if write.class&writes == 0 || c.r.polls(write) || read.class&reads == 0 && write.decides {
		write, read = read, write
	}
	if write.class&writes == 0 || read.class&reads == 0 || !read.decides && !c.r.polls(read) {
		return nil
	}
	a := &Advice{Kind: MakeStrong}
	var lines []string
	for _, side := range []struct {
		*site
		order isa.Mod
		name  string
	}{{write, isa.SemRelease, c.words().release}, {read, isa.SemAcquire, c.words().acquire}} {
		if side.class&strong == 0 && side.in().Mods[isa.Vec] == 0 {
			a.Edits = append(a.Edits, side.replaced(side.in().Ordered(side.order)))
			lines = append(lines, fmt.Sprintf("%s in %s", side.name, c.lineOf(side.fn, side.pc)))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	a.text = "a flag is for strong accesses on both sides: " + strings.Join(lines, ", ")
	return a
}

// replaced returns the edit that replaces a site's instruction.
func (s *site) replaced(in isa.Instr) Edit { return Edit{s.fn, s.pc, true, s.fn.TextOf(&in)} }

// polls reports whether a site is a load in a polling loop: its value decides something, and the loop does not change
// its address.
func (r *Races) polls(s *site) bool {
	in := s.in()
	if s.class&reads == 0 || in.Spec.Kind != isa.Load || !r.decisions.result(r.decisions.of(s.fn), in) {
		return false
	}
	code := r.code(s.fn)
	header, ok := code.loopHeader(s.pc, s.pc)
	if !ok {
		return false
	}
	for pc := range s.fn.Code {
		if !code.inLoop(code.fl.BlockOf(header), pc) {
			continue
		}
		in := &s.fn.Code[pc]
		if in.Spec == nil {
			return false
		}
		if writesAny(in, func(reg isa.RegID) bool { return reg == s.in().Args[1].Reg }) {
			return false
		}
	}
	return true
}

// barrierBeside is for a write that releases and a read that acquires. Only a barrier next to them orders what other
// threads of the CTA did before the write, or do after the read.
func (c *race) barrierBeside(write, read int) *Advice {
	code := c.r.code(c.first.fn)
	for _, side := range []struct {
		from, to int
		text     string
	}{{read, c.second.pc, "only the thread that reads the flag is ordered after the release"}, {c.first.pc, write, "the write releases only what its own thread did before"}} {
		if code.big || !code.reaches(side.from, side.to, nowhere) || code.hasBarrier(side.from, side.to) {
			continue
		}
		if pc, ok := code.between(side.from, side.to, code.allOfCTA, code.liveOfCTA); ok {
			e := Edit{c.first.fn, pc, false, ctaBarrier}
			return &Advice{Kind: Barrier, Edits: []Edit{e}, text: fmt.Sprintf("%s %s: %s", c.words().barrier, c.where(&e, code), side.text)}
		}
	}
	return nil
}

// widenScope advises scope gpu for two strong accesses.
func (c *race) widenScope() *Advice {
	a := &Advice{Kind: WidenScope, text: c.words().scope}
	for _, s := range []*site{c.first, c.second} {
		if s.class&wide == 0 {
			wider, mods := *s.in(), *s.in().Mods
			mods[isa.Scope] = isa.ScopeGPU
			wider.Mods = &mods
			a.Edits = append(a.Edits, s.replaced(wider))
		}
		if c.first == c.second {
			break
		}
	}
	return a
}

// barrier finds places where one or two barriers would order the accesses, preferring barriers of taken. Lanes of one
// warp need only a barrier of the warp.
func (c *race) barrier(taken []Edit) *Advice {
	if c.first.fn != c.second.fn {
		return nil
	}
	kind, text := Barrier, ctaBarrier
	code := c.r.code(c.first.fn)
	if code.big {
		return nil
	}
	all, live := code.allOfCTA, code.liveOfCTA
	if !c.warps {
		kind, text, all, live = WarpBarrier, warpBarrier, code.allOfWarp, code.liveOfWarp
	}
	a := &Advice{Kind: kind}
	if !c.warps {
		if e, ok := c.takenBetween(code, taken, true); ok && c.sameIteration && !c.otherIteration {
			if a.Edits = []Edit{e}; e.Text != text {
				a.Kind = Barrier
			}
			a.text = c.barrierText(a, code)
			return a
		}
	}
	one := c.first == c.second
	if c.sameIteration && (one || !code.reaches(c.first.pc, c.second.pc, nowhere)) {
		return nil // no path leads from one to the other in one iteration
	}
	if c.warps && c.sameIteration && code.hasBarrier(c.first.pc, c.second.pc) {
		return &Advice{Kind: Redesign, text: "there is a barrier in between already, but threads that had exited did not arrive at it"}
	}
	if c.sameIteration {
		taken, ok := c.takenBetween(code, taken, false)
		pc := taken.PC
		if !ok {
			pc, ok = code.between(c.first.pc, c.second.pc, all, live)
		}
		switch {
		case ok:
			a.Edits = append(a.Edits, Edit{c.first.fn, pc, false, text})
		case !c.otherIteration: // otherwise a barrier between the iterations may be enough
			return nil
		}
	}
	if header, ok := code.loopHeader(c.first.pc, c.second.pc); c.otherIteration && ok {
		if block := code.fl.BlockOf(header); !all[block] && (!live[block] || code.endsWithout(c.first.pc, header)) {
			return nil
		}
		if len(a.Edits) == 0 || a.Edits[0].PC != header {
			a.Edits = append(a.Edits, Edit{c.first.fn, header, false, text})
		}
	}
	if len(a.Edits) == 0 {
		return nil
	}
	a.text = c.barrierText(a, code)
	return a
}

// takenBetween returns a barrier that is advised for another race and also orders this one. A barrier of a warp
// counts if warp is true.
func (c *race) takenBetween(code *code, taken []Edit, warp bool) (Edit, bool) {
	for _, e := range taken {
		if e.Func == c.first.fn && (warp || e.Text == ctaBarrier) && code.separates(e.PC, c.first.pc, c.second.pc) {
			return e, true
		}
	}
	return Edit{}, false
}

func (c *race) barrierText(a *Advice, code *code) string {
	var where []string
	for i := range a.Edits {
		where = append(where, c.where(&a.Edits[i], code))
	}
	text := strings.Join(where, ", and another ")
	if a.Kind == WarpBarrier {
		return c.words().warpBarrier + " " + text
	}
	return c.words().barrier + " " + text + " (different warps; " + c.words().warpBarrier + " is not enough)"
}

// noPlace returns the advice if a barrier would not help, or has no possible place.
func (c *race) noPlace() string {
	switch {
	case c.r.locks && c.worst != lockstep:
		return "if a lock or flag orders them: a release before it is given, an acquire after it is taken"
	case !c.warps && c.worst == unordered:
		return "a " + c.words().warpBarrier + " between them that both lanes reach; if they are in different arms of a branch, let one lane do both, or use atomics"
	case !c.warps:
		return "a " + c.words().warpBarrier + " between " + c.lines() + ", with the mask of the lanes that reach it"
	}
	if c.first.fn != c.second.fn || !c.first.fn.Entry { // calls are not analysed
		return c.words().barrier + " between " + c.lines() + ", at a place that all threads of the block reach"
	}
	return "a barrier between " + c.lines() + ", but not all threads reach a place there: move one of the accesses to where all threads pass"
}

func (c *race) lines() string {
	from, to := c.first.place().Pos(), c.second.place().Pos()
	switch {
	case from.File != to.File:
		return fmt.Sprintf("%s and %s", from, to)
	case c.first == c.second:
		return fmt.Sprintf("one run of line %d and the next", from.Line)
	case from.Line == to.Line:
		return fmt.Sprintf("the two instructions of line %d", from.Line)
	}
	return fmt.Sprintf("lines %d and %d", min(from.Line, to.Line), max(from.Line, to.Line))
}

// inShared reports whether the accesses are known to be to shared memory.
func (c *race) inShared() bool {
	for _, s := range [...]*site{c.first, c.second} {
		if space := s.in().Mods.MemSpace(); space == isa.Shared || space == isa.SharedCluster {
			return true
		}
	}
	return false
}

// acrossBlocks returns the advice for two blocks that nothing orders.
func (c *race) acrossBlocks() string {
	if c.inShared() {
		return c.words().clusterBarrier + " between them, for all threads of the cluster; " + c.words().relaxed + " orders nothing"
	}
	if (c.first.class|c.second.class)&strong != 0 {
		return "do one of them in another launch; or count the blocks that are done, with " + c.words().fence + " before and after, and let the last block do it: an atomic would only hide that it may happen too early"
	}
	return "do one of them in another launch; or a release at scope gpu after the first, and an acquire before the second"
}

// code returns the analysis of a function, which is made once.
func (r *Races) code(fn *isa.Func) *code {
	if r.codes[fn] == nil {
		r.codes[fn] = codeOf(fn, r.diverged[slices.Index(r.fns, fn)])
	}
	return r.codes[fn]
}

// narrowFence reports whether the first lane of the present access has executed fences, but none with a scope that
// includes other blocks.
func (v *visit) narrowFence() bool {
	if v.w.syncs == nil {
		return false
	}
	fences := &v.w.syncs[firstLane(v.now.lanes)].releaseFences
	return fences[anyFence] != nil && fences[wideFence] == nil
}
