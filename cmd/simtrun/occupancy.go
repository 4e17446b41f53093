package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/occupancy"
	"github.com/simtrun/simtrun/internal/plot"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/interp"
)

// occupancyOptions are the flags of the occupancy command that are not directives.
type occupancyOptions struct {
	threads string
	ptxas   string // a file
	plot    string // a file
	json    bool
	csv     bool
}

func newOccupancyCommand() *cobra.Command {
	o := &occupancyOptions{}
	cmd := &cobra.Command{
		Use:   "occupancy [FILE...]",
		Short: "Show how many blocks an SM can hold, what limits them, and how a grid divides into waves",
		Long: `Show how many blocks of a kernel an SM can hold, what limits them, and how a grid divides
into waves. The kernel comes from a file, with the grid, block and shared memory of the
file's header or of flags, or is described by numbers alone:

  simtrun occupancy reduce.s --grid 1056 --block 256
  simtrun occupancy --threads 256 --regs 32 --shared 16384

Registers per thread are estimated from live registers, unless --regs, the output of
ptxas -v or the kernel's directives state their number.`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	addDirectiveFlags(all)
	for _, name := range []string{"kernel", "grid", "block", "cluster", "shared", "gpu", "regs", "carveout", "idealised"} {
		f.AddFlag(all.Lookup(name))
	}
	addReadingFlags(f)
	f.StringVar(&o.threads, "threads", "", "threads per block, `N`; the same as --block")
	f.StringVar(&o.ptxas, "ptxas", "", "read registers, barriers and, without a source, static shared memory from `FILE`, the output of ptxas -v")
	f.StringVar(&o.plot, "plot", "", "plot occupancy against registers, block size and shared memory, to `FILE`.svg or .png")
	f.BoolVar(&o.json, "json", false, "print one JSON object, or one per line for several launches")
	f.BoolVar(&o.csv, "csv", false, "print the curves of --plot as CSV")
	completeSources(cmd)
	completeFlag(cmd, "gpu", completeGPU)
	completeFlag(cmd, "kernel", completeWith(kernelNames, ""))
	completeNothing(cmd, "grid", "block", "cluster", "shared", "regs", "carveout", "threads")
	return cmd
}

// run executes the occupancy command. With --json it prints an object even if there is an error.
func (o *occupancyOptions) run(cmd *cobra.Command, files []string) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	answers, err := o.answers(cmd, files)
	if err == nil && o.plot != "" {
		err = o.draw(cmd, answers)
	}
	switch {
	case err == nil:
		err = o.write(out, answers)
	case o.json:
		report.WriteJSON(out, &report.Run{}, err, exitCode(cmd.Context(), err))
	}
	if flushed := written(0, out.Flush()); err == nil {
		err = flushed
	}
	return err
}

// write prints the answers. A block that cannot fit is then an error.
func (o *occupancyOptions) write(w io.Writer, answers []*occupancy.Answer) error {
	if o.csv {
		occupancy.WriteCSV(w, answers)
	}
	for i, a := range answers {
		switch {
		case o.csv:
		case o.json:
			a.WriteJSON(w)
		default:
			if i > 0 {
				fmt.Fprintln(w)
			}
			a.WriteText(w)
		}
	}
	for _, a := range answers {
		switch {
		case a.Refusal != "" && a.Kernel != "":
			return &interp.LaunchError{Kernel: a.Kernel, Msg: a.Refusal}
		case a.Refusal != "":
			return errors.New(a.Refusal)
		}
	}
	return nil
}

func (o *occupancyOptions) draw(cmd *cobra.Command, answers []*occupancy.Answer) error {
	format, err := plot.Format(o.plot)
	switch {
	case err != nil:
		return &usageError{msg: "--plot: " + explain(err)}
	case len(answers) > 1:
		return &usageError{msg: fmt.Sprintf("--plot draws one kernel, but there are %d launches; select one with --kernel", len(answers))}
	}
	var picture bytes.Buffer
	if err := answers[0].Figure().Write(&picture, format); err != nil {
		return err
	}
	if err := writeFile(cmd, o.plot, picture.Bytes()); err != nil {
		return &codedError{exitIO, err}
	}
	return nil
}

