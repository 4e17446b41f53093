package interp_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/workloads"
	"github.com/simtrun/simtrun/interp"
)

func TestRefusedLaunchesAreExplained(t *testing.T) {
	for _, c := range []struct {
		name string
		k    kerneltest.Kernel
		want string
	}{
		{"too many threads", kerneltest.Kernel{Block: kerneltest.Dim(64, 17)}, "block 64x17x1: 1088 threads, at most 1024"},
		{"z", kerneltest.Kernel{Block: isa.Dim{X: 1, Y: 1, Z: 65}}, "at most 1024x1024x64"},
		{"grid", kerneltest.Kernel{Grid: isa.Dim{X: 1, Y: 65536, Z: 1}}, "at most 2147483647x65535x65535"},
		{"shared memory", kerneltest.Kernel{Shared: 227<<10 + 1}, "232449 bytes of shared memory per block, at most 232448"},
		{"parameters", kerneltest.Kernel{Words: []int{1, 1}}, "16 bytes of parameters; the kernel takes 8"},
		{"reqntid", kerneltest.Kernel{Source: ".entry k(.param .u64 out) .reqntid 64, 2 { ret; }"}, "block 32x1x1: .reqntid asks for 64x2x1"},
		{"local memory", kerneltest.Kernel{Source: ".entry k(.param .u64 out) { .local .b8 x[2000000000]; st.local.u8 [x], 1; ret; }"}, "2000000000 bytes of local memory per thread, at most 524288"},
		{"maxntid", kerneltest.Kernel{Source: ".entry k(.param .u64 out) .maxntid 16 { ret; }"}, "block 32x1x1: 32 threads, .maxntid allows 16"},
	} {
		if c.k.Source == "" {
			c.k.Source = kerneltest.Entry + "ret;\n}"
		}
		if c.k.Words == nil {
			c.k.Words = []int{1}
		}
		_, _, err := c.k.Run(t)
		var refused *interp.LaunchError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: got %v, want %q", c.name, err, c.want)
		}
	}
}

// Only the kernel that is launched must be supported.
func TestOnlyLaunchedKernelMustBeSupported(t *testing.T) {
	src := kerneltest.Source(t, "testdata/kernels/launch.txt", "not supported yet")
	if _, _, err := (kerneltest.Kernel{Source: src, Words: []int{1}}).Run(t); err != nil {
		t.Error(err)
	}
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	_, err = functional.Run(context.Background(), m, interp.Launch{Kernel: "other", Grid: kerneltest.Dim(1, 1), Block: kerneltest.Dim(1, 1)})
	if want := "k.s:6:2: tcgen05.shift.x is not supported yet"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %q", err, want)
	}
}

// TestExecutionAllocatesNothing: nothing is allocated per instruction or per CTA once the first CTA is resident: a
// launch of many times the work allocates no more than a small one.
func TestExecutionAllocatesNothing(t *testing.T) {
	kerneltest.SkipVerified(t)
	short.Skip(t)
	src := kerneltest.Source(t, "testdata/kernels/launch.txt", "allocations")
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	m, err := kerneltest.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := m.Alloc("out", 4)
	if err != nil {
		t.Fatal(err)
	}
	allocs := func(ctas uint32) float64 {
		return testing.AllocsPerRun(5, func() {
			_, err := functional.Run(context.Background(), m, interp.Launch{Kernel: "k", Grid: kerneltest.Dim(ctas, 1), Block: kerneltest.Dim(64, 1),
				Params: binary.LittleEndian.AppendUint64(nil, r.Base)})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
	if few, many := allocs(2), allocs(200); many > few {
		t.Errorf("2 CTAs with 2 iterations make %v allocations, 200 with 200 make %v", few, many)
	}
}

// TestWorkloadsDoNotAllocate is the same test for compiled kernels: CTAs allocate nothing once as many have started
// as can be resident at once. The registers leave room for two.
func TestWorkloadsDoNotAllocate(t *testing.T) {
	kerneltest.SkipVerified(t)
	short.Skip(t)
	for _, set := range []*workloads.Set{&workloads.Ten, &workloads.Five} { // the CTAs of others diverge more or less deeply
		mod := set.Load(t)
		for _, w := range set.Workloads {
			for _, compile := range []interp.Compilation{interp.CompileNever, interp.CompileAlways} { // not in between, which allocates
				p := w.Prepare(t, mod, kerneltest.Config(interp.Config{GPU: smallGPU(1), Registers: 128, Compile: compile}))
				allocs := func(ctas uint32) float64 {
					p.Launch.Grid = kerneltest.Dim(ctas, 1)
					return testing.AllocsPerRun(3, func() { p.Run(t) }) // rounded down, because the runtime allocates occasionally
				}
				ctas := min(w.Grid.X, 16)
				many := allocs(ctas) // first, so that one-time allocations are done
				if few := allocs(ctas / 2); many > few {
					t.Errorf("%s: %d CTAs make %v allocations, %d make %v", w.Name, ctas/2, few, ctas, many)
				}
			}
		}
	}
}
