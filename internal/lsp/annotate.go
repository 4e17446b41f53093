package lsp

import (
	"fmt"

	"github.com/simtrun/simtrun/asm"
	"github.com/simtrun/simtrun/internal/flow"
	"github.com/simtrun/simtrun/internal/isa"
	"github.com/simtrun/simtrun/internal/lsp/protocol"
)

// lenses answers commands that run and debug each kernel. Editors execute them: arguments are the path and the kernel.
func lenses(d *document, _ *protocol.DocumentParams) (any, error) {
	all := []protocol.CodeLens{}
	for _, n := range d.outline.Names {
		if n.Declared.Line == 0 || !n.IsKernel() {
			continue
		}
		for _, title := range []string{"run", "debug"} {
			all = append(all, protocol.CodeLens{Range: d.wordRange(n.Declared), Command: protocol.Command{Title: title, Command: "simtrun." + title, Arguments: []string{d.name, n.Text}}})
		}
	}
	return all, nil
}

// hints answers, at the ends of lines, the registers that are live there and, of what may part the lanes of a warp,
// whether it does and where they reconverge.
func hints(d *document, p *protocol.InlayHintParams) (any, error) {
	all := []protocol.InlayHint{}
	for line, h := range d.hintsByLine() {
		if at := uint32(line); h != "" && p.Range.Start.Line <= at && at <= p.Range.End.Line {
			end := isa.Pos{Line: int32(line + 1), Col: int32(len(d.lines[line]) + 1)}
			all = append(all, protocol.InlayHint{Position: d.position(end), Label: h, PaddingLeft: true})
		}
	}
	return all, nil
}

// hintsByLine returns the hint of each line, from 0; none for sources with mistakes.
func (d *document) hintsByLine() []string {
	if d.hints != nil {
		return d.hints
	}
	d.hints = make([]string, len(d.lines))
	mod, err := asm.Parse(d.name, []byte(d.text))
	if err != nil {
		return d.hints
	}
	most := make([]int, len(d.lines))
	parts := make([]string, len(d.lines))
	for _, f := range mod.Funcs {
		if len(f.Code) == 0 {
			continue
		}
		graph := flow.New(f)
		live, uniformities := graph.Live(f, nil), flow.Uniformities(f)
		for pc := range f.Code {
			line := int(f.Code[pc].Pos.Line) - 1
			if line < 0 || line >= len(d.lines) {
				continue
			}
			most[line] = max(most[line], live[pc])
			if lanes := lanesAt(f, graph, pc, uniformities[pc]); lanes != "" {
				parts[line] = lanes + ", "
			}
			d.hints[line] = fmt.Sprintf("%s%d live", parts[line], most[line])
		}
	}
	return d.hints
}

// lanesAt says whether a conditional branch, exit, call or return parts lanes; "" for other instructions.
func lanesAt(f *isa.Func, graph *flow.Graph, pc int, u flow.Uniformity) string {
	switch {
	case len(graph.Blocks()[graph.BlockOf(pc)].Succ) < 2 || graph.LastOf(pc) != pc:
		return ""
	case u == flow.Uniform:
		return "uniform"
	}
	if meet := graph.Reconvergence(pc); meet != flow.None && meet < len(f.Code) {
		return fmt.Sprintf("divergent (%s), reconverge at line %d", u, f.Code[meet].Pos.Line)
	}
	return fmt.Sprintf("divergent (%s), do not meet", u)
}
