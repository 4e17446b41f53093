package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/plot"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/sweep"
)

// sweepOptions are the flags of the sweep command that are not directives.
type sweepOptions struct {
	script string
	dir    string
	point  string
	merge  string // a directory
	emit   string
	tasks  int // 0: one per point, up to mostTasks
	plot   string
	jobs   int
	over   bool // results of another matrix in dir may be deleted
	csv    bool
	json   bool
}

// sweepShared are the directives with one value for all points.
var sweepShared = []string{"symbol", "expect", "max-steps", "max-launch-steps", "idealised", "shared-init", "no-libdevice", "icache", "sass", "dual-issue", "functional", "memory"}

func newSweepCommand() *cobra.Command {
	o := &sweepOptions{}
	cmd := &cobra.Command{
		Use:   "sweep FILE...",
		Short: "Time a kernel at all points of a matrix of grids, blocks, GPUs and other options",
		Long: `Time a kernel at all points of a matrix of options. Flags take lists of values, separated
by commas, and every combination of the values is a point:

  simtrun sweep saxpy.s --block 64,128,256 --gpu a100,h100
  simtrun sweep saxpy.s --grid 1,2,4 --arg n=1000,2000 --plot saxpy.svg

If a point cannot run, its row has the reason. With -o DIR results are kept, and an
interrupted sweep continues where it stopped. A cluster can run the points as tasks:

  simtrun sweep saxpy.s --block 64,128,256 -o DIR --emit slurm > job.sh
  simtrun sweep --merge DIR`,
		RunE: func(cmd *cobra.Command, args []string) error { return o.run(cmd, args) },
	}
	f := cmd.Flags()
	f.SortFlags = false
	o.addMatrixFlags(f)
	addReadingFlags(f)
	f.StringVar(&o.script, "script", "", "read directives for all points from the run script `FILE`, one per line (simtrun help directives)")
	f.StringVarP(&o.dir, "output", "o", "", "keep results in `DIR`, and reuse those that it has")
	f.BoolVar(&o.over, "overwrite", false, "replace the results of another sweep in the directory of -o")
	f.IntVarP(&o.jobs, "jobs", "j", runtime.GOMAXPROCS(0), "run `N` points at a time; the output does not depend on N")
	f.BoolVar(&o.json, "json", false, "print one JSON object")
	f.BoolVar(&o.csv, "csv", false, "print all figures of each point as CSV")
	f.StringVar(&o.plot, "plot", "", "plot time, waves and throughput, to `FILE`.svg or .png")
	f.StringVar(&o.merge, "merge", "", "print the results of all points from `DIR`, and list missing points")
	f.StringVar(&o.point, "point", "", "run only point `I`, or with I/N the points I, I+N, I+2N …; needs -o DIR")
	f.StringVar(&o.emit, "emit", "", "print a job for `SCHEDULER`, slurm or k8s; the job's tasks run the points")
	f.IntVar(&o.tasks, "tasks", 0, "divide the points among `N` tasks of --emit (default one task per point, at most 1000)")
	completeSweep(cmd)
	return cmd
}

// addMatrixFlags adds the directives: those that take lists, and those with one value.
func (o *sweepOptions) addMatrixFlags(f *pflag.FlagSet) {
	all := pflag.NewFlagSet("", pflag.ContinueOnError)
	addDirectiveFlags(all)
	addClockFlags(all)
	addSASSFlag(all)
	for _, name := range append(slices.Clone(sweep.Directives), "arg") {
		flag := all.Lookup(name)
		flag.Usage += "; takes a list"
		f.AddFlag(flag)
	}
	for _, name := range sweepShared {
		f.AddFlag(all.Lookup(name))
	}
}

