package dap_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-dap"
)

// client sends the requests of a script to a server, and writes down what comes back.
//
// A line "> COMMAND ARGUMENTS" is a request, whose response is awaited; after ">>" a stop, or the end, is awaited, too.
// In arguments, $frame is the first frame of the latest stack, $ref(NAME) the number of the parts of the latest value
// or scope with a name, $mem(NAME) its place in memory, $ip the address of the innermost frame's instruction, $data the
// latest dataId and $thread the thread that has stopped.
//
// "< BODY" is what came back, "! TEXT" an error, and "* EVENT BODY" an event. Output is joined, by category.
type client struct {
	t     testing.TB
	to    io.Writer
	in    *bufio.Reader
	seq   int
	names map[string]string // values of the words with a $
	out   strings.Builder
}

// word is a word of a script that stands for something that has come back.
var word = regexp.MustCompile(`\$(frame|ip|data|thread|(?:ref|mem)\([^)]*\))`)

// play carries out a script, and returns it with what comes back.
func (c *client) play(script string) string {
	for line := range strings.Lines(script) {
		line = strings.TrimSuffix(line, "\n")
		switch prompt, request, _ := strings.Cut(line, " "); prompt {
		case ">", ">>":
			fmt.Fprintln(&c.out, line)
			command, arguments, _ := strings.Cut(request, " ")
			c.send(command, arguments)
			c.await(prompt == ">>")
		case "<", "!", "*", "o":
		default:
			fmt.Fprintln(&c.out, line)
		}
	}
	return c.out.String()
}

// send sends a request.
func (c *client) send(command, arguments string) {
	arguments = word.ReplaceAllStringFunc(arguments, func(w string) string {
		value, ok := c.names[w]
		if !ok {
			c.t.Errorf("%s: nothing is known of it", w)
		}
		return value
	})
	c.seq++
	text := fmt.Sprintf(`{"seq":%d,"type":"request","command":%q`, c.seq, command)
	if arguments != "" {
		text += `,"arguments":` + arguments
	}
	if err := dap.WriteBaseMessage(c.to, []byte(text+"}")); err != nil {
		c.t.Fatal(err)
	}
}

// await reads messages up to the response and, if asked for, up to a stop.
func (c *client) await(stop bool) {
	output := make(map[string]string)
	for answered := false; !answered || stop; {
		m, err := dap.ReadProtocolMessage(c.in)
		if err != nil {
			c.t.Fatalf("%v, after:\n%s", err, c.out.String())
		}
		switch m := m.(type) {
		case *dap.ErrorResponse:
			fmt.Fprintf(&c.out, "! %s\n", m.Message)
			return
		case dap.ResponseMessage:
			if answered = true; m.GetResponse().RequestSeq != c.seq {
				c.t.Errorf("a response to %d comes after request %d", m.GetResponse().RequestSeq, c.seq)
			}
			if body := c.bodyOf(m); body != "" {
				fmt.Fprintf(&c.out, "< %s\n", body)
			}
		case *dap.OutputEvent:
			output[m.Body.Category] += m.Body.Output
		case dap.EventMessage:
			for _, category := range slices.Sorted(maps.Keys(output)) {
				fmt.Fprintf(&c.out, "o %s %q\n", category, output[category])
			}
			clear(output)
			name := m.GetEvent().Event
			fmt.Fprintln(&c.out, strings.TrimSpace("* "+name+" "+c.bodyOf(m)))
			if name == "stopped" || name == "terminated" {
				stop = false
			}
		}
	}
}

// bodyOf returns the body of a message as JSON, and notes what $ words stand for.
func (c *client) bodyOf(m dap.Message) string {
	text, err := json.Marshal(m)
	if err != nil {
		c.t.Fatal(err)
	}
	var parts struct {
		Body json.RawMessage `json:"body"`
	}
	if err := json.Unmarshal(text, &parts); err != nil {
		c.t.Fatal(err)
	}
	var body any
	json.Unmarshal(parts.Body, &body)
	if of, ok := body.(map[string]any); ok {
		if frames, ok := of["stackFrames"].([]any); ok && len(frames) > 0 {
			first := frames[0].(map[string]any)
			c.names["$frame"], c.names["$ip"] = fmt.Sprint(first["id"]), fmt.Sprintf("%q", first["instructionPointerReference"])
		}
		if id, ok := of["dataId"].(string); ok {
			quoted, _ := json.Marshal(id)
			c.names["$data"] = string(quoted)
		}
		if id, ok := of["threadId"].(float64); ok {
			c.names["$thread"] = fmt.Sprint(int(id))
		}
	}
	c.learn(body)
	if string(parts.Body) == "null" || string(parts.Body) == "{}" {
		return ""
	}
	return string(parts.Body)
}

// learn notes the numbers of values with names.
func (c *client) learn(body any) {
	switch body := body.(type) {
	case []any:
		for _, of := range body {
			c.learn(of)
		}
	case map[string]any:
		name, ok := body["name"].(string)
		if !ok {
			name = "result"
		}
		if ref, ok := body["variablesReference"].(float64); ok && ref != 0 {
			c.names["$ref("+name+")"] = fmt.Sprint(int(ref))
		}
		if at, ok := body["memoryReference"].(string); ok {
			c.names["$mem("+name+")"] = fmt.Sprintf("%q", at)
		}
		for _, of := range body {
			c.learn(of)
		}
	}
}
