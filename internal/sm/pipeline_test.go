package sm_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	traces "github.com/simtrun/simtrun/internal/trace"
	"github.com/simtrun/simtrun/interp"
)

// small is a GPU with one SM whose figures make pipelines easy to work out by hand.
func small(schedulers int) *gpu.Config {
	g := gpu.H100()
	g.SMs, g.Schedulers = 1, schedulers
	g.Banks, g.Memory.Flat = 0, 100
	for c := range g.Classes {
		g.Classes[c] = gpu.Cost{Pipe: isa.ALU, Latency: 4, Interval: 2}
	}
	g.Classes[isa.CostSingle] = gpu.Cost{Pipe: isa.FMA, Latency: 4, Interval: 1}
	g.Classes[isa.CostReadSpecial] = gpu.Cost{Pipe: isa.ADU, Latency: 20, Interval: 1}
	g.Classes[isa.CostBranch] = gpu.Cost{Pipe: isa.CBU, Latency: 8, Interval: 1}
	g.Classes[isa.CostExit] = gpu.Cost{Pipe: isa.CBU, Latency: 1, Interval: 1}
	g.Classes[isa.CostWarpSync] = gpu.Cost{Pipe: isa.CBU, Latency: 4, Interval: 1}
	g.Classes[isa.CostCTABarrier] = gpu.Cost{Pipe: isa.ADU, Latency: 1, Interval: 1}
	g.Classes[isa.CostLoadShared] = gpu.Cost{Pipe: isa.LSU, Latency: 23, Interval: 4}
	g.Classes[isa.CostLoadGlobal] = gpu.Cost{Pipe: isa.LSU, Latency: 100, Interval: 4}
	g.Classes[isa.CostStoreGlobal] = gpu.Cost{Pipe: isa.LSU, Latency: 10, Interval: 4}
	g.Barrier = gpu.Barrier{PerWarp: 2, Release: 24}
	g.CTAs = gpu.CTAs{Turnaround: 50}
	return g
}

// pipeline is a kernel whose issues are worked out by hand.
type pipeline struct {
	name    string
	gpu     *gpu.Config
	warps   uint32 // of a CTA; 0 stands for 1
	ctas    uint32 // 0 stands for 1
	model   divergence.Model
	policy  string // "" stands for gty
	options sm.Options
	code    string // before the kernel
	body    string // behind the declarations
	// issues has a line for each cycle in which a warp issues: the cycle, and for each warp
	// in the order of schedulers wWARP.PC.
	issues string
	cycles int64
	states map[sm.State]uint64 // but for those that are 0
}

func (p *pipeline) run(t *testing.T) {
	if p.policy == "" {
		p.policy = "gty"
	}
	o := p.options
	var err error
	if o.Policy, err = sm.ParsePolicy(p.policy); err != nil {
		t.Fatal(err)
	}
	var got []string
	last := int64(-1)
	var text strings.Builder
	lines := traces.NewIssues(&text, traces.Options{Kind: traces.Issue})
	o.Recorder = tracedIssues{lines, issues{func(i *sm.Issue) {
		who := fmt.Sprintf("w%d.%d", i.Warp, i.PC)
		if p.ctas > 1 {
			who = fmt.Sprintf("c%d.%s", i.CTA, who)
		}
		if i.Cycle == last {
			got[len(got)-1] += " " + who
			return
		}
		got = append(got, fmt.Sprintf("%d %s", i.Cycle, who))
		last = i.Cycle
	}}}
	var timing *sm.Timing
	_, _, err = kerneltest.Kernel{Source: p.code + ".entry k()\n{\n" + p.body + "}\n", Grid: kerneltest.Dim(max(1, p.ctas), 1), Block: kerneltest.Dim(32*max(1, p.warps), 1),
		Config: interp.Config{GPU: p.gpu, Divergence: p.model},
		Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			var err error
			timing, err = run(t, m, l, o)
			return interp.Stats{}, err
		}}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(p.issues) {
		if line, _, _ = strings.Cut(line, ";"); strings.TrimSpace(line) != "" {
			want = append(want, strings.Join(strings.Fields(line), " "))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("issues (-want +got):\n%s", diff)
	}
	if timing.Cycles != p.cycles {
		t.Errorf("%d cycles, want %d", timing.Cycles, p.cycles)
	}
	states := make(map[sm.State]uint64)
	for s, n := range timing.States() {
		if n > 0 {
			states[sm.State(s)] = n
		}
	}
	p.checkTrace(t, text.String(), want, timing.States())
	if p.states != nil {
		if diff := cmp.Diff(p.states, states); diff != "" {
			t.Errorf("states (-want +got):\n%s", diff)
		}
	}
}

