//go:build !amd64

package jit

import "unsafe"

// Enter is for x86-64 alone; elsewhere Best is None, and nobody has an entry.
func Enter(entry uintptr, ctx unsafe.Pointer) (status uint64) {
	panic("simtrun bug: compiled code entered on another architecture than x86-64")
}
