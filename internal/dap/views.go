package dap

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/debugger"
)

// handles are the numbers of frames and of groups of values, which are valid until something is executed.
type handles struct {
	base   int // numbers given before the latest stop
	frames []debugger.View
	groups []group
}

// group is values that a client has a number for: those of a scope, or the parts of a value.
type group struct {
	view  debugger.View
	scope *debugger.Scope
	item  debugger.Item
}

// forget makes all numbers invalid.
func (s *session) forget() {
	s.handles = handles{base: s.handles.base + len(s.handles.frames) + len(s.handles.groups)}
}

//go:noinline
func (h *handles) addFrame(v debugger.View) int {
	h.frames = append(h.frames, v)
	h.groups = append(h.groups, group{view: v}) // frames and groups share their numbers
	return h.base + len(h.groups)
}

//go:noinline
func (h *handles) addGroup(g group) int {
	h.groups = append(h.groups, g)
	return h.base + len(h.groups)
}

var errStale = errors.New("this number is of an earlier stop, or of none")

//go:noinline
func (h *handles) group(id int) (group, error) {
	if i := id - h.base - 1; i >= 0 && i < len(h.groups) {
		return h.groups[i], nil
	}
	return group{}, errStale
}

// frame returns the view of a frame; of the focus for 0.
func (h *handles) frame(s *session, id int) (debugger.View, error) {
	if id != 0 {
		g, err := h.group(id)
		return g.view, err
	}
	view, ok := s.target.Focus()
	if !ok && s.target.host != nil {
		return debugger.Nowhere, nil
	}
	if !ok {
		return view, errors.New("no launch is under way")
	}
	return view, nil
}

// within carries out something in the view of a frame, or of none if the launches have ended.
func (s *session) within(frame int, do func() error) error {
	view, err := s.handles.frame(s, frame)
	if err != nil && frame != 0 {
		return err
	}
	if err != nil {
		return do()
	}
	return s.target.In(view, do)
}

// endedThread is the number of the thread that stands for launches that have ended.
const endedThread = 1 << 30

// threadOf and warpOf convert numbers of warps to those of threads, from 1, and back.
func threadOf(warp int64) int { return int(warp) + 1 }
func warpOf(thread int) int64 { return int64(thread) - 1 }

// findThreads returns the threads: at least one, the one in focus first.
func (s *session) findThreads() []dap.Thread {
	var all []dap.Thread
	for _, w := range s.target.Warps() {
		all = append(all, dap.Thread{Id: threadOf(w.Number), Name: fmt.Sprintf("block (%d,%d,%d) warp %d", w.Block[0], w.Block[1], w.Block[2], w.ID)})
	}
	if all == nil {
		all = []dap.Thread{{Id: endedThread, Name: "the launches have ended"}}
	}
	if all[0].Id == endedThread && s.target.host != nil {
		all[0].Name = "the program, between launches"
	}
	return all
}

func (s *session) allThreads(*dap.ThreadsRequest) (any, error) {
	if s.target == nil {
		return nil, errors.New("there is no launch yet: the request launch comes first")
	}
	if s.motion == nil {
		s.threads = s.findThreads()
	}
	return &dap.ThreadsResponseBody{Threads: append([]dap.Thread{}, s.threads...)}, nil
}

// inLine and outLine convert numbers of lines from and to those of the client.
func (s *session) inLine(line int) int {
	if s.client.LinesStartAt1 {
		return line
	}
	return line + 1
}

func (s *session) outLine(line int) int { return line + 1 - s.inLine(1) }

func (s *session) stackTrace(m *dap.StackTraceRequest) (any, error) {
	a := &m.Arguments
	body := &dap.StackTraceResponseBody{StackFrames: []dap.StackFrame{}}
	if a.ThreadId == endedThread {
		if s.target.host != nil && a.StartFrame == 0 {
			body.StackFrames = []dap.StackFrame{{Id: s.handles.addFrame(debugger.Nowhere), Name: "the program", PresentationHint: "subtle"}}
			body.TotalFrames = 1
		}
		return body, nil
	}
	view := debugger.View{Warp: warpOf(a.ThreadId), Lane: s.target.LaneOf(warpOf(a.ThreadId))}
	return body, s.target.In(view, func() error {
		frames, err := s.target.Frames()
		body.TotalFrames = len(frames)
		for level, f := range frames {
			if level < a.StartFrame || a.Levels > 0 && level >= a.StartFrame+a.Levels {
				continue
			}
			view.Level = level
			column := f.Column
			if !s.client.ColumnsStartAt1 {
				column--
			}
			body.StackFrames = append(body.StackFrames, dap.StackFrame{Id: s.handles.addFrame(view), Name: f.Function, Source: s.sources.of(f.File),
				Line: s.outLine(f.Line), Column: max(column, 0), InstructionPointerReference: reference(f.Code), ModuleId: 1})
		}
		return err
	})
}

