package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/sourcegraph/jsonrpc2"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/lsp/protocol"
)

// editor is a client of a server in this process.
type editor struct {
	t         testing.TB
	conn      *jsonrpc2.Conn
	published chan protocol.PublishDiagnosticsParams
	end       chan error // what Serve returns
}

// begin starts a server and an editor, which has sent initialize.
func begin(t testing.TB) *editor {
	t.Helper()
	toServer, fromEditor := io.Pipe()
	toEditor, fromServer := io.Pipe()
	e := &editor{t: t, published: make(chan protocol.PublishDiagnosticsParams, 100), end: make(chan error, 1)}
	go func() {
		e.end <- Serve(t.Context(), toServer, fromServer, Config{Diagnose: parsed, Version: "0", GPU: func(string, []byte) *gpu.Config { return gpu.H100() }})
		fromServer.Close()
	}()
	note := func(_ context.Context, _ *jsonrpc2.Conn, r *jsonrpc2.Request) (any, error) {
		var p protocol.PublishDiagnosticsParams
		if err := json.Unmarshal(*r.Params, &p); err != nil {
			return nil, err
		}
		e.published <- p
		return nil, nil
	}
	stream := jsonrpc2.NewBufferedStream(connection{toEditor, fromEditor}, jsonrpc2.VSCodeObjectCodec{})
	e.conn = jsonrpc2.NewConn(t.Context(), stream, jsonrpc2.HandlerWithError(note))
	e.call("initialize", `{"capabilities": {}}`)
	return e
}

// parsed returns the errors of asm.Parse.
func parsed(name string, text []byte) (all []Diagnostic) {
	_, err := asm.Parse(name, text)
	if es, ok := errors.AsType[asm.Errors](err); ok {
		for _, one := range es.List {
			all = append(all, Diagnostic{Pos: one.Pos, Message: one.Msg})
		}
	}
	return all
}

// call returns the answer to a request, as JSON.
func (e *editor) call(method, params string) string {
	e.t.Helper()
	answer, err := e.try(method, params)
	if err != nil {
		e.t.Fatalf("%s %s: %v", method, params, err)
	}
	return answer
}

func (e *editor) try(method, params string) (string, error) {
	var answer json.RawMessage
	err := e.conn.Call(e.t.Context(), method, json.RawMessage(params), &answer)
	return string(answer), err
}

// open opens a document and returns its diagnostics.
func (e *editor) open(uri, text string) []protocol.Diagnostic {
	e.t.Helper()
	p := protocol.DidOpenTextDocumentParams{TextDocument: protocol.TextDocumentItem{URI: uri, Text: text}}
	if err := e.conn.Notify(e.t.Context(), "textDocument/didOpen", p); err != nil {
		e.t.Fatal(err)
	}
	return (<-e.published).Diagnostics
}

// at returns the parameters of a request about the first place of a text that is marked with ^ before it.
func at(source, marked, more string) string {
	before, after, _ := strings.Cut(marked, "^")
	offset := strings.Index(source, before+after)
	if offset < 0 {
		panic(marked + " is not in the source")
	}
	offset += len(before)
	line := strings.Count(source[:offset], "\n")
	column := offset - (strings.LastIndexByte(source[:offset], '\n') + 1)
	return fmt.Sprintf(`{"textDocument": {"uri": "file:///k.s"}, "position": {"line": %d, "character": %d}%s}`, line, column, more)
}

const kernel = `.global .u32 table[2];
.entry k(.param .u64 out)
{
    .reg .b32 sum;
    mov.u32 %r1, %tid.x; // ä 𝄞
    mov.u32 sum, table;
LOOP:
    setp.lt.u32 %p1, %r1, sum;
    @%p1 bra LOOP;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1+4], sum;
    ret;
}
`

// ranges returns all ranges of an answer as line:first-last, lines and characters from 0.
func ranges(t *testing.T, answer string) string {
	t.Helper()
	var all []struct{ Range protocol.Range }
	if err := json.Unmarshal([]byte(answer), &all); err != nil {
		one := struct{ Range protocol.Range }{}
		if json.Unmarshal([]byte(answer), &one) != nil {
			t.Fatalf("%v: %s", err, answer)
		}
		all = append(all[:0], one)
	}
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, " %d:%d-%d", r.Range.Start.Line, r.Range.Start.Character, r.Range.End.Character)
	}
	return strings.TrimSpace(b.String())
}

