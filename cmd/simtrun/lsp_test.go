package main

import (
	"bufio"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestLSPAnswersWhileRunning: an editor gets answers while the command runs, and what simtrun asm says of a source with
// its header.
func TestLSPAnswersWhileRunning(t *testing.T) {
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
	if got := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}}`); !strings.Contains(got, `"hoverProvider":true`) || !strings.Contains(got, `"inlayHintProvider":true`) {
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
	ask(fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.s","text":%q}}}`, "//sim:gpu a100\n.entry k() {\n add.u32 %r1, 1, 2;\n ret; }"))
	for _, c := range []struct{ method, more, want string }{
		{"hover", `, "position":{"line":2,"character":2}`, "a100 has class integer, with a latency of "},
		{"inlayHint", `, "range":{"start":{"line":0,"character":0},"end":{"line":9,"character":0}}`, `"label":"1 live"`},
		{"codeLens", "", `"command":"simtrun.debug","arguments":["/k.s","k"]`},
		{"completion", `, "position":{"line":2,"character":4}`, `"newText":"addc"`},
		{"semanticTokens/full", "", `"data":[0,0,`},
		{"references", `, "position":{"line":1,"character":7}, "context":{"includeDeclaration":true}`, `"uri":"file:///k.s"`},
		{"rename", `, "position":{"line":1,"character":7}, "newName":"main"`, `"newText":"main"`},
	} {
		got := ask(fmt.Sprintf(`{"jsonrpc":"2.0","id":9,"method":"textDocument/%s","params":{"textDocument":{"uri":"file:///k.s"}%s}}`, c.method, c.more))
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, lacks %s", c.method, got, c.want)
		}
	}
	ask(`{"jsonrpc":"2.0","id":2,"method":"shutdown"}`)
	const exit = `{"jsonrpc":"2.0","method":"exit"}`
	fmt.Fprintf(editor, "Content-Length: %d\r\n\r\n%s", len(exit), exit)
	if got := <-code; got != 0 {
		t.Errorf("exit status %d", got)
	}
}

// longSource returns a kernel of 2,000 lines with loops and branches. One line has a mistake.
func longSource() string {
	var b strings.Builder
	b.WriteString("//sim:arg out=zeros:64:u32\n.visible .entry k(.param .u64 out)\n{\n\t.reg .b32 %a<40>;\n\tld.param.u64 %rd1, [out];\n\tmov.u32 %a0, %tid.x;\n")
	for i := 0; strings.Count(b.String(), "\n") < 1990; i++ {
		fmt.Fprintf(&b, "L%d:\n\tmad.lo.u32 %%a%d, %%a0, %d, 7; // ä\n\tadd.f32 %%f%d, %%f1, 0f3F800000;\n\tsetp.lt.u32 %%p1, %%a%d, 100;\n"+
			"\t@%%p1 bra L%d;\n\tst.global.u32 [%%rd1+%d], %%a0;\n", i, i%40, i, i%9, i%40, i/2, i%64*4)
	}
	b.WriteString("\tadd.u32 %a1, %a2;\n\tret;\n}\n")
	return b.String()
}

// diagnoseKey answers a change of a long source by its diagnostics.
func diagnoseKey(tb testing.TB, source string) {
	in := strings.NewReader("")
	for _, m := range []string{`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`,
		fmt.Sprintf(`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///k.s","text":%q}}}`, source)} {
		in = strings.NewReader(rest(in) + fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(m), m))
	}
	var out strings.Builder
	commandReading(tb.Context(), in, []string{"lsp"}, &stream{to: &out}, &stream{to: io.Discard})
	if !strings.Contains(out.String(), "has 2 operands") {
		tb.Fatal(out.String())
	}
}

func rest(r *strings.Reader) string {
	text, _ := io.ReadAll(r)
	return string(text)
}

// TestLSPIsFast: diagnostics of 2,000 lines come within 50 ms (BenchmarkLSPDiagnostics); the test allows for slow and
// busy machines.
func TestLSPIsFast(t *testing.T) {
	source := longSource()
	best := time.Hour
	for range 5 {
		start := time.Now()
		diagnoseKey(t, source)
		best = min(best, time.Since(start))
	}
	t.Logf("%v for %d lines", best, strings.Count(source, "\n"))
	if best > 20*50*time.Millisecond {
		t.Errorf("%v", best)
	}
}

func BenchmarkLSPDiagnostics(b *testing.B) {
	source := longSource()
	for b.Loop() {
		diagnoseKey(b, source)
	}
}
