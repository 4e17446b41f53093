//go:build !amd64

package jit

import "unsafe"

// Enter is only for x86-64; elsewhere Best is None, and there are no entries.
func Enter(entry uintptr, ctx unsafe.Pointer) (status uint64) {
	panic("simtrun bug: compiled code entered on another architecture than x86-64")
}