// tracedIssues is called for each machine instruction, and has them traced.
type tracedIssues struct {
	*traces.Issues
	issues issues
}

func (t tracedIssues) Observer(id int) sm.Observer { return tracedSM{t.Issues.Observer(id), t.issues} }

type tracedSM struct {
	sm.Observer
	issues issues
}

func (t tracedSM) Issued(i *sm.Issue) {
	t.issues.Issued(i)
	t.Observer.Issued(i)
}

var allStates = func() (all []sm.State) {
	for s := range sm.NumStates {
		all = append(all, s)
	}
	return all
}()

// checkTrace compares a trace of issues, line by line, with the issues and the states that were
// worked out: "CYCLE smS.SCHEDULER bCTA.wWARP LLINE STATE CYCLES, ... INSTRUCTION".
func (p *pipeline) checkTrace(t *testing.T, text string, want []string, counted sm.States) {
	var got []string
	var states sm.States
	last := ""
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		cta, warp, _ := strings.Cut(words[2], ".")
		if p.ctas > 1 {
			warp = "c" + cta[1:] + "." + warp
		}
		if words[0] == last {
			got[len(got)-1] += " " + warp
		} else {
			got = append(got, words[0]+" "+warp)
		}
		last = words[0]
		for k := 4; words[k] != "-"; k += 2 {
			n, err := strconv.Atoi(strings.TrimSuffix(words[k+1], ","))
			state := slices.IndexFunc(allStates, func(s sm.State) bool { return s.String() == words[k] })
			if err != nil || state < 0 {
				t.Fatalf("no states in %s", line)
			}
			if states[state] += uint64(n); !strings.HasSuffix(words[k+1], ",") {
				break
			}
		}
		if !strings.Contains(line, "(paired)") {
			states[sm.Selected]++
		}
	}
	for i, line := range want {
		words := strings.Fields(line)
		for j := range words[1:] {
			words[j+1] = words[j+1][:strings.LastIndex(words[j+1], ".")] // without the PC
		}
		slices.Sort(words[1:])
		want[i] = strings.Join(words, " ")
	}
	for i, line := range got {
		words := strings.Fields(line)
		slices.Sort(words[1:])
		got[i] = strings.Join(words, " ")
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("trace (-want +got):\n%sof\n%s", diff, text)
	}
	counted[sm.Drain] = 0 // behind the last issue of a warp
	if states != counted {
		t.Errorf("states of the trace are %v, counted %v, of\n%s", states, counted, text)
	}
}

