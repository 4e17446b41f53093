package interp_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
)

// late lists the accesses to memory that threads share, with what memory holds and what stores write, and the branches
// at the ends of loops. It may be notified late of all of these.
type late struct {
	fn    *isa.Func
	graph *flow.Graph
	lines []string
}

func (l *late) Accessed(at *interp.Place, a *interp.Access) {
	if !l.Watches(at.Func, a.PC) {
		return
	}
	line := fmt.Sprintf("b%d.w%d %x %v %d of %x: region %d, size %d at", at.CTA.X, at.Warp, at.Split, a.Kind, a.PC, a.Lanes, a.Region, a.Size)
	for m := a.Lanes; m != 0; m &= m - 1 {
		line += fmt.Sprintf(" %d=", a.At(m.First()))
		if len(l.lines)%16 > 10 { // of some only, since memory is then what each later access finds
			line += fmt.Sprintf("%x", a.Before()[a.At(m.First()):][:a.Size])
		}
	}
	if values := a.Stored(); values != nil {
		for m := a.Lanes; m != 0; m &= m - 1 {
			line += fmt.Sprintf(" %d:%x", m.First(), values[m.First()*int(a.Size):][:a.Size])
		}
	}
	l.lines = append(l.lines, line)
}

// lateTogether is late, and may be notified of loads together.
type lateTogether struct {
	late
	together int
}

// Loaded lists loads as Accessed does, unless that lists what memory holds.
func (l *lateTogether) Loaded(at *interp.Place, loads *interp.Loads) int {
	n := min(loads.Len(), max(0, 11-len(l.lines)%16))
	l.together++
	copied := *loads
	if loads.Shared {
		copied, _ = loads.Copy(nil)
	}
	for i := range n {
		var a lanes.Access
		copied.Locate(i, &a)
		line := fmt.Sprintf("b%d.w%d %x %v %d of %x: region %d, size %d at", at.CTA.X, at.Warp, at.Split, isa.Load, copied.PC(i), copied.Lanes, a.Region, copied.Size(i))
		for m := copied.Lanes; m != 0; m &= m - 1 {
			line += fmt.Sprintf(" %d=", a.At(m.First()))
		}
		l.lines = append(l.lines, line)
	}
	return n
}

func (l *late) Ran(at *interp.Place, _, end int, m lanes.Mask) {
	if l.Watches(at.Func, end-1) && l.isBranch(end-1) {
		l.lines = append(l.lines, fmt.Sprintf("b%d.w%d %x: branch %d", at.CTA.X, at.Warp, m, end-1))
	}
}

// Barriers, starts and ends of warps are noted, too.

func (l *late) Started(at *interp.Place, m lanes.Mask) { l.note(at, "starts %x", m) }

func (l *late) Ended(at *interp.Place) { l.note(at, "block ends") }

func (l *late) Exited(at *interp.Place, pc int, m lanes.Mask) { l.note(at, "exits at %d %x", pc, m) }

func (l *late) Arrived(at *interp.Place, pc, id int, m lanes.Mask) {
	l.note(at, "arrives at %d by %d %x", id, pc, m)
}

func (l *late) Released(at *interp.Place, id int) { l.note(at, "release of %d", id) }

func (l *late) note(at *interp.Place, format string, args ...any) {
	l.lines = append(l.lines, fmt.Sprintf("b%d.w%d ", at.CTA.X, at.Warp)+fmt.Sprintf(format, args...))
}

func (l *late) isBranch(pc int) bool {
	s := l.fn.Code[pc].Spec
	return s != nil && s.Kind == isa.Branch
}

func (l *late) Watches(_, pc int) bool {
	in := &l.fn.Code[pc]
	switch {
	case in.Spec == nil:
		return false
	case in.Spec.Kind == isa.Barrier:
		return true
	case in.Spec.Kind == isa.Branch:
		return l.graph.Retreating(pc)
	case in.Spec.Kind == isa.Load || in.Spec.Kind == isa.Store || in.Spec.Kind == isa.Atomic:
		return in.Mods.MemSpace() != isa.Param && in.Mods.MemSpace() != isa.Local
	}
	return false
}

func (l *late) MayBeLate(_, _ int) bool { return true }

