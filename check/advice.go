package check

import (
	"fmt"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/isa"
)

// Advice is what would order the two sides of a race, or make it harmless.
type Advice struct {
	Kind AdviceKind
	// Edits are the changes to the program that follow it; none if it takes more
	// than that.
	Edits []Edit
	text  string
}

// String is the advice in a sentence.
func (a *Advice) String() string { return a.text }

// AdviceKind is what sort of change is advised.
type AdviceKind uint8

const (
	Redesign    AdviceKind = iota // nothing local helps
	Barrier                       // bar.sync, where all threads of the CTA come by
	WarpBarrier                   // bar.warp.sync, where all lanes of the warp come by
	MakeAtomic                    // one atomic in place of a load, arithmetic and a store
	MakeStrong                    // a flag is written or polled by a plain access
	AddFences                     // a flag or lock lacks a fence before or behind
	WidenScope                    // scope gpu
	OneSize                       // strong accesses of one size
	OneWriter                     // several lanes write at once
	MoveBehind                    // behind the launch, or to the block that is last
	NumAdviceKinds
)

// String names the kind.
func (k AdviceKind) String() string {
	return [...]string{"redesign", "barrier", "warp-barrier", "make-atomic", "make-strong", "add-fences", "widen-scope", "one-size", "one-writer", "move-behind"}[k]
}

// The barriers that are advised.
const (
	forCTA  = "bar.sync 0;"
	forWarp = "bar.warp.sync 0xffffffff;"
)

// Edit is a change to the text of a program.
type Edit struct {
	Func    *isa.Func
	PC      int    // of the instruction
	Instead bool   // Text goes in place of the instruction; else before it
	Text    string // may be empty
}

func (e *Edit) line() int32 { return e.Func.Code[e.PC].Pos.Line }

// race is what there is to know of a race when it is reported.
type race struct {
	r             *Races
	first, second *site // in the order of the program, if they have one
	of            *instances
	worst         rank
	evidence
}

// between says why the two accesses are not ordered.
func (c *race) between() string {
	both, either := c.first.class&c.second.class&strong, (c.first.class|c.second.class)&strong
	switch {
	case c.together:
		return "lanes of one instruction: which comes last is not defined"
	case both != 0 && c.first.class>>sizeShift != c.second.class>>sizeShift:
		return "both are atomic or strong, but of different sizes"
	case both != 0:
		return "both are atomic or strong, but scope cta does not include the other block"
	case either != 0:
		return "only one of them is atomic or strong; " + c.missing()
	}
	return c.missing()
}

// missing says what would have ordered two accesses.
func (c *race) missing() string {
	switch {
	case c.blocks && c.narrowFence:
		return "different blocks, and a fence of scope cta: it orders nothing between blocks"
	case c.blocks:
		return "different blocks: a barrier does not order them"
	case c.warps:
		return "no barrier on either path"
	case c.worst == lockstep:
		return "one warp, and no bar.warp.sync at which both lanes arrived: only lock step orders them"
	}
	return "lanes of one warp that had diverged: not even lock step orders them"
}