// TestPipelines: kernels whose every issue is worked out by hand. Each instruction of
// PTX is one machine instruction, unless it says otherwise.
func TestPipelines(t *testing.T) {
	const ptx = cost.PTX
	for _, p := range []pipeline{
		{
			name: "chain of dependent additions",
			gpu:  small(1),
			body: `
	add.f32 %f1, %f0, %f0;
	add.f32 %f1, %f1, %f1;
	add.f32 %f1, %f1, %f1;
	ret;`,
			issues: `
	0 w0.0
	4 w0.1 ; 3 cycles wait for %f1
	8 w0.2
	9 w0.3 ; needs nothing`,
			cycles: 10,
			states: map[sm.State]uint64{sm.Selected: 4, sm.Wait: 6},
		}, {
			name: "result that is overwritten",
			gpu:  small(1),
			body: `
	add.f32 %f1, %f0, %f0;
	mov.f32 %f1, %f2;
	ret;`,
			issues: `
	0 w0.0
	4 w0.1 ; writes what the first has not written yet
	5 w0.2`,
			cycles: 6,
		}, {
			name: "two warps, greedy then youngest", warps: 2,
			gpu: small(1),
			body: `
	add.f32 %f1, %f0, %f0;
	add.f32 %f1, %f1, %f1;
	ret;`,
			issues: `
	0 w1.0 ; the youngest
	1 w0.0
	4 w1.1
	5 w1.2 ; still warp 1, although warp 0 could issue
	6 w0.1
	7 w0.2`,
			cycles: 8,
			states: map[sm.State]uint64{sm.Selected: 6, sm.Wait: 6, sm.NotSelected: 2},
		}, {
			name: "two warps, oldest first", warps: 2, policy: "oldest",
			gpu: small(1),
			body: `
	add.f32 %f1, %f0, %f0;
	add.f32 %f1, %f1, %f1;
	ret;`,
			issues: `
	0 w0.0
	1 w1.0
	4 w0.1
	5 w0.2
	6 w1.1
	7 w1.2`,
			cycles: 8,
		}, {
			name: "two warps in turn", warps: 2, policy: "lrr",
			gpu: small(1),
			body: `
	add.f32 %f1, %f0, %f0;
	add.f32 %f1, %f1, %f1;
	ret;`,
			issues: `
	0 w0.0
	1 w1.0
	4 w0.1
	5 w1.1
	6 w0.2
	7 w1.2`,
			cycles: 8,
		}, {
			name: "two warps, stalled longest", warps: 2, policy: "stalled",
			gpu: small(1),
			body: `
	add.f32 %f1, %f0, %f0;
	add.f32 %f2, %f0, %f0;
	add.f32 %f3, %f0, %f0;
	ret;`,
			issues: `
	0 w0.0 ; both since 0: the first in turn
	1 w1.0 ; since 0, warp 0 since 1
	2 w0.1 ; since 1, warp 1 since 2
	3 w1.1
	4 w0.2
	5 w1.2
	6 w0.3
	7 w1.3`,
			cycles: 8,
		}, {
			name: "a pipe that takes an instruction every other cycle",
			gpu:  small(1),
			body: `
	add.u32 %r1, %r0, 1;
	add.u32 %r2, %r0, 2;
	add.f32 %f1, %f0, %f0;
	add.u32 %r3, %r0, 3;
	ret;`,
			issues: `
	0 w0.0
	2 w0.1 ; the pipe is closed in cycle 1
	3 w0.2 ; goes to another pipe
	4 w0.3
	5 w0.4`,
			cycles: 6,
			states: map[sm.State]uint64{sm.Selected: 5, sm.MathPipeThrottle: 1},
		}, {
			name: "two warps that want one pipe", warps: 2, policy: "oldest",
			gpu: small(1),
			body: `
	add.u32 %r1, %r0, 1;
	ret;`,
			issues: `
	0 w0.0
	1 w0.1
	2 w1.0 ; not selected in 0, the pipe is closed in 1
	3 w1.1`,
			cycles: 4,
			states: map[sm.State]uint64{sm.Selected: 4, sm.NotSelected: 1, sm.MathPipeThrottle: 1},
		}, {
			name: "barrier", warps: 2,
			gpu: small(4),
			body: `
	bar.sync 0;
	ret;`,
			issues: `
	0  w0.0 w1.0 ; the barrier takes warp 0 in 0, warp 1 in 2
	26 w0.1 w1.1 ; 24 cycles later`,
			cycles: 27,
			states: map[sm.State]uint64{sm.Selected: 4, sm.AtBarrier: 50},
		}, {
			name: "barrier that a third warp comes to late", warps: 3,
			gpu: small(4),
			body: `
	mov.u32 %r1, %tid.x;
	setp.ge.u32 %p1, %r1, 64;
	@!%p1 bra B;
	add.f32 %f1, %f0, %f0;
	add.f32 %f1, %f1, %f1;
B:
	bar.sync 0;
	ret;`,
			issues: `
	0  w0.0 w1.0 w2.0
	20 w0.1 w1.1 w2.1 ; %tid takes 20 cycles
	24 w0.2 w1.2 w2.2
	32 w0.5 w1.5 w2.3 ; the barrier takes them in 32 and 34
	36 w2.4
	37 w2.5           ; and warp 2 in 37
	61 w0.6 w1.6 w2.6`,
			cycles: 62,
			states: map[sm.State]uint64{sm.Selected: 17, sm.ShortScoreboard: 57, sm.Wait: 12, sm.BranchResolving: 21, sm.AtBarrier: 28 + 28 + 23},
		}, {
			name: "barrier that an exit of other lanes of the warp completes",
			gpu:  small(1),
			body: `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra W;
	setp.lt.u32 %p1, %r1, 32;
	@%p1 bra X;
	barrier.sync 0;
	ret;
X:
	add.f32 %f1, %f1, %f0;
	ret;
W:
	barrier.sync 0;
	ret;`,
			issues: `
	0  w0.0
	20 w0.1
	24 w0.2
	32 w0.9  ; lanes 0 to 15 wait
	33 w0.3
	37 w0.4
	45 w0.7
	46 w0.8  ; the others end
	56 w0.10 ; 24 cycles behind the arrival`,
			cycles: 57,
			states: map[sm.State]uint64{sm.Selected: 9, sm.ShortScoreboard: 19, sm.Wait: 6, sm.BranchResolving: 14, sm.AtBarrier: 9},
		}, {
			name: "divergence, its: the taken side first",
			gpu:  small(1),
			body: diverges,
			issues: `
	0  w0.0
	20 w0.1
	24 w0.2
	32 w0.5 ; lanes 0 to 15, then wait
	33 w0.3 ; the other split has waited for the branch as long
	34 w0.4
	42 w0.6`,
			cycles: 43,
			states: map[sm.State]uint64{sm.Selected: 7, sm.ShortScoreboard: 19, sm.Wait: 3, sm.BranchResolving: 14},
		}, {
			name: "divergence, stack: the same", model: divergence.ReconvergenceStack,
			gpu:  small(1),
			body: diverges,
			issues: `
	0  w0.0
	20 w0.1
	24 w0.2
	32 w0.5
	33 w0.3
	34 w0.4
	42 w0.6`,
			cycles: 43,
		}, {
			name: "divergence, minpc: the lowest PC first", model: divergence.LowestPC,
			gpu:  small(1),
			body: diverges,
			issues: `
	0  w0.0
	20 w0.1
	24 w0.2
	32 w0.3
	33 w0.4 ; goes to 6, and the other split is at 5
	41 w0.5
	42 w0.6`,
			cycles: 43,
		}, {
			name: "shared memory, two words of a bank",
			gpu:  small(1),
			body: `
	.shared .b32 s[64];
	mov.u32 %r1, %laneid;
	shl.b32 %r2, %r1, 3;
	ld.shared.u32 %r3, [%r2];
	ld.shared.u32 %r4, [%r2];
	add.u32 %r5, %r3, %r4;
	ret;`,
			issues: `
	0  w0.0
	20 w0.1
	24 w0.2 ; in 24 and 25, until 24+23+2
	28 w0.3 ; the pipe takes one every 4 cycles; until 28+25
	53 w0.4
	54 w0.5`,
			cycles: 55,
			states: map[sm.State]uint64{sm.Selected: 6, sm.ShortScoreboard: 19 + 24, sm.Wait: 3, sm.MIOThrottle: 3},
		}, {
			name: "shared memory, 32 words of a bank, that two warps want", warps: 2,
			gpu: small(4),
			body: `
	.shared .b32 s[1024];
	mov.u32 %r1, %laneid;
	shl.b32 %r2, %r1, 7;
	ld.shared.u32 %r3, [%r2];
	add.u32 %r5, %r3, 1;
	ret;`,
			issues: `
	0   w0.0 w1.0
	20  w0.1 w1.1
	24  w0.2 w1.2 ; warp 0 until 24+23+62, warp 1 from 56 on
	109 w0.3
	110 w0.4
	141 w1.3
	142 w1.4`,
			cycles: 143,
		}, {
			name: "generic addresses in shared memory",
			gpu:  small(1),
			body: `
	.shared .b32 s[1024];
	mov.u32 %r1, %laneid;
	shl.b32 %r2, %r1, 7;
	cvta.shared.u64 %rd1, 0;
	mad.wide.u32 %rd2, %r2, 1, %rd1;
	ld.u32 %r3, [%rd2];
	add.u32 %r4, %r3, 1;
	ret;`,
			issues: `
	0   w0.0
	20  w0.1
	22  w0.2
	26  w0.3
	30  w0.4 ; 32 words of a bank, until 30+23+62
	115 w0.5
	116 w0.6`,
			cycles: 117,
		}, {
			name: "generic addresses in shared memory, and of one lane in global memory",
			gpu:  small(1),
			body: `
	.shared .b32 s[1024];
	.global .b32 g[32];
	mov.u32 %r1, %laneid;
	setp.eq.u32 %p1, %r1, 0;
	cvta.shared.u64 %rd1, 0;
	mad.wide.u32 %rd2, %r1, 128, %rd1;
	ld.u32 %r3, [%rd2];
	@%p1 ld.u32 %r4, [g];
	@%p1 mov.u64 %rd2, g;
	@!%p1 cvta.shared.u64 %rd2, 128;
	ld.u32 %r5, [%rd2];
	ld.shared.u32 %r6, [s];
	add.u32 %r6, %r6, 1;
	add.u32 %r5, %r5, 1;
	ret;`,
			issues: `
	0   w0.0
	20  w0.1
	22  w0.2
	26  w0.3
	30  w0.4  ; keeps shared memory busy until 62
	34  w0.5
	35  w0.6
	39  w0.7
	43  w0.8  ; lane 0 until 143, the others from 62 on, in one wavefront
	47  w0.9  ; from 63 on, until 63+23
	86  w0.10
	143 w0.11
	144 w0.12`,
			cycles: 145,
		}, {
			name: "global memory, and a store that drains",
			gpu:  small(1),
			body: `
	.global .b32 g[32];
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	add.u32 %r2, %r1, 1;
	st.global.u32 [%rd1], %r2;
	ret;`,
			issues: `
	0   w0.0
	4   w0.1
	104 w0.2
	108 w0.3 ; leaves the SM at 118
	109 w0.4`,
			cycles: 118,
			states: map[sm.State]uint64{sm.Selected: 5, sm.Wait: 6, sm.LongScoreboard: 99, sm.Drain: 8},
		}, {
			name: "fence",
			gpu:  small(1),
			body: `
	membar.gl;
	add.f32 %f1, %f0, %f0;
	ret;`,
			issues: `
	0 w0.0
	4 w0.1 ; although it needs nothing of it
	5 w0.2`,
			cycles: 6,
			states: map[sm.State]uint64{sm.Selected: 3, sm.Membar: 3},
		}, {
			name: "a fence and a sleep that no lane executes",
			gpu:  small(1),
			body: `
	setp.ne.u32 %p1, %r0, 0;
	@%p1 membar.gl;
	@%p1 nanosleep.u32 1000;
	add.f32 %f1, %f0, %f0;
	ret;`,
			issues: `
	0 w0.0
	4 w0.1
	6 w0.2 ; the pipe takes one every other cycle
	7 w0.3
	8 w0.4`,
			cycles: 9,
		}, {
			name: "loop",
			gpu:  small(1),
			body: `
	mov.u32 %r1, 2;
L:
	sub.u32 %r1, %r1, 1;
	setp.ne.u32 %p1, %r1, 0;
	@%p1 bra L;
	ret;`,
			issues: `
	0  w0.0
	4  w0.1
	8  w0.2
	12 w0.3
	20 w0.1 ; 8 cycles behind the branch
	24 w0.2
	28 w0.3
	36 w0.4 ; a branch that is not taken costs as much`,
			cycles: 37,
			states: map[sm.State]uint64{sm.Selected: 8, sm.Wait: 15, sm.BranchResolving: 14},
		}, {
			name: "two warps, greedy then oldest", warps: 2, policy: "gto",
			gpu: small(1),
			body: `
	add.f32 %f1, %f0, %f0;
	add.f32 %f1, %f1, %f1;
	add.f32 %f2, %f0, %f0;
	ret;`,
			issues: `
	0 w0.0
	1 w1.0
	4 w0.1
	5 w0.2 ; still warp 0
	6 w0.3
	7 w1.1
	8 w1.2
	9 w1.3`,
			cycles: 10,
		}, {
			name: "three sources in two banks of one port", warps: 2,
			gpu: banked(),
			body: `
	fma.rn.f32 %f9, %f0, %f1, %f2;
	fma.rn.f32 %f9, %f0, %f3, %f4;
	fma.rn.f32 %f9, %f5, %f6, %f7;
	ret;`,
			issues: `
	0  w1.0 ; the pipe is busy in 0 and 1
	2  w0.0
	4  w1.1 ; its result comes behind that of w1.0; of its sources %f0 is reused
	6  w0.1
	8  w1.2 ; behind that of w1.1
	9  w1.3
	10 w0.2
	11 w0.3`,
			cycles: 12,
		}, {
			name: "two warps, those without bank conflicts first", warps: 2, policy: "bank-aware",
			gpu: banked(),
			body: `
	add.f32 %f9, %f0, %f1;
	fma.rn.f32 %f8, %f2, %f3, %f4;
	add.f32 %f10, %f5, %f6;
	ret;`,
			issues: `
	0 w1.0
	1 w0.0 ; warp 1 would have a conflict
	2 w0.1 ; both have: the one that issued last
	4 w0.2
	5 w0.3
	6 w1.1
	8 w1.2
	9 w1.3`,
			cycles: 10,
		}, {
			name: "a split that waits for memory, while another could issue",
			gpu:  small(1),
			body: `
	.global .b32 g[32];
	mov.u32 %r1, %laneid;
	mov.u64 %rd1, g;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra THEN;
	add.f32 %f1, %f0, %f0;
	bra END;
THEN:
	ld.global.u32 %r2, [%rd1];
	add.u32 %r3, %r2, 1;
END:
	ret;`,
			issues: `
	0   w0.0
	1   w0.1
	20  w0.2
	24  w0.3
	32  w0.6 ; until 132
	132 w0.7
	133 w0.4
	134 w0.5
	142 w0.8`,
			cycles: 143,
		}, {
			name: "dual issue", options: sm.Options{DualIssue: true},
			gpu: small(1),
			body: `
	add.f32 %f1, %f0, %f0;
	add.u32 %r1, %r0, 1;
	add.f32 %f2, %f1, %f1;
	add.u32 %r2, %r1, 1;
	add.f32 %f3, %f2, %f2;
	add.f32 %f4, %f0, %f0;
	ret;`,
			issues: `
	0 w0.0 w0.1
	4 w0.2 w0.3
	8 w0.4      ; two of one pipe are no pair
	9 w0.5
	10 w0.6`,
			cycles: 11,
			states: map[sm.State]uint64{sm.Selected: 5, sm.Wait: 6},
		}, {
			name: "blocks in one place", ctas: 3,
			gpu: onePlace(),
			body: `
	add.f32 %f1, %f0, %f0;
	ret;`,
			issues: `
	0   c0.w0.0
	1   c0.w0.1
	52  c1.w0.0 ; the first block has ended at 2, the turnaround is 50
	53  c1.w0.1
	104 c2.w0.0
	105 c2.w0.1`,
			cycles: 106,
			states: map[sm.State]uint64{sm.Selected: 6},
		}, {
			name: "blocks in one place, at once", ctas: 3,
			gpu: atOnce(),
			body: `
	add.f32 %f1, %f0, %f0;
	ret;`,
			issues: `
	0 c0.w0.0
	1 c0.w0.1
	2 c1.w0.0 ; the first block has ended at 2
	3 c1.w0.1
	4 c2.w0.0
	5 c2.w0.1`,
			cycles: 6,
			states: map[sm.State]uint64{sm.Selected: 6},
		},
	} {
		t.Run(p.name, func(t *testing.T) {
			p.options.Cost = ptx
			p.run(t)
		})
	}
}

