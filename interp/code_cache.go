package interp

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"

	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/internal/native"
	"github.com/simtrun/simtrun/internal/program"
)

// natives are the compiled functions of a module's programs. Engines on several threads, and machines, share them.
type natives struct {
	mu    sync.Mutex
	funcs map[nativeKey]*native.Func
	made  atomic.Int64         // length of funcs
	heat  map[nativeKey]uint64 // of functions that are not compiled, after the latest launch; see compiledFunc
	// why functions, or their partial-mask code, could not be compiled; they are not tried again
	refused  map[nativeKey]error
	parts    map[partsKey][]native.Part
	cut      int // number of instructions of the parts in which all functions are compiled; 0 except in tests
	compiler native.Compiler
	budgets  int64 // a verifier enters code with every budget up to this one; 0 except in tests

	computing []*computing
	watched   []watchedIn
	// routines of products outside of functions; nil for products without one
	multipliers map[multiplierKey]*jit.Multiplier
	// routines of fetches from textures; nil where there is no memory for one
	fetchers map[fetcherKey]*jit.Fetcher
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

// whole returns a function made by get with partial-mask code, or without it if that cannot be compiled.
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
		fmt.Fprintf(os.Stderr, "%s\n%s\n%s\n%s\n", l.Plan, l.Regions, l.Code, l.Exits)
	}
}

func (k *nativeKey) subject(p *program.Program) native.Subject {
	return native.Subject{Program: p, Func: k.f, Part: k.part, Shape: k.shape, Level: k.level, Notes: k.notes, Shadow: k.shadow, Leave: k.leave, Inert: k.inert}
}