// trails are loops that end each kernel.
var trails = map[string]string{
	"rows":               `L: ld.global.u32 %r11, [%rd2]; ld.shared.u32 %r12, [%r4]; add.u32 %r10, %r11, %r12; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L;`,
	"gathers":            `L: ld.shared.u32 %r12, [%r6]; add.u32 %r10, %r10, %r12; xor.b32 %r6, %r6, 4; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 7; @%p1 bra L;`,
	"vectors":            `L: ld.global.v2.u32 {%r11, %r12}, [%rd1+8]; ld.global.u8 %r13, [%rd2+3]; add.u32 %r10, %r11, %r13; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"unused":             `L: ld.global.u32 %r11, [%rd2]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"generic":            `L: ld.u32 %r11, [%rd4+4]; ld.u32 %r12, [%rd2]; add.u32 %r10, %r11, %r12; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"stores between":     `L: ld.global.u32 %r11, [%rd2]; st.global.u32 [%rd2+256], %r11; ld.shared.u32 %r12, [%r4]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"own memory":         `L: ld.shared.u32 %r11, [%r4]; st.local.u32 [m], %r11; ld.local.u32 %r10, [m]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"diverging loop":     `L: ld.shared.u32 %r11, [%r4]; add.u32 %r10, %r10, %r11; add.u32 %r3, %r3, 1; setp.le.u32 %p1, %r3, %r5; @%p1 bra L; ld.global.u32 %r12, [%rd2];`,
	"branch in loop":     `L: setp.lt.u32 %p2, %r5, 2; @%p2 bra M; ld.shared.u32 %r11, [%r4+4]; add.u32 %r10, %r10, %r11; M: ld.global.u32 %r12, [%rd2]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"guards":             `L: setp.lt.u32 %p2, %r5, 2; @%p2 ld.shared.u32 %r11, [%r4+4]; ld.shared.u32 %r12, [%r4]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"plain back edge":    `L: ld.shared.u32 %r11, [%r4]; add.u32 %r3, %r3, 1; setp.gt.u32 %p1, %r3, 5; @%p1 bra M; bra L; M:`,
	"stores of one word": `L: st.shared.u32 [%r2], %r1; ld.shared.u32 %r11, [%r2]; xor.b32 %r7, %r5, %r3; shl.b32 %r7, %r7, 2; add.u32 %r7, %r7, %r2; st.shared.u32 [%r7], %r1; st.shared.u32 [%r7+4], %r11; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra L;`,
	"stores of parts":    `L: st.shared.u8 [%r4+1], %r3; st.shared.u16 [%r6+2], %r1; cvt.u64.u32 %rd5, %r1; st.global.u64 [%rd1+512], %rd5; st.shared.v2.u32 [%r2+8], {%r1, %r3}; st.global.v4.u32 [%rd1+64], {%r1, %r3, %r5, %r1}; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 4; @%p1 bra L;`,
	"guarded stores":     `L: setp.lt.u32 %p2, %r5, %r3; @%p2 st.shared.u32 [%r4], %r3; @!%p2 st.global.u32 [%rd2], %r1; @%p2 st.shared.u32 [%r6], %r1; @%p2 atom.shared.add.u32 %r11, [%r6], 3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 6; @%p1 bra L;`,
	"atomics":            `L: atom.shared.add.u32 %r11, [%r6], %r1; atom.global.max.u32 %r12, [%rd1+8], %r1; red.shared.add.u32 [%r4], %r11; red.global.add.u32 [%rd2], %r12; atom.shared.cas.b32 %r13, [%r2+16], %r3, %r1; atom.global.add.u64 %rd5, [%rd1+16], %rd4; red.shared.add.f32 [%r6+4], 0f3f800000; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"stores of arms":     `L: setp.lt.u32 %p2, %r5, 2; @%p2 bra M; st.shared.u32 [%r4+4], %r3; st.shared.u32 [%r6], %r1; atom.shared.inc.u32 %r11, [%r2], 9; M: ld.shared.u32 %r12, [%r6]; st.global.u32 [%rd2], %r12; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"many stores":        `L: st.shared.u32 [%r4], %r3; ld.shared.u32 %r12, [%r6]; st.shared.u32 [%r6], %r12; add.u32 %r10, %r10, %r12; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 30; @%p1 bra L;`,
	"long":               `L: ld.shared.u32 %r11, [%r4]; ld.shared.u32 %r12, [%r6]; add.u32 %r10, %r11, %r12; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 500; @%p1 bra L;`,
	"barriers":           `L: st.shared.u32 [%r4], %r3; bar.sync 0; ld.shared.u32 %r11, [%r2+4]; bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L;`,
	"divergent between":  `L: setp.lt.u32 %p2, %r5, 2; @%p2 bra M; st.shared.u32 [%r4+4], %r3; M: bar.sync 3; ld.shared.u32 %r11, [%r6]; atom.global.add.u32 %r12, [%rd1], %r11; bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 9; @%p1 bra L;`,
	"full in a turn":     `L: st.shared.u32 [%r4], %r3; ld.shared.u32 %r11, [%r6]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 200; @%p1 bra L; bar.sync 0; add.u32 %r10, %r10, 200; mov.u32 %r3, %r10; setp.lt.u32 %p1, %r3, 600; mov.u32 %r3, 0; @%p1 bra L;`,
	"full in a round":    `L: st.global.v4.u32 [%rd1+64], {%r1, %r3, %r5, %r1}; bar.sync 0; bar.sync 1; st.shared.u32 [%r6], %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 80; @%p1 bra L;`,
	"partial barriers":   `L: bar.sync 0; setp.lt.u32 %p2, %r1, 32; @%p2 bra M; bar.arrive 1, 64; bra N; M: bar.sync 1, 64; N: st.shared.u32 [%r4], %r3; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"early exits":        `setp.lt.u32 %p2, %r1, 32; @%p2 bra M; ld.shared.u32 %r11, [%r4]; ret; M: bar.sync 0; L: st.shared.u32 [%r4], %r3; bar.sync 0; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 5; @%p1 bra L;`,
	"nested":             `K: mov.u32 %r7, 0; L: ld.shared.u32 %r11, [%r4]; add.u32 %r10, %r10, %r11; add.u32 %r7, %r7, 1; setp.lt.u32 %p1, %r7, 3; @%p1 bra L; ld.global.u32 %r12, [%rd2]; add.u32 %r3, %r3, 1; setp.lt.u32 %p1, %r3, 3; @%p1 bra K;`,
}

