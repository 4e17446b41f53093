package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/golden"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/view"
)

// viewLoader loads the program of a session of the view command, with the flags of the command line.
type viewLoader struct {
	base *cobra.Command
	file string
}

// load implements view.Config.Load.
func (l *viewLoader) load(ctx context.Context, open view.Open) (*view.Program, error) {
	cmd, o, err := l.command(ctx, open.Settings)
	if err != nil {
		return nil, err
	}
	file := l.file
	if open.Text != nil {
		remove, err := o.edit(&file, *open.Text)
		if err != nil {
			return nil, err
		}
		defer remove()
	}
	var notes bytes.Buffer
	cmd.SetErr(&notes)
	text, err := (&reading{edited: o.edited}).read(file)
	if err != nil {
		return nil, err
	}
	p := &view.Program{Files: []view.File{{Name: file, Text: string(text), Lang: "ptx"}}, Settings: settingsOf(cmd.Flags())}
	if filepath.Ext(file) == cudaExtension {
		p.Files[0].Lang = "cuda"
	}
	plan, err := o.plan(cmd, []string{file})
	if err != nil {
		if p.Findings = viewFindings(err, nil); len(p.Findings) == 0 {
			p.Findings = []view.Finding{{Rule: "error", Severity: "error", Message: err.Error(), Launch: -1, ID: -1, Step: -1, Warp: -1}}
		}
		return p, nil
	}
	if ptx, ok := o.sources[ptxOf(file)]; ok {
		p.Files = append(p.Files, view.File{Name: ptxOf(file), Text: strings.Join(ptx, "\n"), Lang: "ptx"})
	}
	o.prepare(ctx, p, plan)
	return p, nil
}

// command makes a view command with the flags of the command line, and settings in place of some of them.
func (l *viewLoader) command(ctx context.Context, s *view.Settings) (*cobra.Command, *viewOptions, error) {
	root := newRoot()
	cmd, o := newViewCommandOf()
	root.AddCommand(cmd)
	cmd.SetIn(new(bytes.Buffer))
	cmd.SetOut(io.Discard)
	var words []string
	l.base.Flags().Visit(func(f *pflag.Flag) {
		if s != nil && slices.Contains(settingFlags, f.Name) || f.Name == "color" {
			return
		}
		values := []string{f.Value.String()}
		if list, ok := f.Value.(pflag.SliceValue); ok {
			values = list.GetSlice()
		}
		for _, v := range values {
			words = append(words, "--"+f.Name+"="+v)
		}
	})
	if s != nil {
		words = append(words, settingWords(s)...)
	}
	if err := cmd.ParseFlags(words); err != nil {
		return nil, nil, err
	}
	return cmd, o, o.defaults(ctx, cmd)
}

// edit puts a text in place of a file. The compiler of CUDA C++ reads files: it gets another one, for which remove is
// called in the end, and finds others in the folder of the first.
func (o *viewOptions) edit(file *string, text string) (remove func(), err error) {
	if filepath.Ext(*file) != cudaExtension {
		o.edited = map[string][]byte{*file: []byte(text)}
		return func() {}, nil
	}
	dir, err := os.MkdirTemp("", "simtrun-view")
	if err != nil {
		return nil, err
	}
	folder := filepath.Dir(*file)
	*file = filepath.Join(dir, filepath.Base(*file))
	o.cc = append(o.cc, launch.CompilerLine{Text: "-I" + folder, At: launch.Origin{Flag: "--cc"}})
	return func() { os.RemoveAll(dir) }, os.WriteFile(*file, []byte(text), 0o600)
}

// prepare adds to a program how it is executed: for the session, and with checks.
func (o *viewOptions) prepare(ctx context.Context, p *view.Program, plan *launch.Plan) {
	if !o.timed {
		plan.Clock = nil
	}
	p.Clock, plan.Clock = plan.Clock, nil
	p.Sources, p.Model = o.sources, plan.Config.Divergence.String()
	if plan.Config.GPU != nil {
		p.GPU = plan.Config.GPU.Name
	}
	plan.Config.Stdout = io.Discard
	p.Prepare = func() (*debugger.Program, error) {
		ready, err := plan.Prepare(context.WithoutCancel(ctx)) // it is called for later messages, too
		if err != nil {
			return nil, err
		}
		return golden.DebugProgram(ready), nil
	}
	checks := checkList{race: true, sync: true, init: true}
	p.Check = func(ctx context.Context) ([]view.Finding, string, error) {
		checks.addTo(plan)
		printed := plan.Printed()
		plan.Config.Stdout = printed
		defer func() { plan.Config.Stdout = io.Discard }()
		res, err := plan.Run(ctx)
		found := viewFindings(err, res)
		if err != nil && len(found) > 0 {
			err = nil // it is one of them
		}
		return found, cutOutput(printed.String()), err
	}
}

// mostOutput is how much of what kernels print a page shows, in bytes.
const mostOutput = 64 << 10

func cutOutput(text string) string {
	if len(text) > mostOutput {
		text = text[:mostOutput] + fmt.Sprintf("\n... and %d bytes more", len(text)-mostOutput)
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}

// viewFindings returns the findings of a run for the page.
func viewFindings(err error, res *launch.Result) (all []view.Finding) {
	for _, f := range report.FindingsOf(err, res) {
		one := view.Finding{Rule: f.Rule, Severity: f.Severity, Message: f.Message, File: f.File, Line: f.Line, Column: f.Column, Instr: f.Instr, Fix: f.Fix, Launch: -1, ID: -1, Step: -1, Warp: -1}
		if f.Launch != nil {
			one.Launch = *f.Launch
		}
		if f.Who != nil {
			one.Block, one.ID = f.Block, f.Warp
			for _, lane := range f.Lanes {
				one.Lanes |= 1 << lane
			}
		}
		if f.Other != nil {
			one.Other = fmt.Sprintf("%s:%d", f.Other.File, f.Other.Line)
		}
		all = append(all, one)
	}
	return all
}
