package launch

import (
	"context"
	"fmt"
)

// Input is a file that a run reads: the content of a buffer or a variable, or of an expectation.
type Input struct {
	// Name is the file's name with the selected range.
	Name    string
	content *content
}

// Inputs returns the files of p, each once. Files for parameters by value are not included: ParamBytes has their
// content.
func (p *Plan) Inputs() []Input {
	var all []Input
	seen := make(map[string]bool)
	add := func(c *content) {
		if c == nil || c.file == nil {
			return
		}
		f := c.file
		in := Input{fmt.Sprintf("%s from %d, %d bytes", f.path, f.start, f.size), c}
		if !seen[in.Name] {
			seen[in.Name] = true
			all = append(all, in)
		}
	}
	for _, o := range p.objects {
		add(o.content)
	}
	for i := range p.symbols {
		add(p.symbols[i].content)
	}
	for i := range p.expects {
		add(p.expects[i].content)
	}
	return all
}

// EachPiece calls do with the bytes, in pieces. The error is that of ctx, or of reading.
func (in Input) EachPiece(ctx context.Context, do func(piece []byte)) error {
	return in.content.eachPiece(ctx, func(_ int64, piece []byte) { do(piece) })
}

// ParamBytes returns the parameter block, with zeros in place of the addresses of buffers.
func (l *Launch) ParamBytes() []byte { return l.params.data }
