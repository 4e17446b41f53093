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
	pages *pages
	size  int // bytes up to the end of the code
}

// pages are memory that Codes share of which one was appended to the other.
type pages struct {
	mapping []byte // whole pages; nil when closed
	used    int    // bytes of those that can be executed
	cleanup runtime.Cleanup
}

// breakpoint, INT3, fills what the code leaves of its last page.
const breakpoint = 0xCC

// NewCode copies code into new pages and makes them executable. Room is how many bytes
// of memory there are to be behind them for Append, which costs no memory before it is used. The error is
// ErrNoMemory with the system's reason where that is refused. A Code that is
// forgotten, with all that share its pages, is unmapped by the garbage collector: whoever enters it must keep
// it alive meanwhile.
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

// wholePages is n bytes, up to the end of a page.
func wholePages(n int) int {
	page := os.Getpagesize()
	return (n + page - 1) / page * page
}

// add writes code to the first pages that are not used, and makes them executable.
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
	if err := makeExecutable(to); err != nil {
		return fmt.Errorf("%w: %w", errNoMemory, err)
	}
	p.used += size
	return nil
}

// Next is the offset of code that is appended.
func (c *Code) Next() int { return c.pages.used }

// Append is c with more code from offset Next on, in pages of its own. The code of c stays where it is, and may be executed meanwhile; but nobody else
// may append to it.
func (c *Code) Append(code []byte) (*Code, error) {
	next := c.Next()
	if err := c.pages.add(code); err != nil {
		return nil, err
	}
	return &Code{c.pages, next + len(code)}, nil
}

// Addr is the address of the byte at offset, for Enter.
func (c *Code) Addr(offset int) uintptr {
	mapping := c.pages.mapping
	if mapping == nil || offset < 0 || offset >= c.size {
		panic(fmt.Sprintf("simtrun bug: offset %d in %d bytes of compiled code (closed: %t)", offset, c.size, mapping == nil))
	}
	return uintptr(unsafe.Pointer(&mapping[offset]))
}

// Close unmaps the code, and all that shares its pages. Nobody may be in it; a second Close does nothing.
func (c *Code) Close() {
	p := c.pages
	if p.mapping == nil {
		return
	}
	p.cleanup.Stop()
	release(p.mapping)
	p.mapping = nil
}
