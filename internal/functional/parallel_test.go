package functional_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/short"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/memory"
)

// Parts of kernels. %r5 is the thread's linear index, %r6 that of its CTA, %rd5 the
// thread's word of the buffer.
const (
	threadWord = `
	ld.param.u64 %rd1, [out];
	mov.u32 %r6, %ctaid.x;
	mov.u32 %r4, %tid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r5, %r6, %r3, %r4;
	mad.wide.u32 %rd5, %r5, 4, %rd1;
`
	// long loops in every thread for more than a time slice.
	long = `
	mov.u32 %r20, 0;
	mov.u32 %r21, 0;
LONG:
	mad.lo.u32 %r21, %r21, 3, %r20;
	add.u32 %r20, %r20, 1;
	setp.lt.u32 %p9, %r20, 12000;
	@%p9 bra LONG;
`
	manyCTAs = 1500 // for kernels that do little, so that one thread does not finish them before others begin
	someCTAs = 40   // for kernels that do more
)

// threadsUsed says on how many threads a kernel runs that may use several.
type threadsUsed uint8

const (
	one threadsUsed = iota
	several
	either // it depends on which thread runs which CTA
)

// parallelCases are kernels for CTAs of 64 threads, manyCTAs, or someCTAs if they are long,
// with a buffer of a word for each thread and one more CTA.
var parallelCases = []struct {
	name   string
	src    string
	on     threadsUsed
	cfg    interp.Config
	memory int64 // Config.Budget
	races  bool  // CTAs race
	few    bool  // there are someCTAs
}{
	{name: "a word for each thread", on: several, src: "st.global.u32 [%rd5], %r5; ret; }"},
	{name: "in place", on: several, src: "ld.global.u32 %r1, [%rd5]; add.u32 %r1, %r1, %r5; st.global.u32 [%rd5], %r1; ret; }"},
	{name: "in place, long", on: several, src: long + "ld.global.u32 %r1, [%rd5]; add.u32 %r1, %r1, %r21; st.global.u32 [%rd5], %r1; ret; }"},
	{name: "written at first and at last", on: several, src: "st.global.u32 [%rd5], %r5;" + long + "ld.global.u32 %r1, [%rd5]; add.u32 %r1, %r1, %r21; st.global.u32 [%rd5], %r1; ret; }"},
	{name: "a word for each CTA", on: several, src: "setp.ne.u32 %p1, %r4, 63; @%p1 bra END; mad.wide.u32 %rd2, %r6, 4, %rd1; st.global.u32 [%rd2], %r5; END: ret; }"},
	{name: "a byte for each CTA", on: either, src: "setp.ne.u32 %p1, %r4, 63; @%p1 bra END; cvt.u64.u32 %rd2, %r6; add.u64 %rd2, %rd2, %rd1; st.global.u8 [%rd2], %r5; END: ret; }"},
	{name: "all write one word", races: true, on: either, src: "st.global.u32 [%rd1], %r5; ret; }"},
	{name: "all write one word, long", races: true, src: long + "add.u32 %r1, %r5, %r21; st.global.u32 [%rd1], %r1; ret; }"},
	{name: "the first word is written by the last CTA, too", races: true, on: either, src: `
	st.global.u32 [%rd5], %r5;
	mov.u32 %r7, %nctaid.x;
	add.u32 %r8, %r6, 1;
	setp.ne.u32 %p1, %r7, %r8;
	@%p1 ret;
	st.global.u32 [%rd1], 7;
	ret; }`},
	{name: "what the CTA before has written", races: true, on: either, src: "ld.global.u32 %r1, [%rd5]; add.u32 %r1, %r1, 1; st.global.u32 [%rd5+256], %r1; ret; }"},
	{name: "what the CTA behind will have written, long", races: true, src: long + "ld.global.u32 %r1, [%rd5+256]; add.u32 %r1, %r1, %r21; st.global.u32 [%rd5], %r1; ret; }"},
	{name: "ticket", src: "atom.global.add.u32 %r1, [tickets], 1; st.global.u32 [%rd5], %r1; ret; } .global .u32 tickets;"},
	{name: "red.add.u32", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; red.global.add.u32 [tall+8], %r7; red.global.add.u32 [tall+24], %r7; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.add.u64", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; mul.wide.u32 %rd3, %r7, 77777;red.global.add.u64 [tall+8], %rd3; red.global.add.u64 [tall+24], %rd3; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.min.u32", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; red.global.min.u32 [tall+8], %r7; red.global.min.u32 [tall+24], %r7; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.max.u32", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; red.global.max.u32 [tall+8], %r7; red.global.max.u32 [tall+24], %r7; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.min.s32", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; red.global.min.s32 [tall+8], %r7; red.global.min.s32 [tall+24], %r7; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.max.s32", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; red.global.max.s32 [tall+8], %r7; red.global.max.s32 [tall+24], %r7; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.min.s64", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; mul.wide.u32 %rd3, %r7, 77777;red.global.min.s64 [tall+8], %rd3; red.global.min.s64 [tall+24], %rd3; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.max.u64", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; mul.wide.u32 %rd3, %r7, 77777;red.global.max.u64 [tall+8], %rd3; red.global.max.u64 [tall+24], %rd3; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.and.b32", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; red.global.and.b32 [tall+8], %r7; red.global.and.b32 [tall+24], %r7; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.or.b32", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; red.global.or.b32 [tall+8], %r7; red.global.or.b32 [tall+24], %r7; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.xor.b32", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; red.global.xor.b32 [tall+8], %r7; red.global.xor.b32 [tall+24], %r7; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.and.b64", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; mul.wide.u32 %rd3, %r7, 77777;red.global.and.b64 [tall+8], %rd3; red.global.and.b64 [tall+24], %rd3; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.xor.b64", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; mul.wide.u32 %rd3, %r7, 77777;red.global.xor.b64 [tall+8], %rd3; red.global.xor.b64 [tall+24], %rd3; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "red.or.b64", on: several, src: "mul.lo.u32 %r7, %r5, 2654435761; mul.wide.u32 %rd3, %r7, 77777;red.global.or.b64 [tall+8], %rd3; red.global.or.b64 [tall+24], %rd3; st.global.u32 [%rd5], %r5; ret; } .global .u64 tall[5] = {81985529216486895, 81985529216486895, 7, 9, 1};"},
	{name: "an atomic whose result is not read", on: several, src: "atom.global.add.u32 %r1, [tall], %r5; st.global.u32 [%rd5], %r5; ret; } .global .u32 tall;"},
	{name: "a histogram", on: several, src: long + "and.b32 %r7, %r21, 31; mov.u64 %rd2, tall; mad.wide.u32 %rd2, %r7, 4, %rd2; red.global.add.u32 [%rd2], 1; ret; } .global .u32 tall[33];"},
	{name: "many additions", few: true, on: several, src: `
L:	red.global.add.u32 [tall], %r20;
	add.u32 %r20, %r20, 1;
	setp.lt.u32 %p1, %r20, 6000;
	@%p1 bra L;
	ret; }
	.global .u32 tall;`},
	{name: "many conjunctions", few: true, on: either, src: `
L:	red.global.and.b32 [tall], %r20;
	add.u32 %r20, %r20, 1;
	setp.lt.u32 %p1, %r20, 6000;
	@%p1 bra L;
	ret; }
	.global .u32 tall = 4294967295;`},
	{name: "a sum that is read", src: "red.global.add.u32 [tall], %r5; ld.global.u32 %r1, [tall+4]; st.global.u32 [%rd5], %r1; ret; } .global .u32 tall[2];"},
	{name: "a sum that is written", src: "red.global.add.u32 [tall], %r5; setp.eq.u32 %p1, %r5, 70000; @%p1 st.global.u32 [tall+4], 1; ret; } .global .u32 tall[2];"},
	{name: "two reductions", src: "red.global.add.u32 [tall], %r5; red.global.max.u32 [tall+4], %r5; ret; } .global .u32 tall[2];"},
	{name: "a counter that wraps", src: "red.global.inc.u32 [tall], 100; ret; } .global .u32 tall;"},
	{name: "sum of floats", src: "cvt.rn.f32.u32 %f1, %r5; mul.f32 %f1, %f1, 0f3dcccccd; red.global.add.f32 [%rd1], %f1; ret; }"},
	{name: "clock", src: "mov.u32 %r1, %clock; st.global.u32 [%rd5], %r1; ret; }"},
	{name: "SM", on: several, src: "mov.u32 %r1, %smid; st.global.u32 [%rd5], %r1; ret; }"},
	{name: "malloc", src: `
	{
	.param .b64 size; .param .b64 at;
	st.param.b64 [size], 16;
	call (at), malloc, (size);
	ld.param.b64 %rd2, [at];
	}
	st.global.u32 [%rd5], %rd2;
	ret; }
	.extern .func (.param .b64 at) malloc(.param .b64 size);`},
	{name: "malloc that is not called", on: several, src: `
	setp.eq.u32 %p1, %r6, 5000;
	@%p1 bra FAR;
	st.global.u32 [%rd5], %r5;
	ret;
FAR:
	{
	.param .b64 size; .param .b64 at;
	st.param.b64 [size], 16;
	call (at), malloc, (size);
	}
	ret; }
	.extern .func (.param .b64 at) malloc(.param .b64 size);`},
	{name: "printf of a CTA in the middle", src: `
	st.global.u32 [%rd5], %r5;
	setp.ne.u32 %p1, %r5, 60000;
	@%p1 ret;
	{
	.param .b64 format; .param .b64 values; .param .b32 n;
	mov.u64 %rd2, text;
	st.param.b64 [format], %rd2;
	st.param.b64 [values], 0;
	call (n), vprintf, (format, values);
	}
	ret; }
	.global .b8 text[4] = {104, 105, 10, 0};
	.extern .func (.param .b32 n) vprintf(.param .b64 format, .param .b64 values);`},
	{name: "fault in a CTA in the middle", src: "setp.eq.u32 %p1, %r6, 17; @%p1 mov.u64 %rd5, 64; st.global.u32 [%rd5], %r5; ret; }"},
	{name: "faults in many CTAs", src: long + "setp.gt.u32 %p1, %r6, 7; @%p1 add.u64 %rd5, %rd5, 1; st.global.u32 [%rd5], %r21; ret; }"},
	{name: "trap of the last CTA", src: "st.global.u32 [%rd5], %r5; setp.eq.u32 %p1, %r6, 1499; @%p1 trap; ret; }"},
	{name: "a CTA that does not end", cfg: interp.Config{MaxSteps: 50000}, src: `
	setp.ne.u32 %p1, %r6, 20;
	@%p1 bra END;
L:	add.u32 %r1, %r1, 1;
	bra L;
END:
	st.global.u32 [%rd5], %r5;
	ret; }`},
	{name: "a CTA that repeats its state", src: "setp.ne.u32 %p1, %r6, 20; @%p1 bra END; L: bra L; END: st.global.u32 [%rd5], %r5; ret; }"},
	{name: "a deadlock", src: "setp.ne.u32 %p1, %r6, 20; @%p1 bra END; setp.lt.u32 %p1, %r4, 32; @%p1 bar.sync 1; @!%p1 bar.sync 2; END: st.global.u32 [%rd5], %r5; ret; }"},
	{name: "the launch executes too much", cfg: interp.Config{MaxLaunchSteps: 200000}, src: long + "st.global.u32 [%rd5], %r21; ret; }"},
	{name: "the launch executes much", on: several, cfg: interp.Config{MaxLaunchSteps: 200000}, src: "st.global.u32 [%rd5], %r5; ret; }"},
	{name: "warnings", on: several, src: "and.b32 %r7, %r6, 3; div.u32 %r1, %r5, %r7; st.global.u32 [%rd5], %r1; ret; }"},
	{name: "warnings of CTAs that take turns", src: long + "and.b32 %r7, %r6, 3; div.u32 %r1, %r21, %r7; st.global.u32 [%rd5], %r1; ret; }"},
	{name: "a barrier in divergent code", on: either, src: "setp.lt.u32 %p1, %r4, 40; @%p1 bra A; bar.sync 0; bra END; A: bar.sync 0; END: st.global.u32 [%rd5], %r5; ret; }"},
	{name: "each CTA waits for the one before", on: either, races: true, src: `
	setp.ne.u32 %p1, %r4, 0;
	@%p1 bra END;
	mov.u64 %rd2, flags;
	mad.wide.u32 %rd2, %r6, 4, %rd2;
	setp.eq.u32 %p1, %r6, 0;
	@%p1 bra SET;
SPIN:
	ld.volatile.global.u32 %r1, [%rd2-4];
	setp.eq.u32 %p1, %r1, 0;
	@%p1 bra SPIN;
SET:
	add.u32 %r1, %r1, 1;
	st.volatile.global.u32 [%rd2], %r1;
END:
	st.global.u32 [%rd5], %r1;
	ret; }
	.global .u32 flags[1600];`},
	{name: "each CTA waits for the next", races: true, src: `
	mov.u64 %rd2, flags;
	mad.wide.u32 %rd2, %r6, 4, %rd2;
	st.volatile.global.u32 [%rd2], 1;
SPIN:
	ld.volatile.global.u32 %r1, [%rd2+4];
	setp.eq.u32 %p1, %r1, 0;
	setp.lt.and.u32 %p1, %r6, 1499, %p1;
	@%p1 bra SPIN;
	st.global.u32 [%rd5], %r6;
	ret; }
	.global .u32 flags[1600];`},
	{name: "warps of a CTA race in global memory", on: several, src: `
	mad.wide.u32 %rd6, %r6, 256, %rd1;
	st.global.u32 [%rd6], %r4;` + long + `
	ld.global.u32 %r2, [%rd6];
	st.global.u32 [%rd5], %r2;
	ret; }`},
	// There is a warning, and it names the lanes that are first when CTAs are executed in order.
	{name: "warps of a CTA race", src: `
	mov.u32 %r1, shared;
	st.shared.u32 [%r1], %r4;` + long + `
	ld.shared.u32 %r2, [%r1];
	atom.shared.exch.b32 %r7, [%r1+4], %r4;
	mad.lo.u32 %r1, %r2, 100, %r7;
	st.global.u32 [%rd5], %r1;
	ret; }
	.shared .u32 shared[2];`},
	{name: "warps of a CTA wait for each other", on: several, src: `
	mov.u32 %r1, shared;
	setp.ge.u32 %p1, %r4, 32;
	@%p1 bra LAST;
SPIN:
	ld.volatile.shared.u32 %r2, [%r1];
	setp.eq.u32 %p1, %r2, 0;
	@%p1 bra SPIN;
	bra END;
LAST:` + long + `
	st.volatile.shared.u32 [%r1], %r21;
END:
	st.global.u32 [%rd5], %r2;
	ret; }
	.shared .u32 shared;`},
	{name: "recursion and local memory", on: several, src: `
	and.b32 %r1, %r5, 31;
	call (%r1), up, (%r1);
	st.global.u32 [%rd5], %r1;
	ret; }
	.func (.reg .u32 sum) up(.reg .u32 n)
	{
	.local .u32 keep;
	mov.u32 sum, 0;
	setp.eq.u32 %p1, n, 0;
	@%p1 ret;
	st.local.u32 [keep], n;
	sub.u32 %r1, n, 1;
	call (%r2), up, (%r1);
	ld.local.u32 %r3, [keep];
	add.u32 sum, %r2, %r3;
	ret; }`},
	{name: "recursion without an end", memory: 16 << 20, src: `
	call rec, ();
	ret; }
	.func rec()
	{
	call rec, ();
	ret; }`},
}

