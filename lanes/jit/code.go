package jit

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// Code is machine code in executable memory. It has pages of its own: they are
// written while nothing can be executed there, and never again once something
// can. Functions that are compiled together share a Code, as the smallest is
// 4 KiB and each costs two system calls.
type Code struct {
	mapping []byte // whole pages; nil when closed
	size    int    // bytes of code, at the beginning of the mapping
	cleanup runtime.Cleanup
}

// breakpoint, INT3, fills what the code leaves of its last page.
const breakpoint = 0xCC

// NewCode copies code into new pages and makes them executable. The error is
// ErrNoMemory with the system's reason where that is refused. A Code that is
// forgotten is unmapped by the garbage collector: whoever enters it must keep
// it alive meanwhile.
func NewCode(code []byte) (*Code, error) {
	if len(code) == 0 {
		return nil, errors.New("no machine code")
	}
	page := os.Getpagesize()
	mapping, err := allocate((len(code) + page - 1) / page * page)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNoMemory, err)
	}
	if rest := mapping[copy(mapping, code):]; len(rest) > 0 {
		rest[0] = breakpoint
		for n := 1; n < len(rest); n *= 2 {
			copy(rest[n:], rest[:n])
		}
	}
	if err := makeExecutable(mapping); err != nil {
		release(mapping)
		return nil, fmt.Errorf("%w: %w", ErrNoMemory, err)
	}
	c := &Code{mapping: mapping, size: len(code)}
	c.cleanup = runtime.AddCleanup(c, release, mapping)
	return c, nil
}

// Addr is the address of the byte at offset, for Enter.
func (c *Code) Addr(offset int) uintptr {
	if c.mapping == nil || offset < 0 || offset >= c.size {
		panic(fmt.Sprintf("simtrun bug: offset %d in %d bytes of compiled code (closed: %t)", offset, c.size, c.mapping == nil))
	}
	return uintptr(unsafe.Pointer(&c.mapping[offset]))
}

// Close unmaps the code. Nobody may be in it; a second Close does nothing.
func (c *Code) Close() {
	if c.mapping == nil {
		return
	}
	c.cleanup.Stop()
	release(c.mapping)
	c.mapping = nil
}
