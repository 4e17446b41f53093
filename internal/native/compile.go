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

// Func is a function as machine code, for full warps, and with the rest (see Compiler.Rest) also for others. It is
// immutable: Rest makes another Func, in which all addresses of the first stay valid.
type Func struct {
	code *jit.Code
	// By PC: entries of code for full warps, and for any mask; -1 if there is none. some is nil without the rest.
	full, some []int32
	stops      []bool // by PC: code checks whether a path ends there
	exits      []Exit
	until      []int32
	turns      int // offset of code; see Turns
	starts     int // offset of code; see Starts
	bytes      int
	resume     int // offset at which code resumes after jit.AskExit
	links      links
	whole      bool      // the function has its rest
	sides      []uintptr // see Sides
}

// Why is the reason why code has exited.
type Why uint8

const (
	AtStop   Why = iota // the path is at its end
	AtOp                // the path is at an instruction that code does not execute
	Branched            // the budget was used up at a branch
)

// Exit is the place and the reason of an exit of code.
type Exit struct {
	Why Why
	PC  int // where the path is
	// Diverges says that lanes diverge there, which the rest of the code could handle.
	Diverges bool
	First    int // PC of the first instruction that the budget does not count yet
	Branch   int // PC of the branch, if Branched
	// Until is the PC up to which lane functions must execute before code can be entered again, if AtOp.
	Until int
}

// Whole reports whether the function has the rest of its code.
func (f *Func) Whole() bool { return f.whole }

// Sides is the value for jit.Context.Sides. It is nil without the rest.
func (f *Func) Sides() unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(f.sides)) }

// Entry returns the address of the code for a PC, for full warps or for any mask, or 0.
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

// Turns returns the address of the code in which the warps of a CTA take turns; see jit.Turn.
func (f *Func) Turns() uintptr { return f.code.Addr(f.turns) }

// Starts returns the address of the code that starts CTAs with warps that take turns; see jit.Starts.
func (f *Func) Starts() uintptr { return f.code.Addr(f.starts) }

// Stops reports whether a path may end at pc.
func (f *Func) Stops(pc int) bool { return pc < 0 || f.stops[pc] }

// Until returns the PC up to which lane functions must execute from pc on, where code cannot be entered.
func (f *Func) Until(pc int) int {
	if f.until[pc] > int32(pc) {
		return int(f.until[pc])
	}
	return pc + 1
}

// Exit returns the exit with a number.
func (f *Func) Exit(n uint32) *Exit { return &f.exits[n] }

// Resume returns the address at which code resumes after jit.AskExit.
func (f *Func) Resume() uintptr { return f.code.Addr(f.resume) }

// Bytes returns the size of the code.
func (f *Func) Bytes() int { return f.bytes }

// Limits of the functions that are compiled. Code takes some 200 bytes an instruction, analysis 8 bytes for every
// slot in every block, and slots have numbers of 16 bits.
const (
	mostSteps   = 1 << 17
	mostClasses = 1 << 22
	mostSlots   = math.MaxInt16
)

// codeBytes and restBytes are the usual numbers of bytes of code, and of the rest, for an instruction of PTX.
// routineBytes is the size of a function's routines. mostRest bounds the rest, as a multiple of the code.
const (
	codeBytes    = 192
	restBytes    = 288
	routineBytes = 3 << 10
	mostRest     = 8
)

// Compiler compiles functions to machine code. The zero Compiler is ready to use; it keeps its memory for the next
// function.
type Compiler struct {
	compiler
	Before func(s Subject, rest bool) // called before each compilation; nil except in tests, where it panics
}

// Subject is a function of a program to compile.
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

// begin starts code of the function in a buffer of the given number of bytes.
func (c *compiler) begin(bytes int) {
	c.e.Reset()
	c.e.Grow(bytes + routineBytes)
	c.controlNow = jit.Nearest
	c.entries = c.entries[:0]
	c.forget()
	c.none = c.e.NewLabel()
}

