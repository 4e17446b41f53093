package interp

import (
	"testing"
	"unsafe"
)

// TestFilesShareNoMemory: CTAs share no bytes of the memory reserved for their registers, which is zeroed and aligned
// as lanes.FileIn requires, even when the reservation is used up.
func TestFilesShareNoMemory(t *testing.T) {
	const bytes, ctas = 384, 5
	m := fileMemory{left: make([]byte, 3*bytes+bytes/2)}
	seen := make(map[*byte]bool)
	for range ctas {
		files := m.take(bytes)
		if len(files) != bytes || uintptr(unsafe.Pointer(&files[0]))%64 != 0 {
			t.Fatalf("%d bytes at %p", len(files), &files[0])
		}
		for i := range files {
			if files[i] != 0 || seen[&files[i]] {
				t.Fatalf("byte %d: %d, shared: %t", i, files[i], seen[&files[i]])
			}
			files[i], seen[&files[i]] = 1, true
		}
	}
	if len(m.left) != bytes/2 {
		t.Errorf("%d bytes are left", len(m.left))
	}
}
