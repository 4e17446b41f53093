package native

import (
	"fmt"
	"math"
	"slices"
	"unsafe"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// Func is a function as machine code, for warps all of whose lanes execute, and with the rest (see Compiler.Rest) for others, too. It does not change:
// the same function with the rest is another Func, in which all addresses of the first are what they were.
type Func struct {
	code *jit.Code
	// By PC: where code can be entered by full warps, and by any; -1 where it cannot. Some is nil without the rest.
	full, some []int32
	stops      []bool // by PC: code looks whether a path ends there
	exits      []Exit
	until      []int32
	turns      int // offset of code; see Turns
	starts     int // likewise; see Starts
	bytes      int
	resume     int // where code goes on that has come back by jit.AskExit
	links      links
	whole      bool      // the rest is there
	sides      []uintptr // see Sides
}

// Why is why code has come back.
type Why uint8

const (
	AtStop   Why = iota // the path is at its end
	AtOp                // the path is at an instruction that code does not execute
	Branched            // the budget was used up behind a branch
)

// Exit is where and why code comes back.
type Exit struct {
	Why Why
	PC  int // where the path is
	// Diverges says that lanes diverge there, as the rest of the code would have them do.
	Diverges bool
	First    int // PC of the first instruction that the budget does not count yet
	Branch   int // PC of the branch, if Branched
	// Until is up to where lane functions are to execute before code can be entered again, if AtOp.
	Until int
}

// Whole reports whether the rest of the function's code is there.
func (f *Func) Whole() bool { return f.whole }

// Sides is for jit.Context.Sides. It is nil without the rest.
func (f *Func) Sides() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(f.sides)) }

// Entry is the address of the code for a PC, for all lanes of a warp or only some, or 0.
func (f *Func) Entry(pc int, all bool) uintptr {
	table := f.some
	if all {
		table = f.full
	}
	if table == nil || table[pc] < 0 {
		return 0
	}
	return f.code.Addr(int(table[pc]))
}

// Turns is the address of the code in which the warps of a CTA take turns; see jit.Turn.
func (f *Func) Turns() uintptr { return f.code.Addr(f.turns) }

// Starts is the address of the code in which CTAs start whose warps take turns; see jit.Starts.
func (f *Func) Starts() uintptr { return f.code.Addr(f.starts) }

// Stops reports whether a path may end at pc.
func (f *Func) Stops(pc int) bool { return pc < 0 || f.stops[pc] }

// Until is up to where lane functions are to execute from pc on, where code cannot be entered.
func (f *Func) Until(pc int) int {
	if f.until[pc] > int32(pc) {
		return int(f.until[pc])
	}
	return pc + 1
}

// Exit is the exit of that number.
func (f *Func) Exit(n uint32) *Exit { return &f.exits[n] }

// Resume is the address by which code is entered again that has come back by jit.AskExit.
func (f *Func) Resume() uintptr { return f.code.Addr(f.resume) }

// Bytes is the size of the code.
func (f *Func) Bytes() int { return f.bytes }

// Limits of the functions that are compiled. Code takes some 200 bytes an instruction, analysis 8 bytes for every slot in
// every block, and slots have numbers of 16 bits.
const (
	mostSteps   = 1 << 17
	mostClasses = 1 << 22
	mostSlots   = math.MaxInt16
)

// codeBytes and restBytes are how many bytes of code, and of the rest, an instruction of PTX comes to, as a rule; routineBytes what
// a function has beside; and mostRest bounds the rest, as a multiple of the code.
const (
	codeBytes    = 192
	restBytes    = 288
	routineBytes = 3 << 10
	mostRest     = 8
)

// Compiler makes machine code of functions. The zero Compiler is ready; it keeps its memory for the
// next function.
type Compiler struct {
	compiler
	Before func(s Subject, rest bool) // called before each compilation; nil except in tests, where it panics
}

// Subject is a function of a program that is to be compiled.
type Subject struct {
	Program *program.Program
	Func    *program.Func
	Shape   Shape
	Level   jit.Level           // not jit.None
	Notes   bool                // code records its accesses (see jit.Note)
	Leave   *program.Contention // accesses that code leaves to the engine
}

