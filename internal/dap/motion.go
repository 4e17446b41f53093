package dap

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/debugger"
)

// motion is a command that executes something, in a goroutine of its own.
type motion struct {
	cancel context.CancelFunc
	done   chan ending // receives one
	start  func()      // begins it; nil afterwards
	kind   debugger.Motion
	// interrupts says that the motion can be interrupted, and go on later.
	interrupts bool
	paused     bool          // by the user
	ends       bool          // the launch is to be terminated
	request    *dap.Request  // of a command of the console, which is answered afterwards; nil for others
	was        string        // the step and the focus before
	edits      int           // of the user, before
	progress   func() string // what is done
	ticker     *time.Ticker  // nil if the client wants no reports
	reported   bool          // progressStart was sent
	id         string        // of the progress
}

// ending is how a motion has ended.
type ending struct {
	stop  debugger.Stop
	err   error
	panic any
}

// last waits for the end of the motion, if it has begun.
func (m *motion) last() (end ending) {
	if m.start == nil {
		end = <-m.done
	}
	return end
}

// tick returns the channel of moments to report progress.
func (m *motion) tick() <-chan time.Time {
	if m.ticker == nil {
		return nil
	}
	return m.ticker.C
}

// reportEvery is the time between reports of progress.
const reportEvery = time.Second

// run begins a motion after the answer to its request.
func (s *session) run(m *motion, do func(context.Context) (debugger.Stop, error)) {
	ctx, cancel := context.WithCancel(s.ctx)
	m.cancel, m.done, m.was, m.edits = cancel, make(chan ending, 1), s.whereabouts(), s.target.Edits()
	program := s.target.Program()
	m.progress = func() string {
		done, all := program.Progress()
		return fmt.Sprintf("%d of %d blocks done", done, all)
	}
	s.motion = m
	m.start = func() {
		if s.client.SupportsProgressReporting && s.target.host == nil {
			m.ticker = time.NewTicker(reportEvery)
		}
		go func() {
			var end ending
			defer func() {
				if r := recover(); r != nil {
					end.panic = r
				}
				m.done <- end
			}()
			end.stop, end.err = do(ctx)
		}()
	}
}

// whereabouts returns the machine, the step and the focus as text, to see whether a command has moved.
func (s *session) whereabouts() string {
	at, ok := s.target.Focus()
	return fmt.Sprintf("%p %s %v %v", s.target.Program(), s.target.Step(), at, ok)
}

// move begins a motion of the warp with a number of the protocol, or 0 for the one in focus.
//
//go:noinline
func (s *session) move(kind debugger.Motion, thread int) error {
	return s.moveWith(kind, thread, func(ctx context.Context) (debugger.Stop, error) { return s.target.move(ctx, kind) })
}

// moveWith begins a motion that do carries out.
func (s *session) moveWith(kind debugger.Motion, thread int, do func(context.Context) (debugger.Stop, error)) error {
	if s.over {
		return errOver
	}
	if thread != 0 && thread != endedThread {
		if err := s.target.MoveTo(warpOf(thread)); err != nil {
			return err
		}
	}
	s.forget()
	s.into = nil
	s.run(&motion{kind: kind, interrupts: kind == debugger.Onwards}, do)
	return nil
}

var errOver = errors.New("the launches have ended; restart starts them again")

// reportProgress tells the client how far a long motion is.
func (s *session) reportProgress() {
	m := s.motion
	if !m.reported {
		m.reported, m.id = true, fmt.Sprintf("motion %d", s.out.number())
		s.out.event("progressStart", &dap.ProgressStartEventBody{ProgressId: m.id, Title: "simtrun", Cancellable: true, Message: m.progress()})
		return
	}
	s.out.event("progressUpdate", &dap.ProgressUpdateEventBody{ProgressId: m.id, Message: m.progress()})
}

// arrived handles the end of a motion.
func (s *session) arrived(end ending) error {
	m := s.motion
	if end.panic != nil {
		panic(end.panic)
	}
	m.cancel()
	s.motion = nil
	if m.ticker != nil {
		m.ticker.Stop()
	}
	if m.reported {
		s.out.event("progressEnd", &dap.ProgressEndEventBody{ProgressId: m.id})
	}
	s.kernel.flush()
	waiting := s.waiting
	s.waiting = nil
	if m.request != nil {
		return s.answered(m, end)
	}
	s.console.flush()
	if end.err != nil {
		s.out.event("output", &dap.OutputEventBody{Category: "important", Output: end.err.Error() + "\n"})
	}
	s.points.setPending(s)
	for _, request := range waiting {
		if err := s.handle(request); err != nil {
			return err
		}
	}
	if m.ends {
		return s.end()
	}
	if end.stop.Outside {
		s.move(debugger.Onwards, 0)
		return s.afterwards("")
	}
	again := len(waiting) > 0 && end.stop.Interrupted && !m.paused
	next := end.stop.Begun && end.stop.Why == "" && !end.stop.Ended && end.stop.Failure == nil && len(end.stop.Points) == 0 && !s.launch.StopOnEntry
	if m.kind == debugger.Onwards && (again || next) {
		s.move(debugger.Onwards, 0)
		return s.afterwards("")
	}
	return s.stopAt(m.kind, &end.stop)
}

