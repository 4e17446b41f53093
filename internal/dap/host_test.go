package dap_test

import (
	"bytes"
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
	fmt.Fprintf(to.Kernel, "%s\n", strings.Join(append(what.Words, what.Env...), " "))
	p, err := newHostProgram(words[0], to.Kernel)
	if err != nil {
		return nil, err
	}
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

// newHostProgram makes a program that launches the kernel of a file.
func newHostProgram(file string, to io.Writer) (*hostProgram, error) {
	text, err := packed.ReadFile(file)
	if err != nil {
		return nil, err
	}
	mod, err := asm.Parse("module1.ptx", text)
	if err != nil {
		return nil, err
	}
	p := &hostProgram{out: to, kernel: mod.Entries()[0].Name, killed: make(chan bool)}
	if p.machine, err = interp.New(mod, interp.Config{MaxSteps: 1e15}); err != nil {
		return nil, err
	}
	out, err := p.machine.Alloc("out", 512)
	if err != nil {
		return nil, err
	}
	p.buffer = debugger.Buffer{Region: out, Elem: isa.U32}
	return p, nil
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

// TestPauseStopsAtNextLaunch: a program that is executing something else stops at its next launch, takes breakpoints
// meanwhile, and is killed by disconnect.
func TestPauseStopsAtNextLaunch(t *testing.T) {
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

// TestProgramStartsOver: restart ends a program of the host and begins another process of it, in which breakpoints are
// set again, with the settings that come with it. One that does not use the driver is answered, too.
func TestProgramStartsOver(t *testing.T) {
	got := session(t).play(`> initialize {"adapterID":"x","linesStartAt1":true}
> launch {"host":"testdata/kernel.ptx","args":["first"]}
> setFunctionBreakpoints {"breakpoints":[{"name":"k"}]}
>> configurationDone
>> continue {"threadId":1}
> restart {"arguments":{"host":"testdata/kernel.ptx","args":["second"]}}
> setBreakpoints {"source":{"path":"module1.ptx"},"breakpoints":[{"line":24}]}
>> configurationDone
> stackTrace {"threadId":1}
> restart {"arguments":{"host":"testdata/kernel.ptx","args":["quiet"]}}
> threads
> disconnect
`)
	at := 0
	for _, want := range []string{
		"* initialized\n", `* stopped {"reason":"function breakpoint"`, "> restart", "* initialized\n",
		`* stopped {"reason":"breakpoint"`, `"line":25`, "> restart", "> threads\n", `* exited {"exitCode":7}`, "* terminated\n",
	} {
		n := strings.Index(got[at:], want)
		if n < 0 {
			t.Fatalf("the session lacks %q after\n%s\nin\n%s", want, got[:at], got)
		}
		at += n
	}
}

// waitingProgram starts a program that waits for an editor at a port, as simtrun host --listen does. The channel
// receives what it has printed when it has ended.
func waitingProgram(t *testing.T) (port int, printed <-chan string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	out := make(chan string, 1)
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		var text bytes.Buffer
		p, err := newHostProgram("testdata/kernel.ptx", &text)
		if err != nil {
			text.WriteString(err.Error())
		} else {
			p.run(conn, false)
		}
		out <- text.String()
	}()
	return l.Addr().(*net.TCPAddr).Port, out
}

// TestAttachDebugsWaitingProgram: a program that waits is debugged like one that was launched; its output is its own.
// It goes on when the editor leaves, and when it has ended the session has, too.
func TestAttachDebugsWaitingProgram(t *testing.T) {
	const all = "launch 1: 40\nlaunch 2: 40\nlaunch 3: 40\n"
	for _, c := range []struct{ rest, want string }{
		{"> disconnect\n", "> disconnect\n"},
		{">> terminate\n> threads\n", "* terminated\n> threads\n! the program has ended\n"},
		{"> restart\n> setFunctionBreakpoints {\"breakpoints\":[]}\n>> continue {\"threadId\":1}\n> disconnect\n", "! the program was started elsewhere: start it there again\n"},
	} {
		port, printed := waitingProgram(t)
		got := session(t).play(fmt.Sprintf(`> initialize {"adapterID":"x","linesStartAt1":true}
> attach {"port":%d}
> setFunctionBreakpoints {"breakpoints":[{"name":"k"}]}
>> configurationDone
> stackTrace {"threadId":1}
`, port) + c.rest)
		if !strings.Contains(got, `* stopped {"reason":"function breakpoint"`) || !strings.Contains(got, c.want) || strings.Contains(got, "exited") || strings.Contains(got, "no setting") {
			t.Errorf("the session is\n%s", got)
		}
		if text := <-printed; text != all {
			t.Errorf("the program has printed %q, want %q", text, all)
		}
	}
}
