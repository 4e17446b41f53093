// Package evaluate executes the machine code that package jit writes, instruction by instruction, on a model of an
// x86-64 CPU with AVX2 and AVX-512. So code of every level can be executed and checked on every machine.
//
// Only instructions that the encoder has are evaluated. Results are those of the CPU bit for bit: the tests of this
// package execute every encoding in testdata/encodings.txt of package jit on the CPU, if it has the level, and compare
// registers, flags and memory. Two things differ. Flags that an instruction leaves undefined stay as they were. And
// approximations that each CPU computes in its own way (VRCPPS, VRSQRT14PD and the like), which no code uses, are
// errors.
package evaluate

import (
	"errors"
	"fmt"
	"runtime/debug"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// CPU is the model of a CPU, for one goroutine. The zero value is ready to use. Decoded instructions are kept by
// address: code at an address that a CPU has executed must not change.
type CPU struct {
	// Regions, unless it is nil, is all memory that code may access; another access is an error. Otherwise only access
	// to memory that the process does not have is one.
	Regions []Region

	general [16]uint64
	flags   flags
	vectors [32]vec
	masks   [8]uint64
	control uint32  // MXCSR without the flags of exceptions
	next    uintptr // address of the next instruction
	// wide reports that a vector register below 16 may have a bit from 128 on that is not 0: code must clear them.
	wide bool

	stack   []uint64       // the return address is the last
	context unsafe.Pointer // of Enter; here, so that it is not on a stack, which may move

	pages  map[uintptr]*page
	number uintptr // of the page that was used last
	page   *page

	// Operands and results of vector instructions.
	sources [3]vec
	result  vec
}

// stackBytes is how much code may push; see jit.Enter.
const stackBytes = 64

// The page size of decoded instructions.
const (
	pageShift = 12
	pageBytes = 1 << pageShift
)

type page [pageBytes]*step

// step is an instruction that is ready to be evaluated.
type step struct {
	jit.Instr
	evaluate evaluation
	imm      uint8 // the last operand, if it is an immediate
	at       uintptr
}

// evaluation executes an instruction. c.next is the address of the following one.
type evaluation func(c *CPU, s *step)

// fault is an error that an instruction raises.
type fault struct{ what string }

func (f fault) Error() string { return f.what }

// fail raises an error in an evaluation.
func fail(format string, args ...any) { panic(fault{fmt.Sprintf(format, args...)}) }

// returned is the address to which code returns. No instruction is there.
const returned = 0

// defaultControl is MXCSR of Go: rounding to nearest, subnormal numbers kept, exceptions masked.
const defaultControl = 0x1f80

// Enter executes the code at entry up to its return, as jit.Enter does, and returns what it leaves in RAX. Registers
// have arbitrary values, except those for which jit.Enter says what they hold. The error says what code did that it
// must not do: an instruction that the encoder does not have, an access outside all memory, or a return with another
// control register or with wide vectors. Memory then has what the code has stored before.
func (c *CPU) Enter(entry uintptr, ctx unsafe.Pointer) (status uint64, err error) {
	c.spoil()
	c.general[jit.RAX], c.general[jit.R9], c.general[jit.RDI] = uint64(entry), uint64(uintptr(ctx)), uint64(uintptr(ctx))
	c.context, c.control, c.wide = ctx, defaultControl, false
	if c.stack == nil {
		c.stack = make([]uint64, stackBytes/8+1)
	}
	last := len(c.stack) - 1
	c.stack[last] = returned
	top := uint64(uintptr(unsafe.Pointer(&c.stack[last])))
	c.general[jit.RSP] = top
	if err := c.execute(entry); err != nil {
		return 0, err
	}
	switch {
	case c.general[jit.RSP] != top+8:
		return 0, fmt.Errorf("code at %#x returns with another stack pointer", entry)
	case c.control != defaultControl:
		return 0, fmt.Errorf("code at %#x returns with MXCSR %#x", entry, c.control)
	case c.wide:
		return 0, fmt.Errorf("code at %#x returns without VZEROUPPER", entry)
	}
	return c.general[jit.RAX], nil
}

// spoil gives all registers values that no code computes by chance.
func (c *CPU) spoil() {
	for i := range c.general {
		c.general[i] = 0xdead_0000_0000_0000 + uint64(i)
	}
	for i := range c.vectors {
		for k := range c.vectors[i] {
			c.vectors[i][k] = 0xfff7_dead_7fb7_0000 + uint64(i)
		}
	}
	for i := range c.masks {
		c.masks[i] = ^uint64(0)
	}
	c.flags = flags{carry: true, sign: true, parity: true}
}

// execute executes from an address up to the return.
func (c *CPU) execute(entry uintptr) (err error) {
	var s *step
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if r := recover(); r != nil {
			err = failure(r, s, c.next)
		}
	}()
	for c.next = entry; c.next != returned; {
		s = nil
		if s, err = c.at(c.next); err != nil {
			return err
		}
		c.next += uintptr(s.Size)
		s.evaluate(c, s)
	}
	return nil
}