// run executes the sweep command. With --json it prints an object even if there is an error.
func (o *sweepOptions) run(cmd *cobra.Command, files []string) error {
	out := bufio.NewWriter(cmd.OutOrStdout())
	table, err := o.table(cmd, files, out)
	if table != nil {
		if o.dir != "" {
			noteWritten(cmd.Context(), o.dir)
		}
		failed := o.verdict(table)
		if err = o.write(cmd, out, table); err == nil {
			err = failed
		}
	} else if err != nil && o.json {
		report.WriteJSON(out, &report.Run{}, err, exitCode(cmd.Context(), err))
	}
	_, err = firstError(cmd.Context(), exitCode(cmd.Context(), err), err, written(0, out.Flush()))
	return err
}

// write prints a table in the selected form, and draws it.
func (o *sweepOptions) write(cmd *cobra.Command, out io.Writer, t *sweep.Table) error {
	switch {
	case o.csv:
		t.WriteCSV(out)
	case o.json:
		t.WriteJSON(out)
	default:
		t.WriteText(out)
	}
	if o.plot == "" {
		return nil
	}
	format, err := plot.Format(o.plot)
	var figure *plot.Figure
	if err == nil {
		figure, err = t.Figure()
	}
	if err != nil {
		return &usageError{msg: "--plot: " + explain(err)}
	}
	var picture bytes.Buffer
	if err := figure.Write(&picture, format); err != nil {
		return err
	}
	return written(0, writeFile(cmd, o.plot, picture.Bytes()))
}

// verdict returns the error of a completed sweep: points that failed or are missing. A task of a job only answers for
// its own points.
func (o *sweepOptions) verdict(t *sweep.Table) error {
	var words []string
	bad := 0
	for _, s := range []sweep.Status{sweep.Refused, sweep.Fault, sweep.Hang, sweep.Failed, sweep.Expect} {
		if n := t.Count(s); n > 0 {
			words, bad = append(words, fmt.Sprintf("%s %d", s, n)), bad+n
		}
	}
	missing := t.Count(sweep.Missing)
	switch {
	case missing > 0:
		return &codedError{exitResumable, fmt.Errorf("missing points, %d of %d: %s", missing, len(t.Results), t.Indexes(sweep.Missing))}
	case bad > 0 && o.point == "":
		return &codedError{exitFindings, fmt.Errorf("%d of %d points failed: %s", bad, len(t.Results), strings.Join(words, ", "))}
	}
	return nil
}

// table returns the results; nil if the command prints none.
func (o *sweepOptions) table(cmd *cobra.Command, files []string, out io.Writer) (*sweep.Table, error) {
	if err := o.check(cmd, files); err != nil {
		return nil, err
	}
	if o.merge != "" {
		t, err := sweep.Merge(o.merge)
		if err != nil {
			return nil, &usageError{msg: "--merge: " + explain(err)}
		}
		return t, nil
	}
	s, sources, err := o.sweep(cmd, files)
	if err != nil {
		return nil, err
	}
	points, err := s.Points(cmd.Context())
	if err != nil {
		return nil, placed(err, sources)
	}
	if o.emit != "" {
		return nil, written(io.WriteString(out, sweep.Emitters[o.emit](o.job(cmd, files, len(points)))))
	}
	chosen, err := o.chosen(points)
	if err != nil {
		return nil, err
	}
	return o.execute(cmd, s, points, chosen)
}

