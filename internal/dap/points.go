package dap

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/debugger"
)

// faults is the filter of exceptions for errors that end a launch.
const faults = "fault"

// ofHosts are the filters of exceptions for programs of the host, with what they mean. Launches that no program makes
// have none of these.
var ofHosts = [][2]string{
	{debugger.CatchError, "Calls of the driver that fail (host programs)"},
	{debugger.CatchFinding, "Launches that end with findings (host programs)"},
	{debugger.CatchLaunch, "The beginning of each launch (host programs)"},
	{debugger.CatchEnd, "The end of each launch (host programs)"},
}

//go:noinline
func isOfHosts(filter string) bool {
	for _, of := range ofHosts {
		if of[0] == filter {
			return true
		}
	}
	return false
}

// pointKind is the kind of a client's breakpoint.
type pointKind string

const (
	ofLine        pointKind = "breakpoint"
	ofFunction    pointKind = "function breakpoint"
	ofInstruction pointKind = "instruction breakpoint"
	ofData        pointKind = "data breakpoint"
	ofEvent       pointKind = "exception"
)

// wanted is a breakpoint that the client has set.
type wanted struct {
	kind pointKind
	file string // as the client calls it, for those of lines
	line int
	text string // function, data or event
	code uint64
	mode string // of data: how it is accessed
	debugger.PointOptions
}

// known is a client's breakpoint and the debugger's breakpoints that implement it.
type known struct {
	wanted
	id    int // for the client
	set   debugger.Point
	is    bool // it is set
	error string
}

// points are the breakpoints of a session.
type points struct {
	all    []*known
	made   int
	faults bool // errors that end a launch stop
}

func (p *points) init() { p.faults = true }

func (p *points) stopsAtFaults() bool { return p.faults }

// place makes a breakpoint in the debugger, if that is possible now.
func (k *known) place(s *session) {
	var err error
	d := s.target.Debugger
	switch {
	case s.launch.NoDebug:
		err = errors.New("the launch runs without debugging")
	case k.kind == ofLine:
		k.set, err = d.BreakLine(s.sources.name(k.file), k.line, k.PointOptions)
	case k.kind == ofFunction:
		k.set, err = d.BreakFunction(k.text, k.PointOptions)
	case k.kind == ofInstruction:
		k.set, err = d.BreakCode(k.code, k.PointOptions)
	case k.kind == ofEvent:
		k.set, err = d.BreakEvent(k.text)
	case k.kind == ofData:
		err = k.watch(d)
	}
	if k.is = err == nil; err != nil {
		k.error = err.Error()
	}
	if _, under := s.target.Focus(); err != nil && s.target.host != nil && !under && !s.launch.NoDebug && k.kind != ofData {
		k.error = "waits for a launch that has this place"
	}
}

// dataID identifies the target of a data breakpoint; the client keeps it.
type dataID struct {
	Expr        string
	Warp        int64
	Lane, Level int
	LaneAlone   bool
}

// watch sets a data breakpoint.
func (k *known) watch(d *debugger.Debugger) error {
	var id dataID
	if err := json.Unmarshal([]byte(k.text), &id); err != nil || id.Expr == "" {
		return fmt.Errorf("%q is not the dataId of dataBreakpointInfo", k.text)
	}
	reads, writes := strings.HasPrefix(strings.ToLower(k.mode), "read"), k.mode != "read"
	return d.In(id.view(), func() (err error) {
		k.set, err = d.Watch(id.Expr, reads, writes, k.PointOptions)
		return err
	})
}

func (id *dataID) view() debugger.View {
	return debugger.View{Warp: id.Warp, Lane: id.Lane, Level: id.Level, Only: id.LaneAlone}
}

