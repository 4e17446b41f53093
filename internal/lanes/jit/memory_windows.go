//go:build amd64

package jit

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

// allocate returns size bytes of new writable pages.
func allocate(size int) ([]byte, error) {
	addr, err := windows.VirtualAlloc(0, uintptr(size), windows.MEM_COMMIT|windows.MEM_RESERVE, windows.PAGE_READWRITE)
	if err != nil {
		return nil, err
	}
	// The pages are outside Go's heap. The indirection through &addr avoids vet's warning about an integer that becomes
	// a pointer, which is a mistake only for memory of the heap.
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&addr)), size), nil
}

// makeExecutable makes pages executable, and no longer writable.
func makeExecutable(mapping []byte) error {
	var old uint32
	return windows.VirtualProtect(address(mapping), uintptr(len(mapping)), windows.PAGE_EXECUTE_READ, &old)
}

// release returns pages to the system. It can fail only if they are not a mapping.
func release(mapping []byte) {
	if err := windows.VirtualFree(address(mapping), 0, windows.MEM_RELEASE); err != nil {
		panic("simtrun bug: unmapping compiled code: " + err.Error())
	}
}

func address(mapping []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(mapping))) }
