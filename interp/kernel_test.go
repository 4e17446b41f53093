package interp_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/functional"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/memory"
)

func dim(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

// kernel is a launch of the first kernel of src with buffers of zeroed words
// as its arguments.
type kernel struct {
	src         string
	grid, block isa.Dim // 1 by default; 32 threads
	shared      int64
	words       []int // the size of each buffer argument
	cfg         interp.Config
	// launched runs the launch; nil: Machine.Run does.
	launched func(m *interp.Machine, l interp.Launch) (interp.Stats, error)
}

// run returns what is in each buffer afterwards.
func (k kernel) run(t testing.TB) ([][]uint32, interp.Stats, error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(k.src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, k.cfg)
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: k.grid, Block: k.block, Shared: k.shared}
	if l.Grid == (isa.Dim{}) {
		l.Grid = dim(1, 1)
	}
	if l.Block == (isa.Dim{}) {
		l.Block = dim(32, 1)
	}
	var buffers []*memory.Region
	for i, n := range k.words {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(4*n))
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, r)
		l.Params = binary.LittleEndian.AppendUint64(l.Params, r.Base)
	}
	var stats interp.Stats
	if k.launched != nil {
		stats, err = k.launched(m, l)
	} else {
		stats, err = functional.Run(context.Background(), m, l)
	}
	var out [][]uint32
	for _, r := range buffers {
		v := make([]uint32, len(r.Data)/4)
		if _, err := binary.Decode(r.Data, binary.LittleEndian, v); err != nil {
			t.Fatal(err)
		}
		out = append(out, v)
	}
	return out, stats, err
}

// want runs k and compares its first buffer with values of f.
func (k kernel) want(t *testing.T, f func(i int) uint32) interp.Stats {
	t.Helper()
	out, stats, err := k.run(t)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]uint32, len(out[0]))
	for i := range want {
		want[i] = f(i)
	}
	if diff := cmp.Diff(want, out[0]); diff != "" {
		t.Errorf("memory (-want +got):\n%s", diff)
	}
	return stats
}

// storeOwn is the end of a kernel that stores %r1 at the thread's linear index.
const storeOwn = `
	mov.u32 %r90, %ntid.x;
	mov.u32 %r91, %ntid.y;
	mov.u32 %r92, %ntid.z;
	mov.u32 %r93, %tid.z;
	mov.u32 %r94, %tid.y;
	mov.u32 %r95, %tid.x;
	mad.lo.u32 %r96, %r93, %r91, %r94;
	mad.lo.u32 %r96, %r96, %r90, %r95;
	mov.u32 %r97, %ctaid.x;
	mul.lo.u32 %r98, %r90, %r91;
	mul.lo.u32 %r98, %r98, %r92;
	mad.lo.u32 %r96, %r97, %r98, %r96;
	ld.param.u64 %rd90, [out];
	mad.wide.u32 %rd90, %r96, 4, %rd90;
	st.global.u32 [%rd90], %r1;
	ret;
}`

const entry = ".entry k(.param .u64 out)\n{\n"
