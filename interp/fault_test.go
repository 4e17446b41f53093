package interp_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// TestFaultsChangeNoMemory: the kernels of testdata/faults.txt end with faults that say what is wrong, and change no
// memory.
func TestFaultsChangeNoMemory(t *testing.T) {
	errs := map[string]error{}
	for _, err := range []error{memory.ErrBounds, memory.ErrMisaligned, memory.ErrReadOnly, memory.ErrSpace} {
		errs[err.Error()] = err
	}
	for _, c := range kerneltest.Cases(t, "testdata/faults.txt", "is", "says", "line") {
		t.Run(c.Name, func(t *testing.T) {
			out, _, err := kerneltest.Kernel{Source: kerneltest.Entry + "\n" + c.Body, Block: kerneltest.Dim(64, 1), Words: []int{32}}.Run(t)
			var fault *interp.Fault
			if !errors.As(err, &fault) {
				t.Fatalf("got %v, want a fault", err)
			}
			if is := c.Value(t, "is"); is != "" && (errs[is] == nil || !errors.Is(err, errs[is])) {
				t.Errorf("%v is not %s", err, is)
			}
			parts := c.Values("says")
			for _, line := range c.Values("line") {
				parts = append(parts, "\n  "+line)
			}
			for _, part := range parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the message lacks %q:\n%v", part, err)
				}
			}
			if diff := cmp.Diff(make([]uint32, 32), out[0]); diff != "" {
				t.Errorf("the faulting instruction wrote to memory:\n%s", diff)
			}
		})
	}
}

// TestFaultStopsLanesAtInstruction inspects warps after a fault on one side of a branch: the lanes of that side are at
// the faulting instruction.
func TestFaultStopsLanesAtInstruction(t *testing.T) {
	for name, refused := range map[string]string{
		"access":     "st.global.u32 [1], %r1",
		"branch":     "brx.idx %r1, L",
		"call":       "call %rd1, (), P",
		"barrier":    "barrier.sync %r1",
		"collective": "bar.warp.sync 1",
		"trap":       "trap",
	} {
		for _, model := range kerneltest.Models {
			t.Run(fmt.Sprintf("%s/%v", name, model), func(t *testing.T) {
				k := kerneltest.Kernel{Block: kerneltest.Dim(32, 1), Words: []int{32}, Config: interp.Config{Divergence: model}, Source: kerneltest.Source(t, "testdata/kernels/fault.txt", "fault place", "$refused", refused)}
				k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
					s, err := functional.Begin(m, l)
					if err != nil {
						return interp.Stats{}, err
					}
					err = s.Continue(t.Context())
					for split := range s.Warps()[0].Control().Splits() {
						if split.PC != 6 || split.Mask != 0xff {
							t.Errorf("at %d with %08x", split.PC, uint32(split.Mask))
						}
						break
					}
					return s.Stats(), err
				}
				_, _, err := k.Run(t)
				if f, ok := errors.AsType[*interp.Fault](err); !ok || f.Text != refused+";" {
					t.Errorf("ends with %v", err)
				}
			})
		}
	}
}
