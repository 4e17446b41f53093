package evaluate

import (
	"math/bits"
	"sync/atomic"
	"unsafe"

	"github.com/simtrun/simtrun/internal/lanes/jit"
)

// Region is memory that code may access.
type Region struct {
	Base uintptr
	Size uintptr
	Read bool // code may only read it
}

// permit fails unless code may access n bytes.
func (c *CPU) permit(addr, n uint64, stores bool) {
	if c.Regions == nil {
		return
	}
	for i := range c.Regions {
		if r := &c.Regions[i]; addr-uint64(r.Base) < uint64(r.Size) && n <= uint64(r.Size)-(addr-uint64(r.Base)) && !(stores && r.Read) {
			return
		}
	}
	fail("access to %d bytes at %#x, which are in no region (it stores: %t)", n, addr, stores)
}

// load reads 1<<log bytes.
//
//go:norace
func (c *CPU) load(addr uint64, log uint8) uint64 {
	c.permit(addr, 1<<log, false)
	p := pointer(addr)
	switch log {
	case 0:
		return uint64(*(*uint8)(p))
	case 1:
		return uint64(*(*uint16)(p))
	case 2:
		return uint64(*(*uint32)(p))
	}
	return *(*uint64)(p)
}

// store writes the low 1<<log bytes of v.
//
//go:norace
func (c *CPU) store(addr uint64, log uint8, v uint64) {
	c.permit(addr, 1<<log, true)
	p := pointer(addr)
	switch log {
	case 0:
		*(*uint8)(p) = uint8(v)
	case 1:
		*(*uint16)(p) = uint16(v)
	case 2:
		*(*uint32)(p) = uint32(v)
	default:
		*(*uint64)(p) = v
	}
}

// loadBytes reads n bytes, a power of two, to the start of v.
func (c *CPU) loadBytes(v *vec, addr uint64, n int) {
	if n < 8 {
		v[0] = c.load(addr, uint8(bits.TrailingZeros(uint(n))))
		return
	}
	for i := range n / 8 {
		v[i] = c.load(addr+8*uint64(i), 3)
	}
}

// storeBytes writes n bytes, a power of two, from the start of v.
func (c *CPU) storeBytes(v *vec, addr uint64, n int) {
	if n < 8 {
		c.store(addr, uint8(bits.TrailingZeros(uint(n))), v[0])
		return
	}
	for i := range n / 8 {
		c.store(addr+8*uint64(i), 3, v[i])
	}
}

// onStack is the index in the stack of an address.
func (c *CPU) onStack(addr uint64) int {
	i := addr - uint64(uintptr(unsafe.Pointer(&c.stack[0])))
	if i%8 != 0 || i/8 >= uint64(len(c.stack)) {
		fail("the stack has %d bytes", stackBytes)
	}
	return int(i / 8)
}

// replace replaces 1<<log bytes by the result of f for them, atomically for other threads, and returns the old bytes.
func replace(addr uint64, log uint8, f func(old uint64) uint64) uint64 {
	if addr%(1<<log) != 0 {
		fail("atomic access to %d bytes at %#x, which is not a multiple of that", 1<<log, addr)
	}
	if log == 3 {
		p := (*uint64)(pointer(addr))
		for {
			old := atomic.LoadUint64(p)
			if atomic.CompareAndSwapUint64(p, old, f(old)) {
				return old
			}
		}
	}
	p, shift := (*uint32)(pointer(addr&^3)), 8*(addr&3)
	for {
		word := atomic.LoadUint32(p)
		old := uint64(word) >> shift & ones(log)
		changed := word&^uint32(ones(log)<<shift) | uint32(f(old)&ones(log)<<shift)
		if atomic.CompareAndSwapUint32(p, word, changed) {
			return old
		}
	}
}

// replace is replace for operand 0, a register or memory; without LOCK, the access is not atomic.
func (c *CPU) replace(s *step, locked bool, f func(old uint64) uint64) uint64 {
	a := &s.Args[0]
	if a.Kind == jit.Memory && locked {
		c.permit(c.address(a), 1<<a.Log, true)
		return replace(c.address(a), a.Log, f)
	}
	old := c.value(s, 0)
	c.set(s, 0, f(old))
	return old
}

// exchange is atomic if it accesses memory.
func (c *CPU) exchange(s *step) {
	v := c.value(s, 1)
	c.set(s, 1, c.replace(s, true, func(uint64) uint64 { return v }))
}

func (c *CPU) exchangeAdd(s *step) {
	v, log := c.value(s, 1), s.Args[0].Log
	old := c.replace(s, s.Lock, func(old uint64) uint64 { return old + v })
	if s.Args[0].Kind == jit.General { // the sum, if both are the same register
		sum := c.value(s, 0)
		c.set(s, 1, old)
		c.set(s, 0, sum)
	} else {
		c.set(s, 1, old)
	}
	addition(c, old, v, log)
}

func (c *CPU) compareExchange(s *step) {
	log := s.Args[0].Log
	with, v := c.general[jit.RAX]&ones(log), c.value(s, 1)
	old := c.replace(s, s.Lock, func(old uint64) uint64 {
		if old == with {
			return v
		}
		return old
	})
	subtraction(c, with, old, log)
	if old != with {
		c.setRegister(jit.RAX, log, old)
	}
}
