package native

import (
	"fmt"
	"slices"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/program"
)

// codeBytes and blockBytes are the usual numbers of bytes of code for an instruction of PTX that computes, and those
// that a block adds; partial code takes partialTimes as many. routineBytes is the size of a function's routines.
// mostPartial bounds partial code, as a multiple of the code.
const (
	codeBytes    = 56
	blockBytes   = 320
	partialTimes = 2
	routineBytes = 3 << 10
	mostPartial  = 8
)

// Compiler compiles functions to machine code. The zero Compiler is ready to use; it keeps its memory for the next
// function.
type Compiler struct {
	compiler
	Before func(s Subject, partial bool) // called before each compilation; nil except in tests, where it panics
}

// Subject is a function of a program to compile.
type Subject struct {
	Program *program.Program
	Func    *program.Func
	Part    Part // of the function
	Shape   Shape
	Level   jit.Level           // not jit.None
	Notes   bool                // code records its accesses (see jit.Note)
	Shadow  bool                // code keeps a shadow of memory (see jit.Hint), and does not record accesses
	Leave   *program.Contention // accesses that code leaves to the engine
	Inert   bool                // code is evaluated (package evaluate), so that its memory need not be executable
}

// Compile makes machine code of a function for full warps. The error is a *Refusal if the compiler panics. Other errors
// say that the system has no memory for code, or that a displacement does not fit.
//
// The passes, each of which needs the results of those before it:
//
//  1. The plan (plan.make): slots of registers, a step for each instruction, liveness of slots, and their classes
//     (scalar, affine or vector), because scalars are computed once for all lanes.
//  2. Arms of branches that are if-converted (findArms). It tries whether one region can contain them, for which it
//     needs the classes.
//  3. Loops that carry values in registers (findLoops), where all that happens in the loop is known from 1 and 2.
//  4. Code, block by block (write): a region at a time is cut from the block (regionFrom), what is used and live of
//     its values is found (finish), and its phases are written with registers from the allocator. What is seldom
//     executed becomes a stub after all else (flush).
//  5. Routines, tables and constants, whose places all code knows by labels.
//
// If a region in a loop had too few registers left, 3 to 5 are repeated with loops that carry nothing.
func (c *Compiler) Compile(s Subject) (f *Func, err error) {
	defer c.recovered(s, &f, &err)
	if c.Before != nil {
		c.Before(s, false)
	}
	code, err := c.compileFull(s)
	if err != nil {
		return nil, err
	}
	allocate := jit.NewCode
	if s.Inert {
		allocate = jit.NewInert
	}
	c.out.code, err = allocate(code, mostPartial*len(code)+4*routineBytes)
	return c.out, err
}

// Partial adds code for partial masks to a function that Compile has made of the same subject: for lanes that diverge
// in code, up to their reconvergence PC, and for any active mask. It must be called once for each function. Errors
// are those of Compile. The passes are the same, with the classes of the other versions.
func (c *Compiler) Partial(s Subject, of *Func) (f *Func, err error) {
	defer c.recovered(s, &f, &err)
	if c.Before != nil {
		c.Before(s, true)
	}
	c.plan.make(s)
	if !c.hasPartial {
		c.begin(0) // findArms makes regions
		c.findArms(&c.full, false)
		c.makePartial()
		c.findArms(&c.divergent, true)
		c.findArms(&c.some, true)
	}
	f, short, err := c.writePartial(of, true)
	if short {
		f, _, err = c.writePartial(of, false)
	}
	return f, err
}

// compileFull writes the code of a function for full warps. It is valid until the compiler writes more.
func (c *compiler) compileFull(s Subject) (code []byte, err error) {
	c.plan.make(s)
	c.begin(0) // findArms makes regions
	c.findArms(&c.full, false)
	code, short, err := c.writeFull(true)
	if short {
		if c.trace != nil {
			*c.trace = trace{}
		}
		code, _, err = c.writeFull(false)
	}
	return code, err
}