// advice is what helps: a barrier if there is a place for one, as nothing else makes
// sure that the values are those that are wanted.
func (c *race) advice(taken []Edit) *Advice {
	both := c.first.class & c.second.class & strong
	switch {
	case both != 0 && c.first.class>>sizeShift != c.second.class>>sizeShift:
		return &Advice{Kind: OneSize, text: "access it with one size"}
	case both != 0:
		return c.widenScope()
	}
	if a := c.makeAtomic(); a != nil {
		return a
	}
	if c.together {
		return &Advice{Kind: OneWriter, text: "let one lane write, or use an atomic"}
	}
	if a := c.makeStrong(); a != nil {
		return a
	}
	itself := c.first == c.second && c.sameRound && (c.blocks || c.warps)
	if a := c.addFences(); a != nil && (c.blocks || itself) {
		return a
	}
	if itself {
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

// makeStrong is for a flag or lock that is read and written to order other accesses,
// but not by strong accesses on both sides.
func (c *race) makeStrong() *Advice {
	write, read := c.first, c.second
	if write.class&writes == 0 || c.r.polls(write) {
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
	}{{write, isa.SemRelease, "st.release.gpu"}, {read, isa.SemAcquire, "ld.acquire.gpu"}} {
		if side.class&strong == 0 && side.in().Mods[isa.Vec] == 0 {
			a.Edits = append(a.Edits, side.replaced(side.in().Ordered(side.order)))
			lines = append(lines, fmt.Sprintf("%s in line %d", side.name, side.in().Pos.Line))
		}
	}
	if len(lines) == 0 {
		return nil
	}
	a.text = "a flag is for strong accesses on both sides: " + strings.Join(lines, ", ")
	return a
}

// replaced is the change of a site's instruction to another.
func (s *site) replaced(in isa.Instr) Edit { return Edit{s.fn, s.pc, true, s.fn.TextOf(&in)} }

// polls reports whether a site reads one place again and again to decide by it: what
// it reads decides something, and its address stays as it is in the loop.
func (r *Races) polls(s *site) bool {
	in := s.in()
	if s.class&reads == 0 || in.Spec.Kind != isa.Load || !r.decisions.result(r.decisions.of(s.fn), in) {
		return false
	}
	code := r.code(s.fn)
	head, ok := code.head(s.pc, s.pc)
	if !ok {
		return false
	}
	for pc := range s.fn.Code {
		if !code.inLoop(code.fl.BlockOf(head), pc) {
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

// addFences is for two accesses that a flag, a lock or a counter is to order: before
// the nearest strong write behind the first there has to be a fence, and behind the
// nearest strong read before the second by which threads decide.
func (c *race) addFences() *Advice {
	if c.first.fn != c.second.fn || (c.first.class|c.second.class)&strong != 0 {
		return nil
	}
	fn, base := c.first.fn, int(c.first.index)-c.first.pc
	give, take := -1, -1
	for pc := c.first.pc + 1; pc < len(fn.Code) && give < 0; pc++ {
		if c.r.byIndex[base+pc].class&(strong|writes) == strong|writes {
			give = pc
		}
	}
	for pc := c.second.pc - 1; pc >= 0 && take < 0; pc-- {
		if c.r.byIndex[base+pc].decides {
			take = pc
		}
	}
	if give < 0 || take < 0 || take+1 == len(fn.Code) {
		return nil
	}
	const fence = "membar.gl;"
	a := &Advice{Kind: AddFences}
	before, behind := c.r.byIndex[base+give-1], c.r.byIndex[base+take+1]
	if !(before.releases && before.class&wide != 0 || c.r.byIndex[base+give].releases) {
		a.Edits = append(a.Edits, Edit{fn, give, false, fence})
	}
	if !(behind.acquires && behind.class&wide != 0 || c.r.byIndex[base+take].acquires) {
		a.Edits = append(a.Edits, Edit{fn, take + 1, false, fence})
	}
	if len(a.Edits) == 0 {
		return c.passOn(give, take)
	}
	a.text = fmt.Sprintf("membar.gl before line %d, which tells others, and behind line %d, which finds out: both sides need one", fn.Code[give].Pos.Line, fn.Code[take].Pos.Line)
	return a
}

// passOn is for a message that threads give and take as they should: what other threads of
// their CTA did before is not part of it, nor what they do then, without a barrier.
func (c *race) passOn(give, take int) *Advice {
	code := c.r.code(c.first.fn)
	for _, side := range []struct {
		from, to int
		text     string
	}{{take, c.second.pc, "only the thread that finds out knows"}, {c.first.pc, give, "only what the thread itself has done is told"}} {
		if code.big || !code.reaches(side.from, side.to, nowhere) || code.hasBarrier(side.from, side.to) {
			continue
		}
		if pc, ok := code.between(side.from, side.to, code.forCTA, code.leftOfCTA); ok {
			e := Edit{c.first.fn, pc, false, forCTA}
			return &Advice{Kind: Barrier, Edits: []Edit{e}, text: fmt.Sprintf("bar.sync before line %d: %s", e.line(), side.text)}
		}
	}
	return nil
}

// widenScope makes two strong accesses those of scope gpu.
func (c *race) widenScope() *Advice {
	a := &Advice{Kind: WidenScope, text: "scope gpu on both"}
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

// barrier finds where one or two barriers would order the accesses, those of taken
// before others. Lanes of one warp need one for the warp only.
func (c *race) barrier(taken []Edit) *Advice {
	if c.first.fn != c.second.fn {
		return nil
	}
	kind, text := Barrier, forCTA
	code := c.r.code(c.first.fn)
	if code.big {
		return nil
	}
	all, left := code.forCTA, code.leftOfCTA
	if !c.warps {
		kind, text, all, left = WarpBarrier, forWarp, code.forWarp, code.leftOfWarp
	}
	a := &Advice{Kind: kind}
	if !c.warps {
		if e, ok := c.takenBetween(code, taken, true); ok && c.sameRound && !c.otherRound {
			if a.Edits = []Edit{e}; e.Text != text {
				a.Kind = Barrier
			}
			a.text = c.barrierText(a, code)
			return a
		}
	}
	one := c.first == c.second
	if c.sameRound && (one || !code.reaches(c.first.pc, c.second.pc, nowhere)) {
		return nil // no way leads from one to the other in one round
	}
	if c.warps && c.sameRound && code.hasBarrier(c.first.pc, c.second.pc) {
		return &Advice{Kind: Redesign, text: "a barrier is in between already: threads that have exited before did not arrive"}
	}
	if c.sameRound {
		taken, ok := c.takenBetween(code, taken, false)
		pc := taken.PC
		if !ok {
			pc, ok = code.between(c.first.pc, c.second.pc, all, left)
		}
		switch {
		case ok:
			a.Edits = append(a.Edits, Edit{c.first.fn, pc, false, text})
		case !c.otherRound: // one between the rounds may be it
			return nil
		}
	}
	if head, ok := code.head(c.first.pc, c.second.pc); c.otherRound && ok {
		if block := code.fl.BlockOf(head); !all[block] && (!left[block] || code.endsWithout(c.first.pc, head)) {
			return nil
		}
		if len(a.Edits) == 0 || a.Edits[0].PC != head {
			a.Edits = append(a.Edits, Edit{c.first.fn, head, false, text})
		}
	}
	if len(a.Edits) == 0 {
		return nil
	}
	a.text = c.barrierText(a, code)
	return a
}

// takenBetween is a barrier that is advised for another race, and that will do for this
// one; one for the warp only if that may be.
func (c *race) takenBetween(code *code, taken []Edit, forWarp bool) (Edit, bool) {
	for _, e := range taken {
		if e.Func == c.first.fn && (forWarp || e.Text == forCTA) && code.separates(e.PC, c.first.pc, c.second.pc) {
			return e, true
		}
	}
	return Edit{}, false
}

func (c *race) barrierText(a *Advice, code *code) string {
	head, _ := code.head(c.first.pc, c.second.pc)
	var where []string
	for _, e := range a.Edits {
		if c.otherRound && e.PC == head {
			where = append(where, fmt.Sprintf("at the head of the loop, before line %d", e.line()))
		} else {
			where = append(where, fmt.Sprintf("before line %d", e.line()))
		}
	}
	text := strings.Join(where, ", and another ")
	if a.Kind == WarpBarrier {
		return "bar.warp.sync " + text
	}
	return "bar.sync " + text + " (different warps; bar.warp.sync is not enough)"
}

// noPlace says what to do where a barrier would not help, or has no place.
func (c *race) noPlace() string {
	switch {
	case c.r.locks:
		return "if a lock or flag orders them: a release before it is given, an acquire behind where it is taken"
	case !c.warps && c.worst == unordered:
		return "a bar.warp.sync that both come to in between; arms of one branch have none: let one lane do both, or use atomics"
	case !c.warps:
		return "a bar.warp.sync between " + c.lines() + ", with the mask of the lanes that come there"
	}
	return "a barrier between " + c.lines() + ", but not all threads come by there: move one of them to where they do"
}

func (c *race) lines() string {
	from, to := c.first.in().Pos, c.second.in().Pos
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

// acrossBlocks says what to do about two blocks that nothing orders.
func (c *race) acrossBlocks() string {
	if (c.first.class|c.second.class)&strong != 0 {
		return "do one of them in another launch; or count the blocks that are done, with membar.gl before and behind, and let the last do it: to make it atomic would only hide that it may come too early"
	}
	return "do one of them in another launch; or a release at scope gpu after the first, and an acquire before the second"
}

// makeAtomic is for a load, an operation on its value and a store to the same place,
// which several threads go through: one atomic does it.
func (c *race) makeAtomic() *Advice {
	load, store := c.first, c.second
	if load.class&writes != 0 {
		load, store = store, load
	}
	if load == store { // the stores
		if load = c.r.loadBefore(store); load == nil {
			return nil
		}
	}
	if store.class&(writes|reads|strong) != writes || load.class&(writes|strong) != 0 {
		return nil
	}
	both := pair{store.index, store.index}
	if g := c.r.groups[both]; g == nil && load != c.first && load != c.second || c.r.groups[both] == nil {
		return nil
	}
	text, op := c.atomicFor(load, store)
	if text == "" {
		return nil
	}
	fn := load.fn
	return &Advice{Kind: MakeAtomic, Edits: []Edit{{fn, load.pc, true, ""}, {fn, op, true, ""}, {fn, store.pc, true, text}},
		text: fmt.Sprintf("%s in place of the load in line %d and the store in line %d: other threads may come in between", text, load.in().Pos.Line, store.in().Pos.Line)}
}

// loadBefore is the nearest load before a store of one block that reads the same
// place.
func (r *Races) loadBefore(store *site) *site {
	fl := r.code(store.fn).fl
	for pc := store.pc - 1; pc >= fl.Blocks()[fl.BlockOf(store.pc)].Start; pc-- {
		s := r.byIndex[int(store.index)-store.pc+pc]
		if in := s.in(); s.class&(reads|writes) == reads && in.Spec.Kind == isa.Load && sameAddress(&in.Args[1], &store.in().Args[0]) {
			return s
		}
	}
	return nil
}

func sameAddress(a, b *isa.Operand) bool {
	return a.Kind == isa.AddrOperand && b.Kind == isa.AddrOperand && a.Reg == b.Reg && a.Bits == b.Bits && a.Sym == b.Sym
}

// atomicFor is an atomic that does the same as a load, one instruction behind it and
// a store, and the PC of that instruction; "" if there is none. What is loaded or
// computed must not be used besides.
func (c *race) atomicFor(load, store *site) (text string, op int) {
	l, s := load.in(), store.in()
	if load.fn != store.fn || load.pc >= store.pc || l.Spec.Kind != isa.Load || l.Guard != s.Guard || l.GuardNot != s.GuardNot ||
		!sameAddress(&l.Args[1], &s.Args[0]) || l.Args[0].Kind != isa.RegOperand || s.Args[1].Kind != isa.RegOperand {
		return "", 0
	}
	old, sum := l.Args[0].Reg, s.Args[1].Reg
	op = -1
	for pc := load.pc + 1; pc < store.pc; pc++ {
		in := &load.fn.Code[pc]
		if in.Spec != nil && len(in.Args) == 3 && in.Args[0].Kind == isa.RegOperand && in.Args[0].Reg == sum && (isReg(&in.Args[1], old) || isReg(&in.Args[2], old)) {
			op = pc
		}
	}
	if op < 0 || uses(load.fn, old, []int{load.pc, op}) || uses(load.fn, sum, []int{load.pc, op, store.pc}) {
		return "", 0
	}
	in := &load.fn.Code[op]
	red := in.Reduction(l.Mods.MemSpace())
	other := in.Args[2]
	if isReg(&in.Args[2], old) {
		other = in.Args[1]
	}
	if red == "" || !c.r.unchanged(load, store, op, &other) {
		return "", 0
	}
	if isReg(&other, old) || l.Types[0].Bits() < 32 || in.Types[0].Bits() != l.Types[0].Bits() || l.Mods.VecLen() > 1 {
		return "", 0
	}
	return fmt.Sprintf("%s%s %s, %s;", load.fn.GuardText(s), red, load.fn.OperandText(&s.Args[0]), load.fn.OperandText(&other)), op
}

// unchanged reports whether a load, an operation and a store of one block have the same
// address and the same other operand, which no instruction between them changes.
func (r *Races) unchanged(load, store *site, op int, other *isa.Operand) bool {
	fl := r.code(load.fn).fl
	if fl.BlockOf(load.pc) != fl.BlockOf(store.pc) {
		return false
	}
	address := store.in().Args[0].Reg
	for pc := load.pc; pc < store.pc; pc++ {
		in := &load.fn.Code[pc]
		if in.Spec == nil || in.Spec.Kind == isa.CallKind || in.Spec.Kind == isa.Barrier {
			return false
		}
		if writesAny(in, func(reg isa.RegID) bool {
			return reg == address || pc > op && isReg(other, reg) || reg == store.in().Guard
		}) {
			return false
		}
	}
	return true
}

func isReg(a *isa.Operand, r isa.RegID) bool { return a.Kind == isa.RegOperand && a.Reg == r }

// uses reports whether a register is used by other instructions than those given.
func uses(fn *isa.Func, reg isa.RegID, but []int) bool {
	for pc := range fn.Code {
		in := &fn.Code[pc]
		if slices.Contains(but, pc) {
			continue
		}
		if in.Spec == nil {
			return true
		}
		for ref := range in.Refs {
			if ref.Reg == reg {
				return true
			}
		}
	}
	return false
}

// code is what there is to know of a function.
func (r *Races) code(fn *isa.Func) *code {
	if r.codes[fn] == nil {
		r.codes[fn] = codeOf(fn, r.parted[slices.Index(r.fns, fn)])
	}
	return r.codes[fn]
}

// narrowFence reports whether the present lane has executed a fence, but none
// that is of use to other blocks.
func (v *visit) narrowFence() bool {
	if v.w.syncs == nil {
		return false
	}
	fences := &v.w.syncs[firstLane(v.now.lanes)].fences
	return fences[anyFence] != nil && fences[wideFence] == nil
}
