// Package lsp serves editors: it answers the Language Server Protocol about sources of assembly. A document is
// sent as a whole at every change, read again by asm.OutlineOf, and checked as simtrun asm checks a file.
package lsp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/simtrun/simtrun/internal/gpu"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lsp/protocol"
)

// Config configures a server.
type Config struct {
	// Diagnose checks a source. name is its path.
	Diagnose func(name string, text []byte) []Diagnostic
	// GPU returns the GPU that runs a source. It may be nil.
	GPU     func(name string, text []byte) *gpu.Config
	Version string // of simtrun
}

// Diagnostic is a mistake in a source, or something that is probably not what its author meant.
type Diagnostic struct {
	Pos     isa.Pos
	Message string
	Warning bool
}

// ErrNotShutDown says that the editor ended the connection by exit without shutdown before it.
var ErrNotShutDown = errors.New("the editor left without shutdown")

// Serve answers an editor until it leaves or ctx ends.
func Serve(ctx context.Context, in io.Reader, out io.Writer, cfg Config) error {
	s := &server{cfg: cfg, documents: make(map[string]*document)}
	stream := jsonrpc2.NewBufferedStream(connection{in, out}, jsonrpc2.VSCodeObjectCodec{})
	conn := jsonrpc2.NewConn(ctx, stream, jsonrpc2.HandlerWithError(s.handle))
	defer conn.Close()
	select {
	case <-conn.DisconnectNotify():
	case <-ctx.Done():
		return ctx.Err()
	}
	if s.left && !s.down {
		return ErrNotShutDown
	}
	return nil
}

// connection is the two streams of an editor. Closing it leaves them open.
type connection struct {
	io.Reader
	io.Writer
}

func (connection) Close() error { return nil }

// server is a conversation with one editor. Messages are answered one after the other.
type server struct {
	cfg       Config
	documents map[string]*document
	begun     bool // initialize was answered
	down      bool // shutdown was answered
	left      bool // exit was received
}

// method answers a request, or takes a notification.
type method func(s *server, ctx context.Context, conn *jsonrpc2.Conn, params json.RawMessage) (any, error)

// with makes a method of a function that takes decoded parameters.
func with[P any](do func(s *server, p *P) (any, error)) method {
	return func(s *server, _ context.Context, _ *jsonrpc2.Conn, params json.RawMessage) (any, error) {
		p := new(P)
		if err := json.Unmarshal(params, p); err != nil {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: err.Error()}
		}
		return do(s, p)
	}
}

// on makes a method of a function that answers about a document.
func on[P any, Q interface {
	*P
	Document() string
}](do func(d *document, p Q) (any, error)) method {
	return with(func(s *server, p *P) (any, error) {
		uri := Q(p).Document()
		d := s.documents[uri]
		if d == nil {
			return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidParams, Message: uri + " is not open"}
		}
		return do(d, p)
	})
}

var methods = map[string]method{
	"initialize":             with((*server).initialize),
	"initialized":            with(ignored),
	"$/setTrace":             with(ignored),
	"$/cancelRequest":        with(ignored),
	"textDocument/didSave":   with(ignored),
	"textDocument/didOpen":   (*server).didOpen,
	"textDocument/didChange": (*server).didChange,
	"textDocument/didClose":  (*server).didClose,

	"textDocument/hover":               on(hover),
	"textDocument/completion":          on(completion),
	"textDocument/definition":          on(definition),
	"textDocument/references":          on(references),
	"textDocument/documentHighlight":   on(highlights),
	"textDocument/prepareRename":       on(prepareRename),
	"textDocument/rename":              on(rename),
	"textDocument/documentSymbol":      on(symbols),
	"textDocument/formatting":          on(formatting),
	"textDocument/inlayHint":           on(hints),
	"textDocument/codeLens":            on(lenses),
	"textDocument/semanticTokens/full": on(colours),
}

func ignored(*server, *struct{}) (any, error) { return nil, nil }

