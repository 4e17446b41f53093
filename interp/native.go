package interp

import (
	"fmt"
	"math"
	"os"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// natives are the compiled functions of a module's programs. Engines on several threads, and machines, share them.
type natives struct {
	mu    sync.Mutex
	funcs map[nativeKey]*native.Func
	made  atomic.Int64         // length of funcs
	heat  map[nativeKey]uint64 // of functions that are not compiled, after the latest launch; see compiledFunc
	// why functions, or the rest of their code, could not be compiled; they are not tried again
	refused  map[nativeKey]error
	parts    map[partsKey][]native.Part
	cut      int // number of instructions of the parts in which all functions are compiled; 0 except in tests
	compiler native.Compiler
	budgets  int64 // a verifier enters code with every budget up to this one; 0 except in tests

	computing []*computing
	watched   []watchedIn
	// routines of products outside of functions; nil for products without one
	multipliers map[multiplierKey]*jit.Multiplier
}

type nativeKey struct {
	f      *program.Func
	part   native.Part
	shape  native.Shape
	notes  bool // code records its accesses
	shadow bool // code keeps a shadow of memory
	level  jit.Level
	leave  *program.Contention // accesses that code leaves to the engine
	inert  bool                // code is evaluated
}

// known returns the machine code of a function, or nil if it is not compiled, and its heat.
func (n *natives) known(key nativeKey) (f *native.Func, heat uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.funcs[key], n.heat[key]
}

// keepHeat adds how often the Go loop has executed an engine's functions that are not compiled to the counts of all
// engines, for later ones.
func (n *natives) keepHeat(e *Engine) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for i := range e.native.funcs {
		c := &e.native.funcs[i]
		n.keepHeatOf(e, e.p.Funcs[i], c)
		for k := range c.parts {
			n.keepHeatOf(e, e.p.Funcs[i], &c.parts[k])
		}
	}
}

func (n *natives) keepHeatOf(e *Engine, f *program.Func, c *compiledFunc) {
	if c.Func != nil || c.heat == c.known {
		return
	}
	if n.heat == nil {
		n.heat = make(map[nativeKey]uint64)
	}
	n.heat[e.native.keyOf(f, c.part)] += c.heat - c.known
	c.known = c.heat
}

// get returns a function of p as machine code; nil if it cannot be compiled.
func (n *natives) get(p *program.Program, key nativeKey) *native.Func {
	n.mu.Lock()
	defer n.mu.Unlock()
	c, known := n.funcs[key]
	if !known {
		var err error
		if c, err = n.compiler.Compile(key.subject(p)); err != nil {
			c = nil
			n.refuse(key, err)
		} else if compilePrint {
			n.print(key.subject(p))
		}
		if n.funcs == nil {
			n.funcs = make(map[nativeKey]*native.Func)
		}
		n.funcs[key] = c
		n.made.Add(1)
	}
	return c
}

// whole returns a function made by get with the rest of its code, or without it if that cannot be compiled.
func (n *natives) whole(p *program.Program, key nativeKey) *native.Func {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.funcs[key]
	if c == nil || c.HasPartial() || n.refused[key] != nil {
		return c
	}
	all, err := n.compiler.Partial(key.subject(p), c)
	if err != nil {
		n.refuse(key, err)
		return c
	}
	n.funcs[key] = all
	return all
}

// Compilation says when functions are compiled to machine code.
type Compilation uint8

const (
	CompileHot    Compilation = iota // once that pays; see Engine.isWorthCode
	CompileAlways                    // before the first instruction: for tests
	CompileWanted                    // like CompileAlways, but the rest (see native.Compiler.Partial) once it is needed
	CompileNever
)

// restAfter is how many times code exits because its rest is missing before that is compiled. The exits may not occur
// again: usually they come from the end of a grid.
const restAfter = 8

// compileAlways makes every machine compile before the first instruction, to run the tests of this module that way.
var compileAlways = os.Getenv("SIMTRUN_COMPILE") == "always"

