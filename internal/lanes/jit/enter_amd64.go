package jit

import "unsafe"

// Enter calls machine code at entry, and returns what it leaves in RAX. The
// code finds ctx in R9 and in RDI. It
//
//   - returns by RET, after VZEROUPPER if it used vectors of more than 128 bits;
//   - may change all registers but RSP, and leaves MXCSR, the direction flag
//     and the x87 unit as they were;
//   - may push 64 bytes, and calls nothing that needs more;
//   - stores no pointers to Go's heap, as it has no write barriers;
//   - returns soon, within a millisecond at most: until then its goroutine
//     cannot be stopped, and no garbage collection begins or ends
//     (RATIONALE.md says how Go's runtime sees the code).
//
// The Code that contains entry must be kept alive (runtime.KeepAlive), because an address does not do that. Enter
// keeps alive everything that ctx points to, but not memory that ctx has only as an integer address.
//
//go:noescape
func Enter(entry uintptr, ctx unsafe.Pointer) (status uint64)