// answers returns the occupancies of the launches that files and flags describe, each once.
func (o *occupancyOptions) answers(cmd *cobra.Command, files []string) ([]*occupancy.Answer, error) {
	if o.csv && o.json {
		return nil, &usageError{msg: "--csv and --json cannot be combined"}
	}
	var compiled []occupancy.Compiled
	if o.ptxas != "" {
		text, err := os.ReadFile(o.ptxas)
		if err != nil {
			return nil, &usageError{msg: "--ptxas: " + explain(err)}
		}
		compiled = occupancy.ParsePTXAS(string(text))
	}
	words, err := directivesIn(cmd.Flags())
	if err == nil && o.threads != "" {
		err = words.Set("block", o.threads, launch.Origin{Flag: "--threads " + o.threads})
	}
	if err != nil {
		return nil, err
	}
	ask := &asking{options: o, compiled: compiled}
	if len(files) == 0 {
		return ask.numbers(cmd.Flags(), words)
	}
	p, err := loadProgram(files, cmd.InOrStdin(), readingOf(cmd))
	if err != nil {
		return nil, err
	}
	p.warn(cmd.ErrOrStderr(), colourOf(cmd).on(cmd.ErrOrStderr()))
	return ask.kernels(p, words)
}

// asking builds questions from files and flags.
type asking struct {
	options  *occupancyOptions
	compiled []occupancy.Compiled
}

// numbers returns the answer for a kernel that only flags describe.
func (ask *asking) numbers(flags *pflag.FlagSet, words *launch.Layer) ([]*occupancy.Answer, error) {
	shapes, cfg, err := launch.Shapes(nil, words)
	if err != nil {
		return nil, err
	}
	l := &shapes[0]
	if l.BlockFrom == launch.BlockDefault {
		return nil, &usageError{msg: "the block size is unknown: name a file, or pass --threads N"}
	}
	u := gpu.Usage{Threads: int(l.Block.Count()), Registers: cfg.Registers, Dynamic: l.Shared,
		OptIn: cfg.GPU.Residency.SharedOptIn, Carveout: cfg.Carveout, Idealised: cfg.Idealised}
	q := occupancy.Question{GPU: cfg.GPU, Usage: u, Kernel: flags.Lookup("kernel").Value.String(), Grid: l.Grid.Count(), Cluster: int(l.Cluster.Count())}
	if u.Registers > 0 {
		q.RegistersFrom = string(interp.RegistersGiven)
	}
	if ask.options.ptxas != "" {
		c, err := ask.find(q.Kernel, cfg.Registers)
		if err != nil {
			return nil, err
		}
		q.Kernel, q.RegistersFrom = c.Kernel, fromPTXAS
		q.Usage.Registers, q.Usage.Static, q.Usage.Barriers = c.Registers, c.Static, c.Barriers
	}
	return []*occupancy.Answer{occupancy.New(q)}, nil
}

// kernels returns the answers for the kernels of a program.
func (ask *asking) kernels(p *programText, words *launch.Layer) ([]*occupancy.Answer, error) {
	shapes, cfg, err := launch.Shapes(p.mod, append(slices.Clone(p.headers), words)...)
	if err != nil {
		return nil, placed(err, p.sources)
	}
	m, err := interp.New(p.mod, cfg)
	if err != nil {
		return nil, placed(err, p.sources)
	}
	var answers []*occupancy.Answer
	type shape struct {
		kernel               string
		grid, block, cluster isa.Dim
		shared               int64
	}
	seen := make(map[shape]bool)
	for i := range shapes {
		l := &shapes[i]
		known := shape{l.Kernel, l.Grid, l.Block, l.Cluster, l.Shared}
		if seen[known] {
			continue
		}
		seen[known] = true
		q, err := ask.kernel(m, p.mod.Entry(l.Kernel), l)
		if err != nil {
			return nil, placed(err, p.sources)
		}
		answers = append(answers, occupancy.New(q))
	}
	return answers, nil
}

// kernel returns the question for a launch on m.
func (ask *asking) kernel(m *interp.Machine, fn *isa.Func, l *launch.Launch) (occupancy.Question, error) {
	q, err := occupancy.Of(m, fn, interp.Launch{Kernel: l.Kernel, Grid: l.Grid, Block: l.Block, Cluster: l.Cluster, Shared: l.Shared})
	if err != nil {
		return occupancy.Question{}, err
	}
	if ask.options.ptxas != "" {
		c, err := ask.find(l.Kernel, m.Config().Registers)
		if err != nil {
			return q, err
		}
		q.RegistersFrom, q.Spilled, q.Usage.Registers, q.Usage.Barriers = fromPTXAS, 0, c.Registers, c.Barriers
	}
	return q, nil
}

const fromPTXAS = "ptxas"

// find returns ptxas's figures for a kernel.
func (ask *asking) find(kernel string, given int) (occupancy.Compiled, error) {
	if given > 0 {
		return occupancy.Compiled{}, &usageError{msg: "--regs and --ptxas both give the number of registers: pass one of them"}
	}
	c, err := occupancy.Find(ask.compiled, kernel)
	if err != nil {
		return c, &usageError{msg: fmt.Sprintf("--ptxas %s: %v", ask.options.ptxas, err)}
	}
	return c, nil
}