// compilePrint lists every compiled function on standard error, in the format of simtrun asm --code, but for the
// launch's block and with the accesses that the launch leaves to the engine.
var compilePrint = os.Getenv("SIMTRUN_COMPILE") == "print"

// left returns, by PC, why compiled code leaves an instruction to the engine; see native.Compiler.Left.
func (n *natives) left(p *program.Program, key nativeKey) (why []string, err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.compiler.Left(key.subject(p))
}

// print lists a function that was compiled.
func (n *natives) print(s native.Subject) {
	if l, err := n.compiler.List(s); err == nil {
		fmt.Fprintf(os.Stderr, "%s\n%s\n%s\n", l.Plan, l.Regions, l.Code)
	}
}

// compiled is an engine's state for compiled functions.
type compiled struct {
	shape    native.Shape
	notes    bool      // code records its accesses, for the engine's Watcher
	level    jit.Level // of the code
	leave    *program.Contention
	allowed  bool   // the machine compiles functions
	possible bool   // and code may be used, because no observer sees each instruction
	shadow   bool   // code keeps a shadow of memory, for the only observer that sees instructions
	withheld bool   // that observer follows the warp, so that code may not be used
	after    uint64 // warp instructions per instruction of a function before it is compiled
	rest     int    // entries to the rest of a function before it is compiled
	ctx      *jit.Context
	cpu      Evaluator         // of Config.Evaluate; else nil
	funcs    []compiledFunc    // by function
	copies   [][]hintCopies    // by function: where it is inlined
	left     map[leftAt]uint64 // counts of compiledFunc.left that were taken
	now      *compiledFunc     // of the site
	turns    []jit.Turn        // see TakeTurns
	turnsOf  *CTA              // CTA of these turns, as StartInTurns has made them; else nil
	// startsInCode says for turnsOf that code itself starts the CTAs that follow.
	startsInCode bool
	verifier     *verifier // nil unless Config.Verify
	inTurn       bool      // code has executed the path that is entered next, in a turn; ctx has the state in which it exited
}

func (c *compiled) keyOf(f *program.Func, part native.Part) nativeKey {
	return nativeKey{f, part, c.shape, c.notes, c.shadow, c.level, c.leave, c.cpu != nil}
}

func (k *nativeKey) subject(p *program.Program) native.Subject {
	return native.Subject{Program: p, Func: k.f, Part: k.part, Shape: k.shape, Level: k.level, Notes: k.notes, Shadow: k.shadow, Leave: k.leave, Inert: k.inert}
}

// compiledFunc is an engine's state for one function, or for a part of one.
type compiledFunc struct {
	*native.Func
	part   native.Part
	parts  []compiledFunc // of a function that is compiled in parts, in order; nil for others
	tried  bool
	heat   uint64     // warp instructions of the Go loop, including those of other engines before this one began
	known  uint64     // part of heat that natives has
	ask    uint64     // heat from which on Engine.isWorthCode is asked
	seen   int64      // value of natives.made at the last lookup
	wanted int        // times that the rest of the code was needed
	hints  []jit.Hint // Engine.hints for code
	// divergences has the byte of each PC that code sets where lanes diverge, for selective observers; nil for others.
	divergences []byte
	left        []uint64 // by PC from that of the part on: how often code was left there; nil if it was not
	instrs      int      // number of instructions of the whole function, and one
}

// compiles reports whether functions of the launch become machine code while no observer sees each instruction.
func (g *Grid) compiles() bool {
	return g.m.cfg.lanes() != jit.None && (!g.p.Env.Precise || g.shadowed()) && g.m.cfg.Compile != CompileNever
}

// shadowed reports whether the launch has an observer for which compiled code keeps a shadow of memory.
func (g *Grid) shadowed() bool { return ObserversOf(g.Launch.Observers).shadow != nil }

