package interp

import (
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/native"
)

// Uncompiled is a function that was executed often enough to be compiled but could not be: the Go loop executed it,
// which takes many times as long.
type Uncompiled struct {
	Func    string
	Pos     isa.Pos // of the function
	Partial bool    // only its code for warps with diverged or exited lanes is not compiled
	Reason  string
	Stack   string // after a panic of the compiler; "" otherwise
	// Observed says that it could have been compiled, but observers had to see each instruction.
	Observed bool
}

// String returns a line for users.
func (u *Uncompiled) String() string {
	name := cxx.Short(u.Func)
	what := name
	if u.Partial {
		what = "the code of " + name + " for diverged lanes"
	}
	if u.Observed {
		return fmt.Sprintf("%s ran without compiled code and took many times as long: %s", what, u.Reason)
	}
	bug := ""
	if u.Stack != "" {
		bug = "; please report this with what simtrun run -v prints"
	}
	return fmt.Sprintf("%s is not compiled and takes many times as long: %s%s", what, u.Reason, bug)
}

// Uncompiled returns the functions of a launch that could not be compiled, in the order of their numbers; executed is
// the launch's number of warp instructions. If observers prevented the compilation of the kernel, it is compiled now,
// provided that it would have been without them.
func (g *Grid) Uncompiled(executed uint64) (all []Uncompiled) {
	if !g.compiles() {
		return nil
	}
	n, os := &g.m.code.natives, ObserversOf(g.Launch.Observers)
	if !os.needEach() && !n.refuses() {
		return nil
	}
	key := nativeKey{f: g.p.Kernel(), shape: native.ShapeOf(g.Launch.Block), shadow: g.shadowed(), level: g.m.cfg.lanes(), leave: g.leaves()}
	after, _ := g.m.cfg.compileAfter()
	if os.needEach() && executed >= after*uint64(len(key.f.Ops)) {
		parts := n.partsOf(key.f, key.shape)
		if parts != nil || n.get(g.p, key) != nil {
			all = append(all, Uncompiled{Func: key.f.Src.Name, Pos: key.f.Src.Pos, Reason: "observers see each instruction", Observed: true})
		}
		if parts == nil {
			n.whole(g.p, key)
		}
	}
	for _, key.f = range g.p.Funcs {
		if u, ok := n.uncompiled(key); ok {
			all = append(all, u)
		}
	}
	return all
}

// refuses reports whether there is a function that was not compiled.
func (n *natives) refuses() bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.refused) > 0
}

// uncompiled returns false for a function that was compiled, with and without notes and in all parts, or was not
// executed often enough.
func (n *natives) uncompiled(key nativeKey) (u Uncompiled, ok bool) {
	parts := append([]native.Part{{}}, n.partsOf(key.f, key.shape)...)
	n.mu.Lock()
	defer n.mu.Unlock()
	var err error
	for i := 0; i < 2*len(parts) && err == nil; i++ {
		key.part, key.notes = parts[i/2], i%2 == 1
		err = n.refused[key]
	}
	if err == nil {
		return u, false
	}
	u = Uncompiled{Func: key.f.Src.Name, Pos: key.f.Src.Pos, Partial: n.funcs[key] != nil, Reason: err.Error()}
	if r, ok := errors.AsType[*native.Refusal](err); ok {
		u.Reason, u.Stack = r.Reason, r.Stack
	}
	return u, true
}

// refuse records why the Go loop executes a function, or its partial-mask code.
func (n *natives) refuse(key nativeKey, err error) {
	if n.refused == nil {
		n.refused = make(map[nativeKey]error)
	}
	n.refused[key] = err
}
