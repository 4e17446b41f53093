// Package protocol has the messages of the Language Server Protocol 3.17 that package lsp exchanges with editors, with
// the names of its specification. Optional fields that package lsp neither reads nor writes are left out.
package protocol

// Position is a place in a document: a line from 0, and UTF-16 units from 0 in it.
type Position struct {
	Line      uint32 `json:"line"`
	Character uint32 `json:"character"`
}

// Range is a part of a document, from Start up to End, which does not belong to it.
type Range struct {
	Start Position `json:"start"`
	End   Position `json:"end"`
}

// TextDocumentIdentifier names a document.
type TextDocumentIdentifier struct {
	URI string `json:"uri"`
}

// TextDocumentItem is a document that was opened.
type TextDocumentItem struct {
	URI  string `json:"uri"`
	Text string `json:"text"`
}

// DocumentParams are the parameters of requests about a document.
type DocumentParams struct {
	TextDocument TextDocumentIdentifier `json:"textDocument"`
}

// Document returns the URI of the document.
func (p *DocumentParams) Document() string { return p.TextDocument.URI }

// TextDocumentPositionParams are the parameters of requests about a place in a document.
type TextDocumentPositionParams struct {
	DocumentParams
	Position Position `json:"position"`
}

// ReferenceParams are those of textDocument/references.
type ReferenceParams struct {
	TextDocumentPositionParams
	Context struct {
		IncludeDeclaration bool `json:"includeDeclaration"`
	} `json:"context"`
}

// RenameParams are those of textDocument/rename.
type RenameParams struct {
	TextDocumentPositionParams
	NewName string `json:"newName"`
}

// InlayHintParams are those of textDocument/inlayHint.
type InlayHintParams struct {
	DocumentParams
	Range Range `json:"range"`
}

// DidOpenTextDocumentParams are those of textDocument/didOpen.
type DidOpenTextDocumentParams struct {
	TextDocument TextDocumentItem `json:"textDocument"`
}

// DidChangeTextDocumentParams are those of textDocument/didChange. Each change has the text of the whole document.
type DidChangeTextDocumentParams struct {
	DocumentParams
	ContentChanges []struct {
		Text string `json:"text"`
	} `json:"contentChanges"`
}

// PublishDiagnosticsParams are those of textDocument/publishDiagnostics, which the server sends.
type PublishDiagnosticsParams struct {
	URI         string       `json:"uri"`
	Diagnostics []Diagnostic `json:"diagnostics"`
}

// Diagnostic is a mistake in a document, or a warning.
type Diagnostic struct {
	Range    Range              `json:"range"`
	Severity DiagnosticSeverity `json:"severity"`
	Source   string             `json:"source"`
	Message  string             `json:"message"`
}

// Location is a part of a document that is named.
type Location struct {
	URI   string `json:"uri"`
	Range Range  `json:"range"`
}

// TextEdit replaces a part of a document.
type TextEdit struct {
	Range   Range  `json:"range"`
	NewText string `json:"newText"`
}

// WorkspaceEdit is what changes, by the URI of the document.
type WorkspaceEdit struct {
	Changes map[string][]TextEdit `json:"changes"`
}

// Hover answers textDocument/hover.
type Hover struct {
	Contents MarkupContent `json:"contents"`
	Range    Range         `json:"range"`
}

// MarkupContent is a text; its kind is "plaintext" or "markdown".
type MarkupContent struct {
	Kind  string `json:"kind"`
	Value string `json:"value"`
}

// CompletionList answers textDocument/completion.
type CompletionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []CompletionItem `json:"items"`
}

// CompletionItem is a text that can be inserted.
type CompletionItem struct {
	Label    string             `json:"label"`
	Kind     CompletionItemKind `json:"kind"`
	Detail   string             `json:"detail,omitempty"`
	TextEdit TextEdit           `json:"textEdit"`
}

// DocumentHighlight answers textDocument/documentHighlight, in a list.
type DocumentHighlight struct {
	Range Range `json:"range"`
}

// RangeWithPlaceholder answers textDocument/prepareRename.
type RangeWithPlaceholder struct {
	Range       Range  `json:"range"`
	Placeholder string `json:"placeholder"`
}

// DocumentSymbol answers textDocument/documentSymbol, in a list.
type DocumentSymbol struct {
	Name           string           `json:"name"`
	Detail         string           `json:"detail,omitempty"`
	Kind           SymbolKind       `json:"kind"`
	Range          Range            `json:"range"`
	SelectionRange Range            `json:"selectionRange"`
	Children       []DocumentSymbol `json:"children,omitempty"`
}

// InlayHint answers textDocument/inlayHint, in a list.
type InlayHint struct {
	Position    Position `json:"position"`
	Label       string   `json:"label"`
	PaddingLeft bool     `json:"paddingLeft"`
}

// CodeLens answers textDocument/codeLens, in a list.
type CodeLens struct {
	Range   Range   `json:"range"`
	Command Command `json:"command"`
}

// Command is what an editor executes when a lens is chosen.
type Command struct {
	Title     string   `json:"title"`
	Command   string   `json:"command"`
	Arguments []string `json:"arguments"`
}

// SemanticTokens answers textDocument/semanticTokens/full, with five numbers a token.
type SemanticTokens struct {
	Data []uint32 `json:"data"`
}
