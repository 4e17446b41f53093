package debugger

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/interp"
)

// seedsOfCommands are sessions in the states of states.
var seedsOfCommands = []string{
	"s 3\nwhy\np r0[3] + f1 * 2.5\nx/4xw out\ninfo stack\nc",
	"b 9 if any(r0 > 3) && !p1\ntb k\nwatch -rw shared:4 if r0 == 2\ntrace @2 r0, s\nc\nd 1",
	"lane 7 set s = -1\nset shared.u8:(4+1) = 0xff\ndisplay/x w\nrestart\nuntil +2\nbar\nrv\nfin",
	"p/t ((r0))\np -~!+r0 % %r0\np 0f3f800000 / 0d3ff0000000000000\np shared.f16:4[3]\nlist\n\n",
	"focus b0.w0.l3\nwarp 0 block 0 lane 4 why\ninfo regs r\nhelp x\nq",
	"b 9\ncond 1 -hits % 2\nignore 1 3\ndis 1-9\nen\ntoggle 1\nclear 9\nr\nheat 9\nwarps -with r0 > 3 -exec up",
	"bt\nup\ndown 2\nframe 0\ni f\nlist 1,4\n\nl -\ndisas @2,@5\ni threads\nthread (5,0,0) cuda thread 9\nwarps -group pc",
	"c\nrs\nrn 3\nrc\nwhen\ngoto 5\nlast-write y[3]\nlw r1\nrev finish\nset r1 = 2\nrsi\nrlstep 2\nrewind\nwatch y\nc\nrc",
	"s 9\ncheckpoint a\ns 4\nrreconv\nrestart a\ngoto 2:0\ngoto 1:7\ncheckpoints\nclear-checkpoint 1\nb on exit\nrc\nrni\nc\nrs 40\nk\nrs",
	"set $i = r1 + 3\nprintf \"%d %5.2f %s\\n\", $i, 2, \"a\"\ndprintf 9,\"%x\\n\",$i\ncond 1 $i > 3\nenable count 2 1\nx/-2xw y\np $_\nshow values\nset y[1] = $i\nc\nrs\nwith a -- s\ndisplay/2i $pc\np $j = 2",
	"set $i = 0\nwhile $i < 9\nset $i++\nif r1 > 3 && $i > 4\nloop_break\nelse\nrbreak .\nc 2\nloop_continue\nend\nend\nwhile 1\nend\nif 1\nptype/o y\nend\ndefine f\nif $argc\nwhile 1\nf\nend\nend\nend\nf\nf a",
	"watch y[3]\nwatch y+12\nwatch global:y+4\nwatch 5\nc\np y[2:5]\nx/4 box\nset var $r1 = y[1]",
}

// mostLines is how many lines of an input are executed, and mostAsks how often each may ask whether it is interrupted:
// an input that runs on is not worth a second.
const (
	mostLines = 50
	mostAsks  = 2000
)

// FuzzCommands executes arbitrary lines in all states: none panics, and what execute says holds.
func FuzzCommands(f *testing.F) {
	for _, line := range seedsOfCommands {
		for state := range states {
			f.Add(uint8(state), line)
		}
	}
	begun := make([]*reusable, len(states))
	f.Fuzz(func(t *testing.T, state uint8, lines string) {
		n := int(state) % len(states)
		if begun[n] == nil {
			begun[n] = newReusable(inState(t, n, divergence.IndependentThreads))
		}
		executeAll(begun[n].again(t), lines)
	})
}

// executeAll executes lines until one ends the session, and returns how many.
func executeAll(b *bench, lines string) (executed int) {
	for _, line := range strings.SplitN(lines, "\n", mostLines) {
		executed++
		if !execute(kerneltest.EndsAfter(mostAsks), b.t, b.Debugger, line) {
			break
		}
	}
	return executed
}

