package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/explore"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/memory"
)

// exploreOptions are the flags of the explore command that are not directives.
type exploreOptions struct {
	runOptions
	explore.Options
	budget duration // 0: none
}

// exploreDirectives are the directives of the explore command.
var exploreDirectives = []string{"kernel", "grid", "block", "cluster", "shared", "cooperative", "arg", "symbol", "max-steps", "max-launch-steps", "gpu", "shared-init", "no-libdevice", "memory"}

func newExploreCommand() *cobra.Command {
	o := &exploreOptions{}
	cmd := &cobra.Command{
		Use:   "explore FILE...",
		Short: "Run a kernel in many thread orders, and find results that depend on the order",
		Long: `Run a kernel in many thread orders, systematically, and report whether memory, findings or how the
launch ends depend on the order. If they do, print the shortest schedule found that shows it:

  simtrun explore counter.cu --grid 2 --block 1 -o schedule.txt
  simtrun run counter.cu --grid 2 --block 1 --replay schedule.txt
  simtrun debug counter.cu --grid 2 --block 1 --replay schedule.txt

The exit status is 1 if the result depends on the order, and 130 (SIGTERM: 143) if the command was
interrupted before it found a difference; the progress until then is printed.`,
		Args: someFiles,
		RunE: func(cmd *cobra.Command, args []string) error { return o.explore(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	addDirectiveFlags(all)
	for _, name := range exploreDirectives {
		f.AddFlag(all.Lookup(name))
	}
	addReadingFlags(f)
	f.StringVar(&o.script, "script", "", "read directives from the run script `FILE`, one per line (simtrun help directives)")
	f.IntVar(&o.Executions, "runs", explore.DefaultExecutions, "stop after `N` executions")
	f.Var(&o.budget, "budget", "stop after `TIME`, such as 30s, 5m or a number of seconds; 0 is no limit")
	f.IntVar(&o.Preemptions, "preemptions", -1, "at most `N` preemptions in an execution, fewer first; -1 is no limit")
	f.Uint64Var(&o.Seed, "seed", 1, "`SEED` for executions in random order")
	f.BoolVar(&o.All, "all", false, "continue after the first difference, to find all outcomes")
	f.IntVarP(&o.Workers, "jobs", "j", runtime.GOMAXPROCS(0), "use `N` CPU cores; the output does not depend on N")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.StringVarP(&o.output, "output", "o", "", "write the schedule to `FILE`, for simtrun run --replay and simtrun debug --replay")
	completeExplore(cmd)
	return cmd
}

// exploreSteps is how many instructions an execution may have without the end of a block, unless flags say otherwise.
const exploreSteps = 1_000_000

// explore executes the explore command.
func (o *exploreOptions) explore(cmd *cobra.Command, files []string) error {
	if o.Workers < 1 || o.Executions < 1 {
		return &usageError{msg: "-j and --runs need a number of 1 or more"}
	}
	o.jobs = 1
	plan, err := o.plan(cmd, files)
	if err != nil {
		return err
	}
	plan.Clock = nil
	explore.Configure(&plan.Config)
	plan.Config.Stdout = nil
	if !cmd.Flags().Changed("max-launch-steps") && !cmd.Flags().Changed("max-steps") {
		plan.Config.MaxLaunchSteps = exploreSteps
	}
	ctx := cmd.Context()
	if o.budget > 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(o.budget))
		defer cancel()
		ctx = limited
	}
	e := &exploration{plan: plan, runs: o.Executions, seed: o.Seed, budget: o.budget.String(), limit: plan.Config.Budget.Limit()}
	o.Progress = &explore.Progress{}
	stop := newProgressLine(cmd.ErrOrStderr()).follow(o.Progress.String)
	noteResults(cmd.Context(), resultsWanted) // after an interruption the schedules are executed once more
	r, err := explore.Explore(ctx, e.program(cmd.Context()), o.Options)
	stop()
	noteResults(cmd.Context(), noResults)
	switch timeUp := errors.Is(err, context.DeadlineExceeded) && cmd.Context().Err() == nil; {
	case timeUp && r == nil:
		return &usageError{msg: fmt.Sprintf("--budget %s: the first execution takes longer; choose a smaller launch", &o.budget)}
	case r == nil && errors.Is(err, context.Canceled):
		return &codedError{exitCode(cmd.Context(), err), errors.New("interrupted during the first execution; a smaller launch takes less time")}
	case err != nil && (r == nil || !timeUp && !errors.Is(err, context.Canceled)):
		return placedIn(err, o.sources)
	}
	e.Report, e.long, e.file = r, err != nil, o.output
	return cmp.Or(o.print(cmd, e), e.verdict())
}

// print prints the results, and writes the schedule to the file of -o.
func (o *exploreOptions) print(cmd *cobra.Command, e *exploration) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	if o.json {
		text, err := json.MarshalIndent(e.object(), "", "  ")
		if err != nil {
			panic("simtrun bug: " + err.Error())
		}
		fmt.Fprintf(out, "%s\n", text)
	} else {
		e.write(out)
	}
	err := written(0, out.Flush())
	if err == nil && o.output != "" && len(e.Outcomes) > 1 {
		var script bytes.Buffer
		e.Outcomes[1].Schedule.Write(&script)
		err = written(0, writeResult(cmd, o.output, script.Bytes()))
	}
	return err
}