// lanes returns the level of machine code; None to compile nothing.
func (c *Config) lanes() jit.Level {
	if c.Lanes != jit.None {
		return c.Lanes
	}
	level, _ := jit.Chosen()
	if level == jit.None && c.Evaluate != nil {
		level = jit.AVX512
	}
	return level
}

// compileAfter returns the number of executions of each instruction after which a function is compiled, and the number
// of entries after which its rest is.
func (c *Config) compileAfter() (executions uint64, rest int) {
	switch {
	case compileAlways || c.Compile == CompileAlways:
		return 0, 0
	case c.Verify || c.Compile == CompileWanted:
		return 0, 1
	}
	return compileAfter, restAfter
}

// useNative allocates the state that code needs. It is called before the first instructions that code might execute:
// not earlier, because a launch with a clock has many engines that never execute code.
func (e *Engine) useNative() {
	e.native.after, e.native.rest = e.m.cfg.compileAfter()
	e.native.notes, e.native.level, e.native.leave = e.watcher != nil, e.m.cfg.lanes(), e.grid.leaves()
	if e.journal != nil && e.grid.computing != nil {
		e.native.leave = e.grid.computing.leave
	}
	if e.m.cfg.Verify && (e.stack.sharing <= 1 || e.journal != nil) { // no other thread changes what code accesses
		e.native.verifier = &verifier{e: e, live: make(map[*program.Func]*liveness)}
	}
	e.native.ctx, e.native.shape = e.m.spare.forNative(e.grid.Launch.Block)
	if evaluator := e.m.cfg.Evaluate; evaluator != nil {
		e.native.cpu = evaluator()
	}
	e.native.funcs = make([]compiledFunc, len(e.p.Funcs))
	e.makeHints()
	for i, f := range e.p.Funcs {
		n := &e.native.funcs[i]
		e.lookUp(f, n)
		for _, part := range e.m.code.natives.partsOf(f, e.native.shape) {
			n.parts = append(n.parts, compiledFunc{part: part, hints: n.hints, instrs: n.instrs})
			e.lookUp(f, &n.parts[len(n.parts)-1])
		}
	}
	e.enterNative()
}

// lookUp finds what other engines know about a function.
func (e *Engine) lookUp(f *program.Func, n *compiledFunc) {
	n.Func, n.heat = e.m.code.natives.known(e.native.keyOf(f, n.part))
	n.known = n.heat
}

// exec is lanes.Path.Exec, by machine code where the function is compiled.
func (e *Engine) exec() lanes.Why {
	if !e.native.possible || e.native.withheld {
		return e.path.Exec()
	}
	if e.native.ctx == nil {
		e.useNative()
	}
	n := e.native.now
	if n.Func == nil {
		if n.parts != nil {
			return e.execParts(n.parts)
		}
		if n.tried {
			return e.path.Exec()
		}
		if n.heat >= n.ask && e.isWorthCode(n) || e.madeElsewhere(n) {
			e.compile(n)
			if n.Func == nil {
				return e.path.Exec()
			}
		} else {
			before := e.path.Steps + uint64(e.path.PC-e.path.First)
			why := e.path.Exec()
			n.heat += e.path.Steps + uint64(e.path.PC-e.path.First) - before
			return why
		}
	}
	return e.execNative(n)
}

// compile compiles the function of the site.
func (e *Engine) compile(n *compiledFunc) {
	n.tried, n.Func = true, e.m.code.natives.get(e.p, e.native.keyOf(e.fn, n.part))
	if e.native.rest == 0 {
		n.Func = e.m.code.natives.whole(e.p, e.native.keyOf(e.fn, n.part))
	}
}

// wantRest counts that the rest of the code of the site's function was needed, and compiles it if that was often
// enough.
func (e *Engine) wantRest(n *compiledFunc) {
	if n.wanted++; n.wanted == e.native.rest {
		n.Func = e.m.code.natives.whole(e.p, e.native.keyOf(e.fn, n.part))
	}
}

