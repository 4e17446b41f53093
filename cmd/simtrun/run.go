package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/sm"
	"github.com/simtrun/simtrun/internal/verdict"
)

// runOptions are the flags of the run command that are not directives.
type runOptions struct {
	script  string
	timeout duration // 0: none
	jobs    int
	pageOptions
	hostTime bool
	trace    traceOptions
	checks   checkList
	ci       ciOptions
	sources  report.Sources
	output   string // "": none
	replay   string // file of a schedule; "": none
	quiet    bool
	verbose  bool
	// How CUDA C++ is compiled, as in reading.
	variables, unoptimised bool
	edited                 map[string][]byte     // texts in place of those of files
	cc                     []launch.CompilerLine // options in addition to those of flags
}

func newRunCommand() *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "run FILE...",
		Short: "Run a kernel and print its results (the default command)",
		Args:  someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			return o.run(cmd, args)
		},
	}
	o.addFlags(cmd, "")
	return cmd
}

// newProfileCommand returns the run command with a report.
func newProfileCommand() *cobra.Command {
	o := &runOptions{}
	cmd := &cobra.Command{
		Use:   "profile FILE...",
		Short: "Run a kernel and report its time, what limits it, and advice",
		Args:  someFiles,
		RunE: func(cmd *cobra.Command, args []string) error {
			inFile := o.pictures.any() || o.output != "" || o.trace.timeline.file != ""
			if o.quiet && inFile && !cmd.Flags().Changed("page") {
				o.page = "" // the report is in a file
			}
			return o.run(cmd, args)
		},
	}
	o.addFlags(cmd, report.Pages()[0].Name)
	return cmd
}

// addFlags adds the flags of a command that runs kernels. page is the report page that it shows by default; "" for
// none.
func (o *runOptions) addFlags(cmd *cobra.Command, page string) {
	f := cmd.Flags()
	f.SortFlags = false
	addDirectiveFlags(f)
	addClockFlags(f)
	addSASSFlag(f)
	addReadingFlags(f)
	f.StringVar(&o.script, "script", "", "read directives from the run script `FILE`, one per line (simtrun help directives)")
	f.Var(&o.timeout, "timeout", "end the run with exit status 5 after `TIME`, such as 30s, 5m or a number of seconds; 0 is no limit")
	f.IntVarP(&o.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "use `N` CPU cores; the output does not depend on N")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.BoolVar(&o.hostTime, "host-time", false, "add host_cpu_seconds to each launch of the JSON object, measured in a separate run without counters")
	f.StringVar(&o.page, "page", page, "print a `PAGE` of the report: "+strings.Join(report.PageNames(), ", "))
	f.BoolVar(&o.csv, "csv", false, "print the report as CSV: the selected page, or all metrics")
	f.StringVarP(&o.output, "output", "o", "", "save the report of the run in `FILE`, for simtrun report and simtrun diff")
	f.BoolVarP(&o.quiet, "quiet", "q", false, "print only dumps, errors and the output of kernels")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "print the host's time and, without a clock, how lanes are executed (SIMTRUN_LANES), on standard error")
	f.Var(&o.checks, "check", "run the checks in `LIST`: "+strings.Join(check.LaunchKinds(), ", "))
	o.ci.addFlags(f)
	addReplayFlag(f, &o.replay)
	o.pictures.addFlags(f)
	o.trace.addFlags(f)
	completeRun(cmd)
	completeCI(cmd)
}

