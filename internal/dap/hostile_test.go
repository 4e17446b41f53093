package dap_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	protocol "github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/dap"
	"github.com/simtrun/simtrun/internal/isa"
)

// framed returns messages as a client sends them.
func framed(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return b.String()
}

// TestMalformedMessagesKeepSession: a message that cannot be read as JSON or as a request is answered with an error,
// and the session goes on; after one whose length is not known it ends with an error.
func TestMalformedMessagesKeepSession(t *testing.T) {
	const first = `{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}`
	for _, c := range []struct{ in, wantErr, want string }{
		{"", "", ""},
		{"hello", "", ""},
		{"Content-Length: x\r\n\r\n{}", "header format", ""},
		{"Content-Length: 99999999999999999999\r\n\r\n", "value out of range", ""},
		{"Content-Length: 5000000\r\n\r\n", "content length over", ""},
		{"Content-Length: 2\n\n{}\r", "", ""},
		{"Content-Length: 2\rabc{}", "header delimiter", ""},
		{"Content-Length: 200\r\n\r\n{}", "unexpected EOF", ""},
		{framed("{"), "", "unexpected end of JSON input"},
		{framed("[]", first), "", "cannot unmarshal array"},
		{framed("null", first), "", `no type \"\"`},
		{framed(`{"seq":7,"type":"question"}`, first), "", `no type \"question\"`},
		{framed(`{"seq":7,"type":"request"}`, first), "", `no command \"\"`},
		{framed(`{"seq":7,"type":"request","command":"threads"}`, first), "", "the first request is initialize"},
		{framed(`{"seq":7,"type":"event","event":"stopped"}`, first), "", "supportsStepBack"},
		{framed(`{"seq":7,"type":"response","request_seq":3,"success":true,"command":"launch"}`, first), "", "supportsStepBack"},
		{framed(first, `{"seq":8,"type":"request","command":"variables","arguments":{"variablesReference":"seven"}}`), "", "cannot unmarshal string"},
		{framed(first, `{"seq":8,"type":"request","command":"launch","arguments":[1]}`), "", "the settings of the launch"},
		{framed(first, `{"seq":8,"type":"request","command":"disconnect"}`, `{"seq":9,"type":"request","command":"threads"}`), "", `"command":"disconnect"`},
	} {
		var out bytes.Buffer
		err := dap.Serve(t.Context(), strings.NewReader(c.in), &out, dap.Config{Start: start})
		if text := fmt.Sprint(err); (err != nil) != (c.wantErr != "") || !strings.Contains(text, c.wantErr) {
			t.Errorf("%.60q: error %v, want %q", c.in, err, c.wantErr)
		}
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("%.60q: %s, want %q", c.in, out.String(), c.want)
		}
	}
}

// TestUsersSeeOnlyRealErrors: an editor shows its user why a request failed, but neither that it asked about an earlier
// stop nor that a watch has no value.
func TestUsersSeeOnlyRealErrors(t *testing.T) {
	for request, want := range map[string]bool{
		`{"seq":3,"type":"request","command":"scopes","arguments":{"frameId":99}}`:                               false,
		`{"seq":3,"type":"request","command":"evaluate","arguments":{"expression":"nothing","context":"repl"}}`:  true,
		`{"seq":3,"type":"request","command":"evaluate","arguments":{"expression":"nothing","context":"watch"}}`: false,
	} {
		var out bytes.Buffer
		in := framed(`{"seq":1,"type":"request","command":"initialize","arguments":{"adapterID":"x"}}`, `{"seq":2,"type":"request","command":"launch","arguments":{"program":"testdata/kernel.ptx"}}`, request)
		if err := dap.Serve(t.Context(), strings.NewReader(in), &out, dap.Config{Start: start}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(out.String(), `"showUser":true`); got != want || !strings.Contains(out.String(), `"success":false`) {
			t.Errorf("%s: shown %v, want %v: %s", request, got, want, out.String())
		}
	}
}

const loop = `{"program":["testdata/loop.ptx"]}`

// TestRunningLaunchTakesRequests: a launch that never ends is paused, takes breakpoints, and can be ended while it
// runs.
func TestRunningLaunchTakesRequests(t *testing.T) {
	c := session(t)
	got := c.play(`> initialize {"adapterID":"x","linesStartAt1":true}
> launch ` + loop + `
> configurationDone
> threads
> stackTrace {"threadId":1}
>> pause {"threadId":1}
> continue {"threadId":1}
>> setBreakpoints {"source":{"path":"loop.ptx"},"breakpoints":[{"line":8}]}
> setBreakpoints {"source":{"path":"loop.ptx"},"breakpoints":[]}
> continue {"threadId":1}
>> cancel {}
> continue {"threadId":1}
>> terminate
> disconnect
`)
	for _, want := range []string{
		"! the launch is running; pause stops it\n", `* stopped {"reason":"pause"`, `"verified":true`,
		`* stopped {"reason":"breakpoint"`, ">> terminate\n* exited {\"exitCode\":0}\n* terminated\n> disconnect\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the session lacks %q:\n%s", want, got)
		}
	}
}

