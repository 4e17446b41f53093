package sm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/sm"
)

// TestIssuesMatchHandCalculation runs the kernels of testdata/pipelines, which has every issue calculated by hand. In
// files ptx*.txt each PTX instruction is one machine instruction; in lowered*.txt package cost gives the machine
// instructions, and they are issued in the order of the PTX; in ordered*.txt in the order of an assembler, too.
func TestIssuesMatchHandCalculation(t *testing.T) {
	files, err := filepath.Glob("testdata/pipelines/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no pipelines", err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		base := filepath.Base(file)
		for _, c := range strings.Split("\n"+string(text), "\n== ")[1:] {
			name, rest, _ := strings.Cut(c, "\n")
			t.Run(base+"/"+name, func(t *testing.T) {
				p := readPipeline(t, rest)
				if strings.HasPrefix(base, "ptx") {
					p.options.Cost = cost.PTX
				}
				p.options.InOrder = strings.HasPrefix(base, "lowered")
				p.run(t)
			})
		}
	}
}

// readPipeline reads a case without its name: settings, a module, "=>", and what is expected: the lines of
// pipeline.issues, "cycles N", and "states STATE CYCLES, ..." with sums of cycles. Comments begin with "#".
func readPipeline(t *testing.T, text string) *pipeline {
	t.Helper()
	p := &pipeline{}
	before, after, _ := strings.Cut(text, "\n=>\n")
	for line := range strings.Lines(before + "\n") {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if p.code != "" || strings.HasPrefix(key, ".") {
			p.code += line
		} else if err := p.set(key, value); key != "" && key != "#" && err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	for line := range strings.Lines(after) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if _, err := strconv.Atoi(key); err == nil {
			p.issues += line
		} else if err := p.set(key, value); key != "" && key != "#" && err != nil {
			t.Fatalf("%q: %v", line, err)
		}
	}
	return p
}

// set sets a setting or an expectation.
func (p *pipeline) set(key, value string) (err error) {
	switch key {
	case "gpu":
		p.gpu, err = readGPU(value)
	case "warps":
		_, err = fmt.Sscan(value, &p.warps)
	case "ctas":
		_, err = fmt.Sscan(value, &p.ctas)
	case "texture":
		p.images = append(p.images, image{"t", value})
	case "surface":
		p.images = append(p.images, image{"s", value})
	case "model":
		p.model, err = divergence.ParseModel(value)
	case "policy":
		p.policy = value
	case "icache":
		p.options.WarmCode, err = sm.ParseICache(value)
	case "dual_issue":
		p.options.DualIssue = true
	case "cycles":
		_, err = fmt.Sscan(value, &p.cycles)
	case "states":
		p.states, err = readStates(value)
	default:
		err = fmt.Errorf("%q is not a setting", key)
	}
	return err
}

// readStates reads "STATE CYCLES, ...", where CYCLES may be a sum.
func readStates(text string) (map[sm.State]uint64, error) {
	states := make(map[sm.State]uint64)
	for part := range strings.SplitSeq(text, ", ") {
		name, sum, _ := strings.Cut(part, " ")
		s := slices.IndexFunc(allStates, func(s sm.State) bool { return s.String() == name })
		if s < 0 {
			return nil, fmt.Errorf("%q is not a state", name)
		}
		for term := range strings.SplitSeq(sum, "+") {
			n, err := strconv.ParseUint(strings.TrimSpace(term), 10, 64)
			if err != nil {
				return nil, err
			}
			states[sm.State(s)] += n
		}
	}
	return states, nil
}

// readGPU reads a configuration: "small" or "cached", which have one scheduler, then KEY=N for each value that differs.
// Keys are those of presets.
func readGPU(text string) (*gpu.Config, error) {
	words := strings.Fields(text)
	base := map[string]func(int) *gpu.Config{"small": small, "cached": cached}[words[0]]
	if base == nil {
		return nil, fmt.Errorf("%q is not a GPU", words[0])
	}
	g := base(1)
	for _, word := range words[1:] {
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		if err != nil || setters[key] == nil {
			return nil, fmt.Errorf("%q does not set a value of a GPU", word)
		}
		setters[key](g, n)
	}
	return g, nil
}

