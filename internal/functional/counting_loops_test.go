package functional

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// randomLooping is a kernel with random branches back and forth, and a similar function that it calls. Threads are
// independent of each other. What they store depends on their path.
func randomLooping(rnd *rand.Rand) string {
	var b strings.Builder
	b.WriteString(".entry k(.param .u64 out)\n{\n\t.shared .u32 own[64]; .reg .u32 %t, %m;\n" + loopingRegisters + `
	mov.u32 %t, %tid.x;
	shl.b32 %o, %t, 2;
	mov.u32 %m, own;
	add.u32 %m, %m, %o;
	` + []string{"and.b32 %s, %t, 3;", "mov.u32 %s, 0;", "mov.u32 %s, 0x40000000;"}[rnd.IntN(3)] + `
	ld.param.u64 %out, [out];
	mad.wide.u32 %out, %t, 4, %out;
`)
	loopingBody(&b, rnd, 6+rnd.IntN(16), true)
	b.WriteString("\tld.shared.u32 %o, [%m];\n\tadd.u32 %a0, %a0, %o;\n\tst.global.u32 [%out], %a0;\n\tret;\n}\n")
	b.WriteString(".func (.reg .u32 r) f(.reg .u32 %t, .reg .u32 %m)\n{\n" + loopingRegisters + "\n\tshr.u32 %s, %t, 4;\n")
	loopingBody(&b, rnd, 3+rnd.IntN(8), false)
	b.WriteString("\tmov.u32 r, %a0;\n\tret;\n}\n")
	return b.String()
}

const loopingRegisters = "\t.reg .u32 %a<3>, %s, %o; .reg .u16 %h; .reg .u64 %out; .reg .pred %p<3>;"

// loopingBody emits n instructions.
func loopingBody(b *strings.Builder, rnd *rand.Rand, n int, calls bool) {
	pick := func(texts ...string) string { return texts[rnd.IntN(len(texts))] }
	a := func() string { return pick("%a0", "%a1", "%a2") }
	p := func() string { return pick("%p0", "%p1", "%p2") }
	for _, r := range []string{"%a0", "%a1", "%a2"} {
		fmt.Fprintf(b, "\tmov.u32 %s, %s;\n", r, pick("%t", "0", "%s"))
	}
	fmt.Fprintf(b, "\tmov.u16 %%h, 0;\n\tsetp.lt.u32 %%p0, %%t, 16;\n\tsetp.eq.u32 %%p1, %%s, 1;\n\tsetp.ne.u32 %%p2, %%a0, 3;\n")
	for i := range n {
		guard := pick("", "", "", "@"+p()+" ", "@!"+p()+" ")
		fmt.Fprintf(b, "L%d:\t", i)
		switch rnd.IntN(16) {
		case 0, 1, 2, 3:
			fmt.Fprintf(b, "@%s%s bra L%d;\n", pick("", "!"), p(), rnd.IntN(n+1))
		case 4:
			fmt.Fprintf(b, "setp.%s.u32 %s, %s, %s;\n", pick("lt", "gt", "eq", "ne"), p(), a(), pick("3", "10", "300", a(), "%s"))
		case 5, 6, 7:
			r := a()
			fmt.Fprintf(b, "%sadd.u32 %s, %s, %s;\n", guard, r, r, pick("1", "1", "1", "-1", "2", "%s", "0"))
		case 8:
			fmt.Fprintf(b, "%sadd.u32 %s, %s, %s;\n", guard, a(), a(), pick("1", "-1", "%s"))
		case 9:
			fmt.Fprintf(b, "%smov.u32 %s, %s;\n", guard, a(), pick(a(), "0", "%t"))
		case 10:
			fmt.Fprintf(b, "add.u16 %%h, %%h, %s; cvt.u32.u16 %s, %%h;\n", pick("1", "-1"), a())
		case 11:
			fmt.Fprintf(b, "selp.u32 %s, %s, %s, %s;\n", a(), a(), a(), p())
		case 12:
			fmt.Fprintf(b, "%sst.shared.u32 [%%m], %s;\n", guard, pick(a(), "7"))
		case 13:
			fmt.Fprintf(b, "%s %s, [%%m];\n", pick("ld.shared.u32", "ld.shared.u32", "ld.volatile.shared.u32"), a())
		case 14:
			if calls {
				fmt.Fprintf(b, "%scall (%s), f, (%%t, %%m);\n", pick("", "@"+p()+" "), a())
				continue
			}
			fmt.Fprintf(b, "%sadd.u32 %%a1, %%a1, 1;\n", guard)
		case 15:
			fmt.Fprintf(b, "and.b32 %%o, %s, 1; T%d: .branchtargets L%d, L%d; brx.idx %%o, T%d;\n", a(), i, rnd.IntN(n+1), rnd.IntN(n+1), i)
		}
	}
	fmt.Fprintf(b, "L%d:\n", n)
}