// replace replaces the breakpoints for which of returns true by others, and returns those. Equal ones stay, with the
// number of their hits.
func (p *points) replace(s *session, of func(*known) bool, by []wanted) *dap.SetBreakpointsResponseBody {
	var old, others []*known
	for _, k := range p.all {
		if of(k) {
			old = append(old, k)
		} else {
			others = append(others, k)
		}
	}
	body := &dap.SetBreakpointsResponseBody{Breakpoints: []dap.Breakpoint{}}
	var added []*known
	for _, w := range by {
		i := 0
		for i < len(old) && old[i].wanted != w {
			i++
		}
		if i < len(old) {
			added = append(added, old[i])
			old = append(old[:i], old[i+1:]...)
			continue
		}
		p.made++
		added = append(added, &known{wanted: w, id: p.made})
	}
	for _, k := range old {
		if k.is {
			s.target.Remove(k.set.ID)
		}
	}
	for _, k := range added {
		if !k.is {
			k.place(s)
		}
		body.Breakpoints = append(body.Breakpoints, k.shown(s))
	}
	p.all = append(others, added...)
	return body
}

// shown returns a breakpoint for the client.
func (k *known) shown(s *session) dap.Breakpoint {
	b := dap.Breakpoint{Id: k.id, Verified: k.is, Message: k.error}
	switch {
	case k.is && k.set.File != "":
		b.Source, b.Line = s.sources.of(k.set.File), s.outLine(k.set.Line)
		b.InstructionReference = reference(k.set.Code)
	case k.kind == ofLine:
		b.Line = s.outLine(k.line)
	}
	if k.is {
		b.Message = ""
	}
	return b
}

// setPending sets the breakpoints that could not be set before, such as those in a kernel of a later launch.
func (p *points) setPending(s *session) {
	for _, k := range p.all {
		if k.is {
			continue
		}
		if k.place(s); k.is {
			s.out.event("breakpoint", &dap.BreakpointEventBody{Reason: "changed", Breakpoint: k.shown(s)})
		}
	}
}

// setAgain sets all breakpoints in a new debugger.
func (p *points) setAgain(s *session) {
	for _, k := range p.all {
		k.is = false
	}
	p.setPending(s)
}

// reason returns why points of the debugger stop, and the client's numbers of them.
func (p *points) reason(s *session, stopped []int) (string, []int) {
	reason, ids := string(ofLine), []int{}
	for _, id := range stopped {
		if s.target.IsWatch(id) {
			reason = string(ofData)
		} else if s.target.IsEvent(id) {
			reason = string(ofEvent)
		}
		for _, k := range p.all {
			if k.is && k.set.ID == id {
				ids, reason = append(ids, k.id), string(k.kind)
			}
		}
	}
	return reason, ids
}

func (s *session) setBreakpoints(m *dap.SetBreakpointsRequest) (any, error) {
	a := &m.Arguments
	file := cmp.Or(a.Source.Path, a.Source.Name)
	if a.Source.SourceReference != 0 {
		file = s.sources.referred(a.Source.SourceReference)
	}
	if file == "" {
		return nil, errors.New("the source has neither a path nor a reference that is known")
	}
	if a.Breakpoints == nil {
		for _, line := range a.Lines {
			a.Breakpoints = append(a.Breakpoints, dap.SourceBreakpoint{Line: line})
		}
	}
	var by []wanted
	for _, b := range a.Breakpoints {
		by = append(by, wanted{kind: ofLine, file: file, line: s.inLine(b.Line), PointOptions: debugger.PointOptions{Condition: b.Condition, Hits: b.HitCondition, Message: b.LogMessage}})
	}
	return s.points.replace(s, func(k *known) bool { return k.kind == ofLine && k.file == file }, by), nil
}

func (s *session) setFunctionBreakpoints(m *dap.SetFunctionBreakpointsRequest) (any, error) {
	var by []wanted
	for _, b := range m.Arguments.Breakpoints {
		by = append(by, wanted{kind: ofFunction, text: b.Name, PointOptions: debugger.PointOptions{Condition: b.Condition, Hits: b.HitCondition}})
	}
	return s.points.replace(s, func(k *known) bool { return k.kind == ofFunction }, by), nil
}