// moving are the requests after which a stop follows.
var moving = map[string]bool{"configurationDone": true, "restart": true, "continue": true, "next": true, "stepIn": true, "stepOut": true, "stepBack": true, "reverseContinue": true}

// FuzzMessages sends arbitrary requests to a session: nothing panics, each is answered, and after those that execute
// something a stop or the end follows.
func FuzzMessages(f *testing.F) {
	for _, lines := range []string{
		"setBreakpoints {\"source\":{\"path\":\"kernel.ptx\"},\"breakpoints\":[{\"line\":20,\"condition\":\"%r1 > 3\",\"hitCondition\":\"% 2\"},{\"line\":1,\"logMessage\":\"{%r1} {\"}]}\nconfigurationDone\nstackTrace {\"threadId\":1}\nscopes {\"frameId\":1}\nvariables {\"variablesReference\":2}",
		"configurationDone\nnext {\"threadId\":1}\nstepIn {\"threadId\":1,\"granularity\":\"instruction\"}\nstepBack {\"threadId\":1}\nreverseContinue {\"threadId\":1}\nrestart\ncontinue {}\nthreads",
		"evaluate {\"expression\":\"until 20\",\"context\":\"repl\"}\nevaluate {\"expression\":\"p r1\",\"context\":\"repl\"}\nevaluate {\"expression\":\"out[3:9]\",\"frameId\":0}\nsetExpression {\"expression\":\"out[1]\",\"value\":\"3\"}",
		"readMemory {\"memoryReference\":\"shared:0x4@0.3.0\",\"offset\":-4,\"count\":90}\nwriteMemory {\"memoryReference\":\"shared:4\",\"data\":\"AAEC\"}\ndisassemble {\"memoryReference\":\"0x100000003\",\"instructionOffset\":-9,\"instructionCount\":20}",
		"dataBreakpointInfo {\"name\":\"out\"}\nsetDataBreakpoints {\"breakpoints\":[{\"dataId\":\"{\\\"Expr\\\":\\\"out[3]\\\",\\\"Lane\\\":3}\",\"accessType\":\"readWrite\"}]}\nconfigurationDone\ncontinue {}\ncontinue {}",
		"setFunctionBreakpoints {\"breakpoints\":[{\"name\":\"twice\"}]}\nsetInstructionBreakpoints {\"breakpoints\":[{\"instructionReference\":\"0x100000002\",\"offset\":1}]}\nsetExceptionBreakpoints {\"filters\":[\"exit\",\"barrier\"]}\nconfigurationDone\ncontinue {}",
		"completions {\"text\":\"info r\",\"column\":7}\nsource {\"sourceReference\":1}\nloadedSources\nmodules\nexceptionInfo {}\ncancel {}\npause {}\nbreakpointLocations {\"source\":{\"path\":\"kernel.ptx\"},\"line\":1,\"endLine\":99}\nterminate\ncontinue {}",
		"setVariable {\"variablesReference\":1,\"name\":\"%r1\",\"value\":\"9\"}\nattach {}\ngoto {}\ninitialize {}\nlaunch {\"program\":\"testdata/kernel.ptx\"}\ndisconnect\nthreads",
	} {
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