// TestNavigationFindsUses asks where names are declared and used.
func TestNavigationFindsUses(t *testing.T) {
	e := begin(t)
	e.open("file:///k.s", kernel)
	for _, c := range []struct{ method, place, more, want string }{
		{"definition", "bra ^LOOP", "", "6:0-4"},
		{"definition", "mov.u32 ^sum", "", "3:14-17"},
		{"definition", "[ou^t]", "", "1:21-24"},
		{"definition", "sum, table^;", "", "0:13-18"},
		{"documentHighlight", "%p1, ^%r1", "", "4:12-15 7:21-24"},
		{"references", "mov.u32 ^sum", `, "context": {"includeDeclaration": false}`, "5:12-15 7:26-29 10:28-31"},
		{"references", "mov.u32 ^sum", `, "context": {"includeDeclaration": true}`, "3:14-17 5:12-15 7:26-29 10:28-31"},
		{"references", "re^t;", `, "context": {"includeDeclaration": true}`, ""},
		{"hover", "mov.^u32 %r1", "", "4:4-11"},
	} {
		if got := ranges(t, e.call("textDocument/"+c.method, at(kernel, c.place, c.more))); got != c.want {
			t.Errorf("%s at %s: %s, want %s", c.method, c.place, got, c.want)
		}
	}
	if got := e.call("textDocument/definition", at(kernel, "mov.u32 ^%r1", "")); got != "null" {
		t.Errorf("a register without a declaration is declared at %s", got)
	}
}

// TestNamedConstantsHaveDeclarations: constants, structures and fields have their declarations, and are offered and
// renamed.
func TestNamedConstantsHaveDeclarations(t *testing.T) {
	const source = ".equ N, 4;\n.struct S { .u32 a[N]; .u64 b; }\n.entry k()\n{\n    mov.u32 %r1, S.b + N;\n}\n"
	e := begin(t)
	if got := e.open("file:///k.s", source); len(got) != 0 {
		t.Errorf("mistakes: %v", got)
	}
	for _, c := range []struct{ method, place, more, want string }{
		{"definition", "S.b + ^N", "", "0:5-6"},
		{"definition", "S.^b + N", "", "1:28-29"},
		{"documentHighlight", ".struct ^S", "", "1:8-9 4:17-18"},
		{"documentHighlight", ".u64 ^b", "", "1:28-29 4:19-20"},
		{"prepareRename", "S.^b + N", "", "4:19-20"},
	} {
		if got := ranges(t, e.call("textDocument/"+c.method, at(source, c.place, c.more))); got != c.want {
			t.Errorf("%s at %s: %s, want %s", c.method, c.place, got, c.want)
		}
	}
	for place, want := range map[string]string{"S.b + ^N": ".equ N, 4", "^S.b": ".struct S {.u32 a[N]; .u64 b;}"} {
		if got := e.call("textDocument/hover", at(source, place, "")); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nlacks %s", place, got, want)
		}
	}
	got := labels(t, e.call("textDocument/completion", at(source, "%r1, ^S.b", "")))
	for _, want := range []string{"N", "S.a", "S.b", "S.size"} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not offered: %v", want, got)
		}
	}
	after := e.call("textDocument/rename", at(source, "S.^b + N", `, "newName": "c"`))
	if want := `{"changes":{"file:///k.s":[` + edit(1, 28, "c") + "," + edit(4, 19, "c") + `]}}`; after != want {
		t.Errorf("%s, want %s", after, want)
	}
}

// edit is the JSON of an edit that replaces one character.
func edit(line, character int, text string) string {
	return fmt.Sprintf(`{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"newText":%q}`, line, character, line, character+1, text)
}

