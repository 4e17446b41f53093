// Package dap serves editors: it translates the Debug Adapter Protocol to operations of package debugger. Warps of
// resident blocks are the protocol's threads, and a frame has the lane in focus, the whole warp, shared memory and the
// launch as scopes.
package dap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/debugger"
)

// Config configures a server.
type Config struct {
	// Start begins the launches that a command line of simtrun debug describes, without the words simtrun debug.
	Start func(ctx context.Context, words []string, to Streams) (*Target, error)
	// StartHost starts a program of the host, whose process has the debugger; nil if there are none.
	StartHost func(ctx context.Context, p HostProgram, to Streams) (*Process, error)
	// Attend returns the debugger of the program that this process is. The other functions are then not used.
	Attend func(to Streams) Attended
}

// Streams receive texts of a session.
type Streams struct {
	Kernel  io.Writer // receives the output of kernels
	Console io.Writer // receives the output of the debugger
	Notes   io.Writer // warnings about the program
}

// Target is the launches of a session.
type Target struct {
	*debugger.Debugger
	// ExitCode returns the exit status of the launches when they have ended.
	ExitCode func() int
	host     Attended // the debugger is that of a program of the host; else nil
}

// isCommand and mayExecute are about words and lines of the console; move and command carry out motions and lines.
func (t *Target) isCommand(word string) bool {
	return t.IsCommand(word) || t.host != nil && t.host.IsOfPrograms(word)
}

func (t *Target) mayExecute(line string) bool {
	return t.MayExecute(line) || t.host != nil && t.host.IsOfPrograms(strings.TrimSpace(line))
}

func (t *Target) move(ctx context.Context, m debugger.Motion) (debugger.Stop, error) {
	if t.host != nil {
		return t.host.MoveProgram(ctx, m)
	}
	return t.Move(ctx, m)
}

func (t *Target) command(ctx context.Context, line string) (debugger.Stop, error) {
	if t.host != nil {
		return t.host.CommandProgram(ctx, line)
	}
	return t.Command(ctx, line)
}

// Attended is the debugger of the program that this process is: a *debugger.Attended. simtrun itself has none, and is
// smaller without its code.
type Attended interface {
	Begin(place func()) *debugger.Debugger
	Catch(kinds []string)
	IsOfPrograms(word string) bool
	MoveProgram(ctx context.Context, m debugger.Motion) (debugger.Stop, error)
	CommandProgram(ctx context.Context, line string) (debugger.Stop, error)
	Pause()
	Leave()
}

// errGone says that the client has ended the session.
var errGone = errors.New("the session has ended")

// session is a conversation with an editor.
type session struct {
	cfg     Config
	ctx     context.Context
	out     *sender
	console *console
	kernel  *console

	client  dap.InitializeRequestArguments
	begun   bool // initialize was answered
	launch  *launchArguments
	target  *Target
	relay   *relay // to the debugger in a program of the host; else nil
	configs bool   // configurationDone was received
	over    bool   // terminated was sent
	thrown  string // at what a program of the host has stopped between launches; else ""

	motion  *motion // under way, or nil
	waiting []dap.RequestMessage
	threads []dap.Thread // at the last stop
	into    []string     // targets of stepIn that the client knows, by number from 1
	handles handles
	points  points
	sources sources
}

// Serve answers the requests of a client until it disconnects, in ends, or ctx does. A message that cannot be read ends
// it with an error.
func Serve(ctx context.Context, in io.Reader, out io.Writer, cfg Config) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &session{cfg: cfg, ctx: ctx, out: &sender{to: out}}
	s.console = &console{s: s.out, category: "console"}
	s.kernel = &console{s: s.out, category: "stdout"}
	s.points.init()
	messages := make(chan incoming)
	go read(ctx, in, messages)
	err := s.serve(messages)
	if s.relay != nil && err == nil {
		err = s.relay.serve(messages)
	}
	if m := s.motion; m != nil {
		m.cancel()
		if end := m.last(); end.panic != nil {
			panic(end.panic)
		}
	}
	if s.target != nil && s.target.host != nil {
		s.target.host.Leave()
	}
	if errors.Is(err, errGone) || errors.Is(err, io.EOF) {
		return s.out.failed()
	}
	return err
}

// incoming is a message, or the error in place of one.
type incoming struct {
	message dap.Message
	err     error
	content []byte
}

