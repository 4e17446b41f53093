package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	rules "github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/verdict"
)

// Mode says how Check treats sections that differ.
type Mode uint8

const (
	Compare Mode = iota // report them
	Update              // rewrite them
	Create              // also make a golden file with the output if there is none
)

// Check runs a case on all its machines and compares the sections with the results. A failed run is a problem unless
// a section pins its standard error; an unmet expectation always is. A case with such problems is not rewritten. The
// error is that of ctx, or of writing.
func (c *Case) Check(ctx context.Context, mode Mode) (*Outcome, error) {
	k := &check{c: c, outcome: &Outcome{Case: c.Name}}
	mod, headers, err := c.assemble()
	if err == nil {
		k.machines = machines(headers, c.GPU)
		err = k.readSections(mode)
	}
	if err != nil {
		k.outcome.Runs = []string{""}
		k.outcome.Problems = []Problem{{Runs: k.outcome.Runs, All: true, Text: err.Error()}}
		return k.outcome, nil
	}
	for _, m := range k.machines {
		k.outcome.Runs = append(k.outcome.Runs, m.String())
	}
	k.outcome.Pinned = len(k.topics) > 0
	if err := k.run(ctx, mod, headers); err != nil {
		return nil, err
	}
	if mode != Compare && k.outcome.passed() {
		err := k.rewrite(ctx)
		if err == errLink {
			k.outcome.Problems = []Problem{{Runs: k.outcome.Runs, All: true, Text: k.c.pinnedIn + ": " + err.Error()}}
			err = nil
		}
		return k.outcome, err
	}
	k.compare()
	for i := range k.outcome.Problems {
		p := &k.outcome.Problems[i]
		p.All = len(p.Runs) == k.meant(p.Section)
	}
	return k.outcome, nil
}

// check is a case being checked.
type check struct {
	c        *Case
	outcome  *Outcome
	machines []machine
	sections []section
	topics   []topic
	got      map[string][]string // by topic name, the text on each machine
}

// readSections reads the sections, and determines which results they pin.
func (k *check) readSections(mode Mode) (err error) {
	if k.sections, err = k.c.sections(); err != nil {
		return fmt.Errorf("%s:%w", k.c.pinnedIn, err)
	}
	if k.c.GPU != "" {
		k.sections = slices.DeleteFunc(k.sections, func(s section) bool { return !slices.ContainsFunc(k.machines, s.on.covers) })
	}
	for _, s := range k.sections {
		if !slices.ContainsFunc(k.machines, s.on.covers) {
			return fmt.Errorf("%s: section %q is for a machine that is not in the source's //sim:matrix", k.c.pinnedIn, s.name)
		}
	}
	k.topics = topics(k.sections)
	if mode == Create && len(k.topics) == 0 {
		output, _, err := parseSection(outputKind)
		k.topics = []topic{output}
		return err
	}
	return nil
}

// has reports whether a topic of one of the kinds is pinned.
func (k *check) has(kinds ...string) bool {
	return slices.ContainsFunc(k.topics, func(t topic) bool { return slices.Contains(kinds, t.kind) })
}

// run runs the case on each machine, and collects the pinned texts.
func (k *check) run(ctx context.Context, mod *isa.Module, headers []*launch.Layer) error {
	k.got = make(map[string][]string)
	for _, m := range k.machines {
		e, err := k.c.execute(ctx, mod, headers, m, k.has(countersKind, reportKind))
		if err != nil {
			return err
		}
		k.find(e)
		failed := e.run.Result != nil && len(e.run.Result.Failed) > 0
		if failed || e.run.Err != nil && !k.has(errorsKind) {
			k.problem(m.String(), "", strings.TrimSuffix(e.errors(), "\n"))
		}
		for _, t := range k.topics {
			text, err := k.text(ctx, e, t, m)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err == nil {
				text, err = pinnable(text)
			}
			if err != nil {
				k.problem(m.String(), t.name, err.Error())
			}
			k.got[t.name] = append(k.got[t.name], text)
		}
	}
	return nil
}

