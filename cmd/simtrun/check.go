package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/simtrun/simtrun/check"
	"github.com/simtrun/simtrun/interp"
	"github.com/simtrun/simtrun/isa"
	"github.com/simtrun/simtrun/launch"
)

// checkList is the value of --check. Memory is always checked.
type checkList struct {
	text string
	race bool
}

// checkNames are the checks that there are.
func checkNames() []string { return []string{"mem", "race"} }

// String, Set and Type make it a flag's value.
func (l *checkList) String() string { return l.text }

func (l *checkList) Set(text string) error {
	list := checkList{text: text}
	for name := range strings.SplitSeq(text, ",") {
		switch strings.TrimSuffix(name, "check") {
		case "mem":
		case "race":
			list.race = true
		case "init", "sync", "all":
			return fmt.Errorf("%s is not supported yet; there are %s", name, strings.Join(checkNames(), ", "))
		case "none":
			return errors.New("accesses to memory are always checked: none is not possible")
		default:
			return fmt.Errorf("no check %q; there are %s", name, strings.Join(checkNames(), ", "))
		}
	}
	*l = list
	return nil
}

func (l *checkList) Type() string { return "LIST" }

// mostFindings is how many races are printed, and how many warnings.
const mostFindings = 20

// tally counts findings.
type tally struct {
	errors, warnings, infos int
	groups, instances       int64
}

// tallyOf counts the findings of all launches, among them what they got away
// with.
func tallyOf(res *launch.Result) tally {
	var t tally
	for i := range res.Launches {
		t.addLaunch(&res.Launches[i])
	}
	return t
}

func tallyOfLaunch(l *launch.Launched) tally {
	var t tally
	t.addLaunch(l)
	return t
}

func (t *tally) addLaunch(l *launch.Launched) {
	for _, w := range l.Stats.Warnings {
		t.add(check.Warning, w.Count)
	}
	for _, f := range l.Races {
		t.add(f.Rule.Severity(), f.Instances)
	}
}

func (t *tally) add(s check.Severity, instances int64) {
	*map[check.Severity]*int{check.Error: &t.errors, check.Warning: &t.warnings, check.Info: &t.infos}[s]++
	t.groups++
	t.instances += instances
}

// writeChecked prints the error of a run, if it has not been, then the races, the
// errors first, and how many findings there are: that line is the last.
func (o *runOptions) writeChecked(cmd *cobra.Command, res *launch.Result, err error) error {
	w, paint := cmd.ErrOrStderr(), colourOf(cmd).on(cmd.ErrOrStderr())
	t := tallyOf(res)
	if err != nil && !isVerdict(err) {
		printError(w, err, exitCode(cmd.Context(), err), helpPage(cmd), paint)
		err = printedError{err}
		t.errors, t.groups, t.instances = t.errors+1, t.groups+1, t.instances+1
	}
	printed, hidden := 0, t.infos
	for _, severity := range []check.Severity{check.Error, check.Warning} {
		for i := range res.Launches {
			for j := range res.Launches[i].Races {
				f := &res.Launches[i].Races[j]
				switch {
				case f.Rule.Severity() != severity:
				case printed == mostFindings:
					hidden++
				default:
					printed++
					writeRace(w, f, whichLaunch(res, i), paint)
				}
			}
		}
	}
	if more := hidden - t.infos; more > 0 {
		fmt.Fprintf(w, "… %d more groups; --json has them all\n\n", more)
	}
	fmt.Fprintf(w, "simtrun: %s, %s, %d hidden (%s from %s)\n", count(int64(t.errors), "error"), count(int64(t.warnings), "warning"), hidden,
		count(t.groups, "group"), count(t.instances, "instance"))
	return err
}

// whichLaunch says which of several launches one is.
func whichLaunch(res *launch.Result, i int) string {
	if len(res.Launches) == 1 {
		return ""
	}
	return fmt.Sprintf("  launch  %d of %d, kernel %s\n", i+1, len(res.Launches), res.Launches[i].Kernel)
}

// writeRace prints one finding, with a line on the launch.
func writeRace(w io.Writer, f *check.Finding, launched string, paint paint) {
	severity := paint.alarm("error:")
	if f.Rule.Severity() == check.Warning {
		severity = paint.caution("warning:")
	}
	fmt.Fprintf(w, "%s: %s %s [%s] %s\n", f.Later.Instr().Pos, severity, f.Rule.Message(), f.Rule, placeText(f))
	for _, a := range []*check.Access{&f.Earlier, &f.Later} {
		fmt.Fprintf(w, "  %-7s %s  %s  %s%s\n", doing(a), posText(a), a.Func.Text(a.PC), whereOf(a), valueText(a))
	}
	fmt.Fprintf(w, "%s  between %s\n", launched, f.Between)
	if f.Instances > 1 {
		fmt.Fprintf(w, "  repeats %s in %s; first shown\n", count(f.Instances, "lane pair"), count(f.Blocks, "block"))
	}
	writeAlso(w, f.Also)
	fmt.Fprintf(w, "  fix     %s\n\n", f.Fix)
}

