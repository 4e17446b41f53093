package functional_test

import (
	"context"
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// TestLaterLaunchesEqualFirstOnes: launches that follow each other on a machine have the results of launches on
// machines of their own, and an engine knows no region that was freed, nor what a failed launch left.
func TestLaterLaunchesEqualFirstOnes(t *testing.T) {
	kerneltest.SkipVerified(t)
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/again.txt", "again source")))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{Compile: interp.CompileAlways, Budget: memory.NewBudget(64 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	out := alloc(t, m)
	taken := m.Config().Budget.Taken()
	var sessions []*functional.Session
	for i, ctas := range []uint32{1, 1, 3, 1, 3, 1, 1, 3} {
		if i%3 == 2 {
			if _, err := runAgain(m, ctas, 8, 1); !errors.As(err, new(*interp.Fault)) {
				t.Fatalf("launch at an address of nothing: %v", err)
			}
		}
		if i%4 == 3 {
			m.Free(out)
			out = alloc(t, m)
		}
		s, err := runAgain(m, ctas, out.Base, uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		sessions = append(sessions, s)
		alone, err := interp.New(mod, interp.Config{Compile: interp.CompileNever})
		if err != nil {
			t.Fatal(err)
		}
		want := alloc(t, alone)
		w, err := runAgain(alone, ctas, want.Base, uint32(i))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.Data, want.Data) {
			t.Errorf("launch %d: %v, want %v", i, out.Data, want.Data)
		}
		if got, want := s.Stats(), w.Stats(); got.WarpInstrs != want.WarpInstrs || got.LaneInstrs != want.LaneInstrs {
			t.Errorf("launch %d: %+v, want %+v", i, got, want)
		}
		clear(out.Data)
		if now := m.Config().Budget.Taken(); now != taken {
			t.Errorf("launch %d: %d bytes are taken after it, %d before", i, now, taken)
		}
	}
	if sessions[0] != sessions[1] || sessions[5] != sessions[6] {
		t.Error("equal launches that follow each other do not share a session")
	}
}

func alloc(t *testing.T, m *interp.Machine) *memory.Region {
	t.Helper()
	out, err := m.Alloc("out", 4*32*3)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// againLaunch is a launch of a kernel of againSource, with parameters that depend on n.
func againLaunch(kernel string, ctas, threads uint32, out uint64, n uint32) interp.Launch {
	params := binary.LittleEndian.AppendUint64(nil, out)
	for i := range uint32(5) {
		params = binary.LittleEndian.AppendUint32(params, 7*n+i)
	}
	return interp.Launch{Kernel: kernel, Grid: isa.Dim{X: ctas, Y: 1, Z: 1}, Block: isa.Dim{X: threads, Y: 1, Z: 1}, Params: params}
}

// runAgain launches kernel k of againSource, with parameters that depend on n.
func runAgain(m *interp.Machine, ctas uint32, out uint64, n uint32) (*functional.Session, error) {
	s, err := functional.BeginAgain(m, againLaunch("k", ctas, 32, out, n))
	if err != nil {
		return nil, err
	}
	return s, s.Continue(context.Background())
}

// TestOrderOfLaunchesKeepsResults: launches of two kernels in several shapes, in random order, have the results of
// launches on machines of their own, also after launches that failed or were interrupted and after a buffer was freed.
func TestOrderOfLaunchesKeepsResults(t *testing.T) {
	for seed := range uint64(short.Of(40)) {
		checkLaunches(t, seed)
	}
}

// FuzzLaunches is TestOrderOfLaunchesKeepsResults for any seed.
func FuzzLaunches(f *testing.F) {
	f.Add(uint64(0))
	f.Fuzz(func(t *testing.T, seed uint64) { checkLaunches(t, seed) })
}

func checkLaunches(t *testing.T, seed uint64) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 21))
	other := strings.NewReplacer("entry k(", "entry other(", "mul.wide.u32 %rd4, %r8, 4", "mul.wide.u32 %rd4, %r1, 8").Replace(kerneltest.Source(t, "testdata/kernels/again.txt", "again source"))
	mod, err := asm.Parse("k.s", []byte(kerneltest.Source(t, "testdata/kernels/again.txt", "again source")+other))
	if err != nil {
		t.Fatal(err)
	}
	var cfg interp.Config // code for what is frequent
	if seed%2 == 0 {
		cfg.Compile = interp.CompileAlways
	}
	m, err := interp.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	out := alloc(t, m)
	for i := range uint32(60) {
		kernel := []string{"k", "other"}[r.IntN(2)]
		ctas, threads := []uint32{1, 1, 2, 3}[r.IntN(4)], []uint32{32, 32, 1, 17}[r.IntN(4)]
		switch r.IntN(10) {
		case 0:
			if _, err := functional.Run(t.Context(), m, againLaunch(kernel, ctas, threads, 8, 1)); !errors.As(err, new(*interp.Fault)) {
				t.Fatalf("seed %d: launch at an address of nothing: %v", seed, err)
			}
		case 1:
			if _, err := functional.Run(canceled, m, againLaunch(kernel, ctas, threads, out.Base, 1)); !errors.Is(err, context.Canceled) {
				t.Fatalf("seed %d: interrupted launch: %v", seed, err)
			}
			clear(out.Data)
		case 2:
			m.Free(out)
			if _, err := functional.Run(t.Context(), m, againLaunch(kernel, ctas, threads, out.Base, 1)); !errors.As(err, new(*interp.Fault)) {
				t.Fatalf("seed %d: launch at a freed buffer: %v", seed, err)
			}
			out = alloc(t, m)
		}
		got, err := functional.Run(t.Context(), m, againLaunch(kernel, ctas, threads, out.Base, i))
		if err != nil {
			t.Fatalf("seed %d, launch %d: %v", seed, i, err)
		}
		alone, err := interp.New(mod, interp.Config{Compile: interp.CompileNever})
		if err != nil {
			t.Fatal(err)
		}
		to := alloc(t, alone)
		want, err := functional.Run(t.Context(), alone, againLaunch(kernel, ctas, threads, to.Base, i))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(out.Data, to.Data) || got.WarpInstrs != want.WarpInstrs || got.LaneInstrs != want.LaneInstrs {
			t.Fatalf("seed %d, launch %d of %s, %d CTAs of %d threads: %v, %+v; alone %v, %+v", seed, i, kernel, ctas, threads, out.Data, got, to.Data, want)
		}
		clear(out.Data)
	}
}
