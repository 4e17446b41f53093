package sm_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// stopped is a launch of a random kernel that is run by Advance.
type stopped struct {
	*sm.Session
	out *memory.Region
}

func begin(t *testing.T, seed uint64) stopped {
	t.Helper()
	const words = 256
	mod, err := asm.Parse("k.s", []byte(grow(seed, words)))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{GPU: few(t, "h100", 2), MaxSteps: 1e6, Lanes: kerneltest.LevelOf(seed), Compile: kerneltest.CompilationOf(seed)})
	if err != nil {
		t.Fatal(err)
	}
	out, err := m.Alloc("out", 4*words)
	if err != nil {
		t.Fatal(err)
	}
	_, size := mod.Entry("k").ParamLayout()
	l := interp.Launch{Kernel: "k", Grid: kerneltest.Dim(3, 1), Block: kerneltest.Dim(64, 1), Params: make([]byte, size)}
	binary.LittleEndian.PutUint64(l.Params, out.Base)
	policy, err := sm.ParsePolicy("gty")
	if err != nil {
		t.Fatal(err)
	}
	s, err := sm.Begin(m, l, sm.Options{Window: 1, Policy: policy, Cost: cost.Lowered})
	if err != nil {
		t.Fatal(err)
	}
	return stopped{s, out}
}

// text describes all that is to be seen of a launch between two cycles.
func (s stopped) text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "done %v next %d took effect %v %+v\n%+v\n%x\n", s.Done(), s.NextCycle(), s.TookEffect(), s.Stats(), s.L2Traffic(), s.out.Data)
	for id := range s.SMs() {
		v := s.Inspect(id)
		fmt.Fprintf(&b, "SM %d: %d CTAs %+v\n", id, v.CTAs, v.L1)
		for _, c := range v.Schedulers {
			fmt.Fprintf(&b, "issued %d queued %d busy %v\n", c.Issued, c.Queued, c.Busy)
			for _, r := range c.Warps {
				fmt.Fprintf(&b, "%v %d executed %d at %d %d %v until %d %+v %x\n", r.Warp.CTA(), r.Warp.ID(), r.Warp.Executed(), r.PC, r.Op, r.State, r.Until, r.Waits, registers(r.Warp))
			}
		}
	}
	return b.String()
}

// registers returns the registers of the first lane of each of a warp's splits.
func registers(w interp.Warp) (all []byte) {
	for s := range w.Control().Splits() {
		ids := make([]isa.RegID, len(w.Func(s.Frame).Regs))
		for i := range ids {
			ids[i] = isa.RegID(i)
		}
		all = w.AppendLane(all, s.Frame, ids, bits.TrailingZeros32(uint32(s.Mask)))
	}
	return all
}

// TestStopsChangeNothing: what is to be seen before a cycle does not depend on how a launch came there: directly, with
// a stop at each cycle, or interrupted anywhere.
func TestStopsChangeNothing(t *testing.T) {
	short.Alternates(t, 0, 3)
	for _, seed := range []uint64{0, 2, 4} {
		shown := make(map[int64]string) // by cycle
		visit := func(s stopped, how string) {
			got, cycle := s.text(), s.Cycle()
			if want, seen := shown[cycle]; !seen {
				shown[cycle] = got
			} else if got != want {
				t.Fatalf("seed %d: at cycle %d, after %s, got\n%s\nwant\n%s", seed, cycle, how, got, want)
			}
		}
		r := rand.New(rand.NewPCG(seed, 0))
		for _, way := range []struct {
			how  string
			ctx  func() context.Context
			upTo func(now int64) int64
		}{
			{"a stop at each cycle", t.Context, func(now int64) int64 { return now + 1 }},
			{"a few stops", t.Context, func(now int64) int64 { return now + 1 + r.Int64N(300) }},
			{"interruptions", func() context.Context { return kerneltest.EndsAfter(r.IntN(4)) }, func(int64) int64 { return 1e6 }},
		} {
			s := begin(t, seed)
			for visit(s, way.how); !s.Done(); visit(s, way.how) {
				if err := s.Advance(way.ctx(), way.upTo(s.Cycle())); err != nil && !errors.Is(err, context.Canceled) {
					t.Fatal(err)
				}
			}
		}
	}
}