// begin begins a launch of one CTA of a kernel whose argument is a buffer of 64 words.
func begin(t *testing.T, src string, cfg interp.Config, threads uint32) (*Session, *memory.Region) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(src))
	if err != nil {
		t.Fatalf("%v in\n%s", err, src)
	}
	m, err := interp.New(mod, cfg)
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := m.Alloc("out", 256)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Begin(m, interp.Launch{Kernel: "k", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: threads, Y: 1, Z: 1},
		Params: binary.LittleEndian.AppendUint64(nil, buffer.Base)})
	if err != nil {
		t.Fatal(err)
	}
	return s, buffer
}

var countingModels = []divergence.Model{divergence.IndependentThreads, divergence.ReconvergenceStack, divergence.LowestPC}

// TestCountingLoopsRepeatNoState runs random programs with a detector that is always on: when it finds lanes
// livelocked, not all loops that contain them are counting loops.
func TestCountingLoopsRepeatNoState(t *testing.T) {
	short.Alternates(t, 1, 3)
	t.Parallel()
	rnd := rand.New(rand.NewPCG(7, 8))
	counted, livelocks := 0, 0
	for n := range short.Of(2000) {
		src := randomLooping(rnd)
		s, _ := begin(t, src, interp.Config{Divergence: countingModels[n%3]}, 32)
		if !s.startNext() {
			t.Fatal("no CTA starts")
		}
		w := &observed{t, s, s.resident[0]}
		s.detector.begin(w.r.Warps[0], 1<<30, true)
		for range 300 {
			found, split, ok := w.follow()
			if !ok {
				break
			}
			counts := s.counts(w.r.Warps[0], &split)
			if counts {
				counted++
			}
			if found != livelocked {
				continue
			}
			if livelocks++; counts {
				t.Fatalf("lanes %08x are livelocked at PC %d in loops that count under %v, in\n%s", uint32(split.Mask), split.PC, countingModels[n%3], src)
			}
			break
		}
	}
	if t.Logf("%d livelocks, %d places in loops that count", livelocks, counted); livelocks < 20 || counted < 500 {
		t.Error("that is few")
	}
}

// follow runs the warp to its next retreating branch, and returns the detector's verdict on the split after it. It
// returns false if the warp does not reach one.
func (w *observed) follow() (progress, divergence.Split, bool) {
	state := w.r.Warps[0]
	var split divergence.Split
	for range 1000 {
		if !state.Control.Ready(0, &split) {
			return 0, split, false
		}
		w.detector.runs(state, split.Mask)
		why, err := w.engine.Run(w.r.CTA, state, &split, 0)
		if err != nil || why == interp.Ended && state.Live == 0 {
			return 0, split, false // such as a call too deep
		}
		if why != interp.Branched {
			continue
		}
		retreats, found := split.PC <= w.engine.Branch(), progressing
		if retreats {
			found = w.detector.retreat(w.Session, state, &split)
		}
		id := split.ID
		if state.Control.Advance(id, split.PC); retreats {
			return found, split, true
		}
	}
	return 0, split, false
}

// TestCountingLoopsChangesNothing runs random programs with and without observing counting loops: they end the same
// way, with the same memory after the same number of instructions of their lanes.
func TestCountingLoopsChangesNothing(t *testing.T) {
	t.Parallel()
	ends := make(map[string]int)
	for n := range short.Of(600) {
		if short.Waits(n, 6) {
			continue
		}
		src := randomLooping(rand.New(rand.NewPCG(9, uint64(n))))
		cfg := interp.Config{Divergence: countingModels[n%3], MaxSteps: 100_000}
		if n%8 == 0 {
			cfg.Split = uint64(n + 1)
		}
		cfg.Compile = []interp.Compilation{interp.CompileAlways, interp.CompileWanted, interp.CompileHot}[n/3%3]
		var how [2]string
		var words [2][]byte
		var instrs [2]uint64
		for i := range how {
			s, buffer := begin(t, src, cfg, 64)
			s.ObservesAll = i == 1
			how[i] = ending(s.Continue(t.Context()))
			words[i], instrs[i] = buffer.Data, s.Stats().LaneInstrs
		}
		ends[how[0]]++
		if how[0] != how[1] || how[0] == "" && (!bytes.Equal(words[0], words[1]) || instrs[0] != instrs[1]) {
			t.Errorf("%q after %d instructions, if all is observed %q after %d, under %v with split %d, in\n%s", how[0], instrs[0], how[1], instrs[1], cfg.Divergence, cfg.Split, src)
		}
	}
	t.Log(ends)
}

// ending returns how a launch ends: "", the rule of a hang, or another error.
func ending(err error) string {
	if err == nil {
		return ""
	}
	if hang, ok := errors.AsType[*interp.Hang](err); ok {
		return fmt.Sprint(hang.Rule)
	}
	return fmt.Sprint(err)
}