// TestLoweredPipelines: the same with the machine instructions that an assembler makes,
// which package cost says.
func TestLoweredPipelines(t *testing.T) {
	for _, p := range []pipeline{
		{
			name: "multiplication and addition that become one",
			gpu:  small(1),
			body: `
	mul.f32 %f3, %f1, %f2;
	add.f32 %f4, %f3, %f0;
	ret;`,
			issues: `
	0 w0.1
	1 w0.2`,
			cycles: 2,
		}, {
			name: "division: BSSY, two approximations, five steps, a branch, BSYNC",
			gpu:  small(1),
			body: `
	div.rn.f32 %f1, %f0, %f2;
	add.f32 %f3, %f1, %f0;
	ret;`,
			issues: `
	0  w0.0
	1  w0.0
	3  w0.0 ; the pipe takes one every other cycle
	7  w0.0
	11 w0.0
	15 w0.0
	19 w0.0
	23 w0.0
	27 w0.0
	35 w0.0 ; 8 cycles behind the branch
	39 w0.1
	40 w0.2`,
			cycles: 41,
		}, {
			name: "divergence with convergence barriers",
			gpu:  small(1),
			body: `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra THEN;
` + strings.Repeat("\tadd.f32 %f1, %f1, %f0;\n", 9) + `	bra END;
THEN:
` + strings.Repeat("\tadd.f32 %f2, %f2, %f0;\n", 9) + `END:
	add.f32 %f3, %f1, %f2;
	ret;`,
			issues: `
	0   w0.0
	20  w0.1
	21  w0.2  ; BSSY, which does not wait for %p1
	24  w0.2
	32  w0.13
	36  w0.14
	40  w0.15
	44  w0.16
	48  w0.17
	52  w0.18
	56  w0.19
	60  w0.20
	64  w0.21
	65  w0.3  ; BSYNC of the lanes that have arrived
	69  w0.3
	73  w0.4
	77  w0.5
	81  w0.6
	85  w0.7
	89  w0.8
	93  w0.9
	97  w0.10
	101 w0.11
	102 w0.12
	110 w0.22 ; BSYNC of the others
	114 w0.22
	115 w0.23`,
			cycles: 116,
		}, {
			name: "a short arm is guarded, and no branch",
			gpu:  small(1),
			body: `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra END;
	add.f32 %f1, %f1, %f0;
END:
	add.f32 %f3, %f1, %f0;
	ret;`,
			issues: `
	0  w0.0
	20 w0.1
	24 w0.3
	28 w0.4
	29 w0.5`,
			cycles: 30,
		}, {
			name: "a guarded arm that no lane executes",
			gpu:  small(1),
			body: `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 32;
	@%p1 bra END;
	add.f32 %f1, %f1, %f0;
	add.f32 %f2, %f1, %f0;
END:
	add.f32 %f3, %f2, %f0;
	ret;`,
			issues: `
	0  w0.0
	20 w0.1
	24 w0.5 ; the two of the arm, which wait for the guard
	25 w0.5
	26 w0.5 ; %f2 is as it was
	27 w0.6`,
			cycles: 28,
		}, {
			name: "a guarded arm that no lane executes, with dual issue", options: sm.Options{DualIssue: true},
			gpu: small(1),
			body: `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 32;
	sin.approx.f32 %f4, %f5;
	add.f32 %f6, %f4, %f0;
	@%p1 bra END;
	shl.b32 %r2, %r1, 3;
	xor.b32 %r2, %r2, %r1;
END:
	add.f32 %f3, %f2, %f0;
	ret;`,
			issues: `
	0  w0.0
	20 w0.1
	21 w0.2 ; a product, and what it is for
	25 w0.2
	29 w0.3
	30 w0.7 ; the two of the arm
	32 w0.7
	33 w0.7
	34 w0.8`,
			cycles: 35,
		}, {
			name: "two guarded arms, of which lanes execute the second",
			gpu:  small(1),
			body: `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 32;
	@%p1 bra THEN;
	add.f32 %f1, %f1, %f0;
	add.f32 %f2, %f2, %f0;
	bra END;
THEN:
	add.f32 %f1, %f1, %f0;
END:
	add.f32 %f3, %f1, %f0;
	ret;`,
			issues: `
	0  w0.0
	20 w0.1
	24 w0.6 ; the first arm
	25 w0.6
	26 w0.6
	30 w0.7
	31 w0.8`,
			cycles: 32,
		}, {
			name: "a function whose result is loaded",
			gpu:  small(1),
			code: `
.global .b32 g[32];
.func (.param .b32 r) f(.param .b32 a)
{
	ld.param.u32 %r1, [a];
	mov.u64 %rd1, g;
	ld.global.u32 %r2, [%rd1];
	st.param.b32 [r], %r2;
	ret;
}
.func (.reg .u32 %r1) h(.reg .u32 %r5)
{
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	ret;
}`,
			body: `
	.param .b32 a, r;
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	st.param.b32 [a], %r1;
	call (r), f, (a);
	ld.param.u32 %r2, [r];
	call (%r3), h, (%r2);
	add.u32 %r4, %r3, 1;
	ret;`,
			issues: `
	0   w0.1
	100 w0.3 ; the argument is there: the callee's address, and the call
	102 w0.3
	106 w0.2
	206 w0.4 ; the result is there: the caller's address, and the return
	208 w0.4
	212 w0.5
	214 w0.5
	218 w0.1
	318 w0.2
	320 w0.2
	324 w0.6
	325 w0.7`,
			cycles: 326,
		}, {
			name: "a function of libdevice: the call, four steps that wait for each other, the return",
			gpu:  small(1),
			code: `
.global .b32 g[32];
.extern .func (.param .b32 r) __nv_ldexpf(.param .b32 a, .param .b32 b);
`,
			body: `
	.param .b32 a, b, r;
	mov.u64 %rd1, g;
	ld.global.u32 %r1, [%rd1];
	st.param.b32 [a], %r1;
	st.param.b32 [b], %r1;
	call (r), __nv_ldexpf, (a, b);
	ld.param.u32 %r2, [r];
	add.u32 %r3, %r2, 1;
	ret;`,
			issues: `
	0   w0.1
	100 w0.4 ; the argument is there: the function's address, and the call
	102 w0.4
	106 w0.4
	110 w0.4
	114 w0.4
	118 w0.4
	120 w0.4 ; the caller's address, and the return
	122 w0.4
	126 w0.6
	127 w0.7`,
			cycles: 128,
		},
	} {
		t.Run(p.name, p.run)
	}
}

const diverges = `
	mov.u32 %r1, %laneid;
	setp.lt.u32 %p1, %r1, 16;
	@%p1 bra THEN;
	add.f32 %f1, %f0, %f0;
	bra END;
THEN:
	add.f32 %f2, %f0, %f0;
END:
	ret;`

// banked is a GPU whose schedulers have two register banks of one port.
func banked() *gpu.Config {
	g := small(1)
	g.Banks, g.BankPorts = 2, 1
	return g
}

// onePlace is a GPU on which one CTA resides at a time.
func onePlace() *gpu.Config {
	g := small(1)
	g.Residency.CTAs = 1
	return g
}

// atOnce is a GPU on which the next CTA starts in the cycle in which one ends.
func atOnce() *gpu.Config {
	g := onePlace()
	g.CTAs.Turnaround = 0
	return g
}
