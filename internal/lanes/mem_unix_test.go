//go:build unix

package lanes

import (
	"runtime/debug"
	"syscall"
	"testing"
)

// TestStoresLeaveInactiveLanesAlone has the places of inactive lanes in read-only memory: not even the old contents
// may be written back, because another thread of the host may be writing there.
func TestStoresLeaveInactiveLanesAlone(t *testing.T) {
	page := syscall.Getpagesize()
	mem, err := syscall.Mmap(-1, 0, 2*page, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Munmap(mem)
	if err := syscall.Mprotect(mem[page:], syscall.PROT_READ); err != nil {
		t.Fatal(err)
	}
	vec := [2 * MaxVec]uint32{0: regB, 1: regC}
	for _, c := range []struct {
		name string
		fn   MemFunc
		size int // bytes of a lane
	}{
		{"st.u8", Store[uint8, uint32], 1}, {"st.u32", Store[uint32, uint32], 4}, {"st.u64", Store[uint64, uint64], 8},
		{"st.v2.u32", StoreVec[uint32, uint32](2), 8},
		{"atom.add.u32", AtomAdd[uint32, uint32], 4}, {"atom.exch.b64", AtomExch[uint64, uint64], 8}, {"atom.cas.b32", AtomCas[uint32, uint32], 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
			f := NewFile(fileBytes)
			for lane := range Width {
				put(f, regB, 64, lane, 0x0101010101010101*uint64(lane+1))
			}
			for active := range Width { // lanes below it are before the end of the page
				for _, m := range []Mask{1<<active - 1, (1<<active - 1) & 0x9249f0ff} {
					clear(mem[:page])
					start := page - active*c.size
					a := &Access{Mem: mem, Size: uint64(c.size), Strided: true, Stride: [2]uint64{uint64(c.size), uint64(c.size)}}
					a.Off[0], a.Off[half] = uint64(start), uint64(start+half*c.size)
					c.fn(f, &Op{D: regD, B: regB, C: regC, Vec: &vec}, m, a)
					for lane := range active {
						if mem[start+lane*c.size] != 0 && m>>lane&1 == 0 {
							t.Fatalf("mask %08x: lane %d wrote", uint32(m), lane)
						}
					}
				}
			}
		})
	}
}
