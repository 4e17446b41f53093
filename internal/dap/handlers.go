package dap

import (
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/debugger"
)

// when says at which time a request can be carried out.
type when uint8

const (
	first    when = iota // before any other
	always               // before a launch, and while one runs
	early                // before a launch
	stopped              // while a launch is stopped
	changing             // the same, but a launch that runs is stopped for it, and goes on
	anyTime              // while a launch runs, too
)

// handler carries out requests with a command, or says why they are not supported.
type handler struct {
	command string
	when    when
	do      any // a method, func(*session, *dap.XRequest) (body any, err error)
	no      string
}

// errMismatch is about a request that was decoded as one with another command.
var errMismatch = errors.New("the request has other fields than its command")

// carryOut calls the handler's method. A table of calls that the compiler checks would be code that fills it, 20 kB of
// the command; TestEveryRequestHasHandlerOrReason checks the types.
func (h *handler) carryOut(s *session, m dap.RequestMessage) (any, error) {
	do, of := reflect.ValueOf(h.do), reflect.ValueOf(m)
	if of.Type() != do.Type().In(1) {
		return nil, errMismatch
	}
	results := do.Call([]reflect.Value{reflect.ValueOf(s), of})
	err, _ := results[1].Interface().(error)
	return results[0].Interface(), err
}

// handlerOf returns the handler of requests with a command; nil if there is none.
func handlerOf(command string) *handler {
	for i := range handlers {
		if handlers[i].command == command {
			return &handlers[i]
		}
	}
	return nil
}

var handlers = [...]handler{
	{command: "initialize", when: first, do: (*session).initialize},
	{command: "launch", when: early, do: (*session).start},
	{command: "attach", when: early, do: (*session).attach},
	{command: "configurationDone", when: stopped, do: (*session).configured},
	{command: "disconnect", when: always, do: (*session).disconnect},
	{command: "terminate", when: always, do: (*session).terminate},
	{command: "restart", when: stopped, do: (*session).restart},
	{command: "setBreakpoints", when: changing, do: (*session).setBreakpoints},
	{command: "setFunctionBreakpoints", when: changing, do: (*session).setFunctionBreakpoints},
	{command: "setExceptionBreakpoints", when: changing, do: (*session).setExceptionBreakpoints},
	{command: "setInstructionBreakpoints", when: changing, do: (*session).setInstructionBreakpoints},
	{command: "setDataBreakpoints", when: changing, do: (*session).setDataBreakpoints},
	{command: "dataBreakpointInfo", when: stopped, do: (*session).dataBreakpointInfo},
	{command: "breakpointLocations", when: stopped, do: (*session).breakpointLocations},
	{command: "threads", when: anyTime, do: (*session).allThreads},
	{command: "stackTrace", when: stopped, do: (*session).stackTrace},
	{command: "scopes", when: stopped, do: (*session).scopes},
	{command: "variables", when: stopped, do: (*session).variables},
	{command: "setVariable", when: stopped, do: (*session).setVariable},
	{command: "setExpression", when: stopped, do: (*session).setExpression},
	{command: "evaluate", when: stopped, do: (*session).evaluate},
	{command: "completions", when: stopped, do: (*session).completions},
	{command: "exceptionInfo", when: stopped, do: (*session).exceptionInfo},
	{command: "continue", when: stopped, do: (*session).goOn},
	{command: "next", when: stopped, do: (*session).next},
	{command: "stepIn", when: stopped, do: (*session).stepIn},
	{command: "stepOut", when: stopped, do: (*session).stepOut},
	{command: "stepBack", when: stopped, do: (*session).stepBack},
	{command: "reverseContinue", when: stopped, do: (*session).goBack},
	{command: "pause", when: anyTime, do: (*session).pause},
	{command: "cancel", when: anyTime, do: (*session).cancelRequest},
	{command: "readMemory", when: stopped, do: (*session).readMemory},
	{command: "writeMemory", when: stopped, do: (*session).writeMemory},
	{command: "disassemble", when: stopped, do: (*session).disassemble},
	{command: "source", when: stopped, do: (*session).source},
	{command: "loadedSources", when: stopped, do: (*session).loadedSources},
	{command: "modules", when: stopped, do: (*session).modules},
	{command: "restartFrame", when: stopped, do: (*session).restartFrame},
	{command: "gotoTargets", no: "lanes do not jump, because others of their warp are elsewhere; stepBack goes back, and evaluate takes until LOC and goto STEP"},
	{command: "goto", no: "lanes do not jump, because others of their warp are elsewhere; stepBack goes back, and evaluate takes until LOC and goto STEP"},
	{command: "stepInTargets", when: stopped, do: (*session).stepInTargets},
	{command: "terminateThreads", no: "a warp does not end alone; terminate ends the launch"},
	{command: "runInTerminal", no: "it is a request to the editor"},
	{command: "startDebugging", no: "it is a request to the editor"},
}