// text returns the text of an execution for a topic.
func (k *check) text(ctx context.Context, e *execution, t topic, m machine) (string, error) {
	if t.kind != debugKind {
		return e.text(ctx, t)
	}
	s := sectionFor(k.sections, t, m)
	if s == nil {
		return "", fmt.Errorf("no section has the commands for this machine")
	}
	commands := commandsOf(s.text)
	if len(commands) == 0 {
		return "", fmt.Errorf("%s:%d: the session has no commands; a line such as \"(simt) step\" is one, and simtrun test -u adds what it prints", k.c.pinnedIn, s.line-1)
	}
	return e.debug(ctx, commands, t.timed)
}

// find adds the findings of a run, with the path of the case's file.
func (k *check) find(e *execution) {
	for _, f := range e.run.Findings() {
		if k.has(errorsKind) && !rules.IsRace(f.Rule) {
			continue
		}
		k.place(&f.At)
		for i := range f.Other {
			k.place(&f.Other[i])
		}
		k.outcome.Findings = append(k.outcome.Findings, f)
	}
}

func (k *check) place(p *verdict.Place) {
	if p.File == filepath.Base(k.c.Name) {
		p.File = k.c.Name
	}
}

// compare compares each section with the results.
func (k *check) compare() {
	for _, t := range k.topics {
		for i, m := range k.machines {
			s := sectionFor(k.sections, t, m)
			if s == nil {
				k.problem(m.String(), t.name, "no section for this machine; -u adds it")
				continue
			}
			got := k.got[t.name][i]
			if s.text == "" && got != "" {
				k.problem(m.String(), s.name, fmt.Sprintf("%s:%d: the section is empty; simtrun test -u fills it", k.c.pinnedIn, s.line-1))
				continue
			}
			if got != s.text {
				k.problem(m.String(), s.name, fmt.Sprintf("%s differs (-golden +now)\n%s", k.c.pinnedIn, diff(s.text, got, s.line)))
			}
		}
	}
}

// meant returns how many machines a section covers; all of them for "", the run itself.
func (k *check) meant(name string) int {
	n := 0
	for _, s := range k.sections {
		if s.name != name {
			continue
		}
		for _, m := range k.machines {
			if sectionFor(k.sections, s.topic, m).name == name {
				n++
			}
		}
		return n
	}
	return len(k.machines)
}

// problem adds a problem. The same problem on several machines is added once.
func (k *check) problem(run, section, text string) {
	for i := range k.outcome.Problems {
		if p := &k.outcome.Problems[i]; p.Section == section && p.Text == text {
			p.Runs = append(p.Runs, run)
			return
		}
	}
	k.outcome.Problems = append(k.outcome.Problems, Problem{Runs: []string{run}, Section: section, Text: text})
}

// rewrite rewrites the sections, and leaves the rest of the file unchanged.
func (k *check) rewrite(ctx context.Context) error {
	if len(k.topics) == 0 {
		return nil
	}
	now := &txtar.Archive{Comment: k.c.archive.Comment}
	for _, f := range k.c.archive.Files {
		if isSource(f.Name) {
			now.Files = append(now.Files, f)
		}
	}
	var pinned []txtar.File
	for _, t := range k.topics {
		pinned = append(pinned, repinned(t, k.machines, k.got[t.name])...)
	}
	if k.c.plain() || !k.c.exists {
		now.Comment = nil
		if len(pinned) == 1 {
			now.Comment, pinned = pinned[0].Data, nil
		}
	}
	now.Files = append(now.Files, pinned...)
	text := txtar.Format(now)
	if k.c.crlf {
		text = bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n"))
	}
	before, err := k.c.tree.read(k.c.pinnedIn)
	if err == nil && string(before) == string(text) {
		return nil
	}
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	err = k.c.tree.write(ctx, k.c.pinnedIn, text)
	k.outcome.Updated, k.outcome.Pinned = err == nil, true
	return err
}
