package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/report"
)

// gpuOptions are the flags of the gpu command, which exclude each other.
type gpuOptions struct{ list, toml, json bool }

func newGPUCommand() *cobra.Command {
	o := &gpuOptions{}
	cmd := &cobra.Command{
		Use:   "gpu [NAME|FILE.toml]",
		Short: "Show a GPU: its units, and the cost of instructions",
		Long: `Show a GPU: its units, its limits, the cost of instructions, and its peak rates. The GPU
is a preset (default: h100) or a TOML file.

To describe another GPU, start from the file of a preset, which gives the source of each value:

  simtrun gpu a100 --toml > my.toml

or write only what differs from a preset:

  base = "a100"
  sms = 54
  tpcs = 27

and run with --gpu my.toml. docs/model.md explains every key.`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.show(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVar(&o.list, "list", false, "list the presets")
	f.BoolVar(&o.toml, "toml", false, "print the TOML file of the GPU, as a starting point for another")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	cmd.ValidArgsFunction = completeGPU
	return cmd
}

// show executes the gpu command. With --json it prints an object even if there is an error.
func (o *gpuOptions) show(cmd *cobra.Command, args []string) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	err := o.write(out, args)
	if err != nil && o.json {
		report.WriteJSON(out, &report.Run{}, err, exitUsage)
	}
	if flushed := written(0, out.Flush()); err == nil {
		err = flushed
	}
	return err
}

func (o *gpuOptions) write(w io.Writer, args []string) error {
	switch {
	case o.list && (o.toml || o.json) || o.toml && o.json:
		return &usageError{msg: "--list, --toml and --json cannot be combined"}
	case o.list && len(args) > 0:
		return &usageError{msg: "--list lists all presets: leave it out to show one GPU"}
	case o.list:
		return listGPUs(w)
	case len(args) > 1:
		return &usageError{msg: "one GPU at a time; simtrun gpu --list lists the presets"}
	}
	name := gpu.H100().Name
	if len(args) > 0 {
		name = args[0]
	}
	c, text, err := gpu.Open(name)
	switch {
	case err != nil:
		return err
	case o.toml:
		_, err = io.WriteString(w, text)
	case o.json:
		err = writeGPUObject(w, c)
	default:
		writeGPU(w, c)
	}
	return err
}

// listGPUs writes a line for each preset.
func listGPUs(w io.Writer) error {
	for _, name := range gpu.Names() {
		c, err := gpu.Preset(name)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "%-12s  %-24s  %4s  %3d SMs  %4.0f MHz\n", name, c.Title, capabilityOf(c), c.SMs, c.ClockMHz)
	}
	return nil
}

func capabilityOf(c *gpu.Config) string {
	return fmt.Sprintf("%d.%d", c.Capability[0], c.Capability[1])
}

// writeGPUObject writes the JSON object of a GPU: its file, its peak, and the instruction classes as a list.
func writeGPUObject(w io.Writer, c *gpu.Config) error {
	const classes = "classes"
	p := c.Peak()
	object := map[string]any{"schema": "simtrun.gpu/v1", "name": c.Name,
		"peak": map[string]float64{"fp32_gflops": p.FP32, "fp64_gflops": p.FP64, "fp16_gflops": p.FP16, "tensor_gflops": p.Tensor, "shared_gb_per_s": p.Shared}}
	for _, k := range c.Keys() {
		table, name, ok := strings.Cut(k.Name, ".")
		switch {
		case table == classes:
		case !ok:
			object[table] = k.Value()
		default:
			if object[table] == nil {
				object[table] = make(map[string]any)
			}
			object[table].(map[string]any)[name] = k.Value()
		}
	}
	var costs []any
	for class := isa.CostNothing + 1; class < isa.NumCostClasses; class++ {
		cost := c.Classes[class]
		costs = append(costs, map[string]any{"class": class.String(), "pipe": cost.Pipe.String(), "latency": cost.Latency, "interval": cost.Interval})
	}
	object[classes] = costs
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(object)
}

// writeGPU writes a GPU for people.
func writeGPU(w io.Writer, c *gpu.Config) {
	fmt.Fprintf(w, "%s  %s, compute capability %s\n\n", c.Name, c.Title, capabilityOf(c))
	for _, line := range gpuLines(c) {
		fmt.Fprintln(w, strings.TrimRight(fmt.Sprintf("%-10s  %s", line[0], line[1]), " "))
	}
	writePeak(w, c)
	fmt.Fprintf(w, "\n%-17s  %7s  %8s  pipe\n", "cycles", "latency", "interval")
	for class := isa.CostNothing + 1; class < isa.NumCostClasses; class++ {
		cost := c.Classes[class]
		fmt.Fprintf(w, "%-17s  %7d  %8d  %s\n", class, cost.Latency, cost.Interval, cost.Pipe)
	}
}