// Compile makes machine code of a function, without the rest. The error is a *Refusal if the function is too long or
// the compiler panics. Other errors say that the system has no memory for code, or that a displacement does not fit.
func (c *Compiler) Compile(s Subject) (f *Func, err error) {
	defer c.recovered(s, &f, &err)
	if c.Before != nil {
		c.Before(s, false)
	}
	if err := c.analyse(s); err != nil {
		return nil, err
	}
	return c.function()
}

// analyse computes the facts on which all code of a function depends, unless the compiler's last function was the same.
// The error is a *Refusal if the function is too long.
func (c *compiler) analyse(s Subject) error {
	f := s.Func
	if c.subject == s {
		return nil
	}
	c.subject = Subject{}
	if n := len(f.Src.Code); n > mostSteps {
		return s.refuse("it has %d instructions, and at most %d are compiled", n, mostSteps)
	}
	c.s.find(f, s.Shape)
	if registers := len(c.s.all); registers > mostSlots {
		return s.refuse("it has %d registers, and at most %d are compiled", registers, mostSlots)
	}
	if registers, blocks := len(c.s.all), len(f.Graph.Blocks()); registers*blocks > mostClasses {
		return s.refuse("it has %d registers in %d basic blocks, and a product of at most %d is compiled", registers, blocks, mostClasses)
	}
	c.subject, c.p, c.f, c.notes, c.e.Level = s, s.Program, f, s.Notes, s.Level
	c.steps = zeroed(c.steps, len(f.Ops))
	findSteps(c.steps, f, &c.s)
	leaveAt(c.steps, s.Leave.Of(f))
	c.live.find(f, &c.s)
	c.findRamps()
	c.full.classes.find(&c.live, c.steps, false, nil, c.merges())
	c.forget()
	c.findSides(&c.full, false)
	c.foundRest = false
	return nil
}

// begin begins code of the function, for which there is to be room for so many bytes.
func (c *compiler) begin(bytes int) {
	c.e.Reset()
	c.e.Grow(bytes + routineBytes)
	c.controlNow = jit.Nearest
	c.entries = c.entries[:0]
	c.forget()
	c.none = c.e.NewLabel()
}

// forget has the compiler be nowhere in the function.
func (c *compiler) forget() {
	if c.g.e == nil {
		c.g.e, c.e.NewTemp = &c.e, c.g.temp
		c.run.steps, c.run.areas = make([]runStep, 0, maxSteps), make([]area, 0, maxSteps)
	}
	c.current = zeroed(c.current, len(c.s.all))
	c.heldOf = zeroed(c.heldOf, len(c.s.all))
	c.g.slots = c.heldOf
	c.now = zeroed(c.now, len(c.s.all))
}

// isShort reports whether a loop was short of registers: then the code is to be made anew, with loops that hold nothing.
func (c *compiler) isShort() bool {
	c.crowded, c.g.short = c.g.short, false
	return c.crowded
}

// function makes machine code of the function, without the rest.
func (c *compiler) function() (*Func, error) {
	code, err := c.functionCode()
	if err != nil {
		return nil, err
	}
	c.out.code, err = jit.NewCode(code, mostRest*len(code)+4*routineBytes)
	return c.out, err
}