// execute executes a line, and reports whether the session goes on. The error must be one line, and if MayExecute says
// that the line executes nothing, the launches must be where they were.
func execute(ctx context.Context, t testing.TB, d *Debugger, line string) bool {
	state := func() string {
		stats := interp.Stats{}
		if d.session != nil {
			stats = d.session.Stats()
		}
		return fmt.Sprintf("%p %s %v %d %v", d.program, d.Step(), d.failure, stats.WarpInstrs, d.session != nil)
	}
	still, was := !d.MayExecute(line), state()
	err := d.Execute(ctx, line)
	if errors.Is(err, ErrQuit) {
		return false
	}
	if err != nil && strings.Contains(err.Error(), "\n") {
		t.Errorf("%q is answered in several lines: %v", line, err)
	}
	if now := state(); still && now != was {
		t.Errorf("%q is to execute nothing: %s, then %s", line, was, now)
	}
	d.Prompt()
	d.Complete(line)
	return true
}

// timedKernels are launches with a clock: one with every kind of wait, one that ends with a fault, and one that never
// ends.
var timedKernels = []string{`.func (.reg .u32 r) twice(.reg .u32 a)
{
	add.u32 r, a, a;
	ret;
}
.entry k(.param .u64 out)
{
	.shared .u32 box[64];
	ld.param.u64 %rd1, [out];
	mov.u32 %r1, %tid.x;
	and.b32 %r2, %r1, 3;
	mad.wide.u32 %rd2, %r1, 4, %rd1;
again:
	call (%r3), twice, (%r2);
	setp.lt.u32 %p1, %r2, 2;
	@%p1 bra odd;
	ld.global.u32 %r4, [%rd2];
	atom.global.add.u32 %r5, [%rd1], %r4;
	bra join;
odd:
	st.shared.u32 [box], %r3;
	sqrt.approx.f32 %f1, %f2;
join:
	bar.sync 0;
	add.u32 %r6, %r6, 1;
	setp.lt.u32 %p2, %r6, %r2;
	@%p2 bra again;
	st.global.u32 [%rd2], %r6;
	ret;
}
`, `.entry k(.param .u64 out)
{
	mov.u32 %r1, %tid.x;
	ld.global.u32 %r2, [%r1];
	ret;
}
`, `.entry k(.param .u64 out)
{
again:
	add.u32 %r1, %r1, 1;
	bra again;
}
`}

// FuzzTimedCommands is FuzzCommands for launches with a clock.
func FuzzTimedCommands(f *testing.F) {
	for _, line := range []string{
		"s 3\nwhy\ninfo schedulers\ninfo scoreboard\ninfo cache\np %clock\np r1\nc",
		"step -cycle 7\nstep -cycle 100\ninfo warps\ni lanes\ni stack\ni barriers\nuntil 20\nc 27\ni scoreboard\nwarp 1 why\nr",
		"until 30\nrestart\ns -cycle 1\nlist\ndisas\nbt\nup\nx/4 out\ndisplay r6\nstep 5\n\n\nc\ni sched\nc",
		"until 4\nuntil 4\ncontinue 4\nwarp 1 until 4\nstep -cycle\np %clock64\nfocus b0 w1\ninfo scoreboard\nc 4\nc\nc",
		"s 9\nrs\nrs -cycle 30\nwhen\ngoto 100\ncheckpoint\nc\nrs\nrestart 1\nrewind\nrev stepi\ngoto 2:3\nrs -cycle 9",
		"focus w1 l3\nwarps -group pc\nwarps -exec why\nuntil 13\nuntil 13\nbreak 13\nc again\nset r1 = 3\ns 40\ni launch\nq",
	} {
		for kernel := range timedKernels {
			f.Add(uint8(kernel), line)
		}
	}
	type setting struct {
		kernel, launches int
		simple           bool
	}
	begun := make(map[setting]*reusable)
	f.Fuzz(func(t *testing.T, kernel uint8, lines string) {
		of := setting{int(kernel&63) % len(timedKernels), 1 + int(kernel>>7), kernel&64 != 0}
		if begun[of] == nil {
			on := gpu.H100()
			if on.SMs = 4; of.simple {
				on = simple()
			}
			begun[of] = newReusable(newTimedBench(t, timedKernels[of.kernel], on, 64, of.launches))
		}
		executeAll(begun[of].again(t), lines)
	})
}
