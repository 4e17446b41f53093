package simtrun_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun"
)

// tinySource has a kernel of a few instructions.
const tinySource = `
.visible .entry add(.param .u64 a, .param .u32 n)
{
	ld.param.u64 %rd1, [a];
	ld.param.u32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.u32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 bra DONE;
	mul.wide.u32 %rd4, %r5, 4;
	add.u64 %rd5, %rd1, %rd4;
	ld.global.u32 %r6, [%rd5];
	add.u32 %r6, %r6, 1;
	st.global.u32 [%rd5], %r6;
DONE:
	ret;
}
`

// tinyMachine returns a machine of tinySource, and the buffer of its kernel.
func tinyMachine(t testing.TB) (*simtrun.Machine, *simtrun.Buffer) {
	t.Helper()
	p, err := simtrun.Load("k.ptx", []byte(tinySource))
	if err != nil {
		t.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		t.Fatal(err)
	}
	x, err := m.Alloc("x", 4096)
	if err != nil {
		t.Fatal(err)
	}
	return m, x
}

// TestTinyLaunchAllocates: a launch like an earlier one makes little that the garbage collector has to find, which once
// took half of its time.
func TestTinyLaunchAllocates(t *testing.T) {
	m, x := tinyMachine(t)
	l := simtrun.Launch{Kernel: "add", Block: simtrun.Dim{X: 32}, Args: []any{x, 1000}}
	launch := func() {
		if _, err := m.Launch(context.Background(), l); err != nil {
			t.Fatal(err)
		}
	}
	for range 1000 { // until the kernel is compiled
		launch()
	}
	if n := testing.AllocsPerRun(100, launch); n > 12 {
		t.Errorf("%v allocations in a launch, want at most 12", n)
	}
}

// BenchmarkTinyLaunch measures the overhead of a launch. Programs that make kernels at run time have thousands of
// small ones.
func BenchmarkTinyLaunch(b *testing.B) {
	m, x := tinyMachine(b)
	for name, grid := range map[string]uint32{"1 block of 32": 0, "4 blocks of 256": 4, "64 blocks of 256": 64} {
		b.Run(name, func(b *testing.B) {
			l := simtrun.Launch{Kernel: "add", Grid: simtrun.Dim{X: grid}, Block: simtrun.Dim{X: 256}, Args: []any{x, 1000}}
			if grid == 0 {
				l.Block.X = 32
			}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := m.Launch(context.Background(), l); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
