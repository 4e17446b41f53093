package dap

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/debugger"
)

// launchArguments are the settings of a launch; docs/dap.md describes them.
type launchArguments struct {
	Program     words      `json:"program"`
	Host        string     `json:"host"`
	Env         namedWords `json:"env"`
	Cwd         string     `json:"cwd"`
	Kernel      string     `json:"kernel"`
	Grid        extent     `json:"grid"`
	Block       extent     `json:"block"`
	Cluster     extent     `json:"cluster"`
	Shared      extent     `json:"shared"`
	Args        namedWords `json:"args"`
	Symbols     namedWords `json:"symbols"`
	Script      string     `json:"script"`
	GPU         string     `json:"gpu"`
	Arch        string     `json:"arch"`
	Divergence  string     `json:"divergence"`
	History     string     `json:"history"`
	Timed       bool       `json:"timed"`
	PTXLines    bool       `json:"ptxLines"`
	Check       words      `json:"check"`
	Flags       []string   `json:"flags"`
	StopOnEntry bool       `json:"stopOnEntry"`
	StopAtEnd   bool       `json:"stopAtEnd"`
	NoDebug     bool       `json:"noDebug"`
}

// ofEditors are settings that editors add, and that mean nothing here.
var ofEditors = []string{"name", "type", "request", "console", "debugServer", "internalConsoleOptions", "linux", "osx", "postDebugTask", "preLaunchTask", "presentation", "restart", "serverReadyAction", "windows", "adapterID", "debugAdapterHostname", "debugAdapterPort"}

// words is a text or a list of texts.
type words []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *words) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*w = words{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(w))
}

// first returns the first text; "" if there is none.
func (w words) first() string {
	if len(w) == 0 {
		return ""
	}
	return w[0]
}

// extent is a number, a text such as 132x4, or a list of numbers.
type extent string

// UnmarshalJSON implements json.Unmarshaler.
func (e *extent) UnmarshalJSON(data []byte) error {
	var one json.Number
	var text string
	var list []json.Number
	switch {
	case json.Unmarshal(data, &text) == nil:
		*e = extent(text)
	case json.Unmarshal(data, &one) == nil:
		*e = extent(one)
	default:
		if err := json.Unmarshal(data, &list); err != nil {
			return err
		}
		var parts []string
		for _, n := range list {
			parts = append(parts, n.String())
		}
		*e = extent(strings.Join(parts, "x"))
	}
	return nil
}

// namedWords is a list of texts such as NAME=A, or an object of names and texts or numbers.
type namedWords []string

// UnmarshalJSON implements json.Unmarshaler.
func (w *namedWords) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, (*[]string)(w)) == nil {
		return nil
	}
	var named map[string]json.RawMessage
	if err := json.Unmarshal(data, &named); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(named)) {
		if string(named[name]) == "null" {
			continue
		}
		text := string(named[name])
		if unquoted := ""; json.Unmarshal(named[name], &unquoted) == nil {
			text = unquoted
		}
		*w = append(*w, name+"="+text)
	}
	return nil
}

// parseLaunch returns the settings in the arguments of launch, and the names of those that do not exist.
func parseLaunch(data json.RawMessage) (l *launchArguments, unknown []string, err error) {
	l = &launchArguments{}
	if len(data) == 0 {
		data = json.RawMessage("{}")
	}
	if err := json.Unmarshal(data, l); err != nil {
		return nil, nil, fmt.Errorf("the settings of the launch: %w", err)
	}
	switch none := l.Program.first() == ""; {
	case none && l.Host == "":
		return nil, nil, errors.New("program is missing: the path of a file of PTX or CUDA C++, or of a program of the host")
	case !none && l.Host != "":
		return nil, nil, errors.New("program and host are both there: host is a program, whose arguments are args")
	}
	var all map[string]json.RawMessage
	known, err := json.Marshal(l)
	if err == nil {
		err = json.Unmarshal(known, &all)
	}
	var given map[string]json.RawMessage
	if err == nil {
		err = json.Unmarshal(data, &given)
	}
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if all[name] == nil && !slices.Contains(ofEditors, name) && !strings.HasPrefix(name, "__") {
			unknown = append(unknown, name)
		}
	}
	return l, unknown, err
}