// functionCode writes the code of the function, without the rest. It is valid until the compiler writes more.
func (c *compiler) functionCode() ([]byte, error) {
	f := c.f
	c.out = &Func{full: noEntries(len(f.Ops)), stops: make([]bool, len(f.Ops)), exits: c.exits[:0]}
	c.findStops()
	c.begin(codeBytes * len(f.Ops))
	c.newLabels(&c.full)
	c.expand, c.notEntered, c.turns = c.e.NewLabel(), c.e.NewLabel(), c.e.NewTurnLabels()
	c.full.enter, c.full.exit = c.e.NewLabel(), c.e.NewLabel()
	c.ask, c.resume = c.e.NewLabel(), c.e.NewLabel()
	c.write(&c.full, false)
	if c.isShort() {
		if c.trace != nil {
			*c.trace = trace{}
		}
		return c.functionCode()
	}
	c.mark(noPC, "routines")
	c.e.EnterRoutine(c.full.enter, false)
	c.e.ExitRoutine(c.full.exit, false)
	c.e.ExpandRoutine(c.expand)
	c.e.NotEntered(c.notEntered)
	starts := c.e.NewLabel()
	c.e.TurnRoutine(c.turns, slices.ContainsFunc(c.steps, func(st step) bool { return st.own != jit.NotOwn }))
	c.e.StartRoutine(starts, c.turns, startsOf(f.Layout))
	if c.notes {
		c.e.AskRoutine(c.ask)
		c.e.ResumeRoutine(c.resume)
	}
	code, err := c.finishCode(0)
	if err != nil {
		return nil, err
	}
	c.out.turns, c.out.starts = c.e.Offset(c.turns.Begin), c.e.Offset(starts)
	if c.notes {
		c.out.resume = c.e.Offset(c.resume)
	}
	c.out.links = c.newLinks()
	c.out.findUntil(f)
	return code, nil
}

// finishCode is the code that was written since begin, which is to be at an offset of the function's.
func (c *compiler) finishCode(base int) ([]byte, error) {
	c.markData("a table of no scalars")
	c.e.Scalars(c.none, nil)
	c.mark(noPC, "seldom executed")
	c.e.Cold()
	c.markData("constants")
	c.e.Pool()
	code, err := c.e.Bytes()
	if err != nil {
		return nil, fmt.Errorf("compiling %s: %w", c.f.Src.Name, err)
	}
	for _, n := range c.entries {
		table := c.out.full
		if n.masked {
			table = c.out.some
		}
		table[n.pc] = int32(base + c.e.Offset(n.at))
	}
	c.exits, c.out.exits = c.out.exits, slices.Clone(c.out.exits)
	c.out.bytes += len(code)
	return code, nil
}

// startsOf is what code has to write where a CTA starts that is not the first.
func startsOf(l *program.Layout) *jit.Starts {
	s := &jit.Starts{Carry: l.Carry}
	for k := range s.CTA {
		s.CTA[k], _ = l.LookupSpecial(isa.CtaidX + isa.Special(k))
	}
	return s
}

// findUntil finds the next entry, or start of a block, behind each PC.
func (f *Func) findUntil(of *program.Func) {
	n := len(f.full)
	f.until = make([]int32, n)
	next := int32(n)
	starts := make([]bool, n+1)
	for _, b := range of.Graph.Blocks() {
		starts[b.Start] = true
	}
	for pc := n - 1; pc >= 0; pc-- {
		f.until[pc] = next
		if f.full[pc] >= 0 || starts[pc] {
			next = int32(pc)
		}
	}
}

// zeroed is n zeros, in the memory of s if there is enough.
func zeroed[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, 2*cap(s)))
	}
	s = s[:n]
	clear(s)
	return s
}

func noEntries(n int) []int32 {
	all := make([]int32, n)
	for i := range all {
		all[i] = -1
	}
	return all
}

// compiler compiles one function, in three versions: for warps with all lanes active, for lanes that have diverged in
// code, and for any active mask.
type compiler struct {
	analysis
	writing
	routines
	*version          // that is written
	masked            bool
	full, apart, some version
	place
	looping
}

// analysis is what all code of a function depends on.
type analysis struct {
	subject   Subject // that was analysed last
	foundRest bool    // classes of the rest, too
	p         *program.Program
	f         *program.Func
	notes     bool // code notes what it accesses
	s         slots
	steps     []step
	live      liveness
	ramps     []jit.Scalar // in slots that never change and have homes
	inApart   []bool       // by block: it has code for lanes that have diverged
	apartAt   []*apart     // by block: where lanes may be that diverge at its end; nil if they do not in code
}

// writing is the code that has been written.
type writing struct {
	out     *Func
	e       jit.Emit
	stubs   []stub
	enters  []jit.Entry // memory for those of stubs
	entries []entry
	exits   []Exit // memory for those of out
	tables  []table
	listed  []jit.Scalar // of the tables
	none    jit.Label    // a table of no scalars
	trace   *trace       // for a Listing; nil for code that is executed
}

