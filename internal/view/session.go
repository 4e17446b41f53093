package view

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"github.com/simtrun/simtrun/internal/debugger"
	"github.com/simtrun/simtrun/internal/report"
	"github.com/simtrun/simtrun/internal/sm"
)

// Config configures a Session.
type Config struct {
	// Load reads and plans a program: that of the session if the text is nil. Its error is shown to the user.
	Load func(ctx context.Context, o Open) (*Program, error)
	// Steps is how many warp instructions are executed at most; 0 means DefaultSteps.
	Steps int64
	// Text loads a message's own text, without files: of lessons. Without it there are none.
	Text func(ctx context.Context, o Open) (*Program, error)
	// History is how many bytes the copies may take from which a session goes back; 0 means the debugger's default.
	History int64
}

// DefaultSteps is the default of Config.Steps.
const DefaultSteps = 2_000_000

// Program is launches, ready to begin.
type Program struct {
	Files    []File // sources, the one that can be edited first
	Settings Settings
	GPU      string // "" without one
	Model    string // of divergence
	// Sources maps file names, as in positions, to lines.
	Sources map[string][]string
	// Prepare makes a new machine.
	Prepare func() (*debugger.Program, error)
	Clock   *sm.Options // nil without a clock
	// Check executes the launches on another machine with all checks. It returns the findings and what kernels printed.
	Check func(ctx context.Context) (findings []Finding, output string, err error)
	// Measure executes the launches on another machine with counters, and tells the recorder, which may be nil, what
	// happens if they have a clock. A launch that ends with an error is in the report.
	Measure func(ctx context.Context, to sm.Recorder) (*report.Document, error)
	// Findings are those that were found before anything was executed: with any, nothing is.
	Findings []Finding
}

// checkTime is how long the checks of a program may take.
const checkTime = 20 * time.Second

// Session is a conversation with a client. Its methods may be called by several goroutines.
type Session struct {
	cfg     Config
	mu      sync.Mutex
	program *Program
	d       *debugger.Debugger // nil until a program was opened whose launches could begin
	record  *record
	opened  *Opened
	answers cache
	// measured is nil until something has needed it.
	measured *measured
}

// New returns a session without a program.
func New(cfg Config) *Session {
	if cfg.Steps == 0 {
		cfg.Steps = DefaultSteps
	}
	return &Session{cfg: cfg}
}

// Message answers a line of JSON with another one, without its newline. It is never an error: what is wrong is in the
// answer.
func (s *Session) Message(ctx context.Context, line []byte) []byte {
	var r Request
	a := &Answer{Version: Version}
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&r); err != nil {
		a.Error = "no message: " + err.Error()
	} else if _, err := dec.Token(); err != io.EOF {
		a.Error = "no message: something follows it"
	} else {
		a = s.Answer(ctx, &r)
	}
	text, err := json.Marshal(a)
	if err != nil {
		panic("simtrun bug: " + err.Error())
	}
	return text
}

var errNotOpened = errors.New("no program is open; open comes first")

// Answer answers a request.
func (s *Session) Answer(ctx context.Context, r *Request) *Answer {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := &Answer{Version: Version, ID: r.ID}
	if err := s.answer(ctx, r, a); err != nil {
		*a = Answer{Version: Version, ID: r.ID, Error: err.Error()}
	}
	return a
}

func (s *Session) answer(ctx context.Context, r *Request, a *Answer) (err error) {
	if r.Version != Version {
		return fmt.Errorf("messages of version %d are not supported; this is version %d", r.Version, Version)
	}
	asked := 0
	for _, is := range []bool{r.Open != nil, r.Timeline != nil, r.Seek != nil, r.State != nil, r.Figures != nil, r.GPU != nil, r.Schedulers != nil, r.Occupancy != nil, r.Lessons != nil} {
		if is {
			asked++
		}
	}
	switch {
	case asked != 1:
		return errors.New("a request has exactly one of open, timeline, seek, state, figures, gpu, schedulers, occupancy and lessons")
	case r.Open != nil:
		a.Opened, err = s.open(ctx, *r.Open)
	case r.Lessons != nil:
		a.Lessons = s.lessons()
	case s.d == nil:
		return errNotOpened
	case r.Timeline != nil:
		a.Timeline, err = s.timeline(ctx, r.Timeline)
	case r.Seek != nil:
		a.Moment, err = s.seek(r.Seek)
	case r.Figures != nil:
		a.Figures, err = s.figures(ctx, r.Figures)
	case r.GPU != nil:
		a.GPU, err = s.gpu(ctx, r.GPU)
	case r.Schedulers != nil:
		a.Schedulers, err = s.schedulers(ctx, r.Schedulers)
	case r.Occupancy != nil:
		a.Occupancy, err = s.occupancy(r.Occupancy)
	default:
		err = s.answers.get(r.State, a, func() error { return s.state(ctx, r.State, a) })
	}
	return err
}

