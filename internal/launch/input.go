package launch

import (
	"context"
	"fmt"
)

// Input is a file whose bytes a run takes in: those of a buffer, of a variable, or
// those that an expectation compares with.
type Input struct {
	// Name is that of the file, and which of its bytes are meant.
	Name    string
	content *content
}

// Inputs are the files of p, each once. What a parameter has by value is in ParamBytes.
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

// EachPiece calls do with the bytes, piece after piece. Its error is that of ctx, or of
// reading.
func (in Input) EachPiece(ctx context.Context, do func(piece []byte)) error {
	return in.content.eachPiece(ctx, func(_ int64, piece []byte) { do(piece) })
}

// ParamBytes is the block of parameters, with zeros where the addresses of buffers go.
func (l *Launch) ParamBytes() []byte { return l.params.data }
