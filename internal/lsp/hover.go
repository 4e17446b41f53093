package lsp

import (
	"fmt"
	"strings"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lsp/protocol"
)

// hover describes the word under the cursor: an instruction, or the declaration of a name.
func hover(d *document, p *protocol.TextDocumentPositionParams) (any, error) {
	w := d.wordAt(p.Position)
	if w == nil {
		return nil, nil
	}
	text := ""
	switch w.Kind {
	case asm.OpcodeWord:
		text = d.aboutOpcode(w)
	case asm.SpecialWord:
		text = code(w.Text) + "a special register"
	case asm.NameWord:
		text = aboutName(w.Name)
	}
	if text == "" {
		return nil, nil
	}
	where := d.span(w.Pos, len(w.Text))
	return protocol.Hover{Contents: protocol.MarkupContent{Kind: "markdown", Value: text}, Range: where}, nil
}

// code returns Markdown of a block of assembly.
func code(text string) string { return "```ptx\n" + text + "\n```\n\n" }

// aboutOpcode returns the help of an instruction, as simtrun help prints it, and the facts about its occurrence.
func (d *document) aboutOpcode(w *asm.Word) string {
	var specs []*isa.Spec
	branches, cost := false, ""
	if in, fault := isa.Resolve(w.Text); fault == "" {
		specs, branches = []*isa.Spec{in.Spec}, in.Spec.Kind == isa.Branch
		cost = d.costOf(&in)
	} else {
		opcode, _, _ := strings.Cut(w.Text, ".")
		specs = isa.LookupAll(opcode)
	}
	var b strings.Builder
	for _, s := range specs {
		form, rest, _ := strings.Cut(s.Help(), "\n\n")
		doc, choices, _ := strings.Cut(rest, "\n\n")
		b.WriteString(code(strings.TrimSpace(form)) + doc + "\n\n```text\n" + strings.TrimRight(choices, "\n") + "\n```\n\n")
	}
	b.WriteString(cost)
	if branches {
		b.WriteString(d.reconvergence(w))
	}
	return b.String()
}

// costOf says on which unit of the GPU an instruction runs, and after how many cycles its result can be used.
func (d *document) costOf(in *isa.Instr) string {
	if in.Later != "" || in.Spec == nil || d.gpu == nil {
		return ""
	}
	v := isa.Variant{Types: in.Types, Mods: in.Mods}
	text := ""
	if u := in.Spec.Unit(&v); u != isa.NoUnit {
		text = "Unit " + u.String() + ". "
	}
	if class := in.Spec.CostClass(&v); d.gpu.Classes[class].Latency > 0 {
		text += fmt.Sprintf("%s has class %s, with a latency of %d cycles. ", d.gpu.Name, class, d.gpu.Classes[class].Latency)
	}
	return text
}

// reconvergence says where the lanes that a branch separates reconverge; "" for sources with mistakes.
func (d *document) reconvergence(w *asm.Word) string {
	mod, err := asm.Parse(d.name, []byte(d.text))
	if err != nil {
		return ""
	}
	for _, f := range mod.Funcs {
		for pc := range f.Code {
			if f.Code[pc].Pos.Line != w.Pos.Line || f.Code[pc].Pos.Col > w.Pos.Col {
				continue
			}
			graph := flow.New(f)
			if len(graph.Blocks()[graph.BlockOf(pc)].Succ) < 2 {
				return "All lanes go the same way."
			}
			if meet := graph.Reconvergence(pc); meet != flow.None && meet < len(f.Code) {
				return fmt.Sprintf("Lanes that diverge here reconverge at line %d.", f.Code[meet].Pos.Line)
			}
			return "Lanes that diverge here do not reconverge."
		}
	}
	return ""
}

// aboutName returns the declaration of a name.
func aboutName(n *asm.Name) string {
	switch {
	case n == nil:
		return ""
	case n.Kind == asm.LabelName:
		return code(n.Text + ":")
	case n.Declared.Line == 0:
		return code(n.Text) + "a register that need not be declared"
	}
	return code(n.Declaration)
}
