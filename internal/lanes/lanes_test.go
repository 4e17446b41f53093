package lanes

import (
	"os/exec"
	"regexp"
	"testing"
	"unsafe"
)

// TestMapIsInlined checks that the compiler makes a lane function a bare loop: it inlines map2 into it, and the
// operation into the loop of map2. It compiles package isa, therefore not with -short.
func TestMapIsInlined(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a package")
	}
	out, err := exec.Command("go", "build", "-gcflags=-m", "../isa").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, want := range []string{
		`int\.go:\d+:\d+: inlining call to lanes\.map2\[`,
		`int\.go:\d+:\d+: inlining call to lanes\.Add\[.*\]\.func1`,
		`int\.go:\d+:\d+: inlining call to lanes\.map3\[`,
		`warp\.go:\d+:\d+: inlining call to lanes\.where\[`,
		`mem\.go:\d+:\d+: inlining call to lanes\.update\[`,
	} {
		if !regexp.MustCompile(want).Match(out) {
			t.Errorf("the compiler does not say %q", want)
		}
	}
}

// TestOpFitsCacheLine keeps an Op within a cache line.
func TestOpFitsCacheLine(t *testing.T) {
	if size := unsafe.Sizeof(Op{}); size > 64 {
		t.Errorf("an Op has %d bytes; want at most 64", size)
	}
}

func TestRangesJoinAdjacentLanes(t *testing.T) {
	for m, want := range map[Mask]string{
		0:          "none",
		1:          "0",
		1 << 31:    "31",
		0x3:        "0-1",
		0x5:        "0,2",
		0x8f:       "0-3,7",
		0x0000ffff: "0-15",
		0xffff0000: "16-31",
		0xc0000001: "0,30-31",
		AllLanes:   "0-31",
	} {
		if got := m.Ranges(); got != want {
			t.Errorf("%08x: %q, want %q", uint32(m), got, want)
		}
	}
}

func TestFilesAreAligned(t *testing.T) {
	for n := 256; n < 2000; n += 132 {
		if p := uintptr(unsafe.Pointer(NewFile(n))); p%64 != 0 {
			t.Errorf("a file of %d bytes lies at %#x", n, p)
		}
	}
}

// A guard limits the lanes in which an Op is active.
func TestGuardLimitsActiveLanes(t *testing.T) {
	f := NewFile(fileBytes)
	*Pred(f, predC) = 0x00ff00f0
	for _, c := range []struct {
		guard uint32
		want  Mask
	}{{predC, 0x000000f0}, {predC | 1, 0x0000ff0f}} {
		in := Op{Guard: c.guard}
		if got := in.Active(f, 0x0000ffff); got != c.want {
			t.Errorf("guard %#x: %08x, want %08x", c.guard, uint32(got), uint32(c.want))
		}
	}
}

func BenchmarkLanes(b *testing.B) {
	f := NewFile(fileBytes)
	a := &Access{Mem: make([]byte, 4096), Stride: [2]uint64{4, 4}, Size: 4}
	for i := range a.Off {
		a.Off[i] = uint64(i) * 4
	}
	for _, c := range []struct {
		name string
		fn   Func
	}{
		{"add.u32", Add[uint32, uint32]}, {"add.u64", Add[uint64, uint64]}, {"add.u16", Add[uint16, uint32]},
		{"mad.lo.s32", MadLo[int32, uint32]}, {"mul.wide.u32", MulWide[uint32, uint64, uint64]},
		{"shl.b32", Shl[uint32, uint32]}, {"setp.s32", SetpInt[int32, uint32]}, {"selp.b32", Selp[uint32]},
		{"div.s32", Div[int32, uint32]}, {"lop3", Lop3}, {"prmt", Prmt}, {"shfl.down", ShflDown},
		{"add.f32", AddF32}, {"fma.f32", FmaF32}, {"div.f32", DivF32}, {"sqrt.f32", SqrtF32},
		{"ld.u32 in a row", func(f *File, in *Op, m Mask) { a.Strided = true; Load[uint32, uint32, uint32](f, in, m, a) }},
		{"ld.u32 gathered", func(f *File, in *Op, m Mask) { a.Strided = false; Load[uint32, uint32, uint32](f, in, m, a) }},
		{"st.u32 in a row", func(f *File, in *Op, m Mask) { a.Strided = true; Store[uint32, uint32](f, in, m, a) }},
		{"atom.add.u32", func(f *File, in *Op, m Mask) { AtomAdd[uint32, uint32](f, in, m, a) }},
	} {
		in := &Op{D: regD, A: regA, B: regB, C: regC, E: predE, D2: predD2, Imm: uint64(Lt)}
		b.Run(c.name, func(b *testing.B) {
			for b.Loop() {
				c.fn(f, in, AllLanes)
			}
		})
		b.Run(c.name+" 16 lanes", func(b *testing.B) {
			for b.Loop() {
				c.fn(f, in, 0x0000ffff)
			}
		})
	}
}
