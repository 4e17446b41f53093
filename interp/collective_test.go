package interp_test

import (
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

func TestCollectives(t *testing.T) {
	for name, c := range map[string]struct {
		src  string
		want func(lane int) uint32
	}{
		"shfl.down": {"shfl.sync.down.b32 %r1|%p1, %r2, 4, 31, -1;\nselp.b32 %r1, %r1, 99, %p1;", func(l int) uint32 {
			if l+4 > 31 {
				return 99
			}
			return uint32(l + 4)
		}},
		"shfl.up, within 8": {"shfl.sync.up.b32 %r1|%p1, %r2, 1, 6144, -1;\nselp.b32 %r1, %r1, 99, %p1;", func(l int) uint32 {
			if l%8 == 0 {
				return 99
			}
			return uint32(l - 1)
		}},
		"shfl.bfly":                          {"shfl.sync.bfly.b32 %r1, %r2, 5, 31, -1;", func(l int) uint32 { return uint32(l ^ 5) }},
		"shfl.idx takes the index modulo 32": {"shfl.sync.idx.b32 %r1, %r2, 40, 31, -1;", func(int) uint32 { return 8 }},
		"ballot":                             {"setp.gt.u32 %p1, %r2, 15;\nvote.sync.ballot.b32 %r1, %p1, -1;", func(int) uint32 { return 0xffff0000 }},
		"any":                                {"setp.eq.u32 %p1, %r2, 15;\nvote.sync.any.pred %p2, %p1, -1;\nselp.b32 %r1, 1, 0, %p2;", func(int) uint32 { return 1 }},
		"all":                                {"setp.ne.u32 %p1, %r2, 15;\nvote.sync.all.pred %p2, %p1, -1;\nselp.b32 %r1, 1, 0, %p2;", func(int) uint32 { return 0 }},
		"uni, of a complement": {"setp.ge.u32 %p1, %r2, 0;\nvote.sync.uni.pred %p2, !%p1, -1;\nselp.b32 %r1, 1, 0, %p2;",
			func(int) uint32 { return 1 }},
		"groups with masks of their own": {"mov.u32 %r3, 65535;\nsetp.gt.u32 %p1, %r2, 15;\nselp.b32 %r3, 0xffff0000, %r3, %p1;\nand.b32 %r4, %r2, 1;\nsetp.eq.u32 %p2, %r4, 0;\nvote.sync.ballot.b32 %r1, %p2, %r3;",
			func(l int) uint32 {
				if l > 15 {
					return 0x55550000
				}
				return 0x5555
			}},
		"old form: the active lanes": {"setp.lt.u32 %p3, %r2, 8;\nmov.pred %p1, 1;\n@%p3 vote.ballot.b32 %r1, %p1;", func(l int) uint32 {
			if l < 8 {
				return 0xff
			}
			return 0
		}},
	} {
		t.Run(name, func(t *testing.T) {
			kerneltest.Kernel{Source: kerneltest.Entry + "mov.u32 %r2, %laneid;\n" + c.src + kerneltest.StoreR1, Words: []int{32}}.Want(t, c.want)
		})
	}
}

// Half of a warp is at a shfl of all its lanes, and under the stack the other half cannot reach it.
func TestCollectiveInDivergentCode(t *testing.T) {
	_, _, err := kerneltest.Kernel{Config: interp.Config{Divergence: divergence.ReconvergenceStack}, Words: []int{1}, Source: kerneltest.Entry + `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra SKIP;
	shfl.sync.down.b32 %r2, %r1, 1, 31, -1;
SKIP:
	ret;
}`}.Run(t)
	kerneltest.WantHang(t, err, "[sync-mask-missing]", "absent  block (0,0,0) warp 0 lanes 0-15 (0000ffff), to go on at k.s:9:2")
}
