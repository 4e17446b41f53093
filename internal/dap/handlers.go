package dap

import (
	"errors"
	"fmt"
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

// handler carries out a request, and returns the body of the response; or says why it is not supported.
type handler struct {
	when when
	do   func(*session, dap.RequestMessage) (any, error)
	no   string
}

// on makes a handler of requests of a type.
func on[T dap.RequestMessage](at when, do func(*session, T) (any, error)) handler {
	return handler{when: at, do: func(s *session, m dap.RequestMessage) (any, error) {
		r, ok := m.(T)
		if !ok {
			return nil, errors.New("the request has other fields than its command")
		}
		return do(s, r)
	}}
}

func not(why string) handler { return handler{no: why} }

// handlers returns the handlers by command.
func handlers() map[string]handler {
	return map[string]handler{
		"initialize":                on(first, (*session).initialize),
		"launch":                    on(early, (*session).start),
		"attach":                    not("launches are simulated, so that there is no process to attach to; launch begins one"),
		"configurationDone":         on(stopped, (*session).configured),
		"disconnect":                on(always, (*session).disconnect),
		"terminate":                 on(always, (*session).terminate),
		"restart":                   on(stopped, (*session).restart),
		"setBreakpoints":            on(changing, (*session).setBreakpoints),
		"setFunctionBreakpoints":    on(changing, (*session).setFunctionBreakpoints),
		"setExceptionBreakpoints":   on(changing, (*session).setExceptionBreakpoints),
		"setInstructionBreakpoints": on(changing, (*session).setInstructionBreakpoints),
		"setDataBreakpoints":        on(changing, (*session).setDataBreakpoints),
		"dataBreakpointInfo":        on(stopped, (*session).dataBreakpointInfo),
		"breakpointLocations":       on(stopped, (*session).breakpointLocations),
		"threads":                   on(anyTime, (*session).allThreads),
		"stackTrace":                on(stopped, (*session).stackTrace),
		"scopes":                    on(stopped, (*session).scopes),
		"variables":                 on(stopped, (*session).variables),
		"setVariable":               on(stopped, (*session).setVariable),
		"setExpression":             on(stopped, (*session).setExpression),
		"evaluate":                  on(stopped, (*session).evaluate),
		"completions":               on(stopped, (*session).completions),
		"exceptionInfo":             on(stopped, (*session).exceptionInfo),
		"continue":                  on(stopped, (*session).goOn),
		"next":                      on(stopped, (*session).next),
		"stepIn":                    on(stopped, (*session).stepIn),
		"stepOut":                   on(stopped, (*session).stepOut),
		"stepBack":                  on(stopped, (*session).stepBack),
		"reverseContinue":           on(stopped, (*session).goBack),
		"pause":                     on(anyTime, (*session).pause),
		"cancel":                    on(anyTime, (*session).cancelRequest),
		"readMemory":                on(stopped, (*session).readMemory),
		"writeMemory":               on(stopped, (*session).writeMemory),
		"disassemble":               on(stopped, (*session).disassemble),
		"source":                    on(stopped, (*session).source),
		"loadedSources":             on(stopped, (*session).loadedSources),
		"modules":                   on(stopped, (*session).modules),
		"restartFrame":              not("a function is not called again; stepBack and reverseContinue go back to before the call"),
		"gotoTargets":               not("lanes do not jump, because others of their warp are elsewhere; stepBack goes back, and evaluate takes until LOC and goto STEP"),
		"goto":                      not("lanes do not jump, because others of their warp are elsewhere; stepBack goes back, and evaluate takes until LOC and goto STEP"),
		"stepInTargets":             not("stepIn goes into the first function that the line calls; a function breakpoint stops in another"),
		"terminateThreads":          not("a warp does not end alone; terminate ends the launch"),
		"runInTerminal":             not("it is a request to the editor"),
		"startDebugging":            not("it is a request to the editor"),
	}
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
