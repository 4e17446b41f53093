//go:build unix

package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"

	"github.com/simtrun/simtrun/internal/needs"
)

// hostSession serves requests of an editor, one per line, with arguments after the command, and returns all answers.
// The session stays open until the answers have the text until.
func hostSession(t *testing.T, requests, until string) string {
	t.Helper()
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := newDAPCommand()
	cmd.SetContext(ctx)
	go func() { out.CloseWithError(served(cmd, in, out)) }()
	go func() {
		for i, request := range strings.Split(requests, "\n") {
			command, arguments, _ := strings.Cut(request, " ")
			text := fmt.Sprintf(`{"seq":%d,"type":"request","command":%q`, i+1, command)
			if arguments != "" {
				text += `,"arguments":` + arguments
			}
			dap.WriteBaseMessage(toServer, []byte(text+"}"))
		}
	}()
	var all strings.Builder
	buffer := make([]byte, 1<<16)
	for until == "" || !strings.Contains(all.String(), until) {
		n, err := fromServer.Read(buffer)
		if all.Write(buffer[:n]); err != nil {
			return all.String()
		}
	}
	toServer.Close()
	io.Copy(&all, fromServer)
	return all.String()
}

// TestEditorLaunchesHostPrograms: an editor launches programs of the host with arguments, a folder and an environment;
// it gets what they print, and their exit status.
func TestEditorLaunchesHostPrograms(t *testing.T) {
	needs.Tool(t, "sh")
	const first = "initialize {\"adapterID\":\"x\"}\nlaunch "
	program := hostFolder(t, "echo $1 $COLOUR $SIMTRUN_CHECK; pwd; echo oh >&2; exit 3\n")
	folder := t.TempDir()
	got := hostSession(t, first+fmt.Sprintf(`{"program":%q,"args":["one"],"cwd":%q,"env":{"COLOUR":"green"},"check":["race"]}`, program, folder), `"event":"terminated"`)
	for _, want := range []string{"one green race\\n", folder + "\\n", `{"category":"stderr","output":"oh\n`, `simtrun: the program has launched no kernel\n`, `{"exitCode":3}`, `"command":"launch"`} {
		if !strings.Contains(got, want) {
			t.Errorf("the session lacks %q:\n%s", want, got)
		}
	}
	for settings, want := range map[string]string{
		`{"host":"./nosuch"}`:                      "nosuch",
		`{"host":"sh","program":"sh"}`:             "program and host are both there",
		`{"host":"sh","flags":["--nosuch"]}`:       "unknown flag",
		`{"host":"sh","flags":["--debug"]}`:        "type debugger commands in the editor's console",
		`{"host":"sh","args":["-c","exit 0"]}`:     `{"exitCode":0}`,
		`{"host":"sh","args":["-c","kill -9 $$"]}`: `{"exitCode":137}`,
	} {
		until := `"command":"launch"`
		if strings.Contains(want, "exitCode") {
			until = `"event":"terminated"`
		}
		if got := hostSession(t, first+settings, until); !strings.Contains(got, want) {
			t.Errorf("%s lacks %q: %s", settings, want, got)
		}
	}
}

// TestDAPHostIsKilled: disconnect, terminate and the end of the messages end a program that would go on for long.
func TestDAPHostIsKilled(t *testing.T) {
	program := hostFolder(t, "echo begun; exec sleep 600\n")
	for _, end := range []string{"disconnect", "terminate", ""} {
		began := time.Now()
		requests := fmt.Sprintf("initialize {\"adapterID\":\"x\"}\nlaunch {\"host\":%q}\n%s", program, end)
		until := map[string]string{"terminate": `"event":"terminated"`, "": "begun"}[end]
		got := hostSession(t, strings.TrimSuffix(requests, "\n"), until)
		if late := time.Since(began); late > 30*time.Second {
			t.Errorf("%q: the program has run for %v", end, late)
		}
		if end == "terminate" && !strings.Contains(got, `{"exitCode":143}`) {
			t.Errorf("the exit status is wrong: %s", got)
		}
	}
}
