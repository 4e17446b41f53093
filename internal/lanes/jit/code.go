package jit

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

// Code is machine code in executable memory. It has its own pages, which are written before they become executable,
// and never again afterwards. Functions that are compiled together share a Code, because the smallest takes 4 KiB,
// and each costs two system calls.
type Code struct {
	pages *pages
	size  int // bytes up to the end of the code
}

// pages are the memory of a Code and of those that were appended to it.
type pages struct {
	mapping []byte // whole pages; nil when closed
	inert   bool   // they are ordinary memory, which is not executable
	used    int    // number of executable bytes
	cleanup runtime.Cleanup
}

// breakpoint, INT3, fills the last page after the code.
const breakpoint = 0xCC

// NewCode copies code into new pages and makes them executable. room is how many bytes of memory to reserve after
// them for Append, which cost no memory until they are used. If the system refuses, the error is errNoMemory with the
// system's reason. The garbage collector unmaps a Code that is unreachable, with all that share its pages: callers
// that enter the code must keep it alive meanwhile.
func NewCode(code []byte, room int) (*Code, error) {
	if len(code) == 0 {
		return nil, errors.New("no machine code")
	}
	mapping, err := allocate(wholePages(len(code)) + wholePages(room))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoMemory, err)
	}
	p := &pages{mapping: mapping}
	if err := p.add(code); err != nil {
		release(mapping)
		return nil, err
	}
	p.cleanup = runtime.AddCleanup(p, release, mapping)
	return &Code{p, len(code)}, nil
}

// NewInert is NewCode for code that is evaluated and not entered (package evaluate): its memory is not executable, so
// that it needs neither the system's consent nor an x86-64 CPU.
func NewInert(code []byte, room int) (*Code, error) {
	if len(code) == 0 {
		return nil, errors.New("no machine code")
	}
	p := &pages{mapping: make([]byte, wholePages(len(code))+wholePages(room)), inert: true}
	if err := p.add(code); err != nil {
		return nil, err
	}
	return &Code{p, len(code)}, nil
}

// wholePages rounds n bytes up to whole pages.
func wholePages(n int) int {
	page := os.Getpagesize()
	return (n + page - 1) / page * page
}

// add writes code to the first unused pages, and makes them executable.
func (p *pages) add(code []byte) error {
	size := wholePages(len(code))
	if size > len(p.mapping)-p.used {
		return fmt.Errorf("%d bytes of machine code where there is room for %d", len(code), len(p.mapping)-p.used)
	}
	to := p.mapping[p.used:][:size:size]
	if rest := to[copy(to, code):]; len(rest) > 0 {
		rest[0] = breakpoint
		for n := 1; n < len(rest); n *= 2 {
			copy(rest[n:], rest[:n])
		}
	}
	if !p.inert {
		if err := makeExecutable(to); err != nil {
			return fmt.Errorf("%w: %w", errNoMemory, err)
		}
	}
	p.used += size
	return nil
}

// Next is the offset of the next code that is appended.
func (c *Code) Next() int { return c.pages.used }

// Append returns c with more code from offset Next on, in separate pages. The code of c stays in place, and may be
// executed meanwhile; only one caller may append to c.
func (c *Code) Append(code []byte) (*Code, error) {
	next := c.Next()
	if err := c.pages.add(code); err != nil {
		return nil, err
	}
	return &Code{c.pages, next + len(code)}, nil
}

// Addr returns the address of the byte at offset, for Enter.
func (c *Code) Addr(offset int) uintptr {
	mapping := c.pages.mapping
	if mapping == nil || offset < 0 || offset >= c.size {
		c.noAddr(offset)
	}
	return uintptr(unsafe.Pointer(&mapping[offset]))
}

// noAddr panics, out of Addr, so that this can be inlined.
//
//go:noinline
func (c *Code) noAddr(offset int) {
	panic(fmt.Sprintf("simtrun bug: offset %d in %d bytes of compiled code (closed: %t)", offset, c.size, c.pages.mapping == nil))
}

// Close unmaps the code, and all that shares its pages. No thread may be executing it; a second Close has no effect.
func (c *Code) Close() {
	p := c.pages
	if p.mapping == nil {
		return
	}
	if !p.inert {
		p.cleanup.Stop()
		release(p.mapping)
	}
	p.mapping = nil
}
