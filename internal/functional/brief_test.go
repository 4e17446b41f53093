package functional_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// TestBriefLaunchesKeepResults: launches after others of the same kernel have the same results as alone, whether they
// are as brief as those, longer or shorter, and long ones run on several threads.
func TestBriefLaunchesKeepResults(t *testing.T) {
	kerneltest.SkipVerified(t)
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/brief.txt", "rounds")))
	if err != nil {
		t.Fatal(err)
	}
	const ctas, threads, words = 100, 64, 101 * 64
	run := func(m *interp.Machine, out uint64, n, shared uint32) (*functional.Session, interp.Stats) {
		t.Helper()
		params := make([]byte, 16)
		binary.LittleEndian.PutUint64(params, out)
		binary.LittleEndian.PutUint32(params[8:], n)
		binary.LittleEndian.PutUint32(params[12:], shared)
		s, err := functional.Begin(m, interp.Launch{Kernel: "k", Grid: isa.Dim{X: ctas, Y: 1, Z: 1}, Block: isa.Dim{X: threads, Y: 1, Z: 1}, Params: params})
		if err != nil {
			t.Fatal(err)
		}
		s.WorthHelp = 0
		if err := s.Continue(context.Background()); err != nil {
			t.Fatal(err)
		}
		return s, s.Stats()
	}
	machine := func(threads int) (*interp.Machine, []byte, uint64) {
		t.Helper()
		m, err := interp.New(mod, interp.Config{Threads: threads})
		if err != nil {
			t.Fatal(err)
		}
		out, err := m.Alloc("out", 4*words)
		if err != nil {
			t.Fatal(err)
		}
		return m, out.Data, out.Base
	}
	m, data, out := machine(2)
	alone, wanted, aloneOut := machine(1)
	for i, l := range []struct {
		n, shared uint32
		begins    bool // in order, though it may have several threads
	}{{3, 0, false}, {3, 0, true}, {2000, 0, true}, {2000, 0, false}, {3, 0, false}, {3, 1, true}, {3, 1, true}, {2000, 1, true}, {2, 0, false}, {2, 0, true}} {
		s, got := run(m, out, l.n, l.shared)
		_, want := run(alone, aloneOut, l.n, l.shared)
		if diff := cmp.Diff(want, got); diff != "" || !bytes.Equal(data, wanted) {
			t.Errorf("launch %d of %d rounds: memory is equal: %v; statistics (-want +got):\n%s", i, l.n, bytes.Equal(data, wanted), diff)
		}
		switch several := s.Apart() > 0; {
		case l.n > 3 && l.shared == 0 && !several:
			t.Errorf("launch %d of %d rounds ran on one thread", i, l.n)
		case l.n <= 3 && l.begins && several:
			t.Errorf("launch %d of %d rounds ran on several threads", i, l.n)
		}
		if s.InParallel() == l.begins && l.shared == 0 {
			t.Errorf("launch %d of %d rounds: all of it ran on several threads: %v", i, l.n, s.InParallel())
		}
	}
}
