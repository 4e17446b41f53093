package program

import (
	"testing"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
)

// TestOpsHaveKindsOfTheirPath: which kind the Op of the first instruction has, and whether the
// program sees which lanes run together.
func TestOpsHaveKindsOfTheirPath(t *testing.T) {
	for code, want := range map[string]struct {
		kind isa.Kind
		sees bool
	}{
		"add.u32 %r1, %r2, %r3;":                         {isa.Compute, false},
		"@%p1 add.u32 %r1, %r2, %r3;":                    {lanes.Guarded, false},
		"mov.u32 %r1, 7;":                                {isa.Nop, false},
		"@%p1 mov.u32 %r1, 7;":                           {lanes.Guarded, false},
		"ld.param.u32 %r1, [a];":                         {isa.Nop, false},
		"@!%p1 ld.param.u32 %r1, [a];":                   {lanes.Guarded, false},
		"ld.global.u32 %r1, [%rd1];":                     {isa.Load, false},
		"mov.u32 %r1, %clock;":                           {Slow, false},
		"@%p1 mov.u64 %rd1, %globaltimer;":               {Slow, false},
		"div.u32 %r1, %r2, %r3;":                         {Slow, false},
		"rem.s64 %rd1, %rd2, 0;":                         {Slow, false},
		"div.u32 %r1, %r2, 3;":                           {isa.Compute, false},
		"div.rn.f32 %f1, %f2, %f3;":                      {isa.Compute, false},
		"L: @%p1 bra L;":                                 {lanes.Jump, false},
		"@%p1 bra L; exit; L: add.u32 %r1, %r1, 1;":      {isa.Branch, false}, // one side leaves its exit region
		"T: .branchtargets L; brx.idx %r1, T; L:":        {isa.Branch, false},
		"bar.sync 0;":                                    {isa.Barrier, false},
		"bar.warp.sync 0xffffffff;":                      {WarpBarrier, false},
		"activemask.b32 %r1;":                            {isa.Compute, true},
		"vote.all.pred %p1, %p2;":                        {isa.Vote, true},
		"vote.sync.all.pred %p1, %p2, 0xffffffff;":       {isa.Vote, false},
		"shfl.sync.idx.b32 %r1, %r2, 0, 31, 0xffffffff;": {isa.Shuffle, false},
		"ret;": {isa.Exit, false},
	} {
		p := lowered(t, ".entry k(.param .u32 a) {\n"+code+"\nret; }", false)
		if got := isa.Kind(p.Kernel().Ops[0].Kind); got != want.kind || p.SeesLanes != want.sees {
			t.Errorf("%s: kind %d, sees lanes %v; want %d, %v", code, got, p.SeesLanes, want.kind, want.sees)
		}
	}
}