// setters set values of a GPU by their names in presets. Setting the latency of a fence moves it to the memory pipe.
var setters = map[string]func(g *gpu.Config, n int){
	"sm.schedulers":                func(g *gpu.Config, n int) { g.Schedulers = n },
	"sm.guard":                     func(g *gpu.Config, n int) { g.Guard = n },
	"sm.settle":                    func(g *gpu.Config, n int) { g.Settle = n },
	"fetch.l0":                     func(g *gpu.Config, n int) { g.Fetch.L0 = int64(n) },
	"fetch.l1":                     func(g *gpu.Config, n int) { g.Fetch.L1 = int64(n) },
	"fetch.l15":                    func(g *gpu.Config, n int) { g.Fetch.L15 = int64(n) },
	"fetch.l1_latency":             func(g *gpu.Config, n int) { g.Fetch.L1Latency = n },
	"fetch.first":                  func(g *gpu.Config, n int) { g.Fetch.First = n },
	"fetch.latency":                func(g *gpu.Config, n int) { g.Fetch.Latency = n },
	"fetch.interval":               func(g *gpu.Config, n int) { g.Fetch.Interval = n },
	"fetch.ahead":                  func(g *gpu.Config, n int) { g.Fetch.Ahead = n },
	"constants.loaded":             func(g *gpu.Config, n int) { g.Constants.Loaded = n },
	"constants.gpc_interval":       func(g *gpu.Config, n int) { g.Constants.GPCInterval = n },
	"constants.replays":            func(g *gpu.Config, n int) { g.Constants.Replays = n },
	"sm.banks":                     func(g *gpu.Config, n int) { g.Banks = n },
	"sm.bank_ports":                func(g *gpu.Config, n int) { g.BankPorts = n },
	"residency.ctas":               func(g *gpu.Config, n int) { g.Residency.CTAs = n },
	"ctas.turnaround":              func(g *gpu.Config, n int) { g.CTAs.Turnaround = n },
	"ctas.per_warp":                func(g *gpu.Config, n int) { g.CTAs.PerWarp = n },
	"tensor_memory.latency":        func(g *gpu.Config, n int) { g.TensorMemory.Latency = n },
	"tensor_memory.bytes":          func(g *gpu.Config, n int) { g.TensorMemory.Bytes = float64(n) },
	"tensor_memory.copy":           func(g *gpu.Config, n int) { g.TensorMemory.Copy = float64(n) },
	"tensor_memory.product":        func(g *gpu.Config, n int) { g.TensorMemory.Product = n },
	"units.tensor_flops":           func(g *gpu.Config, n int) { g.Units.TensorFLOPs = n },
	"memory.atomic_lane":           func(g *gpu.Config, n int) { g.Memory.AtomicLane = float64(n) },
	"memory.atomic_lane_float":     func(g *gpu.Config, n int) { g.Memory.AtomicLaneFloat = float64(n) },
	"texture.queue":                func(g *gpu.Config, n int) { g.Texture.Queue = n },
	"lsu.gap":                      func(g *gpu.Config, n int) { g.LSU.Gap = n },
	"lsu.drain":                    func(g *gpu.Config, n int) { g.LSU.Drain = n },
	"lsu.queue":                    func(g *gpu.Config, n int) { g.LSU.Queue = n },
	"lsu.interval":                 func(g *gpu.Config, n int) { g.LSU.Interval = n },
	"lsu.stores":                   func(g *gpu.Config, n int) { g.LSU.Stores = n },
	"classes.exit.latency":         func(g *gpu.Config, n int) { g.Classes[isa.CostExit].Latency = n },
	"classes.load_shared.interval": func(g *gpu.Config, n int) { g.Classes[isa.CostLoadShared].Interval = n },
	"classes.fence_cta.latency":    func(g *gpu.Config, n int) { g.Classes[isa.CostFenceCTA] = memoryPipe(n) },
	"classes.fence_gpu.latency":    func(g *gpu.Config, n int) { g.Classes[isa.CostFenceGPU] = memoryPipe(n) },
}

func memoryPipe(latency int) gpu.Cost { return gpu.Cost{Pipe: isa.LSU, Latency: latency, Interval: 1} }