// handle answers one message. A panic becomes an error of the request.
func (s *server) handle(ctx context.Context, conn *jsonrpc2.Conn, r *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &jsonrpc2.Error{Code: jsonrpc2.CodeInternalError, Message: fmt.Sprintf("simtrun bug: %v\n%s", p, debug.Stack())}
		}
	}()
	switch {
	case r.Method == "exit":
		s.left = true
		return nil, conn.Close()
	case r.Method == "shutdown":
		s.down = true
		return nil, nil
	case s.down:
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeInvalidRequest, Message: r.Method + " after shutdown"}
	case !s.begun && r.Method != "initialize":
		return nil, &jsonrpc2.Error{Code: protocol.ServerNotInitialized, Message: r.Method + " before initialize"}
	}
	do := methods[r.Method]
	if do == nil {
		return nil, &jsonrpc2.Error{Code: jsonrpc2.CodeMethodNotFound, Message: r.Method + " is not supported"}
	}
	params := json.RawMessage("{}")
	if r.Params != nil {
		params = *r.Params
	}
	return do(s, ctx, conn, params)
}

// initialize answers with the server's capabilities.
func (s *server) initialize(*struct{}) (any, error) {
	s.begun = true
	type object = map[string]any
	return object{
		"capabilities": object{
			"textDocumentSync":           protocol.TextDocumentSyncKindFull,
			"hoverProvider":              true,
			"completionProvider":         object{"triggerCharacters": []string{".", "%"}},
			"definitionProvider":         true,
			"referencesProvider":         true,
			"documentHighlightProvider":  true,
			"documentSymbolProvider":     true,
			"documentFormattingProvider": true,
			"renameProvider":             object{"prepareProvider": true},
			"semanticTokensProvider":     object{"legend": object{"tokenTypes": tokenTypes, "tokenModifiers": []string{"declaration"}}, "full": true},
			"inlayHintProvider":          true,
			"codeLensProvider":           object{},
		},
		"serverInfo": object{"name": "simtrun", "version": s.cfg.Version},
	}, nil
}

// didOpen takes the text of a document.
func (s *server) didOpen(ctx context.Context, conn *jsonrpc2.Conn, params json.RawMessage) (any, error) {
	var p protocol.DidOpenTextDocumentParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	return nil, s.update(ctx, conn, p.TextDocument.URI, p.TextDocument.Text)
}

// didChange takes the new text of a document.
func (s *server) didChange(ctx context.Context, conn *jsonrpc2.Conn, params json.RawMessage) (any, error) {
	var p protocol.DidChangeTextDocumentParams
	if err := json.Unmarshal(params, &p); err != nil || len(p.ContentChanges) == 0 {
		return nil, err
	}
	return nil, s.update(ctx, conn, p.TextDocument.URI, p.ContentChanges[len(p.ContentChanges)-1].Text)
}

// didClose forgets a document and its diagnostics.
func (s *server) didClose(ctx context.Context, conn *jsonrpc2.Conn, params json.RawMessage) (any, error) {
	var p protocol.DocumentParams
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	delete(s.documents, p.TextDocument.URI)
	return nil, publish(ctx, conn, p.TextDocument.URI, []protocol.Diagnostic{})
}

// update reads a document and publishes its diagnostics.
func (s *server) update(ctx context.Context, conn *jsonrpc2.Conn, uri, text string) error {
	d := newDocument(uri, text)
	if s.cfg.GPU != nil {
		d.gpu = s.cfg.GPU(d.name, []byte(text))
	}
	s.documents[uri] = d
	all := []protocol.Diagnostic{} // not null
	for _, one := range s.cfg.Diagnose(d.name, []byte(text)) {
		severity := protocol.DiagnosticSeverityError
		if one.Warning {
			severity = protocol.DiagnosticSeverityWarning
		}
		all = append(all, protocol.Diagnostic{Range: d.wordRange(one.Pos), Severity: severity, Source: "simtrun", Message: one.Message})
	}
	return publish(ctx, conn, uri, all)
}

func publish(ctx context.Context, conn *jsonrpc2.Conn, uri string, all []protocol.Diagnostic) error {
	return conn.Notify(ctx, "textDocument/publishDiagnostics", protocol.PublishDiagnosticsParams{URI: uri, Diagnostics: all})
}
