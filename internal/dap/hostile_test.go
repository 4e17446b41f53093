package dap_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/dap"
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