// routines are called by code of the versions.
type routines struct {
	expand, notEntered       jit.Label // of all versions
	turns                    *jit.TurnLabels
	ask, resume              jit.Label // of all versions, if notes
	diverge, arrive, setMask jit.Label // of the rest
}

// place is where in the function the compiler is, and what holds there.
type place struct {
	now        []class // by slot
	before     []class // memory for keep
	alive      alive   // in the block
	run        run
	sideSteps  []step    // what the steps of a side are while they are changed
	current    []valueID // by slot: its value at this step of the run
	kept       []*area   // of the run, whose pointers are in registers
	g          registers
	operands   jit.Operands // of the step that is emitted
	branchReg  int          // index of the general register with what the run has collected for the branch at its end, or -1
	branchQuad bool         // that has a bit for each strip, not for each lane
	controlNow jit.Control  // what code has set
}

// looping is the loops of the version, with what they hold in registers.
type looping struct {
	loops   []*loop
	loopOf  []*loop // by block
	loop    *loop   // that the compiler is in
	heldOf  []*held // by slot: how that holds it
	uses    []uses  // of slots, by a loop
	useOf   []int32 // by slot: 1 more than its index there
	crowded bool    // loops are to hold nothing in registers
}

// version is the code for warps all of whose lanes execute; for lanes of such a warp that have diverged in code, up to where they are
// together again; or for any.
type version struct {
	classes     classes
	blocks      []jit.Label // by block
	bodies      []jit.Label // by block: behind the look whether the path ends there
	sides       []bool      // by block: a side of the branch at its end is executed as a run
	enter, exit jit.Label   // routines
}

// entry is where code can be entered.
type entry struct {
	pc     int
	masked bool
	at     jit.Label
}

// stub is code that is seldom executed, and is written behind the rest.
type stub struct {
	at    jit.Label
	write func() // nil for one of the two that are most
	exit  exitStub
	entry *jit.Entry // nil for an exit
}

// exitStub comes back with an exit, of that number, behind scalars that are written to their slots.
type exitStub struct {
	routine, scalars jit.Label
	number           int
}

// table is a table of scalars in the code.
type table struct {
	all []jit.Scalar
	at  jit.Label
}

// findStops finds where the path of a split may end but for behind what code leaves to the engine: at
// the reconvergence PCs of blocks.
func (c *compiler) findStops() {
	for _, b := range c.f.Graph.Blocks() {
		if rpc := c.f.Graph.Reconvergence(b.Start); rpc != flow.None && len(b.Succ) > 1 { // else no lanes diverge
			c.out.stops[rpc] = true
		}
	}
}

func (c *compiler) newLabels(v *version) {
	v.blocks, v.bodies = v.blocks[:0], v.bodies[:0]
	for range c.f.Graph.Blocks() {
		v.blocks, v.bodies = append(v.blocks, c.e.NewLabel()), append(v.bodies, c.e.NewLabel())
	}
}

// write writes the code of one version.
func (c *compiler) write(v *version, masked bool) {
	c.version, c.masked = v, masked
	c.findLoops()
	c.traceLoops()
	for b := range c.f.Graph.Blocks() {
		l := c.loopOf[b]
		switch {
		case l != nil:
			if b == slices.Min(l.blocks) {
				c.writeLoop(l)
			}
		case v == &c.apart && !c.inApart[b]:
			c.behindApart(b)
		case c.f.Graph.Region(b) != flow.None:
			c.block(b)
		default:
			c.e.Bind(c.blocks[b])
			c.e.Bind(c.bodies[b])
		}
	}
	c.flush()
}

// flush writes what is seldom executed behind the code of a version, and its tables.
func (c *compiler) flush() {
	for i := 0; i < len(c.stubs); i++ {
		s := c.stubs[i] // writing it may append others
		c.e.Bind(s.at)  // which may take back the jump before it
		c.markStub(&s)
		switch {
		case s.write != nil:
			s.write()
		case s.entry != nil:
			c.e.Enter(s.entry)
		default:
			c.e.Exit(s.exit.routine, s.exit.scalars, s.exit.number)
		}
	}
	c.stubs, c.before, c.enters = c.stubs[:0], c.before[:0], c.enters[:0]
	c.e.Align(16)
	c.markData("tables of scalars")
	for _, t := range c.tables {
		c.e.Scalars(t.at, t.all)
	}
	c.tables, c.listed = c.tables[:0], c.listed[:0]
}

