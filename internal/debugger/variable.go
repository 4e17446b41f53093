package debugger

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/debuginfo"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/source"
)

// info returns the debug information on variables of the scope's function; nil if there is none.
func (s *scope) info() *debuginfo.Info {
	switch {
	case s.frame != divergence.NoFrame:
		return debuginfo.Of(s.fn())
	case len(s.d.fns) > 0:
		return debuginfo.Of(s.d.fns[0])
	}
	return nil
}

// frames returns the functions around the scope, its own first: those of the debug information, which has none for an
// inlined call at the instructions that the compiler has moved out of it.
func (s *scope) frames() []debuginfo.Frame {
	info := s.info()
	if info == nil || s.frame == divergence.NoFrame {
		return nil
	}
	frames := info.Frames(s.fn(), s.pc)
	if s.outer >= len(frames) && s.outer != outermost {
		return nil
	}
	return frames[max(0, len(frames)-1-s.outer):]
}

// variables returns the variables of the source that are visible in the scope, those of inner blocks first.
func (s *scope) variables() []*debuginfo.Variable {
	frames := s.frames()
	if len(frames) == 0 {
		return nil
	}
	return frames[0].Vars
}

// outermost is a number of calls that no code was inlined through, for scope.outer: the innermost function.
const outermost = 1 << 30

// variable returns the variable of the source with a name: a visible one, or one of the module.
func (s *scope) variable(name string) *debuginfo.Variable {
	if v := s.local(name); v != nil {
		return v
	}
	return s.global(name)
}

// local returns the variable with a name that is visible in the function.
func (s *scope) local(name string) *debuginfo.Variable {
	all := s.variables()
	if i := slices.IndexFunc(all, func(v *debuginfo.Variable) bool { return v.Name == name && name != "" }); i >= 0 {
		return all[i]
	}
	return nil
}

// global returns the variable outside functions that a name means in the scope. One of a namespace or class around the
// function comes first; a name that means several others means none of them.
func (s *scope) global(name string) (found *debuginfo.Variable) {
	info := s.info()
	if info == nil || name == "" || strings.ContainsAny(name, "%$") || builtins[name] != "" {
		return nil
	}
	best := 0
	for _, v := range info.Globals() {
		switch n := debuginfo.Match(v.Global, name, s.function()); {
		case n > best:
			best, found = n, v
		case n == 1 && best == 1 && found != nil && found.Global != v.Global:
			found = nil // unless a better one follows
		}
	}
	return found
}

// function returns the name in C++ of the function of the scope, with namespaces and classes; "" if there is none.
func (s *scope) function() string {
	frames := s.frames()
	if len(frames) == 0 {
		return ""
	}
	return cxx.Name(frames[0].Symbol)
}

// errUnset is the error for a variable before the code that begins its function.
var errUnset = errors.New("has no value before the first line of the function has begun")

// located returns where the value of a variable is, in each lane. If only types are asked for, it can be anywhere.
func (s *scope) located(v *debuginfo.Variable) (l lvalue, err error) {
	if l, err = s.foundAt(v); err != nil && s.types {
		l.inMemory, l.space, l.addr.typ, err = true, "local", isa.U64, nil
	}
	return l, err
}

// foundAt is located for scopes that ask for values.
func (s *scope) foundAt(v *debuginfo.Variable) (lvalue, error) {
	out := lvalue{typ: v.Type, text: cmp.Or(v.Global, v.Name)}
	if begins := s.frame != divergence.NoFrame && s.pc < source.Begin(s.fn()); begins && slices.Contains(s.variables(), v) {
		if param, ok := s.passed(v); ok {
			return param, nil
		}
		if !isShared(v, s) {
			return out, errorf("%s %w", v.Name, errUnset)
		}
	}
	env := &laneEnv{s: s}
	for lane := range lanes.Width {
		env.lane = lane
		p, err := s.info().Locate(v, s.pc, env)
		if err != nil {
			if param, ok := s.passed(v); ok {
				return param, nil
			}
			return out, errorf("%s: %w", v.Name, s.explained(err))
		}
		out.put(lane, &p)
		if !env.ofLane {
			out.same(&p)
			break
		}
	}
	// A register may have the address of a parameter in its own space.
	if param, ok := s.passed(v); ok && (out.reg != "" || out.space == "global" && !s.isAddress(out.addr.bits[s.lead()])) {
		return param, nil
	}
	return out, nil
}

