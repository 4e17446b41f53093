package interp

import (
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// Code is a module whose kernels can be lowered and compiled. Machines of the same module, in one Memory after the other or
// side by side, have one Code: each uses what those before it have made. Any goroutine may use it.
type Code struct {
	mod     *program.Module
	natives natives // functions as machine code

	mu       sync.Mutex
	programs map[lowered][]bound
}

// lowered names a program: a kernel, and how it is lowered, as program.Env says.
type lowered struct {
	kernel  *isa.Func
	precise bool
}

// bound is a program, and the addresses for which it asked when it was lowered: it is right for every machine that has
// the same.
type bound struct {
	*program.Program
	symbols []symbol
}

// symbol is a name for whose address a program asked; none if ok is false.
type symbol struct {
	name string
	addr uint64
	ok   bool
}

// NewCode indexes a module. Functions of libdevice that it declares and does not define are provided, or if they are not
// to be, are an *isa.Error.
func NewCode(mod *isa.Module, libdevice bool) (*Code, error) {
	indexed, err := program.NewModule(mod, libdevice)
	if err != nil {
		return nil, err
	}
	return &Code{mod: indexed, programs: make(map[lowered][]bound)}, nil
}

// Module is the module.
func (c *Code) Module() *isa.Module { return c.mod.Src }

// Undefined are the functions and variables that kernels need and no module defines, each where it is named first.
func (c *Code) Undefined() []*isa.Error {
	return c.mod.Undefined(func(name string) bool { return externals[name] != nil })
}

// program is a kernel lowered, for a machine in which symbols have addresses.
func (c *Code) program(key lowered, address func(name string) (uint64, bool)) (*program.Program, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
next:
	for _, b := range c.programs[key] {
		for _, s := range b.symbols {
			if addr, ok := address(s.name); addr != s.addr || ok != s.ok {
				continue next
			}
		}
		return b.Program, nil
	}
	var symbols []symbol
	p, err := c.mod.Lower(key.kernel, program.Env{Precise: key.precise, Address: func(name string) (uint64, bool) {
		addr, ok := address(name)
		symbols = append(symbols, symbol{name, addr, ok})
		return addr, ok
	}})
	if err != nil {
		return nil, err
	}
	c.programs[key] = append(c.programs[key], bound{p, symbols})
	return p, nil
}
