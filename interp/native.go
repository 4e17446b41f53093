package interp

import (
	"os"
	"unsafe"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
	"github.com/simtrun/simtrun/memory"
)

// Compilation says when functions are compiled to machine code.
type Compilation uint8

const (
	CompileHot    Compilation = iota // once that pays; see Engine.isWorthCode
	CompileAlways                    // before the first instruction: for tests
	CompileWanted                    // like CompileAlways, but partial-mask code (native.Compiler.Partial) once it is needed
	CompileNever
)

// partialAfter is how many times code exits for want of partial-mask code before that is compiled. The exits may not
// occur again: usually they come from the end of a grid.
const partialAfter = 8

// compileAlways makes every machine compile before the first instruction, to run the tests of this module that way.
var compileAlways = os.Getenv("SIMTRUN_COMPILE") == "always"

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
	partial  int    // entries to partial-mask code before it is compiled
	ctx      *jit.Context
	trail    *trail            // nil unless code leaves one
	changes  []trailedChange   // scratch space of following.undo
	arrived  []int             // scratch space of following
	cpu      Evaluator         // of Config.Evaluate; else nil
	funcs    []compiledFunc    // by function
	copies   [][]hintCopies    // by function: where it is inlined
	left     map[leftAt]uint64 // counts of compiledFunc.left that were taken
	now      *compiledFunc     // of the site
	turns    []jit.Turn        // see TakeTurns
	turned   []Turn            // these turns, as the driver knows them
	turnsOf  *CTA              // CTA of these turns, as StartInTurns has made them; else nil
	// startsInCode says for turnsOf that code itself starts the CTAs that follow.
	startsInCode bool
	verifier     *verifier // nil unless Config.Verify
	// endsTurns says that warps get the state that they have after turns: observers have been notified of these.
	endsTurns bool
	inTurn    bool // code has executed the path that is entered next, in a turn; ctx has the state in which it exited
}

func (c *compiled) keyOf(f *program.Func, part native.Part) nativeKey {
	return nativeKey{f, part, c.shape, c.notes, c.shadow, c.level, c.leave, c.cpu != nil}
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
	wanted int        // times that partial-mask code was needed
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
// of entries after which its partial-mask code is.
func (c *Config) compileAfter() (executions uint64, partial int) {
	switch {
	case compileAlways || c.Compile == CompileAlways:
		return 0, 0
	case c.Verify || c.Compile == CompileWanted:
		return 0, 1
	}
	return compileAfter, partialAfter
}

// useNative allocates the state that code needs. It is called before the first instructions that code might execute:
// not earlier, because a launch with a clock has many engines that never execute code.
func (e *Engine) useNative() {
	e.native.after, e.native.partial = e.m.cfg.compileAfter()
	e.native.notes, e.native.level, e.native.leave = e.watcher != nil, e.m.cfg.lanes(), e.grid.leaves()
	if e.journal != nil && e.grid.computing != nil {
		e.native.leave = e.grid.computing.leave
	}
	if e.m.cfg.Verify && (e.stack.sharing <= 1 || e.journal != nil) { // no other thread changes memory that code accesses
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

// lookUp finds the knowledge of other engines about a function.
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
	if e.native.partial == 0 {
		n.Func = e.m.code.natives.whole(e.p, e.native.keyOf(e.fn, n.part))
	}
}

// wantPartial counts that partial-mask code of the site's function was needed, and compiles it if that was often
// enough.
func (e *Engine) wantPartial(n *compiledFunc) {
	if n.wanted++; n.wanted == e.native.partial {
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
		return nowhere(r) // code uses offsets with the alignment of addresses
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
		return nowhere(r) // the watcher must see each access
	}
	h.Data, h.Notes = unsafe.Pointer(unsafe.SliceData(data)), unsafe.Pointer(unsafe.SliceData(pages))
	if h.Notes != nil && isa.Kind(f.Ops[pc].Kind) == isa.Load {
		e.native.ctx.ReadsNoted = 1
	}
	return h
}

// The layout that code assumes for pages of notes.
var (
	_ = [1]struct{}{}[jit.NotePageBytes-memory.PageBytes]
	_ = [1]struct{}{}[jit.NoteOverhang-memory.PageOverhang]
)

func hintOf(r *memory.Region) jit.Hint {
	return jit.Hint{Base: r.Base, Len: uint64(len(r.Data)), Data: unsafe.Pointer(unsafe.SliceData(r.Data))}
}

// nowhere is the hint with which code leaves to the engine an access whose lanes were last in region r: no address is
// in it. Without a hint, code would look for a generic address in shared memory, as if r were not known.
func nowhere(r *memory.Region) jit.Hint {
	return jit.Hint{Data: unsafe.Pointer(unsafe.SliceData(r.Data))}
}

// partsOf is the hint for memory that is divided into equal parts, one for each lane.
func partsOf(data []byte) jit.Hint {
	return jit.Hint{Len: uint64(len(data) / lanes.Width), Data: unsafe.Pointer(unsafe.SliceData(data))}
}

// setParts makes h partsOf(data), by field: a copy of the whole waits for the stores of its parts.
func setParts(h *jit.Hint, data []byte) {
	h.Base, h.Len, h.Data, h.Notes, h.Shadow = 0, uint64(len(data)/lanes.Width), unsafe.Pointer(unsafe.SliceData(data)), nil, nil
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