// madeElsewhere reports whether another engine has compiled the function of the site.
func (e *Engine) madeElsewhere(n *compiledFunc) bool {
	made := e.m.code.natives.made.Load()
	if made == n.seen {
		return false
	}
	n.seen = made
	f, _ := e.m.code.natives.known(e.native.keyOf(e.fn, n.part))
	return f != nil
}

// hintAt returns the hint for code that lanes of the access at pc of f were last in region r.
func (e *Engine) hintAt(f *program.Func, pc int, r *memory.Region) jit.Hint {
	if r.Base%uint64(f.Info[pc].Size) != 0 {
		return jit.Hint{} // code uses offsets with the alignment of addresses
	}
	h := hintOf(r)
	if e.native.shadow {
		h.Shadow = shadowOf(r.Unwritten)
	}
	if e.watcher == nil || r.Space != isa.Global {
		return h
	}
	data, pages, ok := e.watcher.Notes(isa.Kind(f.Ops[pc].Kind), &f.Info[pc], r)
	if !ok {
		return jit.Hint{} // the watcher must see each access
	}
	h.Data, h.Notes = unsafe.Pointer(unsafe.SliceData(data)), unsafe.Pointer(unsafe.SliceData(pages))
	if h.Notes != nil && isa.Kind(f.Ops[pc].Kind) == isa.Load {
		e.native.ctx.ReadsNoted = 1
	}
	return h
}

// runCode executes code from an entry until it exits. It adds the pages of notes that code asks for and resumes.
func (e *Engine) runCode(n *compiledFunc, entry uintptr) {
	ctx := e.native.ctx
	e.enterAt(entry)
	for ctx.Exit == jit.AskExit {
		f, pc := e.hintedBy(n, int(ctx.Asked.PC))
		e.watcher.NeedsPage(isa.Kind(f.Ops[pc].Kind), e.hints[f.Number][pc], ctx.Asked.Off)
		e.enterAt(n.Resume())
	}
}

// enterAt enters code at an address. Code cannot rely on registers from before: another host thread may have
// continued the engine.
func (e *Engine) enterAt(entry uintptr) {
	if e.native.cpu != nil {
		if _, err := e.native.cpu.Enter(entry, unsafe.Pointer(e.native.ctx)); err != nil {
			panic("simtrun bug: compiled code: " + err.Error())
		}
		return
	}
	if beforeCode != nil {
		beforeCode(e, entry)
	}
	jit.Enter(entry, unsafe.Pointer(e.native.ctx))
}

// Evaluator executes machine code as jit.Enter does. The error says what code did that it must not do.
type Evaluator interface {
	Enter(entry uintptr, ctx unsafe.Pointer) (status uint64, err error)
}

// evaluateAll is Config.Evaluate of all machines that have none, in tests; else nil.
var evaluateAll func() Evaluator

// beforeCode is called before the host's CPU enters code, in tests; else nil.
var beforeCode func(e *Engine, entry uintptr)

// The layout that code assumes for pages of notes.
var (
	_ = [1]struct{}{}[jit.NotePageBytes-memory.PageBytes]
	_ = [1]struct{}{}[jit.NoteOverhang-memory.PageOverhang]
)

func hintOf(r *memory.Region) jit.Hint {
	return jit.Hint{Base: r.Base, Len: uint64(len(r.Data)), Data: unsafe.Pointer(unsafe.SliceData(r.Data))}
}

// partsOf is the hint for memory of which each lane owns an equal part.
func partsOf(data []byte) jit.Hint {
	return jit.Hint{Len: uint64(len(data) / lanes.Width), Data: unsafe.Pointer(unsafe.SliceData(data))}
}

// setHint records in which region the lanes of the access at pc were last.
func (e *Engine) setHint(pc int, r *memory.Region) {
	e.hint[pc] = r
	if e.native.ctx != nil {
		e.setNativeHint(e.fn, pc, e.hintAt(e.fn, pc, r))
	}
}

