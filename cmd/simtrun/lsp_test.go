package main

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
)

// TestLSP: an editor gets answers while the command runs, and what simtrun asm says of a source with its header.
func TestLSP(t *testing.T) {
	in, editor := io.Pipe()
	answers, out := io.Pipe()
	code := make(chan int, 1)
	go func() {
		code <- commandReading(t.Context(), in, []string{"lsp"}, &stream{to: out}, &stream{to: io.Discard})
		out.Close()
	}()
	reader := textproto.NewReader(bufio.NewReader(answers))
	ask := func(message string) string {
		t.Helper()
		fmt.Fprintf(editor, "Content-Length: %d\r\n\r\n%s", len(message), message)
		header, err := reader.ReadMIMEHeader()
		if err != nil {
			t.Fatal(err)
		}
		n, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			t.Fatal(err)
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(reader.R, body); err != nil {
			t.Fatal(err)
		}
		return string(body)
	}
	open := func(text string) string {
		return ask(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.s","languageId":"ptx","version":1,"text":%q}}}`, text))
	}
	if got := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`); !strings.Contains(got, `"hoverProvider":true`) {
		t.Errorf("%s", got)
	}
	for text, want := range map[string]string{
		"//sim:grid x\n.entry k() { ret; }":                `"range":{"start":{"line":0,`,
		".entry k() {\n add.u32 %r1, %r1;\n ret; }":        `"range":{"start":{"line":1,"character":1},"end":{"line":1,"character":8}},"severity":1,"source":"simtrun","message":"add.u32 has 2 operands`,
		".entry k() {\n st.global.u32 [%rd1], 7;\n ret; }": `"severity":2,"source":"simtrun","message":"register %rd1 is read`,
		"__global__ void k() {}":                           `"severity":1`,
		".version 6.0 .target sm_20 .entry k() { ret; }":   `"diagnostics":[]`,
	} {
		if got := open(text); !strings.Contains(got, want) {
			t.Errorf("%s\nof %s\nlacks %s", got, text, want)
		}
	}
	ask(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	const exit = `{"jsonrpc":"2.0","method":"exit"}`
	fmt.Fprintf(editor, "Content-Length: %d\r\n\r\n%s", len(exit), exit)
	if got := <-code; got != 0 {
		t.Errorf("exit code %d", got)
	}
}