// later has code written behind the rest.
func (c *compiler) later(write func()) jit.Label {
	l := c.e.NewLabel()
	c.stubs = append(c.stubs, stub{at: l, write: write})
	return l
}

// exitLater has an exit written behind the rest, by a routine of a version.
func (c *compiler) exitLater(routine, scalars jit.Label, number int) jit.Label {
	l := c.e.NewLabel()
	c.stubs = append(c.stubs, stub{at: l, exit: exitStub{routine, scalars, number}})
	return l
}

// keep is a copy of classes for what is written behind the rest.
func (c *compiler) keep(now []class) []class {
	start := len(c.before)
	c.before = append(c.before, now...)
	return slices.Clip(c.before[start:])
}

// kind is what code does with the instruction at pc. Where some lanes do not execute, no turn ends.
func (c *compiler) kind(pc int) stepKind {
	st := &c.steps[pc]
	if c.version == &c.apart && (st.kind == stepBarrier || st.kind == stepEnd) {
		return stepLeave
	}
	return st.kind
}

// block writes the code of a block.
func (c *compiler) block(b int) {
	start := c.f.Graph.Blocks()[b].Start
	c.e.Bind(c.blocks[b])
	if c.out.stops[start] {
		c.e.ExitAtStop(start, c.stopExit(start))
	}
	c.e.Bind(c.bodies[b])
	c.blockBody(b)
}

// stopExit is where code goes at pc, the start of a block, if the path ends there.
func (c *compiler) stopExit(pc int) jit.Label {
	exit := c.atStop(pc)
	if !c.masked {
		return exit
	}
	return c.later(func() { c.e.Arrive(c.arrive, exit) }) // lanes that have diverged in code may arrive
}

// blockBody writes what a block executes.
func (c *compiler) blockBody(b int) {
	block := c.f.Graph.Blocks()[b]
	end := min(block.End, len(c.steps)-1)
	copy(c.now, c.classes.in[b])
	c.alive.find(&c.live, b)
	c.branchReg = -1
	pc := block.Start
	for pc < end {
		switch c.kind(pc) {
		default:
			pc = c.writeRun(b, pc, end)
		case stepJump:
			if pc == block.Start || !c.kind(pc-1).leaves() {
				c.mark(pc, "branch")
				c.jump(b, pc)
			}
			return
		case stepVote:
			c.mark(pc, "vote")
			c.voteAt(b, pc)
			c.classes.step(c.now, &c.live, pc, c.masked)
			c.branchReg = -1
			pc++
		case stepBarrier, stepEnd:
			c.mark(pc, "end of a time slice")
			c.endTurn(b, pc)
			pc++
		case stepLeave:
			until := pc + 1
			for until < end && c.kind(until) == stepLeave {
				until++
			}
			c.mark(pc, "left to the engine")
			c.leaveAt(b, pc, until)
			if c.version == &c.apart {
				return // nothing enters it
			}
			for ; pc < until; pc++ {
				c.classes.step(c.now, &c.live, pc, c.masked)
			}
		}
	}
	if block.End > len(c.steps)-1 || len(block.Succ) == 0 { // the end of the code
		if end == block.Start || !c.kind(end-1).leaves() {
			c.leaveAt(b, end, end)
		}
		return
	}
	if pc > block.Start && c.kind(pc-1).leaves() {
		return // the engine goes on
	}
	c.e.Count(block.End - block.Start)
	if c.loopOf[b] == nil && c.loopOf[b+1] == nil {
		c.edge(c.now, b+1)
		return
	}
	c.e.Jmp(c.wayTo(c.loop, c.now, block.End))
}

// wayTo is where code of a loop, or of none, goes on at pc, the start of a block.
func (c *compiler) wayTo(l *loop, now []class, pc int) jit.Label {
	if b := c.f.Graph.BlockOf(pc); l != nil && c.loopOf[b] == l {
		return l.inside[slices.Index(l.blocks, b)]
	}
	return c.storing(l, c.liveAt(pc), c.edgeTo(now, pc))
}