// ranOn runs a kernel on a number of threads of the host and returns its results as text, and whether it ran on
// several.
func ranOn(t *testing.T, k kerneltest.Kernel, threads int) (text string, parallel bool) {
	t.Helper()
	k.Config.Threads = threads
	k.Config.Budget = memory.NewBudget(k.Config.Budget.Limit())
	var printed bytes.Buffer
	k.Config.Stdout = &printed
	k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
		s, err := functional.Begin(m, l)
		if err != nil {
			return interp.Stats{}, err
		}
		if s.WorthHelp = 0; threads == 2 {
			s.Kept = 0
		}
		err = s.Continue(context.Background())
		parallel = s.InParallel()
		for _, name := range []string{"tall", "tickets", "flags"} {
			if r := m.Var(name); r != nil {
				fmt.Fprintf(&printed, "%s %x\n", name, r.Data)
			}
		}
		done, total := m.Progress()
		fmt.Fprintf(&printed, "%d of %d CTAs\n", done, total)
		for _, w := range s.Warps() {
			fmt.Fprintf(&printed, "%v %d: %d\n", w.CTA(), w.ID(), w.Executed())
		}
		return s.Stats(), err
	}
	out, stats, err := k.Run(t)
	fmt.Fprintf(&printed, "%v\n%+v\n", err, stats)
	for _, words := range out {
		for line := range slices.Chunk(words, 64) {
			var text []byte
			for _, word := range line {
				text = strconv.AppendUint(append(text, ' '), uint64(word), 10)
			}
			printed.Write(append(text, '\n'))
		}
	}
	return printed.String(), parallel
}