// isAddress reports whether a generic address is one of memory.
func (s *scope) isAddress(addr uint64) bool {
	_, _, inWindow := s.window(addr)
	return inWindow || s.d.pointsTo(addr) != nil
}

// isShared reports whether a variable is not one of a thread: it has its value before the function begins.
func isShared(v *debuginfo.Variable, s *scope) bool {
	p, err := s.info().Locate(v, s.pc, &laneEnv{s: s})
	return err == nil && p.Register == "" && p.Space != debuginfo.InLocal
}

// explained adds to the error for a variable without a value what can be done about it.
func (s *scope) explained(err error) error {
	if !errors.Is(err, debuginfo.ErrOptimisedOut) {
		return err
	}
	return errorf("%w here: the compiler keeps its value nowhere that debug information names; simtrun cc -G does not optimise", err)
}

// passed returns a parameter of the kernel as it was passed.
func (s *scope) passed(v *debuginfo.Variable) (lvalue, bool) {
	if !v.Param || len(s.d.fns) == 0 || s.frame != divergence.NoFrame && s.fn() != s.d.fns[0] {
		return lvalue{}, false
	}
	kernel := s.d.fns[0]
	i := slices.IndexFunc(kernel.Params, func(p *isa.Var) bool { return isParam(p, v.Name) })
	offsets, size := kernel.ParamLayout()
	if i < 0 || size > int64(len(s.d.launch().Params)) {
		return lvalue{}, false
	}
	return lvalue{typ: v.Type, text: v.Name, space: "param", addr: uniform(isa.U64, uint64(offsets[i])), inMemory: true}, true
}

// laneEnv is what a lane has, for the places of variables.
type laneEnv struct {
	s      *scope
	lane   int
	ofLane bool // a place depended on the lane
}

// Register implements debuginfo.Env.
func (e *laneEnv) Register(name string) (uint64, bool) {
	e.ofLane = true
	if e.s.frame == divergence.NoFrame {
		return 0, false
	}
	id, ok := regIn(e.s.fn(), name)
	if !ok {
		return 0, false
	}
	return e.s.w.Reg(e.s.frame, id)[e.lane], true
}

// Symbol implements debuginfo.Env.
func (e *laneEnv) Symbol(name string) (uint64, bool) {
	if o, ok := e.s.object(name); ok {
		return o.addr, true
	}
	if r := e.s.d.program.Machine.Var(name); r != nil {
		return r.Base, true
	}
	return 0, false
}

// Frame implements debuginfo.Env.
func (e *laneEnv) Frame() (uint64, bool) {
	if e.s.frame == divergence.NoFrame {
		return 0, false
	}
	return e.s.w.LocalAt(e.s.frame), true
}

// Load implements debuginfo.Env.
func (e *laneEnv) Load(space debuginfo.Space, addr uint64, size int) (uint64, bool) {
	e.ofLane = true
	data, ok := e.s.bytesAt(spaceOf(space), e.lane, addr, size)
	if !ok {
		return 0, false
	}
	return load(data), true
}

// spaceOf returns the name of a space; generic addresses are read as global ones.
func spaceOf(space debuginfo.Space) string {
	switch space {
	case debuginfo.InLocal:
		return "local"
	case debuginfo.InShared:
		return "shared"
	case debuginfo.InParam:
		return "param"
	}
	return "global"
}
