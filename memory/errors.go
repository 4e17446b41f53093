package memory

import (
	"errors"
	"fmt"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
)

// The kinds of errors of accesses, for errors.Is on errors of package interp.
var (
	ErrBounds     = errors.New("mem-oob")
	ErrMisaligned = errors.New("mem-misaligned")
	ErrReadOnly   = errors.New("mem-readonly")
	ErrSpace      = errors.New("mem-space")
	ErrFreed      = errors.New("mem-freed")
)

// AccessError is an invalid access.
type AccessError struct {
	Err    error     // one of the errors above: its text is the finding's rule
	What   string    // "load", "store", "atomic"
	Space  isa.Space // of the instruction; the address was in this space
	Addr   uint64    // of the first lane at fault
	Size   int       // bytes that a lane accesses
	Region *Region   // the region that contains the address or is nearest to it, or nil
	Actual string    // with ErrSpace: a clause that explains the address; with ErrFreed: the former region
	Hint   string    // a probable cause, and advice; "" for none
}

// Unwrap returns the kind of error.
func (e *AccessError) Unwrap() error { return e.Err }

// Error returns one line: the access, its place, and the nearest region.
func (e *AccessError) Error() string {
	name := ""
	if e.Region != nil {
		name = e.Region.Shown()
	}
	switch {
	case e.Err == ErrMisaligned:
		return fmt.Sprintf("misaligned %s: %s is not a multiple of %d bytes [%v]", e.What, e.place(), e.Size, e.Err)
	case e.Err == ErrReadOnly:
		return fmt.Sprintf("%s to %s, which is read-only [%v] %s", e.What, name, e.Err, e.place())
	case e.Err == ErrSpace:
		in := fmt.Sprintf("%s in .%s space", e.What, e.Space)
		if e.Space == isa.Generic {
			in = "generic " + e.What
		}
		return fmt.Sprintf("%s, but %s [%v] %s", in, e.Actual, e.Err, e.place())
	case e.Err == ErrFreed:
		return fmt.Sprintf("%s in %s, which was freed [%v] %s", e.What, e.Actual, e.Err, e.place())
	case e.Region == nil:
		return fmt.Sprintf("%s outside of every buffer [%v] %s", e.What, e.Err, e.place())
	case e.Addr < e.Region.Base:
		return fmt.Sprintf("%s before the start of %s [%v] %s", e.What, name, e.Err, e.place())
	}
	return fmt.Sprintf("%s past the end of %s [%v] %s", e.What, name, e.Err, e.place())
}

// place returns the address with its space: "global 0x10000400".
func (e *AccessError) place() string { return fmt.Sprintf("%s 0x%x", e.Space, e.Addr) }

// Index returns, for an access past the end of a region, the number of the accessed element, and how many elements
// the region has, each of the size of the access. ok is false if the region has no such elements, as a stack frame.
func (e *AccessError) Index() (index, count uint64, ok bool) {
	r, size := e.Region, uint64(e.Size)
	if e.Err != ErrBounds || r == nil || r.Shown() == cxx.StackFrame || len(r.Data) == 0 || e.Addr < r.Base || (e.Addr-r.Base)%size != 0 || uint64(len(r.Data))%size != 0 {
		return 0, 0, false
	}
	return (e.Addr - r.Base) / size, uint64(len(r.Data)) / size, true
}

// Detail returns the size and place of the region, and how far from it the access is; "" if there is no region.
func (e *AccessError) Detail() string {
	r := e.Region
	if r == nil {
		return ""
	}
	text := fmt.Sprintf("%s: %s at 0x%x..0x%x", r.Shown(), Bytes(uint64(len(r.Data))), r.Base, max(r.End(), r.Base+1)-1)
	if len(r.Data) == 0 {
		text = fmt.Sprintf("%s: 0 bytes", r.Shown())
	}
	if e.Err != ErrBounds {
		return text
	}
	switch {
	case e.Addr < r.Base:
		return fmt.Sprintf("%s; the access starts %s before it", text, Bytes(r.Base-e.Addr))
	case e.Addr < r.End():
		return fmt.Sprintf("%s; the access ends %s past the end", text, Bytes(e.Addr+uint64(e.Size)-r.End()))
	}
	if e.Addr == r.End() {
		text += "; the access starts right after the end"
	} else {
		text = fmt.Sprintf("%s; the access starts %s past the end", text, Bytes(e.Addr-r.End()))
	}
	if r.Hint != "" {
		text += "; " + r.Hint
	}
	return text
}