// TestHoverExplainsWord: parts of what an editor shows for a word.
func TestHoverExplainsWord(t *testing.T) {
	e := begin(t)
	e.open("file:///k.s", kernel)
	for place, want := range map[string]string{
		"setp.^lt":          "d = (a cmp b) bool c",
		"mov.u32 ^sum, t":   ".reg .b32 sum",
		"^setp.lt":          "Unit alu. h100 has class integer, with a latency of 4 cycles.",
		"@%p1 ^bra":         "Lanes that diverge here reconverge at line 10.",
		"%r1, %^tid.x":      "a special register",
		"[^out]":            ".entry k(.param .u64 out)",
		"sum, ^table":       ".global .u32 table[2]",
		"[%^rd1+4]":         "a register that need not be declared",
		"\n    ret^;":       "```ptx\\nret",
		"@%p1 bra ^LOOP":    "LOOP:",
		"ld.param.u64 ^%rd": "%rd1",
	} {
		if got := e.call("textDocument/hover", at(kernel, place, "")); !strings.Contains(got, want) {
			t.Errorf("%s: %s\nlacks %s", place, got, want)
		}
	}
}

// TestHintsShowLiveRegisters: the numbers of live registers were counted by hand.
func TestHintsShowLiveRegisters(t *testing.T) {
	const source = `.entry k(.param .u64 out, .param .u32 n)
{
    ld.param.u32 %r2, [n];
    mov.u32 %r1, %tid.x;
LOOP:
    add.u32 %r1, %r1, 1;
    setp.lt.u32 %p1, %r1, %r2;
    @%p1 bra LOOP; // ä
    setp.eq.u32 %p2, %r2, 0;
    @%p2 bra OVER;
    ld.param.u64 %rd1, [out];
    st.global.u32 [%rd1], %r1;
OVER:
    ret;
}
`
	e := begin(t)
	e.open("file:///k.s", source)
	ask := func(first, last int) (text string) {
		answer := e.call("textDocument/inlayHint", fmt.Sprintf(`{"textDocument": {"uri": "file:///k.s"}, "range": {"start": {"line": %d, "character": 0}, "end": {"line": %d, "character": 0}}}`, first, last))
		var all []protocol.InlayHint
		if err := json.Unmarshal([]byte(answer), &all); err != nil {
			t.Fatal(err)
		}
		for _, h := range all {
			text += fmt.Sprintf("%d:%d %s\n", h.Position.Line, h.Position.Character, h.Label)
		}
		return text
	}
	const want = `2:26 1 live
3:24 2 live
5:24 2 live
6:30 2 live
7:23 divergent (thread-dependent), reconverge at line 9, 2 live
8:28 2 live
9:18 uniform, 1 live
10:29 3 live
11:30 3 live
13:8 0 live
`
	if diff := cmp.Diff(want, ask(0, 20)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := ask(9, 9); got != "9:18 uniform, 1 live\n" {
		t.Errorf("of one line: %s", got)
	}
	e.open("file:///k.s", ".entry k() { add.u32; }")
	if got := ask(0, 9); got != "" {
		t.Errorf("of a mistake: %s", got)
	}
}

// TestOnlyKernelsHaveLenses: a kernel can be run and debugged, a function cannot.
func TestOnlyKernelsHaveLenses(t *testing.T) {
	e := begin(t)
	e.open("file:///k.s", ".func f() { ret; }\n.visible .entry k() { ret; }\n")
	const place = `{"range":{"start":{"line":1,"character":16},"end":{"line":1,"character":17}},"command":{`
	const want = "[" + place + `"title":"run","command":"simtrun.run","arguments":["/k.s","k"]}},` + place + `"title":"debug","command":"simtrun.debug","arguments":["/k.s","k"]}}]`
	if got := e.call("textDocument/codeLens", `{"textDocument": {"uri": "file:///k.s"}}`); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestDiagnosticsFollowEdits: an error has the range of its word, with characters of UTF-16, and goes away with the
// mistake.
func TestDiagnosticsFollowEdits(t *testing.T) {
	e := begin(t)
	const before = ".entry k() { /* 𝄞 */ "
	got := e.open("file:///k.s", before+"add.u32 %r1, %r1; }")
	if len(got) != 1 || got[0].Range.Start != (protocol.Position{Character: 22}) || got[0].Severity != protocol.DiagnosticSeverityError {
		t.Fatalf("%+v", got)
	}
	change := `{"textDocument": {"uri": "file:///k.s", "version": 2}, "contentChanges": [{"text": ".entry k() { ret; }"}]}`
	if err := e.conn.Notify(t.Context(), "textDocument/didChange", json.RawMessage(change)); err != nil {
		t.Fatal(err)
	}
	if p := <-e.published; p.URI != "file:///k.s" || p.Diagnostics == nil || len(p.Diagnostics) != 0 {
		t.Errorf("%+v", p)
	}
}

// labels returns the labels of a completion.
func labels(t *testing.T, answer string) []string {
	t.Helper()
	var list protocol.CompletionList
	if err := json.Unmarshal([]byte(answer), &list); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, item := range list.Items {
		all = append(all, item.Label)
	}
	return all
}

func TestCompletionOffersNamesInScope(t *testing.T) {
	const source = `.global .u32 table;
.entry k(.param .u64 out)
{
    shf
    shf.l.
    @%p1 membar.
    ld.param.u64 %rd1, [o
    mov.u32 %r1, {s
    mov.u32 %r1, %lane
    {
        .reg .b32 inner;
    }
    // shf
}
.func f(.reg .b32 other)
{
}
`
	e := begin(t)
	e.open("file:///k.s", source)
	for place, want := range map[string]string{
		"    shf^\n":    "shf shfl",
		"shf.l.^\n":     "shf.l.clamp shf.l.wrap",
		"membar.^\n":    "membar.cta membar.gl membar.proxy membar.sys",
		"[o^\n":         "%p1 %r1 %rd1 f k out table",
		"{s^\n":         "%p1 %r1 %rd1 f k out table",
		"    // shf^\n": "",
	} {
		got := labels(t, e.call("textDocument/completion", at(source, place, "")))
		if diff := cmp.Diff(strings.Fields(want), got); diff != "" && len(got)+len(want) > 0 {
			t.Errorf("%q (-want +got):\n%s", place, diff)
		}
	}
	if got := labels(t, e.call("textDocument/completion", at(source, "%lane^\n", ""))); !slices.Contains(got, "%laneid") || !slices.Contains(got, "%tid.x") {
		t.Errorf("%s", got)
	}
}

// TestRenameChangesAllUses: all uses change, and nothing does if the program would be another one.
func TestRenameChangesAllUses(t *testing.T) {
	e := begin(t)
	e.open("file:///k.s", kernel)
	answer := e.call("textDocument/rename", at(kernel, "mov.u32 ^sum", `, "newName": "total"`))
	var edit protocol.WorkspaceEdit
	if err := json.Unmarshal([]byte(answer), &edit); err != nil {
		t.Fatal(err)
	}
	edits, _ := json.Marshal(edit.Changes["file:///k.s"])
	if got, want := ranges(t, string(edits)), "3:14-17 5:12-15 7:26-29 10:28-31"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for name, want := range map[string]string{"table": "table is a name already", "%r1": "%r1 is a name already", "a b": `"a b" is not a name`, "7": `"7" cannot be the name here`, "%tid.x": `"%tid.x" cannot be the name here`} {
		_, err := e.try("textDocument/rename", at(kernel, "mov.u32 ^sum", fmt.Sprintf(`, "newName": %q`, name)))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("to %s: %v, want %s", name, err, want)
		}
	}
	if _, err := e.try("textDocument/rename", at(kernel, "mov.u32 ^%r1", `, "newName": "%abc1"`)); err == nil || !strings.Contains(err.Error(), "the program would be wrong") {
		t.Errorf("a register without a declaration: %v", err)
	}
}

func TestSymbolsAreNested(t *testing.T) {
	e := begin(t)
	e.open("file:///k.s", kernel)
	var all []protocol.DocumentSymbol
	if err := json.Unmarshal([]byte(e.call("textDocument/documentSymbol", `{"textDocument": {"uri": "file:///k.s"}}`)), &all); err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, s := range all {
		got += s.Name
		for _, c := range s.Children {
			got += "." + c.Name
		}
		got += " "
	}
	if want := "table k.out.LOOP "; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestSemanticTokensHaveKinds decodes semantic tokens.
func TestSemanticTokensHaveKinds(t *testing.T) {
	const source = ".entry k()\n{ // ä\n  /* 𝄞 */ mov.u32 %r1, %tid.x;\n}\n"
	e := begin(t)
	e.open("file:///k.s", source)
	var tokens protocol.SemanticTokens
	if err := json.Unmarshal([]byte(e.call("textDocument/semanticTokens/full", `{"textDocument": {"uri": "file:///k.s"}}`)), &tokens); err != nil {
		t.Fatal(err)
	}
	got := ""
	line, character := uint32(0), uint32(0)
	for d := tokens.Data; len(d) > 0; d = d[5:] {
		if d[0] > 0 {
			character = 0
		}
		line, character = line+d[0], character+d[1]
		got += fmt.Sprintf("%d:%d+%d %s %d\n", line, character, d[2], tokenTypes[d[3]], d[4])
	}
	const want = `0:0+6 type 0
0:7+1 function 1
1:2+4 comment 0
2:2+8 comment 0
2:11+7 keyword 0
2:19+3 variable 0
2:24+6 macro 0
`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestFormattingEqualsFormatSource: the answer is what asm.FormatSource makes.
func TestFormattingEqualsFormatSource(t *testing.T) {
	e := begin(t)
	e.open("file:///k.s", ".entry k() { ret; }")
	const want = `[{"range":{"start":{"line":0,"character":0},"end":{"line":1,"character":0}},"newText":".entry k()\n{\n    ret;\n}\n"}]`
	if got := e.call("textDocument/formatting", `{"textDocument": {"uri": "file:///k.s"}, "options": {}}`); got != want {
		t.Errorf("%s", got)
	}
}

// TestRequestsOutsideSessionAreRefused: requests before initialize and after shutdown are refused, and exit ends the
// server.
func TestRequestsOutsideSessionAreRefused(t *testing.T) {
	e := begin(t)
	for params, want := range map[string]string{
		`{"textDocument": {"uri": "file:///other.s"}}`: "file:///other.s is not open",
		`{"textDocument": 7}`:                          "cannot unmarshal",
	} {
		if _, err := e.try("textDocument/hover", params); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", params, err)
		}
	}
	if _, err := e.try("textDocument/implementation", `{}`); err == nil || !strings.Contains(err.Error(), "not supported") {
		t.Error(err)
	}
	e.call("shutdown", `{}`)
	if _, err := e.try("textDocument/hover", `{}`); err == nil || !strings.Contains(err.Error(), "after shutdown") {
		t.Error(err)
	}
	if err := e.conn.Notify(t.Context(), "exit", json.RawMessage(`{}`)); err != nil {
		t.Fatal(err)
	}
	if err := <-e.end; err != nil {
		t.Error(err)
	}
}

// FuzzRequests: no source and no place in it makes a request panic.
func FuzzRequests(f *testing.F) {
	f.Add(kernel, uint32(5), uint32(13), "x")
	f.Add(".entry k() { { .reg .b32 %a<2>; } L:\n\t@!%p1 bra {%r", uint32(0), uint32(31), "%r1")
	f.Fuzz(func(t *testing.T, source string, line, character uint32, name string) {
		s := &server{documents: map[string]*document{"k": newDocument("k", source)}, begun: true}
		place, err := json.Marshal(map[string]any{
			"textDocument": map[string]any{"uri": "k"}, "newName": name,
			"position": map[string]any{"line": line, "character": character}, "context": map[string]any{"includeDeclaration": true},
		})
		if err != nil {
			t.Fatal(err)
		}
		params := json.RawMessage(place)
		for method := range methods {
			if !strings.HasPrefix(method, "textDocument/did") && method != "initialize" {
				_, err := s.handle(t.Context(), nil, &jsonrpc2.Request{Method: method, Params: &params})
				if e, ok := errors.AsType[*jsonrpc2.Error](err); ok && e.Code == jsonrpc2.CodeInternalError {
					t.Fatalf("%s: %v", method, err)
				}
			}
		}
	})
}
