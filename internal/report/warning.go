package report

import (
	"fmt"
	"io"
	"slices"

	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/cxx"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/interp"
)

// WriteWarnings writes the warnings of launches, up to a limit.
func WriteWarnings(w io.Writer, res *launch.Result, paint Paint) {
	written, more := 0, 0
	for _, l := range res.Launches {
		for _, warning := range l.Stats.Warnings {
			if written == mostFindings {
				more++
				continue
			}
			written++
			fmt.Fprintf(w, "%s: %s %s [%s]\n", warning.Place, severityText(&warning, paint), warning.Msg, warning.Rule)
			for _, line := range warning.Place.Lines(warning.Text) {
				fmt.Fprintf(w, "  %s\n", line)
			}
			for _, line := range warning.Details() {
				fmt.Fprintf(w, "  %s\n", line)
			}
			if warning.Count > 1 {
				fmt.Fprintf(w, "  repeats %d times; first shown\n", warning.Count)
			}
		}
	}
	if more > 0 {
		fmt.Fprintf(w, "… %s; --json has them all\n", Count(int64(more), "more warning"))
	}
}

// WriteUncompiled writes a note for each function that ran slowly because it could not be compiled. If verbose, it adds
// the stack of a bug in the compiler, and writes which functions observers kept from being compiled, where compiled
// code was left often, and for a profile where it would be left.
func WriteUncompiled(w io.Writer, res *launch.Result, verbose bool, paint Paint) {
	written := make(map[string]bool)
	for _, l := range res.Launches {
		for i := range l.Uncompiled {
			u := &l.Uncompiled[i]
			if text := u.String(); !written[text] && (verbose || !u.Observed) {
				written[text] = true
				fmt.Fprintf(w, "%s: %s %s\n", u.Pos, paint.Caution("note:"), text)
				if verbose {
					io.WriteString(w, u.Stack)
				}
			}
		}
		for _, left := range slices.Concat(l.Left, l.Leaves) {
			if text := fmt.Sprint(left.Place, &left); verbose && !written[text] {
				written[text] = true
				fmt.Fprintf(w, "%s: %s %s\n", left.Place, paint.Caution("note:"), &left)
			}
		}
	}
}

// WriteUndefined writes a note for each way in which a launch got values that are undefined, unless a check of the
// launch judges these.
func WriteUndefined(w io.Writer, res *launch.Result, paint Paint) {
	written := make(map[string]bool)
	for _, l := range res.Launches {
		for _, line := range l.Stats.Undefined.Lines() {
			if text := cxx.Short(l.Kernel) + ": " + line; !written[text] {
				written[text] = true
				fmt.Fprintf(w, "%s %s\n", paint.Caution("note:"), text)
			}
		}
	}
}

// leftOf returns the instructions at which a launch often left compiled code.
func leftOf(l *launch.Launched) (all []Left) {
	for _, at := range l.Left {
		left := Left{Name: nameOf(at.Func), Place: placeOf(at.Place.Pos()), Instruction: at.Text, Times: at.Times, Reason: at.Why}
		if at.Place.IsCompiled() {
			left.PTXLine = at.Place.Code.Line
		}
		all = append(all, left)
	}
	return all
}

// uncompiledOf returns the functions of a launch that could not be compiled.
func uncompiledOf(l *launch.Launched) (all []Uncompiled) {
	for _, u := range l.Uncompiled {
		all = append(all, Uncompiled{nameOf(u.Func), u.Partial, u.Reason, u.Observed})
	}
	return all
}

// severityOf returns the severity of a warning.
func severityOf(w *interp.Warning) check.Severity {
	if w.Error {
		return check.Error
	}
	return check.Warning
}

func severityText(w *interp.Warning, paint Paint) string {
	if w.Error {
		return paint.alarm("error:")
	}
	return paint.Caution("warning:")
}

// warningsOf returns the warnings of launch number as findings.
func warningsOf(l *launch.Launched, number int) []Finding {
	var found []Finding
	for i := range l.Stats.Warnings {
		w := &l.Stats.Warnings[i]
		f := findingAt(w.Place, w.Msg, string(w.Rule))
		f.Severity, f.Instr, f.Repeats, f.Who = severityOf(w).String(), w.Text, &Repeats{w.Count, w.Warps, w.Blocks}, whoOf(w.Where)
		f.Waiters = waitersOf(w.Involved)
		f.Launch, f.Kernel = &number, l.Kernel
		found = append(found, f)
	}
	return found
}
