//go:build amd64

package jit

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// allocate is size bytes of new pages that can be written.
func allocate(size int) ([]byte, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The pages are outside Go's heap; by way of &addr, vet sees no integer
	// become a pointer, which is a mistake only for what the heap holds.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size), nil
}

// makeExecutable makes pages executable, and no longer writable.
func makeExecutable(mapping []byte) error {
	var old uint32
	return windows.VirtualProtect(address(mapping), uintptr(len(mapping)), windows.PAGE_EXECUTE_READ, &old)
}

// release gives pages back. It can fail only for what is no mapping.
func release(mapping []byte) {
	if err := windows.VirtualFree(address(mapping), 0, windows.MEM_RELEASE); err != nil {
		panic("simtrun bug: unmapping compiled code: " + err.Error())
	}
}

func address(mapping []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mapping))) }
