package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lanes"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/interp"
)

// Style says how a run is printed.
type Style struct {
	Paint Paint
	Quiet bool // only the dumps
}

// WriteText writes two lines for each launch, and three about its time if it had a clock, then the dumps and the
// number of met expectations.
func WriteText(w io.Writer, r *Run, style Style) {
	shown := *r
	shown.Result = r.Shown()
	r = &shown
	if r.Result == nil {
		return
	}
	if !style.Quiet {
		writeLaunches(w, r, style.Paint)
	}
	for i := range r.Result.Dumps {
		WriteDump(w, &r.Result.Dumps[i])
	}
	if res := r.Result; res.Passed+len(res.Failed)+res.LeftOut+res.NoClock > 0 && !style.Quiet {
		fmt.Fprintf(w, "%-*s  %s\n", labelWidth(res), "expect", ExpectText(res, style.Paint))
	}
}

// labelWidth returns the width of the labels of lines about launches and expectations.
func labelWidth(res *launch.Result) int {
	width := len("expect")
	for _, l := range res.Launches {
		width = max(width, len(cxx.Short(l.Kernel)))
	}
	return width
}

// writeLaunches writes each launch and its outcome.
func writeLaunches(w io.Writer, r *Run, paint Paint) {
	width := labelWidth(r.Result)
	for i := range r.Result.Launches {
		l := &r.Result.Launches[i]
		fmt.Fprintf(w, "%-*s  %s  divergence %s", width, cxx.Short(l.Kernel), launchText(l), r.Plan.Config.Divergence)
		if r.Untimed != "" {
			fmt.Fprintf(w, "  functional (%s)", r.Untimed)
		}
		fmt.Fprintln(w)
		if err, ended := r.endOf(i); ended {
			r.writeStatus(w, l, err, paint, width)
		}
		if l.Timing != nil {
			writeTime(w, l, width)
		}
	}
}

// endOf returns how a launch ended; ended is false if a concurrent launch failed first.
func (r *Run) endOf(i int) (err error, ended bool) {
	all := r.Result.Launches
	l, failed := &all[i], slices.ContainsFunc(all, func(l launch.Launched) bool { return l.Failed })
	if l.Failed || !failed && i == len(all)-1 {
		return r.Err, true
	}
	return nil, !failed || l.Timing != nil && !l.Timing.Partial || r.Plan.Clock == nil
}

// writeStatus writes the outcome of a launch that completed, or failed by itself, and its counts.
func (r *Run) writeStatus(w io.Writer, l *launch.Launched, err error, paint Paint, width int) {
	var found tally
	found.addLaunch(l)
	failed := found.Errors > 0 && r.verdict.FailsOn(check.Error) || found.Warnings > 0 && r.verdict.FailsOn(check.Warning)
	if is[*interp.Fault](err) || is[*interp.Hang](err) {
		found.addError()
		failed = true
	} else if err != nil {
		return
	}
	status := padded("ok", paint.Green("ok"), width)
	if failed {
		status = padded("FAIL", paint.Red("FAIL"), width)
	}
	fmt.Fprintf(w, "%s  %s", status, countsText(l))
	if n := found.Errors + found.Warnings; n > 0 {
		fmt.Fprintf(w, "  findings %d", n)
	}
	fmt.Fprintln(w)
}

func launchText(l *launch.Launched) string {
	from := map[launch.BlockFrom]string{launch.BlockReqNTID: ", .reqntid", launch.BlockDefault: ", default"}[l.BlockFrom]
	clusters := ""
	if l.Cluster != (isa.Dim{}) {
		clusters = fmt.Sprintf("  cluster %s (%s)", l.Cluster, Count(l.Cluster.Count(), "block"))
	}
	return fmt.Sprintf("grid %s (%s)%s  block %s (%s%s)  warps %d",
		l.Grid, Count(l.Grid.Count(), "block"), clusters, l.Block, Count(ctaWarps(l.Block), "warp"), from, isa.Warps(l.Grid, l.Block))
}

func countsText(l *launch.Launched) string {
	return fmt.Sprintf("warp-instr %d  lanes active %.1f%%  divergent branches %d",
		l.Stats.WarpInstrs, 100*lanesActive(l), l.Stats.DivergentBranches)
}

// lanesActive returns the fraction (0 to 1) of lane slots in which a lane executed.
func lanesActive(l *launch.Launched) float64 {
	if l.Stats.WarpInstrs == 0 {
		return 0
	}
	return float64(l.Stats.LaneInstrs) / (lanes.Width * float64(l.Stats.WarpInstrs))
}

// ctaWarps returns the number of warps of a CTA, including a partial last one.
func ctaWarps(block isa.Dim) int64 { return (block.Count() + lanes.Width - 1) / lanes.Width }

// is reports whether err is an E, or has one as a cause.
func is[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
