package program

import (
	"fmt"

	"github.com/simtrun/simtrun/internal/isa"
)

// Variable is a variable in shared or local memory.
type Variable struct {
	*isa.Var
	Func  *isa.Func // the function that declares it; nil for a variable of the module, which each CTA has
	Addr  uint64    // in shared memory, or relative to the activation's part of local memory
	Bytes int64     // size, also of an unsized array
}

// IsDynamic reports whether v is the dynamic shared memory of a launch.
func (v *Variable) IsDynamic() bool { return isDynamic(v.Var) }

func isDynamic(v *isa.Var) bool {
	return v.Space == isa.Shared && v.Linkage == isa.Extern && v.Count == 0
}

// Variables returns the shared and local variables of a program, with shared bytes of shared memory in each CTA,
// those of its functions first.
func (p *Program) Variables(shared int64) []Variable {
	var all []Variable
	for _, f := range p.Funcs {
		for _, v := range f.Src.Vars {
			switch v.Space {
			case isa.Shared:
				all = append(all, Variable{v, f.Src, uint64(p.shared[sharedName(f.Src, v)]), v.Size()})
			case isa.Local:
				all = append(all, Variable{v, f.Src, uint64(f.local[v.Name]), v.Size()})
			}
		}
	}
	for _, v := range p.mod.Src.Vars {
		at, used := p.shared[sharedName(nil, v)]
		switch {
		case v.Space == isa.Local:
			for _, f := range p.Funcs {
				all = append(all, Variable{v, f.Src, uint64(f.local[v.Name]), v.Size()})
			}
		case v.Space != isa.Shared || !used:
		case isDynamic(v):
			all = append(all, Variable{v, nil, uint64(at), max(shared-at, 0)})
		default:
			all = append(all, Variable{v, nil, uint64(at), v.Size()})
		}
	}
	return all
}

// LocalSlot is a read-only slot with the address of a local variable, which depends on the activation.
type LocalSlot struct {
	Off  uint32
	At   uint64 // in the activation's part of local memory
	Wide bool
}

// placeShared lays out shared memory: the variables of the functions, and
// those of the module that they name. There is one of each per CTA.
func (p *Program) placeShared(fns []*isa.Func) {
	var dynamic []*isa.Var
	used := make(map[string]bool)
	for _, fn := range fns {
		for name := range namesIn(fn) {
			used[name] = true
		}
		for _, v := range fn.Vars {
			if v.Space == isa.Shared {
				p.shared[sharedName(fn, v)] = place(&p.Static, v)
			}
		}
	}
	for _, v := range p.mod.Src.Vars {
		switch {
		case v.Space != isa.Shared || !used[v.Name]:
		case isDynamic(v):
			dynamic = append(dynamic, v)
		default:
			p.shared[sharedName(nil, v)] = place(&p.Static, v)
		}
	}
	// All dynamic arrays start at the same place, after the static variables.
	align := int64(1)
	for _, v := range dynamic {
		align = max(align, int64(v.Align))
	}
	p.dynamicAt = alignUp(p.Static, align)
	for _, v := range dynamic {
		p.shared[sharedName(nil, v)] = p.dynamicAt
	}
}

// sharedName distinguishes a shared variable of a function from others of its name.
func sharedName(fn *isa.Func, v *isa.Var) string {
	if fn == nil {
		return v.Name
	}
	return fn.Name + " " + v.Name
}

// namesIn returns the symbols that the code of fn names.
func namesIn(fn *isa.Func) map[string]bool {
	names := make(map[string]bool)
	for i := range fn.Code {
		args := fn.Code[i].Args
		for k := range args {
			if a := &args[k]; a.Sym != "" && a.Kind != isa.TableOperand {
				names[a.Sym] = true
			}
		}
	}
	return names
}

// localAlign returns the alignment of an activation's part of local memory, which may have variables of any of fns
// and of the module.
func (m *Module) localAlign(fns []*isa.Func) int64 {
	align := int64(16)
	add := func(vars []*isa.Var) {
		for _, v := range vars {
			if v.Space == isa.Local {
				align = max(align, int64(v.Align))
			}
		}
	}
	add(m.locals)
	for _, fn := range fns {
		add(fn.Vars)
	}
	return align
}

// frameVar is a .param variable: its offset in the activation's, and its size in bytes.
type frameVar struct{ at, size int64 }

// placeVariables lays out the variables of each activation of f: its .param variables, and local ones, including those
// of the module. The parameters of a kernel are in the launch's parameter block.
func (f *Func) placeVariables(locals []*isa.Var, localAlign int64) {
	if f.Src.Entry {
		offsets, size := f.Src.ParamLayout()
		for i, v := range f.Src.Params {
			f.kernel[v.Name] = offsets[i]
		}
		f.ParamBytes = size
	} else {
		f.placeFrame(f.Src.Params)
		f.placeFrame(f.Src.Returns)
	}
	f.placeFrame(f.Src.Vars)
	f.FrameBytes = alignUp(f.FrameBytes, 16)
	f.placeLocal(f.Src.Vars)
	f.placeLocal(locals)
	f.LocalBytes, f.LocalAlign = alignUp(f.LocalBytes, localAlign), localAlign
}

func (f *Func) placeFrame(vars []*isa.Var) {
	for _, v := range vars {
		if v.Space == isa.Param {
			f.frame[v.Name] = frameVar{place(&f.FrameBytes, v), v.Size()}
		}
	}
}

func (f *Func) placeLocal(vars []*isa.Var) {
	for _, v := range vars {
		if v.Space == isa.Local {
			f.local[v.Name] = place(&f.LocalBytes, v)
		}
	}
}

// place puts v at the end of a space of *size bytes. Sizes stop at mostSpace, which is larger than any space, so that
// they do not wrap around.
func place(size *int64, v *isa.Var) int64 {
	const mostSpace = 1 << 60
	at := alignUp(*size, int64(max(v.Align, 1)))
	*size = min(at+v.Size(), mostSpace)
	return at
}

func alignUp(n, align int64) int64 { return (n + align - 1) / align * align }

// symbol is the meaning of a variable's or function's name in a function.
type symbol struct {
	addr  uint64
	local bool // addr is in the activation's part of local memory
	frame bool // addr is in the activation's .param variables
	// window is added to make addr generic; .param variables of an activation have no generic address.
	window uint64
}

func (p *Program) symbol(f *Func, name string) (symbol, error) {
	if v, ok := f.frame[name]; ok {
		return symbol{addr: uint64(v.at), frame: true}, nil
	}
	if at, ok := f.local[name]; ok {
		return symbol{addr: uint64(at), local: true, window: isa.Local.Window()}, nil
	}
	if at, ok := f.kernel[name]; ok {
		return symbol{addr: uint64(at), window: isa.Param.Window()}, nil
	}
	if at, ok := p.shared[f.Src.Name+" "+name]; ok {
		return symbol{addr: uint64(at), window: isa.Shared.Window()}, nil
	}
	if at, ok := p.shared[name]; ok {
		return symbol{addr: uint64(at), window: isa.Shared.Window()}, nil
	}
	addr, ok := p.Env.Address(name)
	if !ok {
		return symbol{}, fmt.Errorf("%s is declared but not defined", name)
	}
	return symbol{addr: addr}, nil
}