// forget resets the compiler's place in the function.
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

// isShort reports whether a loop was short of registers: the code must then be compiled again, with loops that hold
// nothing.
func (c *compiler) isShort() bool {
	c.crowded, c.g.short = c.g.short, false
	return c.crowded
}

// function compiles the function, without the rest.
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

// finishCode returns the code written since begin, for an offset of the function's.
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

// startsOf returns what code must write at the start of a CTA that is not the first.
func startsOf(l *program.Layout) *jit.Starts {
	s := &jit.Starts{Carry: l.Carry}
	for k := range s.CTA {
		s.CTA[k], _ = l.LookupSpecial(isa.CtaidX + isa.Special(k))
	}
	return s
}

// findUntil finds the next entry, or start of a block, after each PC.
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

// zeroed returns n zeros, in the memory of s if it suffices.
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
	*version          // being written
	masked            bool
	full, apart, some version
	place
	looping
}

// analysis holds the facts on which all code of a function depends.
type analysis struct {
	subject   Subject // of the latest analysis
	foundRest bool    // classes of the rest have been found, too
	p         *program.Program
	f         *program.Func
	notes     bool // code records its accesses
	s         slots
	steps     []step
	live      liveness
	ramps     []jit.Scalar // in slots that never change and have spill slots (homes)
	inApart   []bool       // by block: it has code for diverged lanes
	// by block: the divergent region of the branch at its end; nil if lanes do not diverge there in code
	apartAt []*apart
}

// writing is the code that has been written.
type writing struct {
	out     *Func
	e       jit.Emit
	stubs   []stub
	enters  []jit.Entry // memory for entries of stubs
	entries []entry
	exits   []Exit // memory for the exits of Func
	tables  []table
	listed  []jit.Scalar // of the tables
	none    jit.Label    // an empty table of scalars
	trace   *trace       // for a Listing; nil for code that is executed
}

// routines are subroutines that the versions call.
type routines struct {
	expand, notEntered       jit.Label // of all versions
	turns                    *jit.TurnLabels
	ask, resume              jit.Label // of all versions, if notes
	diverge, arrive, setMask jit.Label // of the rest
}

// place is the compiler's position in the function, and the facts that hold there.
type place struct {
	now       []class // by slot
	before    []class // memory of keep
	alive     alive   // in the block
	run       run
	sideSteps []step    // the steps of an if-converted side while they are changed
	current   []valueID // by slot: its value at the present step of the run
	kept      []*area   // of the run: those with pointers in registers
	g         registers
	operands  jit.Operands // of the current step
	// general register with the predicate that the run has collected for the branch at its end, or -1
	branchReg  int
	branchQuad bool        // branchReg has a bit for each strip, not for each lane
	controlNow jit.Control // as code has set it
}

// looping has the loops of the version, with the values that they hold in registers.
type looping struct {
	loops   []*loop
	loopOf  []*loop // by block
	loop    *loop   // being compiled
	heldOf  []*held // by slot: how the loop holds it
	uses    []uses  // uses of slots by a loop
	useOf   []int32 // by slot: 1 more than its index in uses
	crowded bool    // loops must not hold anything in registers
}

// version is the code for one kind of active mask: for full warps; for lanes that have diverged in code, up to their
// reconvergence PC; or for any mask.
type version struct {
	classes     classes
	blocks      []jit.Label // by block
	bodies      []jit.Label // by block: after the check whether the path ends there
	sides       []bool      // by block: a side of the branch at its end is if-converted
	enter, exit jit.Label   // routines
}

// entry is a place where code can be entered.
type entry struct {
	pc     int
	masked bool
	at     jit.Label
}

// stub is rarely executed code, which is written after all other code.
type stub struct {
	at    jit.Label
	write func() // nil for entries and exits, the most frequent stubs
	exit  exitStub
	entry *jit.Entry // nil for an exit
}

