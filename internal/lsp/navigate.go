package lsp

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sourcegraph/jsonrpc2"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/lsp/protocol"
)

// definition answers where a name is declared.
func definition(d *document, p *protocol.TextDocumentPositionParams) (any, error) {
	n := d.nameAt(p.Position)
	if n == nil || n.Declared.Line == 0 {
		return nil, nil
	}
	return protocol.Location{URI: d.uri, Range: d.wordRange(n.Declared)}, nil
}

// references answers where a name is used.
func references(d *document, p *protocol.ReferenceParams) (any, error) {
	all := []protocol.Location{}
	n := d.nameAt(p.Position)
	if n == nil {
		return all, nil
	}
	for i, where := range d.uses(n) {
		if n.Uses[i] != n.Declared || p.Context.IncludeDeclaration {
			all = append(all, protocol.Location{URI: d.uri, Range: where})
		}
	}
	return all, nil
}

// highlights answers all places of a name.
func highlights(d *document, p *protocol.TextDocumentPositionParams) (any, error) {
	all := []protocol.DocumentHighlight{}
	if n := d.nameAt(p.Position); n != nil {
		for _, where := range d.uses(n) {
			all = append(all, protocol.DocumentHighlight{Range: where})
		}
	}
	return all, nil
}

// prepareRename answers with the name that would be renamed.
func prepareRename(d *document, p *protocol.TextDocumentPositionParams) (any, error) {
	w := d.wordAt(p.Position)
	if w == nil || w.Name == nil {
		return nil, nil
	}
	at := w.Pos
	if w.Name.Of != nil && strings.Contains(w.Text, ".") {
		at.Col += int32(strings.IndexByte(w.Text, '.') + 1) // of the field after its structure
	}
	return protocol.RangeWithPlaceholder{Range: d.span(at, len(w.Name.Text)), Placeholder: w.Name.Text}, nil
}

// rename answers the edits that give a name another text. It refuses if the program would have mistakes that it does
// not have now, or be another one.
func rename(d *document, p *protocol.RenameParams) (any, error) {
	n := d.nameAt(p.Position)
	if n == nil {
		return nil, refused("there is no name that can be changed")
	}
	edits := []protocol.TextEdit{}
	lines := slices.Clone(d.lines)
	for i, where := range slices.Backward(d.uses(n)) {
		edits = append(edits, protocol.TextEdit{Range: where, NewText: p.NewName})
		at := n.Uses[i]
		line := lines[at.Line-1]
		lines[at.Line-1] = line[:at.Col-1] + p.NewName + line[int(at.Col)-1+len(n.Text):]
	}
	after := newDocument(d.uri, strings.Join(lines, "\n"))
	if fault := sameNames(d, after, n, p.NewName); fault != "" {
		return nil, refused(fault)
	}
	_, before := asm.Parse(d.name, []byte(d.text))
	if _, err := asm.Parse(d.name, []byte(after.text)); err != nil && before == nil {
		message, _, _ := strings.Cut(err.Error(), "\n")
		return nil, refused("the program would be wrong: " + message)
	}
	slices.Reverse(edits)
	return protocol.WorkspaceEdit{Changes: map[string][]protocol.TextEdit{d.uri: edits}}, nil
}

// sameNames returns the error in a document in which a name has a new text; "" if all words still refer to the same
// names.
func sameNames(before, after *document, n *asm.Name, text string) string {
	a, b := before.outline.Words, after.outline.Words
	if len(a) != len(b) {
		return fmt.Sprintf("%q is not a name", text)
	}
	renamed := make(map[*asm.Name]*asm.Name)
	for i := range a {
		if a[i].Kind != b[i].Kind || (a[i].Name == nil) != (b[i].Name == nil) {
			return fmt.Sprintf("%q cannot be the name here", text)
		}
		if a[i].Name == nil {
			continue
		}
		if other, known := renamed[a[i].Name]; known && other != b[i].Name {
			return fmt.Sprintf("%s is a name already", text)
		}
		renamed[a[i].Name] = b[i].Name
	}
	for old, now := range renamed {
		if old != n && now == renamed[n] {
			return fmt.Sprintf("%s is a name already", text)
		}
	}
	return ""
}

func refused(message string) error {
	return &jsonrpc2.Error{Code: protocol.RequestFailed, Message: message}
}

// symbols answers the functions and variables of a document, with parameters and labels below their functions.
func symbols(d *document, _ *protocol.DocumentParams) (any, error) {
	all := []protocol.DocumentSymbol{}
	for _, n := range d.outline.Names {
		kind, ok := symbolKinds[n.Kind]
		if !ok || n.Declared.Line == 0 {
			continue
		}
		where := d.wordRange(n.Declared)
		symbol := protocol.DocumentSymbol{Name: n.Text, Detail: n.Declaration, Kind: kind, Range: where, SelectionRange: where}
		if last := len(all) - 1; n.Kind != asm.FunctionName && n.From.Line > 0 && last >= 0 {
			all[last].Children = append(all[last].Children, symbol)
			all[last].Range.End = where.End
			continue
		}
		all = append(all, symbol)
	}
	return all, nil
}

var symbolKinds = map[asm.NameKind]protocol.SymbolKind{
	asm.FunctionName:  protocol.SymbolKindFunction,
	asm.VariableName:  protocol.SymbolKindVariable,
	asm.ParameterName: protocol.SymbolKindVariable,
	asm.LabelName:     protocol.SymbolKindKey,
	asm.ConstantName:  protocol.SymbolKindConstant,
	asm.StructureName: protocol.SymbolKindStruct,
}

// formatting answers the edit that lays out a document as simtrun fmt does.
func formatting(d *document, _ *protocol.DocumentParams) (any, error) {
	text, err := asm.FormatSource(d.name, []byte(d.text))
	if err != nil {
		return nil, refused(err.Error())
	}
	if string(text) == d.text {
		return []protocol.TextEdit{}, nil
	}
	end := protocol.Position{Line: uint32(len(d.lines))}
	return []protocol.TextEdit{{Range: protocol.Range{End: end}, NewText: string(text)}}, nil
}
