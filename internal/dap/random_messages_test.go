package dap_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/dap"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/short"
)

// messages is how many random messages TestNoMessagePanics sends, and firstMessages the seed of the first session.
var (
	messages      = flag.Int("messages", 0, "random messages that TestNoMessagePanics sends; 0 for some hundred")
	firstMessages = flag.Uint64("first-messages", 0, "seed of the first session of TestNoMessagePanics")
)

// messagesOfSession is how many random messages a session has: it takes as long to begin as some 20 messages.
const messagesOfSession = 100

// TestNoMessagePanics sends random requests in sessions of several programs: those of the scripts in testdata and of
// seedsOfMessages, most with other arguments. Nothing panics, and each request is answered.
func TestNoMessagePanics(t *testing.T) {
	s := &sender{requests: writtenRequests(t)}
	quick := starter{modules: make(map[string]*isa.Module)}
	programs := []string{"testdata/kernel.ptx", "testdata/fault.ptx", "../source/testdata/inlined.ptx", "cells.cu"}
	sent := 0
	for i := range uint64(max(24, *messages/messagesOfSession)) {
		if *messages == 0 && (short.Skips(int(i)) || short.Waits(int(i), 6)) {
			continue
		}
		seed := *firstMessages + i
		s.Rand = rand.New(rand.NewPCG(seed, 4))
		t.Run("", func(t *testing.T) {
			quick.history = -int64(s.IntN(2))
			c := sessionOf(t, dap.Config{Start: quick.start, StartHost: startHost})
			c.ask("initialize", `{"adapterID":"x"}`)
			c.ask("launch", fmt.Sprintf(`{"program":%q,"stopOnEntry":true}`, programs[s.IntN(len(programs))]))
			for range messagesOfSession {
				request := s.request()
				sent++
				if !c.ask(request.command, request.text()) {
					break
				}
			}
			if t.Failed() {
				t.Errorf("session %d", seed)
			}
		})
	}
	t.Logf("%d messages", sent)
}

// request is a command and its arguments, as JSON decodes them.
type request struct {
	command   string
	arguments any
}

// text is empty if there are no arguments.
func (r request) text() string {
	if r.arguments == nil {
		return ""
	}
	text, err := json.Marshal(r.arguments)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// writtenRequests are the requests of scripts and of seedsOfMessages. Numbers that a session would give are small.
func writtenRequests(t *testing.T) (all []request) {
	t.Helper()
	lines := strings.Split(strings.Join(seedsOfMessages, "\n"), "\n")
	scripts, err := filepath.Glob("testdata/*.dap")
	if err != nil || len(scripts) == 0 {
		t.Fatalf("%d scripts: %v", len(scripts), err)
	}
	for _, file := range scripts {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if prompt, line, _ := strings.Cut(strings.TrimSpace(line), " "); prompt == ">" || prompt == ">>" {
				lines = append(lines, word.ReplaceAllString(line, "3"))
			}
		}
	}
	for _, line := range lines {
		command, text, _ := strings.Cut(line, " ")
		r := request{command: command}
		if text != "" && json.Unmarshal([]byte(text), &r.arguments) != nil {
			r.arguments = nil
		}
		switch command {
		case "initialize", "launch", "attach": // once in a session
		default:
			all = append(all, r)
		}
	}
	return all
}

// sender makes requests.
type sender struct {
	*rand.Rand
	requests []request
}

// request is a written one, whose arguments are mostly changed. One that ends the session is rare.
func (s *sender) request() request {
	r := s.requests[s.IntN(len(s.requests))]
	for (r.command == "disconnect" || r.command == "terminate") && s.IntN(20) > 0 {
		r = s.requests[s.IntN(len(s.requests))]
	}
	if s.IntN(4) > 0 {
		r.arguments = s.changed(r.arguments)
	}
	return r
}

// changed returns a value like v, with other numbers, texts, members and elements here and there.
func (s *sender) changed(v any) any {
	if s.IntN(40) == 0 {
		return []any{nil, true, "", 0.0, []any{}, map[string]any{}, s.text(), s.number()}[s.IntN(8)]
	}
	switch v := v.(type) {
	case float64:
		if s.IntN(2) == 0 {
			return s.number()
		}
	case string:
		if s.IntN(4) == 0 {
			return s.text()
		}
	case bool:
		return s.IntN(2) == 0
	case []any:
		var list []any
		for _, e := range v {
			for range []int{1, 1, 1, 0, 2}[s.IntN(5)] {
				list = append(list, s.changed(e))
			}
		}
		return list
	case map[string]any:
		members := make(map[string]any)
		for key, e := range v {
			if s.IntN(12) > 0 {
				members[key] = s.changed(e)
			}
		}
		return members
	}
	return v
}

func (s *sender) number() float64 {
	return []float64{0, 1, 2, 3, 4, 5, 7, 9, 16, 20, 25, 31, 32, 64, 1000, -1, -9, 1 << 31, 1<<53 - 1, -1 << 40, 0.5, 1e300, float64(s.IntN(200))}[s.IntN(23)]
}

// text is an expression, a command, a place or a filter.
func (s *sender) text() string {
	return []string{"r1", "%r1 > 3", "out[3:9]", "out", "*", "&out", "in[laneid]", "any(r1)", "k.ptx", "kernel.ptx", "cells.cu", "twice", "@3", "0x100000003", "shared:0x4@0.3.0",
		"until 20", "step 3", "rs", "rc", "c", "b 20", "watch out", "goto 5", "info lanes", "bt", "x/4xw out", "set r1 = 3", "checkpoint", "warp 1", "lane 9", "display r1", "restart",
		"repl", "watch", "hover", "exit", "barrier", "finding", "fault", "AAEC", "%", "% 2", "== 3", "{r1} {", "\x00", "é", strings.Repeat("(", 50), "{\"Expr\":\"out[3]\"}", "instruction", "write"}[s.IntN(48)]
}

