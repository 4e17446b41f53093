package simtrun

import (
	"context"
	"strconv"
	"strings"

	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/launch"
)

// RunOptions configure Program.Run. Zero fields leave the choice to the run header.
type RunOptions struct {
	Options
	// Script has directives, one per line, that override the header's, such as "grid 4". They may read files
	// anywhere, not only in the source's folder.
	Script string
	// Profile collects the launches' counters.
	Profile bool
	// Races checks the launches for data races.
	Races bool
}

// Outcome is the outcome of a run.
type Outcome struct {
	Launches []*Result // launches that began
	Passed   int       // number of expectations that were met
	Failed   []string  // expectations that were not met: place, expectation, and the first elements that differ

	buffers map[string]*Buffer
}

// Buffer returns a buffer or variable by its name, or nil.
func (o *Outcome) Buffer(name string) *Buffer { return o.buffers[name] }

// Run executes the program's run header (its //sim: lines) as the command does: it makes the buffers, runs the
// launches in order and checks the expectations. It ignores dump directives. The error is that of a bad header, or of
// the launch that failed, as Machine.Launch returns it; the outcome then covers the run up to there, and is nil if no
// launch began. An unmet expectation is not an error.
func (p *Program) Run(ctx context.Context, o RunOptions) (*Outcome, error) {
	plan, err := p.plan(&o)
	if err != nil {
		return nil, err
	}
	res, err := plan.Run(ctx)
	if err != nil && len(res.Launches) == 0 {
		return nil, public(err)
	}
	m := new(Memory)
	out := &Outcome{Passed: res.Passed, buffers: make(map[string]*Buffer)}
	for i := range res.Buffers {
		b := &res.Buffers[i]
		out.buffers[b.Name] = &Buffer{m, b.Region}
	}
	for i := range res.Launches {
		out.Launches = append(out.Launches, resultOf(&res.Launches[i].Execution))
	}
	for i := range res.Failed {
		f := &res.Failed[i]
		out.Failed = append(out.Failed, strings.Join(append([]string{f.Place() + ": " + f.What()}, f.Details()...), "\n  "))
	}
	return out, public(err)
}

// plan combines the headers with the options, which take precedence.
func (p *Program) plan(o *RunOptions) (*launch.Plan, error) {
	var layers []*launch.Layer
	for i := range p.sources {
		s := &p.sources[i]
		l, err := launch.ParseHeader(s.name, s.folder, s.text)
		if err != nil {
			return nil, err
		}
		layers = append(layers, l)
	}
	script, err := launch.ParseScript("RunOptions.Script", []byte(o.Script), nil)
	if err != nil {
		return nil, err
	}
	options, err := o.directives()
	if err != nil {
		return nil, err
	}
	plan, err := launch.NewPlan(p.mod, append(layers, script, options)...)
	if err != nil {
		return nil, err
	}
	c := &plan.Config
	if o.Divergence != ITS {
		c.Divergence = divergence.Model(o.Divergence)
	}
	if o.PathOrder != Taken {
		c.PathOrder = divergence.Order(o.PathOrder)
	}
	if o.Split != 0 {
		c.Split = o.Split
	}
	c.NoLibdevice = c.NoLibdevice || o.NoLibdevice
	c.FillShared = c.FillShared && !o.ZeroShared
	if o.MaxSteps != 0 {
		c.MaxSteps = o.MaxSteps
	}
	if c.Split != 0 && c.Divergence != divergence.IndependentThreads {
		return nil, errSplit(Model(c.Divergence))
	}
	if o.Clock != nil {
		plan.UseClock()
	}
	switch {
	case plan.Clock != nil && c.Split != 0:
		return nil, errClockSplit
	case plan.Clock != nil && o.Races:
		return nil, errClockRaces
	}
	c.Stdout, c.Threads = o.Stdout, o.threads()
	plan.Races = o.Races
	plan.Profile = plan.Profile || o.Profile
	return plan, nil
}

// directives returns the options that have an equivalent directive.
func (o *RunOptions) directives() (*launch.Layer, error) {
	l := launch.NewFlags()
	given := []directive{{"gpu", "RunOptions.GPU", o.GPU}}
	if o.Memory != 0 {
		given = append(given, directive{"memory", "RunOptions.Memory", strconv.FormatInt(o.Memory, 10)})
	}
	if o.Clock != nil {
		given = append(given, o.Clock.directives()...)
	}
	for _, d := range given {
		if d.text == "" {
			continue
		}
		if err := l.Set(d.name, d.text, launch.Origin{Flag: d.option}); err != nil {
			return nil, err
		}
	}
	return l, nil
}

// directive is an option that has an equivalent directive. An empty text means that the option is not set.
type directive struct{ name, option, text string }
