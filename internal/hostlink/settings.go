package hostlink

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/simtrun/simtrun"
	"github.com/simtrun/simtrun/cuda"
	"github.com/simtrun/simtrun/divergence"
	"github.com/simtrun/simtrun/internal/check"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/profile"
)

// Settings are the driver library's settings in the environment of a program. simtrun host parses them, too, so that a
// wrong flag is found before the program starts.
type Settings struct {
	Machine simtrun.Options // only the GPU is set
	GPU     *gpu.Config
	check.Kinds
	Metrics []string      // for lines of the report
	Limit   time.Duration // for each launch; 0 for none
}

// parser parses the settings in an environment. It keeps the first error.
type parser struct {
	Settings
	get   func(name string) string
	spell func(name, value string) string
	err   error
}

// ParseSettings parses the settings in an environment. Messages name a variable, or the flag that stands for it, as
// spell returns it.
func ParseSettings(get func(name string) string, spell func(name, value string) string) (*Settings, error) {
	p := &parser{get: get, spell: spell}
	p.Machine.GPU = cmp.Or(get(cuda.EnvGPU), gpu.H100().Name)
	p.parse(cuda.EnvGPU, p.setGPU)
	p.parse(cuda.EnvCheck, p.setCheck)
	p.parse(cuda.EnvDivergence, p.setDivergence)
	p.parse(cuda.EnvMetrics, p.setMetrics)
	p.parse(cuda.EnvSharedInit, p.setSharedInit)
	p.parse(cuda.EnvLaunchTimeout, p.setLimit)
	p.parse(cuda.EnvFunctional, p.setFunctional)
	p.Machine.Split = p.number(cuda.EnvSplit)
	p.Machine.MaxSteps = p.number(cuda.EnvMaxSteps)
	p.Machine.Threads = int(min(p.number(cuda.EnvThreads), 1<<16))
	p.Machine.Memory = p.size(cuda.EnvMemory)
	if p.err == nil {
		p.err = p.conflict()
	}
	return &p.Settings, p.err
}

// parse calls set with the value of a variable that is set, or that has a default.
func (p *parser) parse(name string, set func(text string) error) {
	text := p.get(name)
	if p.err != nil || text == "" && name != cuda.EnvGPU {
		return
	}
	if err := set(text); err != nil {
		p.err = fmt.Errorf("%s: %w", p.spell(name, text), err)
	}
}

func (p *parser) setGPU(string) (err error) {
	p.GPU, _, err = gpu.Open(p.Machine.GPU)
	return err
}

func (p *parser) setCheck(text string) (err error) {
	p.Kinds, err = check.ParseKinds(text, check.ProgramKinds())
	return err
}

func (p *parser) setDivergence(text string) error {
	model, err := divergence.ParseModel(text)
	p.Machine.Divergence = simtrun.Model(model)
	return err
}

// setMetrics parses a list of metrics: "all", or names separated by commas.
func (p *parser) setMetrics(text string) error {
	var all []string
	for _, m := range profile.Metrics() {
		all = append(all, m.Name)
	}
	for _, name := range strings.Split(text, ",") {
		switch name = strings.TrimSpace(name); {
		case name == "":
		case name == "all":
			p.Metrics = all
			return nil
		case !slices.Contains(all, name):
			return fmt.Errorf("no metric %q%s", name, cmp.Or(isa.DidYouMean(name, all), `; simtrun metrics lists them, and "all" means all of them`))
		default:
			p.Metrics = append(p.Metrics, name)
		}
	}
	return nil
}

func (p *parser) setSharedInit(text string) error {
	if text != "pattern" && text != "zero" {
		return fmt.Errorf("it is pattern or zero, not %q", text)
	}
	p.Machine.ZeroShared = text == "zero"
	return nil
}

func (p *parser) setLimit(text string) (err error) {
	if p.Limit, err = time.ParseDuration(text); err != nil || p.Limit < 0 {
		return fmt.Errorf("%q is not a time such as 30s or 5m", text)
	}
	return nil
}

func (p *parser) setFunctional(text string) error {
	switch text {
	case "1", "true":
	case "0", "false":
		p.Machine.Clock = new(simtrun.Clock)
	default:
		return fmt.Errorf("%q is neither 1 nor 0", text)
	}
	return nil
}

func (p *parser) number(name string) uint64 {
	n, err := Number(p.get, name)
	if err != nil && p.err == nil {
		p.err = err
	}
	return n
}

// size returns the number of bytes that is a variable's value, such as 16G; 0 if the variable is not set.
func (p *parser) size(name string) int64 {
	text := p.get(name)
	if text == "" {
		return 0
	}
	n, err := launch.ParseSize(text)
	if err != nil && p.err == nil {
		p.err = fmt.Errorf("%s: %w", name, err)
	}
	return n
}

// Number returns the number that is a variable's value; 0 if the variable is not set.
func Number(get func(name string) string, name string) (uint64, error) {
	text := get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, fmt.Errorf("%s: %q is not a number", name, text)
	}
	return n, nil
}

// conflict returns the error for settings that exclude each other.
func (p *parser) conflict() error {
	spelled := func(name string) string { return p.spell(name, p.get(name)) }
	model := p.Machine.Divergence.String()
	if p.Machine.Divergence == simtrun.ITS {
		model = p.GPU.Divergence
	}
	untimed := ""
	switch timed := p.Machine.Clock != nil; {
	case timed && p.Untimed():
		untimed = spelled(cuda.EnvCheck)
	case timed && p.Machine.Split != 0:
		untimed = spelled(cuda.EnvSplit)
	case p.Machine.Split != 0 && model != simtrun.ITS.String():
		return fmt.Errorf("%s is for divergence %s, not %s", spelled(cuda.EnvSplit), simtrun.ITS, model)
	}
	if untimed == "" {
		return nil
	}
	clock := spelled(cuda.EnvFunctional)
	if clock == cuda.EnvFunctional {
		clock += "=" + p.get(cuda.EnvFunctional)
	}
	return fmt.Errorf("%s is for launches without a clock; leave out %s", untimed, clock)
}
