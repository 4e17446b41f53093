package golden

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/launch"
	"github.com/simtrun/simtrun/internal/report"
)

// debugKind is the kind of a section that is a session of the debugger, with prompts, commands and output.
const debugKind = "debug"

// promptStart begins the prompts of the debugger.
const promptStart = "(simt"

// DebugProgram returns the program for a debugger.
func DebugProgram(ready *launch.Prepared) *debugger.Program {
	p := &debugger.Program{Machine: ready.Machine, Launches: ready.Launches}
	for _, b := range ready.Buffers {
		p.Buffers = append(p.Buffers, debugger.Buffer{Region: b.Region, Elem: b.Elem.Type(), Scalar: b.Scalar})
	}
	return p
}

// WriteFinish writes the output of a debugger after the last launch: dumps, and the results of expectations. unchecked
// is the number of those on counters.
func WriteFinish(w io.Writer, res *launch.Result, unchecked int, paint report.Paint) {
	for i := range res.Dumps {
		report.WriteDump(w, &res.Dumps[i])
	}
	left := unchecked + res.LeftOut
	res.LeftOut = 0
	if res.Passed+len(res.Failed) > 0 {
		fmt.Fprintf(w, "expect  %s\n", report.ExpectText(res, paint))
	}
	if left > 0 {
		fmt.Fprintf(w, "expect  %d on counters not checked: debug does not count\n", left)
	}
	report.WriteFailures(w, res, paint)
}

// commandsOf returns the commands of a session: the texts after prompts.
func commandsOf(session string) (commands []string) {
	for line := range strings.Lines(session) {
		if prompt, command, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ") "); ok && strings.HasPrefix(prompt, promptStart) {
			commands = append(commands, command)
		}
	}
	return commands
}

// debug types commands in a debugger, and returns the session.
func (e *execution) debug(ctx context.Context, commands []string, timed bool) (string, error) {
	if e.run.Plan == nil {
		return "", nil
	}
	plan, err := launch.NewPlan(e.mod, e.layers...)
	if err != nil {
		return "", err
	}
	var out bytes.Buffer
	var ready *launch.Prepared
	plan.Config.Stdout, plan.Config.Threads = &out, 1
	cfg := debugger.Config{Out: &out, Sources: e.run.Sources}
	if timed {
		if plan.UseClock(); plan.Clock == nil {
			return "", errors.New("the launch is functional, and a session with the word timed needs a clock")
		}
		cfg.Clock = plan.Clock
	}
	cfg.Prepare = func() (*debugger.Program, error) {
		if ready, err = plan.Prepare(ctx); err != nil {
			return nil, err
		}
		return DebugProgram(ready), nil
	}
	cfg.Ended = func() {
		if res, unchecked, err := ready.Finish(ctx); err == nil {
			WriteFinish(&out, res, unchecked, "")
		}
	}
	d, err := debugger.New(cfg)
	if err != nil {
		return "", err
	}
	for _, command := range commands {
		fmt.Fprintf(&out, "%s%s\n", d.Prompt(), command)
		if err = d.Execute(ctx, command); errors.Is(err, debugger.ErrQuit) {
			break
		} else if err != nil {
			fmt.Fprintln(&out, err)
		}
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
	}
	return out.String(), nil
}