func (s *session) setInstructionBreakpoints(m *dap.SetInstructionBreakpointsRequest) (any, error) {
	var by []wanted
	for _, b := range m.Arguments.Breakpoints {
		addr, err := parseReference(b.InstructionReference)
		if err != nil {
			return nil, err
		}
		by = append(by, wanted{kind: ofInstruction, code: addr + uint64(b.Offset), PointOptions: debugger.PointOptions{Condition: b.Condition, Hits: b.HitCondition}})
	}
	return s.points.replace(s, func(k *known) bool { return k.kind == ofInstruction }, by), nil
}

func (s *session) setDataBreakpoints(m *dap.SetDataBreakpointsRequest) (any, error) {
	var by []wanted
	for _, b := range m.Arguments.Breakpoints {
		by = append(by, wanted{kind: ofData, text: b.DataId, mode: string(b.AccessType), PointOptions: debugger.PointOptions{Condition: b.Condition, Hits: b.HitCondition}})
	}
	return s.points.replace(s, func(k *known) bool { return k.kind == ofData }, by), nil
}

func (s *session) setExceptionBreakpoints(m *dap.SetExceptionBreakpointsRequest) (any, error) {
	filters := m.Arguments.Filters
	for _, o := range m.Arguments.FilterOptions {
		filters = append(filters, o.FilterId)
	}
	var by []wanted
	var caught []string
	s.points.faults = false
	for _, filter := range filters {
		switch {
		case filter == faults:
			s.points.faults = true
			caught = append(caught, debugger.CatchFault)
		case isOfHosts(filter):
			caught = append(caught, filter)
		default:
			by = append(by, wanted{kind: ofEvent, text: filter})
		}
	}
	if s.target.host != nil && !s.launch.NoDebug {
		s.target.host.Catch(caught)
	}
	body := s.points.replace(s, func(k *known) bool { return k.kind == ofEvent }, by)
	for i, b := range body.Breakpoints {
		if !b.Verified {
			return nil, fmt.Errorf("filter %s: %s", by[i].text, b.Message)
		}
	}
	return nil, nil
}

// dataBreakpointInfo says whether a value can be watched.
func (s *session) dataBreakpointInfo(m *dap.DataBreakpointInfoRequest) (any, error) {
	a := &m.Arguments
	id := dataID{Expr: a.Name}
	view, err := s.handles.frame(s, a.FrameId)
	if a.VariablesReference != 0 {
		var item debugger.Item
		if item, view, err = s.handles.find(s, a.VariablesReference, a.Name); err == nil {
			if id.Expr = item.Expr; item.Lane >= 0 {
				view.Lane, id.LaneAlone = item.Lane, true
			}
		}
	}
	if err != nil {
		return nil, err
	}
	id.Warp, id.Lane, id.Level = view.Warp, view.Lane, view.Level
	err = s.target.In(id.view(), func() error { return s.target.CanWatch(id.Expr) })
	if err != nil {
		return &dap.DataBreakpointInfoResponseBody{Description: err.Error()}, nil
	}
	text, err := json.Marshal(id)
	return &dap.DataBreakpointInfoResponseBody{DataId: string(text), Description: id.Expr, AccessTypes: []dap.DataBreakpointAccessType{"read", "write", "readWrite"}}, err
}

// breakpointLocations returns the lines of a range that have instructions.
func (s *session) breakpointLocations(m *dap.BreakpointLocationsRequest) (any, error) {
	a := m.Arguments
	if a == nil {
		return nil, errors.New("the arguments are missing")
	}
	file := s.sources.name(cmp.Or(a.Source.Path, s.sources.referred(a.Source.SourceReference)))
	body := &dap.BreakpointLocationsResponseBody{Breakpoints: []dap.BreakpointLocation{}}
	for _, line := range s.target.CodeLines(file, s.inLine(a.Line), s.inLine(max(a.Line, a.EndLine))) {
		body.Breakpoints = append(body.Breakpoints, dap.BreakpointLocation{Line: s.outLine(line)})
	}
	return body, nil
}