// check refuses invalid combinations of flags.
func (o *sweepOptions) check(cmd *cobra.Command, files []string) error {
	_, known := sweep.Emitters[o.emit]
	if o.plot != "" {
		if _, err := plot.Format(o.plot); err != nil {
			return &usageError{msg: "--plot: " + explain(err)}
		}
	}
	switch {
	case o.csv && o.json:
		return &usageError{msg: "--csv and --json cannot be combined"}
	case o.merge != "":
		return o.checkMerge(cmd, files)
	case o.over && o.dir == "":
		return &usageError{msg: "--overwrite needs -o DIR"}
	case o.jobs < 1:
		return &usageError{msg: fmt.Sprintf("-j %d: expected a number of points at a time, 1 or more", o.jobs)}
	case o.emit != "" && !known:
		return badValue("emit", o.emit, isa.Unknown("scheduler", o.emit, sweep.EmitterNames()))
	case o.dir == "" && o.point != "":
		return &usageError{msg: "--point " + o.point + ": -o DIR is missing, the folder in which tasks collect results"}
	case o.dir == "" && o.emit != "":
		return &usageError{msg: "--emit " + o.emit + ": -o DIR is missing, the folder in which tasks collect results"}
	case o.emit != "" && (o.point != "" || o.csv || o.json || o.plot != ""):
		return &usageError{msg: "--emit prints a job, and runs nothing; results are shown by --merge"}
	case o.emit != "" && slices.Contains(files, stdinPath):
		return &usageError{msg: "--emit: a task has no standard input to read the program from"}
	case o.tasks < 0 || o.tasks > 0 && o.emit == "":
		return &usageError{msg: "--tasks N needs --emit, and N of 1 or more"}
	}
	return someFiles(cmd, files)
}

// checkMerge refuses flags that have no effect with --merge, which runs nothing.
func (o *sweepOptions) checkMerge(cmd *cobra.Command, files []string) error {
	const alone = "--merge DIR allows only --csv, --json and --plot: it runs nothing"
	if len(files) > 0 {
		return &usageError{msg: fmt.Sprintf("%s, so %s has no effect", alone, files[0])}
	}
	var err error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if err == nil && !slices.Contains([]string{"merge", "csv", "json", "plot", "color"}, f.Name) {
			err = &usageError{msg: fmt.Sprintf("%s, so --%s has no effect", alone, f.Name)}
		}
	})
	return err
}

// sweep returns the sweep that the files and flags describe.
func (o *sweepOptions) sweep(cmd *cobra.Command, files []string) (*sweep.Sweep, []source, error) {
	text, err := loadProgram(files, cmd.InOrStdin(), readingOf(cmd))
	if err != nil {
		return nil, nil, err
	}
	text.warn(cmd.ErrOrStderr(), colourOf(cmd).on(cmd.ErrOrStderr()))
	p := &sweep.Program{Module: text.mod, Layers: text.headers, Version: versionText()}
	if o.script != "" {
		script, err := readSource(o.script, cmd.InOrStdin())
		if err != nil {
			return nil, nil, err
		}
		text.sources = append(text.sources, script)
		layer, err := parseScript(&script, cmd.Flags())
		if err != nil {
			return nil, nil, placed(err, text.sources)
		}
		p.Layers = append(p.Layers, layer)
	}
	for _, s := range text.sources {
		p.Texts = append(p.Texts, sweep.Text{Name: s.written().name, Content: s.text})
	}
	var m sweep.Matrix
	eachValue(cmd.Flags(), func(f *pflag.Flag, value string) {
		switch {
		case err != nil:
		case f.Name == "arg" || slices.Contains(sweep.Directives, f.Name):
			var a sweep.Axis
			a, err = sweep.ParseAxis(f.Name, value)
			m = append(m, a)
		case slices.Contains(sweepShared, f.Name):
			p.Flags = append(p.Flags, sweep.Flag{Directive: f.Name, Value: value})
			if f.Name == "sass" { // results are kept by what it contains
				var listing []byte
				listing, err = os.ReadFile(value)
				p.Texts = append(p.Texts, sweep.Text{Name: value, Content: listing})
			}
		}
	})
	if err != nil {
		return nil, nil, &usageError{msg: explain(err)}
	}
	return sweep.New(p, m), text.sources, nil
}

// eachValue calls do for each value of the given flags, in command-line order.
func eachValue(flags *pflag.FlagSet, do func(f *pflag.Flag, value string)) {
	flags.Visit(func(f *pflag.Flag) {
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			do(f, v)
		}
	})
}

