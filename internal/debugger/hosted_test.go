package debugger_test

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/interp"
)

const hostedSource = `.version 8.0
.target sm_90
.global .u32 total;
.entry k() {
	mov.u32 %r1, %tid.x;
	atom.global.add.u32 %r2, [total], %r1;
	ret;
}
`

// hosted makes a debugger of a host's launches, and launches of a kernel.
func hosted(t *testing.T) (h *debugger.Hosted, out *bytes.Buffer, idle, launch *debugger.Program) {
	t.Helper()
	mod, err := asm.Parse("k.s", []byte(hostedSource))
	if err != nil {
		t.Fatal(err)
	}
	m, err := interp.New(mod, interp.Config{})
	if err != nil {
		t.Fatal(err)
	}
	out = new(bytes.Buffer)
	h = debugger.NewHosted(debugger.Config{Out: out, Sources: map[string][]string{"k.s": strings.Split(hostedSource, "\n")}})
	all := []debugger.Buffer{{Region: m.Var("total"), Elem: isa.U32, Scalar: true}}
	idle = &debugger.Program{Machine: m, Launches: make([]interp.Launch, 1), Buffers: all}
	one := isa.Dim{X: 1, Y: 1, Z: 1}
	launch = &debugger.Program{Machine: m, Buffers: all, Launches: []interp.Launch{{Kernel: "k", Grid: one, Block: isa.Dim{X: 32, Y: 1, Z: 1}}}}
	return h, out, idle, launch
}

// typed returns a debugger.Talk of lines, and notes their errors.
func typed(t *testing.T, script string, failed *[]string) debugger.Talk {
	lines := strings.Split(script, "\n")
	return func(string) (string, context.Context, func(error), error) {
		if len(lines) == 0 {
			return "", nil, nil, io.EOF
		}
		line := lines[0]
		lines = lines[1:]
		return line, t.Context(), func(err error) {
			if err != nil && failed != nil {
				*failed = append(*failed, line+": "+err.Error())
			}
		}, nil
	}
}

// TestLaunchWithoutStopsRunsAlone checks that a launch in which nothing can stop is left alone, and that one with the
// place of a breakpoint that was set before is taken over, to its end.
func TestLaunchWithoutStopsRunsAlone(t *testing.T) {
	h, out, idle, launch := hosted(t)
	if h.Arrive(launch) {
		t.Error("a launch was taken over without a reason")
	}
	if err := h.Stop(idle, "idle", typed(t, "break nowhere\nbreak k\ncontinue", nil)); err != nil {
		t.Fatal(err)
	}
	if !h.Arrive(launch) {
		t.Fatal("a breakpoint was forgotten")
	}
	stats, err := h.Run(typed(t, "p %r1\ncontinue", nil))
	if err != nil || stats.WarpInstrs != 3 || launch.Machine.Var("total").Data[0] != 0xf0 {
		t.Errorf("%v, %+v\n%s", err, stats, out)
	}
	if err := h.Stop(idle, "idle", typed(t, "detach", nil)); err != nil || h.Arrive(launch) {
		t.Errorf("%v: launches are taken over after detach\n%s", err, out)
	}
}

// TestCommandsWorkBetweenLaunches checks that no command panics without a launch, before one and after one.
func TestCommandsWorkBetweenLaunches(t *testing.T) {
	h, _, idle, _ := hosted(t)
	var script []string
	for _, name := range h.Complete("") {
		if name != "detach" && name != "quit" && name != "source" {
			script = append(script, name, name+" 1", name+" k", name+" total", name+" b0 w0 l1")
		}
	}
	for _, topic := range h.Complete("info ") {
		script = append(script, "info "+topic, "info "+topic+" total")
	}
	script = append(script, "p total", "x/1 total", "warp 1 step", "warps -exec step", "thread apply all bt", "rev step", "p %r1", "p threadIdx.x", "x/i 0", "watch total", "display total", "delete")
	for i := range script {
		switch {
		case script[i] == "continue", script[i] == "run", script[i] == "restart": // which go on, or start over
			script[i] = "#"
		case strings.HasPrefix(script[i], "commands"):
			script[i] += "\nend"
		}
	}
	all := strings.Join(script, "\n")
	if err := h.Stop(idle, "before", typed(t, all, nil)); err != nil {
		t.Fatal(err)
	}
	h, _, idle, launch := hosted(t)
	if err := h.Stop(idle, "idle", typed(t, "catch end\nbreak 7\ncontinue", nil)); err != nil || !h.Arrive(launch) {
		t.Fatal(err)
	}
	if _, err := h.Run(typed(t, all, nil)); err != nil {
		t.Fatal(err)
	}
}

// TestHostedStartsOver: the error with which a program starts over has the commands that make again what the user has
// set: breakpoints with their commands, also of launches to come, and catches.
func TestHostedStartsOver(t *testing.T) {
	for _, c := range []struct{ idle, launch, want string }{
		{"break nowhere\ncommands\nsilent\nend\nrestart", "", "break nowhere\ncommands\n  silent\nend\n"},
		{"catch end\nstart", "", "catch end\n"},
		{"break k if tid.x == 3\ncommands\nprint %r1\nend\ncontinue", "break 6\nwatch total\ncatch error\nrestart program",
			"break k if tid.x == 3\ncommands\n  print %r1\nend\nbreak k.s:6\nwatch total\ncatch error\n"},
		{"run", "", ""}, // it has not run before
	} {
		h, out, idle, launch := hosted(t)
		err := h.Stop(idle, "idle", typed(t, c.idle, nil))
		if c.launch != "" && err == nil && h.Arrive(launch) {
			_, err = h.Run(typed(t, c.launch, nil))
		}
		again, ok := err.(*debugger.Again)
		switch {
		case c.want == "" && err != nil:
			t.Errorf("%s: %v", c.idle, err)
		case c.want != "" && (!ok || again.Commands != c.want):
			t.Errorf("%s; %s: %+v, want %s\n%s", c.idle, c.launch, err, c.want, out)
		}
		if c.launch != "" && !strings.Contains(out.String(), "%r1 u32   all: 0\n") {
			t.Errorf("the commands of the breakpoint were not executed:\n%s", out)
		}
		if c.want == "" { // now it has
			if err := h.Stop(idle, "idle", typed(t, "run", nil)); err == nil || err.(*debugger.Again).Commands != "continue\n" {
				t.Errorf("run starts over with %v", err)
			}
		}
	}
}
