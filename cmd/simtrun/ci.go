package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/verdict"
	"github.com/simtrun/simtrun/interp"
)

// ciOptions are the flags that say which findings make a command fail, and how findings are written for CI.
type ciOptions struct {
	failOn       verdict.Level
	errorExit    int      // 0: exit status by the kind of the finding
	suppressions []string // files
	baseline     string   // "": none
	sarif, junit string   // files; "": none
	category     string   // of the SARIF file; "": none
	github       bool

	policy *verdict.Policy // nil before prepare
}

func (o *ciOptions) addFlags(f *pflag.FlagSet) {
	f.Var(&o.failOn, "fail-on", "fail on findings of this `LEVEL` or a higher one: "+strings.Join(verdict.LevelNames(), ", ")+"; faults and hangs always fail")
	f.IntVar(&o.errorExit, "error-exitcode", 0, "exit with status `N`, 1 to 255, if findings fail the command (default 1; for a fault 4, for a hang 5)")
	f.StringArrayVar(&o.suppressions, "suppressions", nil, "allow the findings listed in `FILE`, one per line: RULE PLACE REASON (simtrun help ci)")
	f.StringVar(&o.baseline, "baseline", "", "allow the findings in `FILE`, which an earlier run wrote with --sarif")
	f.StringVar(&o.sarif, "sarif", "", "write the findings to `FILE` as SARIF 2.1.0")
	f.StringVar(&o.category, "sarif-category", "", "write the category `NAME` to the SARIF file: GitHub keeps files of different categories side by side")
	f.StringVar(&o.junit, "junit", "", "write the results to `FILE` as JUnit XML")
	f.BoolVar(&o.github, "github", false, "also write findings to standard error as annotations of GitHub workflows")
}

// completeCI offers the values of the flags that ciOptions adds.
func completeCI(cmd *cobra.Command) {
	completeWords(cmd, "fail-on", verdict.LevelNames())
	completeNothing(cmd, "error-exitcode")
	completeNothing(cmd, "sarif-category")
}

// prepare reads the files that say which findings are allowed. Sources are the files that the user named, and looked
// reports whether the run looks for faults of a rule.
func (o *ciOptions) prepare(sources []source, looked func(rule string) bool) error {
	if o.errorExit < 0 || o.errorExit > 255 {
		return &usageError{msg: fmt.Sprintf("--error-exitcode %d: expected a status from 1 to 255", o.errorExit)}
	}
	p := &verdict.Policy{FailOn: o.failOn, Suppressions: &verdict.Suppressions{}, Looked: looked}
	for _, name := range o.suppressions {
		text, err := os.ReadFile(name)
		if err != nil {
			return &usageError{msg: fmt.Sprintf("--suppressions: %v", err)}
		}
		if err := p.Suppressions.AddFile(name, text); err != nil {
			return placed(err, []source{{name: name, text: text}})
		}
	}
	for i := range sources {
		s := sources[i].written()
		if err := p.Suppressions.AddSource(s.name, s.text); err != nil {
			return placed(err, sources)
		}
	}
	if o.baseline != "" {
		text, err := os.ReadFile(o.baseline)
		if err == nil {
			p.Known, err = verdict.ReadBaseline(text)
		}
		if err != nil {
			return &usageError{msg: fmt.Sprintf("--baseline %s: %v", o.baseline, err)}
		}
	}
	o.policy = p
	return nil
}

// judge judges the findings of a run. The error is that of a comment in a file that the user did not name.
func (o *ciOptions) judge(all []verdict.Finding) (*verdict.Verdict, error) {
	p := o.policy
	if p == nil {
		p = &verdict.Policy{}
	}
	var err error
	if p.Suppressions != nil {
		err = p.Suppressions.ReadSources(all)
	}
	return p.JudgeAll(all), err
}

// write writes the files and annotations. The command ends with code; suite has its own tests.
func (o *ciOptions) write(cmd *cobra.Command, v *verdict.Verdict, code int, suite verdict.Suite) error {
	if o.github {
		v.WriteAnnotations(cmd.ErrOrStderr())
	}
	if o.sarif != "" {
		ran := code != exitUsage && code != exitProgram && code != exitInternal
		tool := verdict.Tool{Version: release, Revision: ownRevision(), Category: o.category}
		if err := writeResult(cmd, o.sarif, v.SARIF(tool, o.baseline != "", ran, code)); err != nil {
			return written(0, err)
		}
	}
	if o.junit != "" {
		return written(0, writeResult(cmd, o.junit, v.JUnit(suite)))
	}
	return nil
}

// suiteOf returns the test suite of a command that has one test: whether the program ran, apart from findings.
func suiteOf(name, program string, err error) verdict.Suite {
	one := verdict.Case{Class: program, Name: "run"}
	if err != nil && !isFinding(err) {
		one.Failure = err.Error()
	}
	return verdict.Suite{Name: name, Cases: []verdict.Case{one}}
}

// isFinding reports whether a command failed because of a finding.
func isFinding(err error) bool {
	return is[*foundError](err) || errors.Is(err, errRaces) || errors.Is(err, errFindings) || is[*interp.Fault](err) || is[*interp.Hang](err)
}

// exited gives the error of findings the exit status of --error-exitcode.
func (o *ciOptions) exited(err error) error {
	if o.errorExit != 0 && isFinding(err) {
		return &codedError{o.errorExit, err}
	}
	return err
}

// plainVerdict returns the error of a completed run, counting all of its findings.
func plainVerdict(res *launch.Result) error {
	r := &report.Run{Result: res}
	v := (&verdict.Policy{}).Judge(r.Findings())
	r.Judged(v)
	return verdictOf(r, v)
}

// verdictOf returns the error of a completed run: unmet expectations, or findings.
func verdictOf(r *report.Run, v *verdict.Verdict) error {
	if len(r.Result.Failed) > 0 {
		return errExpect
	}
	if !v.Fails() {
		return nil
	}
	for _, l := range r.Shown().Launches {
		if len(l.Races) > 0 {
			return errRaces
		}
	}
	return errFindings
}