// initialize answers with the server's capabilities.
func (s *session) initialize(m *dap.InitializeRequest) (any, error) {
	if s.begun {
		return nil, errors.New("the session is initialized already")
	}
	if m.Arguments.PathFormat != "" && m.Arguments.PathFormat != "path" {
		return nil, fmt.Errorf("the path format %q is not supported: path is", m.Arguments.PathFormat)
	}
	s.begun, s.client = true, m.Arguments
	c := &dap.Capabilities{
		SupportsConfigurationDoneRequest: true, SupportsFunctionBreakpoints: true, SupportsConditionalBreakpoints: true,
		SupportsHitConditionalBreakpoints: true, SupportsEvaluateForHovers: true, SupportsStepBack: true,
		SupportsSetVariable: true, SupportsCompletionsRequest: true, SupportsModulesRequest: true,
		SupportsRestartRequest: true, SupportsValueFormattingOptions: true, SupportsExceptionInfoRequest: true,
		SupportTerminateDebuggee: true, SupportsDelayedStackTraceLoading: true, SupportsLoadedSourcesRequest: true,
		SupportsLogPoints: true, SupportsSetExpression: true, SupportsTerminateRequest: true,
		SupportsDataBreakpoints: true, SupportsReadMemoryRequest: true, SupportsWriteMemoryRequest: true,
		SupportsDisassembleRequest: true, SupportsCancelRequest: true, SupportsBreakpointLocationsRequest: true,
		SupportsClipboardContext: true, SupportsSteppingGranularity: true, SupportsInstructionBreakpoints: true,
		SupportsRestartFrame: true, SupportsStepInTargetsRequest: true,
	}
	c.ExceptionBreakpointFilters = []dap.ExceptionBreakpointsFilter{
		{Filter: faults, Label: "Errors of the launch", Description: "Accesses that fail, traps, deadlocks and other errors that end a launch", Default: true},
	}
	for _, of := range ofHosts {
		c.ExceptionBreakpointFilters = append(c.ExceptionBreakpointFilters, dap.ExceptionBreakpointsFilter{Filter: of[0], Label: of[1], Default: of[0] == debugger.CatchFinding})
	}
	for _, of := range debugger.Events() {
		c.ExceptionBreakpointFilters = append(c.ExceptionBreakpointFilters, dap.ExceptionBreakpointsFilter{Filter: of[0], Label: of[1]})
	}
	return c, nil
}

// configured begins the launch.
func (s *session) configured(*dap.ConfigurationDoneRequest) (any, error) {
	if s.configs {
		return nil, errors.New("the launch has begun already")
	}
	s.configs = true
	return nil, nil
}

func (s *session) disconnect(*dap.DisconnectRequest) (any, error) { return nil, errGone }

// terminate ends the launch; the client then disconnects.
func (s *session) terminate(*dap.TerminateRequest) (any, error) {
	if s.motion != nil {
		s.motion.ends = true
		s.motion.cancel()
		return nil, nil
	}
	s.out.event("terminated", nil)
	s.over = true
	return nil, nil
}

// cancelRequest interrupts the request that is being executed.
func (s *session) cancelRequest(*dap.CancelRequest) (any, error) {
	if s.motion != nil {
		s.motion.cancel()
	}
	return nil, nil
}

// completions returns the completions of a line of the console: commands, and names of values.
func (s *session) completions(m *dap.CompletionsRequest) (any, error) {
	a := &m.Arguments
	text := []rune(a.Text)
	column := a.Column
	if s.client.ColumnsStartAt1 {
		column--
	}
	line := string(text[:min(max(column, 0), len(text))])
	word := line[strings.LastIndexAny(line, " \t([+-*/<>=!&|,")+1:]
	items := []dap.CompletionItem{}
	add := func(labels []string, kind dap.CompletionItemType) {
		for _, label := range labels {
			items = append(items, dap.CompletionItem{Label: label, Type: kind, Start: len([]rune(line)) - len([]rune(word)), Length: len([]rune(word))})
		}
	}
	add(s.target.Complete(line), "keyword")
	add(s.target.Complete("print "+word), "variable")
	return &dap.CompletionsResponseBody{Targets: items}, nil
}

// exceptionInfo describes the error that has ended the launch.
func (s *session) exceptionInfo(*dap.ExceptionInfoRequest) (any, error) {
	f, ok := s.target.Fault()
	if s.thrown != "" {
		f, ok = debugger.Fault{Rule: "error", Text: s.thrown}, true
	}
	if !ok {
		return nil, errors.New("the launch has not ended by an error")
	}
	line, _, _ := strings.Cut(f.Text, "\n")
	return &dap.ExceptionInfoResponseBody{ExceptionId: f.Rule, Description: line, BreakMode: "always", Details: &dap.ExceptionDetails{Message: f.Text, TypeName: f.Rule}}, nil
}