// exitStub exits code with a number, after scalars have been written to their slots.
type exitStub struct {
	routine, scalars jit.Label
	number           int
}

// table is a table of scalars in the code.
type table struct {
	all []jit.Scalar
	at  jit.Label
}

// findStops finds where the path of a split may end, other than after instructions that code leaves to the engine: at
// the reconvergence PCs of blocks.
func (c *compiler) findStops() {
	for _, b := range c.f.Graph.Blocks() {
		if rpc := c.f.Graph.Reconvergence(b.Start); rpc != flow.None && len(b.Succ) > 1 { // else lanes cannot diverge
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

// flush writes the stubs after the code of a version, and its tables.
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

// later makes a stub, which is written after the other code.
func (c *compiler) later(write func()) jit.Label {
	l := c.e.NewLabel()
	c.stubs = append(c.stubs, stub{at: l, write: write})
	return l
}

// exitLater makes a stub that exits through a routine of a version.
func (c *compiler) exitLater(routine, scalars jit.Label, number int) jit.Label {
	l := c.e.NewLabel()
	c.stubs = append(c.stubs, stub{at: l, exit: exitStub{routine, scalars, number}})
	return l
}

// keep returns a copy of classes for a stub.
func (c *compiler) keep(now []class) []class {
	start := len(c.before)
	c.before = append(c.before, now...)
	return slices.Clip(c.before[start:])
}

// kind returns what code does with the instruction at pc. In code for partial masks no turn ends.
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

// stopExit returns the label to which code jumps at pc, the start of a block, if the path ends there.
func (c *compiler) stopExit(pc int) jit.Label {
	exit := c.atStop(pc)
	if !c.masked {
		return exit
	}
	return c.later(func() { c.e.Arrive(c.arrive, exit) }) // lanes that have diverged in code may arrive here
}

// blockBody writes the instructions of a block.
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
				return // unreachable
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
		return // the engine continues
	}
	c.e.Count(block.End - block.Start)
	if c.loopOf[b] == nil && c.loopOf[b+1] == nil {
		c.edge(c.now, b+1)
		return
	}
	c.e.Jmp(c.wayTo(c.loop, c.now, block.End))
}

// wayTo returns the label of the code at pc, the start of a block, for code of a loop, or of none.
func (c *compiler) wayTo(l *loop, now []class, pc int) jit.Label {
	if b := c.f.Graph.BlockOf(pc); l != nil && c.loopOf[b] == l {
		return l.inside[slices.Index(l.blocks, b)]
	}
	return c.storing(l, c.liveAt(pc), c.edgeTo(now, pc))
}

// atStop returns an exit at pc, where a path ends.
func (c *compiler) atStop(pc int) jit.Label {
	return c.exitAt(Exit{Why: AtStop, PC: pc, First: pc}, pc, c.classes.in[c.f.Graph.BlockOf(pc)])
}

// voteAt writes the vote at pc. Code exits there if lanes would have to wait for others.
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

// checkMembers jumps to fail unless the executing lanes are the members of the step. These are in a slot of class k
// unless they are known at compile time.
func (c *compiler) checkMembers(st *step, k class, fail jit.Label) {
	if !c.masked && st.members.Known && st.members.Mask == lanes.AllLanes {
		return
	}
	if k.kind == scalar && !c.s.all[st.membersIn].fixed && c.version != &c.some { // k need not hold for the slot itself
		c.e.Expand(c.expand, c.tableOf([]jit.Scalar{c.scalarAt(st.membersIn, k)}))
	}
	c.e.CheckMembers(&st.members, c.masked, fail)
}

// leaveAt writes an exit at pc, from where lane functions or the engine execute up to until.
func (c *compiler) leaveAt(b, pc, until int) {
	l := c.exitAt(Exit{Why: AtOp, PC: pc, First: c.f.Graph.Blocks()[b].Start, Until: until}, pc, c.now)
	c.e.Jmp(l)
}

// endTurn writes the end of a warp's turn: at a barrier at pc, or at the end of the warp.
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

// exitAt returns an exit with the classes now of the slots that are live at pc.
func (c *compiler) exitAt(x Exit, pc int, now []class) jit.Label {
	n := len(c.out.exits)
	c.out.exits = append(c.out.exits, x)
	t := c.tableOf(c.toSlots(pc, now, nil))
	return c.exitLater(c.exit, t, n)
}

// scalars returns the scalars that are live at pc, without those that are also scalars in into, which may be nil.
func (c *compiler) scalars(pc int, now, into []class) []jit.Scalar {
	start := len(c.listed)
	for id := range c.liveAt(pc).each {
		if k := now[id]; k.kind == scalar && c.s.all[id].bits != 1 && (into == nil || into[id].kind != scalar) {
			c.listed = append(c.listed, c.scalarAt(id, k))
		}
	}
	return slices.Clip(c.listed[start:])
}

// toSlots returns the scalars at pc that are only in their spill slots (homes), without those that are also scalars
// in into. In code for partial masks every scalar is also in its slot, unless it is deferred: it was written there at
// the divergence, or was there when code was entered, and results of such code are not scalars.
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

// liveAt returns the slots that are live before the instruction at pc, which must be at the start of a block or in
// the present one.
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

// edge falls through to the start of block to, with the classes now. It writes slots that are scalar here and not
// there.
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
	if st.guarded { // one direction is written later
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
	leaves := func(to int) bool { return c.f.Graph.Leaves(pc, to) } // the exit region, which the engine must know
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

// nearWay divides the two directions of a branch at pc into the one that is written right after it, and the one that
// is written later.
func (c *compiler) nearWay(pc, target int) (near, far int) {
	inside := func(to int) bool { return c.loop != nil && c.loopOf[c.f.Graph.BlockOf(to)] == c.loop }
	if c.f.Graph.Leaves(pc, pc+1) || inside(target) && !inside(pc+1) {
		return target, pc + 1
	}
	return pc + 1, target
}

// storingPred returns a label that stores the predicate of a branch in its slot before an exit: the run has left it
// only in a register, because nothing else reads it.
func (c *compiler) storingPred(s slotID, exit jit.Label) jit.Label {
	off, r, masked := c.s.all[s].off, jit.PredRegs[c.branchReg], c.masked
	return c.later(func() {
		c.e.StorePred(off, r, masked)
		c.e.Jmp(exit)
	})
}

// divergeAt returns the label for lanes that diverge after block b. It is leave if code must exit there.
func (c *compiler) divergeAt(b int, after []class, leave jit.Label) jit.Label {
	block := &c.f.Graph.Blocks()[b]
	n := block.End - block.Start
	if c.version == &c.full { // lanes continue in the rest, if it is compiled
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

// rejoin returns the label at which all lanes of a warp continue together at a reconvergence PC: in the code for full
// warps, if the slots hold values that are scalar there. Values that were scalar at the divergence, and not written
// since, are still in their spill slots (homes).
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

// arrivedAt returns an exit at a reconvergence PC at which a path ends that began before the lanes diverged in code.
func (c *compiler) arrivedAt(rpc int, v *version) jit.Label {
	n := len(c.out.exits)
	c.out.exits = append(c.out.exits, Exit{Why: AtStop, PC: rpc, First: rpc})
	t := c.tableOf(nil)
	return c.exitLater(v.exit, t, n)
}

// edgeTo is edge to the block at a PC, by way of a stub if there is something to do.
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

// branchPred returns a predicate in a general register: the one in which the last run has collected it, or another.
func (c *compiler) branchPred(s slotID) jit.Reg {
	if c.branchReg >= 0 {
		return jit.PredRegs[c.branchReg]
	}
	r := jit.PredRegs[0]
	c.e.LoadPred(r, c.s.all[s].off)
	return r
}
