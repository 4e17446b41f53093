package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/golden"
	"github.com/simtrun/simtrun/internal/gpu"
	reports "github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/verdict"
)

// testOptions are the flags of the test command.
type testOptions struct {
	update  bool
	run     string
	gpu     string
	jobs    int
	verbose bool
	json    bool
	checks  checkList
	reading reading
	ci      ciOptions
}

func newTestCommand() *cobra.Command {
	o := &testOptions{}
	cmd := &cobra.Command{
		Use:   "test [PATH|DIR|DIR/...]...",
		Short: "Run golden tests: compare results of kernels with golden files",
		Long: `Run golden tests. A test case is a source with a run header: NAME.s, NAME.ptx, or
NAME.cu, which is compiled first. The expected results are in sections of NAME.golden
next to the source, or follow the source in one file, NAME.txtar:

  -- output --                  the output of simtrun run; a golden file without
                                sections is this output
  -- dump --                    the output with --quiet
  -- stderr --                  the text on standard error
  -- counters [METRIC...] --    the metrics of the launches, or some of them
  -- report [PAGE] --           a page of the report: summary, source, memory, advice, raw
  -- mask [LIMIT...] --         a trace: mask, instr, mem, regs, sync or heat,
                                limited by block=N, warp=N, line=N, as in
                                block=0 warp=0-3,7 line=40-60

To pin another result, add its section line to the golden file and run simtrun test -u.
A case without a golden file passes if its expectations are met; -u creates a golden
file with the output.

With the line //sim:matrix divergence=its,stack,minpc path-order=taken,fallthrough in
its source, a case runs on several machines. Results that differ between machines have
a section for each, with the machine in its name, as in -- mask stack taken --; -u
writes these sections.`,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.reading = readingOf(cmd)
			return o.test(cmd, args)
		},
	}
	f := cmd.Flags()
	f.SortFlags = false
	f.BoolVarP(&o.update, "update", "u", false, "rewrite sections that differ, and create missing golden files")
	f.StringVar(&o.run, "run", "", "run only cases with a path that matches the regular expression `RE`")
	f.StringVar(&o.gpu, "gpu", "", "run the cases on `GPU`, a preset or a TOML file, instead of the GPUs that they name")
	f.IntVarP(&o.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "run `N` cases at a time; the output does not depend on N")
	f.BoolVarP(&o.verbose, "verbose", "v", false, "also print the cases that pass")
	f.BoolVar(&o.json, "json", false, "print one JSON object for each case")
	f.Var(&o.checks, "check", "run the checks in `LIST` on each case: "+strings.Join(check.LaunchKinds(), ", "))
	addCompilerFlag(f)
	o.ci.addFlags(f)
	completeFlag(cmd, "gpu", completeGPU)
	completeWords(cmd, "check", check.LaunchKinds())
	completeCI(cmd)
	return cmd
}

// goTestFlag allows -run with one dash, as in go test.
func goTestFlag(args []string) []string {
	for i, arg := range args {
		switch {
		case args[0] != "test" || arg == "--":
			return args
		case arg == "-run" || strings.HasPrefix(arg, "-run="):
			args[i] = "-" + arg
		}
	}
	return args
}

// test executes the test command.
func (o *testOptions) test(cmd *cobra.Command, patterns []string) error {
	places, err := o.places(patterns)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(cmd.OutOrStdout())
	if err := o.ci.prepare(nil, o.checks.looksFor); err != nil {
		return err
	}
	var found []verdict.Finding
	report := &golden.Report{Out: out, Paint: colourOf(cmd).on(cmd.OutOrStdout()), JSON: o.json, Verbose: o.verbose}
	err = o.checkAll(cmd.Context(), places, func(outcome *golden.Outcome) {
		o.judge(outcome)
		found = append(found, outcome.Findings...)
		report.Add(outcome)
	})
	if err == nil {
		report.End()
	}
	if flushed := written(0, out.Flush()); err == nil {
		err = flushed
	}
	if err != nil {
		return err
	}
	v, err := o.ci.judge(found)
	switch {
	case err != nil:
	case v.Fails():
		err = o.ci.exited(errFindings)
	case report.Failed() > 0:
		err = errExpect
	}
	reports.WriteAllowed(cmd.ErrOrStderr(), v, colourOf(cmd).on(cmd.ErrOrStderr()))
	code := exitCode(cmd.Context(), err)
	_, err = firstError(cmd.Context(), code, err, o.ci.write(cmd, v, code, report.Suite()))
	return err
}

