package cost_test

import (
	"errors"
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/cost"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
)

// operation is a measured operation, as in internal/gpu/measure/instructions.py: the instructions of a step that
// changes register {x}.
type operation struct {
	name, kind string
	steps      []string
}

func operations(t *testing.T) []operation {
	t.Helper()
	text, err := os.ReadFile("../gpu/measure/instructions.py")
	if err != nil {
		t.Fatal(err)
	}
	var all []operation
	for _, m := range regexp.MustCompile(`(?m)^op\("([^"]+)", "(\w+)", (.*)\)$`).FindAllStringSubmatch(string(text), -1) {
		o := operation{name: m[1], kind: m[2]}
		for _, s := range regexp.MustCompile(`"([^"]+)"`).FindAllStringSubmatch(m[3], -1) {
			o.steps = append(o.steps, s[1])
		}
		all = append(all, o)
	}
	return all
}

// lower returns the cost of n steps on one chain.
func (o *operation) lower(n int) (*isa.Func, []cost.Instr, error) {
	chain := map[string]string{"u32": "b32", "u64": "b64", "f16x2": "b32", "f32": "f32", "f64": "f64"}[o.kind]
	constants := fmt.Sprintf(".reg .%s c0, c1, c2, c3;", chain)
	if o.kind == "u64" {
		wide := "b64"
		if o.name == "mad.wide.u32" {
			wide = "b32"
		}
		constants = fmt.Sprintf(".reg .b32 c0, c1; .reg .%s w0, w1;", wide)
	}
	var b strings.Builder
	fmt.Fprintf(&b, ".entry k()\n{\n.reg .%s x, y; .reg .b32 t, lane, k0, k1, k2, k3; .reg .b64 u; .reg .f32 f, g0, m1, m2, m3; .reg .f64 d; .reg .pred p, q, r; %s\n", chain, constants)
	names := strings.NewReplacer("{{", "{", "}}", "}", "{x}", "x", "{y}", "y", "{t64}", "u", "{t}", "t", "{f}", "f", "{d}", "d", "{p}", "p", "{m1}", "m1", "{m2}", "m2", "{m3}", "m3")
	for i := range n {
		b.WriteString(names.Replace(o.steps[i%len(o.steps)]) + "\n")
	}
	mod, err := asm.Parse("k.s", []byte(b.String()+"}"))
	if err != nil {
		return nil, nil, err
	}
	f := mod.Funcs[0]
	for pc := range f.Code {
		if later := f.Code[pc].Later; later != "" {
			return nil, nil, errors.New(later)
		}
	}
	return f, cost.Lower(f, flow.New(f), cost.Lowered, true), nil
}

// pipeline is one warp that issues in order on a GPU.
type pipeline struct {
	gpu   *gpu.Config
	ready map[isa.RegID]int
	free  [isa.NumUnits]int
	last  int // cycle of the last issue
}

// run issues an instruction.
func (p *pipeline) run(c *cost.Instr) {
	done, next := 0, p.last+1
	for _, r := range c.Sources {
		done = max(done, p.ready[r])
	}
	if len(c.Slots) > 0 {
		next = max(next, done)
	}
	for _, s := range c.Slots {
		class := &p.gpu.Classes[s.Class]
		if s.Waits {
			next = max(next, done)
		}
		p.last = max(next, p.free[class.Pipe])
		p.free[class.Pipe] = p.last + class.Interval
		done, next = p.last+class.Latency, p.last+1
	}
	for _, r := range c.Results {
		p.ready[r] = done
	}
}

// chain returns the cycles of one step of a chain in one warp.
func (o *operation) chain(on *gpu.Config) (float64, error) {
	const few, many = 8, 40
	var at [2]int
	for i, n := range []int{few, many} {
		f, costs, err := o.lower(n)
		if err != nil {
			return 0, err
		}
		p := pipeline{gpu: on, ready: make(map[isa.RegID]int)}
		for pc := range f.Code {
			p.run(&costs[pc])
		}
		at[i] = p.last
	}
	return float64(at[1]-at[0]) / (many - few), nil
}

// throughput returns the cycles of an SM for a step of each of many warps: those of its busiest pipe, or of issue.
func (o *operation) throughput(on *gpu.Config) (float64, error) {
	const n = 40
	f, costs, err := o.lower(n)
	if err != nil {
		return 0, err
	}
	var busy [isa.NumUnits]int
	slots := 0
	for pc := range f.Code {
		for _, s := range costs[pc].Slots {
			busy[on.Classes[s.Class].Pipe] += on.Classes[s.Class].Interval
			slots++
		}
	}
	for _, b := range busy {
		slots = max(slots, b)
	}
	return float64(slots) / n / float64(on.Schedulers), nil
}