// enterNative prepares to execute the function of the site.
func (e *Engine) enterNative() {
	e.native.now = &e.native.funcs[e.fn.Number]
}

// execNative executes the path by machine code, and the instructions that code does not handle by lane functions.
func (e *Engine) execNative(n *compiledFunc) lanes.Why {
	p, ctx := &e.path, e.native.ctx
	for p.PC != p.Stop {
		if !n.Covers(p.PC) {
			return elsewhere
		}
		p.Steps += uint64(p.PC - p.First)
		p.First = p.PC
		if near := e.near(); near > 0 && !e.native.inTurn {
			if why, done := e.execLanes(near); done {
				return why
			}
			continue
		}
		limit, budget := p.Limit, int64(0)
		if len(e.observers.run) > 0 { // the path's limit is for lane functions, which return at each branch
			limit = e.limit
		}
		if limit > p.Steps {
			budget = int64(min(limit-p.Steps, math.MaxInt64/2)) // code counts up from its negative
		}
		if e.native.inTurn { // the warp has executed its turn up to an exit of code
			e.native.inTurn = false
		} else if !e.enterCode(n, budget) {
			n.leaves(p.PC)
			if why, done := e.execLanes(n.Until(p.PC)); done {
				return why
			}
			continue
		}
		x := n.Exit(ctx.Exit)
		if x.Diverges && !n.HasPartial() {
			e.wantRest(n)
		}
		if ctx.Diverged == 0 {
			p.Steps += uint64(budget - ctx.Budget)
			p.PC, p.First = x.PC, x.First
		} else {
			e.diverged(budget, x)
		}
		if n.Expansion() != nil {
			e.leaveExpansion(x)
		}
		switch x.Why {
		case native.AtStop:
			return lanes.AtStop
		case native.Branched:
			p.Branch = x.Branch
			return lanes.Branched
		}
		n.leaves(p.PC)
		if why, done := e.execLanes(x.Until); done {
			return why
		}
	}
	return lanes.AtStop
}

// enterCode executes the path by machine code, with a budget of instructions, until it exits. It returns false if
// code cannot be entered.
func (e *Engine) enterCode(n *compiledFunc, budget int64) bool {
	p, ctx := &e.path, e.native.ctx
	if !n.Stops(p.Stop) || !e.mayInline(n) {
		return false
	}
	all := p.Mask == lanes.AllLanes
	if !all && !n.HasPartial() {
		e.wantRest(n)
	}
	entry := n.Entry(p.PC, all)
	if entry == 0 {
		return false
	}
	ctx.File, ctx.Budget, ctx.Counted, ctx.Mask, ctx.Live = unsafe.Pointer(p.File), budget, budget, uint32(p.Mask), uint32(e.warp.Live)
	ctx.Local, ctx.Params = partsOf(e.warp.Local), partsOf(e.window.Params)
	if s := e.observers.shadow; s != nil && len(e.warp.Local) > 0 {
		ctx.Local.Shadow = shadowOf(s.LocalShadow(&e.at, len(e.warp.Local)))
	}
	if s := e.observers.shadow; s != nil && len(e.window.Params) > 0 {
		ctx.Params.Shadow = shadowOf(s.ParamShadow(&e.at, e.window, len(e.window.Params)))
	}
	e.prepareContext(n, p.Stop, e.Quantum)
	if v := e.native.verifier; v != nil && e.journal != nil {
		v.compute(n, entry)
	} else if v != nil {
		v.enter(n, entry)
	} else {
		e.runCode(n, entry)
	}
	if len(e.observers.divergence) > 0 && ctx.Diverged > 0 {
		e.notifyDivergences(n)
	}
	return ctx.Exit != jit.NoExit
}

