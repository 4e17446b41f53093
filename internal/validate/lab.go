package validate

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/simtrun/simtrun/internal/packed"
)

// archive has the kernels, kernels/*.s and, decompressed, kernels/*.s.gz.
//
//go:embed kernels.txtar.gz
var archive []byte

var kernels = packed.Open(archive)

// Command executes a command line of simtrun, without the program's name, and returns its output and exit status.
type Command func(ctx context.Context, stdin string, args ...string) (stdout []byte, code int)

// lab runs kernels for one row.
type lab struct {
	ctx      context.Context
	command  Command
	gpu      string
	commands []string // of the row
	runs     *runs
}

// ran is the result of a command line.
type ran struct {
	outcome *outcome
	code    int
}

// runs caches the runs of kernels: a command line that several rows have is run once.
type runs struct {
	mutex sync.Mutex
	by    map[string]func() ran // by command
}

// of returns the cached result of a command line, or calls run.
func (r *runs) of(typed string, run func() ran) ran {
	r.mutex.Lock()
	once := r.by[typed]
	if once == nil {
		once = sync.OnceValue(run)
		r.by[typed] = once
	}
	r.mutex.Unlock()
	return once()
}

// failure is a panic of a lab's methods, so that a row's arithmetic needs no error handling: compare turns it into an
// error.
type failure struct{ error }

func (l *lab) fail(format string, args ...any) { panic(failure{fmt.Errorf(format, args...)}) }

// launch is a launch in the JSON object.
type launch struct {
	Start   float64 `json:"start_cycle"`
	Cycles  float64
	Metrics map[string]*float64
	Lines   []struct {
		Instruction string
		Metrics     map[string]*float64
	}
	SMs []struct {
		ActiveCycles float64 `json:"active_cycles"`
	}
	Waves struct{ Count float64 }
}

// metric returns a counter of the launch.
func (l *launch) metric(name string) float64 { return valueOf(l.Metrics, name) }

// valueOf returns a counter; a missing one is 0.
func valueOf(metrics map[string]*float64, name string) float64 {
	if v := metrics[name]; v != nil {
		return *v
	}
	return 0
}

// outcome is the JSON object of a run.
type outcome struct {
	Launches []launch
	Dumps    []struct{ Values []float64 }
	Summary  struct{ Message string }
}

// last returns the last launch, and dump the values of the only dump.
func (o *outcome) last() *launch { return &o.Launches[len(o.Launches)-1] }

func (o *outcome) dump() []float64 { return o.Dumps[0].Values }

// run runs a kernel of this package on the row's GPU.
func (l *lab) run(kernel string, flags ...string) *outcome {
	o, code := l.try(kernel, flags...)
	if code != 0 {
		l.fail("exit %d of '%s': %s", code, l.commands[len(l.commands)-1], o.Summary.Message)
	}
	return o
}

// try is run for a kernel that may fail.
func (l *lab) try(kernel string, flags ...string) (*outcome, int) {
	source, err := kernels.Read(kernel + ".s")
	if err != nil {
		l.fail("%w", err)
	}
	flags = append([]string{"--gpu=" + l.gpu}, flags...)
	typed := "simtrun internal/validate/kernels/" + kernel + ".s " + strings.Join(flags, " ")
	if !slices.Contains(l.commands, typed) {
		l.commands = append(l.commands, typed)
	}
	r := l.runs.of(typed, func() ran {
		o := new(outcome)
		return ran{o, l.read(o, string(source), append([]string{"run", "-", "--json"}, flags...)...)}
	})
	return r.outcome, r.code
}

// ask reads the JSON object of another command on the row's GPU.
func (l *lab) ask(object any, args ...string) {
	l.commands = append(l.commands, "simtrun "+strings.Join(args, " "))
	if code := l.read(object, "", append(args, "--json")...); code != 0 {
		l.fail("exit %d of '%s'", code, l.commands[len(l.commands)-1])
	}
}

// read executes a command line and parses the JSON object that it prints.
func (l *lab) read(object any, stdin string, args ...string) int {
	out, code := l.command(l.ctx, stdin, args...)
	if err := l.ctx.Err(); err != nil {
		l.fail("%w", err)
	}
	if err := json.Unmarshal(out, object); err != nil {
		l.fail("what '%s' prints: %w", l.commands[len(l.commands)-1], err)
	}
	return code
}

// arg returns the flag that gives a kernel an argument.
func arg(name string, value any) string { return fmt.Sprintf("--arg=%s=%v", name, value) }

// symbol returns the flag that sets a variable of a module.
func symbol(name string, value any) string { return fmt.Sprintf("--symbol=%s=%v", name, value) }

// flag returns a flag with a value.
func flag(name string, value any) string { return fmt.Sprintf("--%s=%v", name, value) }

// oneSM puts CTAs on one SM as long as it has room.
const oneSM = "--cta-order=linear"

// each returns a figure for each of the points.
func each[T any](points []T, figure func(T) float64) []float64 {
	var all []float64
	for _, p := range points {
		all = append(all, figure(p))
	}
	return all
}

// slope returns the cycles of a kernel per round: the difference between launches with many and with few rounds, for
// the last launch of each.
func (l *lab) slope(few, many int, kernel string, flags ...string) float64 {
	cycles := func(rounds int) float64 { return l.run(kernel, append(flags, arg("rounds", rounds))...).last().Cycles }
	return (cycles(many) - cycles(few)) / float64(many-few)
}
