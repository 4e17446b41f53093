package interp_test

import (
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// transposed returns the result of movmatrix for element numbers: that of row r and column c is 8r+c.
func transposed(lane int) uint32 {
	row, col := lane/4, lane%4*2
	return uint32(8*col+row) | uint32(8*(col+1)+row)<<16
}

const elementNumbers = `
	mov.u32 %r2, %laneid;
	mul.lo.u32 %r2, %r2, 0x20002;
	add.u32 %r2, %r2, 0x10000;
`

// TestWholeWarpWaits: lanes that reach an instruction of the whole warp separately wait for each other, and it is
// executed once, for all of them.
func TestWholeWarpWaits(t *testing.T) {
	kerneltest.Kernel{Words: []int{32}, Source: kerneltest.Entry + elementNumbers + `
	mov.u32 %r3, %laneid;
	setp.lt.u32 %p1, %r3, 13;
	mov.u32 %r4, 2;
	@%p1 mov.u32 %r4, 1;
LOOP: // lanes come here in two groups, one after the other
	sub.u32 %r4, %r4, 1;
	setp.ne.u32 %p2, %r4, 0;
	@%p2 bra LOOP;
	movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;` + kerneltest.StoreR1}.Want(t, transposed)

	// Half of the warp jumps to it, from where it cannot reconverge before.
	kerneltest.Kernel{Words: []int{32}, Source: kerneltest.Entry + elementNumbers + `
	mov.u32 %r3, %laneid;
	mov.u32 %r5, 0;
	setp.lt.u32 %p1, %r3, 13;
	@%p1 bra MOVE;
	mov.u32 %r5, 1;
MOVE:
	movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;` + kerneltest.StoreR1}.Want(t, transposed)
}

// TestWholeWarpUnderGuard: if the guard holds in no lane nothing happens; if it holds in some, they wait for the
// others.
func TestWholeWarpUnderGuard(t *testing.T) {
	kerneltest.Kernel{Words: []int{32}, Source: kerneltest.Entry + elementNumbers + `
	mov.u32 %r1, 77;
	setp.eq.u32 %p1, %r2, 12345;
	@%p1 movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;` + kerneltest.StoreR1}.Want(t, func(int) uint32 { return 77 })
}

// TestWholeWarpIsMissing: faults and hangs of instructions of the whole warp.
func TestWholeWarpIsMissing(t *testing.T) {
	const move = "movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;"
	for name, c := range map[string]struct {
		src   string
		block isa.Dim
		want  string
	}{
		"a block of 20": {move, kerneltest.Dim(20, 1),
			"k.s:7:1: error: all 32 lanes of a warp execute this together, and the block has no threads for lanes 20-31 of this one [sync-mask-missing]"},
		"a block of 31": {move, kerneltest.Dim(31, 1), "the block has no threads for lane 31 of this one [sync-mask-missing]"},
		"a lane that has ended": {"mov.u32 %r3, %laneid;\nsetp.eq.u32 %p1, %r3, 4;\n@%p1 exit;\n" + move, kerneltest.Dim(32, 1),
			"and lane 4 has ended [sync-mask-missing]"},
		"lanes that have ended": {"mov.u32 %r3, %laneid;\nsetp.lt.u32 %p1, %r3, 4;\n@%p1 exit;\n" + move, kerneltest.Dim(32, 1),
			"lanes 0-3 have ended [sync-mask-missing]"},
		"lanes that end elsewhere": {"mov.u32 %r3, %laneid;\nsetp.lt.u32 %p1, %r3, 4;\n@%p1 " + move, kerneltest.Dim(32, 1),
			"k.s:9:6: error: all 32 lanes of a warp execute this together, and lanes 4-31 have ended [sync-mask-missing]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := kerneltest.Kernel{Words: []int{32}, Block: c.block, Source: kerneltest.Entry + elementNumbers + c.src + "\n" + kerneltest.StoreR1}.Run(t)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
	// In the two sides of a branch there are two instructions, at each of which half of
	// the warp waits for ever.
	sides := kerneltest.Entry + elementNumbers + `
	mov.u32 %r3, %laneid;
	setp.lt.u32 %p1, %r3, 16;
	@%p1 bra OTHER;
	movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;
	bra END;
OTHER:
	movmatrix.sync.aligned.m8n8.trans.b16 %r1, %r2;
END:` + kerneltest.StoreR1
	_, _, err := kerneltest.Kernel{Words: []int{32}, Source: sides}.Run(t)
	kerneltest.WantHang(t, err, "[sync-deadlock]", "movmatrix.sync.aligned.m8n8.trans.b16 with mask ffffffff, for lanes 0-15")
	_, _, err = kerneltest.Kernel{Words: []int{32}, Source: sides, Config: interp.Config{Divergence: divergence.ReconvergenceStack}}.Run(t)
	kerneltest.WantHang(t, err, "[sync-mask-missing]", "all lanes of the warp must execute this together, but not all can get here")
}

// TestMatrixAccessFaults: addresses of rows are checked before data is moved, and those of lanes without a row are
// ignored.
func TestMatrixAccessFaults(t *testing.T) {
	const head = ".shared .align 16 .b8 x[512];\n" + kerneltest.Entry + `
	mov.u32 %r2, %laneid;
	shl.b32 %r3, %r2, 4;
	mov.u32 %r4, x;
	add.u32 %r3, %r3, %r4;
	st.shared.u32 [%r3], %r2;
`
	const tail = "\nld.shared.u32 %r1, [%r3];" + kerneltest.StoreR1
	for name, c := range map[string]struct{ src, want string }{
		"not aligned":      {"add.u32 %r5, %r3, 8;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r1}, [%r5];", "misaligned load: shared 0x8 is not a multiple of 16 bytes [mem-misaligned]"},
		"past the end":     {"ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r5, %r6, %r7, %r8}, [%r3+16];", "load past the end of x [mem-oob] shared 0x200"},
		"only these lanes": {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r5, %r6}, [%r3+384];", "lanes 8-15 (0000ff00)"},
		"stores":           {"stmatrix.sync.aligned.m8n8.x4.shared.b16 [%r3+16], {%r5, %r6, %r7, %r8};", "store past the end of x [mem-oob] shared 0x200"},
		"global memory":    {"ld.param.u64 %rd1, [out];\nldmatrix.sync.aligned.m8n8.x1.b16 {%r5}, [%rd1];", "generic load, but the address is that of buffer 0 in .global space [mem-space]"},
	} {
		t.Run(name, func(t *testing.T) {
			_, _, err := kerneltest.Kernel{Words: []int{128}, Source: head + c.src + tail}.Run(t)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v\nwant %s", err, c.want)
			}
		})
	}
}