// prepareContext sets the fields of the Context that do not depend on the warp.
func (e *Engine) prepareContext(n *compiledFunc, stop int, quantum uint64) {
	ctx := e.native.ctx
	ctx.Hints = unsafe.Pointer(unsafe.SliceData(n.hints))
	ctx.Shared = hintOf(&e.cta.Shared)
	if s := e.observers.shadow; s != nil && len(e.cta.Shared.Data) > 0 {
		ctx.Shared.Shadow = shadowOf(s.SharedShadow(&e.at, len(e.cta.Shared.Data)))
	}
	ctx.Window = ctx.Shared
	ctx.Window.Base += isa.SharedWindow
	ctx.Stop, ctx.Quantum = int64(stop), int64(quantum)
	ctx.Sides = n.Sides()
	if len(e.observers.divergence) > 0 {
		e.prepareDivergences(n)
	}
	ctx.Depth, ctx.Diverged, ctx.Withheld, ctx.LaneInstrs, ctx.Called = 0, 0, 0, 0, 0
}

// execLanes executes the path by lane functions up to a PC, or past the next branch. It reports whether Exec must
// return, and why.
func (e *Engine) execLanes(until int) (why lanes.Why, done bool) {
	p := &e.path
	stop, limit := p.Stop, p.Limit
	if stop > p.PC {
		until = min(until, stop)
	}
	p.Stop, p.Limit = until, 0
	why = p.Exec()
	p.Stop, p.Limit = stop, limit
	switch why {
	case lanes.AtStop:
		return why, p.PC == stop
	case lanes.Branched:
		return why, p.Steps >= limit
	}
	return why, true
}

// diverged counts what code has executed before its exit x with diverged lanes, and makes splits of the lanes that
// have not reconverged. The path is then that of the executing lanes.
func (e *Engine) diverged(budget int64, x *native.Exit) {
	p, ctx := &e.path, e.native.ctx
	steps := budget - ctx.Budget - ctx.Withheld
	lanesRan := ctx.LaneInstrs + (ctx.Counted-ctx.Budget)*int64(lanes.Mask(ctx.Mask).Count())
	e.Stats.DivergentBranches += uint64(ctx.Diverged)
	e.Stats.LaneInstrs += uint64(lanesRan - steps*int64(p.Mask.Count())) // in addition to the lanes that count counts
	p.Steps += uint64(steps)
	p.PC, p.First = x.PC, x.First
	p.Limit = p.Steps + uint64(ctx.Budget) // lower than before while instructions are withheld
	e.limit = p.Limit
	e.split.ID = e.warp.Control.Rejoined(e.split.ID)
	if ctx.Depth == 0 {
		return
	}
	e.count()
	control, s := e.warp.Control, e.split
	frames := ctx.Frames[:ctx.Depth/int64(unsafe.Sizeof(ctx.Frames[0]))]
	for i := range frames {
		f := &frames[i]
		inner := lanes.Mask(ctx.Mask)
		if i+1 < len(frames) {
			inner = lanes.Mask(frames[i+1].Outer)
		}
		target, next := int(e.fn.Info[f.Branch].Target), int(f.Branch)+1
		switch {
		case f.Pending != 0:
			e.groups = append(e.groups[:0], divergence.Group{PC: target, Mask: inner}, divergence.Group{PC: next, Mask: lanes.Mask(f.Pending)})
		case next != int(f.RPC):
			e.groups = append(e.groups[:0], divergence.Group{PC: int(f.RPC), Mask: lanes.Mask(f.Arrived)}, divergence.Group{PC: next, Mask: inner})
		default:
			e.groups = append(e.groups[:0], divergence.Group{PC: target, Mask: inner}, divergence.Group{PC: next, Mask: lanes.Mask(f.Arrived)})
		}
		control.Diverge(s.ID, int(f.Branch), e.groups)
		if !control.Ready(0, s) || s.Mask != inner {
			panic("simtrun bug: lanes that have diverged in compiled code are not a split")
		}
	}
	p.Mask, p.Stop, e.at.Split = s.Mask, s.Stop, s.Mask
	e.pathStop = s.Stop
}