// verdict returns the error that gives the exit status. A difference that was found before an interruption is a result;
// otherwise the question is open.
func (e *exploration) verdict() error {
	switch {
	case len(e.Outcomes) > 1:
		return errOrder
	case e.Ended == explore.Interrupted:
		return printedError{context.Canceled}
	case e.Outcomes[0].End != nil:
		return printedError{e.Outcomes[0].End}
	}
	return nil
}

// exploration is a plan and the results of exploring it.
type exploration struct {
	*explore.Report
	plan    *launch.Plan
	runs    int    // at most
	seed    uint64 // of the first random order
	budget  string // of time
	file    string // of -o, "" if there is none
	long    bool   // the schedule was not shortened, because time was up or the command was interrupted
	limit   int64  // bytes of the host's memory for each machine
	buffers []launch.Buffer
	regions []*memory.Region
}

// program returns a function that makes a machine with the launches of the plan.
func (e *exploration) program(ctx context.Context) func() (*explore.Program, error) {
	return func() (*explore.Program, error) {
		e.plan.Config.Budget = memory.NewBudget(e.limit)
		ready, err := e.plan.Prepare(ctx)
		if err != nil {
			return nil, err
		}
		p := &explore.Program{Machine: ready.Machine, Launches: ready.Launches}
		e.buffers, e.regions = ready.Buffers, p.Regions()
		return p, nil
	}
}