// stopAt tells the client where the launches are.
func (s *session) stopAt(kind debugger.Motion, stop *debugger.Stop) error {
	_, failed := s.target.Fault()
	switch {
	case stop.Why != "":
		s.stopOutside(stop)
	case stop.Ended && !s.launch.StopAtEnd && kind != debugger.Backwards:
		return s.end()
	case failed && (stop.Failure == nil && kind == debugger.Onwards || !s.points.stopsAtFaults()):
		return s.end()
	case stop.Failure != nil:
		f, _ := s.target.Fault()
		s.stop("exception", f.Rule, func(b *dap.StoppedEventBody) { b.Text = f.Text })
	case stop.Ended:
		s.stop("pause", "The launches have ended", nil)
	case len(stop.Points) > 0:
		reason, ids := s.points.reason(s, stop.Points)
		s.stop(reason, "", func(b *dap.StoppedEventBody) { b.HitBreakpointIds = ids })
	case stop.Interrupted:
		s.stop("pause", "", nil)
	case stop.Begun:
		s.stop("entry", fmt.Sprintf("Launch %d begins", s.target.Launch()+1), nil)
	case kind == again:
		s.stop("restart", "", nil)
	case kind == debugger.Onwards:
		s.stop("pause", "The launch cannot go on", nil)
	case kind == debugger.Backwards:
		s.stop("entry", "The beginning of the launch", nil)
	default:
		s.stop("step", "", nil)
	}
	return nil
}

// stopOutside tells the client why a program of the host has stopped between launches, or at the beginning of one.
func (s *session) stopOutside(stop *debugger.Stop) {
	reason, what := "pause", strings.ToUpper(stop.Why[:1])+stop.Why[1:]
	switch {
	case stop.Begun:
		reason, what = "entry", "Before "+stop.Why
	case stop.Thrown:
		reason, what = "exception", "Between launches"
	}
	s.stop(reason, what, func(b *dap.StoppedEventBody) { b.Text = stop.Why })
	if stop.Thrown {
		s.thrown = stop.Why
	}
}

// stop sends the event for a stop, to which with may add.
func (s *session) stop(reason, description string, with func(*dap.StoppedEventBody)) {
	s.kernel.flush()
	s.console.flush()
	s.threads, s.thrown = s.findThreads(), ""
	body := &dap.StoppedEventBody{Reason: reason, Description: description, ThreadId: s.threads[0].Id, AllThreadsStopped: true}
	if with != nil {
		with(body)
	}
	s.out.event("stopped", body)
}

// end tells the client that the launches have ended.
func (s *session) end() error {
	s.kernel.flush()
	s.console.flush()
	if !s.over && s.target.host == nil { // otherwise the end of the process is reported
		s.out.event("exited", &dap.ExitedEventBody{ExitCode: s.target.ExitCode()})
	}
	if !s.over {
		s.out.event("terminated", nil)
	}
	s.over = true
	return nil
}

// reply answers a command of the console with what it has printed, or with its error.
func (s *session) reply(r *dap.Request, err error) {
	text := s.console.take()
	if err != nil {
		s.out.fail(r.Seq, r.Command, err.Error(), true)
	} else {
		s.out.answer(r, &dap.EvaluateResponseBody{Result: trimmed(text)})
	}
	s.points.setPending(s)
}

// answered handles the end of a motion that is a command of the console.
func (s *session) answered(m *motion, end ending) error {
	if errors.Is(end.err, debugger.ErrQuit) {
		s.out.answer(m.request, &dap.EvaluateResponseBody{Result: s.console.take()})
		return s.end()
	}
	s.reply(m.request, end.err)
	if s.whereabouts() != m.was || end.stop.Ended {
		s.forget()
		if end.stop.Ended || end.stop.Failure != nil {
			return s.stopAt(debugger.Into, &end.stop)
		}
		s.stop("step", "", nil)
	} else if s.target.Edits() != m.edits {
		s.invalidate()
	}
	return nil
}

// granular returns one of two motions, by lines or by instructions.
func granular(of dap.SteppingGranularity, line, instruction debugger.Motion) debugger.Motion {
	if of == "instruction" {
		return instruction
	}
	return line
}

func (s *session) next(m *dap.NextRequest) (any, error) {
	return nil, s.move(granular(m.Arguments.Granularity, debugger.Over, debugger.OverInstruction), m.Arguments.ThreadId)
}

func (s *session) stepIn(m *dap.StepInRequest) (any, error) {
	if n := m.Arguments.TargetId; n != 0 {
		return nil, s.moveInto(m.Arguments.ThreadId, n)
	}
	return nil, s.move(granular(m.Arguments.Granularity, debugger.Into, debugger.IntoInstruction), m.Arguments.ThreadId)
}

func (s *session) stepOut(m *dap.StepOutRequest) (any, error) {
	return nil, s.move(debugger.Out, m.Arguments.ThreadId)
}

func (s *session) stepBack(m *dap.StepBackRequest) (any, error) {
	return nil, s.move(granular(m.Arguments.Granularity, debugger.BackOver, debugger.BackInstruction), m.Arguments.ThreadId)
}

func (s *session) goOn(*dap.ContinueRequest) (any, error) {
	return &dap.ContinueResponseBody{AllThreadsContinued: true}, s.move(debugger.Onwards, 0)
}

func (s *session) goBack(*dap.ReverseContinueRequest) (any, error) {
	return nil, s.move(debugger.Backwards, 0)
}

// pause interrupts the motion under way.
func (s *session) pause(*dap.PauseRequest) (any, error) {
	if s.target == nil {
		return nil, errors.New("there is no launch yet: the request launch comes first")
	}
	if s.motion == nil {
		return nil, nil
	}
	if s.target.host != nil {
		s.target.host.Pause()
	}
	s.motion.cancel()
	s.motion.paused = true
	return nil, nil
}