// judge makes a case fail that has findings which fail, and adds the others as warnings. Faults and hangs are problems
// of the case already.
func (o *testOptions) judge(outcome *golden.Outcome) {
	text, err := os.ReadFile(outcome.Case)
	if err == nil {
		err = o.ci.policy.Suppressions.AddSource(outcome.Case, text)
	}
	if err != nil {
		outcome.Fail(err.Error())
		return
	}
	line := func(f *verdict.Finding) string {
		return fmt.Sprintf("%s: %s: %s [%s]", f.At.Exact(), f.Severity, f.Text(), f.Rule)
	}
	v := o.ci.policy.Judge(outcome.Findings)
	for _, f := range v.Failing() {
		if !f.Fatal {
			outcome.Fail(line(f))
		}
	}
	for _, f := range v.Passing() {
		if text := line(f); !slices.Contains(outcome.Warnings, text) { // several machines have it
			outcome.Warnings = append(outcome.Warnings, text)
		}
	}
}

// places returns the cases that the command line selects.
func (o *testOptions) places(patterns []string) ([]golden.Place, error) {
	if o.jobs < 1 {
		return nil, testUsage("-j %d: expected a number of cases at a time, 1 or more", o.jobs)
	}
	if o.gpu != "" {
		if o.update {
			return nil, testUsage("-u pins results for the GPUs that the cases name: leave out --gpu")
		}
		if _, _, err := gpu.Open(o.gpu); err != nil {
			return nil, badValue("gpu", o.gpu, err)
		}
	}
	only, err := regexp.Compile(o.run)
	if err != nil {
		return nil, badValue("run", o.run, err)
	}
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	all, err := golden.Find(patterns)
	if missing := (*fs.PathError)(nil); errors.As(err, &missing) {
		return nil, testUsage("%s%s", explain(err), meantFile(missing.Path))
	}
	if err != nil {
		return nil, testUsage("%v", err)
	}
	var places []golden.Place
	for _, p := range all {
		if only.MatchString(p.Path) {
			places = append(places, p)
		}
	}
	switch {
	case len(all) == 0:
		return nil, testUsage("no test cases in %s; a case is a source (.s .ptx .cu .txtar) with a //sim: header, or with a golden file", strings.Join(patterns, " "))
	case len(places) == 0:
		return nil, testUsage("--run %s: none of the %d cases matches", o.run, len(all))
	}
	return places, nil
}

func testUsage(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...), "simtrun help test"}
}

// checkAll checks cases concurrently, and passes on their outcomes in order. It ends at the first error.
func (o *testOptions) checkAll(ctx context.Context, places []golden.Place, add func(*golden.Outcome)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type checked struct {
		outcome *golden.Outcome
		err     error
		bug     any // value of a panic
	}
	results := make([]chan checked, len(places))
	for i := range results {
		results[i] = make(chan checked, 1)
	}
	next := make(chan int)
	var workers sync.WaitGroup
	defer workers.Wait()
	for range min(o.jobs, len(places)) {
		workers.Go(func() {
			for i := range next {
				var c checked
				func() {
					defer func() { c.bug = recover() }()
					c.outcome, c.err = o.check(ctx, places[i])
				}()
				results[i] <- c
			}
		})
	}
	workers.Go(func() {
		defer close(next)
		for i := range places {
			next <- i
		}
	})
	var first error
	for i := range results {
		r := <-results[i]
		if r.bug != nil {
			panic(r.bug) // guarded recovers it
		}
		if r.err != nil && first == nil {
			first = r.err
			cancel() // ends the others soon
		}
		if first == nil {
			add(r.outcome)
		}
	}
	return first
}

// check checks one case.
func (o *testOptions) check(ctx context.Context, p golden.Place) (*golden.Outcome, error) {
	c, err := golden.Load(p)
	if err != nil {
		return nil, &usageError{explain(err), "simtrun help test"}
	}
	c.Compile = func(path string, text []byte) ([]byte, error) {
		if isPTX(text) {
			return text, nil
		}
		ptx, _, err := compileCUDA(&source{name: path, folder: filepath.Dir(path), text: text}, false, o.reading)
		return ptx, err
	}
	c.Checks, c.GPU = o.checks.addTo, o.gpu
	mode := golden.Compare
	if o.update {
		mode = golden.Create
	}
	outcome, err := c.Check(ctx, mode)
	if err != nil && ctx.Err() == nil {
		err = written(0, err)
	}
	return outcome, err
}