// addDirectiveFlags adds the flags that correspond to directives, except those of addClockFlags; package launch
// parses their values.
func addDirectiveFlags(f *pflag.FlagSet) {
	f.String("kernel", "", "launch the kernel `NAME` (default the first)")
	f.String("grid", "", "blocks in the grid, `X[xY[xZ]]` (default 1)")
	f.String("block", "", "threads per block, `X[xY[xZ]]` (default .reqntid, else the header's, else 32)")
	f.String("cluster", "", "blocks per cluster, `X[xY[xZ]]` (default .reqnctapercluster, else no clusters)")
	f.String("shared", "", "`BYTES` of dynamic shared memory per block (default 0)")
	f.Bool("cooperative", false, "launch cooperatively, as cudaLaunchCooperativeKernel does: all blocks are resident at once and may wait for each other, as in grid.sync()")
	f.StringArray("arg", nil, "set an argument, `NAME=A` or INDEX=A; A is a number, the name of a buffer, or contents such as zeros:N:TYPE or iota:N:TYPE (simtrun help values)")
	f.StringArray("symbol", nil, "set a module variable before the run, `NAME=VALUE`")
	f.StringArray("dump", nil, "print a buffer after the run, `NAME[:TYPE[:COUNT]]`")
	f.StringArray("save", nil, "write a buffer's bytes after the run, `NAME=FILE`; to FILE.npy as a NumPy array")
	f.StringArray("expect", nil, "check memory after the run, as in `'x[0:2] == 1 5'` (simtrun help directives)")
	f.String("max-steps", "", "limit each warp to `N` instructions (default 1e9)")
	f.String("max-launch-steps", "", "limit all warps together to `N` instructions before another block completes (default 10 times --max-steps, 1e10 or more)")
	f.String("gpu", "", "the GPU to model (default h100): the `NAME` of a preset (simtrun gpu --list) or a TOML file")
	f.String("regs", "", "registers per thread, `N` (default estimated from live registers, or from .maxnreg and launch bounds)")
	f.String("carveout", "", "preferred shared-memory carve-out, `PCT` percent of the SM's maximum (default 100)")
	f.Bool("idealised", false, "ignore allocation granularity when computing how many blocks reside")
	f.String("shared-init", "", "initial `CONTENTS` of a block's shared memory: pattern (bytes 0xab, the default) or zero")
	f.Bool("no-libdevice", false, "provide no libdevice: its functions, such as __nv_sinf, are errors unless a file defines them")
	f.String("divergence", "", "`MODEL` of how diverged lanes reconverge: its (independent thread scheduling, the default of most GPUs), stack, minpc")
	f.String("path-order", "", "the `SIDE` of a divergent branch to run first: taken (the default), fallthrough, majority")
	f.String("split", "", "forced divergence, only with --divergence its: lanes also diverge without a branch, at random places that `SEED` determines")
	f.String("memory", "", "use at most `SIZE` of host memory, such as 512M (default 16G)")
	f.Bool("functional", false, "run without a clock: fastest, but without times")
}

// addClockFlags adds the flags that are directives about time.
func addClockFlags(f *pflag.FlagSet) {
	f.String("sched", "", "warp `SCHEDULER`: "+strings.Join(sm.PolicyNames(), ", ")+" (default the GPU's: gty, greedy then youngest)")
	f.String("cta-order", "", "`ORDER` in which SMs get blocks: "+strings.Join(sm.OrderNames(), ", "))
	f.String("cost", "", "cost `MODE`: lowered (the default: the GPU's machine instructions for each PTX instruction), ptx (one issue slot for each)")
	f.String("icache", "", "`STATE` of instruction and constant caches when a kernel is first launched: cold (the default), warm")
	f.Bool("dual-issue", false, "let a warp issue two instructions per cycle if their pipes can be paired")
}

// addSASSFlag adds the flag for machine code, a directive about time.
func addSASSFlag(f *pflag.FlagSet) {
	f.String("sass", "", "time kernels by the machine code in `FILE`, the output of nvdisasm or cuobjdump -sass, instead of simtrun's prediction of that code")
}