// chosen returns the points that --point selects: I, or I, I+N, I+2N … of I/N.
func (o *sweepOptions) chosen(points []*sweep.Point) ([]*sweep.Point, error) {
	if o.point == "" {
		return points, nil
	}
	first, every, several := strings.Cut(o.point, "/")
	i, err := strconv.Atoi(first)
	n := len(points)
	if several && err == nil {
		n, err = strconv.Atoi(every)
	}
	if err != nil || n < 1 || i < 0 || several && i >= n || i >= len(points) {
		return nil, &usageError{msg: fmt.Sprintf("--point %s: expected a point I from 0 to %d, or I/N", o.point, len(points)-1)}
	}
	var chosen []*sweep.Point
	for ; i < len(points); i += n {
		chosen = append(chosen, points[i])
	}
	return chosen, nil
}

// execute runs the chosen of all points.
func (o *sweepOptions) execute(cmd *cobra.Command, s *sweep.Sweep, points, chosen []*sweep.Point) (*sweep.Table, error) {
	ctx := cmd.Context()
	var dir *sweep.Dir
	if o.dir != "" {
		var err error
		if dir, err = sweep.OpenDir(o.dir); err != nil {
			return nil, &codedError{exitIO, err}
		}
		defer dir.Close()
		if err := dir.Begin(ctx, s, points, o.over); errors.Is(err, sweep.ErrOtherMatrix) {
			return nil, &usageError{msg: fmt.Sprintf("-o %v; choose another directory, or pass --overwrite", err)}
		} else if err != nil {
			resumable(ctx)
			return nil, o.stopped(ctx, err, dir, chosen)
		}
		resumable(ctx)
	}
	var done atomic.Int64
	began := time.Now()
	stop := newProgressLine(cmd.ErrOrStderr()).follow(func() string { return pointsText(done.Load(), int64(len(chosen)), time.Since(began)) })
	t := &sweep.Table{Files: s.Program.Names(), Matrix: s.Matrix}
	err := sweep.RunAll(ctx, chosen, o.jobs, dir, func(r *sweep.Result) {
		t.Results = append(t.Results, r)
		done.Add(1)
	})
	stop()
	if err != nil {
		return nil, o.stopped(ctx, err, dir, chosen)
	}
	return t, nil
}

// pointsText returns the progress of a sweep. Its seconds change even before the first point is
// done.
func pointsText(done, of int64, elapsed time.Duration) string {
	return fmt.Sprintf("%d of %s done  %d s", done, report.Count(of, "point"), int(elapsed.Seconds()))
}

// stopped returns the error of an incomplete sweep.
func (o *sweepOptions) stopped(ctx context.Context, err error, dir *sweep.Dir, chosen []*sweep.Point) error {
	switch {
	case ctx.Err() == nil:
		return &codedError{exitIO, err}
	case dir == nil:
		return err
	}
	return &codedError{exitResumable, fmt.Errorf("interrupted: %s has %d of %s; the same command continues", o.dir, dir.Kept(chosen), report.Count(int64(len(chosen)), "point"))}
}

// mostTasks is the default limit of Slurm for the tasks of an array.
const mostTasks = 1000

// job returns the sweep as a job for a cluster.
func (o *sweepOptions) job(cmd *cobra.Command, files []string, points int) *sweep.Job {
	words := append([]string{"simtrun", "sweep"}, files...)
	eachValue(cmd.Flags(), func(f *pflag.Flag, value string) {
		switch {
		case f.Name == "emit" || f.Name == "tasks" || f.Name == "jobs" || f.Name == "color":
		case f.Value.Type() == "bool":
			words = append(words, "--"+f.Name+"="+value)
		default:
			words = append(words, "--"+f.Name, value)
		}
	})
	words = append(words, "-j", "1")
	tasks := o.tasks
	if tasks == 0 {
		tasks = mostTasks
	}
	return &sweep.Job{Words: words, File: files[0], Dir: o.dir, Points: points, Tasks: min(tasks, points)}
}