// begin starts code of the function in a buffer of the given number of bytes.
func (c *compiler) begin(bytes int) {
	c.e.Reset()
	c.e.Grow(bytes + routineBytes)
	c.e.Level = c.subject.Level
	c.e.Dots = c.subject.Inert || jit.HasDots(c.subject.Level)
	c.controlNow, c.g.short = jit.Nearest, false
	c.entries = c.entries[:0]
	c.full.versionPlan, c.divergent.versionPlan, c.some.versionPlan = &c.plan.full, &c.plan.divergent, &c.plan.some
	c.forget()
	c.none = c.e.NewLabel()
}

// usualBytes returns the usual number of bytes of code for n instructions of the function.
func (c *compiler) usualBytes(n int) int {
	blocks := len(c.f.Graph.Blocks()) * n / len(c.f.Ops)
	return codeBytes*n + blockBytes*blocks
}

// forget resets the compiler's place in the function.
func (c *compiler) forget() {
	if c.g.e == nil {
		c.g.e, c.e.NewTemp = &c.e, c.g.temp
		c.region.steps, c.region.areas = make([]regionStep, 0, 2*maxSteps), make([]area, 0, maxSteps)
	}
	c.region.values, c.valueIn = c.region.values[:0], zeroed(c.valueIn, len(c.s.all))
	for id := range c.valueIn {
		c.valueIn[id] = noValue
	}
	c.carriedIn = zeroed(c.carriedIn, len(c.s.all))
	c.g.slots = c.carriedIn
	c.slotClass = zeroed(c.slotClass, len(c.s.all))
}

// writeFull writes the code for full warps, with loops that carry values in registers or not. If it is short of
// registers, the code cannot be used.
func (c *compiler) writeFull(carries bool) (code []byte, short bool, err error) {
	f := c.f
	n := c.entryCount()
	c.out, c.newExits = &Func{first: c.part.First, full: noEntries(n), stops: c.stopsOf(), exits: c.exits[:0], expansion: c.x, trailsTurns: c.trailsTurns}, 0
	c.begin(c.usualBytes(n))
	c.carries = carries
	c.newLabels(&c.full)
	c.expand, c.notEntered, c.turns = c.e.NewLabel(), c.e.NewLabel(), c.e.NewTurnLabels()
	c.full.enter, c.full.exit = c.e.NewLabel(), c.e.NewLabel()
	c.ask, c.lanes, c.resume = c.e.NewLabel(), c.e.NewLabel(), c.e.NewLabel()
	c.products, c.matrices = c.products[:0], c.matrices[:0]
	c.write(&c.full, false)
	if c.g.short {
		return nil, true, nil
	}
	c.mark(noPC, "routines")
	c.e.EnterRoutine(c.full.enter, false)
	c.e.ExitRoutine(c.full.exit, false)
	c.e.ExpandRoutine(c.expand)
	c.e.NotEntered(c.notEntered)
	c.productRoutines()
	c.matrixRoutines()
	starts := c.e.NewLabel()
	c.e.TurnRoutine(c.turns, c.ownsMemory(), c.trailsTurns)
	c.e.StartRoutine(starts, c.turns, startsOf(f.Layout), c.shadow)
	if c.notes {
		c.e.AskRoutine(c.ask)
	}
	if c.asksLanes {
		c.e.LanesRoutine(c.lanes)
	}
	if c.asks() {
		c.e.ResumeRoutine(c.resume)
	}
	if code, err = c.finishCode(0); err != nil {
		return nil, false, err
	}
	c.out.turns, c.out.starts = c.e.Offset(c.turns.Begin), c.e.Offset(starts)
	if c.asks() {
		c.out.resume = c.e.Offset(c.resume)
	}
	c.out.links = c.newLinks()
	c.out.findUntil(c.subject.Func)
	return code, false, nil
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
		table[c.origin(n.pc)-c.out.first] = int32(base + c.e.Offset(n.at))
	}
	c.exits, c.out.exits = c.out.exits, slices.Clone(c.out.exits)
	c.exitsOutside()
	c.out.bytes += len(code)
	return code, nil
}

