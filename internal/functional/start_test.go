package functional_test

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/lanes/jit"
	"github.com/simtrun/simtrun/interp"
)

// ctaNumber begins kernels: %r10 is the number of the CTA, %r11 that of the thread in it, and %rd1 the address of the
// CTA's words.
const ctaNumber = kerneltest.Entry + `
	ld.param.u64 %rd1, [out];
	mad.lo.u32 %r10, %ctaid.z, %nctaid.y, %ctaid.y;
	mad.lo.u32 %r10, %r10, %nctaid.x, %ctaid.x;
	mov.u32 %r11, %tid.x;
	mul.lo.u32 %r12, %r10, %ntid.x;
	mad.wide.u32 %rd1, %r12, 4, %rd1;
	mad.wide.u32 %rd2, %r11, 4, %rd1;
`

// inTurns reports whether code for lanes is compiled on this machine.
func inTurns() bool {
	level, _ := jit.Chosen()
	return level != jit.None
}

// runStarting runs a kernel that is compiled before its first instruction, and returns which of its CTAs had its
// warps started last.
func runStarting(t *testing.T, k kerneltest.Kernel) (out [][]uint32, stats interp.Stats, latest isa.Dim, err error) {
	t.Helper()
	k.Config.Compile = interp.CompileAlways
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		s, err := functional.Begin(m, l)
		if err != nil {
			return interp.Stats{}, err
		}
		err = s.Continue(context.Background())
		if done, _ := m.Progress(); err == nil && done != l.Grid.Count() {
			t.Errorf("%d CTAs are done of %d", done, l.Grid.Count())
		}
		latest = s.LatestStart()
		return s.Stats(), err
	}
	out, stats, err = k.Run(t)
	return out, stats, latest, err
}

// TestNextCTAStartsAfresh: a CTA that replaces one that has ended finds its own coordinates, and zeros in shared and
// local memory and in unwritten registers, although each CTA leaves ones there. Its warps were not started: code went
// from CTA to CTA. The second kernel lacks what only some kernels have: code also starts its CTAs.
func TestNextCTAStartsAfresh(t *testing.T) {
	kerneltest.SkipVerified(t)
	const body = `
	.shared .b32 s[99];
	.local .b32 l[4]; ///
	mov.u32 %r1, %ctaid.x;
	mad.lo.u32 %r1, %ctaid.y, 100, %r1;
	mad.lo.u32 %r1, %ctaid.z, 10000, %r1;
	mov.u32 %r2, s;
	mad.lo.u32 %r2, %r11, 4, %r2;
	ld.shared.u32 %r3, [%r2];
	ld.shared.u32 %r8, [s+392];
	add.u32 %r3, %r3, %r8;
	ld.local.u32 %r4, [l+8]; ///
	add.u32 %r1, %r1, %r4; ///
	addc.u32 %r5, 0, 0;
	add.u32 %r1, %r1, %r3;
	add.u32 %r1, %r1, %r5;
	add.u32 %r1, %r1, %r6; ///
	selp.u32 %r7, 1, 0, %p3; ///
	add.u32 %r1, %r1, %r7; ///
	bar.sync 0;
	st.shared.u32 [%r2], 1000000;
	st.shared.u32 [s+392], 3000000;
	st.local.u32 [l+8], 2000000; ///
	mov.u32 %r6, 4000000;
	setp.ne.u32 %p3, %r6, 0;
	add.cc.u32 %r5, %r6, -1;
	bar.sync 0;
	st.global.u32 [%rd2], %r1;
	ret;
}`
	grid := isa.Dim{X: 5, Y: 3, Z: 2}
	for _, threads := range []uint32{96, 32, 75} {
		for _, c := range []struct {
			body   string
			instrs uint64 // of a warp
		}{{body, 7 + 26}, {regexp.MustCompile(`(?m)^.*///$`).ReplaceAllString(body, ""), 7 + 20}} {
			k := kerneltest.Kernel{Source: ctaNumber + strings.ReplaceAll(c.body, "///", ""), Grid: grid, Block: kerneltest.Dim(threads, 1), Words: []int{30 * int(threads)}}
			out, stats, latest, err := runStarting(t, k)
			if err != nil {
				t.Fatal(err)
			}
			for i, v := range out[0] {
				at := grid.At(int64(i) / int64(threads))
				if want := at.X + 100*at.Y + 10000*at.Z; v != want {
					t.Fatalf("%d threads: thread %d of block %v has %d, want %d", threads, i%int(threads), at, v, want)
				}
			}
			warps := uint64(threads+31) / 32
			if want := (interp.Stats{WarpInstrs: 30 * warps * c.instrs, LaneInstrs: 30 * uint64(threads) * c.instrs}); fmt.Sprint(stats) != fmt.Sprint(want) {
				t.Errorf("%d threads: %+v, want %+v", threads, stats, want)
			}
			if inTurns() && grid.Number(latest) > 1 { // in the first it is found where accesses go
				t.Errorf("%d threads: warps were started for block %v", threads, latest)
			}
		}
	}
}

