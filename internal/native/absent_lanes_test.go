package native_test

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// exchangedWords is the number of words that each thread of absentLanes stores.
const exchangedWords = 13

// absentLanes is a kernel in which lanes read each other's values many times, affine and other ones, after the %d
// highest lanes of each warp have exited.
const absentLanes = `
.entry k(.param .u64 out)
{
	.reg .b32 %%v<2>, %%s<13>;
	ld.param.u64 %%rd1, [out];
	mov.u32 %%r1, %%laneid;
	setp.ge.u32 %%p1, %%r1, %d;
	@%%p1 exit;
	mov.u32 %%r9, 0;
	mad.lo.u32 %%v0, %%r1, 4, 3;
	mul.lo.u32 %%v1, %%r1, %%r1;
	add.u32 %%v1, %%v1, 5;
LOOP:
	activemask.b32 %%r8;
	shfl.sync.bfly.b32 %%s0, %%v0, 31, 31, -1;
	shfl.sync.bfly.b32 %%s1, %%v1, 5, 31, -1;
	shfl.sync.idx.b32 %%s2, %%v0, 30, 31, -1;
	shfl.sync.idx.b32 %%s3, %%v1, 2, 0x1c1f, -1;
	shfl.sync.up.b32 %%s4, %%v0, 3, 0, -1;
	shfl.sync.down.b32 %%s5, %%v1, 9, 31, -1;
	mov.b32 %%s6, %%r8;
	vote.sync.ballot.b32 %%s7, !%%p1, -1;
	match.any.sync.b32 %%s8, 7, %%r8;
	redux.sync.add.u32 %%s9, %%v1, %%r8;
	redux.sync.or.b32 %%s10, %%v0, %%r8;
	elect.sync %%s11|%%p2, %%r8;
	vote.sync.all.pred %%p3, %%p1, -1;
	selp.u32 %%s12, 1, 0, %%p3;
	add.u32 %%r9, %%r9, 1;
	setp.lt.u32 %%p2, %%r9, 3;
	@%%p2 bra LOOP;
	mov.u32 %%r9, 0;
AGAIN:
	shfl.sync.bfly.b32 %%s0, %%v0, 31, 31, -1;
	shfl.sync.bfly.b32 %%s1, %%v1, 5, 31, -1;
	shfl.sync.idx.b32 %%s2, %%v0, 30, 31, -1;
	add.u32 %%r9, %%r9, 1;
	setp.lt.u32 %%p2, %%r9, 3;
	@%%p2 bra AGAIN;
	mad.lo.u32 %%r2, %%tid.y, %%ntid.x, %%tid.x;
	mad.lo.u32 %%r2, %%ctaid.x, 128, %%r2;
	mul.lo.u32 %%r2, %%r2, 52;
	cvt.u64.u32 %%rd2, %%r2;
	add.u64 %%rd1, %%rd1, %%rd2;
%s	ret;
}
`

// exchanged returns the words that a lane stores in a warp with the given lanes present.
func exchanged(lane int, there uint32) (w [exchangedWords]uint32) {
	v := [2]func(l int) uint32{func(l int) uint32 { return uint32(4*l + 3) }, func(l int) uint32 { return uint32(l*l + 5) }}
	of := func(which, from int) uint32 {
		if there>>from&1 == 0 {
			return 0
		}
		return v[which](from)
	}
	down, up := v[1](lane), v[0](lane)
	if lane+9 <= 31 {
		down = of(1, lane+9)
	}
	if lane >= 3 {
		up = of(0, lane-3)
	}
	sum, or := uint32(0), uint32(0)
	for l := range 32 {
		if there>>l&1 != 0 {
			sum, or = sum+v[1](l), or|v[0](l)
		}
	}
	return [...]uint32{of(0, lane^31), of(1, lane^5), of(0, 30), of(1, lane&^3|2), up, down, there, there, there, sum, or, uint32(bits.TrailingZeros32(there)), 0}
}

// TestAbsentLanesReadAsZero: lanes that the block does not have, or that have exited, read as 0 at every instruction
// set, and do not affect the results of collectives in other lanes.
func TestAbsentLanesReadAsZero(t *testing.T) {
	for _, ended := range []int{0, 1, 12, 20} {
		stores := ""
		for i := range exchangedWords {
			stores += fmt.Sprintf("\tst.global.u32 [%%rd1+%d], %%s%d;\n", 4*i, i)
		}
		mod, err := asm.Parse("k.s", fmt.Appendf(nil, absentLanes, 32-ended, stores))
		if err != nil {
			t.Fatal(err)
		}
		configs := []interp.Config{{Compile: interp.CompileNever}}
		for _, level := range kerneltest.Levels() {
			configs = append(configs, interp.Config{Compile: interp.CompileAlways, Lanes: level}, interp.Config{Compile: interp.CompileWanted, Lanes: level})
		}
		for _, x := range []uint32{1, 3, 8, 17, 33, 35, 40, 49, 63, 64} {
			for _, cfg := range configs {
				const ctas = 3
				m, err := kerneltest.New(mod, cfg)
				if err != nil {
					t.Fatal(err)
				}
				out, err := m.Alloc("out", ctas*128*4*exchangedWords)
				if err != nil {
					t.Fatal(err)
				}
				kerneltest.MustCompile(t, m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(ctas, 1), Block: kerneltest.Dim(x, 1), Params: binary.LittleEndian.AppendUint64(nil, out.Base)})
				got := kerneltest.WordsOf(out)
				for i := range ctas * 128 {
					thread, lane := i%128, i%32
					var want [exchangedWords]uint32
					if left := 32 - ended; thread < int(x) && lane < left {
						there := min(int(x)-thread/32*32, left)
						want = exchanged(lane, uint32(1<<there-1))
					}
					if got := [exchangedWords]uint32(got[i*exchangedWords:]); got != want {
						t.Fatalf("%d threads, %d lanes of a warp ended, level %v, compilation %d: thread %d has\n%v, not\n%v", x, ended, cfg.Lanes, cfg.Compile, thread, got, want)
					}
				}
			}
		}
	}
}