// atStop is an exit at pc, where a path ends.
func (c *compiler) atStop(pc int) jit.Label {
	return c.exitAt(Exit{Why: AtStop, PC: pc, First: pc}, pc, c.classes.in[c.f.Graph.BlockOf(pc)])
}

// voteAt writes the vote at pc. Code is left there if lanes would have to be waited for.
func (c *compiler) voteAt(b, pc int) {
	st := &c.steps[pc]
	c.run.values = c.run.values[:0]
	c.g.begin(&c.run, true)
	if st.meets {
		in := class{}
		if st.membersIn != noSlot {
			in = c.now[st.membersIn]
		}
		c.checkMembers(st, in, c.exitAt(Exit{Why: AtOp, PC: pc, First: c.f.Graph.Blocks()[b].Start, Until: pc + 1}, pc, c.now))
	}
	c.e.Vote(st.vote, st.op.D, st.op.A&^1, st.op.A&1 != 0, c.masked)
}

// checkMembers goes to fail unless those who execute a step are those who are to, which a slot of class k says unless it is known.
func (c *compiler) checkMembers(st *step, k class, fail jit.Label) {
	if !c.masked && st.members.Known && st.members.Mask == lanes.AllLanes {
		return
	}
	if k.kind == scalar && !c.s.all[st.membersIn].fixed && c.version != &c.some { // the slot may not have it
		c.e.Expand(c.expand, c.tableOf([]jit.Scalar{c.scalarAt(st.membersIn, k)}))
	}
	c.e.CheckMembers(&st.members, c.masked, fail)
}

// leaveAt writes an exit at pc, where lane functions or the engine are to execute up to until.
func (c *compiler) leaveAt(b, pc, until int) {
	l := c.exitAt(Exit{Why: AtOp, PC: pc, First: c.f.Graph.Blocks()[b].Start, Until: until}, pc, c.now)
	c.e.Jmp(l)
}

// endTurn writes the end of a warp's turn: at a barrier at pc, or where it ends.
func (c *compiler) endTurn(b, pc int) {
	block := c.f.Graph.Blocks()[b]
	t := jit.TurnEnd{Event: jit.EventEnded, Count: pc + 1 - block.Start, Masked: c.masked,
		Exit: c.exitAt(Exit{Why: AtOp, PC: pc, First: block.Start, Until: pc + 1}, pc, c.now)}
	if c.steps[pc].kind == stepEnd {
		c.e.EndTurn(c.turns, &t)
		return
	}
	t.Event, t.Resume, t.Number = jit.EventBarrier(int(c.steps[pc].info.Barrier)), c.e.NewLabel(), len(c.out.exits)
	leave := c.exitAt(Exit{Why: AtOp, PC: pc + 1, First: pc + 1, Until: pc + 1}, pc+1, c.now)
	t.Leave = c.later(func() { c.e.LeaveTurn(leave) })
	c.e.EndTurn(c.turns, &t)
	c.e.Bind(t.Resume)
	c.e.ResumeTurn(t.Count, c.masked)
	c.branchReg = -1
	if pc+1 < block.End && !c.kind(pc+1).isStraight() { // a run has an entry anyway
		body := c.e.NewLabel()
		c.e.Bind(body)
		c.addEntry(b, pc+1, body)
	}
}

// exitAt is an exit, where the slots that are live at pc have the classes of now.
func (c *compiler) exitAt(x Exit, pc int, now []class) jit.Label {
	n := len(c.out.exits)
	c.out.exits = append(c.out.exits, x)
	t := c.tableOf(c.toSlots(pc, now, nil))
	return c.exitLater(c.exit, t, n)
}

// scalars are the slots that are live at pc and hold scalars, but for those that into, unless it is nil, has as
// scalars too.
func (c *compiler) scalars(pc int, now, into []class) []jit.Scalar {
	start := len(c.listed)
	for id := range c.liveAt(pc).each {
		if k := now[id]; k.kind == scalar && c.s.all[id].bits != 1 && (into == nil || into[id].kind != scalar) {
			c.listed = append(c.listed, c.scalarAt(id, k))
		}
	}
	return slices.Clip(c.listed[start:])
}

