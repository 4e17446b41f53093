package sm_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/kerneltest"
	"github.com/simtrun/simtrun/internal/sm"
	traces "github.com/simtrun/simtrun/internal/trace"
	"github.com/simtrun/simtrun/interp"
)

// small is a GPU with one SM, with figures that make pipelines easy to calculate by hand.
func small(schedulers int) *gpu.Config {
	g := gpu.H100()
	g.SMs, g.Schedulers = 1, schedulers
	g.Banks, g.Memory.Flat = 0, 100
	g.Fetch, g.Guard, g.Settle, g.LSU.Gap, g.LSU.Drain = gpu.Fetch{}, 0, 0, 0, 0
	g.Constants.Loaded, g.Constants.GPCInterval, g.Constants.Replays = 0, 0, 0
	for c := range g.Classes {
		g.Classes[c] = gpu.Cost{Pipe: isa.ALU, Latency: 4, Interval: 2}
	}
	g.Classes[isa.CostSingle] = gpu.Cost{Pipe: isa.FMA, Latency: 4, Interval: 1}
	g.Classes[isa.CostReadSpecial] = gpu.Cost{Pipe: isa.ADU, Latency: 20, Interval: 1}
	g.Classes[isa.CostIndirectBranch] = gpu.Cost{Pipe: isa.CBU, Latency: 8, Interval: 1}
	g.Classes[isa.CostBranch] = gpu.Cost{Pipe: isa.CBU, Latency: 8, Interval: 1}
	g.Classes[isa.CostExit] = gpu.Cost{Pipe: isa.CBU, Latency: 1, Interval: 1}
	g.Classes[isa.CostWarpSync] = gpu.Cost{Pipe: isa.CBU, Latency: 4, Interval: 1}
	g.Classes[isa.CostCTABarrier] = gpu.Cost{Pipe: isa.ADU, Latency: 1, Interval: 1}
	g.Classes[isa.CostLoadShared] = gpu.Cost{Pipe: isa.LSU, Latency: 23, Interval: 4}
	g.Classes[isa.CostLoadGlobal] = gpu.Cost{Pipe: isa.LSU, Latency: 100, Interval: 4}
	g.Classes[isa.CostStoreGlobal] = gpu.Cost{Pipe: isa.LSU, Latency: 10, Interval: 4}
	g.Classes[isa.CostTexture] = gpu.Cost{Pipe: isa.TEX, Latency: 100, Interval: 4}
	g.Classes[isa.CostStoreSurface] = gpu.Cost{Pipe: isa.TEX, Latency: 10, Interval: 4}
	g.Barrier = gpu.Barrier{PerWarp: 2, Release: 24}
	g.CTAs = gpu.CTAs{Turnaround: 50}
	return g
}

// cached is small with queues and caches, also with simple figures: a load takes 30 cycles from L1, 100 from L2 and
// 200 from device memory, and the first 10 of these are on the way to the memory pipe. Nothing outside the SM is ever
// busy. L2 fetches two sectors at a time.
func cached(schedulers int) *gpu.Config {
	g := small(schedulers)
	m := &g.Memory
	m.Flat, m.L1, m.L2, m.DRAM, m.DRAMGrain = 0, 30, 100, 200, 64
	m.L2Partitions, m.L2Slices, m.L2Read, m.L2Write, m.DRAMSustained = 1, 1, 0, 0, 0
	m.SMRequest, m.SMResponse, m.GPCResponse, m.AtomicSector, m.AtomicWord, m.AtomicLane = 0, 0, 0, 0, 0, 0
	m.SharedPerWavefront = 2
	g.LSU = gpu.LSU{Queue: 5, Depth: 10, Interval: 1, Stores: 64, TagMasks: []int64{1, 2}}
	g.Texture = gpu.Texture{Queue: 5, Bytes: 8}
	g.Classes[isa.CostTexture].Latency = 50
	g.Constants = gpu.Constants{L1: 2048, L15: 4096, L15Latency: 40, PerWord: 6}
	for class, latency := range map[isa.CostClass]int{
		isa.CostLoadGlobal: m.L1, isa.CostLoadLocal: m.L1, isa.CostLoadShared: 20, isa.CostAtomicShared: 20, isa.CostAtomicGlobal: 150,
		isa.CostStoreGlobal: 10, isa.CostStoreLocal: 10, isa.CostStoreShared: 10, isa.CostReductionGlobal: 10,
	} {
		g.Classes[class] = gpu.Cost{Pipe: isa.LSU, Latency: latency, Interval: 2}
	}
	g.Classes[isa.CostLoadConstant] = gpu.Cost{Pipe: isa.ADU, Latency: 8, Interval: 3}
	g.CTAs.Turnaround = 300
	return g
}

// pipeline is a kernel with issues calculated by hand.
type pipeline struct {
	name    string
	gpu     *gpu.Config
	warps   uint32 // of a CTA; 0 stands for 1
	ctas    uint32 // 0 stands for 1
	model   divergence.Model
	policy  string // "" stands for gty
	options sm.Options
	code    string // before kernel k, or the whole module if body is ""
	body    string // of k
	images  images
	// issues has a line for each cycle in which a warp issues: the cycle, and for each warp
	// in the order of schedulers wWARP.PC. A comment begins with "#".
	issues string
	cycles int64
	states map[sm.State]uint64 // states without cycles are left out
}

func (p *pipeline) module() string {
	if p.body == "" {
		return p.code
	}
	return p.code + ".entry k()\n{\n" + p.body + "}\n"
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
	_, _, err = kerneltest.Kernel{Source: p.module(), Grid: kerneltest.Dim(max(1, p.ctas), 1),
		Block: kerneltest.Dim(32*max(1, p.warps), 1), Config: interp.Config{GPU: p.gpu, Divergence: p.model},
		Driver: func(m *interp.Machine, l interp.Launch) (interp.Stats, error) {
			fns, err := m.Functions("k")
			if err != nil {
				return interp.Stats{}, err
			}
			p.images.bind(t, m)
			_, size := fns[0].ParamLayout()
			l.Params = make([]byte, size)
			timing, err = run(t, m, l, o)
			return interp.Stats{}, err
		}}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for line := range strings.Lines(p.issues) {
		if line, _, _ = strings.Cut(line, "#"); strings.TrimSpace(line) != "" {
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

// tracedIssues calls issued for each machine instruction, and traces it.
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

// checkTrace compares a trace of issues, line by line, with the issues and states calculated by hand: "CYCLE
// smS.SCHEDULER bCTA.wWARP LLINE STATE CYCLES, ... INSTRUCTION".
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
	counted[sm.Drain] = 0 // after a warp's last issue
	if states != counted {
		t.Errorf("states of the trace are %v, counted %v, of\n%s", states, counted, text)
	}
}
