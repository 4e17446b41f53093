package dap

import (
	"cmp"
	"debug/elf"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-dap"
)

// HostProgram is a program of the host that is to be debugged.
type HostProgram struct {
	Words []string // the command line after simtrun host
	Dir   string   // its folder; "" for that of simtrun
	Env   []string // added to its environment, as NAME=VALUE
}

// Process is a program of the host that runs.
type Process struct {
	Debugger  <-chan io.ReadWriteCloser // receives the debugger in the program once that uses the driver
	Ended     <-chan int                // receives the exit status, after all output
	Terminate func()                    // asks the program to end
	Kill      func()                    // ends it
}

// isHost reports whether the settings are about a program of the host: a file that the system executes is one, too.
func (l *launchArguments) isHost() bool {
	if l.Host != "" || len(l.Program) != 1 {
		return l.Host != ""
	}
	file, err := os.Open(l.path(l.Program[0]))
	if err != nil {
		return false
	}
	defer file.Close()
	var head [4]byte
	file.Read(head[:])
	return string(head[:]) == elf.ELFMAG || string(head[:2]) == "#!"
}

// path returns a path that is relative to the setting cwd.
func (l *launchArguments) path(file string) string {
	if l.Cwd != "" && !filepath.IsAbs(file) {
		return filepath.Join(l.Cwd, file)
	}
	return file
}

// host returns the program that settings describe.
func (l *launchArguments) host() HostProgram {
	line := flagged(nil, []flag{{"--gpu=", l.GPU}, {"--divergence=", l.Divergence}, {"--check=", strings.Join(l.Check, ",")}})
	name := cmp.Or(l.Host, l.Program.first())
	if strings.Contains(name, "/") || l.Host == "" {
		name = l.path(name)
	}
	return HostProgram{Words: append(append(append(line, l.Flags...), "--", name), l.Args...), Dir: l.Cwd, Env: l.Env}
}

// relay is a session about a program of the host, whose debugger answers the requests in place of this process.
type relay struct {
	s         *session
	process   *Process
	launch    dap.Message // answered when the debugger is there, or the program has ended
	debugger  io.ReadWriteCloser
	received  chan incoming  // from the debugger; nil before it is there, and when it has gone
	asked     []*dap.Request // that it has not answered
	finished  bool           // the program has ended
	said      bool           // the client knows that
	detaching bool           // the client has gone, and the program goes on
	attached  bool           // to a program that was started elsewhere
	// restarting is the request after which a new program has not initialised the driver yet.
	restarting *dap.Request
	ticker     *time.Ticker // of moments to send the program's output
}

// startHost starts a program of the host; launch is answered later.
func (s *session) startHost(m *dap.LaunchRequest, l *launchArguments) error {
	if s.cfg.StartHost == nil {
		return errors.New("programs of the host cannot be debugged here")
	}
	s.console.category = "stderr"
	p, err := s.runHost(l)
	if err != nil {
		return err
	}
	s.relay = &relay{s: s, process: p, launch: m, asked: []*dap.Request{&m.Request}, ticker: time.NewTicker(outputWait)}
	return errAnswered
}

// attach connects to a program that waits for an editor, as simtrun host --listen has it; in that program, it begins
// the session.
func (s *session) attach(m *dap.AttachRequest) (any, error) {
	if s.cfg.Attend != nil {
		var l launchArguments
		if err := json.Unmarshal(m.Arguments, &l); err != nil {
			return nil, err
		}
		return nil, s.begin(&l)
	}
	var at struct {
		Address string
		Port    int
	}
	if err := json.Unmarshal(m.Arguments, &at); err != nil || at.Port == 0 {
		return nil, errors.New(`attach needs the "port" at which a program waits that was started with simtrun host --listen`)
	}
	addr := net.JoinHostPort(cmp.Or(at.Address, "127.0.0.1"), fmt.Sprint(at.Port))
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("no program that simtrun host --listen has started waits at %s: %w", addr, err)
	}
	debuggers, ended := make(chan io.ReadWriteCloser, 1), make(chan int, 2)
	debuggers <- conn
	leave := func() { // at the client's wish and, after it, at the end of the connection
		if conn.Close() == nil {
			close(ended)
		}
	}
	s.relay = &relay{s: s, process: &Process{Debugger: debuggers, Ended: ended, Terminate: leave, Kill: leave}, attached: true,
		launch: m, asked: []*dap.Request{&m.Request}, ticker: time.NewTicker(outputWait)}
	return nil, errAnswered
}

// restart ends the program, and starts it again, with the settings of the request if it has any. It is answered when
// the new one has initialised the driver; the client then sets its breakpoints again, as after launch.
func (r *relay) restart(q *dap.Request, content []byte) {
	launch, ok := r.launch.(*dap.LaunchRequest)
	if !ok {
		r.s.out.fail(q.Seq, q.Command, "the program was started elsewhere: start it there again", true)
		return
	}
	var m struct {
		Arguments struct{ Arguments json.RawMessage }
	}
	if json.Unmarshal(content, &m); len(m.Arguments.Arguments) > 0 {
		launch.Arguments = m.Arguments.Arguments
	}
	l, _, err := parseLaunch(launch.Arguments)
	if err != nil {
		r.s.out.fail(q.Seq, q.Command, err.Error(), true)
		return
	}
	r.kill()
	for _, asked := range r.asked {
		r.s.out.fail(asked.Seq, asked.Command, "the program starts over", false)
	}
	r.asked = []*dap.Request{q}
	if r.process, err = r.s.runHost(l); err != nil {
		r.asked, r.finished = nil, true
		r.s.out.fail(q.Seq, q.Command, err.Error(), true)
		r.s.out.event("terminated", nil)
		return
	}
	r.restarting, r.finished, r.said = q, false, false
}

