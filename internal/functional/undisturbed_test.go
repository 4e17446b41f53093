package functional_test

import (
	"testing"

	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestSplitRunsWholeTimeSlice: a split executes up to the end of its warp's time slice, unless it may reach a loop in
// which it waits for others: then the next warp goes first. Lane 0 of each warp leaves a loop of some 2,000
// instructions last, and then takes a ticket: in order of the warps only if their slices are long.
func TestSplitRunsWholeTimeSlice(t *testing.T) {
	const begin = `
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	shr.u32 %r2, %r1, 5;
	and.b32 %r3, %r1, 31;
	mov.u32 %r4, 0;
	mov.u32 %r6, 1;
`
	// The first warp has 500 iterations, the second 20.
	const trips = `
	setp.eq.u32 %p2, %r2, 0;
	selp.u32 %r5, 500, 20, %p2;
	setp.ne.u32 %p1, %r3, 0;
`
	const ticket = `
	@%p1 bra END;
	atom.global.add.u32 %r7, [%rd1], 1;
	mad.wide.u32 %rd2, %r2, 4, %rd1;
	st.global.u32 [%rd2+4], %r7;
END:
	ret;
}`
	for _, c := range []struct {
		name, body string
		long       bool
	}{
		{"the others have gone where lanes meet", kerneltest.Source(t, "testdata/kernels/undisturbed.txt", "the others have gone where lanes meet"), true},
		{"they are a branch away from there", kerneltest.Source(t, "testdata/kernels/undisturbed.txt", "they are a branch away from there"), true},
		{"they have something to store before", kerneltest.Source(t, "testdata/kernels/undisturbed.txt", "they have something to store before"), true},
		{"the loop may wait for other warps", kerneltest.Source(t, "testdata/kernels/undisturbed.txt", "the loop may wait for other warps"), false},
		{"a loop behind it may", kerneltest.Source(t, "testdata/kernels/undisturbed.txt", "a loop behind it may"), false},
	} {
		for _, compile := range []interp.Compilation{interp.CompileNever, interp.CompileAlways, interp.CompileWanted} {
			k := kerneltest.Kernel{Source: kerneltest.Entry + begin + trips + "\t" + c.body + ticket, Block: kerneltest.Dim(64, 1), Words: []int{32}, Config: interp.Config{Compile: compile}}
			out, _, err := k.Run(t)
			if err != nil {
				t.Errorf("%s, compilation %d: %v", c.name, compile, err)
				continue
			}
			if first := out[0][1] == 0; first != c.long {
				t.Errorf("%s, compilation %d: the first warp's ticket is %d, the second's %d", c.name, compile, out[0][1], out[0][2])
			}
		}
	}
}