// startsOf returns the registers that compiled code must initialise for each CTA after the first.
func startsOf(l *program.Layout) *jit.Starts {
	s := &jit.Starts{Carry: l.Carry}
	for k := range s.CTA {
		s.CTA[k], _ = l.LookupSpecial(isa.CtaidX + isa.Special(k))
	}
	return s
}

// sized returns n values, whatever they are, in the memory of s if it suffices.
func sized[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, max(n, 2*cap(s)))
	}
	return s[:n]
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

// compiler compiles one function, in three versions: for warps with all lanes active, for lanes that have diverged in
// code, and for any active mask.
type compiler struct {
	plan
	writing
	routines
	*version              // being written
	masked                bool
	full, divergent, some version
	place
	looping
}

// writing is the code that has been written.
type writing struct {
	out     *Func
	e       jit.Emit
	stubs   []stub
	enters  []jit.Entry // memory for entries of stubs
	entries []entry
	exits   []Exit // memory for the exits of Func
	// newExits is the number of exits that the function had before.
	newExits int
	tables   []table
	// of products
	fragments []fragments
	fetches   []fetchTable
	listed    []jit.Scalar // of the tables
	none      jit.Label    // an empty table of scalars
	trace     *trace       // for a Listing; nil for code that is executed
}

// routines are subroutines that the versions call.
type routines struct {
	expand, notEntered       jit.Label // of all versions
	turns                    *jit.TurnLabels
	ask, lanes, resume       jit.Label // of all versions, if they ask
	diverge, arrive, setMask jit.Label // of partial code
	products                 []productRoutine
	matrices                 []matrixRoutine
}

// place is the compiler's position in the function, and the facts that hold there.
type place struct {
	slotClass    []class       // by slot
	keptClasses  []class       // memory of keep
	blockLive    blockLiveness // in the block
	region       region
	arm          armSteps  // of the arm that becomes a region, if one does
	valueIn      []valueID // by slot: its value at the present step of the region
	pointerAreas []*area   // of the region: those with pointers in registers
	g            registers
	operands     jit.Operands // of the current step
	// general register with the predicate that the region has collected for the branch at its end, or -1
	branchReg    int
	branchScalar bool        // branchReg has a bit for each subvector, not for each lane
	controlNow   jit.Control // as code has set it
}

// looping has the loops of the version, with the values that they hold in registers.
type looping struct {
	loops     []*loop
	loopOf    []*loop    // by block
	loop      *loop      // being compiled
	carriedIn []*carried // by slot: how the loop holds it
	uses      []uses     // uses of slots by a loop
	useOf     []int32    // by slot: 1 more than its index in uses
	carries   bool       // loops may carry values in registers
}

// version is the code for one kind of active mask: for full warps; for lanes that have diverged in code, up to their
// reconvergence PC; or for any mask.
type version struct {
	*versionPlan
	blocks      []jit.Label // by block
	bodies      []jit.Label // by block: after the check whether the path ends there
	enter, exit jit.Label   // routines
}

// newLabels makes labels for the blocks of a version.
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
		case v == &c.divergent && !c.inDivergent[b]:
			if c.arrivesAt[b] {
				c.reconvergenceBlock(b)
			} else {
				c.bindNothing(b)
			}
		case c.f.Graph.Region(b) != flow.None && c.reached[b]:
			c.block(b)
		default:
			c.bindNothing(b)
		}
	}
	c.flush()
}

// bindNothing binds the labels of a block to which no code goes.
func (c *compiler) bindNothing(b int) {
	c.e.Bind(c.blocks[b])
	c.e.Bind(c.bodies[b])
}
