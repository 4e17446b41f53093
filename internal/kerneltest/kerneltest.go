// Package kerneltest launches kernels that tests have as text, on buffers of words.
package kerneltest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Models are the models of divergence.
var Models = []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack, divergence.LowestPC}

// Orders are the orders in which the sides of a branch can run.
var Orders = []divergence.Order{divergence.Taken, divergence.FallThrough, divergence.Majority}

// Entry begins a kernel that has a buffer as its only argument.
const Entry = ".entry k(.param .u64 out)\n{\n"

// StoreR1 ends such a kernel: it stores %r1 at the thread's linear index.
const StoreR1 = `
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

// StoreR1Instrs is how many instructions of StoreR1 a warp executes.
const StoreR1Instrs = 16

// Kernel is a launch of the first kernel of Source, with buffers of zeroed words as arguments.
type Kernel struct {
	Source      string        // of module k.s
	Grid, Block isa.Dim       // zero values mean one CTA, and 32 threads
	Cluster     isa.Dim       // CTAs of a cluster; zero means no clusters
	Shared      int64         // bytes of dynamic shared memory
	Words       []int         // the size of each buffer
	Config      interp.Config // of the machine
	// Driver runs the launch; nil means functional.Run.
	Driver func(m *interp.Machine, l interp.Launch) (interp.Stats, error)
}

// Dim is a grid or a block of two dimensions.
func Dim(x, y uint32) isa.Dim { return isa.Dim{X: x, Y: y, Z: 1} }

// Run runs the launch on a new machine, and returns the contents of each buffer afterwards.
func (k Kernel) Run(t testing.TB) ([][]uint32, interp.Stats, error) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(k.Source))
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(mod, k.Config)
	if err != nil {
		t.Fatal(err)
	}
	l := interp.Launch{Kernel: mod.Entries()[0].Name, Grid: k.Grid, Block: k.Block, Cluster: k.Cluster, Shared: k.Shared}
	if l.Grid == (isa.Dim{}) {
		l.Grid = Dim(1, 1)
	}
	if l.Block == (isa.Dim{}) {
		l.Block = Dim(32, 1)
	}
	var buffers []*memory.Region
	for i, n := range k.Words {
		r, err := m.Alloc(fmt.Sprint("buffer ", i), int64(4*n))
		if err != nil {
			t.Fatal(err)
		}
		buffers = append(buffers, r)
		l.Params = binary.LittleEndian.AppendUint64(l.Params, r.Base)
	}
	var stats interp.Stats
	if k.Driver != nil {
		stats, err = k.Driver(m, l)
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

// StraightHash returns a kernel of about n instructions in one basic block.
func StraightHash(n int) string {
	var s strings.Builder
	s.WriteString(".entry k(.param .u64 out)\n{\n\tld.param.u64 %rd1, [out];\n\tmad.lo.u32 %r20, %ctaid.x, %ntid.x, %tid.x;\n")
	for i := range 8 {
		fmt.Fprintf(&s, "\tmad.lo.u32 %%r%d, %%r20, %d, %d;\n", i, 2*i+1, 99*i)
	}
	for i := range (n - 13) / 4 {
		a, b, c := i%8, (i+3)%8, (i+5)%8
		fmt.Fprintf(&s, "\tshf.l.wrap.b32 %%r8, %%r%d, %%r%[1]d, %d;\n\txor.b32 %%r9, %%r8, %%r%d;\n\tadd.u32 %%r10, %%r9, %d;\n\tadd.u32 %%r%d, %%r%[5]d, %%r10;\n", a, 1+i%31, b, i, c)
	}
	s.WriteString("\tmad.wide.u32 %rd2, %r20, 4, %rd1;\n\tst.global.u32 [%rd2], %r5;\n\tret;\n}\n")
	return s.String()
}

// mostDifferences is how many words that differ Want names.
const mostDifferences = 8

// Want runs the launch and compares its first buffer with the values of f.
func (k Kernel) Want(t *testing.T, f func(i int) uint32) interp.Stats {
	t.Helper()
	out, stats, err := k.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	wantWords(t, out[0], f)
	return stats
}

// wantWords compares words with the values of f.
func wantWords(t *testing.T, words []uint32, f func(i int) uint32) {
	t.Helper()
	differ := 0
	for i, got := range words {
		if want := f(i); got != want {
			if differ++; differ <= mostDifferences {
				t.Errorf("word %d is %#x, want %#x", i, got, want)
			}
		}
	}
	if differ > mostDifferences {
		t.Errorf("%d of %d words differ", differ, len(words))
	}
}

// WantHang fails unless err is a hang with a report that contains all of want.
func WantHang(t *testing.T, err error, want ...string) {
	t.Helper()
	if _, ok := errors.AsType[*interp.Hang](err); !ok {
		t.Fatalf("got %v, want a hang", err)
	}
	wantParts(t, err, want)
}