// run executes the run command. With --json it always prints an object.
func (o *runOptions) run(cmd *cobra.Command, files []string) error {
	start := time.Now()
	r := o.perform(cmd, files)
	v, err := o.judge(r)
	code := exitCode(cmd.Context(), err)
	if r.Result != nil {
		code, err = firstError(cmd.Context(), code, err, saveAll(cmd, r.Result.Saves))
	}
	noteResults(cmd.Context(), resultsWritten)
	if r.Result != nil {
		code, err = firstError(cmd.Context(), code, err, o.trace.timeline.write(cmd))
	}
	d := o.document(r, err, code)
	code, err = firstError(cmd.Context(), code, err, o.saveReport(cmd, r, d))
	code, err = firstError(cmd.Context(), code, err, o.pictures.write(cmd, d))
	code, err = firstError(cmd.Context(), code, err, o.ci.write(cmd, v, code, suiteOf("simtrun run", strings.Join(files, " "), err)))
	noteResults(cmd.Context(), noResults)
	out := bufio.NewWriter(cmd.OutOrStdout())
	switch {
	case o.csv && r.Result != nil:
		o.chosen().WriteCSV(out, d)
	case o.json:
		report.WriteJSON(out, r, err, code)
	case r.Result != nil:
		report.WriteText(out, r, report.Style{Paint: colourOf(cmd).on(cmd.OutOrStdout()), Quiet: o.quiet})
		o.writePage(out, d, columnsOf(cmd.OutOrStdout()))
	}
	_, err = firstError(cmd.Context(), code, err, written(0, out.Flush()))
	if r.Result != nil {
		err = o.writeFindings(cmd, r.Shown(), err)
		report.WriteAllowed(cmd.ErrOrStderr(), v, colourOf(cmd).on(cmd.ErrOrStderr()))
	}
	if o.verbose && r.Plan != nil && r.Plan.Clock == nil {
		fmt.Fprintln(cmd.ErrOrStderr(), lanesText())
	}
	if o.verbose {
		fmt.Fprintf(cmd.ErrOrStderr(), "host time %.3f s\n", time.Since(start).Seconds())
	}
	return err
}

// perform plans a run and executes it.
func (o *runOptions) perform(cmd *cobra.Command, files []string) *report.Run {
	r := &report.Run{HostTime: o.hostTime}
	if r.Plan, r.Err = o.plan(cmd, files); r.Err != nil {
		r.GPU = o.wantedGPU(cmd.Flags())
		return r
	}
	if r.Untimed = o.untimed(); r.Plan.Config.Split != 0 && r.Untimed == "" {
		r.Untimed = "--split"
	}
	r.Sources, r.Printed = o.sources, r.Plan.Printed()
	r.Result, r.Err = o.execute(cmd, r.Plan, r.Printed)
	return r
}

// writeFindings prints on standard error the warnings and the unmet expectations; with a check for races also the
// run's error, the races, and the number of findings. It returns err, marked if it has been printed.
func (o *runOptions) writeFindings(cmd *cobra.Command, res *launch.Result, err error) error {
	w, paint := cmd.ErrOrStderr(), colourOf(cmd).on(cmd.ErrOrStderr())
	report.WriteUncompiled(w, res, o.verbose, paint)
	report.WriteUndefined(w, res, paint)
	report.WriteWarnings(w, res, paint)
	report.WriteFailures(w, res, paint)
	if !o.checks.Race {
		return err
	}
	failed := err != nil && !isVerdict(err)
	if failed {
		printError(w, err, exitCode(cmd.Context(), err), helpPage(cmd), paint)
		err = printedError{err}
	}
	report.WriteRaces(w, res, failed, paint)
	return err
}

// judge judges the findings of a run, and returns the error with which the command ends.
func (o *runOptions) judge(r *report.Run) (*verdict.Verdict, error) {
	v, err := o.ci.judge(r.Findings())
	r.Judged(v)
	switch {
	case r.Err != nil:
		err = r.Err
	case err == nil:
		err = verdictOf(r, v)
	}
	return v, o.ci.exited(err)
}

// firstError returns the run's error or the error in writing its results: the one with the exit status that takes
// precedence.
func firstError(ctx context.Context, code int, err, writing error) (int, error) {
	if c := exitCode(ctx, writing); writing != nil && worse(code, c) == c {
		return c, writing
	}
	return code, err
}

