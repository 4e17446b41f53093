package protocol

// TextDocumentSyncKindFull says that an editor sends the whole text of a document at every change.
const TextDocumentSyncKindFull = 1

// Errors of the protocol, in addition to those of JSON-RPC.
const (
	ServerNotInitialized = -32002
	RequestFailed        = -32803
)

// DiagnosticSeverity says how wrong something is.
type DiagnosticSeverity int

// Severities.
const (
	DiagnosticSeverityError   DiagnosticSeverity = 1
	DiagnosticSeverityWarning DiagnosticSeverity = 2
)

// CompletionItemKind is what a completion names.
type CompletionItemKind int

// Kinds of completions.
const (
	CompletionItemKindFunction  CompletionItemKind = 3
	CompletionItemKindField     CompletionItemKind = 5
	CompletionItemKindVariable  CompletionItemKind = 6
	CompletionItemKindProperty  CompletionItemKind = 10
	CompletionItemKindKeyword   CompletionItemKind = 14
	CompletionItemKindReference CompletionItemKind = 18
	CompletionItemKindConstant  CompletionItemKind = 21
	CompletionItemKindStruct    CompletionItemKind = 22
)

// SymbolKind is what a symbol names.
type SymbolKind int

// Kinds of symbols.
const (
	SymbolKindFunction SymbolKind = 12
	SymbolKindVariable SymbolKind = 13
	SymbolKindConstant SymbolKind = 14
	SymbolKindKey      SymbolKind = 20
	SymbolKindStruct   SymbolKind = 23
)
