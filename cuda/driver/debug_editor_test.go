package main

import (
	"bufio"
	"encoding/json"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/hostlink"
)

// editor is a client of the debugger in a program.
type editor struct {
	t    *testing.T
	conn net.Conn
	in   *bufio.Reader
}

// ask sends a request, and returns all messages up to its response or, for one after which the program stops, up to
// the stop.
func (e *editor) ask(command, arguments string, stops bool) (text string) {
	e.t.Helper()
	if err := dap.WriteBaseMessage(e.conn, []byte(`{"seq":1,"type":"request","command":"`+command+`","arguments":`+arguments+`}`)); err != nil {
		e.t.Fatal(err)
	}
	for answered := false; !answered || stops; {
		content, err := dap.ReadBaseMessage(e.in)
		if err != nil {
			e.t.Fatalf("%s: %v, after %s", command, err, text)
		}
		text += string(content) + "\n"
		var m struct{ Type, Event string }
		json.Unmarshal(content, &m)
		answered = answered || m.Type == "response"
		stops = stops && m.Event != "stopped"
	}
	return text
}

// TestEditorDebugsProgram debugs the program of testdata/debug as an editor does: a call that fails, a breakpoint at a
// kernel, back within its launch, memory between launches, and a launch that fails. When the editor goes, the program
// goes on.
func TestEditorDebugsProgram(t *testing.T) {
	dir := libraryDir(t)
	program := compile(t, dir, "testdata/debug/prog.c", "-L"+dir, "-lcuda")
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c := exec.CommandContext(t.Context(), program)
	c.Env = append(os.Environ(), "LD_LIBRARY_PATH="+dir, hostlink.EnvEditor+"="+socket)
	var output strings.Builder
	c.Stdout = &output
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	e := &editor{t, conn, bufio.NewReader(conn)}
	for _, step := range []struct {
		command, arguments string
		stops              bool
		want               string
	}{
		{"initialize", `{"adapterID":"x","linesStartAt1":true}`, false, "supportsStepBack"},
		{"launch", `{"host":"prog"}`, false, `"success":true`},
		{"setFunctionBreakpoints", `{"breakpoints":[{"name":"twice"}]}`, false, `"verified":false`},
		{"setExceptionBreakpoints", `{"filters":["fault","error"]}`, false, `"success":true`},
		{"configurationDone", `{}`, true, "prog.c:37: cuMemFree returned CUDA_ERROR_INVALID_VALUE"},
		{"evaluate", `{"expression":"total"}`, false, `"result":"0"`},
		{"continue", `{"threadId":1}`, true, `"reason":"function breakpoint"`},
		{"stackTrace", `{"threadId":1}`, false, `"line":9`},
		{"next", `{"threadId":1}`, true, `"reason":"step"`},
		{"next", `{"threadId":1}`, true, `"reason":"step"`},
		{"evaluate", `{"expression":"%r1"}`, false, `"result":"0-31: lane"`},
		{"reverseContinue", `{"threadId":1}`, true, `"reason":"function breakpoint"`},
		{"evaluate", `{"expression":"%r1"}`, false, `"result":"all: 0"`},
		{"setFunctionBreakpoints", `{"breakpoints":[]}`, false, `"breakpoints":[]`},
		{"continue", `{"threadId":1}`, true, `"description":"mem-space"`},
		{"evaluate", `{"expression":"total"}`, false, `"result":"2240"`}, // 32 times 10, 20 and 40
	} {
		if got := e.ask(step.command, step.arguments, step.stops); !strings.Contains(got, step.want) {
			t.Errorf("%s %s lacks %q:\n%s", step.command, step.arguments, step.want, got)
		}
	}
	conn.Close()
	if err := c.Wait(); err != nil || output.String() != "40 40\n" {
		t.Errorf("%v, the program prints %q", err, output.String())
	}
}
