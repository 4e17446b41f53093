package dap_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/dap"
	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/functional"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/packed"
	"github.com/simtrun/simtrun/interp"
)

// hostProgram stands for a program of the host: it launches the kernel of a file three times, and prints what a thread
// has written. A call of the driver fails before the third launch. With the argument quiet it does not use the driver.
type hostProgram struct {
	out     io.Writer
	machine *interp.Machine
	buffer  debugger.Buffer
	kernel  string
	killed  chan bool
}

// startHost begins such a program: file, and further arguments.
func startHost(_ context.Context, what dap.HostProgram, to dap.Streams) (*dap.Process, error) {
	words := what.Words[slices.Index(what.Words, "--")+1:]
	text, err := packed.ReadFile(words[0])
	if err != nil {
		return nil, err
	}
	mod, err := asm.Parse("module1.ptx", text)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(to.Kernel, "%s\n", strings.Join(append(what.Words, what.Env...), " "))
	p := &hostProgram{out: to.Kernel, kernel: mod.Entries()[0].Name, killed: make(chan bool)}
	if p.machine, err = interp.New(mod, interp.Config{MaxSteps: 1e15}); err != nil {
		return nil, err
	}
	out, err := p.machine.Alloc("out", 512)
	if err != nil {
		return nil, err
	}
	p.buffer = debugger.Buffer{Region: out, Elem: isa.U32}
	here, there := net.Pipe()
	debuggers, ended := make(chan io.ReadWriteCloser, 1), make(chan int, 1)
	go func() {
		switch {
		case slices.Contains(words, "quiet"):
			fmt.Fprintln(p.out, "no driver")
		default:
			debuggers <- here
			p.run(there, slices.Contains(words, "sleeps"))
		}
		there.Close()
		ended <- 7
	}()
	return &dap.Process{Debugger: debuggers, Ended: ended, Terminate: func() { close(p.killed) }, Kill: func() { close(p.killed) }}, nil
}

// run runs the program, with its debugger at the other end of conn.
func (p *hostProgram) run(conn net.Conn, sleeps bool) {
	served := make(chan error, 1)
	a := debugger.NewAttended(debugger.Config{Out: io.Discard, Sources: make(map[string][]string)})
	go func() {
		served <- dap.Serve(context.Background(), conn, conn, dap.Config{Attend: func(dap.Streams) dap.Attended { return a }})
	}()
	ended := make(chan bool)
	go func() { defer close(ended); p.main(a, sleeps) }()
	select {
	case <-ended:
		conn.Close()
	case <-p.killed:
		conn.Close()
		<-served
		<-ended
		return
	}
	<-served
}

// main is the program.
func (p *hostProgram) main(a *debugger.Attended, sleeps bool) {
	one := isa.Dim{X: 1, Y: 1, Z: 1}
	idle := &debugger.Program{Machine: p.machine, Launches: make([]interp.Launch, 1), Buffers: []debugger.Buffer{p.buffer}}
	launch := interp.Launch{Kernel: p.kernel, Grid: one, Block: isa.Dim{X: 32, Y: 1, Z: 1}, Params: binary.LittleEndian.AppendUint64(nil, p.buffer.Base)}
	a.Stop(idle, "the program has initialised the driver")
	for i := range 3 {
		if i == 2 && a.Catches(debugger.CatchError) {
			a.Stop(idle, "prog.c:9: cuMemFree returned CUDA_ERROR_INVALID_VALUE")
		}
		if sleeps {
			select {
			case <-time.After(50 * time.Millisecond):
			case <-p.killed:
				return
			}
		}
		here := launch
		if a.Arrive(&debugger.Program{Machine: p.machine, Launches: []interp.Launch{here}, Buffers: idle.Buffers}) {
			if _, err := a.Run(); err != nil {
				fmt.Fprintf(p.out, "launch %d: %v\n", i+1, err)
				return
			}
		} else if s, err := functional.Begin(p.machine, here); err != nil || s.Continue(context.Background()) != nil {
			return
		}
		fmt.Fprintf(p.out, "launch %d: %d\n", i+1, p.buffer.Data[4*20])
	}
}

// TestHostProgramRunsWithoutDebugger: a program that does not use the driver is launched, and its end is reported.
func TestHostProgramRunsWithoutDebugger(t *testing.T) {
	got := session(t).play(`> initialize {"adapterID":"x"}
>> launch {"host":"testdata/kernel.ptx","args":["quiet"]}
> threads
> disconnect
`)
	for _, want := range []string{`o stdout "-- testdata/kernel.ptx quiet\nno driver\n"`, `* exited {"exitCode":7}`, "* terminated\n", "! the program has ended\n"} {
		if !strings.Contains(got, want) {
			t.Errorf("the session lacks %q:\n%s", want, got)
		}
	}
}

// TestPauseBetweenLaunches: a program that is executing something else stops at its next launch, takes breakpoints
// meanwhile, and is killed by disconnect.
func TestPauseBetweenLaunches(t *testing.T) {
	got := session(t).play(`> initialize {"adapterID":"x","linesStartAt1":true}
> launch {"host":"testdata/kernel.ptx","args":["sleeps"]}
> configurationDone
>> pause {"threadId":1}
> continue {"threadId":1}
>> setBreakpoints {"source":{"path":"module1.ptx"},"breakpoints":[{"line":24}]}
> disconnect
`)
	for _, want := range []string{
		`* stopped {"reason":"pause","threadId":1`, `* stopped {"reason":"breakpoint","threadId":1`,
		"< {\"breakpoints\":[{\"id\":1,\"verified\":true", "> disconnect\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the session lacks %q:\n%s", want, got)
		}
	}
}

// TestProgramGoesOnWithoutEditor: disconnect can let the program go on, whose end is awaited.
func TestProgramGoesOnWithoutEditor(t *testing.T) {
	got := session(t).play(`> initialize {"adapterID":"x"}
> launch {"host":"testdata/kernel.ptx","stopOnEntry":true}
> setFunctionBreakpoints {"breakpoints":[{"name":"k"}]}
>> configurationDone
>> continue {"threadId":1}
> disconnect {"terminateDebuggee":false}
`)
	if !strings.Contains(got, "* stopped {\"reason\":\"function breakpoint\"") || !strings.HasSuffix(got, "> disconnect {\"terminateDebuggee\":false}\n") {
		t.Errorf("the session is\n%s", got)
	}
}
