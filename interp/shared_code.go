package interp

import (
	"sync"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/program"
)

// Code is a module with kernels that can be lowered and compiled. Machines of the same module in one Memory, one
// after the other or concurrently, share one Code, and each uses what earlier ones have compiled. Any goroutine may
// use it.
type Code struct {
	mod     *program.Module
	natives natives // functions as machine code

	mu       sync.Mutex
	programs map[lowered][]bound
}

// lowered identifies a program: a kernel, and how it is lowered, as program.Env says.
type lowered struct {
	kernel  *isa.Func
	precise bool
}

// bound is a program and the addresses that it used when it was lowered. It is valid for every machine that has the
// same addresses.
type bound struct {
	*program.Program
	symbols []symbol
}

// symbol is a name with the address that a program used; ok is false if the name has none.
type symbol struct {
	name string
	addr uint64
	ok   bool
}

// NewCode indexes a module. It provides libdevice functions that the module declares and does not define, or returns
// an *isa.Error for them if libdevice is false.
func NewCode(mod *isa.Module, libdevice bool) (*Code, error) {
	indexed, err := program.NewModule(mod, libdevice)
	if err != nil {
		return nil, err
	}
	return &Code{mod: indexed, programs: make(map[lowered][]bound)}, nil
}

// Module returns the module.
func (c *Code) Module() *isa.Module { return c.mod.Src }

// Undefined lists the functions and variables that kernels need and no module defines, each at its first use.
func (c *Code) Undefined() []*isa.Error {
	return c.mod.Undefined(func(name string) bool { return externals[name] != nil })
}

// program returns a lowered kernel for a machine in which symbols have addresses.
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