// TestCostsMatchMeasurements: the latency of a chain of each operation, and its throughput per cycle and SM, are
// within 15 % of the H100's (docs/hardware-measured.md).
func TestCostsMatchMeasurements(t *testing.T) {
	const chain, throughput = 2, 13 // columns
	on := gpu.H100()
	measured := make(map[string][]string)
	for _, row := range table(t, "../gpu/testdata/h100-sxm/instructions.csv") {
		measured[row[0]] = row
	}
	for _, o := range operations(t) {
		row := measured[o.name]
		for _, c := range []struct {
			what   string
			column int
			of     func(*gpu.Config) (float64, error)
			listed map[string]string
		}{{"chain", chain, o.chain, otherChains}, {"throughput", throughput, o.throughput, otherThroughputs}} {
			ours, err := c.of(on)
			if why, skip := unsupported[o.name]; skip != (err != nil) {
				t.Errorf("%s: %v (%s)", o.name, err, why)
			} else if skip {
				continue
			}
			theirs, err := strconv.ParseFloat(row[c.column], 64)
			if err != nil {
				t.Fatal(err)
			}
			off := ours/theirs - 1
			why, listed := c.listed[o.name]
			if (math.Abs(off) > 0.15) != listed {
				t.Errorf("%s: %s %.2f, the H100's is %.2f: %+.0f %% (%s)", o.name, c.what, ours, theirs, 100*off, why)
			}
		}
	}
}

// Reasons.
const (
	pipes  = "a result for another pipe takes a cycle more"
	guard  = "a comparison takes 12 cycles until it guards an instruction, where 4 are charged"
	sync   = "the BSYNC of the fast path takes less than one behind a branch that lanes take"
	hoists = "a part is before the loop, as operands do not change in it"
	known  = "the assembler knows that the operand is in range"
	banks  = "three sources that are read anew take three cycles: register banks, which come on top"
	others = "instructions for moves and conversions that differ from one use to the next"
	halves = "the next step needs the low half first"
	data   = "the figure is one of data"
)

// unsupported are operations that simtrun does not support, and why.
var unsupported = map[string]string{}

// otherChains and otherThroughputs are the operations that differ by more, and why.
var (
	otherChains = map[string]string{
		"add.s32": pipes, "abs+sub.s32": pipes, "cvt.s32.s8 + add": pipes, "add.s64": pipes,
		"bfe.u32": hoists, "bfe.s32": hoists, "bfi.b32": hoists,
		"min+max.s64": halves, "setp.lt.s64 + selp": halves,
		"popc.b64": known, "ex2.approx.f32": known,
		"rcp.rn.f32 + add": guard, "div.rn.f32": sync, "sqrt.rn.f64": sync, "div.approx.f32": guard, "div.full.f32": guard, "sqrt.approx.f32": guard, "rsqrt.approx.f32": guard, "lg2.approx.f32": guard,
		"add.f16x2": "HADD2 and HFMA2.MMA in turn wait longer for each other", "mul.f16x2": "as add.f16x2", "fma.rn.f16x2": "as add.f16x2", "fma.rn.bf16x2": "as add.f16x2",
		"ex2.approx.f16x2": "one chain for each half", "tanh.approx.f16x2": "as ex2",
		"cvt.f32.f16":                  "HADD2.F32 takes the half where it lies",
		"cvt.rn.f32.s64":               others,
		"match.any.sync.b32 32 values": data,
		"clock + add":                  "every other one is S2UR", "clock64 + add": "CS2R of 64 bits",
		"@false fma.rn.f64": "the assembler selects, and guards nothing",
	}
	otherThroughputs = map[string]string{
		"mul24.lo.u32": hoists, "bfe.u32": "SGXT takes the ALU for 6 cycles; " + hoists, "bfe.s32": "as bfe.u32", "bfi.b32": hoists,
		"mad.wide.u32": "every other carry is added in the ALU", "and+or.b64": "ptxas 13.0 makes three LOP3, 12.4 two",
		"popc.b64":      known,
		"div.s64 large": others, "rem.u64 large + or": others,
		"rcp.approx.f32 + add": others, "rcp.rn.f32 + add": others, "sqrt.rn.f32": others, "min+max.f64": others,
		"rcp.rn.f64": banks, "div.rn.f64": banks, "sqrt.rn.f64": banks, "fma.rn.f16x2": banks, "fma.rn.bf16x2": banks,
		"match.any.sync.b32 32 values": data,
		"clock + add":                  "every other one is S2UR",
		"@false fma.rn.f64":            "the assembler selects, and guards nothing",
	}
)