// plan reads and links the files and plans the run. Headers are applied in order, and later ones override earlier
// ones.
func (o *runOptions) plan(cmd *cobra.Command, files []string) (*launch.Plan, error) {
	r := readingOf(cmd)
	r.variables, r.unoptimised, r.edited = o.variables, o.unoptimised, o.edited
	r.cc = append(r.cc, o.cc...)
	p, err := loadProgram(files, cmd.InOrStdin(), r)
	if err != nil {
		return nil, err
	}
	p.warn(cmd.ErrOrStderr(), colourOf(cmd).on(cmd.ErrOrStderr()))
	layers, flags := p.headers, cmd.Flags()
	if o.script != "" {
		text, err := readSource(o.script, cmd.InOrStdin())
		if err != nil {
			return nil, err
		}
		p.sources = append(p.sources, text)
		script, err := parseScript(&text, flags)
		if err != nil {
			return nil, placed(err, p.sources)
		}
		layers = append(layers, script)
	}
	words, err := directivesIn(flags)
	if err != nil {
		return nil, err
	}
	if cause := o.untimed(); cause != "" && !flags.Changed("functional") {
		err = words.Set("functional", "", launch.Origin{Flag: cause})
	} else if cause != "" && flags.Lookup("functional").Value.String() == "false" {
		err = &usageError{msg: "--functional=false: " + cause + " needs launches without a clock"}
	}
	if err != nil {
		return nil, err
	}
	if err := o.check(); err != nil {
		return nil, err
	}
	if err := o.ci.prepare(p.sources, o.checks.looksFor); err != nil {
		return nil, err
	}
	if err := o.checkOutputs(flags, files); err != nil {
		return nil, err
	}
	o.sources = linesOf(p.sources)
	plan, err := launch.NewPlan(p.mod, append(layers, words)...)
	if err != nil {
		return nil, ofProgram(placed(err, p.sources), p.sources, flags)
	}
	plan.UseClock()
	plan.Config.Threads = o.jobs
	o.checks.addTo(plan)
	plan.HostTime = o.hostTime
	plan.Leaves = o.verbose && o.page != ""
	plan.Profile = plan.Profile || o.page != "" || o.csv || o.json || o.output != "" || o.pictures.any()
	return plan, nil
}

// wantedGPU returns the name of the GPU that the flags ask for; "" if launches have no clock, or there is no such GPU.
func (o *runOptions) wantedGPU(flags *pflag.FlagSet) string {
	name := flags.Lookup("gpu").Value.String()
	if o.untimed() != "" || flags.Lookup("functional").Value.String() == "true" {
		return ""
	}
	c, _, err := gpu.Open(cmp.Or(name, gpu.H100().Name))
	if err != nil {
		return ""
	}
	return c.Name
}

// untimed returns the flag that makes a run have no clock, or "". Races do not depend on the order of execution,
// and traces other than of issues are the same as in golden files.
func (o *runOptions) untimed() string {
	switch {
	case o.replay != "":
		return "--replay"
	case o.checks.Race, o.checks.Sync, o.checks.Init:
		return "--check " + o.checks.text
	case o.trace.isUntimed():
		return "--trace"
	}
	return ""
}

// check refuses invalid numbers and flags.
func (o *runOptions) check() error {
	if o.jobs < 1 {
		return &usageError{msg: fmt.Sprintf("-j %d: expected a number of cores, 1 or more", o.jobs)}
	}
	if o.hostTime && !o.json {
		return &usageError{msg: "--host-time needs --json: it adds host_cpu_seconds to the object; -v prints the host's time"}
	}
	return o.pageOptions.check()
}

// execute runs a plan. Kernel output goes to standard output at once, or to printed if standard output will hold a
// JSON object.
func (o *runOptions) execute(cmd *cobra.Command, plan *launch.Plan, printed io.Writer) (*launch.Result, error) {
	ctx := cmd.Context()
	if o.timeout > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(o.timeout))
		defer cancel()
		ctx = limited
	}
	var line *progressLine
	if !o.quiet {
		line = newProgressLine(cmd.ErrOrStderr())
	}
	if !o.json {
		printed = resultWriter{line.above(kernelOutput(cmd.OutOrStdout()))}
	}
	prints := bufio.NewWriter(printed)
	keepCollecting(plan.Config.Budget.Limit())
	stop := line.follow(func() string { return progressText(plan.Progress()) })
	times := o.times(ctx, plan)
	plan.Config.Stdout = prints
	o.pictures.attach(plan)
	closeTrace, err := o.trace.attach(plan, prints, cmd)
	if err == nil && o.replay != "" {
		err = attachReplay(plan, o.replay)
	}
	if err != nil {
		stop()
		return nil, err
	}
	if o.output != "" || o.pictures.any() || o.trace.timeline.file != "" {
		noteResults(cmd.Context(), resultsWanted)
	}
	res, err := plan.Run(ctx)
	noteResults(cmd.Context(), noResults)
	stop()
	if closed := closeTrace(); err == nil {
		err = closed
	}
	for i := range min(len(times), len(res.Launches)) {
		res.Launches[i].HostCPU = times[i]
	}
	if flushed := prints.Flush(); err == nil {
		err = flushed
	}
	return res, o.stopped(err)
}