// toSlots are the scalars at pc that are in their homes alone, but for those that into has as scalars too. In code for
// some lanes every scalar is in its slot, too, unless it is deferred: it was written there when they diverged, or was
// there when the code was entered, and what such code computes is no scalar.
func (c *compiler) toSlots(pc int, now, into []class) []jit.Scalar {
	if c.masked {
		return nil
	}
	return c.scalars(pc, now, into)
}

func (c *compiler) findRamps() {
	c.ramps = c.ramps[:0]
	for id := range c.s.all {
		if s := &c.s.all[id]; s.ramp {
			c.ramps = append(c.ramps, c.scalarAt(slotID(id), ofFixed(s)))
		}
	}
}

func (c *compiler) scalarAt(id slotID, k class) jit.Scalar {
	s := &c.s.all[id]
	return jit.Scalar{Slot: s.off, Home: c.home(id), Bits: s.bits, Stride: k.stride}
}

// liveAt is what is live before the instruction at pc, which is at the start of a block or in the one where the
// compiler is.
func (c *compiler) liveAt(pc int) set {
	if b := c.f.Graph.BlockOf(pc); c.f.Graph.Blocks()[b].Start == pc {
		return c.live.in[b]
	}
	return c.alive.before(pc)
}

func (c *compiler) tableOf(all []jit.Scalar) jit.Label {
	if len(all) == 0 {
		return c.none
	}
	l := c.e.NewLabel()
	c.tables = append(c.tables, table{all, l})
	return l
}

// edge falls through to the start of block to, with the classes of now. What is scalar here and not there is
// written to its slot.
func (c *compiler) edge(now []class, to int) {
	start := c.f.Graph.Blocks()[to].Start
	if all := c.toSlots(start, now, c.classes.in[to]); len(all) > 0 {
		c.e.Expand(c.expand, c.tableOf(all))
	}
}

// jump writes the branch at pc, which ends block b.
func (c *compiler) jump(b, pc int) {
	block, st := c.f.Graph.Blocks()[b], &c.steps[pc]
	n := pc + 1 - block.Start
	target := int(st.info.Target)
	after := c.now
	if st.guarded { // one way is written later
		after = c.keep(after)
	}
	l := c.loop
	way := func(to int) {
		next := c.wayTo(l, after, to)
		exit := c.storing(l, c.liveAt(to), c.exitAt(Exit{Why: Branched, PC: to, First: to, Branch: pc}, to, after))
		c.e.CountAndGo(n, c.later(func() {
			c.e.Extend(next, c.p.MayPoll(c.f, to))
			c.e.Jmp(exit)
		}), next)
	}
	if !st.guarded {
		way(target)
		return
	}
	leave := c.exitAt(Exit{Why: AtOp, PC: pc, First: block.Start, Until: pc + 1, Diverges: !c.sides[b]}, pc, after)
	diverge := leave
	if slot := st.guard.slot; c.branchReg >= 0 && !c.live.out[b].has(slot) {
		diverge = c.storingPred(slot, diverge)
	}
	inLoop := false
	if c.sides[b] {
		var side jit.Label
		if side, inLoop = c.sideInLoop(b, after, diverge, leave); !inLoop {
			side = c.sideAt(b, after, diverge, leave)
		}
		diverge = side
	} else if c.mayDiverge(b) {
		diverge = c.divergeAt(b, after, diverge)
	}
	if !inLoop {
		diverge = c.storing(l, c.live.out[b], diverge)
	}
	p, quad := c.branchPred(st.guard.slot), c.branchReg >= 0 && c.branchQuad
	if quad {
		spread := diverge
		diverge = c.later(func() {
			c.e.SpreadStrips(p, st.guard.not)
			c.e.Jmp(spread)
		})
	}
	leaves := func(to int) bool { return c.f.Graph.Leaves(pc, to) } // the exit region, of which the engine is to know
	near, far := c.nearWay(pc, target)
	here, there := diverge, diverge
	if !leaves(near) {
		here = c.e.NewLabel()
	}
	if !leaves(far) {
		there = c.later(func() { way(far) })
	}
	taken, fall := there, here
	if near == target {
		taken, fall = here, there
	}
	if quad {
		c.e.BranchQuad(p, st.guard.not, taken, fall, diverge)
	} else {
		c.e.Branch(p, st.guard.not, c.masked, taken, fall, diverge)
	}
	if !leaves(near) {
		c.e.Bind(here)
		way(near)
	}
}

