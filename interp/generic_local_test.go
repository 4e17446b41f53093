package interp_test

import (
	"encoding/binary"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// hashed is what a thread of the kernel without optimisation stores.
func hashed(thread uint32) uint32 {
	var bytes [4]byte
	binary.LittleEndian.PutUint32(bytes[:], thread)
	h := uint32(2166136261)
	for n := range 600 {
		h = (h ^ uint32(bytes[n%4])) * 16777619
		bytes[n%4] = byte(h)
	}
	return h
}

// staysInCode launches a kernel of testdata/generic_local.txt at each level, with arguments out and odd, on one thread
// or two. It checks what threads store, and that code is not left.
func staysInCode(t *testing.T, name string, ctas, threads int, want func(thread int, odd uint32) uint32) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/generic_local.txt", name)))
	if err != nil {
		t.Fatal(err)
	}
	for i, level := range kerneltest.Levels() {
		if level == jit.None {
			t.Skip("no compiled code")
		}
		for odd := range uint32(2) {
			m, err := kerneltest.New(mod, interp.Config{Compile: interp.CompileAlways, Threads: 1 + (i+int(odd))%2, Lanes: level})
			if err != nil {
				t.Fatal(err)
			}
			out, err := m.Alloc("out", int64(4*ctas*threads))
			if err != nil {
				t.Fatal(err)
			}
			clear(out.Data)
			params := binary.LittleEndian.AppendUint64(nil, out.Base)
			params = binary.LittleEndian.AppendUint32(params, odd)
			s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(uint32(ctas), 1), Block: kerneltest.Dim(uint32(threads), 1), Params: params})
			if err != nil {
				t.Fatal(err)
			}
			s.Alone, s.WorthHelp = 0, 0
			if err := s.Continue(t.Context()); err != nil {
				t.Fatal(err)
			}
			for thread, got := range kerneltest.WordsOf(out) {
				if want := want(thread, odd); got != want {
					t.Fatalf("%v, odd %d: thread %d has %#x, want %#x", level, odd, thread, got, want)
				}
			}
			if left := s.Left(); len(left) > 0 {
				t.Errorf("%v, odd %d: %v", level, odd, left)
			}
		}
	}
}

// TestGenericAccessesToLocalMemoryStayInCode: code is not left at them, in full warps and in others.
func TestGenericAccessesToLocalMemoryStayInCode(t *testing.T) {
	staysInCode(t, "without optimisation", 12, 64, func(thread int, odd uint32) uint32 {
		if odd != 0 && thread%2 != 0 {
			return 0
		}
		return hashed(uint32(thread))
	})
}

// TestLanesInSeveralMemoriesStayInCode: half of the lanes of an access are in local memory, in turn, and the others in
// global memory. At the place in local memory are more bytes than global memory has.
func TestLanesInSeveralMemoriesStayInCode(t *testing.T) {
	staysInCode(t, "lanes in several memories", 12, 32, func(thread int, odd uint32) (v uint32) {
		for n := range uint32(2000) {
			if (n^uint32(thread)>>4)&1 == 0 && (odd == 0 || thread%2 == 0) {
				v = 3*v + n
			}
		}
		return v
	})
}