func (s *session) scopes(m *dap.ScopesRequest) (any, error) {
	body := &dap.ScopesResponseBody{Scopes: []dap.Scope{}}
	return body, s.within(m.Arguments.FrameId, func() error {
		view, _ := s.target.Focus()
		all, err := s.target.Scopes()
		for i := range all {
			of := &all[i]
			hint := "locals"
			if of.Registers {
				hint = "registers"
			}
			body.Scopes = append(body.Scopes, dap.Scope{Name: of.Name, PresentationHint: hint, Expensive: of.Expensive, VariablesReference: s.handles.addGroup(group{view: view, scope: of})})
		}
		return err
	})
}

// mostVariables limits the variables of a response.
const mostVariables = 4096

// parts returns n of the values of a group, from first on; it is called in the group's view.
func (s *session) parts(g *group, first, n int, hex bool) ([]debugger.Item, error) {
	if g.scope == nil {
		return g.item.Parts(first, n), nil
	}
	items, err := s.target.Items(*g.scope, hex)
	first = min(max(first, 0), len(items))
	return items[first:min(first+n, len(items))], err
}

func (s *session) variables(m *dap.VariablesRequest) (any, error) {
	a := &m.Arguments
	g, err := s.handles.group(a.VariablesReference)
	if err != nil {
		return nil, err
	}
	body := &dap.VariablesResponseBody{Variables: []dap.Variable{}}
	if g.scope == nil && (a.Filter == "indexed" && !g.item.Indexed || a.Filter == "named" && g.item.Indexed) {
		return body, nil
	}
	n := mostVariables
	if a.Count > 0 {
		n = min(n, a.Count)
	}
	return body, s.target.In(g.view, func() error {
		items, err := s.parts(&g, a.Start, n, a.Format != nil && a.Format.Hex)
		for i := range items {
			body.Variables = append(body.Variables, s.variable(g.view, &items[i]))
		}
		if left := g.item.Count - a.Start - len(items); a.Count == 0 && left > 0 {
			body.Variables = append(body.Variables, dap.Variable{Name: "...", Value: fmt.Sprintf("%d more", left)})
		}
		return err
	})
}

// variable returns a value for the client.
func (s *session) variable(view debugger.View, it *debugger.Item) dap.Variable {
	v := dap.Variable{Name: it.Name, Value: it.Text, Type: it.Type, EvaluateName: it.Expr}
	v.VariablesReference, v.NamedVariables, v.IndexedVariables = s.open(view, it)
	if it.Memory != nil {
		v.MemoryReference = memoryReference(it.Memory)
	}
	if it.Fixed {
		v.PresentationHint = &dap.VariablePresentationHint{Attributes: []string{"readOnly"}}
	}
	return v
}

// open returns a number for the parts of a value, and how many there are with names and with numbers.
func (s *session) open(view debugger.View, it *debugger.Item) (ref, named, indexed int) {
	if it.Count == 0 {
		return 0, 0, 0
	}
	if it.Lane >= 0 {
		view.Lane = it.Lane
	}
	ref = s.handles.addGroup(group{view: view, item: *it})
	if it.Indexed {
		return ref, 0, it.Count
	}
	return ref, it.Count, 0
}

// find returns a value of a group by its name.
func (h *handles) find(s *session, ref int, name string) (found debugger.Item, view debugger.View, err error) {
	g, err := h.group(ref)
	if err != nil {
		return found, view, err
	}
	err = s.target.In(g.view, func() error {
		first, n := 0, mostVariables
		if i := 0; strings.HasPrefix(name, "[") {
			if _, err := fmt.Sscanf(name, "[%d]", &i); err == nil {
				first, n = i, 1
			}
		}
		items, err := s.parts(&g, first, n, false)
		for _, it := range items {
			if it.Name == name {
				found = it
				return nil
			}
		}
		if err == nil {
			err = fmt.Errorf("no %q is here", name)
		}
		return err
	})
	return found, g.view, err
}