// parallelCase runs a case under a model of divergence, on a number of threads.
func parallelCase(t *testing.T, i int, model divergence.Model, threads int, compile interp.Compilation) (text string, parallel bool) {
	t.Helper()
	c := &parallelCases[i]
	cfg, ctas := c.cfg, manyCTAs
	cfg.Divergence, cfg.Budget, cfg.Compile = model, memory.NewBudget(c.memory), compile
	if c.few || strings.Contains(c.src, long) {
		ctas = someCTAs
	}
	return ranOn(t, kerneltest.Kernel{Source: kerneltest.Entry + threadWord + c.src, Grid: kerneltest.Dim(uint32(ctas), 1), Block: kerneltest.Dim(64, 1),
		Words: []int{64 * (ctas + 1)}, Config: cfg}, threads)
}

// differences are those of two texts, line by line.
func differences(a, b string) string { return cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n")) }

// TestThreadsChangeNothing: the results of a kernel are the same, to the byte, on any number of threads, whether or
// not its CTAs depend on each other.
func TestThreadsChangeNothing(t *testing.T) {
	kerneltest.SkipVerified(t)
	for i, c := range parallelCases {
		t.Run(c.name, func(t *testing.T) {
			if c.races && raceDetector {
				t.Skip("threads of the host race as the CTAs do, and nothing comes of it")
			}
			models := kerneltest.Models
			if testing.Short() {
				models = models[i%len(models):][:1]
			}
			for j, model := range models {
				if short.Waits(i+j, 12) {
					continue
				}
				want, parallel := parallelCase(t, i, model, 1, interp.CompileNever)
				if parallel {
					t.Error("one thread counts as several")
				}
				for n, on := range []struct {
					threads int
					compile interp.Compilation
				}{{2, interp.CompileNever}, {2, interp.CompileAlways}, {3, interp.CompileWanted}, {5, interp.CompileHot}} {
					if testing.Short() && n == i%3 {
						continue
					}
					got, parallel := parallelCase(t, i, model, on.threads, on.compile)
					if got != want {
						t.Errorf("%v (-1 +%d threads, compilation %d):\n%s", model, on.threads, on.compile, differences(want, got))
					}
					if c.on != either && parallel != (c.on == several) {
						t.Errorf("%v, %d threads, compilation %d: in parallel: %v", model, on.threads, on.compile, parallel)
					}
				}
			}
		})
	}
}

// TestRaces runs four kernels with racing CTAs a hundred times each.
func TestRaces(t *testing.T) {
	if raceDetector {
		t.Skip("threads of the host race as the CTAs do, and nothing comes of it")
	}
	racing := map[string]bool{"all write one word": true, "all write one word, long": true, "what the CTA behind will have written, long": true, "each CTA waits for the one before": true}
	for i, c := range parallelCases {
		if !racing[c.name] {
			continue
		}
		delete(racing, c.name)
		t.Run(c.name, func(t *testing.T) {
			want, _ := parallelCase(t, i, divergence.IndependentThreads, 1, interp.CompileNever)
			for n := range short.Of(100) {
				if got, _ := parallelCase(t, i, divergence.IndependentThreads, 2+n%4, interp.Compilation(n%3)); got != want {
					t.Fatalf("run %d:\n%s", n, differences(want, got))
				}
			}
		})
	}
	if len(racing) > 0 {
		t.Errorf("no kernels %v", racing)
	}
}

// TestInterruptedInParallel: the error of a launch with a context that ends says where its threads are, and the
// launch can restart.
func TestInterruptedInParallel(t *testing.T) {
	k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/parallel.txt", "interrupted in parallel"), Grid: kerneltest.Dim(16, 1), Block: kerneltest.Dim(64, 1), Words: []int{16 * 64}, Config: interp.Config{Threads: 2, Compile: interp.CompileNever}}
	counts := func() (s interp.Stats) {
		t.Helper()
		out, s, err := k.Run(t)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range out[0] {
			if v != 20000 {
				t.Fatalf("word %d is %d", i, v)
			}
		}
		return s
	}
	whole, places := counts(), 0
	for _, asks := range []int{2, 5, 10, 20, 40} {
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := functional.Begin(m, l)
			if err != nil {
				return interp.Stats{}, err
			}
			err = s.Continue(kerneltest.EndsAfter(asks))
			if !errors.Is(err, context.Canceled) || s.Done() {
				t.Fatalf("asked %d times: got %v, want that it was interrupted", asks, err)
			}
			if interrupted, ok := errors.AsType[*interp.Interrupted](err); ok { // else no warp was resident
				if places++; !strings.Contains(err.Error(), "block (") || s.Stats().WarpInstrs == 0 {
					t.Errorf("asked %d times: %v, and %d instructions before %v", asks, err, s.Stats().WarpInstrs, interrupted.Where)
				}
			}
			err = s.Continue(t.Context())
			return s.Stats(), err
		}
		if diff := cmp.Diff(whole, counts()); diff != "" {
			t.Errorf("asked %d times: counts (-undisturbed +interrupted):\n%s", asks, diff)
		}
	}
	if places == 0 {
		t.Error("it is never said where the threads are")
	}
}