// kernelOutput returns the writer for kernel output: unchanged, as on a GPU, unless w is a terminal.
func kernelOutput(w io.Writer) io.Writer {
	if s, ok := w.(*stream); ok && !isTerminal(w) {
		return s.raw()
	}
	return w
}

// keepCollecting limits garbage to limit bytes, the run's own limit, which does not count garbage.
func keepCollecting(limit int64) {
	const always = 256 << 20
	debug.SetMemoryLimit(limit + limit/8 + always)
}

// times returns the CPU time of each launch without counters, if requested. It repeats the run if the first one had
// counters.
func (o *runOptions) times(ctx context.Context, plan *launch.Plan) []time.Duration {
	if !o.hostTime || !plan.Profile && !plan.Races {
		return nil
	}
	counts, races := plan.Profile, plan.Races
	plan.Profile, plan.Races = false, false
	res, _ := plan.Run(ctx) // the counted run will report errors
	plan.Profile, plan.Races = counts, races
	var times []time.Duration
	for i := range res.Launches {
		times = append(times, res.Launches[i].HostCPU)
	}
	return times
}

// parseScript reads a run script and sets its flags, except those on the command line, which take precedence.
func parseScript(text *source, flags *pflag.FlagSet) (*launch.Layer, error) {
	l, err := launch.ParseScript(text.name, text.text, flagNames(flags))
	if err != nil {
		return nil, err
	}
	typed := make(map[string]bool)
	flags.Visit(func(f *pflag.Flag) { typed[f.Name] = true })
	for _, f := range l.Flags {
		if f.Name == "script" || f.Name == "help" {
			return nil, &launch.Error{At: f.At, Msg: f.Name + " cannot stand in a script"}
		}
		if typed[f.Name] {
			continue
		}
		if err := flags.Set(f.Name, f.Value); err != nil {
			return nil, &launch.Error{At: f.At, Msg: err.Error()}
		}
	}
	return l, nil
}

// directivesIn returns the directives among the given flags as a layer.
func directivesIn(flags *pflag.FlagSet) (*launch.Layer, error) {
	own := pflag.NewFlagSet("", pflag.ContinueOnError)
	addDirectiveFlags(own)
	addClockFlags(own)
	addSASSFlag(own)
	l := launch.NewFlags()
	var err error
	flags.Visit(func(f *pflag.Flag) {
		if own.Lookup(f.Name) == nil {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			if err == nil {
				err = l.Set(f.Name, v, launch.Origin{Flag: flagText(f, v)})
			}
		}
	})
	return l, err
}

// flagText returns a flag and its value as typed.
func flagText(f *pflag.Flag, value string) string {
	switch {
	case f.Value.Type() != "bool":
		return "--" + f.Name + " " + value
	case value == "true":
		return "--" + f.Name
	}
	return "--" + f.Name + "=" + value
}

// saveAll writes the files that were asked for.
func saveAll(cmd *cobra.Command, saves []launch.Save) error {
	for _, s := range saves {
		err := writeFile(cmd, s.Path, s.Data)
		switch {
		case err != nil && cmd.Context().Err() != nil:
			return err
		case err != nil:
			return &codedError{exitIO, fmt.Errorf("%s not saved: %w", s.Name, err)}
		}
	}
	return nil
}