// mostAlso is how many other pairs of a finding are printed.
const mostAlso = 4

// writeAlso prints the other pairs of instructions that the same fix is for.
func writeAlso(w io.Writer, also []check.Pair) {
	for i := range also {
		p := &also[i]
		if i == mostAlso {
			fmt.Fprintf(w, "  also    %d more pairs of instructions\n", len(also)-i)
			return
		}
		fmt.Fprintf(w, "  also    %s %s, %s %s [%s]\n", doing(&p.Earlier), posText(&p.Earlier), doing(&p.Later), posText(&p.Later), p.Rule)
	}
}

// placeText is the bytes that both sides of a race access.
func placeText(f *check.Finding) string {
	name := f.Buffer
	if name == "" {
		name = f.Space.String()
	}
	return fmt.Sprintf("%s+0x%x..0x%x", name, f.Offset, f.Offset+uint64(f.Bytes)-1)
}

// doing is what one side of a race does.
func doing(a *check.Access) string {
	switch {
	case a.Instr().Spec.Kind == isa.Atomic:
		return "atomic"
	case a.Writes:
		return "write"
	}
	return "read"
}

func posText(a *check.Access) string {
	pos := a.Instr().Pos
	return fmt.Sprintf("%s:%d", pos.File, pos.Line)
}

func whereOf(a *check.Access) string {
	return interp.Where{CTA: a.CTA, Warp: a.Warp, Lanes: a.Lanes}.String()
}

func valueText(a *check.Access) string {
	if a.Value == "" {
		return ""
	}
	if !a.Writes {
		return "  got " + a.Value
	}
	return "  value " + a.Value
}

// other is the other side of a race: the one that comes first in the program.
type other struct {
	*who
	Does   string `json:"does"` // read, write or atomic
	File   string `json:"file"`
	Line   int32  `json:"line"`
	Column int32  `json:"column"`
	Instr  string `json:"instr"`
	Value  string `json:"value,omitempty"`
}

// pairOfLines is another pair of instructions that the same fix is for.
type pairOfLines struct {
	Rule    string `json:"rule"`
	Earlier lineOf `json:"earlier"`
	Later   lineOf `json:"later"`
}

type lineOf struct {
	File   string `json:"file"`
	Line   int32  `json:"line"`
	Column int32  `json:"column"`
}

func pairsOf(also []check.Pair) (pairs []pairOfLines) {
	at := func(a *check.Access) lineOf { return lineOf{a.Instr().Pos.File, a.Instr().Pos.Line, a.Instr().Pos.Col} }
	for i := range also {
		pairs = append(pairs, pairOfLines{also[i].Rule.String(), at(&also[i].Earlier), at(&also[i].Later)})
	}
	return pairs
}

// addRaces adds the races of a launch to the findings.
func (r *runReport) addRaces(number int, l *launch.Launched) {
	for i := range l.Races {
		race := &l.Races[i]
		f := newFinding(race.Later.Instr().Pos, race.Rule.Message(), race.Rule.String())
		f.Severity, f.Instr, f.Value = race.Rule.Severity().String(), race.Later.Func.Text(race.Later.PC), race.Later.Value
		f.who = whoOf(interp.Where{CTA: race.Later.CTA, Warp: race.Later.Warp, Lanes: race.Later.Lanes})
		f.access = &access{Space: race.Space.String(), Buffer: race.Buffer, Address: race.Address, Size: race.Bytes}
		if offset := int64(race.Offset); race.Buffer != "" {
			f.Offset = &offset
		}
		f.Launch, f.Kernel = &number, l.Kernel
		f.Other, f.Between, f.Fix = otherOf(&race.Earlier), race.Between, race.Fix
		f.Also = pairsOf(race.Also)
		f.Repeats = &repeats{race.Instances, race.Warps, race.Blocks}
		r.Findings = append(r.Findings, f)
		switch race.Rule.Severity() {
		case check.Error:
			r.Summary.Errors++
		case check.Warning:
			r.Summary.Warnings++
		default:
			r.Summary.Infos++
		}
	}
}

func otherOf(a *check.Access) *other {
	pos := a.Instr().Pos
	return &other{whoOf(interp.Where{CTA: a.CTA, Warp: a.Warp, Lanes: a.Lanes}), doing(a), pos.File, pos.Line, pos.Col, a.Func.Text(a.PC), a.Value}
}