// TestManyBuffersInPlace: buffers that are read and written one after the other do not make a launch restart for
// each.
func TestManyBuffersInPlace(t *testing.T) {
	kerneltest.SkipVerified(t)
	var src, vars strings.Builder
	for i := range 20 {
		src.WriteString(kerneltest.Source(t, "testdata/kernels/parallel.txt", "one buffer of many", "$i", fmt.Sprint(i)))
		fmt.Fprintf(&vars, ".global .u32 v%d[6400];\n", i)
	}
	k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/parallel.txt", "many buffers in place", "$vars", vars.String(), "$src", src.String()),
		Grid: kerneltest.Dim(100, 1), Block: kerneltest.Dim(64, 1), Words: []int{64 * 100}, Config: interp.Config{Budget: memory.NewBudget(0)}}
	want, _ := ranOn(t, k, 1)
	got, parallel := ranOn(t, k, 3)
	if got != want || !parallel {
		t.Errorf("in parallel: %v\n%s", parallel, differences(want, got))
	}
}

// TestThreadsInLittleMemory: if the budget does not suffice for several threads, a launch runs in order.
func TestThreadsInLittleMemory(t *testing.T) {
	for _, limit := range []int64{40 << 10, 300 << 10, 900 << 10} {
		k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/parallel.txt", "threads in little memory"), Grid: kerneltest.Dim(100, 1), Block: kerneltest.Dim(64, 1),
			Words: []int{64 * 100}, Config: interp.Config{Budget: memory.NewBudget(limit)}}
		want, _ := ranOn(t, k, 1)
		if got, _ := ranOn(t, k, 5); got != want {
			t.Errorf("%d bytes: %s", limit, differences(want, got))
		}
	}
}