// gpuLines returns names and values of a GPU, without its peak and the cost of instructions.
func gpuLines(c *gpu.Config) [][2]string {
	r, l, u, m, ctas := &c.Residency, &c.Limits, &c.Units, &c.Memory, &c.CTAs
	return [][2]string{
		{"chip", fmt.Sprintf("GPCs %d, TPCs %d, SMs %d, warp schedulers %d, clock %v MHz", c.GPCs, c.TPCs, c.SMs, c.SMs*c.Schedulers, c.ClockMHz)},
		{"memory", fmt.Sprintf("device %s, peak %v GB/s, read %v GB/s; L2 %s", sizeText(m.DRAMBytes), m.DRAMPeak, m.DRAMSustained, sizeText(m.L2Bytes))},
		{"launch", fmt.Sprintf("grid %s, block %s, threads of a block %d, local memory of a thread %s", l.Grid, l.Block, l.BlockThreads, sizeText(l.Local))},
		{"blocks", fmt.Sprintf("order %s, %s; cycles until one is replaced %d, from warp to warp %d, from launch to launch %d",
			ctas.Order, perCycleText(ctas.PerCycle), ctas.Turnaround, ctas.PerWarp, ctas.Launch)},
		{},
		{"an SM", fmt.Sprintf("schedulers %d, warps of each %d, shared pipes %s; policy %s, divergence %s", c.Schedulers, r.Warps/c.Schedulers, sharedPipes(c), c.Policy, c.Divergence)},
		{"lanes", fmt.Sprintf("FP32 %d, INT32 %d, FP64 %d, SFU %d, load and store %d; tensor cores %d", u.FP32, u.INT32, u.FP64, u.SFU, u.LoadStore, u.Tensor)},
		{"residents", fmt.Sprintf("blocks %d, warps %d, threads %d; barriers of a block %d", r.CTAs, r.Warps, r.Threads, r.Barriers)},
		{"registers", fmt.Sprintf("%d, of a block %d, of a thread %d; unit %d for a warp; banks %d, reads of each in a cycle %d",
			r.Registers, r.RegistersPerCTA, r.RegistersPerThread, r.RegisterUnit, c.Banks, c.BankPorts)},
		{"shared", fmt.Sprintf("%s, of a block %s, opted in %s; unit %s, for the system %s",
			sizeText(r.Shared), sizeText(r.SharedPerCTA), sizeText(r.SharedOptIn), sizeText(r.SharedUnit), sizeText(r.SharedReserved))},
		{"carve-outs", fmt.Sprintf("%s; L1 has the rest of %s", sizesText(r.Carveouts), sizeText(r.L1AndShared))},
		{"loads", loadsText(m)},
		{"conflicts", fmt.Sprintf("cycles for each wavefront of shared memory beyond the first %d", m.SharedPerWavefront)},
		{"barrier", fmt.Sprintf("cycles %d, for each warp beyond the first %d", c.Barrier.Release, c.Barrier.PerWarp)},
	}
}

func loadsText(m *gpu.Memory) string {
	if m.Flat > 0 {
		return fmt.Sprintf("cycles of all global memory %d: caches are not modelled", m.Flat)
	}
	return fmt.Sprintf("cycles L1 %d, L2 %d, device memory %d", m.L1, m.L2, m.DRAM)
}

func writePeak(w io.Writer, c *gpu.Config) {
	const flops = "FLOPS"
	p := c.Peak()
	fmt.Fprintf(w, "\n%-6s  %14s  %14s\n", "peak", "GPU", "an SM")
	for _, line := range []struct {
		name string
		giga float64
		of   string
	}{{"FP32", p.FP32, flops}, {"FP64", p.FP64, flops}, {"FP16", p.FP16, flops}, {"tensor", p.Tensor, flops}, {"shared", p.Shared, "B/s"}} {
		whole := strconv.FormatFloat(line.giga/1000, 'f', 1, 64)
		if line.giga < 1000 {
			whole = strconv.FormatFloat(line.giga/1000, 'f', 3, 64)
		}
		fmt.Fprintf(w, "%-6s  %7s T%-6s %7.1f G%s\n", line.name, whole, line.of, line.giga/float64(c.SMs), line.of)
	}
}

// sharedPipes names the pipes that the schedulers of an SM share.
func sharedPipes(c *gpu.Config) string {
	var names []string
	for pipe, shared := range c.SMWide {
		if shared {
			names = append(names, isa.Unit(pipe).String())
		}
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, " ")
}

func perCycleText(n float64) string {
	if n == 0 {
		return "any number started in a cycle"
	}
	return fmt.Sprintf("started in a cycle %v", n)
}

// sizeText returns a number of bytes in the largest unit in which it has at most one decimal.
func sizeText(n int64) string {
	for shift, unit := range map[int]string{30: "GiB", 20: "MiB", 10: "KiB"} {
		if n >= 1<<shift && n < 1<<(shift+10) && n*10%(1<<shift) == 0 {
			return strconv.FormatFloat(float64(n)/float64(int64(1)<<shift), 'f', -1, 64) + " " + unit
		}
	}
	return fmt.Sprintf("%d bytes", n)
}

// sizesText returns a list of sizes, in KiB if all are whole.
func sizesText(list []int64) string {
	text, unit := "", "KiB"
	for _, n := range list {
		if n%1024 != 0 {
			unit = "bytes"
		}
	}
	for _, n := range list {
		if unit == "KiB" {
			n /= 1024
		}
		text += strconv.FormatInt(n, 10) + " "
	}
	return text + unit
}
