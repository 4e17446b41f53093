package lsp

import (
	"maps"
	"slices"
	"strings"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lsp/protocol"
)

// completion answers with the possible words at a place: opcodes and their modifiers at the start of a statement, names
// among operands.
func completion(d *document, p *protocol.TextDocumentPositionParams) (any, error) {
	line, column := d.place(p.Position)
	before := d.line(line)[:column-1]
	typed := before[len(strings.TrimRightFunc(before, inWord)):]
	rest := strings.TrimSpace(strings.TrimSuffix(before, typed))
	var items []protocol.CompletionItem
	switch {
	case strings.Contains(rest, "//"):
	case startsStatement(rest):
		items = opcodes(typed)
	default:
		items = append(d.visible(line), specials(typed)...)
	}
	start := d.span(isa.Pos{Line: int32(line), Col: int32(column - len(typed))}, len(typed))
	for i := range items {
		items[i].TextEdit = protocol.TextEdit{Range: start, NewText: items[i].Label}
	}
	return protocol.CompletionList{Items: append([]protocol.CompletionItem{}, items...)}, nil
}

// inWord reports whether a character can be in a word, with its modifiers.
func inWord(r rune) bool {
	return r == '.' || r == '%' || r == '$' || r == '_' || r == ':' || r < 0x80 && (r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9')
}

// startsStatement reports whether an opcode can follow a text: nothing, the end of another statement, or a guard.
func startsStatement(before string) bool {
	at := strings.LastIndexAny(before, ";{}:")
	if at >= 0 && before[at] == '{' && strings.TrimSpace(before[:at]) != "" {
		return false // a vector
	}
	guard := strings.TrimSpace(before[at+1:])
	return guard == "" || guard[0] == '@' && !strings.ContainsAny(guard, " \t")
}

// opcodes returns the mnemonics that begin with a text, up to its next dot.
func opcodes(typed string) []protocol.CompletionItem {
	kind := protocol.CompletionItemKindKeyword
	found := make(map[string]protocol.CompletionItem)
	add := func(label, detail string) {
		if _, ok := found[label]; !ok {
			found[label] = protocol.CompletionItem{Label: label, Kind: kind, Detail: detail}
		}
	}
	opcode, _, dotted := strings.Cut(typed, ".")
	for _, s := range isa.Specs() {
		if !dotted {
			if s.With == "" && strings.HasPrefix(s.Name, typed) {
				add(s.Name, s.Doc)
			}
			continue
		}
		if s.Name != opcode {
			continue
		}
		for in := range s.Forms() {
			if word := in.Mnemonic(); strings.HasPrefix(word, typed) {
				end := strings.IndexByte(word[len(typed):], '.')
				if end < 0 {
					end = len(word) - len(typed)
				}
				add(word[:len(typed)+end], s.Doc)
			}
		}
	}
	return sortedItems(found)
}

// visible returns the names that are declared at a line.
func (d *document) visible(line int) []protocol.CompletionItem {
	found := make(map[string]protocol.CompletionItem)
	for _, n := range d.outline.Names {
		if int(n.From.Line) > line || n.To.Line > 0 && int(n.To.Line) < line {
			continue
		}
		label := n.Text
		switch {
		case n.Kind == asm.StructureName:
			label += ".size"
		case n.Of != nil:
			label = n.Of.Text + "." + label
		}
		// an inner name hides an outer one
		found[label] = protocol.CompletionItem{Label: label, Kind: completionKinds[n.Kind], Detail: n.Declaration}
	}
	return sortedItems(found)
}

var completionKinds = map[asm.NameKind]protocol.CompletionItemKind{
	asm.RegisterName:  protocol.CompletionItemKindVariable,
	asm.VariableName:  protocol.CompletionItemKindField,
	asm.ParameterName: protocol.CompletionItemKindProperty,
	asm.FunctionName:  protocol.CompletionItemKindFunction,
	asm.LabelName:     protocol.CompletionItemKindReference,
	asm.ConstantName:  protocol.CompletionItemKindConstant,
	asm.StructureName: protocol.CompletionItemKindStruct,
	asm.FieldName:     protocol.CompletionItemKindConstant,
}

// specials returns the special registers that begin with the typed text.
func specials(typed string) []protocol.CompletionItem {
	if !strings.HasPrefix(typed, "%") {
		return nil
	}
	kind, detail := protocol.CompletionItemKindConstant, "a special register"
	var items []protocol.CompletionItem
	for s := isa.NoSpecial + 1; s < isa.NumSpecials; s++ {
		items = append(items, protocol.CompletionItem{Label: s.String(), Kind: kind, Detail: detail})
	}
	return items
}

func sortedItems(found map[string]protocol.CompletionItem) []protocol.CompletionItem {
	var items []protocol.CompletionItem
	for _, label := range slices.Sorted(maps.Keys(found)) {
		items = append(items, found[label])
	}
	return items
}
