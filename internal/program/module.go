package program

import (
	"regexp"
	"slices"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/libdevice"
)

// Module is an index of a module, with functions by name and number, ready to lower its kernels.
type Module struct {
	Src     *isa.Module
	funcs   map[string]*isa.Func // as for isa.Module.Func
	numbers map[*isa.Func]int    // of functions that have addresses: their index in Src.Funcs
	locals  []*isa.Var           // variables of the module in local space: each activation has its own
	flushes bool                 // .f32 arithmetic always flushes subnormal numbers, as sm_1x did
	// functions of libdevice, written in Go, that calls of these names execute; nil if there are none
	served map[string]*libdevice.Func
}

var sm1x = regexp.MustCompile(`^sm_1[0-3]\b`)

// IsGlobal reports whether a name is that of a variable of the program's module in global or constant memory.
func (p *Program) IsGlobal(name string) bool {
	return p.mod != nil && slices.ContainsFunc(p.mod.Src.Vars, func(v *isa.Var) bool {
		return v.Name == name && (v.Space == isa.Global || v.Space == isa.Const)
	})
}

// NewModule indexes a module: functions by name, with their numbers. It provides functions of libdevice that the
// module declares and does not define, or returns an *isa.Error for them if provide is false.
func NewModule(src *isa.Module, provide bool) (*Module, error) {
	m := &Module{Src: src, funcs: make(map[string]*isa.Func), numbers: make(map[*isa.Func]int), flushes: sm1x.MatchString(src.Target)}
	for i, fn := range src.Funcs {
		if known := m.funcs[fn.Name]; known == nil || fn.Defined && !known.Defined {
			m.funcs[fn.Name] = fn
		}
		m.numbers[fn] = i
	}
	for _, a := range src.Aliases {
		m.funcs[a.Name] = src.Func(a.Name)
	}
	for _, v := range src.Vars {
		if v.Space == isa.Local {
			m.locals = append(m.locals, v)
		}
	}
	return m, m.provide(provide)
}

// provide provides the missing functions of libdevice. A wrong declaration is an error only if an instruction names
// the function, because compilers leave declarations of functions that they have inlined.
func (m *Module) provide(provide bool) error {
	for _, decl := range m.Src.Funcs {
		if decl.Defined || m.funcs[decl.Name] != decl || !libdevice.Owns(decl.Name) {
			continue
		}
		p, err := libdevice.Provide(decl, m.Src.AddressSize, m.Src.Target)
		if !provide {
			err = isa.Errorf(decl.Pos, "%s is declared but not defined in any module, and --no-libdevice leaves it undefined", decl.Name)
		}
		switch {
		case err == nil:
		case m.named(decl.Name):
			return err
		default:
			continue
		}
		if p.PTX != nil {
			m.funcs[decl.Name], m.numbers[p.PTX] = p.PTX, m.numbers[decl]
		}
		for _, inner := range p.Inner {
			m.funcs[inner.Name] = inner
		}
		if m.served == nil {
			m.served = make(map[string]*libdevice.Func)
		}
		for _, f := range p.Served {
			m.served[f.Name] = f
		}
	}
	return nil
}

// named reports whether an instruction of the module has a symbol as an operand.
func (m *Module) named(symbol string) bool {
	for _, fn := range m.Src.Funcs {
		for pc := range fn.Code {
			for i := range fn.Code[pc].Args {
				if fn.Code[pc].Args[i].Sym == symbol {
					return true
				}
			}
		}
	}
	return false
}

// Entry returns the kernel with a name, or nil.
func (m *Module) Entry(name string) *isa.Func {
	if f := m.funcs[name]; f != nil && f.Name == name && f.Entry && f.Defined {
		return f
	}
	return m.Src.Entry(name)
}

// FuncNumber returns the number of the function with a name: its index in Src.Funcs, where a function provided by
// libdevice has the index of its declaration.
func (m *Module) FuncNumber(name string) (number int, ok bool) {
	number, ok = m.numbers[m.funcs[name]]
	return number, ok
}