// setVariable changes a value, in its lane if it is that of one.
func (s *session) setVariable(m *dap.SetVariableRequest) (any, error) {
	a := &m.Arguments
	it, view, err := s.handles.find(s, a.VariablesReference, a.Name)
	if err != nil {
		return nil, err
	}
	if it.Fixed || it.Expr == "" {
		return nil, fmt.Errorf("%s cannot be set", a.Name)
	}
	if it.Lane >= 0 {
		view.Lane, view.Only = it.Lane, true
	}
	if err := s.target.In(view, func() error { return s.target.Assign(it.Expr, a.Value) }); err != nil {
		return nil, err
	}
	it, view, err = s.handles.find(s, a.VariablesReference, a.Name)
	body := &dap.SetVariableResponseBody{Value: it.Text, Type: it.Type}
	body.VariablesReference, body.NamedVariables, body.IndexedVariables = s.open(view, &it)
	s.invalidate()
	return body, err
}

// setExpression changes the object that an expression names, in all active lanes.
func (s *session) setExpression(m *dap.SetExpressionRequest) (any, error) {
	a := &m.Arguments
	body := &dap.SetExpressionResponseBody{}
	err := s.within(a.FrameId, func() error {
		if err := s.target.Assign(a.Expression, a.Value); err != nil {
			return err
		}
		it, err := s.target.Evaluate(a.Expression, false)
		view, _ := s.target.Focus()
		body.Value, body.Type = it.Text, it.Type
		body.VariablesReference, body.NamedVariables, body.IndexedVariables = s.open(view, &it)
		return err
	})
	if err == nil {
		s.invalidate()
	}
	return body, err
}

// invalidate tells the client to read values again.
func (s *session) invalidate() {
	if s.client.SupportsInvalidatedEvent {
		s.out.event("invalidated", &dap.InvalidatedEventBody{Areas: []dap.InvalidatedAreas{"variables"}})
	}
}

// evaluate returns the value of an expression. The console carries out commands of the debugger, too.
func (s *session) evaluate(m *dap.EvaluateRequest) (any, error) {
	a := &m.Arguments
	word, _, _ := strings.Cut(strings.TrimSpace(a.Expression), " ")
	if a.Context == "repl" && s.target.isCommand(word) {
		return s.command(m)
	}
	body := &dap.EvaluateResponseBody{}
	err := s.within(a.FrameId, func() error {
		it, err := s.target.Evaluate(a.Expression, a.Format != nil && a.Format.Hex)
		if err != nil {
			return err
		}
		view, _ := s.target.Focus()
		body.Result, body.Type = it.Text, it.Type
		body.VariablesReference, body.NamedVariables, body.IndexedVariables = s.open(view, &it)
		if it.Memory != nil {
			body.MemoryReference = memoryReference(it.Memory)
		}
		return nil
	})
	if err != nil && a.Context == "repl" && strings.TrimSpace(a.Expression) != "" && s.target.IsAbbreviation(word) {
		return s.command(m)
	}
	return body, err
}

// command carries out a command of the debugger, and answers afterwards. One that executes nothing is no motion: an
// editor's view sends several after each stop, while the editor asks for values.
func (s *session) command(m *dap.EvaluateRequest) (any, error) {
	line, frame := m.Arguments.Expression, m.Arguments.FrameId
	if s.over {
		return nil, errOver
	}
	if frame != 0 {
		view, err := s.handles.frame(s, frame)
		if err != nil {
			return nil, err
		}
		if now, ok := s.target.Focus(); ok && now.Warp != view.Warp {
			if err := s.target.MoveTo(view.Warp); err != nil {
				return nil, err
			}
		}
	}
	s.console.keep()
	if !s.target.mayExecute(line) {
		was, edits := s.whereabouts(), s.target.Edits()
		_, err := s.target.command(s.ctx, line)
		s.reply(&m.Request, err)
		if s.whereabouts() != was {
			s.stop("step", "", nil)
		} else if s.target.Edits() != edits {
			s.invalidate()
		}
		return nil, errAnswered
	}
	s.run(&motion{request: &m.Request}, func(ctx context.Context) (debugger.Stop, error) { return s.target.command(ctx, line) })
	s.motion.start()
	s.motion.start = nil
	return nil, errAnswered
}

// trimmed returns a text without a newline at its end.
func trimmed(text string) string { return strings.TrimSuffix(text, "\n") }