// read reads messages until the stream ends or cannot be read.
func read(ctx context.Context, in io.Reader, to chan<- incoming) {
	r := bufio.NewReader(in)
	for {
		content, err := dap.ReadBaseMessage(r)
		one := incoming{err: err, content: content}
		if err == nil {
			one.message, one.err = dap.DecodeProtocolMessage(content)
		}
		select {
		case to <- one:
		case <-ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

// serve handles messages and the ends of motions, until a program of the host has been started.
func (s *session) serve(messages <-chan incoming) error {
	for s.relay == nil {
		var done chan ending
		var tick <-chan time.Time
		if s.motion != nil {
			done, tick = s.motion.done, s.motion.tick()
		}
		var err error
		select {
		case <-s.ctx.Done():
			return s.ctx.Err()
		case one := <-messages:
			err = s.receive(&one)
		case end := <-done:
			err = s.arrived(end)
		case <-tick:
			s.reportProgress()
		}
		if err != nil {
			return err
		}
		if err := s.out.failed(); err != nil {
			return err
		}
	}
	return nil
}

// receive handles a message that was read.
func (s *session) receive(one *incoming) error {
	switch m := one.message.(type) {
	case dap.RequestMessage:
		if one.err == nil {
			return s.handle(m)
		}
	case dap.Message:
		if one.err == nil {
			return nil // a response or an event: there is nothing to do
		}
	}
	if one.content == nil {
		return one.err
	}
	var head struct {
		Seq     int    `json:"seq"`
		Command string `json:"command"`
	}
	if json.Unmarshal(one.content, &head); head.Command == "" {
		head.Command = "unknown"
	}
	text := one.err.Error()
	if unknown := (*dap.DecodeProtocolMessageFieldError)(nil); errors.As(one.err, &unknown) {
		text = fmt.Sprintf("no %s %q", unknown.FieldName, unknown.FieldValue)
	}
	s.out.fail(head.Seq, head.Command, text, true)
	return nil
}

// handle carries out a request.
func (s *session) handle(m dap.RequestMessage) error {
	r := m.GetRequest()
	h := handlerOf(r.Command)
	var err error
	switch {
	case h == nil:
		err = fmt.Errorf("no command %q", r.Command)
	case h.no != "":
		err = errors.New(r.Command + " is not supported: " + h.no)
	case !s.begun && h.when != first && h.when != always:
		err = errors.New("the first request is initialize")
	case s.target == nil && (h.when == stopped || h.when == changing):
		err = errors.New("there is no launch yet: the request launch comes first")
	case s.motion != nil && h.when == changing && s.motion.interrupts:
		s.waiting = append(s.waiting, m)
		s.motion.cancel()
		return nil
	case s.motion != nil && (h.when == stopped || h.when == changing):
		err = errRunning
	default:
		var body any
		if body, err = h.carryOut(s, m); err == errAnswered {
			return nil
		} else if err == nil || errors.Is(err, errGone) {
			s.out.answer(r, body)
			if err == nil {
				err = s.afterwards(r.Command)
			}
			return err
		}
	}
	s.out.fail(r.Seq, r.Command, err.Error(), !errors.Is(err, errStale) && !errors.Is(err, errRunning) && !byItself(m))
	return nil
}

// byItself reports whether an editor asks by itself, for a watch or a hover, and shows an error in the place of the
// value. Questions can also come after the launch has gone on.
func byItself(m dap.RequestMessage) bool {
	e, ok := m.(*dap.EvaluateRequest)
	return ok && e.Arguments.Context != "repl"
}

var errRunning = errors.New("the launch is running; pause stops it")

// errAnswered says that a request is answered later, or was answered.
var errAnswered = errors.New("answered")

// afterwards does the work that must follow the answer to a request.
func (s *session) afterwards(command string) error {
	switch command {
	case "launch", "attach":
		s.out.event("initialized", nil)
	case "configurationDone", "restart":
		return s.goAhead()
	}
	if s.motion != nil && s.motion.start != nil {
		start := s.motion.start
		s.motion.start = nil
		start()
	}
	return nil
}

// goAhead begins when the client has configured the session.
func (s *session) goAhead() error {
	if s.target == nil || !s.configs {
		return nil
	}
	if s.launch.StopOnEntry && s.target.host != nil {
		s.stop("entry", "The program has initialised the driver", nil)
		return nil
	}
	if s.launch.StopOnEntry {
		s.stop("entry", "Before the first instruction", nil)
		return nil
	}
	s.move(debugger.Onwards, 0)
	return s.afterwards("")
}