// kill ends the program, if it runs.
func (r *relay) kill() {
	if !r.finished {
		r.process.Kill()
		<-r.process.Ended
	}
	if r.debugger != nil {
		r.debugger.Close()
	}
	r.debugger, r.received = nil, nil
	r.flush()
}

// runHost starts the program that settings describe.
func (s *session) runHost(l *launchArguments) (*Process, error) {
	return s.cfg.StartHost(s.ctx, l.host(), Streams{Kernel: s.kernel, Console: s.console, Notes: s.console})
}

// serve relays messages until the client disconnects, or ctx ends.
func (r *relay) serve(messages <-chan incoming) error {
	defer r.end()
	for {
		err := r.next(messages)
		if err == nil {
			err = r.s.out.failed()
		}
		if err != nil {
			return err
		}
	}
}

// next handles the next message of either side, or the end of the program.
func (r *relay) next(messages <-chan incoming) error {
	debuggers, ended := r.process.Debugger, r.process.Ended
	if r.finished {
		debuggers, ended = nil, nil
	}
	if r.detaching {
		messages = nil
	}
	select {
	case <-r.s.ctx.Done():
		return r.s.ctx.Err()
	case one := <-messages:
		return r.receive(&one)
	case conn := <-debuggers:
		r.connect(conn)
	case one := <-r.received:
		r.forward(&one)
	case <-r.ticker.C:
		r.flush()
	case code := <-ended:
		return r.exited(code)
	}
	return nil
}

// end ends the program, if it runs.
func (r *relay) end() {
	r.ticker.Stop()
	r.kill()
}

// receive handles a message of the client.
func (r *relay) receive(one *incoming) error {
	m, ok := one.message.(dap.RequestMessage)
	if !ok || one.err != nil {
		return r.s.receive(one)
	}
	q := m.GetRequest()
	switch m.(type) {
	case *dap.DisconnectRequest:
		if !lets(one.content) || r.debugger == nil || r.finished {
			r.end()
			r.finished = true
			r.s.out.answer(q, nil)
			return errGone
		}
		r.detaching = true
		r.debugger.Close()
		r.s.out.answer(q, nil)
		return nil
	case *dap.TerminateRequest:
		r.process.Terminate()
		r.s.out.answer(q, nil)
		return nil
	}
	switch {
	case r.finished:
		r.s.out.fail(q.Seq, q.Command, "the program has ended", false)
	case q.Command == "restart":
		r.restart(q, one.content)
	case r.debugger == nil:
		r.s.out.fail(q.Seq, q.Command, "the program has not called the driver yet", false)
	default:
		r.asked = append(r.asked, q)
		r.send(one.content)
	}
	return nil
}

// lets reports whether a request says that the program is to go on without the client.
func lets(disconnect []byte) bool {
	var m struct {
		Arguments struct{ TerminateDebuggee *bool }
	}
	json.Unmarshal(disconnect, &m)
	return m.Arguments.TerminateDebuggee != nil && !*m.Arguments.TerminateDebuggee
}

// send sends a message to the debugger. Errors show when the program ends.
func (r *relay) send(content []byte) { dap.WriteBaseMessage(r.debugger, content) }

// connect begins to relay to the debugger of the program. Those of other processes let these run.
func (r *relay) connect(conn io.ReadWriteCloser) {
	if r.debugger != nil {
		conn.Close()
		return
	}
	r.debugger, r.received = conn, make(chan incoming)
	go read(r.s.ctx, conn, r.received)
	for _, m := range []any{
		&dap.InitializeRequest{Request: dap.Request{ProtocolMessage: dap.ProtocolMessage{Type: "request"}, Command: "initialize"}, Arguments: r.s.client},
		r.launch,
	} {
		if content, err := json.Marshal(m); err == nil {
			r.send(content)
		}
	}
}

// forward sends a message of the debugger to the client, with a number of this session.
func (r *relay) forward(one *incoming) {
	content := one.content
	if content == nil {
		if r.received = nil; r.attached {
			r.process.Kill()
		}
		return
	}
	switch m := one.message.(type) {
	case dap.ResponseMessage:
		of := m.GetResponse()
		if of.Command == "initialize" {
			return
		}
		if q := r.restarting; of.Command == "launch" && q != nil {
			r.restarting, r.asked = nil, nil
			if r.s.out.answer(q, nil); !of.Success {
				r.s.out.event("terminated", nil)
			}
			return
		}
		r.asked = slices.DeleteFunc(r.asked, func(q *dap.Request) bool { return q.Seq == of.RequestSeq })
	case *dap.TerminatedEvent:
		r.said = true
	}
	r.flush()
	r.s.out.forward(content)
}

// flush sends the program's output.
func (r *relay) flush() {
	r.s.kernel.flush()
	r.s.console.flush()
}

// exited tells the client that the program has ended.
func (r *relay) exited(code int) error {
	r.finished = true
	for r.received != nil { // what the debugger has sent before the end
		one := <-r.received
		r.forward(&one)
	}
	if r.detaching {
		return errGone
	}
	r.flush()
	for _, q := range r.asked {
		if q.Command == "launch" || q.Command == "restart" {
			r.s.out.answer(q, nil)
		} else {
			r.s.out.fail(q.Seq, q.Command, "the program has ended", false)
		}
	}
	r.restarting = nil
	if !r.attached {
		r.s.out.event("exited", &dap.ExitedEventBody{ExitCode: code})
	}
	if !r.said {
		r.s.out.event("terminated", nil)
	}
	return nil
}