// flag is a flag of a command line, as --NAME=, and its value.
type flag [2]string

// flagged adds flags that have values to words.
//
//go:noinline
func flagged(words []string, flags []flag) []string {
	for _, f := range flags {
		if f[1] != "" {
			words = append(words, f[0]+f[1])
		}
	}
	return words
}

// flagsOf returns a flag for each of some values.
//
//go:noinline
func flagsOf(name string, values []string) (all []flag) {
	for _, value := range values {
		all = append(all, flag{name, value})
	}
	return all
}

// onlyIf returns the value of a flag that is on or off: "" for off.
func onlyIf(on bool) string {
	if on {
		return "true"
	}
	return ""
}

// commandLine returns the launch as a command line of simtrun debug.
func (l *launchArguments) commandLine() []string {
	line := flagged(nil, []flag{{"--kernel=", l.Kernel}, {"--grid=", string(l.Grid)}, {"--block=", string(l.Block)}, {"--cluster=", string(l.Cluster)}, {"--shared=", string(l.Shared)}})
	line = flagged(flagged(line, flagsOf("--arg=", l.Args)), flagsOf("--symbol=", l.Symbols))
	line = flagged(line, []flag{{"--script=", l.Script}, {"--gpu=", l.GPU}, {"--arch=", l.Arch}, {"--divergence=", l.Divergence}, {"--history=", l.History},
		{"--check=", strings.Join(l.Check, ",")}, {"--timed=", onlyIf(l.Timed)}, {"--ptx-lines=", onlyIf(l.PTXLines)}})
	line = append(append(line, l.Flags...), "--")
	for _, file := range l.Program {
		line = append(line, l.path(file))
	}
	return line
}

// start carries out launch.
func (s *session) start(m *dap.LaunchRequest) (any, error) {
	if s.target != nil {
		return nil, errors.New("there is a launch already; restart starts it again")
	}
	l, unknown, err := parseLaunch(m.Arguments)
	if err != nil {
		return nil, err
	}
	for _, name := range unknown {
		fmt.Fprintf(s.console, "There is no setting %q for launches.\n", name)
	}
	if s.cfg.Attend == nil && l.isHost() {
		return nil, s.startHost(m, l)
	}
	return nil, s.begin(l)
}

// begin begins the launches that settings describe.
func (s *session) begin(l *launchArguments) error {
	notes := &console{s: s.out, category: "important"}
	target, err := s.targetOf(l, Streams{s.kernel, s.console, notes})
	notes.flush()
	s.console.flush()
	if err != nil {
		return err
	}
	s.launch, s.target, s.over = l, target, false
	s.forget()
	s.sources.files(target.Debugger)
	return nil
}

// targetOf returns the launches that settings describe, or those of the program that this process is.
func (s *session) targetOf(l *launchArguments, to Streams) (*Target, error) {
	if s.cfg.Attend == nil {
		return s.cfg.Start(s.ctx, l.commandLine(), to)
	}
	host := s.cfg.Attend(to)
	d := host.Begin(func() { s.points.setPending(s) })
	if !l.NoDebug {
		host.Catch([]string{debugger.CatchFault, debugger.CatchFinding})
	}
	return &Target{Debugger: d, host: host}, nil
}

// restart starts the launches again, from the present files.
func (s *session) restart(m *dap.RestartRequest) (any, error) {
	if !s.configs {
		return nil, errors.New("the launch has not begun; configurationDone begins it")
	}
	var given struct {
		Arguments json.RawMessage `json:"arguments"`
	}
	l := s.launch
	if json.Unmarshal(m.Arguments, &given); len(given.Arguments) > 0 {
		with, _, err := parseLaunch(given.Arguments)
		if err != nil {
			return nil, err
		}
		l = with
	}
	if err := s.begin(l); err != nil {
		return nil, err
	}
	s.points.setAgain(s)
	return nil, nil
}
