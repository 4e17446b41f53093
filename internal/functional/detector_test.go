package functional

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

// observed is a warp of a launch that the detector observes from the first instruction.
type observed struct {
	t *testing.T
	*Session
	r *resident
}

// observe begins a launch of one warp of a kernel that has a buffer as its argument.
func observe(t *testing.T, body string, edges int) *observed {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(".entry k(.param .u64 out)\n{\n"+body+"\n}"))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	buffer, err := m.Alloc("out", 256)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Begin(m, interp.Launch{Kernel: "k", Grid: isa.Dim{X: 1, Y: 1, Z: 1}, Block: isa.Dim{X: 32, Y: 1, Z: 1},
		Params: binary.LittleEndian.AppendUint64(nil, buffer.Base)})
	if err != nil {
		t.Fatal(err)
	}
	if !s.startNext() {
		t.Fatal("no CTA starts")
	}
	w := &observed{t, s, s.resident[0]}
	s.detector.begin(w.r.Warps[0], edges, true)
	return w
}

// next runs the warp to its next retreating branch and returns the detector's verdict.
func (w *observed) next() progress {
	w.t.Helper()
	state := w.r.Warps[0]
	for range 100 {
		var split divergence.Split
		if !state.Control.Ready(0, &split) {
			w.t.Fatal("no lane can run")
		}
		w.detector.runs(state, split.Mask)
		why, err := w.engine.Run(w.r.CTA, state, &split, 0)
		if err != nil {
			w.t.Fatal(err)
		}
		if why != interp.Branched {
			continue
		}
		found := progressing
		retreats := split.PC <= w.engine.Branch()
		if retreats {
			found = w.detector.retreat(w.Session, state, &split)
		}
		state.Control.Advance(split.ID, split.PC)
		if retreats {
			return found
		}
	}
	w.t.Fatal("no branch retreats")
	return progressing
}

// TestDetectorFindsLivelocks checks at which retreating branch of a loop the detector finds it livelocked, or polling,
// if ever.
func TestDetectorFindsLivelocks(t *testing.T) {
	const most = 200 // retreating branches
	for _, c := range []struct {
		name, body string
		found      progress
		at         int // number of the branch, from 0
	}{
		{"an empty loop", "L: bra L;", livelocked, 1},
		{"a counter", "L: add.u32 %r1, %r1, 1; bra L;", progressing, 0},
		{"a counter that is reset", "L: add.u32 %r1, %r1, 1; mov.u32 %r1, 0; bra L;", livelocked, 1},
		// Marks are taken at branches 0 and 1; the state at 1 is that at 3.
		{"two states in turn", "L: xor.b32 %r1, %r1, 1; bra L;", livelocked, 3},
		// Marks are taken at branches 0, 1 and 3; the state at 3 is that at 6.
		{"a loop of three in a loop", `
	L:	mov.u32 %r1, 0;
	M:	add.u32 %r1, %r1, 1;
		setp.lt.u32 %p1, %r1, 3;
		@%p1 bra M;
		bra L;`, livelocked, 6},
		// The value of %r1 before the loop is copied to %r3 at branch 2, where nothing reads it. A mark is taken at branch
		// 1.
		{"a register that nothing reads", "mov.u32 %r1, 7; L: mov.u32 %r3, %r2; mov.u32 %r2, %r1; mov.u32 %r1, 0; bra L;", livelocked, 2},
		{"a register that is read behind the loop", "ld.param.u64 %rd1, [out]; L: xor.b32 %r1, %r1, 1; @%p1 bra M; bra L; M: st.global.u32 [%rd1], %r1;", livelocked, 3},
		{"a carry in turn with none", "L: addc.u32 %r1, 0, 0; xor.b32 %r1, %r1, 1; add.cc.u32 %r1, %r1, -1; bra L;", livelocked, 3},
		{"a stack that grows", "L: alloca.u64 %rd1, 16; mov.u64 %rd1, 0; bra L;", progressing, 0},
		{"a store of what is there", "ld.param.u64 %rd1, [out]; L: st.global.u32 [%rd1], 7; bra L;", livelocked, 1},
		{"a store of something else", "ld.param.u64 %rd1, [out]; L: atom.global.add.u32 %r1, [%rd1], 1; mov.u32 %r1, 0; bra L;", progressing, 0},
		{"local memory", ".local .u32 x; L: ld.local.u32 %r1, [x]; add.u32 %r1, %r1, 1; st.local.u32 [x], %r1; mov.u32 %r1, 0; bra L;", progressing, 0},
		{"a clock", "L: mov.u32 %r1, %clock; mov.u32 %r1, 0; bra L;", progressing, 0},
		{"a flag", "ld.param.u64 %rd1, [out]; L: ld.volatile.global.u32 %r1, [%rd1]; bra L;", livelocked, 1},
		// Marks are taken at branches 31 and 63; 64 polling branches must follow a mark.
		{"a flag and a counter", "ld.param.u64 %rd1, [out]; L: ld.volatile.global.u32 %r1, [%rd1]; add.u32 %r2, %r2, 1; bra L;", polling, 127},
		{"a reduction that changes nothing and a counter", "ld.param.u64 %rd1, [out]; L: red.global.add.u32 [%rd1], 0; add.u32 %r2, %r2, 1; bra L;", progressing, 0},
		{"all lanes ask who runs", "L: activemask.b32 %r1; bra L;", livelocked, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := observe(t, c.body, 2*most)
			for i := range most {
				if found := w.next(); found != progressing {
					if found != c.found || i != c.at {
						t.Errorf("found %d at branch %d, want %d at %d", found, i, c.found, c.at)
					}
					return
				}
			}
			if c.found != progressing {
				t.Errorf("found nothing in %d branches, want %d at %d", most, c.found, c.at)
			}
		})
	}
}

// TestDetectorObservesOneWarp: the comparison does not include other lanes that run since the mark, or other warps,
// so there is no proof before a new mark.
func TestDetectorObservesOneWarp(t *testing.T) {
	w := observe(t, "L: bra L;", 100)
	var found []progress
	for i := range 4 {
		if i == 1 {
			w.detector.runs(nil, 1) // of another warp
		}
		found = append(found, w.next())
	}
	if want := []progress{progressing, progressing, livelocked, livelocked}; !slices.Equal(found, want) {
		t.Errorf("found %d, want %d", found, want)
	}
}

// TestDetectorGivesUp: it observes as many retreating branches as begin was given, and no access after that.
func TestDetectorGivesUp(t *testing.T) {
	w := observe(t, "ld.param.u64 %rd1, [out]; L: add.u32 %r1, %r1, 1; st.global.u32 [%rd1], %r1; bra L;", 5)
	for w.detector.edgesLeft > 0 {
		w.next()
	}
	if !w.detector.changed() {
		t.Error("stores have changed nothing")
	}
	w.detector.stop()
	w.detector.wrote = false
	w.next()
	if w.detector.wrote || w.detector.changed() {
		t.Error("it observes a store when it is off")
	}
}
