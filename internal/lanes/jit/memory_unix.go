//go:build amd64 && (linux || darwin)

package jit

import "golang.org/x/sys/unix"

// allocate returns size bytes of new writable pages.
func allocate(size int) ([]byte, error) {
	return unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
}

// makeExecutable makes pages executable, and no longer writable.
func makeExecutable(mapping []byte) error {
	return unix.Mprotect(mapping, unix.PROT_READ|unix.PROT_EXEC)
}

// release returns pages to the system. It can fail only if they are not a mapping.
func release(mapping []byte) {
	if err := unix.Munmap(mapping); err != nil {
		panic("simtrun bug: unmapping compiled code: " + err.Error())
	}
}
