package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/simtrun/simtrun/check"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/lanes"
	"github.com/simtrun/simtrun/launch"
)

// textStyle is how a person wants a run shown.
type textStyle struct {
	paint paint
	quiet bool  // nothing but the dumps
	err   error // that ended the run, or is its verdict; nil if all went well
}

// writeText prints a run as a person reads it.
func writeText(w io.Writer, plan *launch.Plan, res *launch.Result, style textStyle) {
	width := len("expect")
	for _, l := range res.Launches {
		width = max(width, len(l.Kernel))
	}
	for i := range res.Launches {
		l := &res.Launches[i]
		if style.quiet {
			break
		}
		fmt.Fprintf(w, "%-*s  %s  divergence %s\n", width, l.Kernel, launchText(l), plan.Config.Divergence)
		var ended error // the last launch
		if i == len(res.Launches)-1 && !isVerdict(style.err) {
			ended = style.err
		}
		writeStatus(w, l, ended, style.paint, width)
	}
	for i := range res.Dumps {
		writeDump(w, &res.Dumps[i])
	}
	if n := res.Passed + len(res.Failed) + res.LeftOut; n > 0 && !style.quiet {
		fmt.Fprintf(w, "%-*s  %s\n", width, "expect", expectText(res, style.paint))
	}
}

// writeStatus prints how a launch went that came to its end, or to an error of
// its own, and what it did until then.
func writeStatus(w io.Writer, l *launch.Launched, err error, paint paint, width int) {
	found := tallyOfLaunch(l)
	if is[*interp.Fault](err) || is[*interp.Hang](err) {
		found.add(check.Error, 1)
	} else if err != nil {
		return
	}
	status := padded("ok", paint.green("ok"), width)
	if found.errors > 0 {
		status = padded("FAIL", paint.red("FAIL"), width)
	}
	fmt.Fprintf(w, "%s  %s", status, countsText(l))
	if n := found.errors + found.warnings; n > 0 {
		fmt.Fprintf(w, "  findings %d", n)
	}
	fmt.Fprintln(w)
}

func launchText(l *launch.Launched) string {
	warps := ctaWarps(l.Block)
	from := map[launch.BlockFrom]string{launch.BlockReqNTID: ", .reqntid", launch.BlockDefault: ", default"}[l.BlockFrom]
	return fmt.Sprintf("grid %s (%s)  block %s (%s%s)  warps %d",
		dimText(l.Grid), count(l.Grid.Count(), "block"), dimText(l.Block), count(warps, "warp"), from, isa.Warps(l.Grid, l.Block))
}

func countsText(l *launch.Launched) string {
	return fmt.Sprintf("warp-instr %d  lanes active %.1f%%  divergent branches %d",
		l.Stats.WarpInstrs, 100*lanesActive(l), l.Stats.DivergentBranches)
}

// lanesActive is the fraction (0 to 1) of lane slots in which a lane ran.
func lanesActive(l *launch.Launched) float64 {
	if l.Stats.WarpInstrs == 0 {
		return 0
	}
	return float64(l.Stats.LaneInstrs) / (lanes.Width * float64(l.Stats.WarpInstrs))
}

// ctaWarps is the warps of a CTA, the last one perhaps not full.
func ctaWarps(block isa.Dim) int64 { return (block.Count() + lanes.Width - 1) / lanes.Width }

func dimText(d isa.Dim) string { return fmt.Sprintf("%dx%dx%d", d.X, d.Y, d.Z) }

func count(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func expectText(res *launch.Result, paint paint) string {
	text := fmt.Sprintf("%d passed", res.Passed)
	if n := len(res.Failed); n > 0 {
		text += ", " + paint.red(fmt.Sprintf("%d failed", n))
	}
	if res.LeftOut > 0 {
		text += fmt.Sprintf(", %d on counters left out: they are about the header's launch", res.LeftOut)
	}
	return text
}

// dumpRow is how many elements stand in a line of a dump.
const dumpRow = 16

// writeDump prints a short dump in one line, a longer one in rows that begin
// with an index.
func writeDump(w io.Writer, d *launch.Dump) {
	head := fmt.Sprintf("%s[0:%d] %s =", d.Name, d.Count, d.Elem)
	if d.Count <= dumpRow {
		fmt.Fprintf(w, "%s%s\n", head, rowText(d, 0))
		return
	}
	fmt.Fprintln(w, head)
	width := len(fmt.Sprint((d.Count - 1) / dumpRow * dumpRow))
	for i := int64(0); i < d.Count; i += dumpRow {
		fmt.Fprintf(w, "  %*d:%s\n", width, i, rowText(d, i))
	}
}

func rowText(d *launch.Dump, first int64) string {
	var b strings.Builder
	for i := first; i < min(first+dumpRow, d.Count); i++ {
		b.WriteByte(' ')
		b.WriteString(d.Elem.Text(d.Bits(i)))
	}
	return b.String()
}

// writeWarnings tells what launches got away with, as far as somebody would read.
func writeWarnings(w io.Writer, res *launch.Result, paint paint) {
	printed, more := 0, 0
	for _, l := range res.Launches {
		for _, warning := range l.Stats.Warnings {
			if printed == mostFindings {
				more++
				continue
			}
			printed++
			fmt.Fprintf(w, "%s: %s %s [%s]\n  %s\n", warning.Pos, paint.caution("warning:"), warning.Msg, warning.Rule, warning.Text)
			for _, line := range warning.Details() {
				fmt.Fprintf(w, "  %s\n", line)
			}
			if warning.Count > 1 {
				fmt.Fprintf(w, "  repeats %d times; first shown\n", warning.Count)
			}
		}
	}
	if more > 0 {
		fmt.Fprintf(w, "… %d more warnings; --json has them all\n", more)
	}
}

// writeFailures reports the expectations that did not hold.
func writeFailures(w io.Writer, failed []launch.Failure, paint paint) {
	for i := range failed {
		f := &failed[i]
		fmt.Fprintf(w, "%s: %s\n", f.Place(), paint.red(f.What()))
		for _, line := range f.Details() {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
}