// open loads a program and executes its launches.
func (s *Session) open(ctx context.Context, o Open) (*Opened, error) {
	s.d, s.record, s.opened, s.measured = nil, nil, nil, nil
	s.answers = cache{}
	p, err := s.load(ctx, &o)
	if err != nil {
		return nil, err
	}
	s.program = p
	out := &Opened{Files: p.Files, Settings: p.Settings, Timed: p.Clock != nil, GPU: p.GPU, Model: p.Model, Launches: []Launch{}, Findings: []Finding{}, Lesson: o.Lesson}
	if len(p.Findings) > 0 {
		out.Findings = p.Findings
		return out, nil
	}
	d, err := debugger.New(debugger.Config{Out: io.Discard, Editor: true, Recorded: true, Prepare: p.Prepare, Sources: p.Sources, Clock: p.Clock, History: s.cfg.History})
	if err != nil {
		return nil, err
	}
	rec, err := newRecord(ctx, d, s.cfg.Steps)
	if err != nil {
		return nil, err
	}
	s.d, s.record, s.opened = d, rec, out
	out.Launches = rec.launchesOf(d)
	if f, ok := d.Fault(); ok {
		out.Failure = f.Text
	}
	if !d.IsOver() {
		out.Limited = fmt.Sprintf("only the first %d instructions of warps were executed", rec.executed)
	}
	s.check(ctx, out)
	if o.Lesson != "" {
		s.judge(ctx, &o, out)
	}
	return out, nil
}

// check adds the findings, and what kernels print.
func (s *Session) check(ctx context.Context, out *Opened) {
	if s.program.Check == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	findings, output, err := s.program.Check(ctx)
	out.Output = output
	if err != nil {
		if out.Limited != "" {
			out.Limited += "; "
		}
		out.Limited += "the checks did not end: " + err.Error()
	}
	out.Findings = append([]Finding{}, findings...)
	for i := range out.Findings {
		s.record.place(&out.Findings[i], s.d)
	}
	s.record.findings = out.Findings
}

// state answers a request for a state.
func (s *Session) state(ctx context.Context, r *StateRequest, a *Answer) (err error) {
	if err := s.record.has(r.Launch, r.Warp); err != nil {
		return err
	}
	if l := &s.record.launches[r.Launch]; r.Step < 0 || r.Step > l.steps {
		return fmt.Errorf("no step %d; launch %d has 0 to %d", r.Step, r.Launch, l.steps)
	}
	at := debugger.Moment{Launch: r.Launch, Step: r.Step}
	if r.View == "memory" {
		a.Memory, err = s.memory(ctx, r)
		return err
	}
	if err := s.d.Seek(ctx, at); err != nil {
		return err
	}
	switch r.View {
	case "source":
		a.Source = s.source(r)
	case "warp":
		a.Warp, err = s.warp(r)
	case "block":
		a.Block = s.block(r)
	case "sm":
		a.SM, err = s.sm(r)
	default:
		err = fmt.Errorf("no view %q; there are source, warp, block, memory and sm", r.View)
	}
	return err
}

// cache has the latest answers to requests for states.
type cache struct {
	keys []string
	all  map[string]*Answer
}

// mostAnswers is how many answers are kept.
const mostAnswers = 256

// get fills in an answer: the one that was given before, or what do makes.
func (c *cache) get(r *StateRequest, a *Answer, do func() error) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	key := string(text)
	if was, ok := c.all[key]; ok {
		id := a.ID
		*a = *was
		a.ID = id
		return nil
	}
	if err := do(); err != nil {
		return err
	}
	if c.all == nil {
		c.all = make(map[string]*Answer)
	}
	if len(c.keys) == mostAnswers {
		delete(c.all, c.keys[0])
		c.keys = slices.Delete(c.keys, 0, 1)
	}
	kept := *a
	c.keys, c.all[key] = append(c.keys, key), &kept
	return nil
}