// nearWay parts the ways of a branch at pc into one that is written behind it, and one that is written later.
func (c *compiler) nearWay(pc, target int) (near, far int) {
	inside := func(to int) bool { return c.loop != nil && c.loopOf[c.f.Graph.BlockOf(to)] == c.loop }
	if c.f.Graph.Leaves(pc, pc+1) || inside(target) && !inside(pc+1) {
		return target, pc + 1
	}
	return pc + 1, target
}

// storingPred goes to an exit at a branch with the predicate in its slot: the run before has left it in a register, as nobody
// else reads it.
func (c *compiler) storingPred(s slotID, exit jit.Label) jit.Label {
	off, r, masked := c.s.all[s].off, jit.PredRegs[c.branchReg], c.masked
	return c.later(func() {
		c.e.StorePred(off, r, masked)
		c.e.Jmp(exit)
	})
}

// divergeAt is where the lanes diverge that have executed block b up to the branch at its end, unless code is to be left
// there.
func (c *compiler) divergeAt(b int, after []class, leave jit.Label) jit.Label {
	block := &c.f.Graph.Blocks()[b]
	n := block.End - block.Start
	if c.version == &c.full { // lanes go on in the rest, if that is there
		return c.later(func() {
			c.e.MayDiverge(n, leave)
			c.e.ToSides(b, leave)
		})
	}
	sides := c.sidesAt(b, after)
	return c.later(func() {
		c.e.MayDiverge(n, leave)
		sides()
	})
}

// rejoin is where all lanes of a warp go on together at a reconvergence PC: in the code for all, if slots
// hold what is scalar there. What was scalar where the lanes diverged, and was not written since, is in its home still.
func (c *compiler) rejoin(rpc int, diverged []class, written set, deferred jit.Label) jit.Label {
	join := c.f.Graph.BlockOf(rpc)
	full, known := c.full.classes.in[join], slices.Clone(c.some.classes.in[join])
	for id := range c.live.in[join].each {
		if diverged[id] == full[id] && !written.has(id) {
			known[id] = full[id]
		}
	}
	t := c.tableOf(c.scalars(rpc, full, known))
	return c.later(func() {
		not := c.some.bodies[join]
		if deferred != c.none {
			c.e.Undefer()
			expand, some := c.expand, not
			not = c.later(func() {
				c.e.Expand(expand, deferred)
				c.e.Jmp(some)
			})
		}
		c.e.Rejoin(c.full.enter, t, c.full.bodies[join], not)
	})
}

// arrivedAt is an exit at a reconvergence PC at which a path ends that lanes had before they
// diverged in code.
func (c *compiler) arrivedAt(rpc int, v *version) jit.Label {
	n := len(c.out.exits)
	c.out.exits = append(c.out.exits, Exit{Why: AtStop, PC: rpc, First: rpc})
	t := c.tableOf(nil)
	return c.exitLater(v.exit, t, n)
}

// edgeTo is edge to the block at a PC, by way of code elsewhere if there is something to do.
func (c *compiler) edgeTo(now []class, pc int) jit.Label {
	to := c.f.Graph.BlockOf(pc)
	if all := c.toSlots(pc, now, c.classes.in[to]); len(all) > 0 {
		t := c.tableOf(all)
		return c.later(func() {
			c.e.Expand(c.expand, t)
			c.e.Jmp(c.blocks[to])
		})
	}
	return c.blocks[to]
}

// branchPred has a predicate in a general register: one that the last run has collected it in, or
// another.
func (c *compiler) branchPred(s slotID) jit.Reg {
	if c.branchReg >= 0 {
		return jit.PredRegs[c.branchReg]
	}
	r := jit.PredRegs[0]
	c.e.LoadPred(r, c.s.all[s].off)
	return r
}