// failure is the error for a panic in an evaluation: a fault, or memory that does not exist.
func failure(r any, s *step, next uintptr) error {
	var memory interface {
		error
		Addr() uintptr
	}
	var f fault
	err, ok := r.(error)
	switch {
	case !ok:
		panic(r)
	case s == nil:
		return fmt.Errorf("no code at %#x: %w", next, err)
	case errors.As(err, &f):
		return fmt.Errorf("%v at %#x: %w", &s.Instr, s.at, f)
	case errors.As(err, &memory):
		return fmt.Errorf("%v at %#x: no memory at %#x", &s.Instr, s.at, memory.Addr())
	}
	panic(r)
}

// at returns the instruction at an address.
func (c *CPU) at(addr uintptr) (*step, error) {
	if n := addr >> pageShift; n != c.number || c.page == nil {
		c.number, c.page = n, c.pages[n]
		if c.page == nil {
			if c.pages == nil {
				c.pages = make(map[uintptr]*page)
			}
			c.page = new(page)
			c.pages[n] = c.page
		}
	}
	if s := c.page[addr%pageBytes]; s != nil {
		return s, nil
	}
	s, err := decode(unsafe.Slice((*byte)(pointer(uint64(addr))), mostBytes), addr)
	if err != nil {
		return nil, fmt.Errorf("at %#x: %w", addr, err)
	}
	c.page[addr%pageBytes] = s
	return s, nil
}

// mostBytes is the greatest length of an instruction.
const mostBytes = 15

// decode decodes an instruction and finds its evaluation.
func decode(code []byte, addr uintptr) (*step, error) {
	in, ok := jit.Decode(code)
	if !ok {
		return nil, errors.New("no instruction of the encoder's")
	}
	s := &step{Instr: in, evaluate: evaluationOf(&in), at: addr}
	if s.evaluate == nil {
		return nil, fmt.Errorf("%v is not evaluated", &in)
	}
	if n := len(in.Args); n > 0 && in.Args[n-1].Kind == jit.Immediate {
		s.imm = uint8(in.Args[n-1].Value)
	}
	return s, nil
}

// evaluationOf returns the evaluation of an instruction, or nil.
func evaluationOf(in *jit.Instr) evaluation {
	for _, table := range []map[string]evaluation{generals, maskRegisters, integers, comparisons, shifts, permutations, parts, moves, floats, conversions} {
		if e := table[in.Name]; e != nil {
			return e
		}
	}
	return nil
}

// pointer is an address as a pointer. The memory is that of code, or of a jit.Context and all that it points to, which
// callers keep alive.
func pointer(addr uint64) unsafe.Pointer {
	if addr < pageBytes { // Go's runtime does not say which address a nil pointer was
		fail("no memory at %#x", addr)
	}
	a := uintptr(addr)
	return *(*unsafe.Pointer)(unsafe.Pointer(&a))
}
