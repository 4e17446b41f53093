package dap_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/simtrun/simtrun/internal/dap"
)

// TestQuestionsInConsoleHoldUpNoRequest: requests that an editor sends without waiting for the answer to a command that
// executes nothing are answered, in order, and numbers of values stay valid.
func TestQuestionsInConsoleHoldUpNoRequest(t *testing.T) {
	for _, command := range []string{
		"info warps", "info lanes", "i stack", "info barriers", "p r1", "x/4 out", "why", "bt", "list", "warps -group pc", "break 20",
		"display r1", "lane 3 print r1", "lane 3", "focus l5", "set r1 = 7", "when", "checkpoint a", "thread apply all info mask", "help", "echo hello",
	} {
		requests := []string{
			`"initialize","arguments":{"adapterID":"x"}`, `"launch","arguments":{"program":"testdata/kernel.ptx","stopOnEntry":true}`, `"configurationDone"`,
			`"stackTrace","arguments":{"threadId":1}`, `"scopes","arguments":{"frameId":1}`,
			fmt.Sprintf(`"evaluate","arguments":{"expression":%q,"frameId":1,"context":"repl"}`, command),
			`"variables","arguments":{"variablesReference":2}`, `"scopes","arguments":{"frameId":1}`,
		}
		var messages []string
		for i, request := range requests {
			messages = append(messages, fmt.Sprintf(`{"seq":%d,"type":"request","command":%s}`, i+1, request))
		}
		var out bytes.Buffer
		if err := dap.Serve(t.Context(), strings.NewReader(framed(messages...)), &out, dap.Config{Start: start}); err != nil {
			t.Fatal(err)
		}
		rest := out.String()
		for i := range requests {
			_, after, ok := strings.Cut(rest, fmt.Sprintf(`"request_seq":%d,"success":true`, i+1))
			if !ok {
				t.Errorf("%s: request %d is not answered: %s", command, i+1, rest)
				break
			}
			rest = after
		}
	}
}

// TestNumbersAreOfOneState: numbers of values are invalid after a command of the console that has executed something,
// or that has begun the launches on a new machine, and the editor learns that the launch has stopped again.
func TestNumbersAreOfOneState(t *testing.T) {
	for _, command := range []string{"stepi", "lane 3 stepi", "warps -exec stepi", "goto 2", "restart"} {
		got := session(t).play(`> initialize {"adapterID":"x"}
> launch {"program":"testdata/kernel.ptx","stopOnEntry":true}
>> configurationDone
> stackTrace {"threadId":1}
> scopes {"frameId":$frame}
>> evaluate {"expression":"` + command + `","context":"repl"}
> variables {"variablesReference":$ref(Lane 0)}
`)
		if !strings.HasSuffix(got, "! this number is of an earlier stop, or of none\n") {
			t.Errorf("%s: %s", command, got)
		}
	}
}

// TestQuestionsAfterTheEndAreNoStops: after the last launch has ended, commands that execute nothing do not report
// another stop, to which a view would answer with the same commands.
func TestQuestionsAfterTheEndAreNoStops(t *testing.T) {
	got := session(t).play(`> initialize {"adapterID":"x"}
> launch {"program":"testdata/kernel.ptx","stopAtEnd":true}
>> configurationDone
> evaluate {"expression":"info mem","context":"repl"}
> evaluate {"expression":"info launch","context":"repl"}
> threads
`)
	if n := strings.Count(got, "* stopped"); n != 1 {
		t.Errorf("%d stops: %s", n, got)
	}
}

// TestConsoleInvalidatesValues: what set changes in the console is read again by an editor that supports it.
func TestConsoleInvalidatesValues(t *testing.T) {
	for _, c := range []struct {
		command string
		want    int
	}{{"set r1 = 7", 1}, {"lane 3 set r1 = 7", 1}, {"warps -exec set r1 = 7", 1}, {"print r1", 0}, {"set r1 =", 0}} {
		got := session(t).play(`> initialize {"adapterID":"x","supportsInvalidatedEvent":true}
> launch {"program":"testdata/kernel.ptx","stopOnEntry":true}
>> configurationDone
> evaluate {"expression":"` + c.command + `","context":"repl"}
> threads
`)
		if n := strings.Count(got, `* invalidated {"areas":["variables"]}`); n != c.want {
			t.Errorf("%s: %d events, want %d:\n%s", c.command, n, c.want, got)
		}
	}
}
