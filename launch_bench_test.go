package simtrun_test

import (
	"context"
	"testing"

	"github.com/simtrun/simtrun"
)

// BenchmarkTinyLaunch measures the overhead of a launch. Programs that make kernels at run time have thousands of
// small ones.
func BenchmarkTinyLaunch(b *testing.B) {
	p, err := simtrun.Load("k.ptx", []byte(`
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
`))
	if err != nil {
		b.Fatal(err)
	}
	m, err := p.NewMachine(simtrun.Options{})
	if err != nil {
		b.Fatal(err)
	}
	x, err := m.Alloc("x", 4096)
	if err != nil {
		b.Fatal(err)
	}
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
