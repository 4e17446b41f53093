package lsp

import (
	"strings"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/lsp/protocol"
)

// tokenTypes are the protocol's names for kinds of words; a token refers to them by index.
var tokenTypes = []string{"comment", "keyword", "type", "number", "string", "macro", "variable", "parameter", "function", "property", "label", "enumMember", "struct"}

// wordTypes and nameTypes are indexes of tokenTypes. A variable in memory is a property, so that it differs from a
// register.
var (
	wordTypes = map[asm.WordKind]uint32{asm.CommentWord: 0, asm.OpcodeWord: 1, asm.DirectiveWord: 2, asm.NumberWord: 3, asm.StringWord: 4, asm.SpecialWord: 5}
	nameTypes = map[asm.NameKind]uint32{asm.RegisterName: 6, asm.ParameterName: 7, asm.FunctionName: 8, asm.VariableName: 9, asm.LabelName: 10,
		asm.ConstantName: 11, asm.StructureName: 12, asm.FieldName: 11}
)

// colours answers with the kind of each word, as five numbers: lines and UTF-16 units from the previous word, length,
// type, and 1 for a declaration.
func colours(d *document, _ *protocol.DocumentParams) (any, error) {
	data := []uint32{}
	var last protocol.Position
	for _, w := range d.outline.Words {
		kind, ok := wordTypes[w.Kind]
		if w.Kind == asm.NameWord && w.Name != nil {
			kind, ok = nameTypes[w.Name.Kind]
		}
		if !ok {
			continue
		}
		declares := uint32(0)
		if w.Name != nil && w.Name.Declared == w.Pos {
			declares = 1
		}
		at := w.Pos
		for text := range strings.SplitSeq(w.Text, "\n") { // a token is on one line
			where := d.span(at, len(text))
			character := where.Start.Character
			if where.Start.Line == last.Line {
				character -= last.Character
			}
			if n := where.End.Character - where.Start.Character; n > 0 {
				data = append(data, where.Start.Line-last.Line, character, n, kind, declares)
				last = where.Start
			}
			at.Line, at.Col = at.Line+1, 1
		}
	}
	return protocol.SemanticTokens{Data: data}, nil
}