// TestLateObserversSeeTheSame: a late observer is notified of the same accesses and branches in the same order, with
// the same lanes and the same memory, whether lane functions or code executes them. With 40 threads lane functions
// execute all that code executes, too.
func TestLateObserversSeeTheSame(t *testing.T) {
	short.Alternates(t, 2, 3)
	together := 0
	for name, text := range trails {
		for _, threads := range []uint32{64, 40} {
			source := kerneltest.Source(t, "testdata/kernels/trail.txt", "late observers see the same", "$text", text)
			never := &late{}
			never.run(t, never, source, threads, interp.Config{Compile: interp.CompileNever})
			for _, level := range kerneltest.Levels() {
				cfg := interp.Config{Compile: interp.CompileAlways, Lanes: level, Verify: threads == 40}
				each, grouped := &late{}, &lateTogether{}
				each.run(t, each, source, threads, cfg)
				grouped.run(t, grouped, source, threads, cfg)
				for _, got := range []*late{each, &grouped.late} {
					if diff := cmp.Diff(never.lines, got.lines); diff != "" {
						t.Errorf("%s, %d threads, %v (-lane functions +code):\n%s", name, threads, level, diff)
					}
				}
				together += grouped.together
			}
		}
	}
	if together == 0 && len(kerneltest.Levels()) > 0 {
		t.Error("no loads are notified together")
	}
}

// run executes a kernel with an observer that is l or has it.
func (l *late) run(t *testing.T, o interp.Observer, source string, threads uint32, cfg interp.Config) {
	t.Helper()
	k := kerneltest.Kernel{Source: source, Words: []int{256}, Grid: kerneltest.Dim(2, 1), Block: kerneltest.Dim(threads, 1), Config: cfg}
	k.Driver = func(m *interp.Machine, launch interp.Launch) (interp.Stats, error) {
		fns, err := m.Functions(launch.Kernel)
		if err != nil {
			t.Fatal(err)
		}
		l.fn, l.graph = fns[0], flow.New(fns[0])
		launch.Observe(o)
		return functional.Run(context.Background(), m, launch)
	}
	if _, _, err := k.Run(t); err != nil {
		t.Fatal(err)
	}
}