// write prints the results of the exploration.
func (e *exploration) write(w io.Writer) {
	for i := range e.plan.Launches {
		l := &e.plan.Launches[i]
		fmt.Fprintf(w, "%s  grid %s  block %s\n", cxx.Short(l.Kernel), l.Grid, l.Block)
	}
	fmt.Fprintf(w, "explored  %s%s\n", report.Count(int64(e.Executions), "execution"), e.extent())
	e.writeSearch(w)
	if len(e.Outcomes) == 1 {
		e.writeSame(w)
		return
	}
	how := " of threads"
	if e.Outcomes[1].Derived {
		how = " of floating-point atomics: values are computed from rounded sums"
	}
	fmt.Fprintf(w, "result    depends on the order%s\n", how)
	fmt.Fprintf(w, "outcome 1  in the default order: %s\n", endText(e.Outcomes[0]))
	for i, o := range e.Outcomes[1:] {
		in := ""
		if i == 0 {
			in = "in the order of the schedule: "
		}
		fmt.Fprintf(w, "outcome %d  %s%s\n", i+2, in, endText(o))
		for _, line := range e.differences(o) {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	e.writeRounded(w, e.Outcomes[0])
	short := ""
	if e.long {
		short = ", not shortened for lack of time"
	}
	fmt.Fprintf(w, "schedule  leads to outcome 2%s; after its last line, the current thread runs until it waits or ends, then the first thread that can run\n\n", short)
	e.writeSchedule(w)
}

// mostTurns is the largest number of lines of a schedule that are printed. The file of -o has all.
const mostTurns = 8

// writeSchedule prints the beginning of the schedule.
func (e *exploration) writeSchedule(w io.Writer) {
	var script bytes.Buffer
	e.Outcomes[1].Schedule.Write(&script)
	lines := bytes.SplitAfter(bytes.TrimSuffix(script.Bytes(), []byte("\n")), []byte("\n"))
	shown := min(len(lines), 1+mostTurns)
	fmt.Fprintf(w, "%s", bytes.Join(lines[:shown], nil))
	switch more := len(lines) - shown; {
	case more > 0 && e.file == "":
		fmt.Fprintf(w, "… %s; -o FILE writes them all\n", report.Count(int64(more), "more line"))
	case more > 0:
		fmt.Fprintf(w, "… %s, in %s\n", report.Count(int64(more), "more line"), e.file)
	default:
		fmt.Fprintln(w)
	}
}

// endText says how executions ended.
func endText(o *explore.Outcome) string {
	if o.End == nil {
		return "ends normally"
	}
	return o.End.Error()
}

// mostDifferences is the number of ranges of memory that are printed for an outcome.
const mostDifferences = 8

// differences returns lines on the memory of an outcome that differs from that of the first one.
func (e *exploration) differences(o *explore.Outcome) []string {
	first, lines := e.Outcomes[0], []string{}
	if o == first {
		return lines
	}
	all := explore.Differ(first, o, func(region int) int { return e.bufferOf(region).Elem.Bytes() })
	for i, d := range all {
		if i == mostDifferences {
			return append(lines, "and "+report.Count(int64(len(all)-i), "more range"))
		}
		at, t := e.rangeText(d)
		lines = append(lines, fmt.Sprintf("%s = %s; in outcome 1: %s", at, elements(t, o.Memory[d.Region][d.First:d.End]), elements(t, first.Memory[d.Region][d.First:d.End])))
	}
	return lines
}

// writeSame prints that the result is the same in every execution, except for rounding.
func (e *exploration) writeSame(w io.Writer) {
	but := ""
	if len(e.Outcomes[0].Rounded()) > 0 {
		but = ", except for rounding"
	}
	fmt.Fprintf(w, "result    %s%s: %s\n", e.sameText(), but, endText(e.Outcomes[0]))
	e.writeRounded(w, e.Outcomes[0])
}

// writeRounded prints the values that depend on the order of floating-point atomics.
func (e *exploration) writeRounded(w io.Writer, o *explore.Outcome) {
	for _, line := range e.roundings(o) {
		fmt.Fprintf(w, "rounding  %s\n", line)
	}
}

// roundings returns lines on the values that depend on the order of floating-point atomics.
func (e *exploration) roundings(o *explore.Outcome) []string {
	all, lines := o.Rounded(), []string{}
	for i := range all {
		if i == mostDifferences {
			return append(lines, "and "+report.Count(int64(len(all)-i), "more range"))
		}
		at, t := e.rangeText(all[i].Range)
		lines = append(lines, fmt.Sprintf("%s = %s or %s: depends on the order of floating-point atomics", at, elements(t, all[i].One), elements(t, all[i].Other)))
	}
	return lines
}

// rangeText returns the text of a range of memory, and the type of its elements.
func (e *exploration) rangeText(d explore.Range) (string, launch.Elem) {
	b := e.bufferOf(d.Region)
	size := max(1, b.Elem.Bytes())
	first, n := d.First/size, (d.End-d.First+size-1)/size
	if n > 1 {
		return fmt.Sprintf("%s[%d:%d]", b.Name, first, first+n), b.Elem
	}
	return fmt.Sprintf("%s[%d]", b.Name, first), b.Elem
}

// bufferOf returns the buffer of a region, or one without a type.
func (e *exploration) bufferOf(region int) launch.Buffer {
	for _, b := range e.buffers {
		if b.Region == e.regions[region] {
			return b
		}
	}
	return launch.Buffer{Region: e.regions[region], Name: e.regions[region].Name, Elem: launch.U8}
}

// mostElements is the number of elements of a range that are printed.
const mostElements = 4

// elements returns the text of elements.
func elements(t launch.Elem, data []byte) string {
	if t.Bytes() == 0 {
		t = launch.U8
	}
	text := ""
	for i := 0; len(data) >= t.Bytes(); i++ {
		if i == mostElements {
			return text + " …"
		}
		if i > 0 {
			text += " "
		}
		text += t.TextAt(data)
		data = data[t.Bytes():]
	}
	return text
}

// placedIn adds source lines to an error with positions.
func placedIn(err error, sources report.Sources) error {
	if !report.HasPlace(err) || is[foreignError](err) {
		return err
	}
	return report.WithSources(err, sources)
}