// TestShortLaunchesStayOnOneThread: the part that one thread has executed first is kept if help is not worth it for
// the rest, which then continues in order; the results are the same.
func TestShortLaunchesStayOnOneThread(t *testing.T) {
	kerneltest.SkipVerified(t)
	var want []uint32
	for _, worth := range []time.Duration{0, time.Hour} {
		k := kerneltest.Kernel{Source: kerneltest.Source(t, "testdata/kernels/parallel.txt", "short launches stay on one thread", "$long", strings.ReplaceAll(long, "12000", "1000")), Grid: kerneltest.Dim(32, 1), Block: kerneltest.Dim(64, 1), Words: []int{32 * 64},
			Config: interp.Config{Threads: 2, Compile: interp.CompileNever}}
		parallel := false
		k.Driver = func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			s, err := functional.Begin(m, l)
			if err != nil {
				return interp.Stats{}, err
			}
			s.WorthHelp = worth
			err = s.Continue(t.Context())
			parallel = s.InParallel()
			return s.Stats(), err
		}
		out, stats, err := k.Run(t)
		if err != nil || parallel != (worth == 0) || stats.WarpInstrs < 32*2*4*1000 {
			t.Errorf("worth %v: in parallel: %v, %d instructions, %v", worth, parallel, stats.WarpInstrs, err)
		}
		if want == nil {
			want = out[0]
		} else if diff := cmp.Diff(want, out[0]); diff != "" {
			t.Errorf("-in parallel +in order:\n%s", diff)
		}
	}
}