// TestSomeWarpsCannotStartInTurns has kernels begin with code for full warps only, and last warps that are not full.
func TestSomeWarpsCannotStartInTurns(t *testing.T) {
	for _, first := range []string{"shfl.bfly.b32 %r1, %tid.x, 0, 31;", "vote.ballot.b32 %r3, %p1;\n\tmov.u32 %r1, %tid.x;"} {
		for _, threads := range []uint32{64, 75, 11} {
			k := kerneltest.Kernel{Source: strings.Replace(ctaNumber, "{\n", "{\n\t"+first+"\n", 1) + "\tadd.u32 %r1, %r1, %r10;\n\tst.global.u32 [%rd2], %r1;\n\tret;\n}",
				Grid: kerneltest.Dim(30, 1), Block: kerneltest.Dim(threads, 1), Words: []int{30 * int(threads)}}
			out, _, _, err := runStarting(t, k)
			if err != nil {
				t.Fatalf("%s, %d threads: %v", first, threads, err)
			}
			for i, v := range out[0] {
				if want := uint32(i)/threads + uint32(i)%threads; v != want {
					t.Fatalf("%s, %d threads: word %d is %d, want %d", first, threads, i, v, want)
				}
			}
		}
	}
}

// TestSomeCTAsLeaveTurns has every seventh CTA execute in one of its warps what code does not support, or not in
// turns, at several places: the results are the same as if all CTAs were started the usual way.
func TestSomeCTAsLeaveTurns(t *testing.T) {
	const some = `
	rem.u32 %r20, %r10, 7;
	shr.u32 %r21, %r11, 5;
	setp.eq.u32 %p1, %r20, 3;
	setp.eq.and.u32 %p1, %r21, WARP, %p1;
	mov.u32 %r1, %r10;
	mov.u32 %r2, s;
	mad.lo.u32 %r2, %r11, 4, %r2;
`
	const behind = "\tst.shared.u32 [%r2], %r1;\n\tbar.sync 0;\nBEHIND\n\tbar.sync 0;\n\tld.shared.u32 %r3, [%r2];\n\tadd.u32 %r1, %r1, %r3;\nLAST\n\tst.global.u32 [%rd2], %r1;\n\tret;\n}"
	things := map[string]string{ // each adds 5 to %r1 of the warp
		"a shuffle of some lanes": kerneltest.Source(t, "testdata/kernels/start.txt", "a shuffle of some lanes"),
		"a long loop":             kerneltest.Source(t, "testdata/kernels/start.txt", "a long loop"),
		"lanes that diverge":      kerneltest.Source(t, "testdata/kernels/start.txt", "lanes that diverge"),
		"a call":                  "\t@!%p1 bra A#;\n\tcall (%r1), plus5, (%r1);\nA#:",
		"a barrier of its own":    kerneltest.Source(t, "testdata/kernels/start.txt", "a barrier of its own"),
	}
	const ctas, threads = 40, 96
	for name, thing := range things {
		for _, warp := range []uint32{0, 1, 2} {
			for place := range 8 {
				code := some + "BEFORE\n" + behind
				added := uint32(0) // by the warp, and what others see
				for i, label := range []string{"BEFORE", "BEHIND", "LAST"} {
					in := ""
					if place>>i&1 != 0 {
						in = strings.ReplaceAll(thing, "#", fmt.Sprint(i))
					}
					code = strings.Replace(code, label, in, 1)
				}
				if place&1 != 0 {
					added += 10 // it is in shared memory, too
				}
				if place&2 != 0 {
					added += 5
				}
				if place&4 != 0 {
					added += 5
				}
				source := ".func (.reg .u32 r) plus5(.reg .u32 a)\n{\n\tadd.u32 r, a, 5;\n\tret;\n}\n" + strings.Replace(ctaNumber, "{\n", "{\n\t.shared .b32 s[96];\n", 1) + strings.Replace(code, "WARP", fmt.Sprint(warp), 1)
				k := kerneltest.Kernel{Source: source, Grid: kerneltest.Dim(ctas, 1), Block: kerneltest.Dim(threads, 1), Words: []int{ctas * threads}}
				out, stats, _, err := runStarting(t, k)
				if err != nil {
					t.Fatalf("%s, place %d: %v", name, place, err)
				}
				for i, v := range out[0] {
					cta := uint32(i / threads)
					want := 2 * cta
					if cta%7 == 3 && uint32(i%threads/32) == warp {
						want += added
					}
					if v != want {
						t.Fatalf("%s, place %d, warp %d: thread %d of block %d has %d, want %d", name, place, warp, i%threads, cta, v, want)
					}
				}
				k.Config.Compile = interp.CompileNever
				if _, plain, err := k.Run(t); err != nil || fmt.Sprint(plain) != fmt.Sprint(stats) {
					t.Fatalf("%s, place %d, warp %d: counted %+v, by lane functions %+v, %v", name, place, warp, stats, plain, err)
				}
			}
		}
	}
}