// moving are the requests after which a stop follows.
var moving = map[string]bool{"configurationDone": true, "restart": true, "continue": true, "next": true, "stepIn": true, "stepOut": true, "stepBack": true, "reverseContinue": true}

// seedsOfMessages are sessions: a request and its arguments a line.
var seedsOfMessages = []string{
	"setBreakpoints {\"source\":{\"path\":\"kernel.ptx\"},\"breakpoints\":[{\"line\":20,\"condition\":\"%r1 > 3\",\"hitCondition\":\"% 2\"},{\"line\":1,\"logMessage\":\"{%r1} {\"}]}\nconfigurationDone\nstackTrace {\"threadId\":1}\nscopes {\"frameId\":1}\nvariables {\"variablesReference\":2}",
	"configurationDone\nnext {\"threadId\":1}\nstepIn {\"threadId\":1,\"granularity\":\"instruction\"}\nstepBack {\"threadId\":1}\nreverseContinue {\"threadId\":1}\nrestart\ncontinue {}\nthreads",
	"evaluate {\"expression\":\"until 20\",\"context\":\"repl\"}\nevaluate {\"expression\":\"p r1\",\"context\":\"repl\"}\nevaluate {\"expression\":\"out[3:9]\",\"frameId\":0}\nsetExpression {\"expression\":\"out[1]\",\"value\":\"3\"}",
	"readMemory {\"memoryReference\":\"shared:0x4@0.3.0\",\"offset\":-4,\"count\":90}\nwriteMemory {\"memoryReference\":\"shared:4\",\"data\":\"AAEC\"}\ndisassemble {\"memoryReference\":\"0x100000003\",\"instructionOffset\":-9,\"instructionCount\":20}",
	"dataBreakpointInfo {\"name\":\"out\"}\nsetDataBreakpoints {\"breakpoints\":[{\"dataId\":\"{\\\"Expr\\\":\\\"out[3]\\\",\\\"Lane\\\":3}\",\"accessType\":\"readWrite\"}]}\nconfigurationDone\ncontinue {}\ncontinue {}",
	"setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"twice\"}]}\nsetInstructionBreakpoints {\"breakpoints\":[{\"instructionReference\":\"0x100000002\",\"offset\":1}]}\nsetExceptionBreakpoints {\"filters\":[\"exit\",\"barrier\"]}\nconfigurationDone\ncontinue {}",
	"completions {\"text\":\"info r\",\"column\":7}\nsource {\"sourceReference\":1}\nloadedSources\nmodules\nexceptionInfo {}\ncancel {}\npause {}\nbreakpointLocations {\"source\":{\"path\":\"kernel.ptx\"},\"line\":1,\"endLine\":99}\nterminate\ncontinue {}",
	"setVariable {\"variablesReference\":1,\"name\":\"%r1\",\"value\":\"9\"}\nattach {}\ngoto {}\ninitialize {}\nlaunch {\"program\":\"testdata/kernel.ptx\"}\ndisconnect\nthreads",
}

// FuzzMessages sends arbitrary requests to a session: nothing panics, each is answered, and after those that execute
// something a stop or the end follows.
func FuzzMessages(f *testing.F) {
	for _, lines := range seedsOfMessages {
		f.Add(lines)
	}
	// A session takes as long to begin as to be used: files are parsed once, and half of the sessions make no copies.
	quick := starter{modules: make(map[string]*isa.Module)}
	f.Fuzz(func(t *testing.T, lines string) {
		quick.history = -int64(len(lines) % 2)
		c := sessionOf(t, dap.Config{Start: quick.start, StartHost: startHost})
		c.ask("initialize", `{"adapterID":"x"}`)
		c.ask("launch", `{"program":"testdata/kernel.ptx","stopOnEntry":true}`)
		for _, line := range strings.SplitN(lines, "\n", 40) {
			command, arguments, _ := strings.Cut(line, " ")
			if arguments != "" && !json.Valid([]byte(arguments)) {
				arguments = ""
			}
			if !c.ask(command, arguments) {
				return
			}
		}
	})
}

// ask sends a request, and waits for its answer, and for the stop that follows; false if the session has ended.
func (c *client) ask(command, arguments string) bool {
	c.seq++
	m := map[string]any{"seq": c.seq, "type": "request", "command": command}
	if arguments != "" {
		m["arguments"] = json.RawMessage(arguments)
	}
	text, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	late := time.AfterFunc(time.Minute, func() { panic(fmt.Sprintf("no answer, or no stop: %s", text)) })
	defer late.Stop()
	if protocol.WriteBaseMessage(c.to, text) != nil {
		return false
	}
	for answered, stop := false, false; !answered || stop; {
		content, err := protocol.ReadBaseMessage(c.in)
		if err != nil {
			return false
		}
		var m struct {
			Type, Event string
			Success     bool
			RequestSeq  int `json:"request_seq"`
		}
		if err := json.Unmarshal(content, &m); err != nil {
			c.t.Fatal(err)
		}
		switch {
		case m.Type == "response" && m.RequestSeq == c.seq:
			answered = true
			stop = m.Success && moving[command] && !stop
		case m.Event == "stopped", m.Event == "terminated":
			stop = false
		}
	}
	return true
}
