package load

import (
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strconv"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/source"
	"github.com/simtrun/simtrun/internal/view"
)

// Limits of a program that Text loads.
const (
	TextBytes   = 256 << 10 // of the source
	LaunchSteps = 2_000_000 // instructions of all warps of a launch
	Memory      = "512M"    // of the host, for a launch
)

// Text loads a message's own PTX text, within limits, without any file. It implements view.Config.Load.
func Text(ctx context.Context, o view.Open) (*view.Program, error) {
	switch {
	case o.Text == nil || o.Name == "":
		return nil, errors.New("open has no text, or no name for it; this session has no files")
	case len(*o.Text) > TextBytes:
		return nil, fmt.Errorf("the text has %d bytes; up to %d can be opened here", len(*o.Text), TextBytes)
	case path.Ext(o.Name) == ".cu":
		return nil, errors.New("CUDA C++ is not supported here, for there is no compiler; simtrun view shows it")
	}
	text := []byte(*o.Text)
	p := &view.Program{Files: []view.File{{Name: o.Name, Text: *o.Text, Lang: "ptx"}}, Sources: report.Sources{o.Name: report.Lines(text)}}
	if o.Settings != nil {
		p.Settings = *o.Settings
	}
	plan, err := planOf(o.Name, text, &p.Settings, o.Expects)
	if err != nil {
		if report.HasPlace(err) {
			err = report.WithSources(err, p.Sources)
		}
		p.Findings = Mistakes(err)
		return p, nil
	}
	Ready(ctx, p, plan, p.Settings.Timed)
	return p, nil
}

// planOf assembles a text, and plans the launches of its header with settings.
func planOf(name string, text []byte, s *view.Settings, expects []string) (*launch.Plan, error) {
	mod, err := asm.Parse(name, text)
	if err != nil {
		return nil, err
	}
	if err := asm.CheckTarget(mod); err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(mod.Funcs, func(f *isa.Func) bool { return f.Debug != nil }); i >= 0 {
		mod.Funcs[i].Debug.ShowCode = true
	}
	source.NameParams(mod)
	header, err := launch.ParseHeader(name, "", text)
	if err != nil {
		return nil, err
	}
	flags, err := flagsOf(s)
	if err != nil {
		return nil, err
	}
	for _, text := range expects {
		if err := flags.Set("expect", text, launch.Origin{Flag: "expect " + text}); err != nil {
			return nil, err
		}
	}
	plan, err := launch.NewPlan(mod, header, flags)
	if err != nil {
		return nil, err
	}
	plan.UseClock()
	plan.Config.Threads = 1
	return plan, nil
}

// flagsOf returns settings as a layer, with the limits.
func flagsOf(s *view.Settings) (*launch.Layer, error) {
	l := launch.NewFlags()
	set := func(name, value string) error {
		if value == "" {
			return nil
		}
		return l.Set(name, value, launch.Origin{Flag: "--" + name + " " + value})
	}
	for _, one := range [][2]string{
		{"kernel", s.Kernel}, {"grid", s.Grid}, {"block", s.Block}, {"shared", s.Shared}, {"gpu", s.GPU}, {"divergence", s.Divergence}, {"path-order", s.PathOrder},
		{"max-steps", strconv.Itoa(WarpSteps)}, {"max-launch-steps", strconv.Itoa(LaunchSteps)}, {"memory", Memory},
	} {
		if err := set(one[0], one[1]); err != nil {
			return nil, err
		}
	}
	for _, arg := range s.Args {
		if err := set("arg", arg); err != nil {
			return nil, err
		}
	}
	return l, nil
}