// TestFaultInLateCTAIsReported has a CTA in the middle of a grid run into a fault or a limit, when code has not exited
// before.
func TestFaultInLateCTAIsReported(t *testing.T) {
	kerneltest.SkipVerified(t)
	for _, c := range []struct {
		name, code string
		cfg        interp.Config
		want       []string // in the error; empty for none
		instrs     uint64
	}{
		{"a fault behind a barrier", kerneltest.Source(t, "testdata/kernels/start.txt", "a fault behind a barrier"), interp.Config{},
			[]string{"k.s:14:2: ", "block (17,0,0) warp 0 lanes 0-31 (ffffffff)"}, 17*2*12 + 9 + 1 + 9},
		{"warps within their limit", kerneltest.Source(t, "testdata/kernels/start.txt", "warps within their limit"), interp.Config{MaxSteps: 3000}, nil, 40 * 2 * (7 + 2 + 900 + 1)},
		{"a warp beyond its limit", kerneltest.Source(t, "testdata/kernels/start.txt", "a warp beyond its limit"), interp.Config{MaxSteps: 3000},
			[]string{"k.s:15:2: ", "block (17,0,0) warp 0", "a warp executed 3001 instructions"}, 0},
		{"CTAs that execute less than the limit of the launch each", kerneltest.Source(t, "testdata/kernels/start.txt", "CTAs that execute less than the limit of the launch each"), interp.Config{MaxLaunchSteps: 2000}, nil, 40 * 2 * (7 + 2 + 900 + 1)},
		{"a CTA beyond the limit of the launch", kerneltest.Source(t, "testdata/kernels/start.txt", "a CTA beyond the limit of the launch"), interp.Config{MaxLaunchSteps: 50000},
			[]string{"[sync-steps]", "39 of 40 are done, 1 under way"}, 0},
	} {
		k := kerneltest.Kernel{Source: ctaNumber + c.code, Grid: kerneltest.Dim(40, 1), Block: kerneltest.Dim(64, 1), Words: []int{40 * 64}, Config: c.cfg}
		_, stats, latest, err := runStarting(t, k)
		if (err != nil) != (len(c.want) > 0) || c.instrs > 0 && stats.WarpInstrs != c.instrs {
			t.Errorf("%s: %d instructions, want %d; %v", c.name, stats.WarpInstrs, c.instrs, err)
		}
		for _, want := range c.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v; want %q in it", c.name, err, want)
			}
		}
		if start := kerneltest.Dim(0, 0); inTurns() {
			if start.Z = 0; len(c.want) > 0 {
				start.X = 17
			}
			if latest != start {
				t.Errorf("%s: the latest block whose warps were started is %v, want %v", c.name, latest, start)
			}
		}
		k.Config.Compile = interp.CompileNever
		if _, plain, without := k.Run(t); fmt.Sprint(plain, without) != fmt.Sprint(stats, err) {
			t.Errorf("%s: %v, %v\nby lane functions: %v, %v", c.name, stats, err, plain, without)
		}
	}
}

// TestLaunchCanStopBetweenCTAs: a launch can be interrupted between any two CTAs, after some 32,768 instructions each
// time, and continued.
func TestLaunchCanStopBetweenCTAs(t *testing.T) {
	kerneltest.SkipVerified(t)
	const ctas, instrs, most = 9000, 2 * 9, 32768/18 + 1
	k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/start.txt", "interrupted between CTAs"), Grid: kerneltest.Dim(ctas, 1), Block: kerneltest.Dim(64, 1), Words: []int{ctas * 64},
		Config: interp.Config{Compile: interp.CompileAlways}}
	for _, asks := range []int{0, 1, 2, 3, 4, 5, 6, 20} {
		interrupted := 0
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := functional.Begin(m, l)
			if err != nil {
				return interp.Stats{}, err
			}
			for before, asked := int64(0), asks; ; asked = max(asked, 4) { // so that it gets on
				if err = s.Continue(kerneltest.EndsAfter(asked)); !errors.Is(err, context.Canceled) {
					return s.Stats(), err
				}
				interrupted++
				done, _ := m.Progress()
				if n := s.Stats().WarpInstrs; n != uint64(instrs*done) || done < before || done-before > int64(asked)*most {
					t.Fatalf("asked %d times, %d CTAs are done, before %d, and %d instructions executed", asked, done, before, n)
				}
				before = done
			}
		}
		out, stats, err := k.Run(t)
		if err != nil || stats.WarpInstrs != ctas*instrs {
			t.Fatalf("asked %d times: %d instructions, %v", asks, stats.WarpInstrs, err)
		}
		if asks < 4 && interrupted == 0 {
			t.Errorf("asked %d times, and not interrupted", asks)
		}
		if asks == 20 && inTurns() && interrupted > 0 {
			t.Errorf("interrupted %d times: code comes back more often than it should", interrupted)
		}
		for i, v := range out[0] {
			if v != uint32(i/64) {
				t.Fatalf("asked %d times: word %d is %d", asks, i, v)
			}
		}
	}
}
